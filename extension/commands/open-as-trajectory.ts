/** *Open as trajectory*: from the explorer, the editor title or the palette. */
import * as vscode from "vscode";
import { ExpectedFailure } from "../platform/errors";
import { defineCommand } from "./define";

/** The URI a command was called with, else that of the active tab. */
export function targetUri(argument: unknown): vscode.Uri | undefined {
  if (argument instanceof vscode.Uri) return argument;
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom) return input.uri;
  return vscode.window.activeTextEditor?.document.uri;
}

export const openAsTrajectory = defineCommand({
  id: "tracemark.openAsTrajectory",
  async run(app, argument) {
    const uri = targetUri(argument) ?? (await vscode.window.showOpenDialog({ canSelectMany: false, title: vscode.l10n.t("Open as trajectory") }))?.[0];
    if (!uri) return;
    if (uri.scheme === "untitled") throw new ExpectedFailure(vscode.l10n.t("Save the file first; Tracemark reads it from disk."));
    const before = vscode.window.tabGroups.activeTabGroup.activeTab;
    await vscode.commands.executeCommand("vscode.openWith", uri, "tracemark.editor");
    // The text that it was called on makes way, as with *Reopen editor with…*; not with unsaved changes.
    if (before?.input instanceof vscode.TabInputText && before.input.uri.toString() === uri.toString() && !before.isDirty) await vscode.window.tabGroups.close(before, true);
    if (uri.path.endsWith(".eval")) await app.offerEvalAssociation();
  },
});
