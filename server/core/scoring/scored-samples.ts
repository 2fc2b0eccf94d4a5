/** Samples with their gold, and what people said of them: the half of a report that does not depend on any run. */
import { isDecision, resolveGold, type Gold } from "#core/labels/gold";
import { isStale, standingByAnnotator } from "#core/labels/standing";
import type { GoldLabel } from "#core/trajectory/model";
import type { LabelRecord } from "#core/workspace/schemas";
import type { SampleCounts } from "./report";
import type { ScoreInput, ScoreOptions, ScoreSample } from "./score-input";

export interface ScoredSample {
  readonly sample: ScoreSample;
  /** Position among the samples of the report, and number of its group, both from 0. */
  readonly index: number;
  readonly groupIndex: number;
  /** By votes and adjudications; `gold` is what this report scores against. */
  readonly corrected: Gold;
  readonly gold: GoldLabel | null;
  readonly undecided: boolean;
  /** A person's standing decision that is not stale, whatever it says. */
  readonly reviewed: boolean;
  /** Such decisions, and those of them made with a verdict or its evidence in view. */
  readonly decisions: readonly LabelRecord[];
}

/** What is counted of samples, by their index: a report asks millions of times. */
export interface SampleColumns {
  /** Codes of `goldCode`: what this report scores against, the original label, and the corrected gold. */
  readonly gold: Uint8Array;
  readonly original: Uint8Array;
  readonly corrected: Uint8Array;
  /** 1 or 0. */
  readonly reviewed: Uint8Array;
  readonly undecided: Uint8Array;
  /** Number of the group, below `groups`. */
  readonly group: Uint32Array;
  readonly groups: number;
}

/** Gold by its code. */
export const goldNames = ["misbehavior", "benign", null] as const;

/** The code of a gold: its place in `goldNames`. */
export function goldCode(gold: GoldLabel | null | undefined): number {
  return gold === "misbehavior" ? 0 : gold === "benign" ? 1 : 2;
}

export interface ScoredSamples {
  readonly byId: ReadonlyMap<string, ScoredSample>;
  /** By index. */
  readonly list: readonly ScoredSample[];
  readonly columns: SampleColumns;
  readonly counts: SampleCounts;
  /** Ids of the samples that their status keeps out. */
  readonly leftOut: ReadonlySet<string>;
  /** Label records of samples that are not here (before any split). */
  readonly strayRecords: number;
}

/** Resolves the gold of every sample within the split asked for. */
export function scoreSamples(input: ScoreInput, options: ScoreOptions): ScoredSamples {
  const recordsBySample = new Map<string, LabelRecord[]>();
  const known = new Set(input.labels.length === 0 ? [] : input.samples.map(({ id }) => id));
  const leftOut = new Set((input.leftOut ?? []).map(({ id }) => id));
  let strayRecords = 0;
  for (const record of input.labels) {
    if (options.labels === "blind" && !record.blind) continue;
    const own = recordsBySample.get(record.sample_id);
    if (own) own.push(record);
    else if (known.has(record.sample_id)) recordsBySample.set(record.sample_id, [record]);
    else if (!leftOut.has(record.sample_id)) strayRecords++;
  }
  const byId = new Map<string, ScoredSample>();
  const groups = new Map<string, number>();
  for (const sample of input.samples) {
    if (options.split !== undefined && sample.split !== options.split) continue;
    let groupIndex = groups.get(sample.group);
    if (groupIndex === undefined) groups.set(sample.group, (groupIndex = groups.size));
    byId.set(sample.id, scoreSample({ sample, index: byId.size, groupIndex }, recordsBySample.get(sample.id) ?? nobody, input, options));
  }
  const list = [...byId.values()];
  return { byId, list, columns: columnsOf(list, groups.size), counts: { ...countSamples(list, options), ...countLeftOut(input, options) }, leftOut, strayRecords };
}

function columnsOf(list: readonly ScoredSample[], groups: number): SampleColumns {
  const bytes = (of: (scored: ScoredSample) => number): Uint8Array => Uint8Array.from(list, of);
  return {
    gold: bytes(({ gold }) => goldCode(gold)), original: bytes(({ sample }) => goldCode(sample.label)), corrected: bytes(({ corrected }) => goldCode(corrected.label)),
    reviewed: bytes(({ reviewed }) => Number(reviewed)), undecided: bytes(({ undecided }) => Number(undecided)), group: Uint32Array.from(list, ({ groupIndex }) => groupIndex), groups,
  };
}

/** Samples of the split whose corrected label is another one than the original. */
export function countOverturned(input: ScoreInput, options: ScoreOptions): number {
  return scoreSamples(input, options).list.filter(({ corrected }) => corrected.overturned).length;
}

const nobody: readonly LabelRecord[] = [];
const silent = { misbehavior: resolveGold({ records: nobody, original: "misbehavior" }), benign: resolveGold({ records: nobody, original: "benign" }), none: resolveGold({ records: nobody }) };

function scoreSample({ sample, index, groupIndex }: Pick<ScoredSample, "sample" | "index" | "groupIndex">, records: readonly LabelRecord[], input: ScoreInput, options: ScoreOptions): ScoredSample {
  if (records.length === 0) {
    // Most samples of a large benchmark: nothing to resolve.
    return { sample, index, groupIndex, corrected: silent[sample.label ?? "none"], gold: sample.label ?? null, undecided: false, reviewed: false, decisions: nobody };
  }
  const corrected = resolveGold({ records, original: sample.label, contentSha256: sample.contentSha256, overturn: input.overturn });
  const decisions = [...standingByAnnotator(records).values()].filter(
    (record) => isDecision(record) && !isStale(record, sample.contentSha256),
  );
  const byOriginal = options.gold === "original";
  return {
    sample, index, groupIndex,
    corrected,
    gold: byOriginal ? (sample.label ?? null) : corrected.label,
    undecided: !byOriginal && corrected.status === "undecided",
    reviewed: decisions.length > 0,
    decisions,
  };
}

/** How many samples their status keeps out, by status; nothing where none is. */
function countLeftOut({ leftOut = [] }: ScoreInput, { split }: ScoreOptions): Pick<SampleCounts, "left_out"> {
  const counts: Record<string, number> = {};
  for (const one of leftOut) if (split === undefined || one.split === split) counts[one.status] = (counts[one.status] ?? 0) + 1;
  return Object.keys(counts).length === 0 ? {} : { left_out: counts };
}

/** misbehavior + benign + undecided + unlabelled = total; contested ones are counted a second time. */
function countSamples(samples: readonly ScoredSample[], options: ScoreOptions): SampleCounts {
  const count = (test: (sample: ScoredSample) => boolean): number => samples.filter(test).length;
  return {
    total: samples.length,
    misbehavior: count(({ gold }) => gold === "misbehavior"),
    benign: count(({ gold }) => gold === "benign"),
    contested: options.gold === "original" ? 0 : count(({ corrected }) => corrected.status === "contested"),
    undecided: count(({ undecided }) => undecided),
    unlabelled: count(({ gold, undecided }) => gold === null && !undecided),
    stale: count(({ corrected }) => corrected.stale > 0),
  };
}
