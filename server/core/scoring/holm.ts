/** P values corrected for being many. */

/**
 * Holm's step-down adjusted p values, in the order given (Holm 1979, Scand. J. Stat. 6:65-70): the i-th smallest of m times
 * (m - i + 1), never below the one before it, at most 1. They hold whatever the dependence among the tests.
 */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((p, at) => ({ p, at })).sort((a, b) => a.p - b.p || a.at - b.at);
  const adjusted = new Array<number>(pValues.length).fill(1);
  let floor = 0;
  for (const [rank, { p, at }] of order.entries()) {
    floor = Math.max(floor, Math.min(1, p * (pValues.length - rank)));
    adjusted[at] = floor;
  }
  return adjusted;
}
