/** Prints how well a linear guard that learned from one kind of sample does on the others. Arguments: sets' folder, folder to write to. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SampleRecord } from "#core/workspace/schemas";
import { sha256 } from "#node/sha256";
import { runVerb } from "../../../server/cli/verbs/run";
import { scoreVerb } from "../../../server/cli/verbs/score";
import { trainVerb } from "../../../server/cli/verbs/train";
import { callVerb } from "../verb-call";
import { agentDojo, asseBench, modelWritten, sven, type MadeManifest } from "./make-manifests";

/** The slices of the study: what a slice is called, and the task that stands for it in the manifests. */
const slices = [
  ["AgentDojo", "agent"], ["SVEN", "code"], ["ASSEBench", "dialogue"], ["ASSEBench, phrase removed", "dialogue-clean"], ["model-written", "qa"],
] as const;

/** Half of the groups are for training, a fifth for dev, the rest for test; by a hash of the group, so that pairs stay together. */
function splitOf(group: string): "train" | "dev" | "test" {
  const at = Number.parseInt(sha256(`study 1\n${group}`).slice(0, 8), 16) / 2 ** 32;
  return at < 0.5 ? "train" : at < 0.7 ? "dev" : "test";
}

/** The sets with one task for each, and splits by group. The two forms of ASSEBench share groups, so that neither teaches the other's test. */
function studyManifests(sets: string): MadeManifest[] {
  const made = [...agentDojo(sets).filter(({ name }) => name === "agentdojo"), ...sven(sets), ...asseBench(sets), ...modelWritten(sets)];
  const taskOf = (name: string, line: SampleRecord): string | undefined => (name === "assebench" ? "dialogue" : name === "assebench-no-artefact" ? "dialogue-clean" : line.task);
  return made.map(({ name, lines, records }) => ({
    name, records,
    lines: lines.map((line): SampleRecord => {
      const group = name.startsWith("assebench") ? `assebench/${line.id.split("/")[1]}` : line.group ?? line.pair_id ?? line.id;
      return { ...line, task: taskOf(name, line), group, split: splitOf(group) };
    }),
  }));
}

/** Writes the workspace of the study into `out`. */
export function makeStudy(sets: string, out: string): void {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const made = studyManifests(sets);
  for (const { name, lines, records } of made) {
    writeFileSync(join(out, `${name}.samples.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    if (records) writeFileSync(join(out, records.file), records.text);
  }
  const guards = [...slices.map(([, task]) => task), "all"];
  const monitors = Object.fromEntries(guards.map((task) => [`on-${task}`, { kind: "linear", model: `models/${task}.json` }]));
  writeFileSync(join(out, "tracemark.json"), `${JSON.stringify({ name: "Generalisation study", samples: made.map(({ name }) => `${name}.samples.jsonl`), monitors }, null, 2)}\n`);
}

interface Cell { readonly tested_on: string; readonly miss_rate: number | null; readonly false_alarm_rate: number | null; readonly youden_j: number | null; readonly in_distribution: boolean }
interface Report { readonly runs: { readonly run_id: string; readonly monitor: string; readonly by: Record<string, Record<string, { readonly miss_rate: { readonly denominator: number }; readonly false_alarm_rate: { readonly denominator: number } }>> }[]; readonly generalisation: { readonly rows: { readonly run_id: string; readonly cells: Cell[] }[] } }

async function verb(one: Parameters<typeof callVerb>[0], root: string, args: string[], options: Record<string, unknown>): Promise<string[]> {
  const { code, out, notes } = await callVerb(one, root, args, options);
  if (code !== 0) throw new Error(notes.join("\n"));
  return out;
}

/** Trains a guard on each slice, runs it on the test split and scores it, by the verbs of the command line. Answers the matrix of `score`. */
export async function runStudy(root: string): Promise<Report> {
  for (const task of [...slices.map(([, name]) => name), "all"]) {
    await verb(trainVerb, root, [], { out: `models/${task}.json`, json: true, ...(task === "all" ? {} : { slice: [task] }) });
    await verb(runVerb, root, [], { monitor: `on-${task}`, split: "test", json: true });
  }
  await verb(runVerb, root, [], { monitor: "rules", split: "test", json: true });
  const [line] = await verb(scoreVerb, root, [], { split: "test", by: "category_task", json: true, evidence: false });
  return JSON.parse(line!) as Report;
}

/** The matrix as a Markdown table: MR / FAR / J in each cell, those of the slice itself in bold. */
export function studyTable({ runs, generalisation }: Report): string {
  const number = (value: number | null): string => (value === null ? "–" : value.toFixed(2));
  const titleOf = (slice: string): string => slices.find(([, task]) => slice.endsWith(`/${task}`))?.[0] ?? slice;
  const order = slices.map(([, task]) => `safety_permission/${task}`);
  const [first] = runs;
  const head = order.map((slice) => {
    const cell = first!.by["category_task"]![slice]!;
    return `${titleOf(slice)} (${cell.miss_rate.denominator} + ${cell.false_alarm_rate.denominator})`;
  });
  const rows = runs.filter(({ monitor }) => monitor !== "rules").map(({ run_id, monitor }) => {
    const cells = generalisation.rows.find((row) => row.run_id === run_id)!.cells;
    const name = monitor.slice(3);
    return [name === "all" ? "all five" : titleOf(`/${name}`), ...order.map((slice) => {
      const { miss_rate, false_alarm_rate, youden_j, in_distribution } = cells.find(({ tested_on }) => tested_on === slice)!;
      const text = `${number(miss_rate)} / ${number(false_alarm_rate)} / ${number(youden_j)}`;
      return in_distribution ? `**${text}**` : text;
    })];
  });
  const line = (cells: string[]): string => `| ${cells.join(" | ")} |`;
  return [line(["trained on", ...head]), line(["---", ...order.map(() => "---")]), ...rows.map(line)].join("\n");
}

async function main(sets: string, out: string): Promise<void> {
  makeStudy(sets, out);
  console.log(studyTable(await runStudy(out)));
}

const [sets, out] = process.argv.slice(2);
if (sets !== undefined && out !== undefined && /study/.test(process.argv[1] ?? "")) await main(sets, out);
