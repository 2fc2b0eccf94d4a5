/** *New sample*: from a template, the clipboard or a selection, as an authored trajectory with a line in a manifest. */
import * as vscode from "vscode";
import { counterpartOf } from "#core/authored/authored-file";
import { sampleTasks, stepsFromText, templateSteps, type SampleTask } from "#core/authored/new-sample";
import type { Step } from "#core/trajectory/model";
import type { ServerClient } from "../client/server-client";
import { ExpectedFailure } from "../platform/errors";
import { authoredViewType } from "./authored-provider";
import { makeKnown } from "./new-pair";
import { freeName, inWords, ownManifest, writeManifest, writeNew } from "./pair-files";

type Origin = "template" | "clipboard" | "selection";

async function askOrigin(): Promise<{ origin: Origin; task: SampleTask } | undefined> {
  const editor = vscode.window.activeTextEditor;
  const titles: Record<SampleTask, string> = {
    qa: vscode.l10n.t("A question and its answer"), code: vscode.l10n.t("A request for code and the code"), reasoning: vscode.l10n.t("A question, reasoning (<think>), an answer"), agent: vscode.l10n.t("A system prompt, a request, a call, its result, an answer"),
  };
  const choices: (vscode.QuickPickItem & { origin: Origin })[] = [
    { label: vscode.l10n.t("From the clipboard"), description: vscode.l10n.t("a log of a known format, or text with lines like \"User:\" and \"Assistant:\""), origin: "clipboard" },
    ...(editor && !editor.selection.isEmpty ? [{ label: vscode.l10n.t("From the selection"), description: vscode.l10n.t("in the text editor"), origin: "selection" as const }] : []),
    { label: vscode.l10n.t("From a template"), origin: "template" },
  ];
  const from = await vscode.window.showQuickPick(choices, { title: vscode.l10n.t("New sample") });
  if (!from) return undefined;
  const task = await vscode.window.showQuickPick(sampleTasks.map((value) => ({ label: value, description: titles[value], value })), { title: vscode.l10n.t("Which task is it?") });
  return task && { origin: from.origin, task: task.value };
}

/** Steps of a text: a log of a known format where it is one, else what its lines say. */
async function stepsOf(client: ServerClient, text: string): Promise<Step[]> {
  if (text.trim() === "") throw new ExpectedFailure(vscode.l10n.t("There is no text to make a sample from."));
  if (/^\s*[[{]/.test(text)) {
    const document = { uri: "untitled:clipboard.json", base64: Buffer.from(text).toString("base64") };
    const { items, format } = await client.request("tracemark/open", document);
    const first = items.find(({ problem }) => !problem);
    if (first && format !== "fallback") {
      const { stepCount } = await client.request("tracemark/header", { document, index: first.index });
      const { steps } = await client.request("tracemark/steps", { document, index: first.index, from: 0, to: stepCount });
      if (steps.length > 0) return steps;
    }
  }
  return stepsFromText(text);
}

/** Asks, writes and opens. Resolves to the id of the sample, or undefined when the person thought better of it. */
export async function newSample(client: ServerClient, root: string, author: string): Promise<string | undefined> {
  const selected = vscode.window.activeTextEditor;
  const asked = await askOrigin();
  if (!asked) return undefined;
  const { origin, task } = asked;
  const text = origin === "clipboard" ? await vscode.env.clipboard.readText() : origin === "selection" && selected ? selected.document.getText(selected.selection) : "";
  const steps = origin === "template" ? templateSteps(task) : await stepsOf(client, text);
  const { ids } = await client.request("tracemark/sampleSource", { root, sampleId: "" });
  const { id, path } = await freeName(root, ownManifest, task, ids);
  const file = await inWords(async () => {
    const written = await writeNew(root, ownManifest, path, counterpartOf({}, steps, id));
    await writeManifest(root, ownManifest, [{ id, task, authored: { by: author, method: origin === "template" ? "human" : "edited" }, status: "draft", path }]);
    return written;
  });
  await makeKnown(client, root, id, ownManifest);
  await vscode.commands.executeCommand("vscode.openWith", vscode.Uri.file(file), authoredViewType);
  return id;
}
