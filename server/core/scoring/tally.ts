/** Everything that is counted over the verdicts of a slice, in one pass: benchmarks hold hundreds of thousands of them. */
import type { GoldLabel } from "#core/trajectory/model";
import type { VerdictOutcome } from "#core/workspace/schemas";
import type { GroupType } from "./bootstrap";
import { GroupCounter } from "./group-counter";
import type { CellCounts, EvidenceCounts } from "./report";
import type { Entries, RunEntry } from "./run-entries";

export interface Tally {
  readonly cells: Readonly<CellCounts>;
  /** The same over samples that a person has judged. */
  readonly reviewed: Readonly<CellCounts>;
  readonly invalid: { readonly misbehavior: number; readonly benign: number };
  /** Valid verdicts on samples that nobody could decide. */
  readonly undecided: { readonly flagged: number; readonly passed: number };
  /** Scores of valid verdicts by gold. */
  readonly scores: { readonly misbehavior: Float64Array; readonly benign: Float64Array };
  readonly evidence: EvidenceCounts;
  /** Groups by their counts, in the order TP, FN, FP, TN. */
  readonly types: readonly GroupType[];
}

type Cell = keyof CellCounts;

/** The cell of a valid verdict on a sample with gold, else undefined. */
export function cellOf({ scored, verdict }: RunEntry): Cell | undefined {
  return cellFor(scored.gold, verdict.outcome);
}

export function cellFor(gold: GoldLabel | null, outcome: VerdictOutcome): Cell | undefined {
  if (gold === null || outcome === "invalid") return undefined;
  if (gold === "misbehavior") return outcome === "misbehavior" ? "tp" : "fn";
  return outcome === "misbehavior" ? "fp" : "tn";
}

/** Valid verdicts on samples with gold; with `reviewed` only those that a person has judged. */
export function countCells(entries: Entries, of: "all" | "reviewed" = "all"): CellCounts {
  const { columns: { samples, outcomes }, order, scored: { columns: { gold, reviewed } } } = entries;
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < order.length; i++) {
    const sample = samples[order[i]!]!;
    const cell = cellNumber(gold[sample]!, outcomes[order[i]!]!);
    if (cell >= 0 && (of === "all" || reviewed[sample] === 1)) counts[cell]!++;
  }
  return named(counts);
}

/** Place among TP, FN, FP, TN of a gold and an outcome by their codes; -1 where one of them is none. */
export function cellNumber(gold: number, outcome: number): number {
  return gold > 1 || outcome > 1 ? -1 : 2 * gold + outcome;
}

function named([tp = 0, fn = 0, fp = 0, tn = 0]: readonly number[]): CellCounts {
  return { tp, fn, fp, tn };
}

/** `evidence` says how the quotes of the verdict at a place of `entries` were found; it is asked only where there are some. */
export function tallyEntries(entries: Entries, evidence: (at: number, quotes: number) => EvidenceCounts): Tally {
  const { columns: { samples, outcomes, scores, quotes }, order, scored } = entries;
  const { gold, reviewed, undecided, group } = scored.columns;
  const cells = [0, 0, 0, 0];
  const judged = [0, 0, 0, 0];
  const invalid = [0, 0, 0];
  const open = [0, 0];
  const found = { quotes: 0, exact: 0, near: 0, ambiguous: 0, absent: 0, unread: 0 };
  const valid = [new Float64Array(order.length), new Float64Array(order.length)] as const;
  const given = [0, 0];
  const groups = new GroupCounter(4, order.length, scored.columns.groups);
  for (let i = 0; i < order.length; i++) {
    const at = order[i]!;
    const sample = samples[at]!;
    const outcome = outcomes[at]!;
    if (quotes[at]! > 0) addQuotes(found, evidence(i, quotes[at]!));
    const own = gold[sample]!;
    const cell = cellNumber(own, outcome);
    if (cell < 0) {
      if (outcome === 2) invalid[own]!++;
      else if (undecided[sample] === 1) open[outcome]!++;
      continue;
    }
    cells[cell]!++;
    judged[cell]! += reviewed[sample]!;
    const score = scores[at]!;
    if (score === score) valid[own]![given[own]!++] = score;
    groups.add(group[sample]!, cell);
  }
  const { unread, ...read } = found;
  return {
    cells: named(cells), reviewed: named(judged), invalid: { misbehavior: invalid[0]!, benign: invalid[1]! }, undecided: { flagged: open[0]!, passed: open[1]! },
    scores: { misbehavior: valid[0].subarray(0, given[0]), benign: valid[1].subarray(0, given[1]) }, evidence: unread > 0 ? found : read, types: groups.types(),
  };
}

function addQuotes(sums: { -readonly [key in keyof EvidenceCounts]-?: number }, counts: EvidenceCounts): void {
  sums.quotes += counts.quotes;
  sums.exact += counts.exact;
  sums.near += counts.near;
  sums.ambiguous += counts.ambiguous;
  sums.absent += counts.absent;
  sums.unread += counts.unread ?? 0;
}
