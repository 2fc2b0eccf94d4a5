/** `tracemark run`: a monitor over samples, into a run file. */
import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { asksEditor, endpointOf } from "#core/monitors/endpoint";
import { monitorAndMembers } from "#core/monitors/index";
import type { Prompting } from "#core/workspace/schemas";
import { ExpectedFailure } from "#node/expected-failure";
import { EgressLog } from "#node/models/egress-log";
import { bundleFolder, loadModels } from "#node/models/load";
import { isAllowed, isOurs, readUserSettings, requireAllowed } from "#node/models/origin";
import { loadMonitors, type LoadedMonitors } from "#node/monitors";
import { estimateRun, type CountRequest } from "#node/run-plan";
import { prepareResume, prepareRun, type Caps, type PreparedRun } from "#node/run-prepare";
import { commandRoot, type SampleFilter } from "#node/select-samples";
import { answerCacheFolder } from "#node/store/answer-cache";
import { verdictKey } from "#node/store/run-progress";
import { RunWriter } from "#node/store/run-writer";
import { Workspace } from "#node/workspace";
import { defineVerb, jsonOption, rootOption, textListOption, textOption, type Verb, type VerbCall, type VerbOption } from "../define";
import { numberOption } from "../option-values";
import { allowedOrigins, type RunPorts } from "../run-connect";
import { judgeAll, type Prepared } from "../run-judge";
import { estimateLine, estimateText } from "../run-output";
import { requireReadableConfig } from "../workspace-call";

declare const __VERSION__: string;

/** Which samples; shared by all verbs that run monitors. */
export const sampleOptions: readonly VerbOption[] = [
  { flags: "--samples <what...>", description: "sample ids, patterns, files, folders or a manifest (default: all samples of the workspace)" },
  { flags: "--split <name>", description: "only samples of this split: train, dev or test" },
  { flags: "--limit <n>", description: "at most so many samples" },
];

