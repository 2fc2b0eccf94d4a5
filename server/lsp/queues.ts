/** The review queues of the open roots: rows made once, and anew only for samples that somebody said something of since. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { judgeAgain, type GuidelineChange } from "#core/labels/guideline-log";
import { queueRow, type QueueRow, type QueueSample } from "#core/labels/queue-row";
import { QueueTable } from "#core/labels/queue-table";
import type { FrameVerdict } from "#core/labels/plan-strata";
import type { Sample } from "#core/workspace/manifest";
import type { PlanFile } from "#core/workspace/plan-file";
import type { RunFile } from "#core/workspace/run-file";
import type { LabelStore } from "#node/store/label-store";
import type { Workspace } from "#node/workspace";
import type { QueueSource } from "#protocol/review";

interface KeptQueue {
  readonly table: QueueTable;
  readonly samples: readonly Sample[];
  readonly run: RunFile | undefined;
  readonly plans: readonly PlanFile[];
  readonly hasLength: boolean;
  readonly verdicts: ReadonlyMap<string, FrameVerdict>;
  readonly plansOf: ReadonlyMap<string, readonly string[]>;
  readonly planAt: ReadonlyMap<string, number>;
  /** How many records each sample had when its row was made. */
  readonly records: Map<string, number>;
  /** Edits of the guidelines that were marked. */
  readonly log: readonly GuidelineChange[];
  /** Changes of the label store when the rows were brought up to date. */
  labelChanges: number;
}

export interface Queue {
  readonly table: QueueTable;
  readonly runId: string | undefined;
}

export class Queues {
  private readonly keptByKey = new Map<string, KeptQueue>();
  private readonly changesOf = new WeakMap<LabelStore, { count: number }>();

  /** The rows of a root as `source` sees them. Labels, runs and plans of the workspace are taken as they were read last; `log` is that of the guidelines. */
  queue(workspace: Workspace, source: QueueSource, withLength: boolean, log: readonly GuidelineChange[] = []): Queue {
    const run = source.runId === undefined ? workspace.runs.at(-1) : workspace.runs.find(({ header }) => header.run_id === source.runId);
    const key = JSON.stringify([source.root, source.annotator, source.planId ?? null]);
    const kept = this.keptByKey.get(key);
    const isUsable = kept && kept.samples === workspace.samples && kept.run === run && isSameList(kept.plans, workspace.plans) && JSON.stringify(kept.log) === JSON.stringify(log) && (kept.hasLength || !withLength);
    const changes = this.labelChanges(workspace.labels);
    const current = isUsable ? kept : make(workspace, source, run, withLength, log);
    if (isUsable && kept.labelChanges !== changes) bringUpToDate(workspace, source, kept);
    if (!isUsable) this.keptByKey.set(key, current);
    current.labelChanges = changes;
    return { table: current.table, runId: run?.header.run_id };
  }

  /** How often a store was seen to change. */
  private labelChanges(store: LabelStore): number {
    let changes = this.changesOf.get(store);
    if (!changes) {
      const counted = (changes = { count: 0 });
      this.changesOf.set(store, counted);
      store.onDidChange(() => counted.count++);
    }
    return changes.count;
  }

}

function isSameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((one, at) => one === b[at]);
}

function make(workspace: Workspace, source: QueueSource, run: RunFile | undefined, hasLength: boolean, log: readonly GuidelineChange[]): KeptQueue {
  const plansOf = new Map<string, string[]>();
  const planAt = new Map<string, number>();
  for (const plan of workspace.plans) {
    for (const [at, item] of plan.items.entries()) {
      const own = plansOf.get(item.sample_id) ?? [];
      if (own.at(-1) !== plan.header.plan_id) plansOf.set(item.sample_id, [...own, plan.header.plan_id]);
      const isMine = item.assigned_to === undefined || item.assigned_to === source.annotator;
      if (plan.header.plan_id === source.planId && isMine && !planAt.has(item.sample_id)) planAt.set(item.sample_id, at);
    }
  }
  const kept = { samples: workspace.samples, run, plans: workspace.plans, hasLength, verdicts: firstVerdicts(run), log, plansOf, planAt, records: new Map<string, number>(), labelChanges: 0 };
  return { ...kept, table: new QueueTable(workspace.samples.map((sample) => rowOf(workspace, source, kept, sample))) };
}

function bringUpToDate(workspace: Workspace, source: QueueSource, kept: KeptQueue): void {
  for (const sample of kept.samples) {
    const records = workspace.labels.recordsOf(sample.id);
    if (records.length !== kept.records.get(sample.id)) kept.table.update(rowOf(workspace, source, kept, sample));
  }
}

function rowOf(workspace: Workspace, source: QueueSource, kept: Omit<KeptQueue, "table">, sample: Sample): QueueRow {
  const records = workspace.labels.recordsOf(sample.id);
  kept.records.set(sample.id, records.length);
  return queueRow({
    sample: queueSample(workspace, sample, kept.hasLength), records, annotator: source.annotator, overturn: workspace.settings.overturn,
    run: kept.run?.header.run_id, verdict: kept.verdicts.get(sample.id), plans: kept.plansOf.get(sample.id), planAt: kept.planAt.get(sample.id),
    judgeAgain: kept.log.length > 0 && judgeAgain(records, kept.log).some(({ annotator }) => annotator === source.annotator),
  });
}

/** Lengths are bytes of the file, where it holds this one sample. */
function queueSample(workspace: Workspace, sample: Sample, hasLength: boolean): QueueSample {
  const { id, label, category, task, pairId, status, source } = sample;
  const length = hasLength && source.record === undefined ? sizeOf(join(workspace.root, source.file)) : undefined;
  return { id, label, category, task, pairId, status, ...(length === undefined ? {} : { length }) };
}

function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch {
    return undefined;
  }
}

/** Of repeated verdicts the first counts. */
export function firstVerdicts(run: RunFile | undefined): Map<string, FrameVerdict> {
  const byId = new Map<string, FrameVerdict>();
  const repeatOf = new Map<string, number>();
  for (const { sample_id, outcome, score, repeat = 0 } of run?.verdicts ?? []) {
    const before = repeatOf.get(sample_id);
    if (before !== undefined && before <= repeat) continue;
    repeatOf.set(sample_id, repeat);
    byId.set(sample_id, { outcome, ...(score === undefined ? {} : { score }) });
  }
  return byId;
}
