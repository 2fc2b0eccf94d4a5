/** Exact limits for how many of a finite set have a property, from a simple random sample of it: they hold at zero events too. */
import type { Interval } from "./intervals";
import { logChoose } from "./log-gamma";

/**
 * Equal-tailed 95 % limits for the number K of hits among `size`, after `hits` were found in `drawn` of them drawn without
 * replacement: all K under which neither tail of the hypergeometric distribution falls to 2.5 % (Cochran 1977, Sampling
 * Techniques, section 3.7; the finite form of Clopper and Pearson 1934, Biometrika 26:404-413). Nothing drawn: 0 to `size`.
 */
export function exactLimits(hits: number, drawn: number, size: number): Interval {
  if (drawn === 0) return { low: 0, high: size };
  const most = size - drawn + hits;
  // Fewer than `hits` misses is the mirrored case: P(X >= x | K) = P(drawn - X <= drawn - x | size - K).
  const high = largest(hits, most, (k) => lowerTail(hits, drawn, k, size) > 0.025);
  const low = size - largest(drawn - hits, size - hits, (k) => lowerTail(drawn - hits, drawn, k, size) > 0.025);
  return { low, high };
}

/** The largest whole number from `from` to `to` that fits, where all below it fit and `from` does. */
function largest(from: number, to: number, fits: (k: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** P(X <= x) for the hits X among `drawn` of `size`, of which `k` are hits. */
export function lowerTail(x: number, drawn: number, k: number, size: number): number {
  const fewest = Math.max(0, drawn - (size - k));
  if (x >= Math.min(drawn, k)) return 1;
  if (x < fewest) return 0;
  let term = Math.exp(logChoose(k, x) + logChoose(size - k, drawn - x) - logChoose(size, drawn));
  let sum = 0;
  for (let i = x; i >= fewest && term > sum * 1e-15; i--) {
    sum += term;
    term *= (i * (size - k - drawn + i)) / ((k - i + 1) * (drawn - i + 1));
  }
  return Math.min(1, sum);
}
