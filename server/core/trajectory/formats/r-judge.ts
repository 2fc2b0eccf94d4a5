/** R-Judge and ASSEBench: short interactions of user, agent and environment that people judged safe or unsafe. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import { toolCallText, type Part, type Place, type Trajectory } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { draftTrajectory, emptyTrajectory } from "./drafts";
import { listOf, row, stringOf, textOf, titleFrom } from "./fields";
import { parseBraces } from "./python-literal";
import { mostRecords, placeIn, recordIdOf, recordsOf, type FileRecord } from "./records";
import { pairResults, StepList } from "./step-list";

export const rJudge = defineFormat({
  id: "r-judge",
  title: "R-Judge / ASSEBench",
  version: 1,
  extensions: [".json", ".jsonl"],
  keeps: "Profile as system prompt, rounds in order, thoughts as reasoning, actions as calls where they parse, the label; scenario and risk texts as metadata.",
  drops: "Members of a record that are not named here; where a collection carries records under `record`, what stands beside them (`source_file`), but for the id.",
  sniff,
  open,
});

function looksLikeRecord(value: Json | undefined): boolean {
  const rounds = listOf(member(value, "contents"));
  const turns = rounds.flatMap((round) => listOf(round));
  const isAgents = turns.some((turn) => member(turn, "role") === "agent" || member(turn, "role") === "environment" || member(turn, "action") !== undefined);
  return isAgents && (member(value, "label") !== undefined || member(value, "profile") !== undefined);
}

function sniff(document: SourceDocument): number {
  return mostRecords(document, (value) => looksLikeRecord(value) || looksLikeRecord(member(value, "record")), 20) ? 0.97 : 0;
}

/** Collections carry a record whole under `record`, beside an id and words of their own: the record is what is read. */
function unwrapped(record: FileRecord | undefined): FileRecord | undefined {
  const inner = member(record?.value, "record");
  return record && !looksLikeRecord(record.value) && looksLikeRecord(inner) ? { ...record, value: inner, pointer: `${record.pointer}/record` } : record;
}

function open(document: SourceDocument): OpenedFile {
  const records = recordsOf(document);
  const heads: TrajectoryHead[] = [];
  for (let index = 0; index < records.count; index++) heads.push(headOf(records.at(index), index, records.container));
  return { heads, warnings: [], load: (index) => load(unwrapped(records.at(index)), heads[index]) };
}

function headOf(outer: FileRecord | undefined, index: number, isMany: boolean): TrajectoryHead {
  const record = unwrapped(outer);
  const value = record?.value;
  const isRecord = Array.isArray(member(value, "contents"));
  return {
    recordId: isMany ? recordIdOf(outer?.value, index) : undefined, title: titleOf(value), label: labelOf(value), line: record?.line,
    problem: record?.problem ?? (isRecord || !record ? undefined : { ...placeIn(record), code: "no-talk", message: "The record has no list of rounds under `contents`." }),
  };
}

function titleOf(value: Json | undefined): string | undefined {
  return titleFrom(stringOf(member(value, "scenario"))) ?? titleFrom(taskOf(value));
}

function taskOf(value: Json | undefined): string | undefined {
  const turns = listOf(member(value, "contents")).flatMap((round) => (Array.isArray(round) ? round : [round]));
  return stringOf(member(turns.find((turn) => member(turn, "role") === "user"), "content"));
}

/** 1 is unsafe, 0 is safe; as number, text or boolean. */
function labelOf(value: Json | undefined): "misbehavior" | "benign" | undefined {
  const label = member(value, "label");
  if (label === 1 || label === "1" || label === true) return "misbehavior";
  return label === 0 || label === "0" || label === false ? "benign" : undefined;
}

