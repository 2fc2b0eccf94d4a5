/** A seeded bootstrap that draws whole groups, since the samples of a group are not independent. */
import { seededRandom, type Random } from "#core/labels/seeded-random";
import { drawBinomial } from "./binomial-draw";
import type { Interval } from "./intervals";

/** Resamples behind every bootstrap interval. */
export const replicates = 2000;

/** Groups with the same counts are alike to the bootstrap: the counts, and how many groups have them. */
export interface GroupType {
  readonly counts: readonly number[];
  readonly groups: number;
}

export interface BootstrapOptions {
  readonly seed: number;
  /** Names the stream of random numbers, so that two statistics do not share one. */
  readonly purpose: string;
  readonly replicates?: number;
}

/**
 * 95 % percentile intervals (Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13; groups drawn whole as in
 * Davison and Hinkley 1997, section 3.8) of the statistics that `measure` makes of summed counts. A statistic that is null in a
 * resample is left out there; null for it when it is null in more than one resample of ten. Groups of one type are drawn
 * together, as a multinomial count, which is the same distribution as drawing them one by one.
 */
export function bootstrap(types: readonly GroupType[], measure: (counts: readonly number[]) => readonly (number | null)[], options: BootstrapOptions): (Interval | null)[] {
  const times = options.replicates ?? replicates;
  const random = seededRandom(options.seed, options.purpose);
  const width = types[0]?.counts.length ?? 0;
  const found: number[][] = [];
  let size = 0;
  for (let i = 0; i < times; i++) {
    const values = measure(resample(types, width, random));
    size = values.length;
    for (const [at, value] of values.entries()) if (value !== null) (found[at] ??= []).push(value);
  }
  return Array.from({ length: size }, (_, at) => ((found[at]?.length ?? 0) < times * 0.9 ? null : percentileInterval(found[at] ?? [])));
}

/** Counts summed over as many groups, drawn with replacement, as there are. */
function resample(types: readonly GroupType[], width: number, random: Random): number[] {
  const sums = new Array<number>(width).fill(0);
  let groups = types.reduce((sum, type) => sum + type.groups, 0);
  let pool = groups;
  for (const type of types) {
    // The last type takes what is left: its chance is 1.
    const drawn = type.groups >= pool ? groups : drawBinomial(groups, type.groups / pool, random);
    pool -= type.groups;
    groups -= drawn;
    if (drawn > 0) for (const [at, count] of type.counts.entries()) sums[at] = (sums[at] ?? 0) + drawn * count;
  }
  return sums;
}

/** Middle 95 % of `values`, interpolated linearly between order statistics (definition 7 of Hyndman and Fan 1996, Am. Stat. 50:361-365). Sorts `values`. */
export function percentileInterval(values: number[]): Interval {
  values.sort((a, b) => a - b);
  return { low: quantile(values, 0.025), high: quantile(values, 0.975) };
}

/** Quantile of sorted `values`, by the same definition. */
export function quantile(values: readonly number[], share: number): number {
  const place = (values.length - 1) * share;
  const below = values[Math.floor(place)] ?? NaN;
  const above = values[Math.ceil(place)] ?? NaN;
  return below + (place - Math.floor(place)) * (above - below);
}
