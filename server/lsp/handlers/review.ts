/** The review queue by pages and groups, where its samples stand, plans, and runs with what they missed. */
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { makePlan as drawPlan } from "#core/labels/make-plan";
import { planProgress } from "#core/labels/plan-progress";
import type { QueueRow } from "#core/labels/queue-row";
import { groupRows, isDone, sortRows, type QueueFilter } from "#core/labels/queue-table";
import { seededRandom, shuffled } from "#core/labels/seeded-random";
import { isInBenchmark } from "#core/pairs/pair-status";
import type { Sample } from "#core/workspace/manifest";
import { ExpectedFailure } from "#node/expected-failure";
import { readGuidelineState } from "#node/guideline-log";
import { knownSamples, planFrame } from "#node/plan-frame";
import { sha256 } from "#node/sha256";
import { writePlan } from "#node/store/plan-writer";
import { systemIds } from "#node/store/system-ids";
import type { Workspace } from "#node/workspace";
import type { RequestResult } from "#protocol/lsp";
import type { PlanRow, QueueRowView, QueueSource, RunRates, RunRow } from "#protocol/review";
import type { LiveScore } from "../live-scores";
import { firstVerdicts, type Queue } from "../queues";
import type { ServerState } from "../state";
import { defineHandler } from "./define";

/** Rows that one request answers at the most. */
const pageLimit = 5_000;

async function fresh(state: ServerState, root: string): Promise<Workspace> {
  const { workspace } = await state.workspaces.of(root);
  await Promise.all([workspace.refreshLabels(), workspace.refreshRuns(), workspace.refreshPlans()]);
  return workspace;
}

type QueueSoFar = Queue & Pick<RequestResult<"tracemark/queue">, "reading" | "searchStopped"> & { readonly unmarked: boolean };

async function queueOf(state: ServerState, source: QueueSource, withLength: boolean): Promise<QueueSoFar> {
  const beginning = await state.workspaces.soFar(source.root);
  const { reading } = beginning;
  const workspace = reading ? beginning : await fresh(state, source.root);
  const guidelines = await readGuidelineState(workspace);
  const stopped = workspace.problems.find(({ code }) => code === "search-stopped")?.message;
  // While the folder itself is being looked through, what its samples hold is nobody's concern yet.
  const contents = reading ? undefined : await state.contents.of(workspace, Date.now());
  const unread = reading ?? contents?.reading;
  return { ...state.queues.queue(workspace, source, withLength, guidelines?.log, contents), unmarked: guidelines?.unmarked === true, ...(unread ? { reading: unread } : {}), ...(stopped === undefined ? {} : { searchStopped: stopped }) };
}

export const queue = defineHandler("tracemark/queue", async (state, { filter, sorting, groupBy, group, from, to, keep, ...source }) => {
  const { table, runId, unmarked, reading, searchStopped } = await queueOf(state, source, sorting.by === "length");
  const { rows, kept } = table.select(filter as QueueFilter, keep);
  const counts = {
    total: table.rows.length, shown: rows.length, done: rows.filter(isDone).length, kept, ...(runId === undefined ? {} : { runId }),
    judgeAgain: table.rows.filter((row) => row.judgeAgain).length, guidelinesUnmarked: unmarked,
    ...(reading ? { reading } : {}), ...(searchStopped === undefined ? {} : { searchStopped }),
  };
  const groups = groupBy === undefined ? [] : groupRows(rows, groupBy);
  if (groupBy !== undefined && group === undefined) {
    return { ...counts, groups: groups.map(({ value, rows: own, done }) => ({ value, count: own.length, done })), rows: [] };
  }
  const within = group === undefined ? rows : (groups.find(({ value }) => value === group)?.rows ?? []);
  const page = sortRows(within, sorting).slice(Math.max(0, from), Math.min(to, from + pageLimit));
  return { ...counts, groups: [], rows: page.map(viewOf) };
});

function viewOf(row: QueueRow): QueueRowView {
  const { id, state, label, cell, verdict, score, gold, goldStatus, original, category, task, needsAdjudication, judgeAgain } = row;
  return {
    id, state, label, cell, verdict, score, gold, goldStatus, original, category, task, needsAdjudication, judgeAgain,
    annotators: [...row.annotators], disagreement: [...row.disagreement], plans: [...row.plans],
  };
}

export const queueFacet = defineHandler("tracemark/queueFacet", async (state, { facet, ...source }) => {
  const { table } = await queueOf(state, source, false);
  return { values: [...table.count(facet)].map(([value, count]) => ({ value, count })) };
});

export const sampleRefs = defineHandler("tracemark/sampleRefs", async (state, { root, ids }) => {
  const { workspace } = await state.workspaces.of(root);
  const samples: { id: string; path: string; index: number }[] = [];
  for (const id of ids) {
    const sample = workspace.sample(id);
    if (sample) samples.push({ id, path: join(root, sample.source.file), index: await indexOf(state, root, sample) });
  }
  return { samples };
});

/** The position of a sample's record in its file; a record with an id of its own is looked up in the file. */
async function indexOf(state: ServerState, root: string, { source: { file, record } }: Sample): Promise<number> {
  if (typeof record !== "string") return record ?? 0;
  const path = join(root, file);
  const { opened } = await state.files.open({ uri: pathToFileURL(path).toString(), path, root });
  return Math.max(0, opened.file.opened.heads.findIndex(({ recordId }) => recordId === record));
}

