/** VS Code's custom document over one log: the trajectories in it, and the label state of those that were looked at. The log is never changed. */
import * as vscode from "vscode";
import type { Op } from "#core/labels/state";
import type { LabelRecord } from "#core/workspace/schemas";
import type { Decision, Snapshot } from "#protocol/webview";
import type { DocumentRef, RequestResult, TrajectoryHeader } from "#protocol/lsp";
import { Owner } from "../platform/dispose";
import { ExpectedFailure, messageOf } from "../platform/errors";
import { carriedOps, offerCarry } from "../labels/carry-offer";
import { hasNewFacts, labelFacts, type LabelFacts } from "../labels/label-facts";
import type { DecidedOn, LabelService, WriteFrame } from "../labels/label-service";
import type { ServerClient } from "../client/server-client";
import { withholdBeside } from "../review/withhold";
import { followDraft } from "./follow-draft";
import { restoreFrom, type Backup } from "./backup";
import { SampleState, type DocumentEdit } from "./sample-state";

export type Opened = RequestResult<"tracemark/open">;

export interface LabelChange {
  readonly index: number;
  /** A sentence for `aria-live`, when there is something to say. */
  readonly announce?: string;
  /** Undo and redo reveal the sample that they change. */
  readonly reveal?: boolean;
}

/** Which trajectory of which file the server is asked for. */
export interface Target {
  readonly document: DocumentRef;
  readonly index: number;
}

export class TrajectoryDocument extends Owner implements vscode.CustomDocument {
  opened: Opened | undefined;
  private opening: Promise<Opened> | undefined;
  private readonly samples = new Map<number, Promise<SampleState>>();
  protected readonly loaded = new Map<number, SampleState>();
  private lastWrite: Promise<unknown> = Promise.resolve();
  private lastSave: Promise<unknown> = Promise.resolve();
  protected readonly labelEmitter = this.register(new vscode.EventEmitter<LabelChange>());
  private readonly editEmitter = this.register(new vscode.EventEmitter<DocumentEdit>());
  private readonly reloadEmitter = this.register(new vscode.EventEmitter<void>());
  private readonly fileEmitter = this.register(new vscode.EventEmitter<string>());
  private readonly disposeEmitter = new vscode.EventEmitter<void>();
  readonly onDidChangeLabel = this.labelEmitter.event;
  readonly onDidEdit = this.editEmitter.event;
  readonly onDidReload = this.reloadEmitter.event;
  /** A trajectory was read out of a file of its own: its path, relative to the document's folder. */
  readonly onDidReadFile = this.fileEmitter.event;
  readonly onDidDispose = this.disposeEmitter.event;
  backup: Backup | undefined;
  /** Whether somebody judges blind just now: then an editor beside the review does not tell either. */
  isBlindOpen = (): boolean => false;

  constructor(
    readonly uri: vscode.Uri,
    public ref: DocumentRef,
    protected readonly client: ServerClient,
    readonly labels: LabelService,
  ) {
    super();
    this.register(labels.onDidChange((root) => {
      if (root === this.ref.root) void this.takeOverForeignLabels();
    }));
  }

  get fileName(): string {
    return this.uri.path.slice(this.uri.path.lastIndexOf("/") + 1);
  }

  /** What views call it before anything was read. */
  get title(): string {
    return this.fileName;
  }

  /** Opens the file in the server; cached until `reload`. */
  open(): Promise<Opened> {
    this.opening ??= this.readItems().then(
      (opened) => (this.opened = opened),
      (error: unknown) => { this.opening = undefined; throw error; },
    );
    return this.opening;
  }

  protected readItems(): Promise<Opened> {
    return this.client.request("tracemark/open", this.ref);
  }

  /** Where trajectory `index` of this document stands. */
  target(index: number): Promise<Target> {
    return Promise.resolve({ document: this.ref, index });
  }

  /** The same, to draw from: the first steps of a long file will do until all of it has been read. */
  window = async (index: number): Promise<Target & { beginning?: boolean }> => ({ ...(await this.target(index)), beginning: true });

  /** Whether verdicts, the original label and names are withheld for this trajectory just now. */
  isHidden(_sample: SampleState): boolean {
    return this.isBlindOpen();
  }

  /** Takes out of a snapshot what the person may not see, and puts in what only this kind of document has. */
  present(snapshot: Snapshot, _sample: SampleState | undefined): Promise<Snapshot> {
    return Promise.resolve(this.isBlindOpen() ? withholdBeside(snapshot) : snapshot);
  }

