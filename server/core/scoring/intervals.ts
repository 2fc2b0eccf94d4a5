/** Intervals for a proportion, and the quantiles they need. */

/** Two-sided 95 % point of the standard normal distribution. */
export const z95 = 1.959963984540054;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * Wilson's score interval for `successes` of `trials` (Wilson 1927, J. Am. Stat. Assoc. 22:209-212; the form recommended by
 * Brown, Cai and DasGupta 2001, Stat. Sci. 16:101-133). Both may be fractional, as with an effective sample size. Null
 * when `trials` is 0.
 */
export function wilson(successes: number, trials: number, z = z95): Interval | null {
  if (!(trials > 0)) return null;
  const p = successes / trials;
  const zz = (z * z) / trials;
  const centre = (p + zz / 2) / (1 + zz);
  const half = (z / (1 + zz)) * Math.sqrt((p * (1 - p)) / trials + zz / (4 * trials));
  // At the ends the formula gives exactly 0 or 1 but for rounding.
  return { low: successes <= 0 ? 0 : Math.max(0, centre - half), high: successes >= trials ? 1 : Math.min(1, centre + half) };
}

/**
 * Two-sided 95 % point of Student's t with `df` degrees of freedom (a positive whole number): the exact finite sum of its
 * distribution function (Abramowitz and Stegun, 26.7.3 and 26.7.4), inverted by bisection. Above 1000 the normal point.
 */
export function t95(df: number): number {
  if (df > 1000) return z95;
  let low = z95;
  let high = 13; // df = 1 gives 12.706
  while (high - low > 1e-10) {
    const middle = (low + high) / 2;
    if (withinT(middle, df) < 0.95) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Probability that Student's t with `df` degrees of freedom lies between -t and t. */
function withinT(t: number, df: number): number {
  const theta = Math.atan(t / Math.sqrt(df));
  const cos2 = Math.cos(theta) ** 2;
  const odd = df % 2 === 1;
  let term = odd ? Math.cos(theta) : 1;
  let sum = df === 1 ? 0 : term;
  for (let i = odd ? 2 : 1; i <= df - 3; i += 2) {
    term *= (i / (i + 1)) * cos2;
    sum += term;
  }
  return odd ? (2 / Math.PI) * (theta + Math.sin(theta) * sum) : Math.sin(theta) * sum;
}
