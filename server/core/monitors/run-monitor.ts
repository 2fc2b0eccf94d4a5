/** Runs one monitor on one trajectory and writes what it said as the fields of a verdict line. */
import { kindOf } from "./index";
import { invalidVerdict } from "./define";
import type { Monitor, MonitorContext, Verdict } from "./define";
import { overlapSteps } from "./segments";
import type { Trajectory } from "#core/trajectory/model";
import type { Prompting, RunHeader, VerdictRecord } from "#core/workspace/schemas";

/** What a verdict line says beside its content: which sample, which content, when, and which repeat (from 0). */
export interface VerdictPlace {
  readonly sampleId: string;
  readonly contentSha256?: string | undefined;
  readonly createdAt?: string | undefined;
  readonly repeat?: number | undefined;
}

/**
 * The verdict of `monitor` on `trajectory`. Never rejects: a bug in a monitor becomes an invalid verdict with the
 * reason `error`, so that one sample cannot end a run.
 */
export async function judge(monitor: Monitor, trajectory: Trajectory, context: MonitorContext): Promise<Verdict> {
  const started = context.now();
  try {
    const verdict = await kindOf(monitor).run(monitor, trajectory, context);
    return verdict.latencyMs > 0 ? verdict : { ...verdict, latencyMs: Math.max(0, context.now() - started) };
  } catch (error) {
    return invalidVerdict("error", error instanceof Error ? error.message : String(error), { latencyMs: Math.max(0, context.now() - started) });
  }
}

/** The verdicts on both halves of a pair, in its order. Never rejects, as `judge`. */
export async function judgePair(monitor: Monitor, pair: readonly [Trajectory, Trajectory], context: MonitorContext): Promise<readonly [Verdict, Verdict]> {
  const started = context.now();
  const both = (verdict: Verdict): readonly [Verdict, Verdict] => [verdict, verdict];
  try {
    const { runPair } = kindOf(monitor);
    return runPair ? await runPair(monitor, pair, context) : both(invalidVerdict("configuration", `monitors of kind "${monitor.kind}" judge one sample at a time`));
  } catch (error) {
    return both(invalidVerdict("error", error instanceof Error ? error.message : String(error), { latencyMs: Math.max(0, context.now() - started) }));
  }
}

/** The verdict as a line of a run file. Keys without a value are left out. */
export function verdictRecord(verdict: Verdict, place: VerdictPlace): VerdictRecord {
  const record: Record<string, unknown> = {
    type: "verdict", sample_id: place.sampleId, content_sha256: place.contentSha256, outcome: verdict.outcome, score: verdict.score,
    detected_categories: verdict.categories, reason: verdict.reason, message: verdict.message,
    warnings: verdict.warnings.length > 0 ? verdict.warnings : undefined,
    weak_signals: verdict.weakSignals?.length ? verdict.weakSignals : undefined,
    raw: verdict.raw, usage: verdict.usage, model_returned: verdict.modelReturned, fingerprint: verdict.fingerprint,
    finish_reason: verdict.finishReason, thinking: verdict.thinking, cached: verdict.cached || undefined, repeat: place.repeat, created_at: place.createdAt,
    latency_ms: Math.round(verdict.latencyMs), attempts: verdict.attempts, ...verdict.more,
  };
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as VerdictRecord;
}

/** Judges and writes the line in one go. */
export async function runMonitor(monitor: Monitor, trajectory: Trajectory, context: MonitorContext, place: VerdictPlace): Promise<VerdictRecord> {
  return verdictRecord(await judge(monitor, trajectory, context), place);
}

export interface RunHeaderInput {
  readonly runId: string;
  readonly createdAt: string;
  readonly version: string;
  readonly endpointOrigin?: string | undefined;
  readonly gitCommit?: string | undefined;
  readonly samples: { readonly count: number; readonly sha256: string; readonly filter?: string | undefined };
}

/** The first line of a run file. `prompt` is the text behind `prompt_sha256`, to be kept as `runs/prompts/SHA.txt`. */
export function runHeader(monitor: Monitor, context: MonitorContext, input: RunHeaderInput): { header: RunHeader; prompt: string } {
  const kind = kindOf(monitor);
  const prompting: Prompting = kind.prompting(monitor, context.prompting);
  const prompt = kind.promptText(monitor, prompting);
  const { config } = monitor;
  const header: Record<string, unknown> = {
    type: "run", run_id: input.runId, monitor: monitor.id, kind: monitor.kind, provider: config.provider, model: config.model, prompting,
    params: config.params ?? {}, prompt_sha256: context.sha256(prompt), trained_on: kind.trainedOn?.(monitor) ?? config.trained_on, endpoint_origin: input.endpointOrigin,
    view: { reasoning: context.reasoning, ...segmentsOf(monitor) },
    guideline_sha256: context.guidelines === undefined ? undefined : context.sha256(context.guidelines),
    taxonomy_sha256: context.sha256(JSON.stringify(context.taxonomy)), git_commit: input.gitCommit,
    examples: examplesOf(monitor, context), seed: prompting === "contrastive" ? context.seed ?? 0 : undefined,
    program: monitor.kind === "command" ? [config.program, ...(config.args ?? [])] : undefined,
    rule: monitor.kind === "vote" ? config.rule ?? "majority" : undefined,
    // Members that were asked each under its own prompting are asked so again, though the header names one for all.
    prompting_asked: monitor.kind === "vote" ? context.prompting !== undefined : undefined,
    members: monitor.members?.map((one) => membersOf(one, config.prompting ?? context.prompting, context)),
    created_at: input.createdAt, tracemark_version: input.version,
    samples: { count: input.samples.count, sha256: input.samples.sha256, ...(input.samples.filter === undefined ? {} : { filter: input.samples.filter }) },
  };
  return { header: Object.fromEntries(Object.entries(header).filter(([, value]) => value !== undefined)) as RunHeader, prompt };
}

function segmentsOf({ kind, config }: Monitor): { segments?: object } {
  const window = kind === "llm" ? config.params?.context_tokens : undefined;
  return window === undefined ? {} : { segments: { context_tokens: window, overlap_steps: overlapSteps, joined: "any" } };
}

function examplesOf(monitor: Monitor, context: MonitorContext): object | undefined {
  const sha256 = context.examplesSha256?.(monitor);
  return monitor.config.examples && { ...monitor.config.examples, ...(sha256 === undefined ? {} : { sha256 }) };
}

/** What a header says of a monitor that votes. */
function membersOf(monitor: Monitor, asked: Prompting | undefined, context: MonitorContext): object {
  const kind = kindOf(monitor);
  const prompting = kind.prompting(monitor, asked);
  return Object.fromEntries(Object.entries({
    monitor: monitor.id, kind: monitor.kind, provider: monitor.config.provider, model: monitor.config.model, prompting, params: monitor.config.params,
    reasoning: monitor.config.reasoning === false ? false : undefined, examples: examplesOf(monitor, context),
    prompt_sha256: context.sha256(kind.promptText(monitor, prompting)),
  }).filter(([, value]) => value !== undefined));
}