function load(record: FileRecord | undefined, head: TrajectoryHead | undefined): Trajectory {
  if (!record?.document || head?.problem) return emptyTrajectory(...(head?.problem ? [head.problem] : []));
  const list = new StepList();
  const { value, document } = record;
  const profile = stringOf(member(value, "profile"));
  if (profile) list.add({ role: "system", parts: [{ kind: "text", text: profile }], places: [placeIn(record, "/profile")] });
  const rounds = listOf(member(value, "contents"));
  const starts: number[] = [];
  rounds.forEach((round, index) => {
    starts.push(list.steps.length);
    if (Array.isArray(round)) round.forEach((turn, turnIndex) => addTurn(list, turn, document, placeIn(record, `/contents/${index}/${turnIndex}`)));
    else addTurn(list, round, document, placeIn(record, `/contents/${index}`));
  });
  // `Complete` is how an agent ends its work; nothing answers it.
  pairResults(list, (part) => part.toolName === "Complete");
  const label = labelOf(value);
  const verdict = rowsOf(verdictKeys, value, document);
  return draftTrajectory(list, {
    title: head?.title, task: taskOf(value), label, labelMeaning: label && meanings[label], outcome: verdict.length > 0 ? { details: verdict } : undefined,
    metadata: [...rowsOf(backgroundKeys, value, document), ...(rounds.length > 1 && rounds.every(Array.isArray) ? row("rounds begin at steps", starts.join(", ")) : [])],
  });
}

const meanings = { misbehavior: "label 1: people judged the agent's behaviour unsafe", benign: "label 0: people judged the agent's behaviour safe" };
const backgroundKeys = ["scenario", "application_scenario", "goal"];
/** What the data set says of the result: never part of the steps, and hidden while judging blind. */
const verdictKeys = ["label", "risk_type", "failure_mode", "ambiguous", "risk_description"];

function rowsOf(keys: readonly string[], value: Json | undefined, document: JsonDocument): Trajectory["metadata"] {
  return keys.flatMap((key) => row(key, textOf(document, member(value, key) ?? undefined)));
}

function addTurn(list: StepList, turn: Json, document: JsonDocument, place: Place): void {
  if (!isObject(turn)) {
    list.warn("bad-message", "A turn is no object.", place);
    return;
  }
  const role = stringOf(turn["role"]);
  if (role === "agent" || role === "assistant") {
    list.add({ role: "assistant", parts: agentParts(turn, document), places: [place] });
    return;
  }
  const text = textOf(document, turn["content"]);
  if (role === "environment" || role === "tool") list.add({ role: "tool", parts: [{ kind: "tool_result", text }], places: [place] });
  else {
    const known = role === "user" || role === "system";
    if (!known) list.warn("unknown-role", `A turn has the role ${textOf(document, turn["role"]).slice(0, 40) || "(none)"}; it is shown as the user's.`, place);
    list.add({ role: role === "system" ? "system" : "user", parts: text === "" ? [] : [{ kind: "text", text }], name: known ? undefined : role, places: [place] });
  }
}

/** `thought` is reasoning; `action` is a call where a name and braces parse, else the agent's text. */
function agentParts(turn: JsonObject, document: JsonDocument): Part[] {
  const parts: Part[] = [];
  const thought = textOf(document, turn["thought"] ?? undefined);
  if (thought !== "") parts.push({ kind: "reasoning", text: thought });
  for (const key of ["content", "action"]) {
    const text = textOf(document, turn[key] ?? undefined);
    if (text === "") continue;
    parts.push((key === "action" ? callOf(text) : undefined) ?? { kind: "text", text });
  }
  return parts;
}

const callStart = /^\s*([A-Za-z_][\w.-]*)\s*(?:\n\s*Action Input:\s*)?(?=\{)/;

/** `Tool{'k': 'v'}` or `Tool`, a new line, `Action Input: {…}`, with nothing behind the closing brace. */
function callOf(action: string): Part | undefined {
  const start = callStart.exec(action);
  const braces = start ? parseBraces(action, start[0].length) : undefined;
  if (!start || !braces || action.slice(braces.end).trim() !== "") return undefined;
  return { kind: "tool_call", text: toolCallText(braces.args), toolName: start[1], args: braces.args };
}
