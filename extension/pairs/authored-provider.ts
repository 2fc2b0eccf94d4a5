/** The editor of authored trajectories: opens them, keeps their views in step, and answers VS Code's undo, save, revert and backup. */
import * as vscode from "vscode";
import type { StepEdit } from "#core/authored/step-edit";
import { FromPairView, type AuthoredSnapshot, type ToPairView } from "#protocol/pairs";
import type { ServerClient } from "../client/server-client";
import { readBackupBytes } from "../editor/backup";
import { webviewHtml, webviewOptions } from "../editor/html";
import { saveEditor } from "../editor/save-editor";
import type { LabelService } from "../labels/label-service";
import { Owner } from "../platform/dispose";
import { ExpectedFailure, messageOf, reportError } from "../platform/errors";
import type { ReviewService } from "../review/review-service";
import type { SightLog } from "../review/sight-log";
import { withholdMeaning } from "../review/withhold";
import { AuthoredDocument, type AuthoredFacts } from "./authored-document";
import { reopenEdited } from "./pair-steps";

export const authoredViewType = "tracemark.authored";

export interface AuthoredServices {
  readonly client: ServerClient;
  readonly labels: LabelService;
  readonly review: ReviewService;
  readonly sight: SightLog;
  readonly extensionUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
}

const labelOf = (edit: StepEdit): string => ({
  "part/text": vscode.l10n.t("Edit the text"), "part/argument": vscode.l10n.t("Edit an argument"), "part/argumentAdd": vscode.l10n.t("Add an argument"),
  "part/argumentRemove": vscode.l10n.t("Remove an argument"), "part/tool": vscode.l10n.t("Name the tool"), "part/add": vscode.l10n.t("Add a part"), "part/remove": vscode.l10n.t("Remove a part"),
  "step/role": vscode.l10n.t("Change the role"), "step/insert": vscode.l10n.t("Insert a step"), "step/delete": vscode.l10n.t("Delete the step"), "step/move": vscode.l10n.t("Move the step"),
  "step/split": vscode.l10n.t("Split the step"), "step/merge": vscode.l10n.t("Merge two steps"), "step/cut": vscode.l10n.t("Cut here"),
})[edit.type];

export class AuthoredEditorProvider extends Owner implements vscode.CustomEditorProvider<AuthoredDocument> {
  private readonly changeEmitter = this.register(new vscode.EventEmitter<vscode.CustomDocumentEditEvent<AuthoredDocument>>());
  readonly onDidChangeCustomDocument = this.changeEmitter.event;
  private readonly documents = new Set<AuthoredDocument>();
  private readonly panels = new Map<vscode.WebviewPanel, AuthoredDocument>();
  /** Draws every panel anew: what may be seen of the documents has changed. */
  private readonly sightEmitter = this.register(new vscode.EventEmitter<void>());
  private readonly savedEmitter = this.register(new vscode.EventEmitter<AuthoredDocument>());
  readonly onDidSave = this.savedEmitter.event;

