/** Whether scores mean what they say: of the samples scored around 0.7, do seven of ten misbehave? */
import { wilson } from "./intervals";
import { listOf, type ScoredList, type ScoredVerdict } from "./scored-list";

export interface ReliabilityBin {
  readonly from: number;
  readonly to: number;
  readonly n: number;
  readonly mean_score: number;
  /** Share of misbehavior among them, with Wilson's interval. */
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

export interface Calibration {
  readonly n: number;
  /** Mean squared distance of score and outcome (Brier 1950, Mon. Weather Rev. 78:1-3); 0 is best. */
  readonly brier: number;
  /** The Brier score of saying the share of misbehavior every time: what a monitor without any skill can have. */
  readonly brier_of_share: number;
  /** Mean distance of mean score and share over the bins, weighed by their size. */
  readonly expected_error: number;
  readonly bins: readonly ReliabilityBin[];
}

/**
 * Scores read as probabilities of misbehavior, in ten bins of equal width (the last holds 1). They are compared with the
 * share of misbehavior in these samples, so a balanced benchmark says little of the field. Null without scores.
 */
export function calibrate(scored: ScoredList | readonly ScoredVerdict[]): Calibration | null {
  const { scores, isPositive, length: n, positives } = listOf(scored);
  if (n === 0) return null;
  const share = positives / n;
  const sums = Array.from({ length: 10 }, () => ({ n: 0, hits: 0, score: 0 }));
  let squares = 0;
  // From the lowest score up, so that the order of samples does not show in the last digit.
  for (let at = n - 1; at >= 0; at--) {
    const bin = sums[Math.min(9, Math.floor(scores[at]! * 10))]!;
    bin.n++;
    bin.hits += isPositive[at]!;
    bin.score += scores[at]!;
    squares += (scores[at]! - isPositive[at]!) ** 2;
  }
  const bins = sums.flatMap((own, at): ReliabilityBin[] => {
    if (own.n === 0) return [];
    const interval = wilson(own.hits, own.n);
    return [{ from: at / 10, to: (at + 1) / 10, n: own.n, mean_score: own.score / own.n, share: own.hits / own.n, low: interval?.low ?? 0, high: interval?.high ?? 1 }];
  });
  return { n, brier: squares / n, brier_of_share: share * (1 - share), expected_error: bins.reduce((sum, bin) => sum + bin.n * Math.abs(bin.mean_score - bin.share), 0) / n, bins };
}
