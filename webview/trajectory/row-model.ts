/** Keeps the flat list of rows in step with what is loaded and folded, building again only the steps that changed. */
import type { Snapshot } from "#protocol/webview";
import type { Step } from "#core/trajectory/model";
import type { StepCache } from "../state/step-cache";
import { readingOrder } from "./reading-order";
import { stepRows, type Row, type RowOptions } from "./rows";

/** A step that is loaded, and its rows. */
interface StepEntry { readonly step: Step; readonly rows: readonly Row[] }

/** The rows of steps that are not loaded, made once: most steps of a long run are not. */
const gaps: Row[] = [];
const gapOf = (index: number): Row => (gaps[index] ??= { kind: "gap", key: String(index), step: index });

/** Index of each step's first row. */
export class FirstRows {
  /** One more than the index; 0 where the step is not there. */
  private readonly rows: Int32Array;

  constructor(steps: number) {
    this.rows = new Int32Array(steps);
  }

  get(step: number): number | undefined {
    const row = this.rows[step];
    return row ? row - 1 : undefined;
  }

  set(step: number, row: number): void {
    this.rows[step] = row + 1;
  }
}

export interface RowModel {
  readonly rows: readonly Row[];
  readonly firstRow: FirstRows;
  /** Steps in reading order. */
  readonly order: readonly number[];
  /** Handed on from model to model, for the next one to be made of. */
  readonly entries: readonly (StepEntry | undefined)[];
  readonly madeOf: MadeOf;
}

interface MadeOf { readonly outline: Snapshot["outline"]; readonly header: Snapshot["header"]; readonly steps: StepCache | undefined; readonly changeCount: number; readonly options: RowOptions }

/** Steps whose rows other options may change; undefined where those are all. */
function touchedSteps(options: RowOptions, before: RowOptions): ReadonlySet<number> | undefined {
  if (options.showReasoning !== before.showReasoning || options.renderMarkdown !== before.renderMarkdown) return undefined;
  const touched = new Set<number>();
  for (const step of options.sources) if (!before.sources.has(step)) touched.add(step);
  for (const step of before.sources) if (!options.sources.has(step)) touched.add(step);
  if (options.folds === before.folds) return touched;
  for (const key of new Set([...Object.keys(options.folds), ...Object.keys(before.folds)])) if (options.folds[key] !== before.folds[key]) touched.add(Number.parseInt(key, 10));
  return touched;
}

function hasOutcome(snapshot: Snapshot): boolean {
  const { outcome, metadata } = snapshot.header ?? {};
  return (outcome !== undefined && Object.values(outcome).some((value) => value !== undefined)) || (metadata?.length ?? 0) > 0;
}

/** Whether the header's task is nowhere among the first steps, so that it needs a card of its own. */
function needsTaskCard(snapshot: Snapshot, order: readonly number[]): boolean {
  return snapshot.header?.task !== undefined && snapshot.outline[order[0] ?? -1]?.role !== "user";
}

/** With more changed steps than this all of them are gone through. */
const mostChanged = 4000;

/** Steps that are not what `before` was made of, in reading order; undefined where all of it may be another. */
function changedSteps(now: MadeOf, before: RowModel): number[] | undefined {
  const { madeOf, order } = before;
  if (now.outline !== madeOf.outline || now.header !== madeOf.header || now.steps !== madeOf.steps) return undefined;
  const touched = touchedSteps(now.options, madeOf.options);
  const changed = now.steps?.changedSince(madeOf.changeCount) ?? (now.steps ? undefined : []);
  if (!touched || !changed || touched.size + changed.length > mostChanged) return undefined;
  const all = new Set([...touched, ...changed]);
  // The first step has cards beside it.
  return all.has(order[0]!) ? undefined : [...all].filter((step) => before.firstRow.get(step) !== undefined).sort((a, b) => a - b);
}

function entryOf(index: number, { steps, options }: MadeOf): StepEntry | undefined {
  const step = steps?.get(index);
  return step && { step, rows: stepRows(step, options) };
}

