/** What an open document knows of one of its trajectories: header, the text of drawn steps, and the label being made. */
import { applyOp, emptyLabelState, type LabelState, type Op } from "#core/labels/state";
import type { Step } from "#core/trajectory/model";
import type { LabelRecord } from "#core/workspace/schemas";
import type { LocatedVerdict, TrajectoryHeader, WireStep } from "#protocol/lsp";
import type { SaveStatus } from "#protocol/webview";

/** Steps kept beside those that hold spans; the view asks again for what was dropped. */
const keptSteps = 400;

export class SampleState {
  revision = 0;
  state: LabelState = emptyLabelState;
  /** The state that is on disk. */
  saved: LabelState = emptyLabelState;
  /** The record that `saved` stands for; undefined while there is none, or only a retraction. */
  standing: LabelRecord | undefined;
  status: SaveStatus = { state: "pending" };
  verdicts: readonly LocatedVerdict[] = [];
  /** A record that could not be written, kept for retry and *copy as JSON*. */
  failed: LabelRecord | undefined;
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

  /** Takes over what is on disk, as the current state too. */
  reset(state: LabelState, standing: LabelRecord | undefined): void {
    this.state = state;
    this.saved = state;
    this.standing = standing;
    this.failed = undefined;
    this.revision++;
    this.status = standing ? { state: "saved", at: standing.created_at } : { state: "pending" };
  }

  /** Applies an op and returns the one that takes it back. */
  apply(op: Op): Op {
    const { state, inverse } = applyOp(this.state, op);
    this.state = state;
    this.revision++;
    if (this.hasDraft) this.status = { state: "draft" };
    else this.status = this.standing ? { state: "saved", at: this.standing.created_at } : { state: "pending" };
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
