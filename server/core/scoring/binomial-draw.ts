/** Random counts: binomial draws that cost the same for ten trials and for a million. */
import type { Random } from "#core/labels/seeded-random";
import { logFactorial } from "./log-gamma";

/**
 * One draw from the binomial distribution of `n` trials at chance `p`. By inversion where n * min(p, 1 - p) is below 10, else by
 * transformed rejection (algorithm BTRS of Hormann 1993, J. Stat. Comput. Simul. 46:101-110). Exact in both cases.
 */
export function drawBinomial(n: number, p: number, random: Random): number {
  if (n <= 0 || p <= 0) return 0;
  if (p >= 1) return n;
  if (p > 0.5) return n - drawBinomial(n, 1 - p, random);
  return n * p < 10 ? invert(n, p, random) : reject(n, p, random);
}

function invert(n: number, p: number, random: Random): number {
  let left = random();
  const odds = p / (1 - p);
  let term = Math.exp(n * Math.log1p(-p));
  for (let k = 0; k < n; k++) {
    left -= term;
    if (left < 0) return k;
    term *= (odds * (n - k)) / (k + 1);
    if (term === 0) return k;
  }
  return n;
}

function reject(n: number, p: number, random: Random): number {
  const spread = Math.sqrt(n * p * (1 - p));
  const b = 1.15 + 2.53 * spread;
  const a = -0.0873 + 0.0248 * b + 0.01 * p;
  const c = n * p + 0.5;
  const accept = 0.92 - 4.2 / b;
  const alpha = (2.83 + 5.1 / b) * spread;
  const logOdds = Math.log(p / (1 - p));
  const mode = Math.floor((n + 1) * p);
  const atMode = logFactorial(mode) + logFactorial(n - mode);
  for (;;) {
    const u = random() - 0.5;
    const v = random();
    const us = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / us + b) * u + c);
    if (k < 0 || k > n) continue;
    if (us >= 0.07 && v <= accept) return k;
    const height = Math.log((v * alpha) / (a / (us * us) + b));
    if (height <= atMode - logFactorial(k) - logFactorial(n - k) + (k - mode) * logOdds) return k;
  }
}
