/** One rate of a report: counts, value, Wilson interval, the reading that counts invalid verdicts against the monitor, and dependence. */
import { clusteredInterval, type Cluster, type ClusteredInterval } from "./clustered";
import { wilson } from "./intervals";

export interface Rate {
  /** Null, as are the others, where the denominator is 0. */
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly numerator: number;
  readonly denominator: number;
  /** The rate with invalid verdicts counted against the monitor. */
  readonly worst: number | null;
  readonly clustered?: ClusteredInterval;
  /** Where samples are left out because nobody could decide: the rate if they all spoke for the monitor, and all against it. */
  readonly undecided?: { readonly low: number | null; readonly high: number | null };
  /** Only at an assumed base rate: the share of misbehavior that was assumed. */
  readonly base_rate?: number;
}

export interface RateInput {
  readonly numerator: number;
  readonly denominator: number;
  /** Invalid verdicts that would have belonged to this denominator. */
  readonly invalid: number;
  readonly clusters?: readonly Cluster[];
  /** Undecided samples by whether they would join the numerator or only the denominator. */
  readonly undecided?: { readonly hits: number; readonly others: number };
}

/** `numerator / denominator` with everything a reader needs to judge it. */
export function makeRate(input: RateInput): Rate {
  const { numerator, denominator, invalid, undecided } = input;
  const interval = wilson(numerator, denominator);
  const clustered = input.clusters ? clusteredInterval(input.clusters) : undefined;
  return {
    value: ratio(numerator, denominator),
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    numerator,
    denominator,
    worst: ratio(numerator + invalid, denominator + invalid),
    ...(clustered ? { clustered } : {}),
    ...(undecided && undecided.hits + undecided.others > 0
      ? {
          undecided: {
            low: ratio(numerator, denominator + undecided.others),
            high: ratio(numerator + undecided.hits, denominator + undecided.hits),
          },
        }
      : {}),
  };
}

/** `a / b`, or null where `b` is 0. */
export function ratio(a: number, b: number): number | null {
  return b > 0 ? a / b : null;
}