  /** This annotator's standing label of each item that has one. */
  async labelled(): Promise<Snapshot["labelled"]> {
    const all = await this.labels.labelled(this.ref, this.opened?.items ?? []);
    return all.filter(({ index }) => this.loaded.get(index)?.isStale !== true);
  }

  /** How many items are decided, where that is not simply the number of `labelled`. */
  progress(): Promise<Snapshot["progress"]> {
    return Promise.resolve(undefined);
  }

  /** The trajectory to judge after `index`; undefined when every one has a label. */
  async nextUndecided(index: number): Promise<number | undefined> {
    const items = this.opened?.items ?? [];
    const labelled = new Set((await this.labelled()).filter((entry) => entry.label !== null).map((entry) => entry.index));
    const order = [...items.slice(index + 1), ...items.slice(0, index)];
    return order.find((item) => !labelled.has(item.index) && !item.problem)?.index;
  }

  /** Which item is shown at first. */
  firstIndex(): Promise<number> {
    return Promise.resolve(0);
  }

  /** Where one is in a review session; undefined outside of one. */
  session(_index: number): Promise<Snapshot["session"]> {
    return Promise.resolve(undefined);
  }

  /** Shows what a blind session withholds of an item. */
  reveal(_sample: SampleState): Promise<void> {
    return Promise.reject(new ExpectedFailure(vscode.l10n.t("Nothing is withheld here.")));
  }

  /** Passes an item of a session over. */
  skip(_sample: SampleState): Promise<void> {
    return Promise.reject(new ExpectedFailure(vscode.l10n.t("Only a review has items to skip.")));
  }

  /** Sides with one of those who disagree. `decided`: how long it took and by which run. */
  sideWith(_sample: SampleState, _letter: string, _decided: DecidedOn): Promise<boolean> {
    return Promise.reject(new ExpectedFailure(vscode.l10n.t("Nobody disagrees here.")));
  }

  /** The sentence of the guidelines that decides. */
  quoteGuideline(_sample: SampleState, _quote: string): Promise<void> {
    return Promise.reject(new ExpectedFailure(vscode.l10n.t("Only an adjudication notes a sentence of the guidelines.")));
  }

  protected pushEdit(edit: DocumentEdit): void {
    this.editEmitter.fire(edit);
  }

  /** What is said when there is no next one. */
  whenAllDecided(): Promise<void> {
    if ((this.opened?.items.length ?? 0) > 1) void vscode.window.setStatusBarMessage(vscode.l10n.t("Every trajectory of this file has a label"), 5000);
    return Promise.resolve();
  }

  /** Whether this person may see what others say: once they have decided themselves. */
  protected showsOthers({ standing, isStale }: SampleState): boolean {
    return standing !== undefined && standing.label !== null && !isStale;
  }

  labelFacts(sample: SampleState): Promise<LabelFacts> {
    return labelFacts(this.labels, this.ref.root, sample, this.isHidden(sample), this.showsOthers(sample));
  }

  /** A view has drawn this trajectory. */
  drawn(_index: number): void {}

  /** What every record of this document says beside the label itself. */
  protected frameOf(_sample: SampleState): Partial<WriteFrame> | Promise<Partial<WriteFrame>> {
    return {};
  }

  /** Whether a record just written is what this document shows as the label. */
  protected standsHere(record: LabelRecord): boolean {
    return record.retracted !== true;
  }

  /** The record that a sample's label stands in. */
  protected standingOf(sample: SampleState): Promise<LabelRecord | undefined> {
    return this.labels.standing(this.ref, sample.id);
  }

  protected newSample(index: number, header: TrajectoryHeader): SampleState {
    return new SampleState(index, header);
  }

  /** The file changed on disk: everything read from it is read again; drafts stay. */
  async reload(): Promise<void> {
    this.opening = undefined;
    for (const [index, sample] of this.loaded) {
      if (sample.hasDraft) await followDraft(this.client, await this.target(index), sample).catch(() => undefined);
      else { this.samples.delete(index); this.loaded.delete(index); }
    }
    this.reloadEmitter.fire();
  }

  /** Reads the file with the reader of this id from now on; undefined goes back to the one that fits its content. */
  async chooseFormat(format: string | undefined): Promise<void> {
    const { format: _before, ...rest } = this.ref;
    this.ref = format === undefined ? rest : { ...rest, format };
    await this.reload();
  }

  /** The state of trajectory `index`, read from server and label store when asked for the first time. */
  sample(index: number): Promise<SampleState> {
    let sample = this.samples.get(index);
    if (!sample) {
      sample = this.readSample(index);
      sample.catch(() => this.samples.delete(index));
      this.samples.set(index, sample);
    }
    return sample;
  }

