/** Opens a sample of a root by its id, in the editor, at its trajectory. */
import * as vscode from "vscode";
import type { App } from "../app";
import { ExpectedFailure } from "../platform/errors";

/** @throws ExpectedFailure when no file of the root holds the sample */
export async function openSample(app: App, root: string, sampleId: string): Promise<void> {
  const { file, record } = await app.client.request("tracemark/sampleFile", { root, sampleId });
  if (file === undefined) throw new ExpectedFailure(vscode.l10n.t("No sample {0} is known in {1}.", sampleId, root));
  const uri = vscode.Uri.file(file);
  await vscode.commands.executeCommand("vscode.openWith", uri, "tracemark.editor");
  const document = app.editors.registry.openDocuments.find((candidate) => candidate.uri.toString() === uri.toString());
  const view = app.editors.registry.all.find((candidate) => candidate.document === document);
  if (!document || !view) return;
  const opened = await document.open();
  const item = opened.items.find((candidate) => candidate.id === sampleId) ?? opened.items[record ?? 0];
  if (item) await view.select(item.index);
}
