/** Two runs on the same samples: who is wrong where the other is right, and how far apart their rates are. */
import type { GoldLabel } from "#core/trajectory/model";
import { bootstrap, replicates } from "./bootstrap";
import { chosenForEither, leaningBeyondChance, whyChosenForAll, type ChosenFor } from "./chosen-for";
import { GroupCounter } from "./group-counter";
import { restsOnChosen } from "./headline";
import { holm } from "./holm";
import { mcnemarExact } from "./mcnemar";
import { ratio } from "./rate";
import { allRuns, type ScoreInput, type ScoreOptions, type ScoreRun } from "./score-input";
import { firstOutcomes, noVerdict, staleVerdict } from "./run-entries";
import { goldCode, scoreSamples, type ScoredSample, type ScoredSamples } from "./scored-samples";

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

/** Compares every two of the runs, in the order given. P values of more than one comparison carry Holm's correction over the classes that hold samples. */
export function compareRuns(input: ScoreInput, runs: readonly ScoreRun[], options: CompareOptions): Comparison[] {
  const samples = scoreSamples(input, options);
  const chosen = chosenAnyhow(input, samples, options.gold);
  const pairs = runs.flatMap((a, at) => runs.slice(at + 1).map((b) => compareJoint(a, b, samples, joinTwo(a, b, samples, { ...options, ...chosen }), options)));
  if (pairs.length < 2) return pairs;
  // A class without samples, or whose difference is withheld, is no test.
  const tests = pairs.flatMap(({ misbehavior, benign, difference }, at) => [
    ...(difference.miss_rate.value === null ? [] : [{ key: `${at} misbehavior`, p: misbehavior.p }]), ...(difference.false_alarm_rate.value === null ? [] : [{ key: `${at} benign`, p: benign.p }]),
  ]);
  const adjusted = new Map(holm(tests.map(({ p }) => p)).map((p, place) => [tests[place]!.key, p]));
  return pairs.map((pair, at) => ({
    ...pair,
    misbehavior: { ...pair.misbehavior, p_holm: adjusted.get(`${at} misbehavior`) ?? 1 },
    benign: { ...pair.benign, p_holm: adjusted.get(`${at} benign`) ?? 1 },
  }));
}

/** Samples with gold that both runs judged: by index, and what the two said of them. */
interface Joint {
  readonly samples: readonly number[];
  /** As many: 4 where the gold is benign, plus 2 where run A is wrong, plus 1 where run B is. */
  readonly codes: readonly number[];
}

/** What all runs of the workspace say of how people chose what they judged, whichever two are compared. */
export interface ChosenAnyhow {
  readonly chosenForAll: string | undefined;
  readonly leaning: ReturnType<typeof leaningBeyondChance>;
}

/** What `compareSlices` goes by. */
export interface SliceOptions extends Pick<CompareOptions, "gold" | "seed">, ChosenAnyhow {}

export function chosenAnyhow(input: Pick<ScoreInput, "runs" | "unscored">, samples: ScoredSamples, gold: "original" | "corrected"): ChosenAnyhow {
  return gold === "original" ? { chosenForAll: undefined, leaning: [] } : { chosenForAll: whyChosenForAll(input, samples), leaning: leaningBeyondChance(allRuns(input), samples) };
}

/**
 * Compares two runs over all samples and in each slice that `sliceOf` names, with the runs joined once. What only one run judged,
 * or what is invalid or stale, is not told by slice.
 */
export function compareSlices(a: ScoreRun, b: ScoreRun, samples: ScoredSamples, sliceOf: (scored: ScoredSample) => string, options: SliceOptions): { all: Comparison; slices: Map<string, Comparison> } {
  const whole = joinTwo(a, b, samples, options);
  const names = samples.list.map(sliceOf);
  const bySlice = new Map(names.map((name) => [name, { samples: [] as number[], codes: [] as number[] }]));
  for (const [at, index] of whole.joint.samples.entries()) {
    const slice = bySlice.get(names[index]!)!;
    slice.samples.push(index);
    slice.codes.push(whole.joint.codes[at]!);
  }
  const none = { only_a: 0, only_b: 0, invalid: 0, stale: 0 };
  const sorted = [...bySlice].sort(([x], [y]) => (x < y ? -1 : 1));
  return { all: compareJoint(a, b, samples, whole, options), slices: new Map(sorted.map(([slice, joint]) => [slice, compareJoint(a, b, samples, { joint, excluded: none, chosen: whole.chosen }, options)])) };
}