  /** The state if it was read already. */
  loadedSample(index: number): SampleState | undefined {
    return this.loaded.get(index);
  }

  private async readSample(index: number): Promise<SampleState> {
    let header: TrajectoryHeader = await this.client.request("tracemark/header", await this.window(index));
    // A label, or the draft of one, may speak of steps that a beginning does not hold.
    if (header.isCut && (this.backup || (await this.standingOf(this.newSample(index, header))))) header = await this.client.request("tracemark/header", await this.target(index));
    if (header.sample?.path) this.fileEmitter.fire(header.sample.path);
    const sample = this.newSample(index, header);
    await this.readLabel(sample);
    if (this.backup) await restoreFrom(this.backup, sample);
    this.loaded.set(index, sample);
    return sample;
  }

  /** Sets `sample` to this annotator's standing record; what the person did while it was read is left alone unless `isForced`. */
  private async readLabel(sample: SampleState, isForced = false): Promise<void> {
    const { revision } = sample;
    const standing = await this.standingOf(sample);
    const steps = [...new Set((standing?.spans ?? []).map((span) => span.step))];
    for (const step of steps) await this.ensureStep(sample, step);
    const { state, orphans } = this.labels.readState(standing, (step) => sample.step(step));
    if (!isForced && (sample.revision !== revision || sample.status.state === "saving")) return;
    sample.reset(state, standing, orphans);
    // Without the offer the label is still told to be of another version.
    await offerCarry(this.client, await this.target(sample.index), sample).catch(() => undefined);
    hasNewFacts(sample, await this.labelFacts(sample));
  }

  /** What is on disk is said to be saved first: an undo may have gone back to a label of another version. */
  private async offerLater(sample: SampleState): Promise<void> {
    await offerCarry(this.client, await this.target(sample.index), sample).catch(() => undefined);
    this.labelEmitter.fire({ index: sample.index });
  }

  /** Carries a label made on another version of the log over to this one, but for its decision. */
  carryOver(sample: SampleState, annotator: string): Promise<boolean> {
    const { ops, orphans } = carriedOps(sample);
    return this.decideAll(sample, ops, vscode.l10n.t("carry spans over"), { annotator, action: "relabel", orphans });
  }

  protected async ensureStep(sample: SampleState, step: number): Promise<void> {
    if (sample.step(step)) return;
    const { steps } = await this.client.request("tracemark/steps", { ...(await this.target(sample.index)), from: step, to: step + 1 });
    sample.remember(steps);
  }

  /** Another writer's records arrived: samples without a draft follow the disk, drafts stay. */
  private async takeOverForeignLabels(): Promise<void> {
    for (const sample of this.loaded.values()) {
      if (sample.hasDraft || sample.status.state === "saving") continue;
      const standing = await this.standingOf(sample);
      const isSame = standing?.id === sample.standing?.id;
      if (isSame && !hasNewFacts(sample, await this.labelFacts(sample))) continue;
      if (!isSame) await this.readLabel(sample);
      this.labelEmitter.fire({ index: sample.index });
    }
  }

  /** Applies an op of the annotator and puts it on the undo stack. */
  edit(sample: SampleState, op: Op, label: string): void {
    let inverse = sample.apply(op);
    const step = async (next: Op, announce: string): Promise<Op> => {
      const back = sample.apply(next);
      this.labelEmitter.fire({ index: sample.index, announce, reveal: true });
      return back;
    };
    let forward = op;
    this.editEmitter.fire({
      label,
      undo: async () => { forward = await step(inverse, vscode.l10n.t("Undone: {0}", label)); },
      redo: async () => { inverse = await step(forward, vscode.l10n.t("Redone: {0}", label)); },
    });
    this.labelEmitter.fire({ index: sample.index });
  }

  /**
   * A decision: applied, written, flushed, then said to be saved. Its undo writes a record with the former state, or a
   * retraction where there was none. Resolves to whether the label is on disk; a failure stays in view as failed.
   */
  decide(sample: SampleState, decision: Decision, op: Op & { type: "label/set" }, extra: Omit<WriteFrame, "action">): Promise<boolean> {
    return this.decideAll(sample, [op], vscode.l10n.t("label {0}", op.label ?? ""), { ...extra, action: decision === "confirm" ? "confirm" : "decide" });
  }

