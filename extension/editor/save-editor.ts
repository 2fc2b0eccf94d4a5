/** Saves a document's own editor, and nothing else that shows the same file. */
import * as vscode from "vscode";

/** Whether a text editor (or a diff, or another kind of editor that could write the file) has `uri` open. */
function isOpenElsewhere(uri: vscode.Uri): boolean {
  const name = uri.toString();
  return vscode.workspace.textDocuments.some((document) => document.uri.toString() === name)
    || vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ input }) =>
      (input instanceof vscode.TabInputText && input.uri.toString() === name)
      || (input instanceof vscode.TabInputTextDiff && [input.original, input.modified].some((side) => side.toString() === name))));
}

/**
 * Has VS Code call the document's own save. `vscode.workspace.save` saves every editor of a file, so that a text editor
 * beside the view would write its text, unsaved or badly decoded, over the log: where there is one, only the active editor is
 * saved, and only while it is ours (`isActive`). Resolves with whether anything was asked to save.
 */
export async function saveEditor(uri: vscode.Uri, isActive: () => boolean): Promise<boolean> {
  if (!isOpenElsewhere(uri)) {
    await vscode.workspace.save(uri);
    return true;
  }
  if (!isActive()) return false;
  await vscode.commands.executeCommand("workbench.action.files.save");
  return true;
}
