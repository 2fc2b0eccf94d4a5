/** Puts together what a run needs before anything is asked: the monitor ready to run, its header, and what it would cost. */
import { pairPreview } from "#core/monitors/contrastive";
import { kindOf, monitorAndMembers, needsOf } from "#core/monitors/index";
import { costOf } from "#core/monitors/llm";
import type { Monitor, MonitorContext, PromptPreview } from "#core/monitors/define";
import { estimateTokens } from "#core/monitors/render";
import { runHeader } from "#core/monitors/run-monitor";
import { contextOfMember } from "#core/monitors/vote";
import { sampleIdsCanonical } from "#core/workspace/asked-samples";
import type { Trajectory } from "#core/trajectory/model";
import type { WorkspaceSettings } from "#core/workspace/config";
import type { Sample } from "#core/workspace/manifest";
import type { Prompting, RunHeader } from "#core/workspace/schemas";
import { ExpectedFailure } from "./expected-failure";
import { isLoopback } from "./models/origin";
import { originsOf, type LoadedMonitors } from "./monitors";
import type { BatchSample } from "./run-batch";
import { filterText, type SampleFilter } from "./select-samples";
import { sha256 } from "./sha256";

/** The monitor with this id, able to run. Throws an `ExpectedFailure` that says what is missing. */
export function runnableMonitor(loaded: LoadedMonitors, id: string, prompting: Prompting | undefined): Monitor {
  const found = loaded.monitors.find((one) => one.id === id);
  const known = loaded.monitors.map((one) => one.id).join(", ");
  const unusable = loaded.unusable?.get(id);
  if (!found && unusable) throw new ExpectedFailure(`the entry of monitor "${id}" cannot be used: ${unusable.what}`, "correct it", { file: "tracemark.json", line: unusable.line });
  if (!found) throw new ExpectedFailure(`there is no monitor "${id}"`, `choose one of ${known}, or add it to tracemark.json`);
  // What was asked for counts from here on, so that the checks speak of it.
  const monitor: Monitor = prompting === undefined ? found : { ...found, config: { ...found.config, prompting } };
  const problem = loaded.brokenById.get(id) ?? kindOf(monitor).problem(monitor);
  if (problem !== undefined) throw new ExpectedFailure(`monitor "${id}" cannot run: ${problem}`, "correct tracemark.json");
  if (monitor.config.prompting === "contrastive" && !kindOf(monitor).runPair) throw new ExpectedFailure(`monitor "${id}" of kind "${monitor.kind}" judges one sample at a time`, "use contrastive prompting with a monitor of kind llm");
  if (monitor.kind === "recorded") throw new ExpectedFailure(`monitor "${id}" holds verdicts recorded elsewhere, which are read and not made again`, "see them with tracemark score, or choose another monitor");
  return monitor;
}

/** What the monitor is given beside the trajectory. Guidelines go to models and programs alone; rules have no use for them. */
export function contextFor(monitor: Monitor, settings: WorkspaceSettings, guidelines: string | undefined, rest: { prompting?: Prompting | undefined; reasoning: boolean; seed?: number | undefined }): MonitorContext {
  return {
    sha256, now: () => performance.now(), taxonomy: settings.taxonomy, reasoning: rest.reasoning && monitor.config.reasoning !== false, prompting: rest.prompting,
    seed: rest.seed, guidelines: needsOf(monitor).model || needsOf(monitor).program ? guidelines : undefined,
  };
}

export interface PlannedRun {
  readonly runId: string;
  readonly createdAt: string;
  readonly version: string;
  readonly sampleIds: readonly string[];
  readonly filter: SampleFilter;
  readonly repeat: number;
  /** The caps on spending, as the header keeps them. */
  readonly caps?: { readonly cost_usd?: number; readonly tokens?: number } | undefined;
}

/** The header of a new run and the text behind its `prompt_sha256`. The filter stands in it in parts too, for resuming. */
export function plannedHeader(monitor: Monitor, context: MonitorContext, plan: PlannedRun): { header: RunHeader; prompt: string } {
  const origins = originsOf(monitor);
  const [origin] = origins;
  const { header, prompt } = runHeader(monitor, context, {
    runId: plan.runId, createdAt: plan.createdAt, version: plan.version, endpointOrigin: origin,
    samples: { count: plan.sampleIds.length, sha256: sha256(sampleIdsCanonical(plan.sampleIds)), filter: filterText(plan.filter) },
  });
  const { patterns, split, limit } = plan.filter;
  const samples = { ...header.samples!, ...(patterns && { patterns }), ...(split !== undefined && { split }), ...(limit !== undefined && { limit }) };
  return { header: { ...header, samples, ...(origins.length > 1 ? { endpoint_origins: origins } : {}), ...(plan.repeat > 1 ? { repeats: plan.repeat } : {}), ...(plan.caps ? { caps: plan.caps } : {}) }, prompt };
}

