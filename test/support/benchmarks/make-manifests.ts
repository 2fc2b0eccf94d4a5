/** Turns public benchmark sets (JSON Lines as they lie beside the checkout) into manifests that Tracemark reads. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SampleRecord } from "#core/workspace/schemas";

type Json = Record<string, unknown>;

/** One manifest to write: its name, its lines, and a file of records that they point at. */
export interface MadeManifest {
  readonly name: string;
  readonly lines: readonly SampleRecord[];
  readonly records?: { readonly file: string; readonly text: string } | undefined;
}

function readLines(folder: string, set: string): Json[] {
  return readFileSync(join(folder, set, "dev.jsonl"), "utf8").split("\n").filter((line) => line.trim() !== "").map((line) => JSON.parse(line) as Json);
}

/**
 * AgentDojo run logs. `attempted` ones (the bait was taken, the goal missed) go into a manifest of their own, labelled as
 * misbehavior, so that they can be left out.
 */
export function agentDojo(folder: string): MadeManifest[] {
  const rows = readLines(folder, "agentdojo-traces");
  const file = "agentdojo.jsonl";
  const text = rows.map((row) => {
    const record = row["record"] as Json;
    const { suite_name, user_task_id, injection_task_id, attack_type, model } = record["metadata"] as Json;
    // What the benchmark's checkers found stays out: it is the answer.
    return JSON.stringify({ id: row["id"], suite_name, user_task_id, injection_task_id, attack_type, pipeline_name: model, messages: record["messages"] });
  }).join("\n");
  const lineOf = (row: Json): SampleRecord => ({
    id: `agentdojo/${String(row["id"])}`, group: String(row["group"]), category: "safety_permission", task: "agent", split: "dev",
    label: row["label"] === "benign" ? "benign" : "misbehavior", label_origin: String(row["label_basis"]), source: "AgentDojo", path: file, record: String(row["id"]),
  });
  return [
    { name: "agentdojo", lines: rows.filter((row) => row["label"] !== "attempted").map(lineOf), records: { file, text: `${text}\n` } },
    { name: "agentdojo-attempted", lines: rows.filter((row) => row["label"] === "attempted").map(lineOf) },
  ];
}

/** SVEN: a function before (misbehavior) and after (benign) a security fix, as the answer to the same request. */
export function sven(folder: string): MadeManifest[] {
  const lines = readLines(folder, "sven-vulnerable-fixed").flatMap((row): SampleRecord[] => {
    const record = row["record"] as Record<string, string>;
    const request = `Write the function ${record["func_name"]} of the file ${record["file_name"]}.`;
    return (["before", "after"] as const).map((half): SampleRecord => ({
      id: `sven/${String(row["id"])}-${half}`, pair_id: `sven/${String(row["id"])}`, category: "safety_permission", task: "code", split: "dev",
      label: half === "before" ? "misbehavior" : "benign", source: "SVEN",
      messages: [{ role: "user", content: request }, { role: "assistant", content: record[`func_src_${half}`] }],
    }));
  });
  return [{ name: "sven", lines }];
}

/** Sentences of the agent's own text that name an "attacker tool" or "attacker goal": an artefact that gives the label away. */
const artefact = /[^.;\n]*\battacker (?:tool|goal)\b[^.;\n]*[.;]?/gi;

/** ASSEBench, security part, twice: as it is, and with the artefact removed from what the agent says. */
export function asseBench(folder: string): MadeManifest[] {
  const rows = readLines(folder, "assebench-security");
  return ([["assebench", false], ["assebench-no-artefact", true]] as const).map(([name, clean]): MadeManifest => {
    const file = `${name}.json`;
    const records = rows.map((row) => (clean ? withoutArtefact(row["record"] as Json) : (row["record"] as Json)));
    const lines = rows.map((row, index): SampleRecord => {
      const record = row["record"] as Json;
      return {
        id: `${name}/${String(row["id"])}`, category: "safety_permission", task: "agent", split: "dev", source: record["ambiguous"] === 1 ? "ASSEBench, ambiguous" : "ASSEBench",
        label: record["label"] === 1 ? "misbehavior" : "benign", path: file, record: index,
      };
    });
    return { name, lines, records: { file, text: JSON.stringify(records) } };
  });
}

function withoutArtefact(record: Json): Json {
  const turns = (record["contents"] as Json[][]).map((round) => round.map((turn) => (turn["role"] !== "agent" ? turn : {
    ...turn, thought: String(turn["thought"] ?? "").replace(artefact, ""), action: String(turn["action"] ?? "").replace(artefact, ""),
  })));
  return { ...record, contents: turns };
}

/** Model-written evaluations: a question with each of its two answers. */
export function modelWritten(folder: string): MadeManifest[] {
  const lines = readLines(folder, "model-written-evals").flatMap((row): SampleRecord[] => {
    const record = row["record"] as Record<string, string>;
    return (["answer_matching_behavior", "answer_not_matching_behavior"] as const).map((field): SampleRecord => ({
      id: `model-written-evals/${String(row["id"])}-${field === "answer_matching_behavior" ? "matching" : "other"}`, pair_id: `model-written-evals/${String(row["id"])}`,
      category: "safety_permission", task: "qa", split: "dev", source: String(row["behavior"]), label: row["misbehaving_field"] === field ? "misbehavior" : "benign",
      messages: [{ role: "user", content: record["question"] }, { role: "assistant", content: record[field] }],
    }));
  });
  return [{ name: "model-written-evals", lines }];
}

/** Writes every manifest into `out`, with a `tracemark.json` that names them. Answers their names. */
export function makeManifests(folder: string, out: string): string[] {
  mkdirSync(out, { recursive: true });
  const made = [...agentDojo(folder), ...sven(folder), ...asseBench(folder), ...modelWritten(folder)];
  for (const { name, lines, records } of made) {
    writeFileSync(join(out, `${name}.samples.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    if (records) writeFileSync(join(out, records.file), records.text);
  }
  const names = made.map(({ name }) => name);
  writeFileSync(join(out, "tracemark.json"), `${JSON.stringify({ name: "Public benchmarks", samples: names.map((name) => `${name}.samples.jsonl`) }, null, 2)}\n`);
  return names;
}
