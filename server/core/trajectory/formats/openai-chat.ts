/** OpenAI chat: files of messages, replies, requests with responses, batches, preferences, streams, and their dialects. */
import { isObject, member, pointerTo } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import { parseJson } from "#core/json/text-document";
import type { Trajectory, Warning } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument, type TrajectoryHead } from "../reader";
import { addMessages } from "./chat-messages";
import { assembleChunks, streamChunks } from "./chat-stream";
import { isCompletion, isMessage, isMessageList, preferenceRows, talkKeys, talksOf, type Talk } from "./chat-talks";
import { chatTokens } from "./chat-usage";
import { draftTrajectory, emptyTrajectory } from "./drafts";
import { listOf, row, stringOf, timeOf, titleFrom } from "./fields";
import { labelOf } from "./gold-label";
import { addMedia } from "./media-lists";
import { mostRecords, placeIn, problemHead, recordIdOf, recordsFrom, recordsOf, type FileRecord, type FileRecords } from "./records";
import { rowsOf } from "./rows";
import { pairResults, StepList } from "./step-list";
import { taskOf } from "./step-text";

export const openaiChat = defineFormat({
  id: "openai-chat",
  title: "OpenAI chat messages",
  version: 1,
  extensions: [".json", ".jsonl"],
  keeps: "Messages of every role, reasoning, calls with their arguments as recorded, results, refusals, usage, both answers of a preference.",
  drops: "Log probabilities; the declarations of tools but for their names.",
  sniff,
  open,
});

function sniff(document: SourceDocument): number {
  if (streamChunks(document, 20)) return 0.9;
  if (document.kind === "json") {
    const value = document.json().value;
    if (isCompletion(value)) return 0.9;
    if (isMessageList(value)) return isMessage(value[0]) || value.filter(isMessage).length * 2 >= value.length ? 0.7 : 0;
    if (containerKey(value)) return 0.6;
  } else if (document.kind !== "jsonl") return 0;
  if (mostRecords(document, isMessage)) return 0.7;
  return mostRecords(document, (value) => talksOf(value).length > 0) ? 0.7 : 0;
}

/** The member of a root object whose list holds chat records: some exports wrap their records once more. */
function containerKey(value: Json): string | undefined {
  if (!isObject(value) || talksOf(value).length > 0) return undefined;
  return Object.keys(value).find((key) => {
    const list = value[key];
    return Array.isArray(list) && list.some((item) => talksOf(item).length > 0);
  });
}

function open(document: SourceDocument): OpenedFile {
  const chunks = streamChunks(document);
  if (chunks) return fromStream(chunks);
  const value = document.kind === "json" ? document.json().value : undefined;
  if (isMessageList(value) && !value.some((item) => Array.isArray(member(item, "messages")))) {
    return oneTalk({ container: false, count: 1, at: () => ({ index: 0, document: document.json(), value, line: undefined, pointer: "", problem: undefined }) });
  }
  const records = recordsOf(document);
  if (document.kind === "jsonl" && mostRecords(document, isMessage)) return oneTalk(records, document.light);
  const key = value === undefined ? undefined : containerKey(value);
  if (key === undefined) return fromRecords(records);
  return fromRecords(recordsFrom(document.json(), listOf(member(value, key)), (index) => pointerTo("", key, index)));
}

/** A file whose list, or whose lines, are the messages of one talk. */
function oneTalk(records: FileRecords, light?: SourceDocument["light"]): OpenedFile {
  const load = () => {
    const list = new StepList(light);
    for (let n = 0; n < records.count; n++) {
      const record = records.at(n)!;
      if (!record.document) {
        if (record.problem) list.warnings.push(record.problem);
        continue;
      }
      const isList = Array.isArray(record.value);
      addMessages(list, { document: record.document, messages: isList ? (record.value as Json[]) : [record.value!], place: (i) => placeIn(record, isList ? `/${i}` : "") });
    }
    pairResults(list);
    return draftTrajectory(list, { title: titleFrom(taskOf(list.steps)), task: taskOf(list.steps) });
  };
  return { heads: [{}], warnings: [], load };
}

function fromStream(chunks: readonly JsonObject[]): OpenedFile {
  const replies = assembleChunks(chunks);
  return fromRecords({ ...recordsFrom(parseJson("null").document!, replies, () => ""), container: replies.length > 1 });
}

