/** What a plan can be expected to tell: half the width of the 95 % interval of each rate, before anybody has judged anything. */
import { expectedWidths, shareWithoutPilot, type ExpectedWidths, type StratumOutlook } from "#core/scoring/allocation";
import { z95 } from "#core/scoring/intervals";
import type { Draw, Drawn } from "./plan-draw";
import type { FrameSample } from "./plan-strata";

export interface ExpectedPrecision {
  /** Half the width; null where the plan draws nothing that the rate is about, or the run gives no verdicts. */
  readonly miss_rate: number | null;
  readonly false_alarm_rate: number | null;
}

/**
 * Expected half-widths of a plan whose probabilities are known; null for any other plan. Each stratum is taken to hold the
 * share of misbehavior that its gold shows so far, pulled towards one half, and without any gold what `shareWithoutPilot` says;
 * verdicts are those of the frame's run. The variance
 * is that of a ratio of two stratified totals (Cochran 1977, Sampling Techniques, 6.11), with the finite population correction.
 */
export function expectedPrecision(frame: readonly FrameSample[], draw: Draw): ExpectedPrecision | null {
  if (!draw.probability) return null;
  const strata = cellsOf(frame, draw);
  return { miss_rate: halfWidth(strata, "misbehavior"), false_alarm_rate: halfWidth(strata, "benign") };
}

/**
 * What each way of sharing the budget among this plan's strata would buy, by simulated plans. Undefined unless every stratum
 * holds only flagged samples, only passed ones, or only such without a usable verdict: strata by verdict.
 */
export function expectedByAllocation(frame: readonly FrameSample[], draw: Draw, seed: number): ExpectedWidths[] | undefined {
  if (!draw.probability || draw.strata.length < 2) return undefined;
  const outlook = draw.strata.map(({ id, N }): StratumOutlook | undefined => {
    const samples = draw.drawn.filter(({ stratum }) => stratum === id).map(({ sample }) => sample);
    const verdicts = new Set(samples.map(verdictOf));
    const [verdict] = verdicts;
    return verdicts.size !== 1 || verdict === undefined ? undefined : { id, N, verdict, expected: shareKnown(membersLike(frame, samples)) };
  });
  if (outlook.some((one) => one === undefined) || outlook.every((one) => one?.verdict === "invalid")) return undefined;
  const budget = draw.strata.reduce((sum, { n }) => sum + n, 0);
  return expectedWidths(outlook as StratumOutlook[], budget, seed);
}

/** The drawn samples of a stratum stand for all of it; of a small one the whole verdict class does. */
function membersLike(frame: readonly FrameSample[], samples: readonly FrameSample[]): readonly FrameSample[] {
  if (samples.length >= 20) return samples;
  const verdict = samples[0] && verdictOf(samples[0]);
  return frame.filter((sample) => verdictOf(sample) === verdict);
}

function verdictOf({ verdict }: FrameSample): StratumOutlook["verdict"] {
  return verdict === undefined || verdict.outcome === "invalid" ? "invalid" : verdict.outcome === "misbehavior" ? "flagged" : "unflagged";
}

interface Cells {
  readonly N: number;
  readonly n: number;
  /** Shares of the stratum: flagged and unflagged, times the share of misbehavior expected there. */
  readonly tp: number;
  readonly fn: number;
  readonly fp: number;
  readonly tn: number;
}

function cellsOf(frame: readonly FrameSample[], draw: Draw): Cells[] {
  // Members of a stratum that were not drawn are not listed in the draw: what is drawn stands for them.
  const byStratum = new Map<string, Drawn[]>();
  for (const one of draw.drawn) byStratum.set(one.stratum, [...(byStratum.get(one.stratum) ?? []), one]);
  const overall = shareKnown(frame);
  return draw.strata.map(({ id, N, n }): Cells => {
    const samples = (byStratum.get(id) ?? []).map(({ sample }) => sample);
    const flagged = samples.filter(({ verdict }) => verdict?.outcome === "misbehavior");
    const passed = samples.filter(({ verdict }) => verdict?.outcome === "benign");
    const size = samples.length || 1;
    const pFlagged = shareOf(flagged, overall ?? shareWithoutPilot("flagged"));
    const pPassed = shareOf(passed, overall ?? shareWithoutPilot("unflagged"));
    return {
      N, n, tp: (flagged.length / size) * pFlagged, fp: (flagged.length / size) * (1 - pFlagged),
      fn: (passed.length / size) * pPassed, tn: (passed.length / size) * (1 - pPassed),
    };
  });
}

function shareOf(samples: readonly FrameSample[], otherwise = 0.5): number {
  const known = samples.filter(({ gold }) => gold !== null);
  return (known.filter(({ gold }) => gold === "misbehavior").length + otherwise) / (known.length + 1);
}

/** Undefined where no gold is known. */
function shareKnown(samples: readonly FrameSample[]): number | undefined {
  return samples.some(({ gold }) => gold !== null) ? shareOf(samples) : undefined;
}

/** What the expected widths rest on, in a sentence, where no gold is known of a frame: then they are a guess. */
export function guessBehind(frame: readonly FrameSample[]): string | undefined {
  if (frame.some(({ gold }) => gold !== null)) return undefined;
  return `no gold is known yet: the widths to be expected take ${100 * shareWithoutPilot("unflagged")} % of what the run passed and ${100 * shareWithoutPilot("flagged")} % of the rest for misbehavior; judge some of each and ask again`;
}

/** The rate is wrong / (wrong + right) within one class. */
function halfWidth(strata: readonly Cells[], of: "misbehavior" | "benign"): number | null {
  const wrongOf = (cells: Cells): number => (of === "misbehavior" ? cells.fn : cells.fp);
  const rightOf = (cells: Cells): number => (of === "misbehavior" ? cells.tp : cells.tn);
  const wrong = strata.reduce((sum, cells) => sum + cells.N * wrongOf(cells), 0);
  const total = wrong + strata.reduce((sum, cells) => sum + cells.N * rightOf(cells), 0);
  if (!(total > 0)) return null;
  const rate = wrong / total;
  let variance = 0;
  for (const cells of strata) {
    const { N, n } = cells;
    if (n < 1 || n >= N) continue;
    // Residual y - R x of one sample: 1 - R when wrong, -R when right, 0 outside the class.
    const mean = wrongOf(cells) * (1 - rate) - rightOf(cells) * rate;
    const square = wrongOf(cells) * (1 - rate) ** 2 + rightOf(cells) * rate ** 2 - mean ** 2;
    variance += (N * N * (1 - n / N) * square) / n;
  }
  return (z95 * Math.sqrt(variance)) / total;
}
