/** The custom editor: opens logs, keeps their views, and answers VS Code's save, revert and backup. */
import * as vscode from "vscode";
import type { DocumentRef } from "#protocol/lsp";
import type { ServerClient } from "../client/server-client";
import type { LabelService } from "../labels/label-service";
import { followsFiles } from "../platform/config";
import { Owner } from "../platform/dispose";
import { ExpectedFailure, messageOf } from "../platform/errors";
import { backupOf, parseBackup, readBackupBytes } from "./backup";
import { TrajectoryDocument } from "./document";
import type { SessionDocument } from "../review/session-document";
import { EditorRegistry } from "./registry";
import { saveEditor } from "./save-editor";
import { TrajectoryView, type ViewServices } from "./view";

/** Schemes other than `file` have no range read: read whole, up to this many bytes. */
const virtualLimit = 50 * 1024 * 1024;

/** A changed file is read again once it has not changed for `restMs`; one that is followed at least every `followMs`. */
const restMs = 300;
const followMs = 1000;

export const viewTypes = ["tracemark.editor", "tracemark.editorOption"] as const;

export class TrajectoryEditorProvider extends Owner implements vscode.CustomEditorProvider<TrajectoryDocument> {
  private readonly changeEmitter = this.register(new vscode.EventEmitter<vscode.CustomDocumentEditEvent<TrajectoryDocument>>());
  readonly onDidChangeCustomDocument = this.changeEmitter.event;
  readonly registry = this.register(new EditorRegistry());

  /** `openSession` makes the document of a review session out of its address. */
  constructor(
    private readonly client: ServerClient, private readonly labels: LabelService, private readonly services: ViewServices,
    private readonly openSession: (uri: vscode.Uri) => SessionDocument | undefined,
  ) {
    super();
    for (const viewType of viewTypes) {
      this.register(vscode.window.registerCustomEditorProvider(viewType, this, { supportsMultipleEditorsPerDocument: true }));
    }
    // A server that has just started knows of no open document; the first ones are opened while it still starts.
    this.register(client.onDidChangeDown((down) => {
      if (!down) for (const document of this.registry.openDocuments) if (!isSession(document)) client.notify("tracemark/opened", { document: document.ref });
    }));
  }

  async openCustomDocument(uri: vscode.Uri, context: vscode.CustomDocumentOpenContext): Promise<TrajectoryDocument> {
    const session = this.openSession(uri);
    const document = session ?? new TrajectoryDocument(uri, await this.refOf(uri), this.client, this.labels);
    if (!session) document.isBlindOpen = () => this.services.review.isBlindOpen;
    const backup = await readBackupBytes(context.backupId, (message) => this.services.log.warn(message));
    if (backup) document.backup = parseBackup(backup);
    document.onDidEdit((edit) => this.changeEmitter.fire({ document, label: edit.label, undo: () => this.thenClean(document, edit.undo()), redo: () => this.thenClean(document, edit.redo()) }));
    if (uri.scheme === "file") this.watch(document);
    this.registry.add(document);
    if (session) return document;
    const grown = this.client.onDidGrow((grownUri) => {
      if (grownUri !== uri.toString()) return;
      // Its warnings are known now as well.
      this.client.notify("tracemark/opened", { document: document.ref });
      void document.reload();
    });
    document.onDidDispose(() => grown.dispose());
    this.client.notify("tracemark/opened", { document: document.ref });
    document.onDidDispose(() => this.client.notify("tracemark/closed", { uri: uri.toString() }));
    return document;
  }