/** Only heads are kept of the records; they are read again when asked for, which for a small file costs nothing. */
function fromRecords(records: FileRecords): OpenedFile {
  const heads: TrajectoryHead[] = [];
  const origins: { record: number; talk: number }[] = [];
  for (let n = 0; n < records.count; n++) {
    const record = records.at(n)!;
    const talks = talksOf(record.value);
    const first = heads.length;
    if (talks.length === 0) {
      const problem = record.problem ?? noMessages(record);
      heads.push(records.container ? problemHead(record, problem) : { problem });
      origins.push({ record: n, talk: 0 });
    }
    talks.forEach((talk, at) => {
      heads.push(headOf(record, talk, records.container, first));
      origins.push({ record: n, talk: at });
    });
  }
  const load = (index: number): Trajectory => {
    const problem = heads[index]?.problem;
    const origin = origins[index];
    const record = origin && records.at(origin.record);
    const talk = record && talksOf(record.value)[origin.talk];
    return problem || !talk ? emptyTrajectory(...(problem ? [problem] : [])) : loadTalk(record, talk);
  };
  return { heads, warnings: [], load };
}

function noMessages(record: FileRecord): Warning {
  const found = member(record.value, "messages");
  const what = found === undefined ? "holds no messages" : "has messages that are no list";
  return { code: "bad-record", message: `Record ${record.index} ${what}; it gives no trajectory.`, ...(record.line === undefined ? {} : { line: record.line }) };
}

function headOf(record: FileRecord, talk: Talk, container: boolean, first: number): TrajectoryHead {
  const own = container ? recordIdOf(record.value, record.index) : undefined;
  const title = titleFrom(firstUserText(talk));
  if (talk.branch) return { recordId: talk.key, title, line: record.line, parent: first };
  const recordId = talk.key === undefined ? own : own === undefined ? talk.key : `${own}/${talk.key}`;
  return { recordId, title, line: record.line, label: isObject(record.value) ? labelOf(record.value)?.label : undefined };
}

function firstUserText(talk: Talk): string | undefined {
  for (const { messages } of talk.segments) {
    const content = member(messages.find((message) => member(message, "role") === "user"), "content");
    if (typeof content === "string") return content;
    const block = listOf(content).find((item) => typeof item === "string" || typeof (member(item, "text") ?? member(item, "value")) === "string" && member(item, "type") === "text");
    if (block !== undefined) return typeof block === "string" ? block : stringOf(member(block, "text") ?? member(block, "value"));
  }
  return undefined;
}

/** Reads one talk of a record: the messages, what the reply says of itself, and the members beside them as rows. */
export function loadTalk(record: FileRecord, talk: Talk): Trajectory {
  const list = new StepList();
  const value = record.value as JsonObject;
  let reply: JsonObject | undefined;
  let finish: string | undefined;
  for (const segment of talk.segments) {
    addMessages(list, { document: record.document!, messages: segment.messages, place: (i) => placeIn(record, segment.single ? segment.pointer : `${segment.pointer}/${i}`) });
    if (!segment.reply) continue;
    reply = segment.reply;
    finish = segment.finish;
    const step = list.steps.at(-1);
    if (step) Object.assign(step, definedOnly({ tokens: chatTokens(reply["usage"]), model: stringOf(reply["model"]), time: timeOf(reply["created"]) }));
  }
  addMedia(list, value);
  pairResults(list, (part) => finish === "tool_calls" && (list.steps.at(-1)?.parts.includes(part) ?? false));
  const rows = rowsOf(value, talkKeys);
  const label = labelOf(value);
  const details = [...preferenceRows(talk), ...rows.verdicts];
  const outcome = definedOnly({ status: finish, error: talk.error, details: details.length > 0 ? details : undefined });
  return draftTrajectory(list, {
    title: titleFrom(taskOf(list.steps)), task: taskOf(list.steps), model: stringOf(reply?.["model"]) ?? stringOf(value["model"]),
    label: label?.label, labelMeaning: label?.meaning, metadata: [...rows.facts, ...toolRow(value)],
    outcome: Object.keys(outcome).length > 0 ? outcome : undefined,
  });
}

/** Names of the tools that were offered, as a list or as JSON in a string. */
function toolRow(value: JsonObject): Trajectory["metadata"] {
  const recorded = value["tools"] ?? value["functions"] ?? member(value["request"], "tools") ?? member(value["body"], "tools");
  const tools = typeof recorded === "string" ? parseJson(recorded).document?.value : recorded;
  const names = listOf(tools).map((tool) => stringOf(member(member(tool, "function"), "name")) ?? stringOf(member(tool, "name")));
  return row("tools", names.filter((name) => name !== undefined).join(", "));
}

function definedOnly<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
