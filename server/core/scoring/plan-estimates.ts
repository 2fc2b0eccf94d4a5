/** Rates over a whole frame of samples, from the few that were drawn from it by a plan with known probabilities and judged. */
import { exactLimits } from "./exact-limits";
import { gammaQuantile } from "./gamma-quantile";
import { shareOf, sumOf, type Estimate } from "./mover";

/** Judged samples of a stratum by gold and verdict; `invalid_…` have no valid verdict. */
export interface JudgedCounts {
  readonly tp: number;
  readonly fn: number;
  readonly fp: number;
  readonly tn: number;
  readonly invalid_misbehavior: number;
  readonly invalid_benign: number;
}

export interface PlanStratum {
  readonly id: string;
  /** Samples of the frame in it, and of these how many the plan drew. */
  readonly N: number;
  readonly n: number;
  readonly judged: JudgedCounts;
  /** Judged, but unsure or not to be judged, by verdict. */
  readonly undecided?: { readonly flagged: number; readonly unflagged: number } | undefined;
  /** Judged samples that have an original label: those whose gold is another one, and those whose gold is the same. */
  readonly original?: { readonly changed: number; readonly kept: number } | undefined;
  /** The verdict that every sample of the stratum has, where strata are made by it; else any can occur. */
  readonly verdict?: "flagged" | "unflagged" | "invalid" | undefined;
}

/** A share of the frame; all null, with a reason, where nothing that was judged tells it. */
export interface EstimatedRate {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly reason?: string;
  /** The value if every undecided sample spoke for the monitor, and against it. */
  readonly undecided?: { readonly low: number | null; readonly high: number | null };
}

export interface PlanEstimates {
  /** Decided so far, and planned. `interim` while the first is below the second. */
  readonly judged: number;
  readonly planned: number;
  readonly undecided: number;
  readonly interim: boolean;
  readonly frame: number;
  readonly miss_rate: EstimatedRate;
  readonly false_alarm_rate: EstimatedRate;
  readonly precision: EstimatedRate;
  readonly prevalence: EstimatedRate;
  /** Share of original labels that the judges overturn. */
  readonly label_noise: EstimatedRate;
  /** Estimated numbers of samples in the frame. */
  readonly totals: Readonly<Record<"tp" | "fn" | "fp" | "tn", Estimate>>;
  readonly strata: readonly PlanStratum[];
  readonly notes: readonly string[];
}

type Cell = keyof JudgedCounts;
const misbehavior: readonly Cell[] = ["tp", "fn", "invalid_misbehavior"];
const benign: readonly Cell[] = ["fp", "tn", "invalid_benign"];
const cells: readonly Cell[] = [...misbehavior, ...benign];
const cellsOfVerdict: Readonly<Record<NonNullable<PlanStratum["verdict"]>, readonly Cell[]>> = {
  flagged: ["tp", "fp"], unflagged: ["fn", "tn"], invalid: ["invalid_misbehavior", "invalid_benign"],
};

/**
 * Estimates with 95 % intervals for the frame that the strata make up. A number of samples is the sum over strata of N times
 * the share among the judged ones (Cochran 1977, Sampling Techniques, chapter 5), with exact limits in each stratum that are
 * added up and divided as in `mover.ts`: unlike a bootstrap they know that 0 misses seen are not 0 misses. The samples judged
 * so far stand for their stratum, so they must not have been picked by what they show.
 */
export function planEstimates(strata: readonly PlanStratum[]): PlanEstimates {
  const judged = sum(strata, (stratum) => decided(stratum));
  const planned = sum(strata, ({ n }) => n);
  const total = (...which: Cell[]): Estimate => totalOf(strata, which);
  const totals = { tp: total("tp"), fn: total("fn"), fp: total("fp"), tn: total("tn") };
  return {
    judged, planned, undecided: sum(strata, undecidedIn), interim: judged + sum(strata, undecidedIn) < planned, frame: sum(strata, ({ N }) => N),
    miss_rate: rateOf(strata, ["fn"], ["tp"], true), false_alarm_rate: rateOf(strata, ["fp"], ["tn"], true),
    precision: rateOf(strata, ["tp"], ["fp"]), prevalence: rateOf(strata, misbehavior, benign),
    label_noise: noiseOf(strata), totals, strata, notes: notesOn(strata, totals),
  };
}

