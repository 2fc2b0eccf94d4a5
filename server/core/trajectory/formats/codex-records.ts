/** The lines of a Codex rollout in one shape, whichever version wrote them. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Place, Warning } from "../model";
import type { SourceDocument } from "../reader";
import { damagedLine } from "../source-document";
import { listOf, stringOf, timeOf, wordOf } from "./fields";

/** One record. `kind` is the type of its line, `type` that of its payload (a message may lack it). */
export interface CodexRecord {
  readonly kind: string;
  readonly type: string | undefined;
  readonly payload: JsonObject;
  readonly document: JsonDocument;
  readonly place: Place;
  readonly time: string | undefined;
}

const kinds = new Set(["session_meta", "response_item", "event_msg", "turn_context", "compacted"]);
const bareItems = /^(?:message|reasoning|(?:function|local_shell|custom_tool|web_search)_call(?:_output)?)$/;

/** True for a line `{timestamp, type, payload}` of a rollout. */
export function isRolloutLine(value: Json | undefined): boolean {
  return isObject(value) && kinds.has(stringOf(value["type"]) ?? "") && isObject(value["payload"]);
}

/** True for the first line of a rollout of mid-2025: the session itself, bare. */
export function isBareHeader(value: Json | undefined): boolean {
  return isObject(value) && wordOf(value["id"]) !== undefined && wordOf(value["timestamp"]) !== undefined && "instructions" in value && !("type" in value) && !("messages" in value);
}

/** True for the other lines of such a rollout: bare items, and records of state. */
export function isBareLine(value: Json | undefined): boolean {
  return isObject(value) && (wordOf(value["record_type"]) !== undefined || (bareItems.test(stringOf(value["type"]) ?? "") && !("payload" in value)));
}

/** All records of the document, one after the other; lines that are none become `warnings`. */
export function* codexRecords(source: SourceDocument, warnings: Warning[]): Iterable<CodexRecord> {
  for (const line of source.lines()) {
    if (!line.json) {
      warnings.push(damagedLine(line));
      continue;
    }
    const { json } = line;
    const items = source.kind === "json" && Array.isArray(json.value) ? json.value : [json.value];
    for (const [index, value] of items.entries()) {
      const at: Place = items.length > 1 || source.kind === "json" ? { pointer: Array.isArray(json.value) ? `/${index}` : "" } : { line: line.line };
      const record = recordOf(value, json, at);
      if (record) yield record;
      else warnings.push({ ...at, code: "bad-record", message: `A record is ${isObject(value) ? "without a type" : "no object"}; it gives no step.` });
    }
  }
}

/** The record that a value is; undefined where it is none. */
export function recordOf(value: Json, document: JsonDocument, place: Place): CodexRecord | undefined {
  if (!isObject(value)) return undefined;
  const type = stringOf(value["type"]);
  const payload = value["payload"];
  if (type !== undefined && isObject(payload)) return { kind: type, type: stringOf(payload["type"]), payload, document, place, time: timeOf(value["timestamp"]) };
  const bare = { payload: value, document, place, time: undefined };
  if (isBareHeader(value)) return { ...bare, kind: "session_meta", type: undefined };
  if (wordOf(value["record_type"]) !== undefined) return { ...bare, kind: "record_type", type: wordOf(value["record_type"]) };
  // Lines that have a type but no payload of their own: bare items, and whatever is not known.
  return type === undefined ? undefined : { ...bare, kind: bareItems.test(type) ? "response_item" : type, type };
}

/** Kind of the text that an event repeats. */
export type Side = "user" | "assistant" | "reasoning";

/** Whose words an event repeats, and the words; undefined for other records. */
export function spokenEvent(record: CodexRecord): { side: Side; text: string } | undefined {
  if (record.kind !== "event_msg") return undefined;
  const { type, payload } = record;
  const text = stringOf(payload["message"]) ?? stringOf(payload["text"]);
  if (text === undefined) return undefined;
  if (type === "user_message") return { side: "user", text };
  if (type === "agent_message") return { side: "assistant", text };
  return type === "agent_reasoning" || type === "agent_reasoning_raw_content" ? { side: "reasoning", text } : undefined;
}

/** Texts of a message item's content. */
export function itemTexts(record: CodexRecord): string[] {
  const content = record.payload["content"];
  return typeof content === "string" ? [content] : listOf(content).flatMap((part) => stringOf(part) ?? stringOf(member(part, "text")) ?? []);
}