  /** The same for a decision of several ops, which are undone together. */
  protected decideAll(sample: SampleState, ops: readonly Op[], name: string, frame: WriteFrame): Promise<boolean> {
    const before = sample.standing;
    const savedBefore = JSON.stringify(sample.saved);
    const apply = (list: readonly Op[]): Op[] => list.map((op) => sample.apply(op)).reverse();
    let inverse = apply(ops);
    this.editEmitter.fire({
      label: name,
      undo: async () => {
        await this.labels.refresh(this.ref);
        if (sample.isOthers(before, await this.standingOf(sample))) return void vscode.window.showWarningMessage(vscode.l10n.t("Not undone: the label was changed elsewhere since."));
        apply(inverse);
        const isWhole = JSON.stringify(sample.state) === savedBefore;
        await this.write(sample, { action: "relabel", annotator: frame.annotator, ...(before ? { goesBackTo: { record: before, isWhole } } : {}) });
        this.labelEmitter.fire({ index: sample.index, announce: vscode.l10n.t("Undone: {0}", name), reveal: true });
      },
      redo: async () => {
        inverse = apply(ops);
        await this.write(sample, frame);
        this.labelEmitter.fire({ index: sample.index, announce: vscode.l10n.t("Redone: {0}", name), reveal: true });
      },
    });
    return this.write(sample, frame);
  }

  /** Writes the state of a sample as a record; false and `failed` when it could not be written. Writes of a document follow each other. */
  write(sample: SampleState, extra: WriteFrame): Promise<boolean> {
    sample.status = { state: "saving" };
    this.labelEmitter.fire({ index: sample.index });
    const done = this.lastWrite.then(() => this.writeNow(sample, extra));
    this.lastWrite = done.catch(() => undefined);
    return done;
  }

  private async writeNow(sample: SampleState, extra: WriteFrame): Promise<boolean> {
    const written = sample.state;
    let frame = extra;
    try {
      frame = { ...(await this.frameOf(sample)), ...extra };
      // A record names the whole content that it judges, not the beginning that was drawn first.
      if (sample.header.isCut) sample.header = await this.client.request("tracemark/header", await this.target(sample.index));
      for (const { step } of sample.state.spans) await this.ensureStep(sample, step);
      const record = await this.labels.write(this.ref, sample, frame);
      const stands = this.standsHere(record);
      sample.wrote(record.id, written);
      sample.standing = stands ? record : undefined;
      sample.status = sample.hasDraft ? { state: "draft" } : stands && !sample.isStale ? { state: "saved", at: record.created_at } : { state: "pending" };
      sample.orphans = stands ? (record.orphaned_spans ?? []) : [];
      this.labelEmitter.fire({ index: sample.index, announce: stands ? vscode.l10n.t("Saved") : vscode.l10n.t("Label taken back, saved") });
      if (sample.isStale) void this.offerLater(sample);
      return true;
    } catch (error) {
      sample.couldNotWrite(this.labels.draftRecord(this.ref, sample, frame), extra);
      sample.status = { state: "failed", message: messageOf(error) };
      this.labelEmitter.fire({ index: sample.index, announce: vscode.l10n.t("Not saved: {0}", messageOf(error)) });
      return false;
    }
  }

  /**
   * Saves every draft (Ctrl+S, auto save); one that is just being written is not written twice.
   * @throws ExpectedFailure naming what could not be written
   */
  save(): Promise<void> {
    const done = this.lastSave.then(() => this.saveDrafts());
    this.lastSave = done.catch(() => undefined);
    return done;
  }

  private async saveDrafts(): Promise<void> {
    await this.lastWrite;
    const drafts = this.draftSamples();
    if (drafts.length === 0) return;
    const annotator = await this.labels.annotator(this.ref);
    if (!annotator) throw new ExpectedFailure(vscode.l10n.t("The draft is not saved: no annotator name was given."));
    for (const sample of drafts) {
      if (!(await this.write(sample, { ...sample.failedFrame, annotator }))) throw new ExpectedFailure(vscode.l10n.t("The label was not saved: {0}", sample.status.message ?? ""));
    }
  }

  /** Back to what is on disk. */
  async revert(): Promise<void> {
    await this.labels.refresh(this.ref);
    for (const sample of this.loaded.values()) {
      await this.readLabel(sample, true);
      this.labelEmitter.fire({ index: sample.index, announce: vscode.l10n.t("Reverted to what is saved") });
    }
  }

  draftSamples(): SampleState[] {
    return [...this.loaded.values()].filter((sample) => sample.hasDraft);
  }

  override dispose(): void {
    this.disposeEmitter.fire();
    this.disposeEmitter.dispose();
    super.dispose();
  }
}
