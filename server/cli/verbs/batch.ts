/** `tracemark batch export|import`: the requests of a run as files for another engine, and a run made of what it answers. */
import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { BatchEngine } from "#core/monitors/batch-format";
import { asksEditor } from "#core/monitors/endpoint";
import { kindOf, monitorAndMembers } from "#core/monitors/index";
import { exportBatch, importBatch, type BatchWork } from "#node/batch-files";
import { ExpectedFailure } from "#node/expected-failure";
import { batchSamples, contextFor, filterOf, plannedHeader, requireSameRun, runIdFor, runnableMonitor } from "#node/run-plan";
import { withExamples } from "#node/run-prepare";
import { selectSamples } from "#node/select-samples";
import { verdictKey } from "#node/store/run-progress";
import { RunWriter } from "#node/store/run-writer";
import type { Workspace } from "#node/workspace";
import { counted } from "../counted";
import { defineVerb, jsonOption, rootOption, textOption, type VerbCall } from "../define";
import { choiceOption, numberOption } from "../option-values";
import { progressLine } from "../progress";
import { filterFrom, loadForMonitors, promptingOf, sampleOptions, wholeNumber } from "./run";

declare const __VERSION__: string;

export const batchVerb = defineVerb({
  name: "batch",
  summary: "write the requests of a monitor as batch files, or make a run of their results",
  operands: "<action> [files...]",
  options: [
    { flags: "--monitor <id>", description: "monitor of kind llm, one of tracemark.json" },
    { flags: "--out <file>", description: "file to export to; several of them get numbers" },
    { flags: "--engine <name>", description: "form of the requests: openai (also vLLM, Azure) or anthropic (default: as the monitor's provider)" },
    { flags: "--shard-requests <n>", description: "most requests of one file", default: "50000" },
    { flags: "--shard-mb <n>", description: "most megabytes of one file", default: "180" },
    { flags: "--prompting <kind>", description: "direct or evidence" },
    ...sampleOptions,
    { flags: "--repeat <k>", description: "ask every sample so often", default: "1" },
    { flags: "--resume <run_id>", description: "add the results to this run" },
    { flags: "--no-reasoning", description: "hide the agent's reasoning from the monitor" },
    jsonOption, rootOption,
  ],
  async run(call) {
    const [action, ...files] = call.args;
    const signal = call.interrupted();
    if (action === "export") return exportRequests(call, files, signal);
    if (action === "import") return importResults(call, files, signal);
    throw new ExpectedFailure(`batch cannot ${action ?? "do nothing"}`, "use batch export --monitor ID --out FILE, or batch import FILE... --monitor ID");
  },
});

/** Everything that both directions need: the same samples give the same requests. */
async function prepare(call: VerbCall, signal: AbortSignal, filter = filterFrom(call), reasoning = call.options["reasoning"] !== false, repeat = wholeNumber(call, "repeat") ?? 1) {
  const { workspace, loaded } = await loadForMonitors(call, signal);
  const id = textOption(call, "monitor");
  const asked = promptingOf(call);
  if (id === undefined) throw new ExpectedFailure("no monitor is named", `add --monitor with one of ${loaded.monitors.filter(({ kind }) => kind === "llm").map((one) => one.id).join(", ") || "tracemark.json's monitors of kind llm"}`);
  const monitor = runnableMonitor(loaded, id, asked);
  const prompting = kindOf(monitor).prompting(monitor, asked);
  if (monitor.kind !== "llm" || prompting === "contrastive") throw new ExpectedFailure(`monitor "${id}" (${monitor.kind}, ${prompting}) makes no batch`, "use a monitor of kind llm with prompting direct or evidence, or tracemark run");
  if (asksEditor(monitor)) throw new ExpectedFailure(`monitor "${id}" asks a model that the editor offers, which takes no batches`, "give it another provider");
  const base = contextFor(monitor, workspace.settings, loaded.guidelines, { prompting: asked, reasoning });
  const context = await withExamples(base, workspace, monitorAndMembers(monitor));
  const selected = await selectSamples(workspace, filter, call.io.cwd);
  const { samples } = batchSamples(selected, false, async (sample) => (await workspace.trajectories.read(sample)).trajectory);
  const progress = progressLine(call.io, `batch ${call.args[0] ?? ""}`);
  const work: BatchWork = { samples, monitor, context, prompting, repeat, signal, onProgress: (done, total) => progress.update(done, total) };
  return { workspace, work, filter, progress };
}

