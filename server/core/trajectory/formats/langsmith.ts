/** LangSmith: runs as exported (lists, lines, nested trees) or as sent (`post` and `patch` halves of a batch). */
import { isObject, member, memberAt, pointerTo } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Place, Tokens, Warning } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument } from "../reader";
import { idOf, listOf, numberOf, row, stringOf, textOf, timeOf, wordOf } from "./fields";
import { nanosOf } from "./otel-attributes";
import { mostRecords, placeIn, recordsOf } from "./records";
import { openTraces, type Trace } from "./trace-file";
import { tracedTalk } from "./trace-messages";
import type { NodeKind, TracedTalk, TraceNode } from "./trace-nodes";

export const langSmith = defineFormat({
  id: "langsmith",
  title: "LangSmith runs",
  version: 1,
  extensions: [".json", ".jsonl"],
  keeps: "One talk for each trace: what is new in each model run, tool runs with their results and errors, agents below agents as children, feedback, tokens, models, times.",
  drops: "Histories that later runs repeat; chains, prompts and parsers (counted); settings of the runtime.",
  sniff,
  open,
});

const runTypes = new Set(["llm", "chain", "tool", "retriever", "prompt", "parser", "embedding"]);

function isRun(value: Json | undefined): value is JsonObject {
  return isObject(value) && runTypes.has(stringOf(value["run_type"]) ?? "") && (idOf(value["id"]) !== undefined) && ["trace_id", "dotted_order", "inputs", "child_runs"].some((key) => key in value);
}

/** A batch as clients send it: what is known at the start, and what is known at the end. */
function isBatch(value: Json | undefined): value is JsonObject {
  return isObject(value) && [...listOf(value["post"]), ...listOf(value["patch"])].some((run) => member(run, "trace_id") !== undefined || member(run, "dotted_order") !== undefined);
}

function sniff(document: SourceDocument): number {
  return mostRecords(document, (value) => isBatch(value) || isRun(value)) ? 0.97 : 0;
}

/** A run put together out of all that was recorded of it. */
interface Run {
  readonly value: JsonObject;
  readonly document: JsonDocument;
  readonly place: Place;
}

function open(document: SourceDocument): OpenedFile {
  const records = recordsOf(document);
  const runs = new Map<string, Run>();
  const warnings: Warning[] = [];
  let known = 0;
  for (let n = 0; n < records.count; n++) {
    const record = records.at(n)!;
    if (record.problem) warnings.push(record.problem);
    const { document: json, value } = record;
    if (!json || !isObject(value)) continue;
    const at = (...keys: (string | number)[]): Place => placeIn(record, pointerTo("", ...keys));
    if (isBatch(value)) for (const half of ["post", "patch"]) listOf(value[half]).forEach((run, i) => addRun(runs, run, json, at(half, i), 0));
    else addRun(runs, value, json, at(), 0);
    known++;
  }
  if (known === 0) warnings.push({ code: "no-talk", message: "The file holds no runs." });
  return openTraces(tracesOf(runs), warnings);
}

/** Halves are merged: later members win, but an empty object or null does not overwrite. Nested runs name their parent. */
function addRun(runs: Map<string, Run>, run: Json, document: JsonDocument, place: Place, depth: number, parent?: JsonObject): void {
  if (!isObject(run) || depth > 200) return;
  // Some clients leave the id out of a patch: its order says which run it ends.
  const id = idOf(run["id"]) ?? idWithOrder(runs, run["dotted_order"]) ?? `run-${runs.size}`;
  const earlier = runs.get(id);
  const merged: JsonObject = { ...earlier?.value, id };
  for (const [key, value] of Object.entries(run)) if (!(key in merged) || !isEmpty(value)) merged[key] = value;
  if (parent) {
    merged["parent_run_id"] ??= parent["id"] ?? null;
    merged["trace_id"] ??= parent["trace_id"] ?? parent["id"] ?? null;
  }
  runs.set(id, { value: merged, document: earlier && earlier.document !== document ? both(earlier.document, document) : document, place: earlier?.place ?? place });
  listOf(run["child_runs"]).forEach((child, i) => addRun(runs, child, document, { ...place, pointer: pointerTo(place.pointer ?? "", "child_runs", i) }, depth + 1, merged));
}

function idWithOrder(runs: Map<string, Run>, order: Json | undefined): string | undefined {
  const wanted = wordOf(order);
  return wanted === undefined ? undefined : [...runs].find(([, run]) => run.value["dotted_order"] === wanted)?.[0];
}

function isEmpty(value: Json): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}

/** Two lines of one run: recorded text is looked for in both. */
function both(first: JsonDocument, second: JsonDocument): JsonDocument {
  return { value: null, notes: [], locate: () => undefined, rawOf: (value) => second.rawOf(value) ?? first.rawOf(value), rawMembers: (object) => second.rawMembers(object) ?? first.rawMembers(object) };
}

