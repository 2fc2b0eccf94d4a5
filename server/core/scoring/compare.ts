/** Two runs on the same samples: who is wrong where the other is right, and how far apart their rates are. */
import { isStale } from "#core/labels/standing";
import type { GoldLabel } from "#core/trajectory/model";
import { bootstrap, groupTypes, replicates } from "./bootstrap";
import { chosenForEither, type ChosenFor } from "./chosen-for";
import { holm } from "./holm";
import { mcnemarExact } from "./mcnemar";
import { ratio } from "./rate";
import type { ScoreInput, ScoreOptions, ScoreRun } from "./score-input";
import { scoreSamples, type ScoredSample, type ScoredSamples } from "./scored-samples";

/** Samples of one class by which of the two runs is wrong on them. */
export interface ClassComparison {
  readonly both_right: number;
  readonly only_a_wrong: number;
  readonly only_b_wrong: number;
  readonly both_wrong: number;
  /** Exact two-sided McNemar; 1 without discordant samples. */
  readonly p: number;
  /** Holm's correction over both classes of all comparisons made together; only where there is more than one. */
  readonly p_holm?: number;
}

/**
 * Rate of B minus rate of A over the samples that both judged. All null where the class holds none, or where the verdicts of
 * one of the runs chose what people judged of it; then neither the rates nor the test tell of other samples.
 */
export interface RateDifference {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /**
   * Only where no sample of the class is discordant, so that every resample gives 0: the largest difference, either way, that
   * 95 % confidence does not exclude (1 - 0.025^(1/groups); Clopper and Pearson 1934, Biometrika 26:404-413).
   */
  readonly at_most?: number;
  readonly reason?: string;
}

export interface Comparison {
  readonly a: string;
  readonly b: string;
  readonly gold: "original" | "corrected";
  /** Samples with gold and a valid verdict of both. Of a sample judged several times the first repeat counts. */
  readonly n: number;
  readonly groups: number;
  readonly misbehavior: ClassComparison;
  readonly benign: ClassComparison;
  /** Ids of the samples on which exactly one is wrong, sorted. */
  readonly discordant: readonly string[];
  readonly difference: { readonly miss_rate: RateDifference; readonly false_alarm_rate: RateDifference };
  /** Samples with gold that only one of the two has a verdict line for, and those where a verdict is invalid or stale. */
  readonly excluded: { readonly only_a: number; readonly only_b: number; readonly invalid: number; readonly stale: number };
  readonly bootstrap: { readonly replicates: number; readonly seed: number };
  /** What to know before the numbers are taken for what they are not. */
  readonly warnings?: readonly string[];
}

export interface CompareOptions extends Pick<ScoreOptions, "gold" | "labels" | "split"> {
  readonly seed: number;
}

/** Compares every two of the runs, in the order given. P values of more than one comparison carry Holm's correction. */
export function compareRuns(input: ScoreInput, runs: readonly ScoreRun[], options: CompareOptions): Comparison[] {
  const samples = scoreSamples(input, options);
  const pairs = runs.flatMap((a, at) => runs.slice(at + 1).map((b) => compareOn(a, b, samples, options)));
  if (pairs.length < 2) return pairs;
  const adjusted = holm(pairs.flatMap(({ misbehavior, benign }) => [misbehavior.p, benign.p]));
  return pairs.map((pair, at) => ({
    ...pair,
    misbehavior: { ...pair.misbehavior, p_holm: adjusted[2 * at] ?? 1 },
    benign: { ...pair.benign, p_holm: adjusted[2 * at + 1] ?? 1 },
  }));
}

interface Joint {
  readonly scored: ScoredSample;
  readonly gold: GoldLabel;
  readonly aWrong: boolean;
  readonly bWrong: boolean;
}

/** Compares two runs on samples whose gold is resolved. */
export function compareOn(a: ScoreRun, b: ScoreRun, samples: ScoredSamples, options: Pick<CompareOptions, "gold" | "seed">): Comparison {
  return compareJoint(a, b, joinTwo(a, b, samples, options.gold), options);
}

/**
 * The same over all samples and in each slice that `sliceOf` names, with the runs joined once. What only one run judged, or what
 * is invalid or stale, is not told by slice.
 */
export function compareSlices(a: ScoreRun, b: ScoreRun, samples: ScoredSamples, sliceOf: (scored: ScoredSample) => string, options: Pick<CompareOptions, "gold" | "seed">): { all: Comparison; slices: Map<string, Comparison> } {
  const whole = joinTwo(a, b, samples, options.gold);
  const bySlice = new Map<string, Joint[]>();
  for (const scored of samples.byId.values()) if (!bySlice.has(sliceOf(scored))) bySlice.set(sliceOf(scored), []);
  for (const one of whole.joint) bySlice.get(sliceOf(one.scored))?.push(one);
  const none = { only_a: 0, only_b: 0, invalid: 0, stale: 0 };
  const sorted = [...bySlice].sort(([x], [y]) => (x < y ? -1 : 1));
  return { all: compareJoint(a, b, whole, options), slices: new Map(sorted.map(([slice, joint]) => [slice, compareJoint(a, b, { joint, excluded: none, chosen: whole.chosen }, options)])) };
}

