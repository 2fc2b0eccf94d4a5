/** The way of a run to what its monitor needs: models with keys and consent, programs, recorded verdicts, examples. Nothing is sent before this has passed. */
import { monitorAndMembers, needsOf } from "#core/monitors/index";
import type { Monitor, MonitorContext } from "#core/monitors/define";
import { endpointOf } from "#core/monitors/endpoint";
import { ExpectedFailure } from "#node/expected-failure";
import type { EgressLog } from "#node/models/egress-log";
import type { Retry } from "#node/models/complete";
import { keyFor } from "#node/models/keys";
import type { ModelsModule } from "#node/models/load";
import { originOf, requireAllowed, type UserSettings } from "#node/models/origin";
import { modelPort } from "#node/models/port";
import type { SpendCap } from "#node/models/spend";
import { programPort } from "#node/monitors/program";
import { recordedVerdicts } from "#node/run-prepare";
import { AnswerCache } from "#node/store/answer-cache";
import type { Workspace } from "#node/workspace";
import { textListOption, type VerbCall } from "./define";

/** What the verbs that run monitors need from outside; tests put their own in. */
export interface RunPorts {
  models(): ModelsModule | Promise<ModelsModule>;
  readonly env: NodeJS.ProcessEnv;
  /** What the user's own configuration allows. */
  user(): UserSettings;
  /** Opens the log of everything sent; without it nothing is logged. */
  egressLog?(): EgressLog;
  /** Folder of the cache of answers; without it nothing is cached. */
  readonly cacheFolder?: string | undefined;
}

/** A context that can be run with, and what is to be done when the run is over. */
export interface Connected {
  readonly context: MonitorContext;
  /** Answers that the cache gave. */
  readonly cached: () => number;
  close(): Promise<void>;
}

export interface ConnectInput {
  readonly call: VerbCall;
  readonly workspace: Workspace;
  readonly monitor: Monitor;
  readonly context: MonitorContext;
  readonly signal: AbortSignal;
  readonly cap?: SpendCap | undefined;
  /** Told when a request failed and is asked again. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Repeats are asked anew each time. */
  readonly useCache: boolean;
}

/** Checks consent and keys of every model that would be asked, and adds the ways to models, programs and recorded verdicts. */
export async function connect(input: ConnectInput, ports: RunPorts): Promise<Connected> {
  const { call, workspace, monitor, signal } = input;
  const members = monitorAndMembers(monitor);
  let context = { ...input.context, ...(await recordedVerdicts(workspace, members)) };
  if (needsOf(monitor).program) {
    for (const one of members) if (one.kind === "command") call.io.note(`note: monitor "${one.id}" starts ${[one.config.program, ...(one.config.args ?? [])].join(" ")}`);
    context = { ...context, programs: programPort({ root: workspace.root, signal, env: ports.env, passEnv: textListOption(call, "passEnv") }) };
  }
  if (!needsOf(monitor).model) return { context, cached: () => 0, close: async () => undefined };
  const monitors = members.filter((one) => one.kind === "llm").map((one) => ({ monitor: one, apiKey: keyOf(one, call, ports) }));
  const models = await ports.models();
  const fetch = models.networkFetch(ports.env);
  const log = ports.egressLog?.();
  const cache = input.useCache && ports.cacheFolder !== undefined ? new AnswerCache(ports.cacheFolder) : undefined;
  const model = modelPort({ monitors, models, signal, cache, cap: input.cap, log, fetch, onRetry: input.onRetry });
  return {
    context: { ...context, model }, cached: () => model.answeredByCache,
    close: async () => { await cache?.settle(); log?.close(); },
  };
}

/** The key of one monitor, after its origin was found allowed. */
function keyOf(monitor: Monitor, call: VerbCall, ports: RunPorts): string | undefined {
  const user = ports.user();
  const given = allowedOrigins(call);
  const origin = requireAllowed(endpointOf(monitor.config) ?? "", given, monitor.id, user);
  const variable = monitor.config.api_key_env;
  if (variable === undefined) return undefined;
  const key = keyFor({ monitor: monitor.id, variable, origin, given, user, env: ports.env });
  if (key === undefined) call.io.note(`note: the environment variable ${variable} is not set; ${origin} is asked without a key`);
  return key;
}

/** The origins of `--allow-origin`, checked. */
export function allowedOrigins(call: VerbCall): string[] {
  const origins = textListOption(call, "allowOrigin") ?? [];
  for (const one of origins) if (originOf(one) === undefined) throw new ExpectedFailure(`--allow-origin ${one} is no http or https address`, "write it like https://api.example.com");
  return origins;
}