/**
 * The samples as a batch judges them: one by one, or by halves of a pair for contrastive prompting, with the ids of those that
 * have no other half among the samples (`unpaired`). `load` reads one.
 */
export function batchSamples(samples: readonly Sample[], paired: boolean, load: (sample: Sample) => Promise<Trajectory>): { samples: BatchSample[]; unpaired: string[] } {
  const loadable = (sample: Sample) => ({ id: sample.id, load: () => load(sample) });
  if (!paired) return { samples: samples.map(loadable), unpaired: [] };
  const byPair = new Map<string, Sample[]>();
  for (const sample of samples) if (sample.pairId !== undefined) byPair.set(sample.pairId, [...(byPair.get(sample.pairId) ?? []), sample]);
  const pairs = [...byPair.values()].filter((halves) => halves.length === 2);
  const inPairs = new Set(pairs.flat().map(({ id }) => id));
  return {
    samples: pairs.map(([first, second]) => ({ ...loadable(first!), partner: loadable(second!) })),
    unpaired: samples.filter(({ id }) => !inPairs.has(id)).map(({ id }) => id),
  };
}

/** The filter that a header names, as `plannedHeader` wrote it. */
export function filterOf(header: RunHeader): SampleFilter {
  const { patterns, split, limit } = (header.samples ?? {}) as Record<string, unknown>;
  return {
    patterns: Array.isArray(patterns) && patterns.every((one) => typeof one === "string") ? patterns : undefined,
    split: typeof split === "string" ? split : undefined, limit: typeof limit === "number" ? limit : undefined,
  };
}

const headerWords: Readonly<Record<string, string>> = {
  prompt_sha256: "prompt", endpoint_origin: "address (endpoint_origin)", guideline_sha256: "text of the guidelines", taxonomy_sha256: "taxonomy", params: "set of params", view: "view (reasoning, segments)",
  examples: "choice of examples", members: "set of members of the vote (members)",
};

/** Whether an origin is this machine, or a host that the user calls inside. */
export type IsOurs = (origin: string) => boolean;

/** Whether a run goes on at another address, both of them one's own. */
export function hasMoved({ endpoint_origin: then }: RunHeader, { endpoint_origin: now }: RunHeader, isOurs: IsOurs): boolean {
  return then !== undefined && now !== undefined && then !== now && isOurs(then) && isOurs(now);
}

/**
 * Refuses to go on with a run under other conditions than those it began with: its verdicts would not be comparable.
 * `header` is what stands in the file, `now` what would be written today. An endpoint of one's own (`isOurs`: this machine, and
 * hosts that the user calls inside) may have moved: served models change their node with every job.
 */
export function requireSameRun(header: RunHeader, now: RunHeader, file: string, isOurs: IsOurs = isLoopback): void {
  const keys = ["monitor", "provider", "model", "prompting", "prompt_sha256", "endpoint_origin", "guideline_sha256", "taxonomy_sha256", "params", "view", "examples", "program", "rule", "members", "seed"];
  const differences = keys.filter((key) => JSON.stringify(header[key]) !== JSON.stringify(now[key]) && !(key === "endpoint_origin" && hasMoved(header, now, isOurs)));
  if (differences.length > 0) throw new ExpectedFailure(`the run was begun with another ${differences.map((key) => headerWords[key] ?? key).join(", ")}`, "put it back as it was, or start a new run instead", { file, line: 1 });
}

/** What a run would send and cost. Token counts are estimates (see `estimateTokens`). */
export interface RunEstimate {
  readonly samples: number;
  readonly requests: number;
  /** Samples that cannot be read, and those for which nothing can be asked (too long). */
  readonly unreadable: number;
  readonly inputTokens: number;
  /** Requests whose tokens an endpoint counted itself; 0 where all is estimated. */
  readonly counted: number;
  /** Requests that were sent to be counted, those that came back uncounted too. */
  readonly sentToCount: number;
  /** An assumption: `max_tokens` where set, else 500 a request. */
  readonly outputTokens: number;
  readonly costUsd: number | undefined;
  /** Where the text would go; several for a vote. */
  readonly origins: readonly string[];
  readonly local: boolean;
  /** The program that would be started. */
  readonly programs: readonly string[];
}

const assumedAnswer = 500;
/** Requests that an endpoint is given to count, spread over the samples: enough for a few percent. */
const countedAtMost = 24;

