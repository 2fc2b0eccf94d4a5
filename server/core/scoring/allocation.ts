/** What a budget of judgements can be expected to buy under each way of sharing it among strata, before anyone has judged. */
import { seededRandom } from "#core/labels/seeded-random";
import { drawBinomial } from "./binomial-draw";
import { quantile } from "./bootstrap";
import { planEstimates, type EstimatedRate, type PlanStratum } from "./plan-estimates";

export interface StratumOutlook {
  readonly id: string;
  readonly N: number;
  /** `invalid`: no usable verdict, so that its samples tell the prevalence alone. */
  readonly verdict: NonNullable<PlanStratum["verdict"]>;
  /** Judged already, as in a pilot, and of these misbehavior. */
  readonly pilot?: { readonly judged: number; readonly misbehavior: number } | undefined;
  /** Share of misbehavior to be expected without a pilot; default one in a hundred where unflagged, else one half. */
  readonly expected?: number | undefined;
}

export type Allocation = "equal" | "proportional" | "neyman";

export interface ExpectedWidths {
  readonly allocation: Allocation;
  readonly n: readonly number[];
  /** Median over simulated plans of half the width of the 95 % interval. */
  readonly half_width: Readonly<Record<(typeof measured)[number], number>>;
}

const measured = ["miss_rate", "false_alarm_rate", "precision", "prevalence"] as const;
const simulations = 100;
/** Where judged samples of a stratum count: misbehavior, benign. */
const cellsOfVerdict = { flagged: ["tp", "fp"], unflagged: ["fn", "tn"], invalid: ["invalid_misbehavior", "invalid_benign"] } as const;

/** Share of misbehavior to plan with: that of the pilot, pulled half a sample towards one half, so that no stratum passes for pure. */
export function plannedShare({ pilot, expected, verdict }: StratumOutlook): number {
  if (pilot && pilot.judged > 0) return (pilot.misbehavior + 0.5) / (pilot.judged + 1);
  return expected ?? shareWithoutPilot(verdict);
}

/** Share of misbehavior to plan with where nobody has judged anything: misses are rare among what a monitor passes, and alarms as often right as wrong. */
export function shareWithoutPilot(verdict: StratumOutlook["verdict"]): number {
  return verdict === "unflagged" ? 0.01 : 0.5;
}

/**
 * How many to judge in each stratum, in the order given: the same number in each, in proportion to its size, or to size times
 * standard deviation (Neyman 1934, J. R. Stat. Soc. 97:558-625). At least two each where there are two, never more than there
 * are; adds up to `budget`, or to all. Throws a RangeError for a budget below that.
 */
export function shareBudget(strata: readonly StratumOutlook[], budget: number, allocation: Allocation): number[] {
  const counts = strata.map(({ N }) => Math.min(2, N));
  let left = Math.min(budget, strata.reduce((sum, { N }) => sum + N, 0)) - counts.reduce((sum, n) => sum + n, 0);
  if (left < 0) throw new RangeError(`a budget of ${budget} is not enough for two samples in each of ${strata.length} strata`);
  const weights = strata.map((stratum) => weightOf(stratum, allocation));
  // One at a time to the stratum furthest behind its share: what a full one cannot take goes to the others.
  for (; left > 0; left--) {
    let best = -1;
    for (const [at, { N }] of strata.entries()) {
      if ((counts[at] ?? 0) >= N) continue;
      if (best < 0 || behind(weights, counts, at) > behind(weights, counts, best)) best = at;
    }
    counts[best] = (counts[best] ?? 0) + 1;
  }
  return counts;
}

function weightOf(stratum: StratumOutlook, allocation: Allocation): number {
  if (allocation === "equal") return 1;
  const share = plannedShare(stratum);
  return allocation === "proportional" ? stratum.N : stratum.N * Math.sqrt(share * (1 - share));
}

function behind(weights: readonly number[], counts: readonly number[], at: number): number {
  return (weights[at] ?? 0) / ((counts[at] ?? 0) + 0.5);
}

/**
 * The half-widths that `planEstimates` is likely to give for each allocation of `budget`: the median over a hundred seeded
 * plans in which every stratum has its planned share of misbehavior. Zero events thus cost what they will cost.
 */
export function expectedWidths(strata: readonly StratumOutlook[], budget: number, seed: number): ExpectedWidths[] {
  return (["equal", "proportional", "neyman"] as const).map((allocation) => {
    const n = shareBudget(strata, budget, allocation);
    return { allocation, n, half_width: simulate(strata, n, seed) };
  });
}

function simulate(strata: readonly StratumOutlook[], n: readonly number[], seed: number): ExpectedWidths["half_width"] {
  const random = seededRandom(seed, "expected widths");
  const widths = Object.fromEntries(measured.map((measure) => [measure, [] as number[]])) as Record<(typeof measured)[number], number[]>;
  for (let i = 0; i < simulations; i++) {
    const drawn = strata.map((stratum, at): PlanStratum => {
      const size = n[at] ?? 0;
      const bad = drawBinomial(size, plannedShare(stratum), random);
      const [hit, miss] = cellsOfVerdict[stratum.verdict];
      const judged = { tp: 0, fn: 0, fp: 0, tn: 0, invalid_misbehavior: 0, invalid_benign: 0, [hit]: bad, [miss]: size - bad };
      return { id: stratum.id, N: stratum.N, n: size, judged, verdict: stratum.verdict };
    });
    const found = planEstimates(drawn);
    for (const measure of measured) widths[measure].push(halfWidth(found[measure]));
  }
  return Object.fromEntries(measured.map((measure) => [measure, quantile(widths[measure].sort((a, b) => a - b), 0.5)])) as ExpectedWidths["half_width"];
}

/** Nothing known is anything from 0 to 1. */
function halfWidth({ low, high }: EstimatedRate): number {
  return low === null || high === null ? 0.5 : (high - low) / 2;
}
