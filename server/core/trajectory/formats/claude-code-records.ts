/** The records of a Claude Code log, whichever way they were written: session file, web export, or the SDK's stream. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Place, Warning } from "../model";
import type { SourceDocument } from "../reader";
import { damagedLine } from "../source-document";
import { lightRecord } from "./claude-code-light";
import { idOf, listOf, stringOf, wordOf } from "./fields";
import { LightPicker } from "./light-records";

/** One record of the log, in file order. */
export interface LogRecord {
  readonly value: JsonObject;
  /** What is held of the message where `value` is held for many records. */
  readonly message?: Json;
  readonly document: JsonDocument;
  readonly place: Place;
  readonly type: string;
  readonly uuid?: string | undefined;
  /** `parentUuid`, or for a compaction boundary `logicalParentUuid`. */
  readonly parent?: string | undefined;
  readonly sidechain: boolean;
}

export interface RecordsRead { records: LogRecord[]; warnings: Warning[] }

/** Types that carry the talk; all others are bookkeeping and make no steps. */
const talkTypes = new Set(["user", "assistant", "system"]);

export const bookkeepingTypes = new Set([
  "summary", "file-history-snapshot", "file-history-delta", "queue-operation", "attachment", "progress", "last-prompt", "ai-title",
  "custom-title", "agent-name", "agent-setting", "mode", "permission-mode", "pr-link", "bridge-session", "result", "stream_event",
  "control_request", "control_response", "rate_limit_event", "tool_progress", "tag", "worktree-state",
]);

/** True for user, assistant and system records. */
export function isTalk(record: LogRecord): boolean {
  return talkTypes.has(record.type);
}

/** How sure it is that `value` is one record of such a log, 0 to 1. */
export function looksLikeRecord(value: Json | undefined): number {
  if (!isObject(value)) return 0;
  const type = stringOf(value["type"]);
  if (type === undefined) return 0;
  const hasMessage = "message" in value;
  if (wordOf(value["uuid"]) && wordOf(value["sessionId"])) return talkTypes.has(type) || bookkeepingTypes.has(type) ? 0.97 : 0.6;
  if (type === "summary" && "leafUuid" in value) return 0.97;
  if (type === "file-history-snapshot" && "snapshot" in value) return 0.9;
  if (hasMessage && (type === "assistant" || type === "user")) {
    if ("parent_tool_use_id" in value || "parentUuid" in value) return 0.95;
    return wordOf(value["session_id"]) || wordOf(value["sessionId"]) || wordOf(value["uuid"]) ? 0.85 : isObject(value["message"]) && "content" in value["message"] ? 0.5 : 0;
  }
  if (type === "system" && value["subtype"] === "init" && wordOf(value["session_id"])) return 0.95;
  return bookkeepingTypes.has(type) && wordOf(value["sessionId"]) ? 0.8 : 0;
}

/** All records of the document; lines and items that are none become warnings with their place. With `isLight` those of the talk come without their texts. */
export function readRecords(source: SourceDocument, isLight = false): RecordsRead {
  const read: RecordsRead = { records: [], warnings: [] };
  if (source.kind === "jsonl") {
    const picker = isLight ? new LightPicker() : undefined;
    for (const line of source.lines()) {
      const { json } = line;
      if (!json) read.warnings.push(damagedLine(line));
      else add(read, json.value, json, { line: line.line }, picker);
    }
    return read;
  }
  const document = source.json();
  const loglines = member(document.value, "loglines");
  const list = Array.isArray(document.value) ? document.value : Array.isArray(loglines) ? loglines : undefined;
  const items = list ?? [document.value];
  const pointer = list === undefined ? undefined : list === loglines ? "/loglines" : "";
  items.forEach((item, index) => add(read, item, document, pointer === undefined ? {} : { pointer: `${pointer}/${index}` }));
  return read;
}

/** Adds the record that a value is, light with a picker, or the warning that it is none. */
function add(read: RecordsRead, value: Json, document: JsonDocument, place: Place, picker?: LightPicker): void {
  if (!isObject(value)) {
    read.warnings.push({ ...place, code: "bad-record", message: `A record is ${describe(value)} instead of an object.` });
    return;
  }
  const type = stringOf(value["type"]);
  if (type === undefined) {
    read.warnings.push({ ...place, code: "bad-record", message: `A record has no type; its keys are ${Object.keys(value).slice(0, 8).join(", ") || "none"}.` });
    return;
  }
  const shared = {
    document, place, uuid: idOf(value["uuid"]), parent: idOf(value["parentUuid"]) ?? idOf(value["logicalParentUuid"]), sidechain: value["isSidechain"] === true,
  };
  const prompt = type === "attachment" && member(value["attachment"], "type") === "queued_command" ? member(value["attachment"], "prompt") : undefined;
  // What a person wrote while the agent was at work stands in no other record.
  const record: LogRecord = prompt !== undefined ? { ...shared, type: "user", value: { ...value, message: { role: "user", content: prompt } } } : { ...shared, type, value };
  read.records.push(picker ? lightRecord(record, picker) : record);
}

function describe(value: Json): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : typeof value === "string" ? "a text" : "a bare value";
}

/** The recorded message: an object, or whatever stands in its place. */
export function messageOf(record: LogRecord): Json | undefined {
  return record.message ?? record.value["message"];
}

/** `message.id` of an assistant record. */
export function messageIdOf(record: LogRecord): string | undefined {
  return record.type === "assistant" ? wordOf(member(messageOf(record), "id")) : undefined;
}

/** Content blocks of the record that are objects of type `type`. */
export function blocksOfType(record: LogRecord, type: string): JsonObject[] {
  return listOf(member(messageOf(record), "content")).filter((block): block is JsonObject => isObject(block) && block["type"] === type);
}

