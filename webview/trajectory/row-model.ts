/** Keeps the flat list of rows in step with what is loaded and folded, building again only the steps that changed. */
import type { Snapshot } from "#protocol/webview";
import type { Step } from "#core/trajectory/model";
import type { StepCache } from "../state/step-cache";
import { readingOrder } from "./reading-order";
import { stepRows, type Row, type RowOptions } from "./rows";

interface StepEntry { readonly step: Step; readonly options: string; readonly rows: readonly Row[] }

export interface RowModel {
  readonly rows: readonly Row[];
  /** Index of each step's first row. */
  readonly firstRow: ReadonlyMap<number, number>;
  /** Steps in reading order. */
  readonly order: readonly number[];
  readonly entries: ReadonlyMap<number, StepEntry>;
}

/** The options as far as they touch one step, as a key. */
function optionKey(step: number, options: RowOptions, foldsByStep: ReadonlyMap<number, string>): string {
  return `${options.sources.has(step)}|${options.showReasoning}|${options.renderMarkdown}|${foldsByStep.get(step) ?? ""}`;
}

function groupFolds(folds: RowOptions["folds"]): Map<number, string> {
  const byStep = new Map<number, string>();
  for (const [key, value] of Object.entries(folds)) {
    const step = Number.parseInt(key, 10);
    if (Number.isFinite(step)) byStep.set(step, `${byStep.get(step) ?? ""}${key}=${value};`);
  }
  return byStep;
}

function hasOutcome(snapshot: Snapshot): boolean {
  const { outcome, metadata } = snapshot.header ?? {};
  return (outcome !== undefined && Object.values(outcome).some((value) => value !== undefined)) || (metadata?.length ?? 0) > 0;
}

/** Whether the header's task is nowhere among the first steps, so that it needs a card of its own. */
function needsTaskCard(snapshot: Snapshot, order: readonly number[]): boolean {
  return snapshot.header?.task !== undefined && snapshot.outline[order[0] ?? -1]?.role !== "user";
}

export function buildRows(snapshot: Snapshot, steps: StepCache | undefined, options: RowOptions, before: RowModel | undefined): RowModel {
  const order = readingOrder(snapshot.outline);
  const foldsByStep = groupFolds(options.folds);
  const rows: Row[] = [];
  const firstRow = new Map<number, number>();
  const entries = new Map<number, StepEntry>();
  if (needsTaskCard(snapshot, order)) rows.push({ kind: "card", key: "task", step: -1, card: "task" });
  const taskFirst = snapshot.outline[order[0] ?? -1]?.role === "user";
  const outcome: Row | undefined = hasOutcome(snapshot) ? { kind: "card", key: "outcome", step: -1, card: "outcome" } : undefined;
  if (outcome && !taskFirst) rows.push(outcome);
  order.forEach((index, n) => {
    firstRow.set(index, rows.length);
    const step = steps?.get(index);
    if (!step) rows.push({ kind: "gap", key: String(index), step: index });
    else {
      const key = optionKey(index, options, foldsByStep);
      const old = before?.entries.get(index);
      const entry = old && old.step === step && old.options === key ? old : { step, options: key, rows: stepRows(step, options) };
      entries.set(index, entry);
      for (const row of entry.rows) rows.push(row.kind === "head" && n === 0 && taskFirst ? { ...row, isTask: true } : row);
    }
    if (n === 0 && taskFirst && outcome) rows.push(outcome);
  });
  return { rows, firstRow, order, entries };
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
