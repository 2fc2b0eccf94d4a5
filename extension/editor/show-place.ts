/** *Show in file*: the recorded place of a step in the text editor, or its one record as a read-only document. */
import * as vscode from "vscode";
import { Owner } from "../platform/dispose";
import type { TrajectoryView } from "./view";

export const recordScheme = "tracemark-record";

/** Serves records of files that are too large for the text editor, or that lie inside a container. */
export class RecordDocuments extends Owner implements vscode.TextDocumentContentProvider {
  private readonly textByPath = new Map<string, string>();

  constructor() {
    super();
    this.register(vscode.workspace.registerTextDocumentContentProvider(recordScheme, this));
    this.register(vscode.workspace.onDidCloseTextDocument((document) => {
      if (document.uri.scheme === recordScheme) this.textByPath.delete(document.uri.path);
    }));
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.textByPath.get(uri.path) ?? vscode.l10n.t("This record is not kept any more. Use *show in file* again.");
  }

  /** Opens `text` read-only under `name`; `position` says where it stands. */
  async show(name: string, text: string, position: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: recordScheme, path: `/${name}`, query: position });
    this.textByPath.set(uri.path, text);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { viewColumn: vscode.ViewColumn.Beside, preview: true });
    void vscode.window.setStatusBarMessage(position, 8000);
  }
}

let records: RecordDocuments | undefined;

/** Registers the content provider; disposing the result takes it away. */
export function registerRecordDocuments(): RecordDocuments {
  records = new RecordDocuments();
  return records;
}

/** Opens a text read-only beside the view. */
export function showRecord(name: string, text: string, position: string): Promise<void> {
  return records?.show(name, text, position) ?? Promise.resolve();
}

/** Shows where step `step` of the view's trajectory is recorded. */
export async function showPlace(view: TrajectoryView, step: number): Promise<void> {
  const target = await view.document.target(view.index);
  const place = await view.client.request("tracemark/place", { ...target, step });
  if (place.virtual) return showRecord(place.virtual.name, place.virtual.text, place.virtual.position);
  const start = new vscode.Position(place.line ?? 0, place.column ?? 0);
  const end = new vscode.Position(place.endLine ?? start.line, place.endColumn ?? start.character);
  const text = await vscode.workspace.openTextDocument(place.file === undefined ? vscode.Uri.parse(target.document.uri) : vscode.Uri.file(place.file));
  const editor = await vscode.window.showTextDocument(text, { viewColumn: vscode.ViewColumn.Beside, preview: true, selection: new vscode.Range(start, end) });
  editor.revealRange(new vscode.Range(start, start), vscode.TextEditorRevealType.AtTop);
}
