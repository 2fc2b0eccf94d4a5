/** Draws the samples of a plan: at random with known probabilities, or picked by what makes them worth a look. */
import type { Random } from "./seeded-random";
import { shuffled } from "./seeded-random";
import { allocate, stratify, type Allocation, type FrameSample, type FrameVerdict, type Stratum, type StratumKey } from "./plan-strata";

export const strategies = ["random", "stratified", "flagged", "unflagged", "disagreement", "threshold", "false-alarms", "misses"] as const;
export type Strategy = (typeof strategies)[number];

export interface StrategyInfo {
  readonly title: string;
  /** Whether labels on such a plan can be used for rates. */
  readonly probability: boolean;
  /** Whether it goes by a run's verdicts. */
  readonly needsRun: boolean;
  /** Whether every sample in it is one that the monitor flagged (or passed), so that whoever knows the plan knows the verdict. */
  readonly tellsVerdict: boolean;
}

export const strategyInfo: Readonly<Record<Strategy, StrategyInfo>> = {
  random: { title: "Random", probability: true, needsRun: false, tellsVerdict: false },
  stratified: { title: "Stratified", probability: true, needsRun: false, tellsVerdict: false },
  flagged: { title: "Flagged", probability: false, needsRun: true, tellsVerdict: true },
  unflagged: { title: "Unflagged", probability: false, needsRun: true, tellsVerdict: true },
  disagreement: { title: "Monitors disagree", probability: false, needsRun: false, tellsVerdict: false },
  threshold: { title: "Closest to the threshold", probability: false, needsRun: true, tellsVerdict: false },
  "false-alarms": { title: "False alarms", probability: false, needsRun: true, tellsVerdict: true },
  misses: { title: "Misses", probability: false, needsRun: true, tellsVerdict: true },
};

export interface DrawOptions {
  readonly strategy: Strategy;
  /** At most so many samples; default all that fit. */
  readonly budget?: number | undefined;
  /** Strata of `stratified`; default verdict, score and category where there is a run, else category. */
  readonly by?: readonly StratumKey[] | undefined;
  /** How `stratified` shares the budget; default `neyman`. */
  readonly allocation?: Allocation | undefined;
  /** Where a score turns into a flag; default: between the highest benign and the lowest misbehavior score, else 0.5. */
  readonly threshold?: number | undefined;
  readonly random: Random;
}

export interface Drawn {
  readonly sample: FrameSample;
  readonly stratum: string;
  /** Only where the probabilities are known. */
  readonly inclusionProb?: number;
}

export interface Draw {
  readonly probability: boolean;
  /** In an order of no meaning. */
  readonly drawn: readonly Drawn[];
  /** Over the whole frame: what could not be drawn stands in a stratum `rest` with n = 0. */
  readonly strata: readonly { readonly id: string; readonly N: number; readonly n: number }[];
  /** Keys of strata that the budget was too small for. */
  readonly dropped: readonly StratumKey[];
}

/** Draws from `frame`. The same seed, frame (in any order) and options give the same draw. Throws a RangeError for a budget below 1. */
export function drawSamples(frame: readonly FrameSample[], options: DrawOptions): Draw {
  const { strategy, budget = frame.length } = options;
  if (!(budget >= 1)) throw new RangeError("a budget has to be at least 1");
  // By id, so that the order in which files were found does not matter.
  const ordered = [...frame].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  if (strategyInfo[strategy].probability) {
    const keys = strategy === "random" ? [] : (options.by ?? (ordered.some(({ verdict }) => verdict) ? ["verdict", "score", "category"] as const : ["category"] as const));
    const { strata, dropped } = stratify(ordered, keys, Math.min(budget, ordered.length));
    return { ...drawStrata(strata, strata.length === 1 ? [Math.min(budget, ordered.length)] : allocate(strata, budget, options.allocation), options.random), dropped };
  }
  const picked = shuffled(ordered, options.random).flatMap((sample) => {
    const rank = rankOf(sample, strategy, options.threshold ?? thresholdOf(ordered));
    return rank === undefined ? [] : [{ sample, rank }];
  }).sort((a, b) => a.rank - b.rank);
  const drawn = picked.slice(0, budget).map(({ sample }): Drawn => ({ sample, stratum: strategy }));
  const rest = ordered.length - picked.length;
  return {
    probability: false, drawn, dropped: [],
    strata: [{ id: strategy, N: picked.length, n: drawn.length }, ...(rest > 0 ? [{ id: "rest", N: rest, n: 0 }] : [])],
  };
}

function drawStrata(strata: readonly Stratum[], counts: readonly number[], random: Random): Omit<Draw, "dropped"> {
  const drawn: Drawn[] = [];
  for (const [at, { id, samples }] of strata.entries()) {
    const count = counts[at] ?? 0;
    for (const sample of shuffled(samples, random).slice(0, count)) drawn.push({ sample, stratum: id, inclusionProb: count / samples.length });
  }
  return { probability: true, drawn: shuffled(drawn, random), strata: strata.map(({ id, samples }, at) => ({ id, N: samples.length, n: counts[at] ?? 0 })) };
}

/** Lower comes first; undefined leaves the sample out. Equal ranks stay in random order. */
function rankOf({ verdict, others, gold, heldForTest }: FrameSample, strategy: Strategy, threshold: number): number | undefined {
  const within = (test: boolean): number | undefined => (test ? 0 : undefined);
  switch (strategy) {
    case "flagged": return within(verdict?.outcome === "misbehavior");
    case "unflagged": return within(verdict?.outcome === "benign");
    case "false-alarms": return within(gold === "benign" && verdict?.outcome === "misbehavior");
    case "misses": return within(gold === "misbehavior" && verdict?.outcome === "benign");
    // Uncertainty sampling is for learning, so it never takes what a guard is tested on.
    case "threshold": return verdict?.score === undefined || heldForTest ? undefined : Math.abs(verdict.score - threshold);
    case "disagreement": return disagreementRank([...(verdict ? [verdict] : []), ...(others ?? [])]);
    case "random": case "stratified": return 0;
  }
}

/** Even splits first, then what scores lie furthest apart; undefined where all valid verdicts agree. */
function disagreementRank(verdicts: readonly FrameVerdict[]): number | undefined {
  const valid = verdicts.filter(({ outcome }) => outcome !== "invalid");
  const flagged = valid.filter(({ outcome }) => outcome === "misbehavior").length;
  const minority = Math.min(flagged, valid.length - flagged);
  if (minority === 0) return undefined;
  const scores = valid.flatMap(({ score }) => (score === undefined ? [] : [score]));
  const apart = scores.length > 1 ? Math.max(...scores) - Math.min(...scores) : 0;
  return -(2 * minority) / valid.length - apart / 1000;
}

/** Where the run's own outcomes turn from benign to misbehavior; 0.5 where scores do not tell. */
export function thresholdOf(frame: readonly FrameSample[]): number {
  const scores = (outcome: string): number[] => frame.flatMap(({ verdict }) => (verdict?.outcome === outcome && verdict.score !== undefined ? [verdict.score] : []));
  const benign = scores("benign");
  const flagged = scores("misbehavior");
  if (benign.length === 0 || flagged.length === 0) return 0.5;
  const highest = benign.reduce((most, score) => Math.max(most, score), 0);
  const lowest = flagged.reduce((least, score) => Math.min(least, score), 1);
  return highest < lowest ? (highest + lowest) / 2 : 0.5;
}