function tracesOf(runs: ReadonlyMap<string, Run>): Trace[] {
  const groups = new Map<string, Run[]>();
  for (const [id, run] of runs) {
    const key = idOf(run.value["trace_id"]) ?? id;
    const group = groups.get(key);
    if (group) group.push(run);
    else groups.set(key, [run]);
  }
  return [...groups].map(([trace, group]): Trace => {
    const root = group.find((run) => idOf(run.value["parent_run_id"]) === undefined) ?? group[0]!;
    const moved = group.filter((run) => ["inputs_s3_urls", "outputs_s3_urls"].some((key) => isObject(run.value[key]) && !isEmpty(run.value[key])) && (isEmpty(run.value["inputs"] ?? null) || isEmpty(run.value["outputs"] ?? null)));
    const feedback = row("feedback", root.value["feedback_stats"] === undefined || isEmpty(root.value["feedback_stats"]) ? "" : textOf(root.document, root.value["feedback_stats"]));
    const status = wordOf(root.value["status"]);
    return {
      recordId: trace, nodes: orderedNodes(group), outcome: { ...(status === undefined ? {} : { status }), ...(feedback.length > 0 ? { details: feedback } : {}) },
      metadata: [...row("trace", trace), ...row("project", wordOf(root.value["session_name"])), ...row("tags", listOf(root.value["tags"]).flatMap((tag) => stringOf(tag) ?? []).join(", ")), ...row("runs", group.length), ...row("attachments, not in the file", group.flatMap((run) => (isObject(run.value["attachments"]) ? Object.keys(run.value["attachments"]) : [])).join(", ")), ...row("cost (USD)", numberOf(root.value["total_cost"]) ?? wordOf(root.value["total_cost"]))],
      warnings: moved.length > 0 ? [{ code: "content-elsewhere", message: `Inputs or outputs of ${moved.length} runs are kept at another place than this file (…_s3_urls) and are missing here.` }] : [],
    };
  });
}

/** `dotted_order` holds the whole order; without it the start does. */
function orderedNodes(runs: readonly Run[]): TraceNode[] {
  const key = (run: Run): string => wordOf(run.value["dotted_order"]) ?? "";
  const sorted = runs.every((run) => key(run) !== "") ? [...runs].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0)) : [...runs].sort((a, b) => Number((nanosOf(a.value["start_time"]) ?? 0n) - (nanosOf(b.value["start_time"]) ?? 0n)));
  return sorted.map((run, index) => nodeOf(run, BigInt(index)));
}

function nodeOf({ value, document, place }: Run, order: bigint): TraceNode {
  const type = stringOf(value["run_type"]) ?? "run";
  const name = wordOf(value["name"]) ?? type;
  const agent = type === "chain" && /agent/i.test(name);
  const kind: NodeKind = type === "llm" ? "llm" : type === "tool" || type === "retriever" ? "tool" : agent ? "agent" : "other";
  const { inputs, outputs } = value;
  return {
    id: idOf(value["id"])!, parent: idOf(value["parent_run_id"]), kind, kindName: type, name, order, time: timeOf(value["start_time"]), place,
    input: talkOf(document, inputs, "user"), output: talkOf(document, outputs, "assistant"), error: wordOf(value["error"]),
    tool: kind !== "tool" ? undefined : {
      name, document, callId: idOf(memberAt(outputs, "output", "tool_call_id")) ?? idOf(memberAt(outputs, "output", "kwargs", "tool_call_id")) ?? idOf(memberAt(value, "extra", "tool_call_id")),
      args: argumentsOf(inputs), result: resultOf(outputs),
      shown: listOf(member(outputs, "documents")).flatMap((one) => wordOf(member(one, "page_content")) ?? wordOf(memberAt(one, "kwargs", "page_content")) ?? []),
    },
    model: kind === "llm" ? (wordOf(member(outputs, "model")) ?? wordOf(memberAt(value, "extra", "metadata", "ls_model_name")) ?? wordOf(memberAt(value, "extra", "invocation_params", "model"))) : undefined,
    tokens: kind === "llm" ? tokensOf(value) : undefined,
    finish: kind === "llm" ? finishOf(listOf(member(outputs, "choices"))[0]) : undefined,
    raw: () => textOf(document, { inputs: inputs ?? null, outputs: outputs ?? null }),
  };
}

/** The reason why a reply ended; some clients wrap it in the last piece of the stream. */
function finishOf(choice: Json | undefined): string | undefined {
  const reason = member(choice, "finish_reason");
  return wordOf(reason) ?? wordOf(member(reason, "finish_reason"));
}

function talkOf(document: JsonDocument, recorded: Json | undefined, role: "user" | "assistant"): TracedTalk | undefined {
  return recorded === undefined || isEmpty(recorded) ? undefined : tracedTalk(document, recorded, role);
}

/** `{input: text}` is text that may be JSON; everything else is the arguments themselves. */
function argumentsOf(inputs: Json | undefined): Json | undefined {
  if (!isObject(inputs)) return inputs;
  const keys = Object.keys(inputs);
  return keys.length === 1 && (keys[0] === "input" || keys[0] === "args") ? inputs[keys[0]!] : inputs;
}

function resultOf(outputs: Json | undefined): Json | undefined {
  const output = member(outputs, "output") ?? outputs;
  return memberAt(output, "kwargs", "content") ?? (isObject(output) && typeof output["content"] === "string" ? output["content"] : output);
}

function tokensOf(run: JsonObject): Tokens | undefined {
  const outputs = run["outputs"];
  const first = listOf(listOf(member(outputs, "generations"))[0])[0] ?? listOf(member(outputs, "generations"))[0];
  const usage = member(outputs, "usage_metadata") ?? memberAt(first, "message", "kwargs", "usage_metadata") ?? memberAt(run, "extra", "metadata", "usage_metadata");
  const tokens: Tokens = {};
  const set = (key: keyof Tokens, value: Json | undefined): void => {
    const count = numberOf(value);
    if (count !== undefined) tokens[key] = count;
  };
  set("input", member(usage, "input_tokens") ?? run["prompt_tokens"]);
  set("cachedInput", memberAt(usage, "input_token_details", "cache_read"));
  set("output", member(usage, "output_tokens") ?? run["completion_tokens"]);
  set("reasoning", memberAt(usage, "output_token_details", "reasoning"));
  return Object.keys(tokens).length > 0 ? tokens : undefined;
}