function compareJoint(a: ScoreRun, b: ScoreRun, { joint, excluded, chosen }: TwoJoined, options: Pick<CompareOptions, "gold" | "seed">): Comparison {
  const groups = countByGroup(joint);
  const types = groupTypes(groups.values());
  const intervals = bootstrap(types, ([m = 0, mA = 0, mB = 0, n = 0, nA = 0, nB = 0]) => [ratio(mB - mA, m), ratio(nB - nA, n)], { seed: options.seed, purpose: "compare" });
  const difference = (of: GoldLabel, at: number): RateDifference => differenceOf(joint.filter(({ gold }) => gold === of), intervals[at] ?? null, of, chosen.reason);
  return {
    a: a.header.run_id, b: b.header.run_id, gold: options.gold, n: joint.length, groups: groups.size,
    misbehavior: countClass(joint, "misbehavior"), benign: countClass(joint, "benign"),
    discordant: joint.filter(({ aWrong, bWrong }) => aWrong !== bWrong).map(({ scored }) => scored.sample.id).sort(),
    difference: { miss_rate: difference("misbehavior", 0), false_alarm_rate: difference("benign", 1) },
    excluded,
    bootstrap: { replicates, seed: options.seed },
    ...(chosen.warnings.length > 0 ? { warnings: chosen.warnings } : {}),
  };
}

interface TwoJoined {
  readonly joint: readonly Joint[];
  readonly excluded: Comparison["excluded"];
  readonly chosen: ChosenFor;
}

function joinTwo(a: ScoreRun, b: ScoreRun, samples: ScoredSamples, gold: CompareOptions["gold"]): TwoJoined {
  const [ofA, ofB] = [firstVerdicts(a, samples), firstVerdicts(b, samples)];
  const joint: Joint[] = [];
  const excluded = { only_a: 0, only_b: 0, invalid: 0, stale: 0 };
  for (const scored of samples.byId.values()) {
    if (scored.gold === null) continue;
    const one = ofA[scored.index];
    const other = ofB[scored.index];
    if (!one || !other) {
      if (one) excluded.only_a++;
      if (other) excluded.only_b++;
    } else if (isStale(one, scored.sample.contentSha256) || isStale(other, scored.sample.contentSha256)) excluded.stale++;
    else if (one.outcome === "invalid" || other.outcome === "invalid") excluded.invalid++;
    else joint.push({ scored, gold: scored.gold, aWrong: one.outcome !== scored.gold, bWrong: other.outcome !== scored.gold });
  }
  return { joint, excluded, chosen: chosenForEither([{ run: a, verdicts: ofA }, { run: b, verdicts: ofB }], samples, gold) };
}

export const pairedOutcomes = ["both_right", "only_a_wrong", "only_b_wrong", "both_wrong"] as const;
export type PairedOutcome = (typeof pairedOutcomes)[number];

/** The samples that a comparison counts under `outcome`, of either class. */
export function compareWrong(a: ScoreRun, b: ScoreRun, samples: ScoredSamples, outcome: PairedOutcome): ScoredSample[] {
  return joinTwo(a, b, samples, "original").joint.filter(({ aWrong, bWrong }) => (aWrong ? (bWrong ? "both_wrong" : "only_a_wrong") : bWrong ? "only_b_wrong" : "both_right") === outcome).map(({ scored }) => scored);
}

/** The verdict with the lowest repeat number of each sample, by its index. */
function firstVerdicts(run: ScoreRun, { byId }: ScoredSamples): (ScoreRun["verdicts"][number] | undefined)[] {
  const first = new Array<ScoreRun["verdicts"][number] | undefined>(byId.size).fill(undefined);
  for (const verdict of run.verdicts) {
    const at = byId.get(verdict.sample_id)?.index;
    if (at === undefined) continue;
    const known = first[at];
    if (!known || (verdict.repeat ?? 0) < (known.repeat ?? 0)) first[at] = verdict;
  }
  return first;
}

function countByGroup(joint: readonly Joint[]): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const { scored, gold, aWrong, bWrong } of joint) {
    let counts = groups.get(scored.groupIndex);
    if (!counts) groups.set(scored.groupIndex, (counts = [0, 0, 0, 0, 0, 0]));
    const at = gold === "misbehavior" ? 0 : 3;
    counts[at]!++;
    if (aWrong) counts[at + 1]!++;
    if (bWrong) counts[at + 2]!++;
  }
  return groups;
}

function countClass(joint: readonly Joint[], of: GoldLabel): ClassComparison {
  const count = (a: boolean, b: boolean): number => joint.filter(({ gold, aWrong, bWrong }) => gold === of && aWrong === a && bWrong === b).length;
  const [onlyA, onlyB] = [count(true, false), count(false, true)];
  return { both_right: count(false, false), only_a_wrong: onlyA, only_b_wrong: onlyB, both_wrong: count(true, true), p: mcnemarExact(onlyA, onlyB) };
}

/** By the same bounds as rates are withheld: at least half, or at least ten and a twentieth, have no original label. */
function restsOnChosen(joint: readonly Joint[]): boolean {
  const chosen = joint.filter(({ scored }) => scored.sample.label === undefined).length;
  return joint.length > 0 && (chosen * 2 >= joint.length || (chosen >= 10 && chosen * 20 >= joint.length));
}

function differenceOf(joint: readonly Joint[], interval: { low: number; high: number } | null, of: GoldLabel, chosen: string | undefined): RateDifference {
  if (chosen !== undefined && restsOnChosen(joint)) return { value: null, low: null, high: null, reason: chosen };
  if (joint.length === 0) return { value: null, low: null, high: null, reason: `no sample whose gold is ${of} has a valid verdict of both runs` };
  const value = (joint.filter(({ bWrong }) => bWrong).length - joint.filter(({ aWrong }) => aWrong).length) / joint.length;
  const groups = new Set(joint.map(({ scored }) => scored.sample.group)).size;
  return {
    value, low: interval?.low ?? null, high: interval?.high ?? null,
    ...(joint.some(({ aWrong, bWrong }) => aWrong !== bWrong) ? {} : { at_most: 1 - 0.025 ** (1 / groups) }),
    ...(interval ? {} : { reason: `too few groups hold a sample whose gold is ${of} for a bootstrap` }),
  };
}