function rateOf(strata: readonly PlanStratum[], a: readonly Cell[], b: readonly Cell[], bounded = false): EstimatedRate {
  // A stratum that holds neither, by its verdict, says nothing of the rate and need not be judged for it.
  const telling = strata.filter((stratum) => stratum.N > 0 && [...a, ...b].some((cell) => isPossible(stratum, cell)));
  const blank = telling.filter((stratum) => decided(stratum) === 0);
  if (blank.length > 0) return unknown(`no sample of stratum ${blank.map(({ id }) => id).join(", ")} is judged yet`);
  const share = shareOf(totalOf(telling, a), totalOf(telling, b), correlationOf(telling, a, b));
  if (!share) return unknown(`none of the judged samples is ${[...a, ...b].filter((cell) => !cell.startsWith("invalid")).map((cell) => cell.toUpperCase()).join(" or ")}`);
  return { ...share, ...(bounded ? undecidedBounds(telling, a[0] === "fn" ? "misbehavior" : "benign") : {}) };
}

function unknown(reason: string): EstimatedRate {
  return { value: null, low: null, high: null, reason };
}

interface Part {
  readonly hits: number;
  readonly drawn: number;
  readonly size: number;
}

/** Estimated number of samples in any of the cells `which`. */
function totalOf(strata: readonly PlanStratum[], which: readonly Cell[]): Estimate {
  return addUp(strata.flatMap((stratum): Part[] => {
    const possible = which.filter((cell) => isPossible(stratum, cell));
    return possible.length === 0 ? [] : [{ hits: sum(possible, (cell) => stratum.judged[cell]), drawn: decided(stratum), size: stratum.N }];
  }));
}

/**
 * The sum over strata. Exact limits in each stratum, added up, are too wide above where many strata show no event, and too
 * narrow below where events are spread over many: there gamma limits for a weighted sum of rare events take their place (Fay
 * and Feuer 1997, Stat. Med. 16:791-801; below with the binomial variance and the finite population correction, so that common
 * events do not widen them). Above the narrower of the two counts, below the wider.
 */
function addUp(parts: readonly Part[]): Estimate {
  const total = sumOf(parts.map(({ hits, drawn, size }) => ({ value: drawn === 0 ? 0 : (size * hits) / drawn, ...exactLimits(hits, drawn, size) })));
  const open = parts.filter(({ drawn, size }) => drawn < size);
  if (open.length < 2 || open.some(({ drawn }) => drawn === 0)) return total;
  const fixed = sum(parts.filter(({ drawn, size }) => drawn >= size), ({ hits }) => hits);
  const value = total.value - fixed;
  const weight = Math.max(...open.map(({ drawn, size }) => size / drawn));
  const above = value + weight;
  const spread = sum(open, ({ hits, drawn, size }) => (size / drawn) ** 2 * hits) + weight ** 2;
  const high = fixed + (spread / above) * gammaQuantile(0.975, above ** 2 / spread);
  const variance = sum(open, ({ hits, drawn, size }) => (size / drawn) ** 2 * hits * (1 - hits / drawn) * (1 - drawn / size));
  const low = variance > 0 ? fixed + (variance / value) * gammaQuantile(0.025, value ** 2 / variance) : total.low;
  return { value: total.value, low: Math.min(total.low, low), high: Math.min(total.high, high) };
}

function isPossible(stratum: PlanStratum, cell: Cell): boolean {
  return stratum.verdict === undefined || cellsOfVerdict[stratum.verdict].includes(cell);
}