/** Rows for the list. Those of steps that did not change since `before` stay the same objects. */
export function buildRows(snapshot: Snapshot, steps: StepCache | undefined, options: RowOptions, before: RowModel | undefined): RowModel {
  const { outline, header } = snapshot;
  const madeOf: MadeOf = { outline, header, steps, changeCount: steps?.changeCount ?? 0, options };
  const changed = before && changedSteps(madeOf, before);
  return changed ? changedRows(before, changed, madeOf) : allRows(snapshot, madeOf, before);
}

/** With very many steps looking at each of them would hold the reader up: what lies between the changed ones is taken over in one piece. */
function changedRows(before: RowModel, changed: readonly number[], madeOf: MadeOf): RowModel {
  const { order } = before;
  const entries = before.entries.slice();
  const pieces: (readonly Row[])[] = [];
  const firstRow = new FirstRows(madeOf.outline.length);
  let copied = 0;
  let ahead = 0;
  let next = 0;
  for (const index of order) {
    const first = before.firstRow.get(index)!;
    firstRow.set(index, first + ahead);
    if (index !== changed[next]) continue;
    next++;
    const old = entries[index]?.rows.length ?? 1;
    entries[index] = entryOf(index, madeOf);
    const now = entries[index]?.rows ?? [gapOf(index)];
    if (first > copied) pieces.push(before.rows.slice(copied, first));
    pieces.push(now);
    copied = first + old;
    ahead += now.length - old;
  }
  pieces.push(before.rows.slice(copied));
  return { rows: ([] as readonly Row[]).concat(...pieces), firstRow, order, entries, madeOf };
}

function allRows(snapshot: Snapshot, madeOf: MadeOf, before: RowModel | undefined): RowModel {
  const { outline, steps, options } = madeOf;
  const order = readingOrder(outline);
  const touched = before && touchedSteps(options, before.madeOf.options);
  const rows: Row[] = [];
  const firstRow = new FirstRows(outline.length);
  const entries: (StepEntry | undefined)[] = [];
  if (needsTaskCard(snapshot, order)) rows.push({ kind: "card", key: "task", step: -1, card: "task" });
  const taskFirst = snapshot.outline[order[0] ?? -1]?.role === "user";
  const outcome: Row | undefined = hasOutcome(snapshot) ? { kind: "card", key: "outcome", step: -1, card: "outcome" } : undefined;
  if (outcome && !taskFirst) rows.push(outcome);
  order.forEach((index, n) => {
    firstRow.set(index, rows.length);
    const old = touched && !touched.has(index) ? before.entries[index] : undefined;
    const entry = old && old.step === steps?.get(index) ? old : entryOf(index, madeOf);
    entries[index] = entry;
    if (!entry) rows.push(gapOf(index));
    else for (const row of entry.rows) rows.push(n === 0 && row.kind === "head" && taskFirst ? { ...row, isTask: true } : row);
    if (n === 0 && taskFirst && outcome) rows.push(outcome);
  });
  return { rows, firstRow, order, entries, madeOf };
}

export interface DrawnItem { readonly index: number; readonly start: number; readonly end: number }

export interface StepGroup { readonly key: string; readonly step: number; readonly start: number; readonly end: number; readonly items: readonly DrawnItem[] }

/**
 * Drawn rows by step. One step is one group even where rows in its middle are not drawn: a row that holds an end of the
 * selection must stay the same element while the reader scrolls.
 */
export function groupByStep(rows: readonly Row[], items: readonly DrawnItem[]): StepGroup[] {
  const groups: { key: string; step: number; start: number; end: number; items: DrawnItem[] }[] = [];
  for (const item of items) {
    const row = rows[item.index];
    if (!row) continue;
    const last = groups.at(-1);
    if (last && last.step === row.step && row.step >= 0) {
      last.items.push(item);
      last.end = item.end;
    } else groups.push({ key: row.step >= 0 ? `s${row.step}` : row.key, step: row.step, start: item.start, end: item.end, items: [item] });
  }
  return groups;
}
