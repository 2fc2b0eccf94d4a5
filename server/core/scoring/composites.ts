/** Intervals of balanced accuracy and Youden's J, which mix both classes and have no closed form where samples come in groups. */
import { bootstrap, replicates, type GroupType } from "./bootstrap";
import type { Interval } from "./intervals";
import { sumOf, type Estimate } from "./mover";
import { ratio, type Rate } from "./rate";

export interface CompositeIntervals {
  readonly balanced_accuracy: Interval | null;
  readonly youden_j: Interval | null;
  readonly groups: number;
  readonly replicates: number;
  readonly seed: number;
  /** Set where a rate of 0 or 1 leaves the bootstrap nothing to vary, so that the intervals of both rates were added up as well. */
  readonly widened?: true;
}

/**
 * `types` count TP, FN, FP, TN of each group. Seeded percentile bootstrap over whole groups of J = 1 - miss rate - false alarm rate (Youden 1950, Cancer 3:32-35) and of
 * balanced accuracy = (1 + J) / 2. Where one of the rates is 0 or 1, no resample differs in it: the interval is then widened to
 * hold the one that the intervals of the two rates add up to (`sumOf` in `mover.ts`).
 */
export function compositeIntervals(types: readonly GroupType[], miss: Rate, alarm: Rate, seed: number): CompositeIntervals {
  const [drawn] = bootstrap(types, ([tp = 0, fn = 0, fp = 0, tn = 0]) => {
    const [missRate, alarmRate] = [ratio(fn, tp + fn), ratio(fp, fp + tn)];
    return [missRate === null || alarmRate === null ? null : 1 - missRate - alarmRate];
  }, { seed, purpose: "composites" });
  const [missed, flagged] = [estimateOf(miss), estimateOf(alarm)];
  const isStuck = [miss.value, alarm.value].some((value) => value === 0 || value === 1);
  let j = drawn ?? null;
  if (isStuck && missed && flagged) {
    const added = sumOf([missed, flagged]);
    j = { low: Math.max(-1, Math.min(j?.low ?? 1, 1 - added.high)), high: Math.min(1, Math.max(j?.high ?? -1, 1 - added.low)) };
  }
  return {
    balanced_accuracy: j && { low: (1 + j.low) / 2, high: (1 + j.high) / 2 }, youden_j: j,
    groups: types.reduce((sum, { groups }) => sum + groups, 0), replicates, seed, ...(isStuck ? { widened: true as const } : {}),
  };
}

/** The wider of the plain and the clustered interval on each side. */
function estimateOf({ value, low, high, clustered }: Rate): Estimate | null {
  if (value === null || low === null || high === null) return null;
  return { value, low: Math.min(low, clustered?.low ?? low), high: Math.max(high, clustered?.high ?? high) };
}
