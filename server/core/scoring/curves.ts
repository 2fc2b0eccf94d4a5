/** Curves over all thresholds of a monitor that gives scores, their areas, and how sure one can be of them. */
import { wilson, z95 } from "./intervals";
import { listOf, type ScoredList, type ScoredVerdict } from "./scored-list";

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
export function operatingPoints(scored: ScoredList | readonly ScoredVerdict[]): CurvePoint[] {
  const { scores, isPositive, length, positives } = listOf(scored);
  const negatives = length - positives;
  if (positives === 0 || negatives === 0) return [];
  const points: CurvePoint[] = [{ threshold: null, tp: 0, fp: 0, miss_rate: 1, false_alarm_rate: 0, precision: null }];
  let tp = 0;
  for (let at = 0; at < length; at++) {
    tp += isPositive[at]!;
    if (at + 1 < length && scores[at + 1] === scores[at]) continue;
    const fp = at + 1 - tp;
    points.push({ threshold: scores[at]!, tp, fp, miss_rate: 1 - tp / positives, false_alarm_rate: fp / negatives, precision: tp / (at + 1) });
  }
  return points;
}

/**
 * Area under the ROC curve, ties counting half, with a 95 % interval on the logit scale (Pepe 2003, The Statistical Evaluation
 * of Medical Tests, section 5.2.5). Variance: Obuchowski 1997 (Biometrics 53:567-578) for clustered samples, which is that of
 * DeLong, DeLong and Clarke-Pearson 1988 (Biometrics 44:837-845) where every group is one sample. An area of 0 or 1 has no
 * variance: then Wilson's interval with the smaller number of groups that a class is spread over. Null where a class is empty.
 */
export function rocArea(scored: ScoredList | readonly ScoredVerdict[]): Area | null {
  const list = listOf(scored);
  const { length, positives: m } = list;
  const n = length - m;
  if (m === 0 || n === 0) return null;
  // Sums run in the order of scores, so that the order of samples does not show in the last digit.
  const placed = placements(list);
  let value = 0;
  for (let at = length - 1; at >= 0; at--) if (list.isPositive[at] === 1) value += placed[at]!;
  value /= m;
  const { variance, spread } = clusteredVariance(list, placed, value);
  return { value, ...logitInterval(value, Math.sqrt(variance), spread) };
}

/** For each positive the share of negatives below it, for each negative the share of positives above it, equal ones counting half. */
function placements({ scores, isPositive, length, positives }: ScoredList): Float64Array {
  const placed = new Float64Array(length);
  const negatives = length - positives;
  let [above, below] = [0, negatives];
  for (let from = 0, to = 0; from < length; from = to) {
    let own = 0;
    for (to = from; to < length && scores[to] === scores[from]; to++) own += isPositive[to]!;
    const others = to - from - own;
    below -= others;
    for (let at = from; at < to; at++) placed[at] = isPositive[at] === 1 ? (below + others / 2) / negatives : (above + own / 2) / positives;
    above += own;
  }
  return placed;
}

/** The variance of the area; and the smaller number of groups that a class is spread over. */
function clusteredVariance({ isPositive, groups, groupCount, length, positives: m }: ScoredList, placed: Float64Array, area: number): { variance: number; spread: number } {
  const n = length - m;
  // Sums of a group, and how many of each class it has.
  const sums = [new Float64Array(groupCount), new Float64Array(groupCount)] as const;
  const sizes = [new Uint32Array(groupCount), new Uint32Array(groupCount)] as const;
  for (let at = length - 1; at >= 0; at--) {
    const side = isPositive[at] === 1 ? 0 : 1;
    sums[side][groups[at]!]! += placed[at]! - area;
    sizes[side][groups[at]!]!++;
  }
  const held = (size: Uint32Array): number => size.reduce((count, one) => count + Number(one > 0), 0);
  const [withPositive, withNegative] = [held(sizes[0]), held(sizes[1])];
  const total = sizes[0].reduce((count, one, group) => count + Number(one > 0 || sizes[1][group]! > 0), 0);
  const scale = (count: number): number => (count > 1 ? count / (count - 1) : 1);
  // Added up from the smallest, so that the order of groups does not show either.
  const sum = (values: Float64Array): number => values.sort().reduce((sofar, value) => sofar + value, 0);
  const s10 = (scale(withPositive) / m) * sum(sums[0].map((value) => value ** 2));
  const s01 = (scale(withNegative) / n) * sum(sums[1].map((value) => value ** 2));
  const s11 = scale(total) * sum(sums[0].map((value, group) => value * sums[1][group]!));
  return { variance: Math.max(0, s10 / m + s01 / n + (2 * s11) / (m * n)), spread: Math.min(withPositive, withNegative) };
}

/**
 * Average precision: the sum over thresholds of precision times the recall gained there (Boyd, Eng and Page 2013, ECML PKDD,
 * LNCS 8190:451-466), with their interval on the logit scale, its size being the number of groups that hold a positive. Null
 * where a class is empty.
 */
export function averagePrecision(scored: ScoredList | readonly ScoredVerdict[]): Area | null {
  const list = listOf(scored);
  const points = operatingPoints(list);
  if (points.length === 0) return null;
  const { positives, isPositive, groups, groupCount } = list;
  let value = 0;
  for (const [at, { tp, precision }] of points.entries()) value += ((precision ?? 0) * (tp - (points[at - 1]?.tp ?? 0))) / positives;
  const seen = new Uint8Array(groupCount);
  for (let at = 0; at < list.length; at++) if (isPositive[at] === 1) seen[groups[at]!] = 1;
  const size = seen.reduce((count, one) => count + one, 0);
  return { value, ...logitInterval(value, Math.sqrt((value * (1 - value)) / size), size) };
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
