/** One webview panel on a document: its messages in, its messages out, and the trajectory it shows. */
import * as vscode from "vscode";
import { FromWebview, viewRequests, type Snapshot, type ToWebview, type ViewCommand } from "#protocol/webview";
import { ServerDown, type ServerClient } from "../client/server-client";
import { seenOf } from "../labels/label-service";
import type { MonitorService } from "../monitors/monitor-service";
import { annotatorName, viewSettings } from "../platform/config";
import { Owner } from "../platform/dispose";
import { ExpectedFailure, messageOf, reportError } from "../platform/errors";
import { SampleClock } from "../review/sample-clock";
import type { ReviewService } from "../review/review-service";
import type { SightLog } from "../review/sight-log";
import { withholdPlaces } from "../review/withhold";
import type { TrajectoryDocument } from "./document";
import { webviewHtml, webviewOptions } from "./html";
import type { SampleState } from "./sample-state";
import { ViewActions } from "./view-actions";

export interface ViewServices {
  readonly log: vscode.LogOutputChannel;
  readonly extensionUri: vscode.Uri;
  readonly monitors: MonitorService;
  readonly sight: SightLog;
  readonly review: Pick<ReviewService, "isBlindOpen" | "onDidChangeBlind" | "changed">;
}

/** UTF-16 units of a part that are sent with its step; the rest of a longer one is sent when it is unfolded. */
const longestPart = 200_000;

export class TrajectoryView extends Owner {
  index = 0;
  private ready = false;
  private hasStarted = false;
  /** Whether what is drawn is withheld of. */
  private drawnHidden = false;
  /** Focused time of what is drawn. */
  readonly clock = new SampleClock(() => performance.now());
  /** Whether the page shows a trajectory, which then stays there while the server is down. */
  private hasDrawn = false;
  /** What the page said last of its focus. It is said once; whether the panel is active may be known before or after. */
  private pageTakesKeys = false;
  private readonly focusEmitter = this.register(new vscode.EventEmitter<boolean>());
  private readonly activeEmitter = this.register(new vscode.EventEmitter<void>());
  private readonly disposeEmitter = new vscode.EventEmitter<void>();
  readonly onDidChangeFocus = this.focusEmitter.event;
  readonly onDidChangeActive = this.activeEmitter.event;
  private readonly drawEmitter = this.register(new vscode.EventEmitter<void>());
  /** Another trajectory, or the same anew, is on the page. */
  readonly onDidDraw = this.drawEmitter.event;
  readonly onDidDispose = this.disposeEmitter.event;
  private readonly actions: ViewActions;