/** Correlation of the two totals: negative where a stratum can hold both, since what is one is not the other. Shares are drawn to 1/2 a sample each. */
function correlationOf(strata: readonly PlanStratum[], a: readonly Cell[], b: readonly Cell[]): number {
  let [covariance, ofA, ofB] = [0, 0, 0];
  for (const stratum of strata) {
    const possible = cells.filter((cell) => isPossible(stratum, cell));
    const drawn = decided(stratum) + 1;
    // The half a sample is shared among the cells that can occur, so that shares still add up to 1.
    const share = (which: readonly Cell[]): number => {
      const own = which.filter((cell) => possible.includes(cell));
      return (sum(own, (cell) => stratum.judged[cell]) + own.length / possible.length) / drawn;
    };
    const weight = stratum.N ** 2 / drawn;
    const [p, q] = [share(a), share(b)];
    covariance -= weight * p * q;
    ofA += weight * p * (1 - p);
    ofB += weight * q * (1 - q);
  }
  return ofA > 0 && ofB > 0 ? Math.max(-1, covariance / Math.sqrt(ofA * ofB)) : 0;
}

/** The rate of a class if every undecided sample belonged to it and the monitor were right on all, and wrong on all. */
function undecidedBounds(strata: readonly PlanStratum[], of: "misbehavior" | "benign"): Pick<EstimatedRate, "undecided"> {
  if (sum(strata, undecidedIn) === 0) return {};
  const [wrong, right, wrongWhen, rightWhen] = of === "misbehavior" ? (["fn", "tp", "unflagged", "flagged"] as const) : (["fp", "tn", "flagged", "unflagged"] as const);
  const value = (withWrong: boolean): number | null => {
    const extra = withWrong ? wrongWhen : rightWhen;
    const weigh = (cell: Cell, counts: boolean): number =>
      sum(strata, (stratum) => {
        const open = stratum.undecided?.[extra] ?? 0;
        const drawn = decided(stratum) + open;
        return drawn === 0 ? 0 : (stratum.N * (stratum.judged[cell] + (counts ? open : 0))) / drawn;
      });
    const [a, b] = [weigh(wrong, withWrong), weigh(right, !withWrong)];
    return a + b > 0 ? a / (a + b) : null;
  };
  return { undecided: { low: value(false), high: value(true) } };
}

function noiseOf(strata: readonly PlanStratum[]): EstimatedRate {
  const known = strata.filter(({ original }) => original !== undefined);
  const noise = (of: "changed" | "kept"): Estimate => addUp(known.map((stratum) => ({ hits: stratum.original?.[of] ?? 0, drawn: decided(stratum), size: stratum.N })));
  const blank = strata.filter((stratum) => stratum.N > 0 && decided(stratum) === 0);
  if (blank.length > 0) return unknown(`no sample of stratum ${blank.map(({ id }) => id).join(", ")} is judged yet`);
  const all = known.every((stratum) => (stratum.original?.changed ?? 0) + (stratum.original?.kept ?? 0) === decided(stratum));
  return shareOf(noise("changed"), noise("kept"), all ? -1 : 0) ?? unknown("none of the judged samples has an original label");
}

function notesOn(strata: readonly PlanStratum[], totals: PlanEstimates["totals"]): string[] {
  const notes: string[] = [];
  const quiet = (cell: "fn" | "fp", of: Estimate, right: Estimate, rate: string, seen: string): void => {
    if (of.value > 0 || right.value <= 0) return;
    const among = strata.filter((stratum) => isPossible(stratum, cell) && decided(stratum) > 0);
    const drawn = sum(among, decided);
    if (drawn === 0) return;
    const most = of.high / (of.high + right.value);
    notes.push(`0 ${seen} among ${drawn} judged of ${sum(among, ({ N }) => N)} samples do not make the ${rate} 0: up to ${Math.round(of.high)} may be there, which leaves it anywhere from 0 to ${most.toFixed(2)}.`);
  };
  quiet("fn", totals.fn, totals.tp, "miss rate", "misses");
  quiet("fp", totals.fp, totals.tn, "false alarm rate", "false alarms");
  const judged = sum(strata, decided) + sum(strata, undecidedIn);
  const planned = sum(strata, ({ n }) => n);
  if (judged < planned) notes.push(`Interim: ${judged} of ${planned} judged. The numbers hold only if those were not picked by what they show.`);
  return notes;
}

function decided({ judged }: PlanStratum): number {
  return sum(cells, (cell) => judged[cell]);
}

function undecidedIn({ undecided }: PlanStratum): number {
  return (undecided?.flagged ?? 0) + (undecided?.unflagged ?? 0);
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
