/** `tracemark run`: a monitor over samples, into a run file. */
import { existsSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { kindOf } from "#core/monitors/index";
import type { ModelCall, Monitor, MonitorContext } from "#core/monitors/define";
import type { Prompting, RunHeader, VerdictRecord } from "#core/workspace/schemas";
import type { Sample } from "#core/workspace/manifest";
import { ExpectedFailure } from "#node/expected-failure";
import { loadModels, type ModelsModule } from "#node/models/load";
import { allowedByUser, isLoopback, originOf, requireAllowed } from "#node/models/origin";
import { loadMonitors, type LoadedMonitors } from "#node/monitors";
import { runBatch, type BatchSample } from "#node/run-batch";
import { contextFor, estimateRun, filterOf, plannedHeader, requireSameRun, runIdFor, runnableMonitor } from "#node/run-plan";
import { commandRoot, selectSamples, type SampleFilter } from "#node/select-samples";
import { RunWriter } from "#node/store/run-writer";
import { Workspace } from "#node/workspace";
import { defineVerb, jsonOption, rootOption, textOption, type Verb, type VerbCall } from "../define";
import { progressLine } from "../progress";
import { estimateLine, estimateText, invalidText, summaryText } from "../run-output";

declare const __VERSION__: string;

/** What the verb needs from outside; tests put their own in. */
export interface RunVerbPorts {
  models(): ModelsModule | Promise<ModelsModule>;
  readonly env: NodeJS.ProcessEnv;
  /** Origins that the user's own configuration allows. */
  allowedByUser(): readonly string[];
}

/** Everything that is fixed before the first sample is judged. */
interface Prepared {
  readonly call: VerbCall;
  readonly workspace: Workspace;
  readonly monitor: Monitor;
  readonly context: MonitorContext;
  readonly samples: readonly Sample[];
  readonly filter: SampleFilter;
  readonly repeat: number;
  readonly header: RunHeader;
  readonly prompt: string;
  readonly signal: AbortSignal;
}

/** The verb, with its ways out given. */
export function makeRunVerb(ports: RunVerbPorts): Verb {
  return defineVerb({
    name: "run",
    summary: "judge samples with a monitor and write a run file",
    operands: "",
    options: [
      { flags: "--monitor <id>", description: "monitor to run: rules, or one of tracemark.json" },
      { flags: "--prompting <kind>", description: "direct (verdict only) or evidence (with quotes)" },
      { flags: "--samples <what...>", description: "sample ids, patterns, files or a manifest (default: all samples of the workspace)" },
      { flags: "--split <name>", description: "only samples of this split: train, dev or test" },
      { flags: "--limit <n>", description: "at most so many samples" },
      { flags: "--concurrency <n>", description: "samples in work at once", default: "4" },
      { flags: "--repeat <k>", description: "judge every sample so often", default: "1" },
      { flags: "--resume <run>", description: "go on with this run: only samples without a verdict are asked" },
      { flags: "--allow-origin <url...>", description: "allow trajectories and a key to be sent to this origin" },
      { flags: "--no-reasoning", description: "hide the agent's reasoning from the monitor" },
      { flags: "--dry-run", description: "print samples, tokens, cost and where the text would go; send nothing" },
      jsonOption, rootOption,
    ],
    async run(call) {
      const signal = call.interrupted();
      try {
        return await prepareAndRun(call, ports, signal);
      } catch (error) {
        if (signal.aborted && !(error instanceof ExpectedFailure)) throw new ExpectedFailure("the run was stopped before anything was judged", "start it again");
        throw error;
      }
    },
  });
}

async function prepareAndRun(call: VerbCall, ports: RunVerbPorts, signal: AbortSignal): Promise<number> {
  const root = await commandRoot(call.io.cwd, textOption(call, "root"), patternsOf(call));
  const workspace = await Workspace.load(root, { signal });
  const loaded = await loadMonitors(root, workspace.settings);
  for (const { file, line, message } of [...workspace.problems, ...loaded.problems]) call.io.note(`warning: ${line === undefined ? file : `${file}:${line}`}: ${message}`);
  const resume = textOption(call, "resume");
  return resume === undefined ? await startRun(call, workspace, loaded, ports, signal) : await resumeRun(call, workspace, loaded, ports, signal, resume);
}

async function startRun(call: VerbCall, workspace: Workspace, loaded: LoadedMonitors, ports: RunVerbPorts, signal: AbortSignal): Promise<number> {
  const id = textOption(call, "monitor");
  if (id === undefined) throw new ExpectedFailure("no monitor is named", `add --monitor with one of ${loaded.monitors.map((one) => one.id).join(", ")}`);
  const prompting = promptingOf(call);
  const filter: SampleFilter = { patterns: patternsOf(call), split: textOption(call, "split"), limit: wholeNumber(call, "limit") };
  const repeat = wholeNumber(call, "repeat") ?? 1;
  const monitor = runnableMonitor(loaded, id, prompting);
  const samples = await selectSamples(workspace, filter, call.io.cwd);
  const context = contextFor(monitor, workspace.settings, loaded.guidelines, { prompting, reasoning: call.options["reasoning"] !== false });
  const now = new Date();
  const name = kindOf(monitor).needs.model ? kindOf(monitor).prompting(monitor, prompting) : undefined;
  const runId = runIdFor(monitor.id, name, now, (one) => existsSync(join(workspace.runsFolder, `${one}.jsonl`)));
  const { header, prompt } = plannedHeader(monitor, context, {
    runId, createdAt: now.toISOString(), version: __VERSION__, sampleIds: samples.map((one) => one.id), filter, repeat,
  });
  const prepared: Prepared = { call, workspace, monitor, context, samples, filter, repeat, header, prompt, signal };
  if (call.options["dryRun"]) return dryRun(prepared, ports);
  const withModel = await connect(prepared, ports);
  const writer = await RunWriter.create(workspace.runsFolder, header, prompt);
  return judgeAll(withModel, writer);
}

async function resumeRun(call: VerbCall, workspace: Workspace, loaded: LoadedMonitors, ports: RunVerbPorts, signal: AbortSignal, runId: string): Promise<number> {
  const path = runId.endsWith(".jsonl") ? join(isAbsolute(runId) ? "" : call.io.cwd, runId) : join(workspace.runsFolder, `${runId}.jsonl`);
  if (!existsSync(path)) throw new ExpectedFailure(`there is no run "${runId}"`, `see the files in ${workspace.runsFolder}`, { file: path });
  const writer = await RunWriter.resume(path);
  try {
    const old = writer.header;
    const asked = textOption(call, "monitor");
    if (asked !== undefined && asked !== old.monitor) throw new ExpectedFailure(`the run is of monitor "${old.monitor}", not "${asked}"`, "leave --monitor out", { file: path, line: 1 });
    for (const name of ["samples", "split", "limit", "prompting"]) {
      if (call.options[name] !== undefined) call.io.note(`note: --${name} is not used; the run goes on with what its header names`);
    }
    const monitor = runnableMonitor(loaded, old.monitor, old.prompting === "contrastive" ? undefined : old.prompting);
    const filter = filterOf(old);
    const samples = await selectSamples(workspace, filter, call.io.cwd);
    const repeat = typeof old["repeats"] === "number" ? old["repeats"] : 1;
    const context = contextFor(monitor, workspace.settings, loaded.guidelines, { prompting: old.prompting, reasoning: old.view.reasoning });
    const { header, prompt } = plannedHeader(monitor, context, {
      runId: old.run_id, createdAt: old.created_at, version: __VERSION__, sampleIds: samples.map((one) => one.id), filter, repeat,
    });
    requireSameRun(old, header, path);
    if (old.samples && old.samples.sha256 !== header.samples?.sha256) call.io.note(`note: the samples have changed since the run began (${old.samples.count} then, ${samples.length} now); those without a verdict are asked`);
    const prepared: Prepared = { call, workspace, monitor, context, samples, filter, repeat, header: old, prompt, signal };
    if (call.options["dryRun"]) {
      const done = new Set(writer.before?.verdicts.map(keyOf));
      const left = samples.filter((one) => Array.from({ length: repeat }, (_, at) => at).some((at) => !done.has(keyOf({ sample_id: one.id, repeat: at }))));
      await writer.close();
      return await dryRun({ ...prepared, samples: left }, ports);
    }
    return await judgeAll(await connect(prepared, ports), writer);
  } finally {
    await writer.close();
  }
}

const keyOf = ({ sample_id, repeat }: { sample_id: string; repeat?: number | undefined }): string => JSON.stringify([sample_id, repeat ?? 0]);

/** Checks consent and key, and adds the way to the model. Nothing is sent before this has passed. */
async function connect(prepared: Prepared, ports: RunVerbPorts): Promise<Prepared> {
  const { monitor, call, signal } = prepared;
  if (!kindOf(monitor).needs.model) return prepared;
  const { base_url: baseUrl = "", api_key_env: keyName } = monitor.config;
  const origin = requireAllowed(baseUrl, [...originsOf(call), ...ports.allowedByUser()], monitor.id);
  const apiKey = keyName === undefined ? undefined : ports.env[keyName]?.trim() || undefined;
  if (keyName !== undefined && apiKey === undefined) {
    const remedy = `set it, or remove api_key_env from monitor "${monitor.id}"`;
    if (!isLoopback(origin)) throw new ExpectedFailure(`the environment variable ${keyName} with the key for ${origin} is not set`, remedy);
    call.io.note(`note: the environment variable ${keyName} is not set; ${origin} is asked without a key`);
  }
  const models = await ports.models();
  const fetch = models.proxyFetch(ports.env);
  const model = { complete: (request: ModelCall) => models.complete({ ...request, params: { ...request.params } }, { apiKey, signal, ...(fetch ? { fetch } : {}) }) };
  return { ...prepared, context: { ...prepared.context, model } };
}

async function judgeAll(prepared: Prepared, writer: RunWriter): Promise<number> {
  const { call, samples, repeat, monitor, context, signal } = prepared;
  const { io } = call;
  const json = call.options["json"] === true;
  const before = writer.before?.verdicts ?? [];
  const done = new Set(before.map(keyOf));
  const verdicts: VerdictRecord[] = [...before];
  const progress = progressLine(io, monitor.id);
  if (json) io.out(JSON.stringify(writer.header));
  try {
    const result = await runBatch({
      samples: batchSamples(prepared), monitor, context, repeat, signal, concurrency: wholeNumber(call, "concurrency") ?? 4,
      append: (verdict) => writer.append(verdict),
      isDone: (id, number) => done.has(keyOf({ sample_id: id, repeat: number })),
      now: () => new Date().toISOString(),
      onProgress: (count, total) => progress.update(count, total),
      onVerdict: (verdict) => {
        verdicts.push(verdict);
        if (verdict.outcome === "invalid") { progress.end(); io.note(invalidText(verdict)); }
        if (json) io.out(JSON.stringify(verdict));
      },
    });
    progress.end();
    if (result.left > 0) throw new ExpectedFailure(`the run was stopped after ${verdicts.length} of ${samples.length * repeat} verdicts`, `go on with --resume ${writer.header.run_id}`);
  } finally {
    progress.end();
    await writer.close();
  }
  const shown = relative(io.cwd, writer.path);
  for (const line of summaryText(shown.startsWith("..") ? writer.path : shown, verdicts)) (json ? io.note : io.out)(line);
  return verdicts.some((one) => one.outcome === "invalid") ? 1 : 0;
}

function batchSamples({ samples, workspace }: Prepared): BatchSample[] {
  return samples.map((sample) => ({ id: sample.id, load: async () => (await workspace.trajectories.read(sample)).trajectory }));
}

async function dryRun(prepared: Prepared, ports: RunVerbPorts): Promise<number> {
  const { call, monitor, context, header, repeat, signal } = prepared;
  const estimate = await estimateRun(monitor, context, batchSamples(prepared), repeat, signal);
  const allowed = estimate.local || [...originsOf(call), ...ports.allowedByUser()].some((one) => originOf(one) === estimate.origin);
  if (call.options["json"]) call.io.out(JSON.stringify(estimateLine(monitor, header, estimate, allowed)));
  else for (const line of estimateText(monitor, header, estimate, allowed)) call.io.out(line);
  return 0;
}

function patternsOf(call: VerbCall): string[] | undefined {
  const value = call.options["samples"];
  return Array.isArray(value) && value.length > 0 ? value.map(String) : undefined;
}

function originsOf(call: VerbCall): string[] {
  const value = call.options["allowOrigin"];
  const origins = Array.isArray(value) ? value.map(String) : [];
  for (const one of origins) if (originOf(one) === undefined) throw new ExpectedFailure(`--allow-origin ${one} is no http or https address`, "write it like https://api.example.com");
  return origins;
}

function promptingOf(call: VerbCall): Prompting | undefined {
  const value = textOption(call, "prompting");
  if (value === undefined || value === "direct" || value === "evidence" || value === "contrastive") return value;
  throw new ExpectedFailure(`there is no prompting "${value}"`, "use direct or evidence");
}

/** A count of at least 1. */
function wholeNumber(call: VerbCall, name: string): number | undefined {
  const value = textOption(call, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new ExpectedFailure(`--${name} ${value} is no count`, "give a whole number of at least 1");
  return number;
}

/** The folder of the running bundle; from source the built one of the current folder. */
function bundleFolder(): string {
  return typeof __dirname === "string" ? __dirname : join(process.cwd(), "dist");
}

export const runVerb = makeRunVerb({ models: () => loadModels(bundleFolder()), env: process.env, allowedByUser });
