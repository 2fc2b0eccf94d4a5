/** Everything that is fixed before the first sample of a run is judged, of a new run and of one that goes on; for the command line and the editor alike. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { kindOf, monitorAndMembers, needsOf } from "#core/monitors/index";
import type { Monitor, MonitorContext } from "#core/monitors/define";
import { readRunFile } from "#core/workspace/run-file";
import type { Prompting, RunHeader, VerdictRecord } from "#core/workspace/schemas";
import { ExpectedFailure, fileFailure } from "./expected-failure";
import { exampleChooser } from "./monitors/few-shot";
import type { LoadedMonitors } from "./monitors";
import type { BatchSample } from "./run-batch";
import { isLoopback } from "./models/origin";
import { batchSamples, contextFor, filterOf, hasMoved, plannedHeader, requireSameRun, runIdFor, runnableMonitor, type IsOurs } from "./run-plan";
import { selectSamples, type SampleFilter } from "./select-samples";
import type { Workspace } from "./workspace";

/** Caps on what a run may cost in all, what it cost before it was resumed too. */
export interface Caps {
  readonly costUsd?: number | undefined;
  readonly tokens?: number | undefined;
}

/** A run as somebody asks for it. */
export interface RunAsked {
  readonly monitor: string;
  readonly prompting?: Prompting | undefined;
  readonly filter: SampleFilter;
  /** At least 1. */
  readonly repeat: number;
  readonly reasoning: boolean;
  readonly seed?: number | undefined;
  readonly caps: Caps;
}

/** Where a run is asked for: what paths of the filter are taken from, and who asks. */
export interface RunPlace {
  readonly workspace: Workspace;
  readonly loaded: LoadedMonitors;
  readonly cwd: string;
  readonly version: string;
  /** Whether an origin is this machine (without it: that alone), or a host that the user calls inside. */
  readonly isOurs?: IsOurs | undefined;
}

export interface PreparedRun {
  readonly monitor: Monitor;
  readonly context: MonitorContext;
  readonly samples: readonly BatchSample[];
  readonly repeat: number;
  readonly header: RunHeader;
  /** The text behind `prompt_sha256`. */
  readonly prompt: string;
  readonly caps: Caps;
  /** What its verdicts say beside what they say by themselves: where they were asked, if elsewhere than the header names. */
  readonly stamp?: { readonly endpoint_origin: string } | undefined;
  /** Sentences for whoever asked, such as which samples have no other half. */
  readonly notes: readonly string[];
}

/** A new run. `now` gives it its id and time. Throws an `ExpectedFailure` that says what stands in the way. */
export async function prepareRun({ workspace, loaded, cwd, version }: RunPlace, asked: RunAsked, now: Date): Promise<PreparedRun> {
  const { prompting, filter, repeat, caps } = asked;
  const monitor = runnableMonitor(loaded, asked.monitor, prompting);
  const selected = await selectSamples(workspace, filter, cwd);
  const context = await withExamples(contextFor(monitor, workspace.settings, loaded.guidelines, { prompting, reasoning: asked.reasoning, seed: asked.seed }), workspace, monitorAndMembers(monitor));
  const { samples, notes } = batchOf(workspace, selected, isPaired(monitor, context));
  const name = needsOf(monitor).model ? kindOf(monitor).prompting(monitor, prompting) : undefined;
  const runId = runIdFor(monitor.id, name, now, (one) => existsSync(join(workspace.runsFolder, `${one}.jsonl`)));
  requirePrice(caps, monitor);
  const planned = plannedHeader(monitor, context, { runId, createdAt: now.toISOString(), version, sampleIds: idsOf(samples), filter, repeat, caps: headerCaps(caps) });
  return { ...planned, monitor, context, samples, repeat, caps, notes };
}

/**
 * A run that goes on under the conditions it began with; `old` is its header in `file`. Caps that are not given are those of
 * the header. Throws an `ExpectedFailure` where the conditions are others today.
 */
export async function prepareResume({ workspace, loaded, cwd, version, isOurs = isLoopback }: RunPlace, old: RunHeader, file: string, caps: Caps): Promise<PreparedRun> {
  const prompting = askedPrompting(old);
  const monitor = runnableMonitor(loaded, old.monitor, prompting);
  const filter = filterOf(old);
  const repeat = typeof old["repeats"] === "number" ? old["repeats"] : 1;
  const seed = typeof old["seed"] === "number" ? old["seed"] : undefined;
  const plain = contextFor(monitor, workspace.settings, loaded.guidelines, { prompting, reasoning: old.view.reasoning, seed });
  const context = await withExamples(plain, workspace, monitorAndMembers(monitor));
  const { samples, notes } = batchOf(workspace, await selectSamples(workspace, filter, cwd, true), isPaired(monitor, context));
  const ids = idsOf(samples);
  const { header, prompt } = plannedHeader(monitor, context, { runId: old.run_id, createdAt: old.created_at, version, sampleIds: ids, filter, repeat });
  requireSameRun(old, header, file, isOurs);
  const moved = hasMoved(old, header, isOurs) ? header.endpoint_origin! : undefined;
  const changed = old.samples && old.samples.sha256 !== header.samples?.sha256 ? [`the samples have changed since the run began (${old.samples.count} then, ${ids.length} now); those without a verdict are asked`] : [];
  const kept = old["caps"] as { cost_usd?: number; tokens?: number } | undefined;
  const all: Caps = { costUsd: caps.costUsd ?? kept?.cost_usd, tokens: caps.tokens ?? kept?.tokens };
  requirePrice(all, monitor);
  return { monitor, context, samples, repeat, header: old, prompt, caps: all, notes: [...notes, ...changed, ...(moved === undefined ? [] : [`the run began at ${old.endpoint_origin} and goes on at ${moved}`])], ...(moved === undefined ? {} : { stamp: { endpoint_origin: moved } }) };
}

