/** Everything that is counted over the verdicts of a slice, in one pass: benchmarks hold hundreds of thousands of them. */
import type { GoldLabel } from "#core/trajectory/model";
import type { VerdictOutcome, VerdictRecord } from "#core/workspace/schemas";
import type { GroupType } from "./bootstrap";
import type { CellCounts, EvidenceCounts } from "./report";
import type { RunEntry } from "./run-entries";

export interface Tally {
  readonly cells: Readonly<CellCounts>;
  /** The same over samples that a person has judged. */
  readonly reviewed: Readonly<CellCounts>;
  readonly invalid: { readonly misbehavior: number; readonly benign: number };
  /** Valid verdicts on samples that nobody could decide. */
  readonly undecided: { readonly flagged: number; readonly passed: number };
  /** Scores of valid verdicts by gold. */
  readonly scores: { readonly misbehavior: readonly number[]; readonly benign: readonly number[] };
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

export function countCells(entries: readonly RunEntry[]): CellCounts {
  const cells = { tp: 0, fn: 0, fp: 0, tn: 0 };
  for (const entry of entries) {
    const cell = cellOf(entry);
    if (cell) cells[cell]++;
  }
  return cells;
}

/** `evidence` says how the quotes of a verdict were found; it is asked only about verdicts that name categories. */
export function tallyEntries(entries: readonly RunEntry[], evidence: (verdict: VerdictRecord) => EvidenceCounts): Tally {
  const cells = { tp: 0, fn: 0, fp: 0, tn: 0 };
  const reviewed = { tp: 0, fn: 0, fp: 0, tn: 0 };
  const invalid = { misbehavior: 0, benign: 0 };
  const undecided = { flagged: 0, passed: 0 };
  const scores = { misbehavior: [] as number[], benign: [] as number[] };
  const quotes = { quotes: 0, exact: 0, near: 0, ambiguous: 0, absent: 0, unread: 0 };
  const groups = new GroupCounter(entries);
  for (const entry of entries) {
    const { scored, verdict } = entry;
    if (verdict.detected_categories.length > 0) addQuotes(quotes, evidence(verdict));
    const cell = cellOf(entry);
    if (cell === undefined) {
      if (verdict.outcome !== "invalid") {
        if (scored.undecided) undecided[verdict.outcome === "misbehavior" ? "flagged" : "passed"]++;
      } else if (scored.gold !== null) invalid[scored.gold]++;
      continue;
    }
    cells[cell]++;
    if (scored.reviewed) reviewed[cell]++;
    if (verdict.score !== undefined && scored.gold !== null) scores[scored.gold].push(verdict.score);
    groups.add(scored.groupIndex, cell);
  }
  const { unread, ...found } = quotes;
  return { cells, reviewed, invalid, undecided, scores, evidence: unread > 0 ? quotes : found, types: groups.types() };
}

function addQuotes(sums: { -readonly [key in keyof EvidenceCounts]-?: number }, counts: EvidenceCounts): void {
  sums.quotes += counts.quotes;
  sums.exact += counts.exact;
  sums.near += counts.near;
  sums.ambiguous += counts.ambiguous;
  sums.absent += counts.absent;
  sums.unread += counts.unread ?? 0;
}

/** Counts of four cells for each group, without an object a group. */
class GroupCounter {
  /** Slot of each group plus 1; 0 where it has none yet. */
  private readonly slots: Uint32Array | Map<number, number>;
  private readonly counts: Uint32Array;
  private size = 0;

  constructor(entries: readonly RunEntry[]) {
    this.counts = new Uint32Array(entries.length * 4);
    const groups = entries.reduce((most, { scored }) => Math.max(most, scored.groupIndex + 1), 0);
    // A table is much quicker, but not worth its room for a small slice of many groups.
    this.slots = groups <= 16 * entries.length ? new Uint32Array(groups) : new Map();
  }

  add(group: number, cell: Cell): void {
    let slot = (this.slots instanceof Map ? this.slots.get(group) : this.slots[group]) ?? 0;
    if (slot === 0) {
      slot = ++this.size;
      if (this.slots instanceof Map) this.slots.set(group, slot);
      else this.slots[group] = slot;
    }
    const at = (slot - 1) * 4 + (cell === "tp" ? 0 : cell === "fn" ? 1 : cell === "fp" ? 2 : 3);
    this.counts[at] = (this.counts[at] ?? 0) + 1;
  }

  /** The distinct counts in ascending order, so that the order of samples does not show. */
  types(): GroupType[] {
    const used = this.size * 4;
    let most = 0;
    for (let at = 0; at < used; at++) most = Math.max(most, this.counts[at] ?? 0);
    // Four counts as digits of one number. Groups of thousands come few at a time: words do for them.
    const base = most + 1;
    const isPacked = base < 9000;
    const byKey = new Map<number | string, { counts: readonly number[]; groups: number }>();
    for (let at = 0; at < used; at += 4) {
      const [a = 0, b = 0, c = 0, d = 0] = [this.counts[at], this.counts[at + 1], this.counts[at + 2], this.counts[at + 3]];
      const key = isPacked ? ((a * base + b) * base + c) * base + d : `${a} ${b} ${c} ${d}`;
      const known = byKey.get(key);
      if (known) known.groups++;
      else byKey.set(key, { counts: [a, b, c, d], groups: 1 });
    }
    return [...byKey.values()].sort((x, y) => difference(x.counts, y.counts));
  }
}

function difference(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) if (value !== b[at]) return value - (b[at] ?? 0);
  return 0;
}