  constructor(
    readonly document: TrajectoryDocument,
    private readonly panel: vscode.WebviewPanel,
    readonly client: ServerClient,
    readonly services: ViewServices,
    readonly clean: () => Promise<void>,
  ) {
    super();
    this.actions = new ViewActions(this);
    panel.webview.options = webviewOptions(services.extensionUri);
    this.register(panel.webview.onDidReceiveMessage((message: unknown) => void this.receive(message)));
    this.register(panel.onDidChangeViewState(() => {
      this.activeEmitter.fire();
      this.reportFocus();
      this.tellClock();
    }));
    panel.onDidDispose(() => this.dispose());
    this.register(document.onDidChangeLabel(({ index, announce, reveal }) => this.inBackground(this.labelChanged(index, announce, reveal))));
    this.register(document.onDidReload(() => void this.sendSnapshot()));
    // What stands beside a blind review is drawn anew without what tells, and with it once the review is closed.
    this.register(services.review.onDidChangeBlind(() => {
      const sample = document.loadedSample(this.index);
      if ((sample ? document.isHidden(sample) : services.review.isBlindOpen) !== this.drawnHidden) void this.sendSnapshot();
    }));
    this.register(vscode.window.onDidChangeWindowState(() => this.tellClock()));
    this.register(client.onDidChangeDown((down) => {
      if (down) void this.sendSettings();
      else void this.sendSnapshot();
    }));
    this.register(services.monitors.onDidChange(() => this.inBackground(this.sendMonitors())));
    this.register(services.monitors.onDidChangeVerdicts((root) => {
      if (root === document.ref.root) this.inBackground(this.sendVerdicts());
    }));
    this.register(vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("tracemark")) void this.sendSettings();
    }));
    this.register(vscode.workspace.onDidGrantWorkspaceTrust(() => void this.sendSnapshot()));
    panel.webview.html = webviewHtml(panel.webview, services.extensionUri, "trajectory", vscode.l10n.t("Reading {0}…", document.title));
  }

  private tellClock(): void {
    this.clock.setFocused(this.panel.active && vscode.window.state.focused);
  }

  private reportFocus(): void {
    this.focusEmitter.fire(this.panel.active && this.pageTakesKeys);
  }

  get isActive(): boolean {
    return this.panel.active;
  }

  /** What nobody waits for must not fail unheard. */
  private inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => this.services.log.warn(`${this.document.fileName}: ${messageOf(error)}`));
  }

  /** Posts a message; a hidden view receives nothing, and asks for a snapshot when it is back. */
  async post(message: ToWebview): Promise<void> {
    if (!this.ready || this.isDisposed) return;
    if (!(await this.panel.webview.postMessage(message))) this.ready = false;
  }

  command(command: ViewCommand): void {
    void this.post({ type: "view/command", command });
  }

  private async receive(message: unknown): Promise<void> {
    const parsed = FromWebview.safeParse(message);
    if (!parsed.success) {
      const tag = (message as { type?: unknown } | null)?.type;
      this.services.log.warn(`message ${String(tag)} does not fit the protocol: ${parsed.error.message}`);
      await this.post({ type: "error/raised", message: `message ${String(tag)} does not fit the protocol` });
      return;
    }
    try {
      await this.handle(parsed.data);
    } catch (error) {
      reportError(this.services.log, error, parsed.data.type);
      await this.post({ type: "error/raised", message: messageOf(error) });
    }
  }

  private async handle(message: FromWebview): Promise<void> {
    switch (message.type) {
      case "view/ready":
        this.ready = true;
        this.hasDrawn = false;
        await this.post({ type: "doc/loading", fileName: this.document.title });
        return this.sendSnapshot();
      case "view/snapshotWanted":
        return this.sendSnapshot();
      case "request":
        return this.answer(message.id, message.method, message.params);
      case "view/focus":
        this.pageTakesKeys = message.keysActive;
        return this.reportFocus();
      case "sample/select":
        return this.select(message.index);
      case "error/raised":
        return this.services.log.error(`view: ${message.message}`);
      default:
        return this.actions.handle(message);
    }
  }

  private async answer(id: number, method: keyof typeof viewRequests, params: unknown): Promise<void> {
    try {
      const parsed = viewRequests[method].params.safeParse(params);
      if (!parsed.success) throw new Error(`${method}: ${parsed.error.message}`);
      const result = method === "steps/read" ? await this.readSteps(parsed.data as never) : method === "part/read" ? await this.readPart(parsed.data as never) : method === "image/read" ? await this.readImage(parsed.data as never) : method === "find/run" ? await this.find(parsed.data as never) : await this.readGuidelines();
      await this.post({ type: "reply", id, ok: true, result });
    } catch (error) {
      await this.post({ type: "reply", id, ok: false, error: messageOf(error) });
    }
  }

  private async readSteps({ index, from, to }: { index: number; from: number; to: number }): Promise<unknown> {
    const { steps } = await this.client.request("tracemark/steps", { ...(await this.document.window(index)), from, to, longest: longestPart });
    const sample = this.document.loadedSample(index);
    sample?.remember(steps);
    return { steps: sample && this.document.isHidden(sample) ? withholdPlaces(steps) : steps };
  }

  private async readPart({ index, ...stretch }: { index: number; step: number; part: number; from: number; to: number }): Promise<unknown> {
    return this.client.request("tracemark/part", { ...(await this.document.target(index)), ...stretch });
  }

  private async readImage({ index, step, extra }: { index: number; step: number; extra: number }): Promise<unknown> {
    return this.client.request("tracemark/image", { ...(await this.document.target(index)), step, extra });
  }

  private async find({ index, query, caseSensitive }: { index: number; query: string; caseSensitive: boolean }): Promise<unknown> {
    return this.client.request("tracemark/find", { ...(await this.document.target(index)), query, caseSensitive, limit: 5000 });
  }

  private async readGuidelines(): Promise<unknown> {
    const guidelines = await this.document.labels.guidelinesOf(this.document.ref.root);
    return guidelines ? { file: guidelines.file, markdown: guidelines.text } : {};
  }

  async select(index: number): Promise<void> {
    if (!this.document.opened?.items[index]) return;
    this.index = index;
    await this.sendSnapshot();
  }

  /** The sample id of the trajectory that this view shows, once it was read. */
  get judgedId(): string | undefined {
    return this.document.loadedSample(this.index)?.id;
  }

  /** The state of the trajectory that this view shows. */
  current(): Promise<SampleState> {
    return this.document.sample(this.index);
  }

  async sendSnapshot(): Promise<void> {
    if (!this.ready) return;
    try {
      const snapshot = await this.snapshot();
      await this.post({ type: "doc/snapshot", snapshot });
      this.hasDrawn = true;
      this.clock.show(this.index);
      this.tellClock();
      this.document.drawn(this.index);
      this.drawEmitter.fire();
    } catch (error) {
      this.services.log.warn(`${this.document.fileName}: ${messageOf(error)}`);
      if (error instanceof ServerDown && this.hasDrawn) return this.sendSettings();
      this.hasDrawn = false;
      await this.post({
        type: "doc/failed", fileName: this.document.fileName, message: messageOf(error),
        remedy: error instanceof ServerDown ? vscode.l10n.t("The command Tracemark: Restart the language server starts it again.") : error instanceof ExpectedFailure ? vscode.l10n.t("The file itself was not changed.") : vscode.l10n.t("The log has the details (Tracemark: Show the log)."),
      });
    }
  }

  private async snapshot(): Promise<Snapshot> {
    const { document, client } = this;
    const opened = await document.open();
    if (!this.hasStarted) {
      this.hasStarted = true;
      this.index = await document.firstIndex();
    }
    const index = Math.min(this.index, Math.max(0, opened.items.length - 1));
    this.index = index;
    const item = opened.items[index];
    const sample = item && !item.problem ? await document.sample(index) : undefined;
    const [outline, monitors, verdicts] = await Promise.all([
      sample ? document.window(index).then((target) => client.request("tracemark/outline", target)).then((answer) => answer.outline) : [],
      this.services.monitors.list(document.ref),
      sample ? this.readVerdicts(sample) : [],
    ]);
    if (sample) sample.verdicts = verdicts;
    if (sample && document.ref.root !== undefined && !document.isHidden(sample)) this.services.sight.note(document.ref.root, sample.id, seenOf(sample));
    const labelled = await document.labelled();
    const { hasOthers: _, ...facts } = sample ? await document.labelFacts(sample) : { hasOthers: false };
    if (sample) await this.noteGold(sample);
    const [progress, session, fields, guidelines] = await Promise.all([
      document.progress(), document.session(index), document.labels.fields(document.ref), document.labels.guidelinesOf(document.ref.root),
    ]);
    const snapshot: Snapshot = {
      fileName: document.fileName, format: opened.format, formatTitle: opened.formatTitle,
      items: opened.items, index, ...(sample ? { header: sample.header } : {}), outline,
      fileWarnings: opened.warnings,
      revision: sample?.revision ?? 0, label: sample?.state ?? { label: null, categories: [], note: "", spans: [] },
      status: sample?.status ?? { state: "pending" }, ...(annotatorName() ? { annotator: annotatorName() } : {}),
      labelled,
      monitors: [...monitors], monitorId: this.services.monitors.selected,
      verdicts: [...(sample?.verdicts ?? [])], blind: false,
      taxonomy: [...(await document.labels.taxonomy(document.ref))],
      settings: viewSettings(), serverDown: client.isDown, trusted: vscode.workspace.isTrusted,
      ...(progress ? { progress } : {}), ...(session ? { session } : {}), ...(fields.length > 0 ? { fields } : {}), hasGuidelines: guidelines !== undefined, ...facts,
    };
    this.drawnHidden = sample ? document.isHidden(sample) : this.services.review.isBlindOpen;
    return document.present(snapshot, sample);
  }

  /** The verdicts on a sample; none while they are withheld. */
  private async readVerdicts(sample: SampleState): Promise<SampleState["verdicts"]> {
    if (this.document.isHidden(sample)) return [];
    return (await this.client.request("tracemark/verdicts", await this.document.window(sample.index))).verdicts;
  }

  async sendVerdicts(): Promise<void> {
    const sample = this.document.loadedSample(this.index);
    if (!sample || !this.ready || this.document.isHidden(sample)) return;
    sample.verdicts = await this.readVerdicts(sample);
    await this.post({ type: "verdicts/changed", sampleId: sample.shownId, verdicts: [...sample.verdicts] });
  }

  private async sendMonitors(): Promise<void> {
    const sample = this.document.loadedSample(this.index);
    if (!this.ready || (sample && this.document.isHidden(sample))) return;
    await this.post({ type: "monitors/changed", monitors: [...(await this.services.monitors.list(this.document.ref))], monitorId: this.services.monitors.selected });
  }

  private async sendSettings(): Promise<void> {
    const annotator = annotatorName();
    await this.post({ type: "settings/changed", settings: viewSettings(), serverDown: this.client.isDown, trusted: vscode.workspace.isTrusted, ...(annotator ? { annotator } : {}) });
  }

  private async labelChanged(index: number, announce?: string, reveal?: boolean): Promise<void> {
    if (index !== this.index) {
      if (reveal && this.isActive) await this.select(index);
      else await this.sendLabelled();
      return;
    }
    const sample = this.document.loadedSample(index);
    if (!sample) return;
    await this.sendLabel(sample, announce);
    // Others' labels that arrive while the person stays on the sample are before their eyes now.
    if (announce === undefined) await this.noteGold(sample);
  }

  async sendLabel(sample: SampleState, announce?: string): Promise<void> {
    const labelled = await this.document.labelled();
    const { hasOthers: _, ...facts } = await this.document.labelFacts(sample);
    const [progress, session] = await Promise.all([this.document.progress(), this.document.session(sample.index)]);
    await this.post({
      type: "label/changed", sampleId: sample.shownId, revision: sample.revision, label: sample.state, status: sample.status,
      ...(announce ? { announce } : {}), labelled, ...(progress ? { progress } : {}), ...(session ? { session } : {}), ...facts,
    });
  }

  /** The person has what others say of the sample before their eyes: what they say from now on owns up to it. */
  async noteGold(sample: SampleState): Promise<void> {
    if (!(await this.document.labelFacts(sample)).hasOthers) return;
    sample.sawGold = true;
    if (this.document.ref.root !== undefined) this.services.sight.note(this.document.ref.root, sample.id, ["gold"]);
  }

  /** Only the list beside the transcript changed. */
  private async sendLabelled(): Promise<void> {
    const sample = this.document.loadedSample(this.index);
    if (sample) await this.sendLabel(sample);
  }

  override dispose(): void {
    if (this.isDisposed) return;
    super.dispose();
    this.disposeEmitter.fire();
    this.disposeEmitter.dispose();
  }
}
