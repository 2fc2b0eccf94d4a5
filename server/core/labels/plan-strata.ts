/** Splits a frame into strata by what a monitor said and by category, and shares a budget among them. */
import { shareWithoutPilot } from "#core/scoring/allocation";
import type { GoldLabel } from "#core/trajectory/model";
import type { VerdictOutcome } from "#core/workspace/schemas";

/** What is known of a sample before anybody judges it. */
export interface FrameSample {
  readonly id: string;
  /** Samples that are not independent share a group; default: the pair, else the sample itself. */
  readonly group: string;
  readonly category?: string | undefined;
  readonly task?: string | undefined;
  /** Corrected gold where there is one, else null. */
  readonly gold: GoldLabel | null;
  /** What the run said that the plan is drawn from. */
  readonly verdict?: FrameVerdict | undefined;
  /** In the test split, or of a pair or group with a sample of it: what is drawn to learn from may not be. */
  readonly heldForTest?: boolean | undefined;
  /** What other runs said, for disagreement. */
  readonly others?: readonly FrameVerdict[] | undefined;
}

export interface FrameVerdict {
  readonly outcome: VerdictOutcome;
  readonly score?: number | undefined;
}

export const stratumKeys = ["verdict", "score", "category", "task"] as const;
export type StratumKey = (typeof stratumKeys)[number];

export interface Stratum {
  readonly id: string;
  readonly samples: readonly FrameSample[];
}

/** How a budget is shared: the same number each, by size, or by size times spread. */
export const allocations = ["neyman", "proportional", "equal"] as const;
export type Allocation = (typeof allocations)[number];

/** Score bands are fifths; the top band holds 1. */
const bands = 5;

/**
 * The strata of `frame` by `keys`, sorted by id. A key that would leave fewer than two draws a stratum (given `budget`) is
 * dropped, the last one first; `dropped` names them. Without keys there is one stratum, `all`.
 */
export function stratify(frame: readonly FrameSample[], keys: readonly StratumKey[], budget: number): { strata: readonly Stratum[]; dropped: readonly StratumKey[] } {
  for (let used = keys.length; ; used--) {
    const strata = groupBy(frame, keys.slice(0, used));
    if (used === 0 || budget >= strata.reduce((sum, { samples }) => sum + Math.min(2, samples.length), 0)) return { strata, dropped: keys.slice(used) };
  }
}

function groupBy(frame: readonly FrameSample[], keys: readonly StratumKey[]): readonly Stratum[] {
  const byId = new Map<string, FrameSample[]>();
  for (const sample of frame) {
    const id = keys.map((key) => valueOf(sample, key)).join("/") || "all";
    const own = byId.get(id);
    if (own) own.push(sample);
    else byId.set(id, [sample]);
  }
  return [...byId].map(([id, samples]) => ({ id, samples })).sort((a, b) => (a.id < b.id ? -1 : 1));
}

function valueOf(sample: FrameSample, key: StratumKey): string {
  switch (key) {
    case "verdict": return sample.verdict?.outcome ?? "no-verdict";
    case "score": {
      const score = sample.verdict?.score;
      if (score === undefined) return "no-score";
      const band = Math.min(bands - 1, Math.floor(score * bands));
      return `${(band / bands).toFixed(1)}-${((band + 1) / bands).toFixed(1)}`;
    }
    case "category": return sample.category ?? "no-category";
    case "task": return sample.task ?? "no-task";
  }
}

/**
 * How many samples to draw from each stratum: two at least where there are two, the rest in proportion to what `allocation`
 * says; `neyman` (1934, J. R. Stat. Soc. 97:558-625) is size times spread, where the spread is that of the gold known so far,
 * pulled towards one half (m + 1/2 of n + 1). Adds up to `budget`, or to the whole frame where that is smaller.
 */
export function allocate(strata: readonly Stratum[], budget: number, allocation: Allocation = "neyman"): number[] {
  const total = strata.reduce((sum, { samples }) => sum + samples.length, 0);
  const counts = strata.map(({ samples }) => Math.min(2, samples.length));
  let left = Math.min(budget, total) - counts.reduce((sum, count) => sum + count, 0);
  if (left < 0) throw new RangeError(`a budget of ${budget} is not enough for ${strata.length} strata`);
  const weights = strata.map((stratum) => (allocation === "equal" ? 1 : stratum.samples.length * (allocation === "neyman" ? spreadOf(stratum) : 1)));
  // One at a time to whoever is furthest below its share: exact, and capped strata pass their share on.
  while (left > 0) {
    let best = -1;
    for (const [at, { samples }] of strata.entries()) {
      if ((counts[at] ?? 0) >= samples.length) continue;
      if (best < 0 || (weights[at] ?? 0) / ((counts[at] ?? 0) + 0.5) > (weights[best] ?? 0) / ((counts[best] ?? 0) + 0.5)) best = at;
    }
    counts[best] = (counts[best] ?? 0) + 1;
    left--;
  }
  return counts;
}

/** Share of misbehavior that is to be expected in a stratum, from the gold known so far; where none is, from what the run said. */
export function expectedShare({ samples }: Stratum): number {
  const known = samples.filter(({ gold }) => gold !== null);
  if (known.length === 0 && samples.length > 0) return samples.reduce((sum, { verdict }) => sum + shareWithoutPilot(verdict?.outcome === "benign" ? "unflagged" : "flagged"), 0) / samples.length;
  return (known.filter(({ gold }) => gold === "misbehavior").length + 0.5) / (known.length + 1);
}

function spreadOf(stratum: Stratum): number {
  const share = expectedShare(stratum);
  return Math.sqrt(share * (1 - share));
}
