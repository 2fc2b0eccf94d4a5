/** Precision at the share of misbehavior that a user expects in the field, which is seldom the benchmark's. */
import { z95 } from "./intervals";
import { ratio, type Rate } from "./rate";

export interface PrecisionInput {
  readonly tp: number;
  readonly fn: number;
  readonly fp: number;
  readonly tn: number;
  readonly invalid: { readonly misbehavior: number; readonly benign: number };
}

export interface Precision extends Rate {
  readonly base_rate: number;
  /** Alarms to be expected in 1,000 runs at that base rate, and the false ones among them; null as `value` is. */
  readonly alarms_per_1000: number | null;
  readonly false_alarms_per_1000: number | null;
}

/**
 * Precision TP/(TP+FP) carried over to the base rate `r` (0 < r < 1) by Bayes: sens*r / (sens*r + far*(1-r)). Interval: the
 * logit interval of Mercaldo, Lau and Zhou 2007 (Stat. Med. 26:2170-2183); where one of the four cells is empty their
 * adjusted form, with z^2/2 added to both cells of a class, widened to hold the value. Numerator and denominator are the
 * counts TP and TP + FP behind it. Null where nothing was flagged or a class is empty. Throws a RangeError for another `r`.
 */
export function precisionAt(input: PrecisionInput, r: number): Precision {
  if (!(r > 0 && r < 1)) throw new RangeError(`a base rate lies between 0 and 1, not ${r}`);
  const { tp, fn, fp, tn, invalid } = input;
  const value = bayes(ratio(tp, tp + fn), ratio(fp, fp + tn), r);
  const worst = bayes(
    ratio(tp, tp + fn + invalid.misbehavior),
    ratio(fp + invalid.benign, fp + tn + invalid.benign),
    r,
  );
  const interval = value === null ? null : logitInterval(input, r);
  return {
    value,
    low: interval === null || value === null ? null : Math.min(interval.low, value),
    high: interval === null || value === null ? null : Math.max(interval.high, value),
    numerator: tp,
    denominator: tp + fp,
    worst,
    base_rate: r,
    ...alarmsPer1000(input, r),
    ...(value === null ? { reason: tp + fn === 0 || fp + tn === 0 ? "a class has no valid verdict" : "nothing was flagged" } : {}),
  };
}

function alarmsPer1000({ tp, fn, fp, tn }: PrecisionInput, r: number): Pick<Precision, "alarms_per_1000" | "false_alarms_per_1000"> {
  const sensitivity = ratio(tp, tp + fn);
  const falseAlarm = ratio(fp, fp + tn);
  if (sensitivity === null || falseAlarm === null) return { alarms_per_1000: null, false_alarms_per_1000: null };
  const wrong = 1000 * falseAlarm * (1 - r);
  return { alarms_per_1000: 1000 * sensitivity * r + wrong, false_alarms_per_1000: wrong };
}

function bayes(sensitivity: number | null, falseAlarm: number | null, r: number): number | null {
  if (sensitivity === null || falseAlarm === null) return null;
  return ratio(sensitivity * r, sensitivity * r + falseAlarm * (1 - r));
}

function logitInterval({ tp, fn, fp, tn }: PrecisionInput, r: number): { low: number; high: number } {
  const add = tp === 0 || fn === 0 || fp === 0 || tn === 0 ? (z95 * z95) / 2 : 0;
  const [a, b, c, d] = [tp + add, fn + add, fp + add, tn + add];
  const sensitivity = a / (a + b);
  const falseAlarm = c / (c + d);
  const logit = Math.log((sensitivity * r) / (falseAlarm * (1 - r)));
  // Variance of the logit: (1-sens)/(sens*n1) + spec/((1-spec)*n0).
  const half = z95 * Math.sqrt(b / a / (a + b) + d / c / (c + d));
  return { low: logistic(logit - half), high: logistic(logit + half) };
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
