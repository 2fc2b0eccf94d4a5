/** One measurement of scoring in a process of its own: what to do, the root, and the answer as one line of JSON. */
import { createHash } from "node:crypto";
import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { LiveRates } from "#core/labels/live-rates";
import { fullReport } from "#core/scoring/full-report";
import { score } from "#core/scoring/score";
import type { LabelRecord } from "#core/workspace/schemas";
import { contextFor } from "#node/run-plan";
import { scoreInput } from "#node/score-workspace";
import { exportSft } from "#node/sft-export";
import { Workspace } from "#node/workspace";

export interface ScoreMeasured {
  /** Processor time in ms, which a busy machine does not stretch. */
  readonly cpu: number;
  readonly wall: number;
  /** Most memory of the process, in bytes. */
  readonly peak: number;
  /** Lines read or written, or a hash of the report. */
  readonly said: string;
  /** Processor time of one more label, in ms. */
  readonly rescore?: number;
}

/** `JSON.parse` over the lines of every file of the root, read in chunks and not kept. */
function parseAll(root: string): string {
  let lines = 0;
  for (const file of ["all.samples.jsonl", ...["runs", "labels"].flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))]) {
    const handle = openSync(join(root, file), "r");
    const chunk = Buffer.allocUnsafe(4 << 20);
    let rest = Buffer.alloc(0);
    for (let read = readSync(handle, chunk); read > 0; read = readSync(handle, chunk)) {
      const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
      let from = 0;
      for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
        if (JSON.parse(bytes.toString("utf8", from, at)) !== null) lines++;
        from = at + 1;
      }
      rest = bytes.subarray(from);
    }
    closeSync(handle);
  }
  return String(lines);
}

async function loaded(root: string): Promise<Workspace> {
  const workspace = await Workspace.load(root, { verdicts: "counts" });
  const [problem] = workspace.problems;
  if (problem) throw new Error(problem.message);
  return workspace;
}

const hashOf = (report: unknown): string => createHash("sha256").update(JSON.stringify(report)).digest("hex");

/** What `tracemark score --json --trust-content` prints. */
async function scoreAll(root: string): Promise<string> {
  const { input } = await scoreInput(await loaded(root), { content: "trust" });
  return hashOf(fullReport(input, { gold: "corrected", by: ["category", "task"], sliceIntervals: true }));
}

/** The rates as the score view asks for them first: every run, over all samples and in each category and task. */
async function rates(root: string): Promise<{ said: string; workspace: Workspace }> {
  const workspace = await loaded(root);
  const { input } = await scoreInput(workspace, { content: "trust" });
  return { said: hashOf(score(input, { gold: "corrected", by: ["category", "task"] })), workspace };
}

/** Processor time of taking one label in and giving the rates of all runs, from 200 of them. */
function oneLabel({ samples, runs, settings }: Workspace): number {
  const records = new Map<string, LabelRecord[]>();
  const live = new LiveRates({ samples, runs: runs.map((run) => ({ runId: run.header.run_id, get verdicts() { return run.verdicts; } })), recordsOf: (id) => records.get(id) ?? [], overturn: settings.overturn });
  const times = 200;
  const before = process.cpuUsage();
  for (let at = 0; at < times; at++) {
    const { id } = samples[(at * 61) % samples.length]!;
    records.set(id, [{ id: `l${at}`, sample_id: id, annotator: "ann", created_at: "2026-05-01T00:00:00.000Z", label: at % 2 === 0 ? "benign" : "misbehavior", blind: true, seen: [] }]);
    live.update(id);
    if (live.rates().length !== runs.length) throw new Error("a run is missing");
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / times;
}

/** Training data of the samples of the root, or of the first tenth of the pairs' slices. */
async function sft(root: string, tenth: boolean): Promise<string> {
  const workspace = await Workspace.load(root, { verdicts: "counts" });
  const monitor = { id: "sft", kind: "llm", config: { kind: "llm", prompting: "direct" } } as const;
  const { card } = await exportSft(workspace, {
    out: join(root, "out.jsonl"), shape: "openai", prompting: "direct", monitor, context: contextFor(monitor, workspace.settings, undefined, { prompting: "direct", reasoning: true }),
    unmarked: false, version: "0", allowSecrets: false, dryRun: false, ...(tenth ? { limit: Math.floor(workspace.samples.length / 10) } : {}),
  });
  return String(card.samples);
}

const [task, root] = process.argv.slice(2) as [string, string];
const before = process.cpuUsage();
const began = performance.now();
const made = task === "rates" ? await rates(root) : undefined;
const said = made?.said ?? (task === "parse" ? parseAll(root) : task === "score" ? await scoreAll(root) : await sft(root, task === "sft-tenth"));
const { user, system } = process.cpuUsage(before);
const measured: ScoreMeasured = { cpu: (user + system) / 1000, wall: performance.now() - began, peak: process.resourceUsage().maxRSS * 1024, said, ...(made ? { rescore: oneLabel(made.workspace) } : {}) };
console.log(JSON.stringify(measured));
