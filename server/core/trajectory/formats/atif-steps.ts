/** The steps of an ATIF trajectory: system, user and agent steps, each observation's results behind them as tool steps. */
import { isObject, member, pointerTo, nameTable } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Part, Place, Role, Step, Tokens } from "../model";
import { restoreStep } from "./atif-restored";
import { readContent, type ContentRead } from "./chat-content";
import { booleanOf, idOf, listOf, numberOf, stringOf, timeOf, wordOf } from "./fields";
import { addFlag, pairResults, StepList } from "./step-list";
import { callPart } from "./tool-args";

/** Where the steps of a trajectory stand; undefined where it comes from another file, which a place cannot name. */
export type StepPlace = ((pointer: string) => Place) | undefined;

/** Index of the ATIF step that made each step of the list, for links to children. */
export type Origins = Map<number, number>;

/** Appends the steps of `root`. `origins` maps an ATIF step's index to the first step made from it. */
export function addAtifSteps(list: StepList, document: JsonDocument, root: JsonObject, place: StepPlace): Origins {
  const origins: Origins = new Map();
  const loose = new Set<Step>();
  let restored = false;
  listOf(root["steps"]).forEach((step, i) => {
    const pointer = `/steps/${i}`;
    origins.set(i, list.steps.length);
    if (!isObject(step)) return list.warn("bad-record", `Step ${i + 1} is no object and is left out.`, place?.(pointer));
    const places = place ? [place(pointer)] : [];
    if (restoreStep(list, document, step, places)) restored = true;
    else addStep(list, document, step, places, loose);
  });
  if (restored) pairForWarnings(list);
  else pairKnown(list, loose);
  return origins;
}

const sources = nameTable<Role>({ system: "system", user: "user", agent: "assistant" });

function addStep(list: StepList, document: JsonDocument, step: JsonObject, places: Place[], loose: Set<Step>): void {
  const source = stringOf(step["source"]) ?? "";
  const role = sources[source] ?? "system";
  if (!sources[source]) list.warn("unknown-role", `A step has ${source ? `the source ${source}` : "no source"}; it is shown as system.`, places[0]);
  const read = readContent(document, step["message"], { thinking: role === "assistant" });
  const reasoning = wordOf(step["reasoning_content"]);
  const parts: Part[] = reasoning === undefined ? [...read.parts] : [{ kind: "reasoning", text: reasoning }, ...read.parts];
  const calls = addCalls(list, document, step, parts, places);
  const made = list.add({
    role, parts, extras: read.extras, reasoningHidden: read.reasoningHidden, places,
    time: timeOf(step["timestamp"]), model: wordOf(step["model_name"]), tokens: atifTokens(step["metrics"]), costUsd: numberOf(member(step["metrics"], "cost_usd")),
  });
  const copied = booleanOf(step["is_copied_context"]) === true;
  if (copied) addFlag(made, "copied_context");
  if (member(member(step["extra"], "context_management"), "type") === "compaction") addFlag(made, "compaction");
  listOf(member(step["observation"], "results")).forEach((result, i) => {
    const place = places[0] && { ...places[0], pointer: pointerTo(places[0].pointer ?? "", "observation", "results", i) };
    addResult(list, document, result, calls, place ? [place] : [], copied, loose);
  });
}

function addCalls(list: StepList, document: JsonDocument, step: JsonObject, parts: Part[], places: Place[]): string[] {
  const ids: string[] = [];
  for (const call of listOf(step["tool_calls"])) {
    if (!isObject(call)) continue;
    const name = wordOf(call["function_name"]);
    const id = idOf(call["tool_call_id"]);
    const read = callPart(document, { name, id, args: call["arguments"] });
    if (read.problem) list.warn("unparsed-arguments", `Call of ${name ?? "a tool"}: ${read.problem}.`, places[0]);
    parts.push(read.part);
    if (id !== undefined) ids.push(id);
  }
  return ids;
}

/** One result as a tool step. A result that only refers to another trajectory gives none: that is a child. */
function addResult(list: StepList, document: JsonDocument, result: Json, calls: readonly string[], places: Place[], copied: boolean, loose: Set<Step>): void {
  if (!isObject(result)) return list.warn("bad-record", "A result of an observation is no object and is left out.", places[0]);
  const content = result["content"];
  if ((content === undefined || content === null) && listOf(result["subagent_trajectory_ref"]).length > 0) return;
  const callId = idOf(result["source_call_id"]) ?? (calls.length === 1 ? calls[0] : undefined);
  const read: ContentRead = readContent(document, content, { result: { callId } });
  const made = list.add({ role: "tool", parts: read.parts, extras: read.extras, places });
  if (copied) addFlag(made, "copied_context");
  // What the environment said to a message without calls answers no call; it is no orphan either.
  if (callId === undefined) loose.add(made);
}

function pairKnown(list: StepList, loose: ReadonlySet<Step>): void {
  const known = new StepList();
  known.steps.push(...list.steps.filter((step) => !loose.has(step)));
  pairResults(known);
  list.warnings.push(...known.warnings);
}

/** Steps that Tracemark wrote carry the flags they had; pairing them anew may only tell of calls without a result. */
function pairForWarnings(list: StepList): void {
  const copies = new StepList();
  copies.steps.push(...list.steps.map((step) => ({ ...step })));
  pairResults(copies);
  list.warnings.push(...copies.warnings.filter((warning) => warning.code === "call-without-result"));
}

/** Counts of a step: the prompt includes what was cached. */
export function atifTokens(metrics: Json | undefined): Tokens | undefined {
  const tokens: Tokens = {};
  const set = (key: keyof Tokens, value: number | undefined) => {
    if (value !== undefined) tokens[key] = value;
  };
  set("input", numberOf(member(metrics, "prompt_tokens")));
  set("cachedInput", numberOf(member(metrics, "cached_tokens")));
  set("output", numberOf(member(metrics, "completion_tokens")));
  set("reasoning", numberOf(member(member(metrics, "extra"), "reasoning_tokens")));
  return Object.keys(tokens).length > 0 ? tokens : undefined;
}
