/** Saves what the score view has drawn: a picture or a table, in a file that the person names. */
import * as vscode from "vscode";
import type { FromWebview } from "#protocol/webview";

type Export = Extract<FromWebview, { type: "score/export" }>;

const kinds = { svg: () => vscode.l10n.t("SVG picture"), png: () => vscode.l10n.t("PNG picture"), csv: () => vscode.l10n.t("CSV table") } as const;

/** Asks where to, beginning in `root`, and writes. Rejects when the file cannot be written. */
export async function saveExport(root: string, { name, kind, content }: Export): Promise<void> {
  const file = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(vscode.Uri.file(root), `${name.replace(/[^\w-]+/g, "-")}.${kind}`), filters: { [kinds[kind]()]: [kind] }, title: vscode.l10n.t("Save the {0}", kinds[kind]()),
  });
  if (!file) return;
  await vscode.workspace.fs.writeFile(file, Buffer.from(content, kind === "png" ? "base64" : "utf8"));
  const open = vscode.l10n.t("Open");
  const chosen = await vscode.window.showInformationMessage(vscode.l10n.t("Saved {0}.", vscode.workspace.asRelativePath(file)), open);
  if (chosen === open) await vscode.commands.executeCommand("vscode.open", file);
}
