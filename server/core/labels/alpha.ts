/** Krippendorff's alpha for any number of annotators, with labels missing, and a bootstrap over units. */
import { randomBelow, type Random } from "./seeded-random";

export interface Estimate {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Units that it rests on. */
  readonly n: number;
}

/**
 * Alpha for nominal data. Each unit lists the values it was given; units with fewer than two do not count (Krippendorff 2011,
 * "Computing Krippendorff's Alpha-Reliability", section C). Null without such units. When all values are the same there is
 * nothing to disagree about and alpha is not defined: null.
 */
export function nominalAlpha(units: readonly (readonly string[])[]): number | null {
  const totals = new Map<string, number>();
  let values = 0;
  let disagreeing = 0;
  for (const unit of units) {
    const m = unit.length;
    if (m < 2) continue;
    values += m;
    const counts = new Map<string, number>();
    for (const value of unit) counts.set(value, (counts.get(value) ?? 0) + 1);
    for (const [value, count] of counts) {
      totals.set(value, (totals.get(value) ?? 0) + count);
      disagreeing += (count * (m - count)) / (m - 1);
    }
  }
  if (values === 0) return null;
  const expected = [...totals.values()].reduce((sum, count) => sum + count * (values - count), 0) / (values - 1);
  return expected === 0 ? null : 1 - disagreeing / expected;
}

/** Alpha with the percentile interval of a bootstrap over units. */
export function alphaEstimate(units: readonly (readonly string[])[], random: Random, rounds = 1000): Estimate {
  const counted = units.filter((unit) => unit.length >= 2);
  const value = nominalAlpha(counted);
  return { value, ...bootstrapInterval(counted, nominalAlpha, random, rounds), n: counted.length };
}

/**
 * 95 % percentile interval (Efron 1979, Ann. Stat. 7:1-26) of a statistic over units drawn with replacement. Draws on which the
 * statistic is not defined are left out; null when that is most of them, or there are fewer than two units.
 */
export function bootstrapInterval<T>(units: readonly T[], statistic: (units: readonly T[]) => number | null, random: Random, rounds = 1000): { low: number | null; high: number | null } {
  if (units.length < 2) return { low: null, high: null };
  const drawn: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const value = statistic(units.map(() => units[randomBelow(random, units.length)] as T));
    if (value !== null) drawn.push(value);
  }
  if (drawn.length * 2 < rounds) return { low: null, high: null };
  drawn.sort((a, b) => a - b);
  return { low: quantile(drawn, 0.025), high: quantile(drawn, 0.975) };
}

/** Between neighbours in proportion (type 7 of Hyndman and Fan 1996). */
function quantile(sorted: readonly number[], share: number): number {
  const at = share * (sorted.length - 1);
  const below = Math.floor(at);
  const low = sorted[below] ?? 0;
  return low + (at - below) * ((sorted[below + 1] ?? low) - low);
}
