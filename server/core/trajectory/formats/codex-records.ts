/** The lines of a Codex rollout in one shape, whichever version wrote them, and which of them say again what another one says. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Place, Warning } from "../model";
import type { LineDocuments } from "../light-text";
import type { SourceDocument } from "../reader";
import { damagedLine } from "../source-document";
import { lightRecord, wholeRecord } from "./codex-light";
import { LightPicker } from "./light-records";
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

/** All records of the document, light where the document is; lines that are none become warnings. */
export function codexRecords(source: SourceDocument): { records: CodexRecord[]; warnings: Warning[] } {
  const records: CodexRecord[] = [];
  const warnings: Warning[] = [];
  const picker = source.light ? new LightPicker() : undefined;
  for (const line of source.lines()) {
    const place: Place = { line: line.line };
    if (!line.json) {
      warnings.push(damagedLine(line));
      continue;
    }
    const items = source.kind === "json" && Array.isArray(line.json.value) ? line.json.value : [line.json.value];
    items.forEach((value, index) => {
      const at = items.length > 1 || source.kind === "json" ? { pointer: Array.isArray(line.json!.value) ? `/${index}` : "" } : place;
      const record = recordOf(value, line.json!, at);
      if (record) records.push(picker ? lightRecord(record, picker) : record);
      else warnings.push({ ...at, code: "bad-record", message: `A record is ${isObject(value) ? "without a type" : "no object"}; it gives no step.` });
    });
  }
  return { records, warnings };
}

function recordOf(value: Json, document: JsonDocument, place: Place): CodexRecord | undefined {
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

interface Spoken { readonly side: Side; readonly texts: readonly string[]; used: boolean }

/** How many records an event and the item that it repeats are apart at most: counts of tokens and notices come between. */
const nearby = 12;

/**
 * The events that say again what a response item near them says: the same side, the same text, one to one. A text that
 * was really said twice has two items and two events, so it stays. `light` is that of the document.
 */
export function twinEvents(records: readonly CodexRecord[], light?: LineDocuments): Set<CodexRecord> {
  // Only what is near is held: the texts of a long session are most of it.
  const spoken = new Map<number, Spoken[]>();
  let ahead = 0;
  const twins = new Set<CodexRecord>();
  records.forEach((record, at) => {
    for (; ahead < records.length && ahead <= at + nearby; ahead++) if (isSpokenItem(records[ahead]!)) spoken.set(ahead, spokenItems(wholeRecord(records[ahead]!, light)));
    spoken.delete(at - nearby - 1);
    const event = spokenEvent(record) && spokenEvent(wholeRecord(record, light));
    if (!event) return;
    const wanted = event.text.trim();
    for (let distance = 1; distance <= nearby; distance++) {
      const found = [...(spoken.get(at - distance) ?? []), ...(spoken.get(at + distance) ?? [])]
        .find((item) => !item.used && item.side === event.side && item.texts.some((text) => text.trim() === wanted));
      if (!found) continue;
      found.used = true;
      twins.add(record);
      return;
    }
  });
  return twins;
}

function isSpokenItem({ kind, type, payload: { role } }: CodexRecord): boolean {
  return kind === "response_item" && (type === "reasoning" || ((type === undefined || type === "message") && (role === "user" || role === "assistant")));
}

function spokenItems(record: CodexRecord): Spoken[] {
  const { type, payload } = record;
  if (type === "reasoning") {
    const texts = [...listOf(payload["summary"]), ...listOf(payload["content"])].flatMap((part) => stringOf(member(part, "text")) ?? []);
    return texts.map((text) => ({ side: "reasoning" as const, texts: [text], used: false }));
  }
  const texts = itemTexts(record);
  return [{ side: payload["role"] === "user" ? "user" : "assistant", texts: [...texts, texts.join(""), texts.join("\n")], used: false }];
}
