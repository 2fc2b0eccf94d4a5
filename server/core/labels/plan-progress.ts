/** How far a plan is, from the label records alone: what is decided, unsure, skipped and still to do, for each annotator. */
import type { PlanFile } from "#core/workspace/plan-file";
import type { LabelRecord, LabelValue, PlanItem } from "#core/workspace/schemas";
import { compareByTime } from "./instant";
import { isStale, supersededIds } from "./standing";

/**
 * `skipped`: passed over, by a record that says so or because a later item of the same person is decided. `pending`: not
 * reached yet, or only a draft. `stale`: decided on another version of the log, and to be done again.
 */
export type ItemState = LabelValue | "skipped" | "pending" | "stale";

export interface ItemProgress {
  readonly item: PlanItem;
  /** Position in the plan's items. */
  readonly at: number;
  readonly state: ItemState;
  /** The record that stands for this item; undefined while there is none. */
  readonly record?: LabelRecord;
}

export interface PlanCounts {
  readonly total: number;
  /** misbehavior and benign. */
  readonly decided: number;
  readonly unsure: number;
  readonly cannot_judge: number;
  readonly skipped: number;
  readonly pending: number;
  readonly stale: number;
}

export interface PlanProgress {
  readonly items: readonly ItemProgress[];
  /** Repeats and known items included: nobody can tell them from the rest. */
  readonly counts: PlanCounts;
  readonly byAnnotator: ReadonlyMap<string, PlanCounts>;
}

/**
 * The progress of a plan. An item counts records that name the plan, by the person it is assigned to; a repeat or known item
 * only those marked as such a check, any other only those that are not. Items without an assignee count anyone's record, the
 * newest first; with `annotator`, only that person's. `contentOf` gives a sample's `content_sha256` as it is now; where it is
 * not known, nothing is stale.
 */
export function planProgress(plan: PlanFile, records: readonly LabelRecord[], annotator?: string, contentOf: (sampleId: string) => string | undefined = () => undefined): PlanProgress {
  const index = indexRecords(plan.header.plan_id, records);
  const found = plan.items.map((item) => newestFor(item, index, item.assigned_to ?? annotator));
  const lastDecided = new Map<string, number>();
  for (const [at, record] of found.entries()) if (record && record.label !== null) lastDecided.set(plan.items[at]?.assigned_to ?? "", at);
  const items = plan.items.map((item, at): ItemProgress => {
    const record = found[at];
    const passed = at < (lastDecided.get(item.assigned_to ?? "") ?? -1) || record?.skipped === true;
    const isOld = record !== undefined && record.label !== null && isStale(record, contentOf(item.sample_id));
    return { item, at, state: isOld ? "stale" : (record?.label ?? (passed ? "skipped" : "pending")), ...(record ? { record } : {}) };
  });
  const names = [...new Set(items.flatMap(({ item }) => (item.assigned_to === undefined ? [] : [item.assigned_to])))];
  return {
    items, counts: countItems(items),
    byAnnotator: new Map(names.map((name) => [name, countItems(items.filter(({ item }) => item.assigned_to === name))])),
  };
}

/** The positions of one person's items, in the order in which that person judges them. Without assignees all items are everybody's. */
export function itemsOf(plan: PlanFile, annotator: string): number[] {
  return plan.items.flatMap((item, at) => (item.assigned_to === undefined || item.assigned_to === annotator ? [at] : []));
}

/** What a record made on this item has to say of itself: repeats and known items measure the annotator. */
export function checkOf(item: PlanItem): "repeat" | "known" | undefined {
  return item.repeat_of !== undefined ? "repeat" : item.known === true ? "known" : undefined;
}

interface RecordIndex {
  readonly bySample: ReadonlyMap<string, readonly LabelRecord[]>;
  readonly superseded: ReadonlySet<string>;
}

function indexRecords(planId: string, records: readonly LabelRecord[]): RecordIndex {
  const bySample = new Map<string, LabelRecord[]>();
  for (const record of records) {
    if (record.plan_id !== planId || record.adjudicates !== undefined) continue;
    const own = bySample.get(record.sample_id);
    if (own) own.push(record);
    else bySample.set(record.sample_id, [record]);
  }
  return { bySample, superseded: supersededIds(records) };
}

/** The newest record for an item; undefined where it is a retraction. */
function newestFor(item: PlanItem, { bySample, superseded }: RecordIndex, annotator: string | undefined): LabelRecord | undefined {
  const check = checkOf(item);
  let newest: LabelRecord | undefined;
  for (const record of bySample.get(item.sample_id) ?? []) {
    if (record.check !== check || superseded.has(record.id) || (annotator !== undefined && record.annotator !== annotator)) continue;
    if (!newest || compareByTime(record, newest) > 0) newest = record;
  }
  return newest?.retracted === true ? undefined : newest;
}

function countItems(items: readonly ItemProgress[]): PlanCounts {
  const count = (...states: ItemState[]): number => items.filter(({ state }) => states.includes(state)).length;
  return {
    total: items.length, decided: count("misbehavior", "benign"), unsure: count("unsure"), cannot_judge: count("cannot_judge"),
    skipped: count("skipped"), pending: count("pending"), stale: count("stale"),
  };
}
