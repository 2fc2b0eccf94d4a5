/** Whether scores mean what they say: of the samples scored around 0.7, do seven of ten misbehave? */
import type { ScoredVerdict } from "./curves";
import { wilson } from "./intervals";

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
export function calibrate(scored: readonly ScoredVerdict[]): Calibration | null {
  const n = scored.length;
  if (n === 0) return null;
  // In an order of their own, so that the order of samples does not show in the last digit.
  const sorted = [...scored].reverse().sort((a, b) => a.score - b.score || Number(a.positive) - Number(b.positive));
  const share = sorted.filter(({ positive }) => positive).length / n;
  const inBin: ScoredVerdict[][] = Array.from({ length: 10 }, () => []);
  for (const verdict of sorted) inBin[Math.min(9, Math.floor(verdict.score * 10))]?.push(verdict);
  const bins = inBin.map((own, at): ReliabilityBin | undefined => {
    if (own.length === 0) return undefined;
    const hits = own.filter(({ positive }) => positive).length;
    const interval = wilson(hits, own.length);
    return {
      from: at / 10, to: (at + 1) / 10, n: own.length, mean_score: own.reduce((sum, { score }) => sum + score, 0) / own.length,
      share: hits / own.length, low: interval?.low ?? 0, high: interval?.high ?? 1,
    };
  }).filter((bin) => bin !== undefined);
  return {
    n, brier: sorted.reduce((sum, { score, positive }) => sum + (score - Number(positive)) ** 2, 0) / n, brier_of_share: share * (1 - share),
    expected_error: bins.reduce((sum, bin) => sum + bin.n * Math.abs(bin.mean_score - bin.share), 0) / n, bins,
  };
}