/** One request, as the endpoint of `monitor` would count it; undefined where it has no tokenizer. `onSend` is told before a send. */
export type CountRequest = (monitor: Monitor, messages: Pick<PromptPreview, "system" | "user" | "samples">, onSend: () => void) => Promise<number | undefined>;

export interface EstimateOptions {
  readonly signal?: AbortSignal | undefined;
  onProgress?(done: number): void;
  /** Lets endpoints count some of the requests, by which the estimate of all is put right. */
  readonly count?: CountRequest | undefined;
}

/** What one monitor would be sent, and how far its endpoint's own counts are from the estimates. */
class MonitorEstimate {
  requests = 0;
  /** Requests that were sent to be counted. */
  sent = 0;
  private tokens = 0;
  private output = 0;
  private readonly known = { requests: 0, tokens: 0, estimated: 0 };
  private hasTokenizer = true;

  constructor(private readonly monitor: Monitor) {}

  add({ tokens, requests }: PromptPreview): void {
    this.requests += requests;
    this.tokens += tokens;
    this.output += requests * (this.monitor.config.params?.max_tokens ?? assumedAnswer);
  }

  async count({ system, user, samples }: PromptPreview, count: CountRequest): Promise<void> {
    const tokens = this.hasTokenizer ? await count(this.monitor, { system, user, samples }, () => void this.sent++) : undefined;
    if (tokens === undefined) return void (this.hasTokenizer = false);
    this.known.requests++;
    this.known.tokens += tokens;
    this.known.estimated += estimateTokens(system) + estimateTokens(user);
  }

  get sums(): { input: number; output: number; cost: number | undefined; counted: number } {
    const { requests, tokens, estimated } = this.known;
    const input = Math.round(this.tokens * (estimated > 0 ? tokens / estimated : 1));
    return { input, output: this.output, cost: costOf(this.monitor, input, this.output), counted: requests };
  }
}

/** Reads every sample once and adds up what would be asked. */
export async function estimateRun(monitor: Monitor, context: MonitorContext, samples: readonly BatchSample[], repeat: number, { signal, onProgress, count }: EstimateOptions = {}): Promise<RunEstimate> {
  const members = monitorAndMembers(monitor).filter((one) => one.kind !== "vote");
  const estimates = new Map(members.filter((one) => needsOf(one).model).map((one) => [one, new MonitorEstimate(one)]));
  const every = Math.max(1, Math.ceil(samples.length / countedAtMost));
  let unreadable = 0;
  for (const [at, sample] of samples.entries()) {
    signal?.throwIfAborted();
    onProgress?.(at);
    const asked = await askedOf(sample, [...estimates.keys()], (one) => contextOfMember(monitor, one, context));
    if (!asked) unreadable++;
    for (const { monitor: one, shown } of asked ?? []) {
      estimates.get(one)!.add(shown);
      if (count && at % every === 0) await estimates.get(one)!.count(shown, count);
    }
  }
  const sums = [...estimates.values()].map((one) => ({ requests: one.requests, ...one.sums }));
  const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) * repeat;
  const costs = sums.flatMap(({ cost }) => cost ?? []);
  const origins = originsOf(monitor);
  return {
    samples: samples.length, requests: total(sums.map(({ requests }) => requests)), unreadable, inputTokens: total(sums.map(({ input }) => input)), outputTokens: total(sums.map(({ output }) => output)),
    costUsd: costs.length === sums.length ? total(costs) : undefined, counted: sums.reduce((sum, one) => sum + one.counted, 0),
    sentToCount: [...estimates.values()].reduce((sum, one) => sum + one.sent, 0), origins, local: origins.every(isLoopback),
    programs: members.flatMap((one) => (needsOf(one).program && one.config.program !== undefined ? [[one.config.program, ...(one.config.args ?? [])].join(" ")] : [])),
  };
}

/** What each model would be asked about a sample; undefined when the sample gives nothing to ask about. */
async function askedOf(sample: BatchSample, models: readonly Monitor[], contextOf: (monitor: Monitor) => MonitorContext): Promise<{ monitor: Monitor; shown: PromptPreview }[] | undefined> {
  try {
    const trajectory = { ...(await sample.load()), id: sample.id };
    if (trajectory.steps.length === 0) return undefined;
    const partner = sample.partner && { ...(await sample.partner.load()), id: sample.partner.id };
    if (partner) return models.map((monitor) => ({ monitor, shown: pairPreview([trajectory, partner], contextOf(monitor)) }));
    return models.flatMap((monitor) => {
      const shown = kindOf(monitor).preview?.(monitor, trajectory, contextOf(monitor));
      return shown ? [{ monitor, shown }] : [];
    });
  } catch {
    return undefined;
  }
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
