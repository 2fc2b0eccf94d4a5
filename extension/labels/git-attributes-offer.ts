/** Offers, once for each root, the `.gitattributes` with which git keeps both sides when two branches were labelled. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { lacksGitAttributes, writeGitAttributes } from "#node/store/git-attributes";
import { Owner } from "../platform/dispose";
import { reportError } from "../platform/errors";
import type { LabelService } from "./label-service";

/** Whether a folder or one above it is a git repository. */
function isInGit(folder: string): boolean {
  if (existsSync(join(folder, ".git"))) return true;
  const above = dirname(folder);
  return above !== folder && isInGit(above);
}

export class GitAttributesOffer extends Owner {
  private readonly asked = new Set<string>();

  constructor(private readonly state: vscode.Memento, private readonly labels: LabelService, log: vscode.LogOutputChannel) {
    super();
    this.register(labels.onDidChange((root) => void this.offer(root).catch((error: unknown) => reportError(log, error, "gitattributes"))));
  }

  private async offer(root: string): Promise<void> {
    const key = `tracemark.gitAttributesAsked:${root}`;
    if (this.asked.has(root) || this.state.get<boolean>(key)) return;
    this.asked.add(root);
    const folder = join(root, (await this.labels.settingsOf(root)).labels);
    if (!isInGit(root) || !existsSync(folder) || !(await lacksGitAttributes(folder))) return;
    const add = vscode.l10n.t("Add .gitattributes");
    const never = vscode.l10n.t("Do not ask again");
    const chosen = await vscode.window.showInformationMessage(
      vscode.l10n.t("Labels are in a git repository. With a .gitattributes beside them, merging two branches keeps the labels of both."), add, never);
    if (chosen === add) await writeGitAttributes(folder);
    if (chosen !== undefined) await this.state.update(key, true);
  }
}
