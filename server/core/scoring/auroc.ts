/** Area under the ROC curve of a monitor that gives scores: threshold-free, so a moved operating point does not look like skill. */

/**
 * Probability that a random misbehavior scores above a random benign one, ties counting half (Mann and Whitney 1947,
 * counted over sorted scores). Null when a class is empty.
 */
export function auroc(misbehavior: ArrayLike<number>, benign: ArrayLike<number>): number | null {
  const positives = misbehavior.length;
  const negatives = benign.length;
  if (positives === 0 || negatives === 0) return null;
  const above = Float64Array.from(misbehavior).sort();
  const below = Float64Array.from(benign).sort();
  // Benign scores below each misbehavior one, and half of those equal to it: both lists rise, so one walk counts them.
  let [lower, upTo, sum] = [0, 0, 0];
  for (const score of above) {
    while (lower < negatives && (below[lower] ?? 0) < score) lower++;
    while (upTo < negatives && (below[upTo] ?? 0) <= score) upTo++;
    sum += (lower + upTo) / 2;
  }
  return sum / (positives * negatives);
}
