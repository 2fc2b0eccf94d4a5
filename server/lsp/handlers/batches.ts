/** Runs over many samples: what they would cost, beginning, going on, and stopping them. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pairPreview } from "#core/monitors/contrastive";
import { kindOf, runsUntrusted } from "#core/monitors/index";
import type { QueueFilter } from "#core/labels/queue-table";
import { isOurs, readUserSettings } from "#node/models/origin";
import { estimateRun } from "#node/run-plan";
import { idsOf, prepareResume, prepareRun, type Caps, type PreparedRun } from "#node/run-prepare";
import type { SampleFilter } from "#node/select-samples";
import { readRunProgress, uncountedNotes, verdictKey, type RunProgress } from "#node/store/run-progress";
import { RunWriter } from "#node/store/run-writer";
import type { BatchAsked, BatchEstimate } from "#protocol/batches";
import { recordedOf } from "../batches";
import type { ServerState } from "../state";
import { defineHandler, ExpectedError } from "./define";

/** Samples between two accounts of the count. */
const tellEvery = 50;

export const batchEstimate = defineHandler("tracemark/batchEstimate", async (state, { token, ...asked }, signal) => {
  const before = asked.resume === undefined ? undefined : await progressOf(state, asked.root, asked.resume);
  const prepared = await prepare(state, asked, before);
  const { monitor, context, samples, repeat, header } = prepared;
  const left = before ? samples.filter((one) => lacks(before, idsOf([one]), repeat)) : samples;
  const estimate = await estimateRun(monitor, context, left, repeat, { signal, onProgress: (at) => {
    if (token !== undefined && at % tellEvery === 0) state.progress(token, `${at} / ${left.length}`, at / left.length);
  } });
  const { requests, unreadable, inputTokens, outputTokens, costUsd, origins, programs } = estimate;
  return {
    monitor: monitor.id, prompting: header.prompting, samples: idsOf(left).length, done: idsOf(samples).length - idsOf(left).length, requests, unreadable, inputTokens, outputTokens,
    costUsd: costUsd ?? null, origins: [...origins], programs: [...programs], notes: [...prepared.notes, ...(before && (prepared.caps.costUsd ?? prepared.caps.tokens) !== undefined ? uncountedNotes(before) : [])], ...(await previewOf({ ...prepared, samples: left })),
  };
});

export const batchStart = defineHandler("tracemark/batchStart", async (state, { concurrency, ...asked }) => {
  const { root, resume } = asked;
  if (resume !== undefined && state.batches.isUnderWay(root, resume)) return { runId: resume };
  const { workspace } = await state.workspaces.of(root);
  if (resume === undefined) {
    const prepared = await prepare(state, asked, undefined);
    const recorded = await recordedOf(prepared, workspace);
    const writer = await RunWriter.create(workspace.runsFolder, prepared.header, prepared.prompt);
    await state.batches.begin(root, prepared, writer, recorded, concurrency);
    return { runId: writer.header.run_id };
  }
  const writer = await RunWriter.resume(runPath(workspace.runsFolder, resume));
  try {
    const prepared = await prepare(state, asked, writer.before!);
    await state.batches.begin(root, prepared, writer, await recordedOf(prepared, workspace), concurrency);
    return { runId: resume };
  } catch (error) {
    await writer.close();
    throw error;
  }
});

export const batchStop = defineHandler("tracemark/batchStop", (state, { root, runId, how }) => {
  if (!state.batches.stop(root, runId, how)) throw new ExpectedError(`The run ${runId} is not under way.`);
  return {};
});

export const batches = defineHandler("tracemark/batches", (state, { root }) => ({ batches: state.batches.list(root) }));

async function prepare(state: ServerState, asked: BatchAsked, before: RunProgress | undefined): Promise<PreparedRun> {
  const { root } = asked;
  const { workspace } = await state.workspaces.of(root);
  const { monitors, loaded } = await state.workspaces.monitorsOf(root);
  const place = { workspace, loaded: { ...loaded, monitors }, cwd: root, version: state.version, isOurs: (origin: string) => isOurs(origin, readUserSettings()) };
  const caps: Caps = { costUsd: asked.maxCostUsd, tokens: asked.maxTokens };
  const prepared = before
    ? await prepareResume(place, before.header, runPath(workspace.runsFolder, before.header.run_id), caps)
    : await prepareRun(place, { monitor: asked.monitor, prompting: asked.prompting, filter: await filterOf(state, asked), repeat: asked.repeat ?? 1, seed: asked.seed, reasoning: state.settings.includeReasoning, caps }, new Date());
  if (!state.settings.trusted && !runsUntrusted(prepared.monitor)) throw new ExpectedError("The workspace is not trusted: only rules and recorded verdicts run.");
  return prepared;
}

/** The filter for the header. What a filter of the queue leaves is named by ids, since labels and verdicts change what it leaves. */
async function filterOf(state: ServerState, { root, choice }: BatchAsked): Promise<SampleFilter> {
  const { patterns, queue, split, limit } = choice;
  if (!queue) return { patterns, split, limit };
  const { workspace } = await state.workspaces.of(root);
  await Promise.all([workspace.refreshLabels(), workspace.refreshRuns(), workspace.refreshPlans()]);
  const { table } = await state.queues.queue(workspace, { root, annotator: queue.annotator, ...(queue.runId === undefined ? {} : { runId: queue.runId }) }, false);
  const ids = table.select(queue.filter as QueueFilter).rows.map(({ id }) => id);
  if (ids.length === 0) throw new ExpectedError("The filter of the queue leaves no sample.");
  return { ...(ids.length === workspace.samples.length ? {} : { patterns: ids }), split, limit };
}

async function progressOf(state: ServerState, root: string, runId: string): Promise<RunProgress> {
  const { workspace } = await state.workspaces.of(root);
  const read = await readRunProgress(runPath(workspace.runsFolder, runId));
  if (!read.header) throw new ExpectedError(read.problems[0]?.message ?? `${runId} is no run file.`);
  return read;
}

function runPath(folder: string, runId: string): string {
  const path = join(folder, `${runId}.jsonl`);
  if (!/^[A-Za-z0-9._-]+$/.test(runId) || !existsSync(path)) throw new ExpectedError(`There is no run ${runId} any more.`);
  return path;
}

function lacks({ verdicts }: RunProgress, ids: readonly string[], repeat: number): boolean {
  return ids.some((id) => Array.from({ length: repeat }, (_, at) => at).some((at) => !verdicts.has(verdictKey(id, at))));
}

/** The text for the first sample or pair that can be read; none for monitors that read trajectories themselves. */
async function previewOf({ monitor, context, samples }: PreparedRun): Promise<Pick<BatchEstimate, "preview">> {
  const { preview } = kindOf(monitor);
  if (!preview) return {};
  for (const sample of samples.slice(0, 20)) {
    try {
      const trajectory = { ...(await sample.load()), id: sample.id };
      const partner = sample.partner && { ...(await sample.partner.load()), id: sample.partner.id };
      const { system, user, further, tokens } = partner ? pairPreview([trajectory, partner], context) : preview(monitor, trajectory, context);
      return { preview: { sampleId: sample.id, system, user, ...(further ? { further: [...further] } : {}), tokens } };
    } catch {
      // The next one may be readable.
    }
  }
  return {};
}
