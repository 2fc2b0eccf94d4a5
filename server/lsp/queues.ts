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
import type { Workspace } from "#node/workspace";
import type { QueueSource } from "#protocol/review";
import { labelChanges } from "./label-changes";
import type { Contents } from "./known-contents";

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
  /** The content that each row was made with, where it is known. */
  readonly contents: Map<string, string | undefined>;
  /** Changes of the label store, and the version of the contents, when the rows were brought up to date. */
  labelChanges: number;
  contentVersion: number;
}

type Hashes = Contents["hashes"];
const noContents = { hashes: new Map<string, string | undefined>(), version: 0 };

export interface Queue {
  readonly table: QueueTable;
  readonly runId: string | undefined;
}

export class Queues {
  private readonly keptByKey = new Map<string, KeptQueue>();

  /** The rows of a root as `source` sees them. Labels, runs and plans of the workspace are taken as they were read last; `log` is that of the guidelines. */
  queue(workspace: Workspace, source: QueueSource, withLength: boolean, log: readonly GuidelineChange[] = [], { hashes, version }: Pick<Contents, "hashes" | "version"> = noContents): Queue {
    const run = source.runId === undefined ? workspace.runs.at(-1) : workspace.runs.find(({ header }) => header.run_id === source.runId);
    const key = JSON.stringify([source.root, source.annotator, source.planId ?? null]);
    const kept = this.keptByKey.get(key);
    const isUsable = kept && kept.samples === workspace.samples && kept.run === run && isSameList(kept.plans, workspace.plans) && JSON.stringify(kept.log) === JSON.stringify(log) && (kept.hasLength || !withLength);
    const changes = labelChanges(workspace.labels);
    const current = isUsable ? kept : make(workspace, source, run, withLength, log, hashes);
    if (isUsable && (kept.labelChanges !== changes || kept.contentVersion !== version)) bringUpToDate(workspace, source, kept, hashes);
    if (!isUsable) this.keptByKey.set(key, current);
    Object.assign(current, { labelChanges: changes, contentVersion: version });
    return { table: current.table, runId: run?.header.run_id };
  }
}

function isSameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((one, at) => one === b[at]);
}

function make(workspace: Workspace, source: QueueSource, run: RunFile | undefined, hasLength: boolean, log: readonly GuidelineChange[], hashes: Hashes): KeptQueue {
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
  const kept = { samples: workspace.samples, run, plans: workspace.plans, hasLength, verdicts: firstVerdicts(run), log, plansOf, planAt, records: new Map<string, number>(), contents: new Map<string, string | undefined>(), labelChanges: 0, contentVersion: 0 };
  return { ...kept, table: new QueueTable(workspace.samples.map((sample) => rowOf(workspace, source, kept, sample, hashes))) };
}

function bringUpToDate(workspace: Workspace, source: QueueSource, kept: KeptQueue, hashes: Hashes): void {
  for (const sample of kept.samples) {
    const records = workspace.labels.recordsOf(sample.id);
    const isSame = records.length === kept.records.get(sample.id) && hashes.get(sample.id) === kept.contents.get(sample.id);
    if (!isSame) kept.table.update(rowOf(workspace, source, kept, sample, hashes));
  }
}

function rowOf(workspace: Workspace, source: QueueSource, kept: Omit<KeptQueue, "table">, sample: Sample, hashes: Hashes): QueueRow {
  const records = workspace.labels.recordsOf(sample.id);
  kept.records.set(sample.id, records.length);
  // Only a record that names a content can be stale: of all other samples none is known, and none is asked for.
  const contentSha256 = hashes.get(sample.id);
  if (contentSha256 !== undefined) kept.contents.set(sample.id, contentSha256);
  else kept.contents.delete(sample.id);
  return queueRow({
    sample: { ...queueSample(workspace, sample, kept.hasLength), contentSha256 }, records, annotator: source.annotator, overturn: workspace.settings.overturn,
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
