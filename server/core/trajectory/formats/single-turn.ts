/** Records of one prompt and one reply (or a pair of replies), as question, code and reasoning data sets hold them. */
import { isObject, pointerTo } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import type { Place, Trajectory, Warning } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { addMessages } from "./chat-messages";
import { isMessageList } from "./chat-talks";
import { draftTrajectory, emptyTrajectory } from "./drafts";
import { titleFrom } from "./fields";
import { labelOf } from "./gold-label";
import { mostRecords, placeIn, problemHead, recordIdOf, recordsFrom, recordsOf, type FileRecord, type FileRecords } from "./records";
import { rowsOf } from "./rows";
import { readFields, type Exchange, type Field, type FieldsRead } from "./single-turn-fields";
import { pairResults, StepList } from "./step-list";
import { taskOf } from "./step-text";
import { assistantTextParts } from "./think-tags";

export const singleTurn = defineFormat({
  id: "single-turn",
  title: "Prompt and response records",
  version: 1,
  extensions: [".json", ".jsonl"],
  keeps: "Prompt, system prompt, reply, reasoning (of its own or in <think> tags), several turns, both halves of a pair, labels.",
  drops: "Long texts under names that are neither prompt nor reply.",
  sniff,
  open,
});

function sniff(document: SourceDocument): number {
  if (document.kind !== "json" && document.kind !== "jsonl") return 0;
  if (document.kind === "json" && columns(document)) return 0.45;
  let strong = false;
  const found = mostRecords(document, (value) => {
    const read = readFields(value);
    strong ||= read?.strong === true;
    return read !== undefined;
  });
  return found ? (strong ? 0.5 : 0.2) : 0;
}

/** A root object of lists of equal length is a table by columns: its rows as records. */
function columns(document: SourceDocument): FileRecords | undefined {
  const json = document.json();
  const value = json.value;
  if (!isObject(value)) return undefined;
  const lists = Object.entries(value).filter((entry): entry is [string, Json[]] => Array.isArray(entry[1]));
  const length = lists[0]?.[1].length ?? 0;
  if (lists.length < 2 || length === 0 || lists.some(([, list]) => list.length !== length)) return undefined;
  const rowAt = (index: number): Json => Object.fromEntries(lists.map(([key, list]) => [key, list[index]!]));
  if (!readFields(rowAt(0))) return undefined;
  return recordsFrom(json, Array.from({ length }, (_, index) => rowAt(index)), () => "");
}

function open(document: SourceDocument): OpenedFile {
  const table = document.kind === "json" ? columns(document) : undefined;
  const records = table ?? recordsOf(document);
  const heads: TrajectoryHead[] = [];
  const origins: { record: number; exchange: number }[] = [];
  for (let n = 0; n < records.count; n++) {
    const record = records.at(n)!;
    const exchanges = readFields(record.value)?.exchanges ?? [];
    if (exchanges.length === 0) {
      const problem = record.problem ?? noPair(record);
      heads.push(records.container ? problemHead(record, problem) : { problem });
      origins.push({ record: n, exchange: 0 });
    }
    exchanges.forEach((exchange, at) => {
      heads.push(headOf(record, exchange, records.container));
      origins.push({ record: n, exchange: at });
    });
  }
  const loadAt = (index: number): Trajectory => {
    const problem = heads[index]?.problem;
    const origin = origins[index];
    const record = origin && records.at(origin.record);
    const read = record && readFields(record.value);
    const exchange = read?.exchanges[origin?.exchange ?? 0];
    return problem || !record || !read || !exchange ? emptyTrajectory(...(problem ? [problem] : [])) : load(record, read, exchange, table !== undefined);
  };
  return { heads, warnings: [], load: loadAt };
}

function noPair(record: FileRecord): Warning {
  return { code: "bad-record", message: `Record ${record.index} holds no prompt with a response; it gives no trajectory.`, ...(record.line === undefined ? {} : { line: record.line }) };
}

function headOf(record: FileRecord, exchange: Exchange, container: boolean): TrajectoryHead {
  const own = container ? recordIdOf(record.value, record.index) : undefined;
  const recordId = exchange.key === undefined ? own : own === undefined ? exchange.key : `${own}/${exchange.key}`;
  const first = exchange.prompt?.value;
  const title = titleFrom(typeof first === "string" ? first : Array.isArray(first) && typeof first[0] === "string" ? first[0] : undefined);
  return { recordId, title, line: record.line, label: exchange.label ?? labelOf(record.value as JsonObject)?.label };
}