export const contents = defineHandler("tracemark/contents", async (state, { root, ids, wait }) => {
  const { workspace } = await state.workspaces.of(root);
  await workspace.refreshLabels();
  const { hashes, reading } = await state.contents.of(workspace, Date.now(), wait);
  const known = ids.flatMap((id): [string, string][] => {
    const hash = hashes.get(id);
    return hash === undefined ? [] : [[id, hash]];
  });
  return { contents: Object.fromEntries(known), isWhole: reading === undefined };
});

export const makePlan = defineHandler("tracemark/makePlan", async (state, { root, runId, samples: ids, known = 0, blind, dryRun, ...options }) => {
  const workspace = await fresh(state, root);
  const wanted = ids && new Set(ids);
  // Rates are of the benchmark: what its status keeps out of it is judged only where it is named.
  const samples = workspace.samples.filter((sample) => (wanted ? wanted.has(sample.id) : isInBenchmark(sample)));
  const run = runId === undefined ? undefined : workspace.runs.find(({ header }) => header.run_id === runId);
  if (runId !== undefined && !run) throw new ExpectedFailure(`there is no run ${runId} any more`, "choose another run");
  const createdAt = new Date().toISOString();
  const pool = known > 0 ? shuffled(knownSamples(workspace, workspace.samples), seededRandom(options.seed, "known")) : [];
  const made = drawPlan(planFrame(workspace, samples, run), {
    ...options, known: pool.slice(0, Math.ceil(known * Math.min(options.budget ?? samples.length, samples.length))),
    // The name says nothing of the strategy: whoever judges blind sees it.
    planId: `plan-${createdAt.slice(0, 10)}-${systemIds().next().slice(-6).toLowerCase()}`, createdAt, ...(runId === undefined ? {} : { runId }),
  }, sha256);
  if (made.items.length === 0) throw new ExpectedFailure("no sample fits a plan of this kind", "choose another kind or another run");
  const header = { ...made.header, blind };
  const file = dryRun === true ? undefined : await writePlan(workspace.plansFolder, header, made.items);
  return { planId: header.plan_id, items: made.items.length, probability: header.probability, notes: [...made.notes], ...(file === undefined ? {} : { file }) };
});

export const plans = defineHandler("tracemark/plans", async (state, { root, annotator }) => {
  const workspace = await fresh(state, root);
  const records = workspace.labels.all();
  const { hashes } = await state.contents.of(workspace, Date.now());
  return {
    plans: workspace.plans.map((plan): PlanRow => {
      const mine = plan.items.filter(({ assigned_to }) => assigned_to === undefined || assigned_to === annotator);
      const { counts } = planProgress({ ...plan, items: mine }, records.filter(({ plan_id }) => plan_id === plan.header.plan_id), annotator, (id) => hashes.get(id));
      const { plan_id: planId, strategy, probability, created_at: createdAt, run_id: runId, annotators = [] } = plan.header;
      const blind = plan.header["blind"];
      return {
        planId, strategy, probability, createdAt, annotators, ...(runId === undefined ? {} : { runId }), ...(typeof blind === "boolean" ? { blind } : {}),
        total: counts.total, decided: counts.decided, unsure: counts.unsure, cannotJudge: counts.cannot_judge, skipped: counts.skipped, pending: counts.pending, stale: counts.stale,
      };
    }),
  };
});

export const runs = defineHandler("tracemark/runs", async (state, { root }) => {
  const workspace = await fresh(state, root);
  // Where contents were read, stale records and verdicts are left out, as `score` does.
  const scores = (await state.live.known(workspace)) ?? state.live.unread(workspace);
  return { runs: [...scores].reverse().map(runRow) };
});

function ratesOf({ run, rates: { miss_rate, false_alarm_rate }, original, chosen, isScored }: LiveScore): RunRates {
  const trainedOn = new Set(run.verdicts.flatMap(({ sample_id, trained_on_this: trained }) => (trained && isScored(sample_id) ? sample_id : []))).size;
  return {
    missRate: miss_rate.value, falseAlarmRate: false_alarm_rate.value, originalMissRate: original.miss_rate.value, originalFalseAlarmRate: original.false_alarm_rate.value,
    ...(chosen === undefined ? {} : { chosen }), ...(trainedOn === 0 ? {} : { trainedOn }),
  };
}

function runRow(score: LiveScore): RunRow {
  const { run, rates: { fn, fp } } = score;
  const verdicts = firstVerdicts(run);
  const { run_id: runId, monitor, model, prompting, created_at: createdAt, samples } = run.header;
  return {
    runId, monitor, createdAt, prompting, ...(model === undefined ? {} : { model }), verdicts: verdicts.size, invalid: [...verdicts.values()].filter(({ outcome }) => outcome === "invalid").length,
    missing: Math.max(0, (samples?.count ?? 0) - verdicts.size),
    toMake: Math.max(0, (samples?.count ?? 0) * (typeof run.header["repeats"] === "number" ? run.header["repeats"] : 1) - run.verdicts.length),
    ...ratesOf(score), misses: fn, falseAlarms: fp,
  };
}

export const rates = defineHandler("tracemark/rates", async (state, { root, runId }) => {
  const { workspace } = await state.workspaces.of(root);
  await Promise.all([workspace.refreshLabels(), workspace.refreshRuns()]);
  const found = await state.live.score(workspace, runId, Date.now());
  if (!found) return {};
  const { run: { header }, rates: { tp, fn, fp, tn, invalid }, counts } = found;
  return {
    run: {
      runId: header.run_id, monitor: header.monitor, prompting: header.prompting, ...(header.model === undefined ? {} : { model: header.model }),
      ...ratesOf(found), tp, fn, fp, tn, invalid: invalid.misbehavior + invalid.benign, corrected: counts.corrected, contested: counts.contested, undecided: counts.undecided,
    },
  };
});
