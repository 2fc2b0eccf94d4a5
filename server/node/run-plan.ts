/** Puts together what a run needs before anything is asked: the monitor ready to run, its header, and what it would cost. */
import { kindOf } from "#core/monitors/index";
import { costOf } from "#core/monitors/llm";
import type { ModelPort, Monitor, MonitorContext } from "#core/monitors/define";
import { runHeader } from "#core/monitors/run-monitor";
import { sampleIdsCanonical } from "#core/workspace/asked-samples";
import type { WorkspaceSettings } from "#core/workspace/config";
import type { Prompting, RunHeader } from "#core/workspace/schemas";
import { ExpectedFailure } from "./expected-failure";
import { isLoopback, originOf } from "./models/origin";
import type { LoadedMonitors } from "./monitors";
import type { BatchSample } from "./run-batch";
import { filterText, type SampleFilter } from "./select-samples";
import { sha256 } from "./sha256";

/** The monitor with this id, able to run. Throws an `ExpectedFailure` that says what is missing. */
export function runnableMonitor(loaded: LoadedMonitors, id: string, prompting: Prompting | undefined): Monitor {
  const found = loaded.monitors.find((one) => one.id === id);
  const known = loaded.monitors.map((one) => one.id).join(", ");
  if (!found) throw new ExpectedFailure(`there is no monitor "${id}"`, `choose one of ${known}, or add it to tracemark.json`);
  // What was asked for counts from here on, so that the checks speak of it.
  const monitor = prompting === undefined ? found : { ...found, config: { ...found.config, prompting } };
  const problem = loaded.brokenById.get(id) ?? kindOf(monitor).problem(monitor);
  if (problem !== undefined) throw new ExpectedFailure(`monitor "${id}" cannot run: ${problem}`, "correct tracemark.json");
  if (monitor.kind === "recorded") throw new ExpectedFailure(`monitor "${id}" holds verdicts recorded elsewhere, which are read and not made again`, "see them with tracemark score, or choose another monitor");
  return monitor;
}

/** What the monitor is given beside the trajectory. Guidelines go to models alone; rules have no use for them. */
export function contextFor(monitor: Monitor, settings: WorkspaceSettings, guidelines: string | undefined, rest: { prompting?: Prompting | undefined; reasoning: boolean; model?: ModelPort | undefined }): MonitorContext {
  return {
    sha256, now: () => performance.now(), taxonomy: settings.taxonomy, reasoning: rest.reasoning, prompting: rest.prompting,
    guidelines: kindOf(monitor).needs.model ? guidelines : undefined, model: rest.model,
  };
}

export interface PlannedRun {
  readonly runId: string;
  readonly createdAt: string;
  readonly version: string;
  readonly sampleIds: readonly string[];
  readonly filter: SampleFilter;
  readonly repeat: number;
}

/** The header of a new run and the text behind its `prompt_sha256`. The filter stands in it in parts too, for resuming. */
export function plannedHeader(monitor: Monitor, context: MonitorContext, plan: PlannedRun): { header: RunHeader; prompt: string } {
  const origin = kindOf(monitor).needs.network && monitor.config.base_url !== undefined ? originOf(monitor.config.base_url) : undefined;
  const { header, prompt } = runHeader(monitor, context, {
    runId: plan.runId, createdAt: plan.createdAt, version: plan.version, endpointOrigin: origin,
    samples: { count: plan.sampleIds.length, sha256: sha256(sampleIdsCanonical(plan.sampleIds)), filter: filterText(plan.filter) },
  });
  const { patterns, split, limit } = plan.filter;
  const samples = { ...header.samples!, ...(patterns && { patterns }), ...(split !== undefined && { split }), ...(limit !== undefined && { limit }) };
  return { header: { ...header, samples, ...(plan.repeat > 1 ? { repeats: plan.repeat } : {}) }, prompt };
}

/** The filter that a header names, as `plannedHeader` wrote it. */
export function filterOf(header: RunHeader): SampleFilter {
  const { patterns, split, limit } = (header.samples ?? {}) as Record<string, unknown>;
  return {
    patterns: Array.isArray(patterns) && patterns.every((one) => typeof one === "string") ? patterns : undefined,
    split: typeof split === "string" ? split : undefined, limit: typeof limit === "number" ? limit : undefined,
  };
}

/**
 * Refuses to go on with a run under other conditions than those it began with: its verdicts would not be comparable.
 * `header` is what stands in the file, `now` what would be written today.
 */
export function requireSameRun(header: RunHeader, now: RunHeader, file: string): void {
  const differences = (["monitor", "model", "prompting", "prompt_sha256", "endpoint_origin", "guideline_sha256", "taxonomy_sha256"] as const)
    .filter((key) => header[key] !== now[key]);
  if (JSON.stringify(header.params) !== JSON.stringify(now.params)) differences.push("params" as never);
  if (differences.length > 0) throw new ExpectedFailure(`the run was begun with another ${differences.join(", ")}`, "start a new run instead", { file, line: 1 });
}

/** What a run would send and cost. Token counts are estimates (see `estimateTokens`). */
export interface RunEstimate {
  readonly samples: number;
  readonly requests: number;
  readonly unreadable: number;
  readonly inputTokens: number;
  /** An assumption: `max_tokens` where set, else 500 a request. */
  readonly outputTokens: number;
  readonly costUsd: number | undefined;
  readonly origin: string | undefined;
  readonly local: boolean;
}

const assumedAnswer = 500;

/** Reads every sample once and adds up what would be asked. */
export async function estimateRun(monitor: Monitor, context: MonitorContext, samples: readonly BatchSample[], repeat: number, signal?: AbortSignal): Promise<RunEstimate> {
  const kind = kindOf(monitor);
  let tokens = 0, unreadable = 0;
  for (const sample of samples) {
    signal?.throwIfAborted();
    try {
      const trajectory = await sample.load();
      if (trajectory.steps.length === 0) unreadable++;
      else tokens += kind.preview?.(monitor, trajectory, context).tokens ?? 0;
    } catch {
      unreadable++;
    }
  }
  const requests = kind.needs.model ? (samples.length - unreadable) * repeat : 0;
  const inputTokens = tokens * repeat;
  const outputTokens = requests * (monitor.config.params?.max_tokens ?? assumedAnswer);
  const origin = kind.needs.network && monitor.config.base_url !== undefined ? originOf(monitor.config.base_url) : undefined;
  return {
    samples: samples.length, requests, unreadable, inputTokens, outputTokens, costUsd: kind.needs.model ? costOf(monitor, inputTokens, outputTokens) : 0,
    origin, local: !kind.needs.network || (origin !== undefined && isLoopback(origin)),
  };
}

/** A run id that sorts by time, names its monitor and can be a file name: `20260314-150926-guard-evidence`. `at` is UTC. */
export function runIdFor(monitor: string, prompting: string | undefined, at: Date, isTaken: (id: string) => boolean): string {
  const time = at.toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  const name = monitor.toLowerCase().replace(/[^a-z0-9._-]+/g, "-").slice(0, 60) || "monitor";
  const base = `${time}-${name}${prompting === undefined ? "" : `-${prompting}`}`;
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!isTaken(id)) return id;
  }
}