function load(record: FileRecord, read: FieldsRead, exchange: Exchange, byColumns: boolean): Trajectory {
  const list = new StepList();
  const place = (key: string): Place => placeIn(record, byColumns ? pointerTo("", key, record.index) : `/${key.split("/").map((token) => pointerTo("", token).slice(1)).join("/")}`);
  if (exchange.system) addTurn(list, record, exchange.system, "system", place);
  for (const [asked, answered] of (exchange.history?.value as string[][] | undefined) ?? []) {
    list.add({ role: "user", parts: [{ kind: "text", text: asked! }], places: [place(exchange.history!.key)] });
    list.add({ role: "assistant", parts: assistantTextParts(answered!), places: [place(exchange.history!.key)] });
  }
  addTurns(list, record, exchange, place);
  if (!exchange.prompt) list.warn("no-prompt", "The record holds a reply, but not the prompt it answers.", place(""));
  if (!exchange.reply) list.warn("no-reply", "The record holds prompts, but no reply.", place(""));
  if (read.joined) list.warn("joined-fields", `The prompt was joined from ${exchange.prompt?.key} and ${exchange.context?.key}.`, place(exchange.context?.key ?? ""));
  if (!read.strong && exchange.prompt && exchange.reply) {
    list.warn("ambiguous-fields", `The fields ${exchange.prompt.key} and ${exchange.reply.key} were taken for prompt and reply; their names do not say so for certain.`, place(exchange.prompt.key));
  }
  pairResults(list);
  const value = record.value as JsonObject;
  const rows = rowsOf(value, read.used);
  const label = exchange.label === undefined ? (exchange.key === undefined ? labelOf(value) : undefined) : { label: exchange.label, meaning: `recorded as ${exchange.key}` };
  const preference = exchange.preference === undefined ? [] : [{ name: "preference", value: `${exchange.preference} (against the other answer, no verdict on this one)` }];
  const details = [...preference, ...rows.verdicts];
  return draftTrajectory(list, {
    title: titleFrom(taskOf(list.steps)), task: taskOf(list.steps), label: label?.label, labelMeaning: label?.meaning,
    metadata: rows.facts, outcome: details.length > 0 ? { details } : undefined,
  });
}

/** Prompt and reply; lists of both are turns that alternate. */
function addTurns(list: StepList, record: FileRecord, exchange: Exchange, place: (key: string) => Place): void {
  const { prompt, reply, context } = exchange;
  const asked = listOfTexts(prompt);
  const answered = listOfTexts(reply);
  if (asked || answered) {
    for (let i = 0; i < Math.max(asked?.length ?? 0, answered?.length ?? 0); i++) {
      const question = asked?.[i] ?? (i === 0 && typeof prompt?.value === "string" ? prompt.value : undefined);
      if (typeof question === "string") list.add({ role: "user", parts: [{ kind: "text", text: question }], places: [place(`${prompt!.key}${asked ? `/${i}` : ""}`)] });
      const answer = answered?.[i] ?? (i === 0 && typeof reply?.value === "string" ? reply.value : undefined);
      if (typeof answer === "string") list.add({ role: "assistant", parts: assistantTextParts(answer), places: [place(`${reply!.key}${answered ? `/${i}` : ""}`)] });
    }
    return;
  }
  if (prompt && context && typeof prompt.value === "string") {
    const text = prompt.key.toLowerCase() === "instruction" ? `${prompt.value}\n\n${String(context.value)}` : `${String(context.value)}\n\n${prompt.value}`;
    list.add({ role: "user", parts: [{ kind: "text", text }], places: [place(prompt.key), place(context.key)] });
  } else if (prompt) addTurn(list, record, prompt, "user", place);
  if (reply) addTurn(list, record, reply, "assistant", place, exchange.reasoning);
}

function listOfTexts(field: Field | undefined): readonly Json[] | undefined {
  if (!field || !Array.isArray(field.value)) return undefined;
  return isMessageList(field.value) ? undefined : (field.value as readonly Json[]);
}

function addTurn(list: StepList, record: FileRecord, field: Field, role: "system" | "user" | "assistant", place: (key: string) => Place, reasoning?: Field): void {
  if (isMessageList(field.value)) {
    addMessages(list, { document: record.document!, messages: field.value, place: (i) => place(`${field.key}/${i}`) });
    return;
  }
  const text = String(field.value);
  const parts = role === "assistant" ? assistantTextParts(text) : text === "" ? [] : [{ kind: "text" as const, text }];
  const thought = typeof reasoning?.value === "string" && reasoning.value !== "" ? [{ kind: "reasoning" as const, text: reasoning.value }] : [];
  list.add({ role, parts: [...thought, ...parts], places: reasoning ? [place(field.key), place(reasoning.key)] : [place(field.key)] });
}
