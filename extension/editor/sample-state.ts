/** What an open document knows of one of its trajectories: header, the text of drawn steps, and the label being made. */
import { applyOp, emptyLabelState, type LabelState, type Op } from "#core/labels/state";
import type { Step } from "#core/trajectory/model";
import type { CarriedLabel } from "#core/labels/carry-over";
import type { WriteFrame } from "../labels/label-service";
import { isStale } from "#core/labels/standing";
import type { LabelRecord, Span } from "#core/workspace/schemas";
import type { LocatedVerdict, TrajectoryHeader, WireStep } from "#protocol/lsp";
import type { SaveStatus } from "#protocol/webview";

/** Steps kept beside those that hold spans; the view asks again for what was dropped. */
const keptSteps = 400;

/** An edit for VS Code's undo stack. */
export interface DocumentEdit {
  readonly label: string;
  undo(): Promise<void>;
  redo(): Promise<void>;
}

export class SampleState {
  revision = 0;
  state: LabelState = emptyLabelState;
  /** The state that is on disk. */
  saved: LabelState = emptyLabelState;
  /** The record that `saved` stands for; undefined while there is none, or only a retraction. */
  standing: LabelRecord | undefined;
  status: SaveStatus = { state: "pending" };
  verdicts: readonly LocatedVerdict[] = [];
  /** Spans of the standing record whose words are not in this trajectory any more; whatever is written next keeps them. */
  orphans: readonly Span[] = [];
  /** What carrying the standing record over to this version of the log would give; undefined where it was made on this one. */
  carry: CarriedLabel | undefined;
  /** What others say of the sample stood in the label bar after this person had decided. */
  sawGold = false;
  /** A record that could not be written, kept for retry and *copy as JSON*. */
  failed: LabelRecord | undefined;
  private lastFailed: { readonly frame: WriteFrame; readonly state: LabelState } | undefined;
  /** Ids of the records that were written from here. */
  private readonly written = new Set<string>();
  private readonly stepByIndex = new Map<number, Step>();

  /** `alias` stands in place of the id in everything that views get to see; undefined shows the id. */
  constructor(readonly index: number, public header: TrajectoryHeader, private readonly alias?: string) {}

  get id(): string {
    return this.header.id;
  }

  get shownId(): string {
    return this.alias ?? this.id;
  }

  get hasDraft(): boolean {
    return JSON.stringify(this.state) !== JSON.stringify(this.saved);
  }

  /** The newest verdict that can be confirmed. */
  get usableVerdict(): LocatedVerdict | undefined {
    return this.verdicts.findLast((candidate) => candidate.verdict.outcome !== "invalid" && !candidate.stale);
  }

  /** Whether the standing record was made on another version of the log. */
  get isStale(): boolean {
    return this.standing !== undefined && this.header.isCut !== true && isStale(this.standing, this.header.contentSha256);
  }

  /** A state is on disk as the record of that id. */
  wrote(id: string, state: LabelState): void {
    this.written.add(id);
    this.saved = state;
    this.failed = undefined;
  }

  /** A state could not be written; it is tried again with the same frame. */
  couldNotWrite(record: LabelRecord, frame: WriteFrame): void {
    this.failed = record;
    this.lastFailed = { frame, state: this.state };
  }

  /** The frame of the write that failed. What a label goes back to is not whole any more once it was edited since. */
  get failedFrame(): Partial<WriteFrame> {
    const { frame, state } = this.lastFailed ?? {};
    if (!this.failed || !frame) return {};
    const { goesBackTo } = frame;
    return goesBackTo && state !== this.state ? { ...frame, goesBackTo: { ...goesBackTo, isWhole: false } } : frame;
  }

  /**
   * Whether `now`, which stands on disk, was written or taken back elsewhere, in another window say, and is not what stood
   * `before`: it is not this one's to take back.
   */
  isOthers(before: LabelRecord | undefined, now: LabelRecord | undefined): boolean {
    if (!now) return this.standing !== undefined && this.written.has(this.standing.id);
    return now.id !== before?.id && !this.written.has(now.id);
  }

  /** Takes over what is on disk, as the current state too. A decision on another version of the log is none on this one. */
  reset(read: LabelState, standing: LabelRecord | undefined, orphans: readonly Span[] = []): void {
    const isOld = standing !== undefined && isStale(standing, this.header.contentSha256);
    const state = isOld ? { ...read, label: null } : read;
    this.orphans = orphans;
    this.carry = undefined;
    this.state = state;
    this.saved = state;
    this.standing = standing;
    this.failed = undefined;
    this.revision++;
    this.status = this.statusOnDisk();
  }

  private statusOnDisk(): SaveStatus {
    return this.standing && !this.isStale ? { state: "saved", at: this.standing.created_at } : { state: "pending" };
  }

  /** Applies an op and returns the one that takes it back. */
  apply(op: Op): Op {
    const { state, inverse } = applyOp(this.state, op);
    this.state = state;
    this.revision++;
    if (this.hasDraft) this.status = { state: "draft" };
    else this.status = this.statusOnDisk();
    return inverse;
  }

  /** Keeps the text of steps that were sent to a view, so that spans on them can be saved without the server; cut ones are no use. */
  remember(steps: readonly WireStep[]): void {
    for (const step of steps) {
      if (step.parts.some((part) => part.cut)) continue;
      this.stepByIndex.delete(step.index);
      this.stepByIndex.set(step.index, step);
    }
    const pinned = new Set(this.state.spans.map((span) => span.step));
    for (const index of this.stepByIndex.keys()) {
      if (this.stepByIndex.size <= keptSteps) break;
      if (!pinned.has(index)) this.stepByIndex.delete(index);
    }
  }

  step(index: number): Step | undefined {
    return this.stepByIndex.get(index);
  }
}
