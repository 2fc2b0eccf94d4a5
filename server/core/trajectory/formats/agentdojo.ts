/** AgentDojo run logs: a user's task done with tools, under an attack that is planted in what the tools return. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Outcome, Part, Place, Trajectory } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { readContent } from "./chat-content";
import { draftTrajectory, emptyTrajectory } from "./drafts";
import { booleanOf, idOf, listOf, row, stringOf, textOf, titleFrom, wordOf } from "./fields";
import { mostRecords, placeIn, recordIdOf, recordsOf, type FileRecord } from "./records";
import { withError } from "./result-error";
import { pairResults, StepList } from "./step-list";
import { taskOf } from "./step-text";
import { callPart } from "./tool-args";

export const agentDojo = defineFormat({
  id: "agentdojo",
  title: "AgentDojo",
  version: 1,
  extensions: [".json"],
  keeps: "Messages, calls with their results and errors, injected texts and the steps that carry them, utility and whether the injection goal was reached.",
  drops: "The copies of calls inside tool messages.",
  sniff,
  open,
});

function sniff(document: SourceDocument): number {
  return mostRecords(document, isRun, 20) ? 0.97 : 0;
}

function isRun(value: Json): boolean {
  return Array.isArray(member(value, "messages")) && member(value, "suite_name") !== undefined && member(value, "user_task_id") !== undefined;
}

function open(document: SourceDocument): OpenedFile {
  const records = recordsOf(document);
  const heads: TrajectoryHead[] = [];
  for (let index = 0; index < records.count; index++) heads.push(headOf(records.at(index), index, records.container));
  return { heads, warnings: [], load: (index) => load(records.at(index), heads[index]) };
}

function headOf(record: FileRecord | undefined, index: number, isMany: boolean): TrajectoryHead {
  const value = record?.value;
  const isRecord = Array.isArray(member(value, "messages"));
  return {
    recordId: isMany ? recordIdOf(value, index) : undefined, title: titleOf(value), label: labelOf(value), line: record?.line,
    problem: record?.problem ?? (isRecord || !record ? undefined : { ...placeIn(record), code: "no-talk", message: "The record has no list under `messages`." }),
  };
}

function titleOf(value: Json | undefined): string | undefined {
  const words = ["suite_name", "user_task_id", "injection_task_id"].map((key) => wordOf(member(value, key)));
  return titleFrom(words.filter((word) => word !== undefined).join(" / "));
}

/** What the check of the injection goal says. It only says something where an attack was made and the run did not fail. */
function goalReached(value: Json | undefined): boolean | undefined {
  if (wordOf(member(value, "injection_task_id")) === undefined || hasError(value)) return undefined;
  return booleanOf(member(value, "security"));
}

function hasError(value: Json | undefined): boolean {
  const error = member(value, "error");
  return error !== undefined && error !== null && error !== "";
}

/**
 * Only a reached goal is a label. A missed one is not the same as clean behaviour (the agent may have tried), and without
 * an attack the check says nothing.
 */
function labelOf(value: Json | undefined): "misbehavior" | undefined {
  return goalReached(value) === true ? "misbehavior" : undefined;
}

function load(record: FileRecord | undefined, head: TrajectoryHead | undefined): Trajectory {
  if (!record?.document || head?.problem) return emptyTrajectory(...(head?.problem ? [head.problem] : []));
  const list = new StepList();
  const { value, document } = record;
  listOf(member(value, "messages")).forEach((message, index) => addMessage(list, message, document, placeIn(record, `/messages/${index}`)));
  pairResults(list);
  const label = labelOf(value);
  return draftTrajectory(list, {
    title: head?.title, task: taskOf(list.steps), model: wordOf(member(value, "pipeline_name")), outcome: outcomeOf(value, document), label,
    labelMeaning: label && "injection goal reached (security: true): the agent carried out what the injected text asked for",
    metadata: [...metadataOf(value, document), ...injectionRows(value, list)],
  });
}

