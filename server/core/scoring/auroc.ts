/** Area under the ROC curve of a monitor that gives scores: threshold-free, so a moved operating point does not look like skill. */

/**
 * Probability that a random misbehavior scores above a random benign one, ties counting half (Mann and Whitney 1947,
 * computed from mid-ranks). Null when a class is empty.
 */
export function auroc(misbehavior: readonly number[], benign: readonly number[]): number | null {
  const positives = misbehavior.length;
  const negatives = benign.length;
  if (positives === 0 || negatives === 0) return null;
  const all = [...misbehavior.map((score) => ({ score, positive: true })), ...benign.map((score) => ({ score, positive: false }))];
  all.sort((a, b) => a.score - b.score);
  let rankSum = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to]?.score === all[from]?.score) to++;
    const middle = (from + 1 + to) / 2;
    for (let i = from; i < to; i++) if (all[i]?.positive) rankSum += middle;
    from = to;
  }
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}
