/** Recorded streams of the Anthropic API (`message_start`, `content_block_delta`, …), put together into the replies they carried. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import { parseJson } from "#core/json/text-document";
import type { Place } from "../model";
import type { SourceDocument } from "../reader";
import { numberOf, stringOf } from "./fields";

/** One event of the stream with its place. */
export interface StreamEvent { value: JsonObject; document: JsonDocument; place: Place }

/** The document of replies that were put together: they were never one JSON text, so it knows none of their objects. */
export const noDocument: JsonDocument = { value: null, notes: [], rawMembers: () => undefined, rawOf: () => undefined, locate: () => undefined };

/** One reply, and where its first event stands. */
export interface StreamedReply { reply: JsonObject; place: Place; isComplete: boolean }

const eventTypes = new Set(["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"]);

export function isStreamEvent(value: Json | undefined): boolean {
  return isObject(value) && typeof value["type"] === "string" && eventTypes.has(value["type"]);
}

/** Events of a JSONL file or of a text with `data:` lines; undefined when the document is neither. */
export function streamEvents(source: SourceDocument, limit?: number): StreamEvent[] | undefined {
  const events: StreamEvent[] = [];
  if (source.kind === "jsonl") {
    for (const line of limit === undefined ? source.lines() : source.firstLines(limit)) if (line.json && isObject(line.json.value)) events.push({ value: line.json.value, document: line.json, place: { line: line.line } });
  } else if (source.kind === "text") {
    source.text().split("\n", limit).forEach((text, index) => {
      const data = /^data:\s*(\{.*\})\s*$/.exec(text)?.[1];
      const document = data === undefined ? undefined : parseJson(data).document;
      if (document && isObject(document.value)) events.push({ value: document.value, document, place: { line: index + 1 } });
    });
  }
  return events.some((event) => isStreamEvent(event.value)) ? events : undefined;
}

/** Puts the replies together. A reply whose end is missing comes back as far as it got. */
export function assembleReplies(events: readonly StreamEvent[]): StreamedReply[] {
  const replies: StreamedReply[] = [];
  let blocks = new Map<number, JsonObject>();
  for (const { value, place } of events) {
    const type = value["type"];
    if (type === "message_start" && isObject(value["message"])) {
      blocks = new Map();
      replies.push({ reply: { ...value["message"], content: [] }, place, isComplete: false });
      continue;
    }
    const current = replies.at(-1);
    if (!current) continue;
    const index = numberOf(value["index"]) ?? 0;
    if (type === "content_block_start" && isObject(value["content_block"])) {
      const block = { ...value["content_block"] };
      blocks.set(index, block);
      (current.reply["content"] as Json[]).push(block);
    } else if (type === "content_block_delta") applyDelta(blocks.get(index), value["delta"]);
    else if (type === "message_delta") {
      if (isObject(value["delta"])) Object.assign(current.reply, value["delta"]);
      if (isObject(value["usage"])) current.reply["usage"] = { ...(isObject(current.reply["usage"]) ? current.reply["usage"] : {}), ...value["usage"] };
    } else if (type === "message_stop") current.isComplete = true;
  }
  return replies;
}

function applyDelta(block: JsonObject | undefined, delta: Json | undefined): void {
  if (!block) return;
  const grow = (key: string, text: Json | undefined): void => {
    const before = stringOf(block[key]) ?? "";
    if (typeof text === "string") block[key] = before + text;
  };
  const type = member(delta, "type");
  if (type === "text_delta") grow("text", member(delta, "text"));
  else if (type === "thinking_delta") grow("thinking", member(delta, "thinking"));
  else if (type === "input_json_delta") grow("input", member(delta, "partial_json"));
}
