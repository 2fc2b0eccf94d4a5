/** What the three trees and the review session share: which root, how the queue is filtered, grouped and sorted, and whether somebody judges blind just now. */
import { basename, sep } from "node:path";
import * as vscode from "vscode";
import type { QueueFacet } from "#core/labels/queue-table";
import type { RequestMethod, RequestParams, RequestResult } from "#protocol/lsp";
import type { QueueFilterParams, QueueSortParams, QueueSource } from "#protocol/review";
import type { ServerClient } from "../client/server-client";
import type { LabelService } from "../labels/label-service";
import type { MonitorService } from "../monitors/monitor-service";
import { annotatorName } from "../platform/config";
import { Owner } from "../platform/dispose";
import { ExpectedFailure } from "../platform/errors";

const stateKey = "tracemark.queue";
const rootKey = "tracemark.queueRoot";
/** Labels, runs and files change in bursts; the trees follow after this pause. */
const settleMs = 150;

/** How the queue is looked at; remembered for the workspace. */
export interface QueueLook {
  readonly filter: QueueFilterParams;
  readonly sorting: QueueSortParams;
  readonly groupBy?: QueueFacet | undefined;
  readonly runId?: string | undefined;
}

const plainLook: QueueLook = { filter: {}, sorting: { by: "suspicion" }, groupBy: "state" };

/** An open session as far as the trees and the status bar show it. */
export interface OpenSession {
  readonly isBlind: boolean;
  /** The item in hand is judged blind, be it in a queue that shows what monitors say. */
  readonly isHiding: boolean;
  /** The items as the person may see them. */
  readonly rows: readonly SessionRow[];
  show(index: number): Thenable<void>;
}

export interface SessionRow {
  readonly index: number;
  readonly name: string;
  readonly state: string;
  readonly isCurrent: boolean;
}

export class ReviewService extends Owner {
  private readonly changeEmitter = this.register(new vscode.EventEmitter<void>());
  private readonly blindEmitter = this.register(new vscode.EventEmitter<boolean>());
  /** Rows, counts or the way of looking at them changed. */
  readonly onDidChange = this.changeEmitter.event;
  /** A blind queue was opened (true), or the last one closed. */
  readonly onDidChangeBlind = this.blindEmitter.event;
  private readonly sessions = new Set<OpenSession>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private current: QueueLook;
  private chosenRoot: string | undefined;

  constructor(private readonly memento: vscode.Memento, private readonly client: ServerClient, labels: LabelService, monitors: MonitorService, private readonly activeRoot: () => string | undefined) {
    super();
    this.current = { ...plainLook, ...memento.get<QueueLook>(stateKey) };
    this.chosenRoot = memento.get<string>(rootKey);
    this.register(vscode.workspace.onDidChangeWorkspaceFolders(() => this.changed()));
    this.changed();
    this.register(labels.onDidChange(() => this.changed()));
    this.register(monitors.onDidChangeVerdicts(() => this.changed()));
    this.register(monitors.onDidChange(() => this.changed()));
    this.register(client.onDidChangeDown((down) => !down && this.changed()));
    const plans = this.register(vscode.workspace.createFileSystemWatcher("**/plans/*.jsonl"));
    for (const event of [plans.onDidChange, plans.onDidCreate, plans.onDidDelete]) this.register(event(() => this.changed()));
    this.register(vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("tracemark.labelling") && this.changed()));
    this.register(new vscode.Disposable(() => clearTimeout(this.timer)));
  }

  changed(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      void vscode.commands.executeCommand("setContext", "tracemark.manyRoots", this.roots.length > 1);
      this.changeEmitter.fire();
    }, settleMs);
  }

  /** The roots that the trees can show: the folders of the workspace and, where they lie deeper, that of the active trajectory and the one chosen. */
  get roots(): readonly string[] {
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath);
    const chosen = folders.some((folder) => this.chosenRoot?.startsWith(folder + sep)) ? this.chosenRoot : undefined;
    return [...new Set([...folders, ...[chosen, this.activeRoot()].filter((root) => root !== undefined)])];
  }

  /** The root that the trees show: the one chosen, as long as it is open, else the first. */
  get root(): string | undefined {
    const { roots } = this;
    return this.chosenRoot !== undefined && roots.includes(this.chosenRoot) ? this.chosenRoot : roots[0];
  }

  /** What a root is called, told apart by its path where two folders share a name. */
  nameOf(root: string): string {
    const named = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.fsPath === root)?.name ?? basename(root);
    return this.roots.some((other) => other !== root && basename(other) === basename(root)) ? `${named} (${root})` : named;
  }

  get rootName(): string {
    return this.root === undefined ? "" : this.nameOf(this.root);
  }

  /** Shows another root in the trees; what the queue was filtered by belonged to the one before. */
  async chooseRoot(root: string): Promise<void> {
    this.chosenRoot = root;
    await this.memento.update(rootKey, root);
    await this.setLook({ filter: {}, runId: undefined });
  }

  /** @throws ExpectedFailure when no folder is open */
  needRoot(): string {
    const { root } = this;
    if (root === undefined) throw new ExpectedFailure(vscode.l10n.t("Open a folder with samples first."));
    return root;
  }

  get look(): QueueLook {
    return this.current;
  }

  async setLook(change: Partial<QueueLook>): Promise<void> {
    this.current = { ...this.current, ...change };
    // A list of samples is for now: it may be long, and what it was made from changes.
    const { ids: _ids, idsTitle: _title, ...filter } = this.current.filter;
    await this.memento.update(stateKey, { ...this.current, filter });
    this.changeEmitter.fire();
  }

  /** What the rows are made of. */
  source(root = this.needRoot()): QueueSource {
    const { runId } = this.current;
    return { root, annotator: annotatorName() ?? "", ...(runId === undefined ? {} : { runId }) };
  }

  request<M extends RequestMethod>(method: M, params: RequestParams<M>): Promise<RequestResult<M>> {
    return this.client.request(method, params);
  }

  get isBlindOpen(): boolean {
    return [...this.sessions].some(({ isBlind }) => isBlind);
  }

  get openSessions(): readonly OpenSession[] {
    return [...this.sessions];
  }

  /** Tells of a session until the result is disposed. */
  addSession(session: OpenSession): vscode.Disposable {
    this.sessions.add(session);
    this.sessionsChanged();
    return new vscode.Disposable(() => {
      this.sessions.delete(session);
      this.sessionsChanged();
    });
  }

  private sessionsChanged(): void {
    void vscode.commands.executeCommand("setContext", "tracemark.blindOpen", this.isBlindOpen);
    this.blindEmitter.fire(this.isBlindOpen);
    this.changeEmitter.fire();
  }

  /** @throws ExpectedFailure while a blind queue is open: `what` would tell what it withholds */
  refuseWhileBlind(what: string): void {
    if (this.isBlindOpen) throw new ExpectedFailure(vscode.l10n.t("{0} stays hidden while a blind review is open, so that nothing tells. Close the review first.", what));
  }
}