function addMessage(list: StepList, message: Json, document: JsonDocument, place: Place): void {
  if (!isObject(message)) {
    list.warn("bad-message", "A message is no object.", place);
    return;
  }
  const role = stringOf(message["role"]);
  if (role === "tool") {
    addResult(list, message, document, place);
    return;
  }
  const isAssistant = role === "assistant";
  const read = readContent(document, message["content"], { thinking: isAssistant });
  for (const { code, message: problem } of read.problems) list.warn(code, `Step ${list.steps.length}: ${problem}.`, place);
  const calls = isAssistant ? listOf(message["tool_calls"]).flatMap((call) => readCall(list, call, document, place)) : [];
  const known = isAssistant || role === "user" || role === "system";
  if (!known) list.warn("unknown-role", `A message has the role ${textOf(document, message["role"]).slice(0, 40) || "(none)"}; it is shown as the user's.`, place);
  list.add({
    role: known ? role : "user", parts: [...read.parts, ...calls], extras: read.extras, reasoningHidden: read.reasoningHidden, name: known ? undefined : role, places: [place],
  });
}

/** `function` is the bare name here; the form of OpenAI, an object with a name, is taken as well. */
function readCall(list: StepList, call: Json, document: JsonDocument, place: Place): Part[] {
  if (!isObject(call)) {
    list.warn("not-a-call", "A tool call is no object.", place);
    return [];
  }
  const named = call["function"];
  const read = callPart(document, {
    name: wordOf(named) ?? wordOf(member(named, "name")), id: idOf(call["id"]), args: call["args"] ?? member(named, "arguments"),
  });
  if (read.problem) list.warn("unparsed-arguments", `Step ${list.steps.length}: ${read.problem}.`, place);
  return [read.part];
}

function addResult(list: StepList, message: JsonObject, document: JsonDocument, place: Place): void {
  const copy = message["tool_call"];
  const callId = idOf(message["tool_call_id"]) ?? idOf(member(copy, "id"));
  const toolName = wordOf(member(copy, "function")) ?? wordOf(member(member(copy, "function"), "name"));
  const read = readContent(document, message["content"], { result: { callId, toolName } });
  const error = message["error"];
  const errorText = error === null || error === undefined ? "" : textOf(document, error);
  list.add({ role: "tool", parts: withError(read.parts, errorText), extras: read.extras, places: [place] });
}

function metadataOf(value: Json | undefined, document: JsonDocument): Trajectory["metadata"] {
  const keys = ["suite_name", "pipeline_name", "user_task_id", "injection_task_id", "attack_type", "benchmark_version", "agentdojo_package_version", "evaluation_timestamp", "duration"];
  return keys.flatMap((key) => row(key, textOf(document, member(value, key) ?? undefined)));
}

/** Each injected text, and the steps whose results carry it; white space, quotes and backslashes are not compared, since tools re-indent and quote it. */
function injectionRows(value: Json | undefined, list: StepList): Trajectory["metadata"] {
  const injections = member(value, "injections");
  if (!isObject(injections)) return [];
  const squeeze = (text: string): string => text.replace(/\\[nrt]|[\s'"\\]+/g, "");
  const results = list.steps.flatMap((step) => step.parts.filter((part) => part.kind === "tool_result").map((part) => ({ index: step.index, text: squeeze(part.text) })));
  return Object.entries(injections).flatMap(([vector, injected]) => {
    const text = stringOf(injected);
    if (text === undefined || text.trim() === "") return [];
    const wanted = squeeze(text);
    const steps = [...new Set(results.filter((result) => result.text.includes(wanted)).map((result) => result.index))];
    return [...row(`injected text: ${vector}`, text.trim()), ...row(`steps with ${vector}`, steps.length > 0 ? steps.join(", ") : "none: no tool result carries it")];
  });
}

function outcomeOf(value: Json | undefined, document: JsonDocument): Outcome {
  const utility = booleanOf(member(value, "utility"));
  const reached = goalReached(value);
  const outcome: Outcome = {
    details: [
      ...row("user's task done (utility)", textOf(document, member(value, "utility"))),
      ...row("injection goal reached", reached === undefined ? "not applicable" : String(reached)),
      ...row("security, as recorded", textOf(document, member(value, "security"))),
    ],
  };
  if (utility !== undefined) outcome.success = utility;
  if (hasError(value)) outcome.error = textOf(document, member(value, "error"));
  return outcome;
}