/** The prompting that a run was asked for. Undefined for a vote that was asked for none, whose members have each its own; the headers of older votes do not tell, and count as asked. */
export function askedPrompting(header: RunHeader): Prompting | undefined {
  return header.kind === "vote" && header["prompting_asked"] === false ? undefined : header.prompting;
}

/** Samples one by one, or in pairs; those without another half are named. */
function batchOf(workspace: Workspace, selected: Parameters<typeof batchSamples>[0], paired: boolean): { samples: BatchSample[]; notes: string[] } {
  const { samples, unpaired } = batchSamples(selected, paired, async (sample) => (await workspace.trajectories.read(sample)).trajectory);
  if (samples.length === 0) throw new ExpectedFailure("no two of the samples are the halves of a pair", "give both halves the same pair_id in the manifest");
  const named = `${unpaired.slice(0, 5).join(", ")}${unpaired.length > 5 ? " …" : ""}`;
  return { samples, notes: unpaired.length > 0 ? [`${unpaired.length} of ${selected.length} samples have no other half and are not judged: ${named}`] : [] };
}

/** The ids of all samples of a batch, both of a pair. */
export function idsOf(samples: readonly BatchSample[]): string[] {
  return samples.flatMap((one) => (one.partner ? [one.id, one.partner.id] : [one.id]));
}

/** Whether a run of this monitor judges the halves of pairs together. */
export function isPaired(monitor: Monitor, context: MonitorContext): boolean {
  return kindOf(monitor).prompting(monitor, context.prompting) === "contrastive";
}

/** A cap on cost needs a price to count by. */
function requirePrice({ costUsd }: Caps, monitor: Monitor): void {
  if (costUsd === undefined) return;
  const without = monitorAndMembers(monitor).find((one) => one.kind === "llm" && one.config.price === undefined);
  if (without) throw new ExpectedFailure(`monitor "${without.id}" states no price, so its cost cannot be capped`, `add "price" to it in tracemark.json, or cap the tokens`);
}

function headerCaps({ costUsd, tokens }: Caps): { cost_usd?: number; tokens?: number } | undefined {
  if (costUsd === undefined && tokens === undefined) return undefined;
  return { ...(costUsd === undefined ? {} : { cost_usd: costUsd }), ...(tokens === undefined ? {} : { tokens }) };
}

/** The examples of every monitor that shows some: part of what a run is, so they are read before its header is made. */
export async function withExamples(context: MonitorContext, workspace: Workspace, monitors: readonly Monitor[]): Promise<MonitorContext> {
  const choosers = new Map<string, Awaited<ReturnType<typeof exampleChooser>>>();
  for (const one of monitors) if (one.config.examples && one.kind === "llm") choosers.set(one.id, await exampleChooser(workspace, one));
  if (choosers.size === 0) return context;
  return { ...context, examples: (trajectory, { id }) => choosers.get(id)?.choose(trajectory) ?? [], examplesSha256: ({ id }) => choosers.get(id)?.sha256 };
}

/** Verdicts of the runs that recorded monitors of a vote name. Throws an `ExpectedFailure` where one is not there. */
export async function recordedVerdicts(workspace: Workspace, members: readonly Monitor[]): Promise<Pick<MonitorContext, "recorded">> {
  const byMonitor = new Map<string, Map<string, VerdictRecord>>();
  for (const one of members.filter(({ kind }) => kind === "recorded")) {
    const { run } = one.config;
    if (run === undefined) throw new ExpectedFailure(`monitor "${one.id}" does not say which run holds its verdicts`, `add "run" with the id of a run to it in tracemark.json`);
    const file = join(workspace.runsFolder, `${run}.jsonl`);
    const text = await readFile(file, "utf8").catch((error: unknown) => Promise.reject(fileFailure(error, file)));
    byMonitor.set(one.id, new Map(readRunFile(text, file).run?.verdicts.map((verdict) => [verdict.sample_id, verdict])));
  }
  return byMonitor.size === 0 ? {} : { recorded: (sampleId, id) => byMonitor.get(id)?.get(sampleId) };
}
