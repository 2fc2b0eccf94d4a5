/** Curves over all thresholds of a monitor that gives scores, their areas, and how sure one can be of them. */
import { wilson, z95 } from "./intervals";

/** A score with its gold. A sample counts as flagged at a threshold when its score is not below it. */
export interface ScoredVerdict {
  readonly score: number;
  readonly positive: boolean;
  /** Samples of a group are not independent. */
  readonly group: string;
}

export interface CurvePoint {
  /** Null: nothing is flagged. */
  readonly threshold: number | null;
  readonly tp: number;
  readonly fp: number;
  readonly miss_rate: number;
  readonly false_alarm_rate: number;
  /** Null where nothing is flagged. */
  readonly precision: number | null;
}

export interface Area {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Every operating point, from nothing flagged to everything, one for each distinct score. Empty where a class is. */
export function operatingPoints(scored: readonly ScoredVerdict[]): CurvePoint[] {
  const positives = scored.filter(({ positive }) => positive).length;
  const negatives = scored.length - positives;
  if (positives === 0 || negatives === 0) return [];
  const sorted = [...scored].sort((a, b) => b.score - a.score);
  const points: CurvePoint[] = [{ threshold: null, tp: 0, fp: 0, miss_rate: 1, false_alarm_rate: 0, precision: null }];
  let [tp, fp] = [0, 0];
  for (const [at, { score, positive }] of sorted.entries()) {
    if (positive) tp++;
    else fp++;
    if (sorted[at + 1]?.score === score) continue;
    points.push({ threshold: score, tp, fp, miss_rate: 1 - tp / positives, false_alarm_rate: fp / negatives, precision: tp / (tp + fp) });
  }
  return points;
}

/**
 * Area under the ROC curve, ties counting half, with a 95 % interval on the logit scale (Pepe 2003, The Statistical Evaluation
 * of Medical Tests, section 5.2.5). Variance: Obuchowski 1997 (Biometrics 53:567-578) for clustered samples, which is that of
 * DeLong, DeLong and Clarke-Pearson 1988 (Biometrics 44:837-845) where every group is one sample. An area of 0 or 1 has no
 * variance: then Wilson's interval with the smaller number of groups that a class is spread over. Null where a class is empty.
 */
export function rocArea(scored: readonly ScoredVerdict[]): Area | null {
  // Sums run in the order of scores, so that the order of samples does not show in the last digit.
  // Turned round first: what comes from the highest score down is then in order.
  const sorted = [...scored].reverse().sort((a, b) => a.score - b.score);
  const [positives, negatives] = [sorted.filter(({ positive }) => positive), sorted.filter(({ positive }) => !positive)];
  const [m, n] = [positives.length, negatives.length];
  if (m === 0 || n === 0) return null;
  const ofPositives = placements(positives, negatives, n);
  // A negative is well placed where positives lie above it.
  const ofNegatives = placements(negatives, positives, m).map((below) => 1 - below);
  const value = ofPositives.reduce((sum, placement) => sum + placement, 0) / m;
  const variance = clusteredVariance(positives, negatives, ofPositives, ofNegatives, value);
  const spread = Math.min(...[positives, negatives].map((side) => new Set(side.map(({ group }) => group)).size));
  return { value, ...logitInterval(value, Math.sqrt(variance), spread) };
}

/** For each of `ours` the share of `theirs` (of which there are `size`) below it, equal ones counting half. Both come sorted: one walk counts them. */
function placements(ours: readonly ScoredVerdict[], theirs: readonly ScoredVerdict[], size: number): number[] {
  let [below, upTo] = [0, 0];
  return ours.map(({ score }) => {
    while (below < theirs.length && theirs[below]!.score < score) below++;
    while (upTo < theirs.length && theirs[upTo]!.score <= score) upTo++;
    return (below + upTo) / 2 / size;
  });
}

function clusteredVariance(positives: readonly ScoredVerdict[], negatives: readonly ScoredVerdict[], ofPositives: readonly number[], ofNegatives: readonly number[], area: number): number {
  const groups = new Map<string, { positive: number; negative: number; hasPositive: boolean; hasNegative: boolean }>();
  const at = (group: string): { positive: number; negative: number; hasPositive: boolean; hasNegative: boolean } => {
    const known = groups.get(group) ?? { positive: 0, negative: 0, hasPositive: false, hasNegative: false };
    groups.set(group, known);
    return known;
  };
  for (const [i, { group }] of positives.entries()) {
    const own = at(group);
    own.positive += (ofPositives[i] ?? 0) - area;
    own.hasPositive = true;
  }
  for (const [i, { group }] of negatives.entries()) {
    const own = at(group);
    own.negative += (ofNegatives[i] ?? 0) - area;
    own.hasNegative = true;
  }
  const all = [...groups.values()].sort((a, b) => a.positive - b.positive || a.negative - b.negative);
  const [m, n, total] = [positives.length, negatives.length, all.length];
  const withPositive = all.filter(({ hasPositive }) => hasPositive).length;
  const withNegative = all.filter(({ hasNegative }) => hasNegative).length;
  const scale = (count: number): number => (count > 1 ? count / (count - 1) : 1);
  const sum = (of: (group: (typeof all)[number]) => number): number => all.reduce((sofar, group) => sofar + of(group), 0);
  const s10 = (scale(withPositive) / m) * sum(({ positive }) => positive ** 2);
  const s01 = (scale(withNegative) / n) * sum(({ negative }) => negative ** 2);
  const s11 = scale(total) * sum(({ positive, negative }) => positive * negative);
  return Math.max(0, s10 / m + s01 / n + (2 * s11) / (m * n));
}

/**
 * Average precision: the sum over thresholds of precision times the recall gained there (Boyd, Eng and Page 2013, ECML PKDD,
 * LNCS 8190:451-466), with their interval on the logit scale, its size being the number of groups that hold a positive. Null
 * where a class is empty.
 */
export function averagePrecision(scored: readonly ScoredVerdict[]): Area | null {
  const points = operatingPoints(scored);
  if (points.length === 0) return null;
  const positives = points.at(-1)?.tp ?? 0;
  let value = 0;
  for (const [at, { tp, precision }] of points.entries()) value += ((precision ?? 0) * (tp - (points[at - 1]?.tp ?? 0))) / positives;
  const groups = new Set(scored.flatMap(({ positive, group }) => (positive ? [group] : []))).size;
  return { value, ...logitInterval(value, Math.sqrt((value * (1 - value)) / groups), groups) };
}

function logitInterval(value: number, error: number, size: number): { low: number; high: number } {
  if (!(error > 0) || value <= 0 || value >= 1) {
    const interval = wilson(value * size, size);
    return { low: interval?.low ?? 0, high: interval?.high ?? 1 };
  }
  const logit = Math.log(value / (1 - value));
  const half = (z95 * error) / (value * (1 - value));
  return { low: 1 / (1 + Math.exp(half - logit)), high: 1 / (1 + Math.exp(-half - logit)) };
}

/** At most `most` of the points, the ends among them, evenly along the curve: enough to draw it. */
export function thinned(points: readonly CurvePoint[], most = 101): CurvePoint[] {
  if (points.length <= most) return [...points];
  return Array.from({ length: most }, (_, at) => points[Math.round((at * (points.length - 1)) / (most - 1))] as CurvePoint);
}
