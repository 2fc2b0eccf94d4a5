/** Asks once who is labelling, and offers git's user name. */
import { execFile } from "node:child_process";
import * as vscode from "vscode";
import { annotatorName, setAnnotatorName } from "./config";

/** `git config user.name` in `folder`, or undefined where git does not answer within two seconds. */
function gitUserName(folder: string | undefined): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile("git", ["config", "user.name"], { cwd: folder, timeout: 2000 }, (error, stdout) => resolve(error ? undefined : stdout.trim() || undefined));
  });
}

/** The annotator's name; asks when it is not set. Undefined when the person closes the question. */
export async function ensureAnnotator(folder: string | undefined): Promise<string | undefined> {
  return annotatorName() ?? (await askAnnotator(folder));
}

/** Asks for the annotator's name and saves it in the user's settings. */
export async function askAnnotator(folder: string | undefined): Promise<string | undefined> {
  const fromGit = annotatorName() === undefined ? await gitUserName(folder) : undefined;
  const use = vscode.l10n.t("This name is written into your labels and names your label file. It stays in your settings.");
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t("Who is labelling?"),
    prompt: fromGit ? `${use} ${vscode.l10n.t("The name offered is the one that git has for you.")}` : use,
    value: annotatorName() ?? fromGit ?? "",
    ignoreFocusOut: true,
    validateInput: (value) => (/[a-z0-9]/i.test(value) ? undefined : vscode.l10n.t("The name needs at least one letter or digit.")),
  });
  if (!name?.trim()) return undefined;
  await setAnnotatorName(name);
  return name.trim();
}