/** The verb, with its ways out given. */
export function makeRunVerb(ports: RunPorts): Verb {
  return defineVerb({
    name: "run",
    summary: "judge samples with a monitor and write a run file",
    operands: "",
    options: [
      { flags: "--monitor <id>", description: "monitor to run: rules, or one of tracemark.json" },
      { flags: "--prompting <kind>", description: "direct (verdict only), evidence (with quotes) or contrastive (the halves of pairs against each other)" },
      ...sampleOptions,
      { flags: "--concurrency <n>", description: "samples in work at once", default: "4" },
      { flags: "--repeat <k>", description: "judge every sample so often, past the cache", default: "1" },
      { flags: "--seed <n>", description: "decides the order of the halves in contrastive prompting" },
      { flags: "--resume <run_id>", description: "go on with this run: only samples without a verdict are asked" },
      { flags: "--max-cost <usd>", description: "stop before the run has cost more, by the price that the monitor states" },
      { flags: "--max-tokens <n>", description: "stop before the run has used more tokens" },
      { flags: "--allow-origin <url...>", description: "allow trajectories and a key to be sent to this origin" },
      { flags: "--pass-env <name...>", description: "let programs see this variable although it looks like a key" },
      { flags: "--no-cache", description: "ask again what was answered before" },
      { flags: "--no-reasoning", description: "hide the agent's reasoning from the monitor" },
      { flags: "--dry-run", description: "print samples, tokens, cost and where the text would go; send nothing" },
      { flags: "--count-tokens", description: "with --dry-run: let endpoints that can (vLLM, llama.cpp) count the tokens of up to 24 requests, which they are sent for it" },
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

async function prepareAndRun(call: VerbCall, ports: RunPorts, signal: AbortSignal): Promise<number> {
  if (call.options["countTokens"] === true && !call.options["dryRun"]) call.io.note("note: --count-tokens counts with --dry-run alone; a run's own tokens stand in its verdicts");
  const { workspace, loaded } = await loadForMonitors(call, signal);
  const resume = textOption(call, "resume");
  return resume === undefined ? await startRun(call, workspace, loaded, ports, signal) : await resumeRun(call, workspace, loaded, ports, signal, resume);
}

/** The root of the samples asked for, and its monitors; what is wrong with either is told, but for monitors that are not asked for. */
export async function loadForMonitors(call: VerbCall, signal: AbortSignal): Promise<{ workspace: Workspace; loaded: LoadedMonitors }> {
  const root = await commandRoot(call.io.cwd, textOption(call, "root"), textListOption(call, "samples"));
  const workspace = await Workspace.load(root, { signal });
  requireReadableConfig(workspace, true);
  const loaded = await loadMonitors(root, workspace.settings);
  const about = [...workspace.problems, ...loaded.problems].filter(({ code }) => code !== "unusable-monitor" && code !== "monitor-prompt");
  for (const { file, line, message } of about) call.io.note(`warning: ${line === undefined ? file : `${file}:${line}`}: ${message}`);
  return { workspace, loaded };
}

async function startRun(call: VerbCall, workspace: Workspace, loaded: LoadedMonitors, ports: RunPorts, signal: AbortSignal): Promise<number> {
  const id = textOption(call, "monitor");
  if (id === undefined) throw new ExpectedFailure("no monitor is named", `add --monitor with one of ${loaded.monitors.map((one) => one.id).join(", ")}`);
  const run = await prepareRun({ workspace, loaded, cwd: call.io.cwd, version: __VERSION__ }, {
    monitor: id, prompting: promptingOf(call), filter: filterFrom(call), repeat: wholeNumber(call, "repeat") ?? 1,
    reasoning: call.options["reasoning"] !== false, seed: seedOf(call), caps: capsOf(call),
  }, new Date());
  const prepared = preparedFor(call, workspace, run, signal);
  if (call.options["dryRun"]) return dryRun(prepared, ports);
  return judgeAll(prepared, ports, () => RunWriter.create(workspace.runsFolder, run.header, run.prompt));
}

async function resumeRun(call: VerbCall, workspace: Workspace, loaded: LoadedMonitors, ports: RunPorts, signal: AbortSignal, runId: string): Promise<number> {
  const path = runId.endsWith(".jsonl") ? join(isAbsolute(runId) ? "" : call.io.cwd, runId) : join(workspace.runsFolder, `${runId}.jsonl`);
  if (!existsSync(path)) throw new ExpectedFailure(`there is no run "${runId}"`, `see the files in ${workspace.runsFolder}`, { file: path });
  const writer = await RunWriter.resume(path);
  try {
    const old = writer.header;
    const asked = textOption(call, "monitor");
    if (asked !== undefined && asked !== old.monitor) throw new ExpectedFailure(`the run is of monitor "${old.monitor}", not "${asked}"`, "leave --monitor out", { file: path, line: 1 });
    for (const name of ["samples", "split", "limit", "prompting", "seed"]) {
      if (call.options[name] !== undefined) call.io.note(`note: --${name} is not used; the run goes on with what its header names`);
    }
    const repeat = wholeNumber(call, "repeat") ?? 1;
    if (repeat !== 1 && repeat !== (old["repeats"] ?? 1)) call.io.note("note: --repeat is not used; the run goes on with what its header names");
    if (call.options["reasoning"] === false && old.view.reasoning) call.io.note("note: --no-reasoning is not used; the run goes on with what its header names");
    const run = await prepareResume({ workspace, loaded, cwd: call.io.cwd, version: __VERSION__, isOurs: (origin) => isOurs(origin, ports.user()) }, old, path, capsOf(call));
    const prepared = preparedFor(call, workspace, run, signal);
    if (call.options["dryRun"]) {
      const done = writer.before!.verdicts;
      const left = run.samples.filter((one) => Array.from({ length: run.repeat }, (_, at) => at).some((at) => !done.has(verdictKey(one.id, at))));
      await writer.close();
      return await dryRun({ ...prepared, samples: left }, ports);
    }
    return await judgeAll(prepared, ports, async () => writer);
  } finally {
    await writer.close();
  }
}

function preparedFor(call: VerbCall, workspace: Workspace, run: PreparedRun, signal: AbortSignal): Prepared {
  const asking = monitorAndMembers(run.monitor).find(asksEditor);
  if (asking) {
    throw new ExpectedFailure(
      `monitor "${asking.id}" asks a model that the editor offers, which the command line cannot reach`,
      "run it in VS Code with “Tracemark: Run a monitor over samples”, or give it another provider",
    );
  }
  for (const note of run.notes) call.io.note(`note: ${note}`);
  return { ...run, call, workspace, signal };
}

async function dryRun(prepared: Prepared, ports: RunPorts): Promise<number> {
  const { call, monitor, context, header, repeat, signal } = prepared;
  const counter = call.options["countTokens"] === true ? await tokenCounter(prepared, ports) : undefined;
  const estimate = await estimateRun(monitor, context, prepared.samples, repeat, { signal, count: counter?.count }).finally(() => counter?.close());
  const given = allowedOrigins(call), user = ports.user();
  const allowed = estimate.origins.every((origin) => isAllowed(origin, given, user));
  if (call.options["json"]) call.io.out(JSON.stringify(estimateLine(monitor, header, estimate, allowed)));
  else for (const line of estimateText(monitor, header, estimate, allowed)) call.io.out(line);
  return 0;
}

/** Has endpoints count, of those that text may go to: what they count they are sent. Throws an `ExpectedFailure` where one is not allowed. */
async function tokenCounter({ call, monitor, signal }: Prepared, ports: RunPorts): Promise<{ count: CountRequest; close(): void }> {
  const given = allowedOrigins(call), user = ports.user();
  const asking = monitorAndMembers(monitor).filter(({ kind }) => kind === "llm");
  for (const one of asking) requireAllowed(endpointOf(one.config) ?? "", given, one.id, user);
  const { countTokens, networkFetch } = await ports.models();
  const fetch = networkFetch(ports.env);
  const log = ports.egressLog?.();
  const count: CountRequest = async (one, { system, user: text, samples }, onSend) => {
    if ((one.config.provider ?? "openai-compatible") !== "openai-compatible") return undefined;
    return countTokens({ baseUrl: endpointOf(one.config) ?? "", model: one.config.model ?? "", system, user: text }, {
      fetch, signal, onSend: (origin, bytes) => { log?.sent(origin, bytes, one.id, samples); onSend(); },
    });
  };
  return { count, close: () => log?.close() };
}

function capsOf(call: VerbCall): Caps {
  return {
    costUsd: numberOption(call, "maxCost", (value) => value > 0, "an amount in US dollars above 0"),
    tokens: numberOption(call, "maxTokens", (value) => Number.isInteger(value) && value > 0, "a whole number of at least 1"),
  };
}

/** The filter that the options name. */
export function filterFrom(call: VerbCall): SampleFilter {
  return { patterns: textListOption(call, "samples"), split: textOption(call, "split"), limit: wholeNumber(call, "limit") };
}

export function promptingOf(call: VerbCall): Prompting | undefined {
  const value = textOption(call, "prompting");
  if (value === undefined || value === "direct" || value === "evidence" || value === "contrastive") return value;
  throw new ExpectedFailure(`there is no prompting "${value}"`, "use direct, evidence or contrastive");
}

function seedOf(call: VerbCall): number | undefined {
  return numberOption(call, "seed", Number.isInteger, "a whole number");
}

/** A count of at least 1. */
export function wholeNumber(call: VerbCall, name: string): number | undefined {
  const value = textOption(call, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new ExpectedFailure(`--${name} ${value} is no count`, "give a whole number of at least 1");
  return number;
}

/** The ways out of the real program. */
export const realPorts: RunPorts = {
  models: () => loadModels(bundleFolder()), env: process.env, user: () => readUserSettings(), egressLog: () => EgressLog.open(), cacheFolder: answerCacheFolder(),
};

export const runVerb = makeRunVerb(realPorts);
