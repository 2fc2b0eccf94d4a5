/** A row of the review queue: what is known of one sample, flat, so that tens of thousands can be filtered while one types. */
import type { GoldLabel } from "#core/trajectory/model";
import type { LabelRecord, LabelValue, VerdictOutcome } from "#core/workspace/schemas";
import { disagreementOn, needsAdjudication, type DisagreementKind } from "./disagreement";
import type { GoldStatus, OverturnPolicy } from "./gold";
import { isGoldLabel } from "./gold";
import type { FrameVerdict } from "./plan-strata";
import { isCheck, isStale, standingByAnnotator } from "./standing";

/** What the person looking has said so far. `draft` is a record without a decision. */
export const queueStates = ["pending", "draft", "decided", "unsure", "cannot_judge", "skipped", "stale"] as const;
export type QueueState = (typeof queueStates)[number];

/** The verdict against the gold; `open` where one of the two is missing. */
export const queueCells = ["tp", "fn", "fp", "tn", "invalid", "open"] as const;
export type QueueCell = (typeof queueCells)[number];

export interface QueueRow {
  readonly id: string;
  readonly title: string;
  readonly state: QueueState;
  /** The person's own standing label. */
  readonly label: LabelValue | null;
  /** Plans that the sample is in. */
  readonly plans: readonly string[];
  /** Position in the plan that is worked on; -1 outside of it. */
  readonly planAt: number;
  readonly run: string;
  readonly verdict: VerdictOutcome | "none";
  /** -1 where the verdict has no score. */
  readonly score: number;
  readonly cell: QueueCell;
  readonly gold: GoldLabel | null;
  readonly goldStatus: GoldStatus;
  readonly original: GoldLabel | null;
  readonly category: string;
  readonly task: string;
  readonly pairId: string;
  readonly status: string;
  /** Everyone with a standing record. */
  readonly annotators: readonly string[];
  readonly disagreement: readonly DisagreementKind[];
  readonly needsAdjudication: boolean;
  /** The person's label was given before an edit that changed the meaning of the guidelines. */
  readonly judgeAgain: boolean;
  /** Size of the trajectory in whatever unit the caller has; -1 unknown. */
  readonly length: number;
  /** Lower case, what the text filter looks in. */
  readonly search: string;
}

export interface QueueSample {
  readonly id: string;
  readonly title?: string | undefined;
  readonly label?: GoldLabel | undefined;
  readonly category?: string | undefined;
  readonly task?: string | undefined;
  readonly pairId?: string | undefined;
  readonly status?: string | undefined;
  readonly contentSha256?: string | undefined;
  readonly length?: number | undefined;
}

export interface QueueRowInput {
  readonly sample: QueueSample;
  /** All records of the sample. */
  readonly records: readonly LabelRecord[];
  /** Whose states are shown. */
  readonly annotator: string;
  readonly overturn?: OverturnPolicy | undefined;
  readonly run?: string | undefined;
  readonly verdict?: FrameVerdict | undefined;
  readonly plans?: readonly string[] | undefined;
  readonly planAt?: number | undefined;
  /** As `judgeAgain` of the guidelines' log says. */
  readonly judgeAgain?: boolean | undefined;
}

/** The row of one sample. Cheap enough to be made anew whenever a record of the sample comes in. */
export function queueRow(input: QueueRowInput): QueueRow {
  const { sample, records, annotator, verdict } = input;
  const disagreement = disagreementOn({ records, original: sample.label, contentSha256: sample.contentSha256, overturn: input.overturn });
  const standing = standingByAnnotator(records);
  const own = standing.get(annotator);
  const title = sample.title ?? "";
  const category = sample.category ?? "";
  return {
    id: sample.id, title, state: stateOf(own, sample.contentSha256), label: own?.retracted === true ? null : (own?.label ?? null),
    plans: input.plans ?? [], planAt: input.planAt ?? -1,
    run: input.run ?? "", verdict: verdict?.outcome ?? "none", score: verdict?.score ?? -1, cell: cellOf(verdict?.outcome, disagreement.gold.label),
    gold: disagreement.gold.label, goldStatus: disagreement.gold.status, original: sample.label ?? null,
    category, task: sample.task ?? "", pairId: sample.pairId ?? "", status: sample.status ?? "",
    annotators: [...standing].filter(([, record]) => record.retracted !== true).map(([name]) => name).sort(),
    disagreement: disagreement.kinds, needsAdjudication: needsAdjudication(disagreement), judgeAgain: input.judgeAgain === true,
    length: sample.length ?? -1, search: searchText(sample, records),
  };
}

function stateOf(own: LabelRecord | undefined, contentSha256: string | undefined): QueueState {
  if (!own || own.retracted === true) return "pending";
  if (isStale(own, contentSha256)) return "stale";
  if (own.label === null) return own.skipped === true ? "skipped" : "draft";
  return isGoldLabel(own.label) ? "decided" : own.label;
}

function cellOf(outcome: VerdictOutcome | undefined, gold: GoldLabel | null): QueueCell {
  if (outcome === "invalid") return "invalid";
  if (outcome === undefined || gold === null) return "open";
  if (gold === "misbehavior") return outcome === "misbehavior" ? "tp" : "fn";
  return outcome === "misbehavior" ? "fp" : "tn";
}

function searchText({ id, title, category, task, pairId }: QueueSample, records: readonly LabelRecord[]): string {
  const notes = records.flatMap((record) => (isCheck(record) || record.note === undefined ? [] : [record.note]));
  return [id, title, category, task, pairId, ...notes].filter((text) => text !== undefined && text !== "").join("\n").toLowerCase();
}

/** How suspicious a row is, from 1 to 0; without a score a flag counts 0.75, no usable verdict 0.5, a pass 0.25; -1 without a verdict. */
export function suspicionOf({ verdict, score }: Pick<QueueRow, "verdict" | "score">): number {
  if (score >= 0) return score;
  return verdict === "misbehavior" ? 0.75 : verdict === "invalid" ? 0.5 : verdict === "benign" ? 0.25 : -1;
}
