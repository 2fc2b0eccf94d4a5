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
  /** Where samples with gold have no usable verdict (invalid, missing, stale): the rate if it had been right on all of them, and wrong on all. */
  readonly bounds?: { readonly low: number | null; readonly high: number | null; readonly unusable: number };
  /** Why `value` is null. */
  readonly reason?: string;
}

export interface RateInput {
  readonly numerator: number;
  readonly denominator: number;
  /** Invalid verdicts that would have belonged to this denominator. */
  readonly invalid: number;
  readonly clusters?: readonly Cluster[];
  /** Undecided samples by whether they would join the numerator or only the denominator. */
  readonly undecided?: { readonly hits: number; readonly others: number };
  /** Samples that would belong to the denominator, had they a usable verdict; invalid ones among them. */
  readonly unusable?: number;
  /** Said where the denominator is 0. */
  readonly reason?: string;
}

/** `numerator / denominator` with everything a reader needs to judge it. */
export function makeRate(input: RateInput): Rate {
  const { numerator, denominator, invalid, undecided } = input;
  const interval = wilson(numerator, denominator);
  const clustered = input.clusters ? clusteredInterval(input.clusters) : undefined;
  const unusable = input.unusable ?? 0;
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
    ...(unusable > 0 ? { bounds: { low: ratio(numerator, denominator + unusable), high: ratio(numerator + unusable, denominator + unusable), unusable } } : {}),
    ...(denominator > 0 || input.reason === undefined ? {} : { reason: input.reason }),
  };
}

/** Whether a rate has no value although something could be divided by: people's choice of samples forbids it. */
export function isWithheld({ value, denominator }: Pick<Rate, "value" | "denominator">): boolean {
  return value === null && denominator > 0;
}

/** `a / b`, or null where `b` is 0. */
export function ratio(a: number, b: number): number | null {
  return b > 0 ? a / b : null;
}