  constructor(private readonly services: AuthoredServices) {
    super();
    this.register(vscode.window.registerCustomEditorProvider(authoredViewType, this, { supportsMultipleEditorsPerDocument: true }));
    this.register(services.review.onDidChangeBlind(() => this.sightEmitter.fire()));
    // Another person has seen what stands here as soon as the name is theirs.
    this.register(vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("tracemark.labelling.annotator") && this.sightEmitter.fire()));
  }

  /** The document of the panel that has the focus. */
  get active(): AuthoredDocument | undefined {
    for (const [panel, document] of this.panels) if (panel.active) return document;
    return undefined;
  }

  /** @throws ExpectedFailure where edits are not saved: what is checked is what is on disk */
  refuseUnsaved(root: string): void {
    const unsaved = [...this.documents].find((document) => document.root === root && document.isDirty);
    if (unsaved) throw new ExpectedFailure(vscode.l10n.t("{0} has edits that are not saved. Save or revert it first: the check goes by what is on disk.", unsaved.fileName));
  }

  /** Reads again what manifests say of the open documents of a root. */
  async followManifest(root: string): Promise<void> {
    for (const document of this.documents) if (document.root === root) document.setFacts(await this.factsOf(document.uri, root));
  }

  async openCustomDocument(uri: vscode.Uri, context: vscode.CustomDocumentOpenContext): Promise<AuthoredDocument> {
    if (uri.scheme !== "file") throw new ExpectedFailure(vscode.l10n.t("Authored trajectories are edited in folders on disk."));
    const root = await this.services.labels.rootOf(uri);
    const facts = await this.factsOf(uri, root);
    if (!facts.authored) throw new ExpectedFailure(vscode.l10n.t("{0} was recorded, and recorded trajectories are never changed. Make a new pair from it, and edit that.", facts.id));
    const backup = await readBackupBytes(context.backupId, (message) => this.services.log.warn(message));
    const document = await AuthoredDocument.open(uri, root ?? "", facts, backup);
    this.documents.add(document);
    document.onDidEdit(({ label, undo, redo }) => this.changeEmitter.fire({ document, label, undo, redo }));
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.joinPath(uri, ".."), document.fileName.replace(/[[\]{}*]/g, "?")));
    watcher.onDidChange(() => void document.followDisk().catch((error: unknown) => this.services.log.warn(messageOf(error))));
    document.onDidDispose(() => {
      watcher.dispose();
      this.documents.delete(document);
    });
    return document;
  }

  /** What the manifest says of the file. */
  private async factsOf(uri: vscode.Uri, root: string | undefined): Promise<AuthoredFacts> {
    const { client } = this.services;
    const ref = { uri: uri.toString(), path: uri.fsPath, ...(root === undefined ? {} : { root }) };
    const { items } = await client.request("tracemark/open", ref);
    const { id, sample } = await client.request("tracemark/header", { document: ref, index: items[0]?.index ?? 0 });
    return {
      id, ...(sample?.label ? { label: sample.label } : {}), ...(sample?.status ? { status: sample.status } : {}), ...(sample?.authored ? { authored: sample.authored } : {}),
      ...(sample?.pair_id === undefined ? {} : { pairId: sample.pair_id }),
    };
  }

  resolveCustomEditor(document: AuthoredDocument, panel: vscode.WebviewPanel): void {
    const { extensionUri, log } = this.services;
    this.panels.set(panel, document);
    let isReady = false;
    const post = async (message: ToPairView): Promise<void> => {
      // What a hidden page missed comes with the snapshot that it asks for when it is back.
      if (isReady && !(await panel.webview.postMessage(message))) isReady = false;
    };
    const snapshot = async (): Promise<void> => {
      const { review } = this.services;
      const whole = snapshotOf(document);
      await post({ type: "authored/snapshot", snapshot: review.isBlindOpen ? withholdMeaning(whole) : whole });
      if (isReady && panel.visible && !review.isBlindOpen) await this.noteSight(document);
    };
    const redraw = (): void => void snapshot().catch((error: unknown) => log.warn(messageOf(error)));
    const subscriptions = [
      document.onDidChange(({ splice, announce, by }) => void post({
        type: "authored/changed", revision: document.revision, at: splice.at, removed: splice.removed.length, inserted: [...splice.inserted], own: by === panel, isDirty: document.isDirty, announce,
      })),
      document.onDidReset(() => redraw()),
      this.sightEmitter.event(() => redraw()),
      // What was seen while the server was away is noted of the other half too, once it can be asked for that.
      this.services.client.onDidChangeDown((down) => !down && redraw()),
      document.onDidSave(() => void post({ type: "authored/saved", isDirty: document.isDirty })),
      panel.webview.onDidReceiveMessage(async (raw: unknown) => {
        const parsed = FromPairView.safeParse(raw);
        if (!parsed.success) return log.warn(`authored view: ${parsed.error.message}`);
        const message = parsed.data;
        try {
          if (message.type === "view/ready") {
            isReady = true;
            return await snapshot();
          }
          if (message.type === "edit/apply") {
            const refusal = message.revision === document.revision ? document.edit(message.edit, labelOf(message.edit), panel) : vscode.l10n.t("The trajectory changed meanwhile; look again.");
            if (refusal === undefined) return;
            await post({ type: "authored/refused", message: refusal });
            return await snapshot();
          }
          await this.answer(document, message, panel);
        } catch (error) {
          reportError(log, error, message.type);
          await post({ type: "error/raised", message: messageOf(error) });
        }
      }),
    ];
    panel.onDidDispose(() => {
      this.panels.delete(panel);
      for (const subscription of subscriptions) subscription.dispose();
    });
    panel.webview.options = webviewOptions(extensionUri);
    panel.webview.html = webviewHtml(panel.webview, extensionUri, "authored", vscode.l10n.t("Reading {0}…", document.fileName));
  }

  /** Whoever sees what a half is meant as knows the class of both halves of its pair: a label given from now on is not blind. */
  private async noteSight({ root, facts: { id, label, pairId } }: AuthoredDocument): Promise<void> {
    if (label === undefined || root === "") return;
    const { client, sight } = this.services;
    sight.note(root, id, ["original"]);
    if (pairId === undefined) return;
    const { halves } = await client.request("tracemark/pair", { root, sampleId: id });
    for (const half of halves) sight.note(root, half.id, ["original"]);
  }

  private async answer(document: AuthoredDocument, message: FromPairView, panel: vscode.WebviewPanel): Promise<void> {
    // A text editor of the same file keeps what it has: only this editor is saved.
    const save = async () => {
      if (!(await saveEditor(document.uri, () => panel.active))) await document.save();
    };
    switch (message.type) {
      case "history/undo":
        return vscode.commands.executeCommand("undo");
      case "history/redo":
        return vscode.commands.executeCommand("redo");
      case "document/save":
        await save();
        return;
      case "pair/open":
        return vscode.commands.executeCommand("tracemark.openPair", document.uri);
      case "trajectory/open":
        this.services.review.refuseWhileBlind(vscode.l10n.t("What was authored"));
        await save();
        return vscode.commands.executeCommand("vscode.openWith", document.uri, "tracemark.editor");
      case "error/raised":
        return this.services.log.error(`authored view: ${message.message}`);
    }
  }

  async saveCustomDocument(document: AuthoredDocument): Promise<void> {
    const { root, uri } = document;
    const isOther = await document.save();
    this.services.client.notify("tracemark/changed", { document: { uri: uri.toString(), path: uri.fsPath, root } });
    this.savedEmitter.fire(document);
    // The file is saved, whatever becomes of the status.
    if (!isOther || document.facts.pairId === undefined) return;
    void this.reopen(document).catch((error: unknown) =>
      reportError(this.services.log, new ExpectedFailure(vscode.l10n.t("{0} is saved, but if its pair was accepted, it still is: {1}", document.fileName, messageOf(error))), "reopenPair"));
  }

  /** What was accepted is another trajectory now: the pair is a draft again, and the person is told. */
  private async reopen(document: AuthoredDocument): Promise<void> {
    const { root, facts } = document;
    const pairId = await reopenEdited(this.services.client, root, facts.id);
    if (pairId === undefined) return;
    await this.followManifest(root);
    this.savedEmitter.fire(document);
    this.services.review.changed();
    void vscode.window.showWarningMessage(vscode.l10n.t("Pair {0} was accepted and has been edited: it is a draft again. Send it for review once it is done.", pairId));
  }

  async saveCustomDocumentAs(document: AuthoredDocument, destination: vscode.Uri): Promise<void> {
    await vscode.workspace.fs.writeFile(destination, new TextEncoder().encode(document.text));
  }

  revertCustomDocument(document: AuthoredDocument): Promise<void> {
    return document.revert();
  }

  async backupCustomDocument(document: AuthoredDocument, { destination }: vscode.CustomDocumentBackupContext): Promise<vscode.CustomDocumentBackup> {
    await vscode.workspace.fs.writeFile(destination, document.backup());
    return { id: destination.toString(), delete: () => void vscode.workspace.fs.delete(destination).then(undefined, () => undefined) };
  }
}

function snapshotOf({ facts, fileName, revision, isDirty, steps, title }: AuthoredDocument): AuthoredSnapshot {
  return {
    fileName, sampleId: facts.id, ...(title === undefined ? {} : { title }), ...(facts.label ? { label: facts.label } : {}), ...(facts.status === undefined ? {} : { status: facts.status }),
    ...(facts.authored ? { authored: facts.authored } : {}), ...(facts.pairId === undefined ? {} : { pairId: facts.pairId }), revision, isDirty, steps: [...steps],
  };
}
