/** Logarithms of factorials and binomial coefficients, for exact probabilities over counts of any size. */

const small: number[] = [0, 0];

/**
 * ln(n!) for a whole number n >= 0: summed up to 255, above that Stirling's series to the term in 1/n^5 (Abramowitz and Stegun,
 * 6.1.41), whose error there is below 1e-19.
 */
export function logFactorial(n: number): number {
  if (n < 256) {
    for (let k = small.length; k <= n; k++) small.push((small[k - 1] ?? 0) + Math.log(k));
    return small[n] ?? 0;
  }
  const inverse = 1 / n;
  const square = inverse * inverse;
  return (n + 0.5) * Math.log(n) - n + 0.9189385332046727 + inverse * (1 / 12 - square * (1 / 360 - square / 1260));
}

/** ln of the number of ways to choose `k` of `n`; -Infinity where there is none. */
export function logChoose(n: number, k: number): number {
  return k < 0 || k > n ? -Infinity : logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}
