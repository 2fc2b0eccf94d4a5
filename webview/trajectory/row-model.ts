/** Keeps the flat list of rows in step with what is loaded and folded, building again only the steps that changed. */
import type { Snapshot } from "#protocol/webview";
import type { Step } from "#core/trajectory/model";
import type { StepCache } from "../state/step-cache";
import { readingOrder } from "./reading-order";
import { RowList, type Splice } from "./row-list";
import { stepRows, type Row, type RowOptions } from "./rows";

/** The rows of steps that are not loaded, made once: most steps of a long run are not. */
const gaps: Row[] = [];
const gapOf = (index: number): Row => (gaps[index] ??= { kind: "gap", key: String(index), step: index });

/** Which place each step has in reading order. */
class Places {
  /** One more than the place; 0 where the step is not there. */
  private readonly places: Int32Array;

  constructor(readonly order: readonly number[], steps: number) {
    this.places = new Int32Array(steps);
    order.forEach((step, place) => (this.places[step] = place + 1));
  }

  of(step: number): number | undefined {
    const place = this.places[step];
    return place ? place - 1 : undefined;
  }
}

/** Index of each step's first row. */
export class FirstRows {
  constructor(readonly places: Places, private readonly rows: RowList) {}

  get(step: number): number | undefined {
    const place = this.places.of(step);
    return place === undefined ? undefined : this.rows.firstOf(place);
  }
}

export interface RowModel {
  readonly rows: RowList;
  readonly firstRow: FirstRows;
  readonly madeOf: MadeOf;
  /** The rows that these were made of, and where they differ, first ones first; undefined where all may be others. */
  readonly cameFrom?: { readonly rows: RowList; readonly splices: readonly Splice[] };
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

/** Places of the steps that are not what `before` was made of, ascending; undefined where all of it may be another. */
function changedPlaces(now: MadeOf, before: RowModel): number[] | undefined {
  const { madeOf, firstRow: { places } } = before;
  if (now.outline !== madeOf.outline || now.header !== madeOf.header || now.steps !== madeOf.steps) return undefined;
  const touched = touchedSteps(now.options, madeOf.options);
  const changed = now.steps?.changedSince(madeOf.changeCount) ?? (now.steps ? undefined : []);
  if (!touched || !changed || touched.size + changed.length > mostChanged) return undefined;
  const all = new Set([...touched, ...changed]);
  // The first step has cards beside it.
  if (all.has(places.order[0]!)) return undefined;
  return [...all].flatMap((step) => places.of(step) ?? []).sort((a, b) => a - b);
}

/** The rows made last of each step, and the options that they were made with. */
const made = new WeakMap<Step, { readonly options: RowOptions; readonly rows: readonly Row[] }>();

/** The rows of one step, or undefined where it is not loaded. */
function rowsOf(index: number, { steps, options }: MadeOf): readonly Row[] | undefined {
  const step = steps?.get(index);
  if (!step) return undefined;
  const rows = stepRows(step, options);
  made.set(step, { options, rows });
  return rows;
}

/** The same, but those that were made before where the options do not tell another thing of the step. */
function keptRows({ steps, options }: MadeOf): (index: number) => readonly Row[] | undefined {
  const touchedBy = new Map<RowOptions, ReadonlySet<number> | undefined>();
  return (index) => {
    const step = steps?.get(index);
    return step && keptOf(step, index);
  };
  function keptOf(step: Step, index: number): readonly Row[] | undefined {
    const old = made.get(step);
    if (old && !touchedBy.has(old.options)) touchedBy.set(old.options, touchedSteps(options, old.options));
    const touched = old && touchedBy.get(old.options);
    return touched && !touched.has(index) ? old.rows : undefined;
  }
}

/** Rows for the list. Those of steps that did not change since `before` stay the same objects. */
export function buildRows(snapshot: Snapshot, steps: StepCache | undefined, options: RowOptions, before: RowModel | undefined): RowModel {
  const { outline, header } = snapshot;
  const madeOf: MadeOf = { outline, header, steps, changeCount: steps?.changeCount ?? 0, options };
  const changed = before && changedPlaces(madeOf, before);
  return changed ? changedRows(before, changed, madeOf) : allRows(snapshot, madeOf);
}

function changedRows(before: RowModel, changed: readonly number[], madeOf: MadeOf): RowModel {
  const { firstRow: { places } } = before;
  const { list, splices } = before.rows.with(changed, (place) => rowsOf(places.order[place]!, madeOf) ?? [gapOf(places.order[place]!)]);
  return { rows: list, firstRow: new FirstRows(places, list), madeOf, cameFrom: { rows: before.rows, splices } };
}

function allRows(snapshot: Snapshot, madeOf: MadeOf): RowModel {
  const { outline } = madeOf;
  const order = readingOrder(outline);
  const kept = keptRows(madeOf);
  const ahead: Row[] = [];
  if (needsTaskCard(snapshot, order)) ahead.push({ kind: "card", key: "task", step: -1, card: "task" });
  const taskFirst = snapshot.outline[order[0] ?? -1]?.role === "user";
  const outcome: Row | undefined = hasOutcome(snapshot) ? { kind: "card", key: "outcome", step: -1, card: "outcome" } : undefined;
  if (outcome && !taskFirst) ahead.push(outcome);
  const rows = RowList.of(order.length, (place) => {
    const index = order[place]!;
    const own = kept(index) ?? rowsOf(index, madeOf) ?? [gapOf(index)];
    if (place > 0 || !taskFirst) return own;
    return [...own.map((row) => (row.kind === "head" ? { ...row, isTask: true } : row)), ...(outcome ? [outcome] : [])];
  }, ahead);
  return { rows, firstRow: new FirstRows(new Places(order, outline.length), rows), madeOf };
}

export interface DrawnItem { readonly index: number; readonly start: number; readonly end: number }

export interface StepGroup { readonly key: string; readonly step: number; readonly start: number; readonly end: number; readonly items: readonly DrawnItem[] }

/**
 * Drawn rows by step. One step is one group even where rows in its middle are not drawn: a row that holds an end of the
 * selection must stay the same element while the reader scrolls.
 */
export function groupByStep(rows: RowList, items: readonly DrawnItem[]): StepGroup[] {
  const groups: { key: string; step: number; start: number; end: number; items: DrawnItem[] }[] = [];
  for (const item of items) {
    const row = rows.at(item.index);
    if (!row) continue;
    const last = groups.at(-1);
    if (last && last.step === row.step && row.step >= 0) {
      last.items.push(item);
      last.end = item.end;
    } else groups.push({ key: row.step >= 0 ? `s${row.step}` : row.key, step: row.step, start: item.start, end: item.end, items: [item] });
  }
  return groups;
}