  private async refOf(uri: vscode.Uri): Promise<DocumentRef> {
    const root = await this.labels.rootOf(uri);
    if (uri.scheme === "file") return { uri: uri.toString(), path: uri.fsPath, ...(root ? { root } : {}) };
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > virtualLimit) {
      throw new ExpectedFailure(vscode.l10n.t("{0} is {1} MB; files of {2} workspaces are read up to 50 MB. Save a copy on disk and open that.", uri.path, Math.round(size / 1048576), uri.scheme));
    }
    const bytes = await vscode.workspace.fs.readFile(uri);
    return { uri: uri.toString(), base64: Buffer.from(bytes).toString("base64"), ...(root ? { root } : {}) };
  }

  private watch(document: TrajectoryDocument): void {
    const watchers = new Map<string, vscode.Disposable>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pause = 0;
    const readAgain = async () => {
      timer = undefined;
      const began = Date.now();
      this.client.notify("tracemark/changed", { document: document.ref });
      await document.reload();
      await document.open().catch(() => undefined);
      // A label on the log is one of another version now.
      if ((await this.labels.labelled(document.ref, document.opened?.items ?? [])).length > 0) this.services.review.changed();
      // A large file that grows without rest is not read all the time.
      pause = Math.max(followMs, 4 * (Date.now() - began));
    };
    const reload = () => {
      // A file that is followed is read again while it is still written; any other once it rests.
      if (timer !== undefined && followsFiles()) return;
      clearTimeout(timer);
      timer = setTimeout(() => void readAgain(), followsFiles() ? Math.max(restMs, pause) : restMs);
    };
    const watch = (relative: string) => {
      if (watchers.has(relative)) return;
      const file = vscode.Uri.joinPath(document.uri, "..", relative);
      // A name is no pattern: what would be one in it stands for any character.
      const name = file.path.slice(file.path.lastIndexOf("/") + 1).replace(/[[\]{}*]/g, "?");
      const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.joinPath(file, ".."), name));
      watcher.onDidChange(reload);
      watcher.onDidCreate(reload);
      watchers.set(relative, watcher);
    };
    watch(document.fileName);
    document.onDidReadFile(watch);
    document.onDidDispose(() => {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.dispose();
    });
  }

  resolveCustomEditor(document: TrajectoryDocument, panel: vscode.WebviewPanel): void {
    const view = new TrajectoryView(document, panel, this.client, this.services, () => this.thenClean(document, Promise.resolve()));
    this.registry.addView(document, view);
    if (isSession(document)) {
      const asked = document.onDidAskFor((index) => {
        panel.reveal();
        void view.select(index);
      });
      view.onDidDispose(() => asked.dispose());
    }
  }

  /**
   * What was decided is on disk already, so the document must not look unsaved: VS Code is asked to save, which finds
   * nothing left to write. Drafts of other trajectories keep it dirty.
   */
  private async thenClean(document: TrajectoryDocument, edit: Promise<void>): Promise<void> {
    await edit;
    setTimeout(() => {
      if (document.isDisposed || document.draftSamples().length > 0) return;
      const isActive = () => this.registry.active?.document === document;
      void saveEditor(document.uri, isActive).catch((error: unknown) => this.services.log.warn(`${document.fileName}: ${messageOf(error)}`));
    }, 0);
  }

  saveCustomDocument(document: TrajectoryDocument): Promise<void> {
    return document.save();
  }

  async saveCustomDocumentAs(document: TrajectoryDocument, destination: vscode.Uri): Promise<void> {
    if (isSession(document)) throw new ExpectedFailure(vscode.l10n.t("A review is no file; its labels are in the labels folder."));
    await vscode.workspace.fs.copy(document.uri, destination, { overwrite: true });
  }

  revertCustomDocument(document: TrajectoryDocument): Promise<void> {
    return document.revert();
  }

  async backupCustomDocument(document: TrajectoryDocument, context: vscode.CustomDocumentBackupContext): Promise<vscode.CustomDocumentBackup> {
    await vscode.workspace.fs.writeFile(context.destination, backupOf(document.draftSamples()));
    return { id: context.destination.toString(), delete: () => void vscode.workspace.fs.delete(context.destination).then(undefined, () => undefined) };
  }
}

function isSession(document: TrajectoryDocument): document is SessionDocument {
  return "onDidAskFor" in document;
}