function compareJoint(a: ScoreRun, b: ScoreRun, samples: ScoredSamples, { joint, excluded, chosen }: TwoJoined, options: Pick<CompareOptions, "gold" | "seed">): Comparison {
  const groups = countByGroup(joint, samples);
  const warnings = [...chosen.warnings, ...[a, b].flatMap(drawsWarning)];
  const intervals = bootstrap(groups.types(), ([m = 0, mA = 0, mB = 0, n = 0, nA = 0, nB = 0]) => [ratio(mB - mA, m), ratio(nB - nA, n)], { seed: options.seed, purpose: "compare" });
  const [misbehavior, benign] = [ofClass(joint, samples, "misbehavior"), ofClass(joint, samples, "benign")];
  return {
    a: a.header.run_id, b: b.header.run_id, gold: options.gold, n: joint.samples.length, groups: groups.size,
    misbehavior: compareClass(misbehavior), benign: compareClass(benign),
    discordant: joint.samples.filter((_, at) => isDiscordant(joint.codes[at]!)).map((index) => samples.list[index]!.sample.id).sort(),
    difference: { miss_rate: differenceOf(misbehavior, intervals[0] ?? null, "misbehavior", chosen.reason), false_alarm_rate: differenceOf(benign, intervals[1] ?? null, "benign", chosen.reason) },
    excluded,
    bootstrap: { replicates, seed: options.seed },
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/** McNemar's test takes one verdict of each run on a sample. */
function drawsWarning(run: ScoreRun): string[] {
  // Of columns no records are made for this.
  const hasDraws = run.columns?.hasRepeats ?? run.verdicts.some(({ repeat }) => repeat !== undefined && repeat > 0);
  return hasDraws ? [`${run.header.run_id} has several verdicts on a sample; its first draw is compared.`] : [];
}

function isDiscordant(code: number): boolean {
  return (code & 3) === 1 || (code & 3) === 2;
}

interface TwoJoined {
  readonly joint: Joint;
  readonly excluded: Comparison["excluded"];
  readonly chosen: ChosenFor;
}

function joinTwo(a: ScoreRun, b: ScoreRun, samples: ScoredSamples, { gold, chosenForAll, leaning }: Omit<SliceOptions, "seed">): TwoJoined {
  const [ofA, ofB] = [firstOutcomes(a, samples), firstOutcomes(b, samples)];
  const joint = { samples: [] as number[], codes: [] as number[] };
  const excluded = { only_a: 0, only_b: 0, invalid: 0, stale: 0 };
  const { gold: golds } = samples.columns;
  for (let index = 0; index < golds.length; index++) {
    const own = golds[index]!;
    if (own === 2) continue;
    const [one, other] = [ofA[index]!, ofB[index]!];
    if (one === noVerdict || other === noVerdict) {
      if (one !== noVerdict) excluded.only_a++;
      if (other !== noVerdict) excluded.only_b++;
    } else if (one === staleVerdict || other === staleVerdict) excluded.stale++;
    else if (one === 2 || other === 2) excluded.invalid++;
    else {
      joint.samples.push(index);
      joint.codes.push(4 * own + 2 * Number(one !== own) + Number(other !== own));
    }
  }
  const chosen = gold === "original" ? { warnings: [] } : chosenForEither([{ run: a, outcomes: ofA }, { run: b, outcomes: ofB }], samples, leaning);
  return { joint, excluded, chosen: { reason: chosenForAll, ...chosen } };
}

/** By the bits of a code: 1 where run B is wrong, 2 where run A is. */
export const pairedOutcomes = ["both_right", "only_b_wrong", "only_a_wrong", "both_wrong"] as const;
export type PairedOutcome = (typeof pairedOutcomes)[number];

/** The samples that a comparison counts under `outcome`, of either class. */
export function compareWrong(a: ScoreRun, b: ScoreRun, samples: ScoredSamples, outcome: PairedOutcome): ScoredSample[] {
  const wanted = pairedOutcomes.indexOf(outcome);
  const { joint } = joinTwo(a, b, samples, { gold: "original", chosenForAll: undefined, leaning: [] });
  return joint.samples.filter((_, at) => (joint.codes[at]! & 3) === wanted).map((index) => samples.list[index]!);
}

function countByGroup({ samples: indexes, codes }: Joint, { columns: { group, groups } }: ScoredSamples): GroupCounter {
  const counter = new GroupCounter(6, indexes.length, groups);
  for (const [at, index] of indexes.entries()) {
    const code = codes[at]!;
    const first = code >= 4 ? 3 : 0;
    counter.add(group[index]!, first);
    if ((code & 2) !== 0) counter.add(group[index]!, first + 1);
    if ((code & 1) !== 0) counter.add(group[index]!, first + 2);
  }
  return counter;
}

/** What is counted of the samples of one class. */
interface ClassCounts {
  readonly n: number;
  /** In the order of `pairedOutcomes`. */
  readonly outcomes: readonly number[];
  readonly groups: number;
  /** Samples without an original label. */
  readonly unlabelled: number;
}

function ofClass({ samples: indexes, codes }: Joint, { columns: { group, groups, original } }: ScoredSamples, of: GoldLabel): ClassCounts {
  const outcomes = [0, 0, 0, 0];
  const seen = new Uint8Array(groups);
  let unlabelled = 0;
  for (const [at, index] of indexes.entries()) {
    if (codes[at]! >> 2 !== goldCode(of)) continue;
    outcomes[codes[at]! & 3]!++;
    seen[group[index]!] = 1;
    if (original[index] === 2) unlabelled++;
  }
  return { n: outcomes.reduce((sum, count) => sum + count, 0), outcomes, groups: seen.reduce((sum, one) => sum + one, 0), unlabelled };
}

function compareClass({ outcomes: [bothRight = 0, onlyB = 0, onlyA = 0, bothWrong = 0] }: ClassCounts): ClassComparison {
  return { both_right: bothRight, only_a_wrong: onlyA, only_b_wrong: onlyB, both_wrong: bothWrong, p: mcnemarExact(onlyA, onlyB) };
}

function differenceOf(counts: ClassCounts, interval: { low: number; high: number } | null, of: GoldLabel, chosen: string | undefined): RateDifference {
  const { n, groups, unlabelled, outcomes: [, onlyB = 0, onlyA = 0] } = counts;
  if (chosen !== undefined && restsOnChosen(unlabelled, n)) return { value: null, low: null, high: null, reason: chosen };
  if (n === 0) return { value: null, low: null, high: null, reason: `no sample whose gold is ${of} has a valid verdict of both runs` };
  return {
    value: (onlyB - onlyA) / n, low: interval?.low ?? null, high: interval?.high ?? null,
    ...(onlyA + onlyB > 0 ? {} : { at_most: 1 - 0.025 ** (1 / groups) }),
    ...(interval ? {} : { reason: `too few groups hold a sample whose gold is ${of} for a bootstrap` }),
  };
}