async function exportRequests(call: VerbCall, files: readonly string[], signal: AbortSignal): Promise<number> {
  const out = textOption(call, "out");
  if (out === undefined) throw new ExpectedFailure("no file to export to is named", "add --out FILE");
  if (files.length > 0) throw new ExpectedFailure("batch export takes no files", "name the samples with --samples");
  const { work, progress } = await prepare(call, signal);
  const engine = choiceOption<BatchEngine>(call, "engine", ["openai", "anthropic"], work.monitor.config.provider === "anthropic" ? "anthropic" : "openai");
  const count = (value: number): boolean => Number.isInteger(value) && value >= 1;
  const exported = await exportBatch(work, {
    out: resolve(call.io.cwd, out), engine,
    shardRequests: numberOption(call, "shardRequests", count, "a whole number of at least 1") ?? 50_000,
    shardBytes: 1e6 * (numberOption(call, "shardMb", (value) => value > 0, "a number above 0") ?? 180),
  }).finally(() => progress.end());
  for (const { id, reason } of exported.left.slice(0, 20)) call.io.note(`left out: ${id}: ${reason}`);
  if (exported.left.length > 20) call.io.note(`left out: ${exported.left.length - 20} more`);
  const names = exported.files.map((file) => shown(call, file));
  if (call.options["json"]) call.io.out(JSON.stringify({ files: names, requests: exported.requests, samples: exported.samples, left_out: exported.left.map(({ id }) => id) }));
  else call.io.out(`${counted(exported.requests, "request")} about ${counted(exported.samples, "sample")} in ${counted(names.length, "file")}\n${names.join("\n")}`);
  return 0;
}

async function importResults(call: VerbCall, files: readonly string[], signal: AbortSignal): Promise<number> {
  if (files.length === 0) throw new ExpectedFailure("batch import needs files", "name the files of results");
  const paths = files.map((file) => resolve(call.io.cwd, file));
  for (const [at, path] of paths.entries()) if (!existsSync(path)) throw new ExpectedFailure("there is no such file", "check the path", { file: files[at] });
  const { workspace, work, filter, progress } = await prepare(call, signal);
  // A new run begins with its first verdict: files that answer nothing of this monitor leave none behind.
  let writer = textOption(call, "resume") === undefined ? undefined : await openRun(call, workspace, work, filter);
  try {
    const known = writer?.before?.verdicts;
    const result = await importBatch(work, {
      files: paths, append: async (...verdicts) => (writer ??= await openRun(call, workspace, work, filter)).append(...verdicts), now: () => new Date().toISOString(), isDone: (id, repeat) => known?.has(verdictKey(id, repeat)) ?? false,
    }).finally(() => progress.end());
    if (result.failed > 0) call.io.note(`note: ${counted(result.failed, "request")} failed, the first with: ${result.firstFailure ?? ""}`);
    const { verdicts, invalid, missing, repeated, unknown } = result;
    if (!writer) {
      throw new ExpectedFailure(`nothing in these files is an answer to a request of monitor "${work.monitor.id}" (${unknown} unknown, ${result.failed} failed), so no run was made`,
        "name the results of its own export; samples, prompt and parameters must be as they were then");
    }
    if (call.options["json"]) call.io.out(JSON.stringify({ run_id: writer.header.run_id, verdicts, invalid, missing, repeated, unknown, failed: result.failed }));
    else {
      call.io.out(`${counted(verdicts, "verdict")}, ${invalid} of them invalid; ${counted(missing.length, "sample")} missing, ${counted(repeated, "result")} repeated, ${unknown} unknown\n${shown(call, writer.path)}`);
      if (missing.length > 0) call.io.note(`missing: ${missing.slice(0, 20).join(", ")}${missing.length > 20 ? ` and ${missing.length - 20} more` : ""}; bring the rest with --resume ${writer.header.run_id}`);
    }
    return invalid > 0 ? 1 : 0;
  } catch (error) {
    if (signal.aborted && !(error instanceof ExpectedFailure)) throw new ExpectedFailure("the import was stopped", writer ? `go on with --resume ${writer.header.run_id}` : "start it again");
    throw error;
  } finally {
    await writer?.close();
  }
}

/** A new run, or the one to add to, which must be of the same monitor, prompt and samples. */
async function openRun(call: VerbCall, workspace: Workspace, work: BatchWork, filter: ReturnType<typeof filterFrom>): Promise<RunWriter> {
  const { monitor, context, samples, repeat, prompting } = work;
  const now = new Date();
  const resume = textOption(call, "resume");
  const runId = resume ?? runIdFor(monitor.id, prompting, now, (one) => existsSync(join(workspace.runsFolder, `${one}.jsonl`)));
  const { header, prompt } = plannedHeader(monitor, context, { runId, createdAt: now.toISOString(), version: __VERSION__, sampleIds: samples.map(({ id }) => id), filter, repeat });
  if (resume === undefined) return RunWriter.create(workspace.runsFolder, { ...header, source: "batch" }, prompt);
  const path = join(workspace.runsFolder, `${resume}.jsonl`);
  if (!existsSync(path)) throw new ExpectedFailure(`there is no run "${resume}"`, `see the files in ${workspace.runsFolder}`, { file: path });
  const writer = await RunWriter.resume(path);
  try {
    requireSameRun(writer.header, header, path);
    if (JSON.stringify(filterOf(writer.header)) !== JSON.stringify(filterOf(header))) throw new ExpectedFailure("the run was begun with other samples", "name the same --samples, --split and --limit", { file: path, line: 1 });
    return writer;
  } catch (error) {
    await writer.close();
    throw error;
  }
}

function shown(call: VerbCall, path: string): string {
  const short = relative(call.io.cwd, path);
  return short.startsWith("..") ? path : short;
}
