/** Puts streamed responses together again: the last whole response where the stream has one, else the items that came. */
import { isObject } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import type { SourceDocument } from "../reader";
import { eventData } from "./chat-stream";
import { numberOf, stringOf } from "./fields";

function isEvent(value: Json | undefined): value is JsonObject {
  return isObject(value) && typeof value["type"] === "string" && /^response\.[a-z_.]+$/.test(value["type"]) && !("payload" in value);
}

/** The events of a file that is a stream's dump (lines, a list, or server-sent events); undefined for other files. */
export function responseEvents(document: SourceDocument, look = Infinity): JsonObject[] | undefined {
  const values = valuesOf(document, look);
  const events = values.filter(isEvent);
  return events.length > 0 && events.length * 2 >= values.length ? events : undefined;
}

function valuesOf(document: SourceDocument, look: number): (Json | undefined)[] {
  if (document.kind === "jsonl") return document.firstLines(look).map((line) => line.json?.value);
  if (document.kind === "text") return eventData(document.text(), look);
  const value = document.kind === "json" ? document.json().value : undefined;
  return Array.isArray(value) ? value.slice(0, look) : [];
}

/** `cut` where the stream ends before the response does. */
export interface StreamedResponse { readonly response: JsonObject; readonly cut: boolean }

/** The responses of a stream, in order. */
export function assembleResponses(events: readonly JsonObject[]): StreamedResponse[] {
  const found: StreamedResponse[] = [];
  let head: JsonObject | undefined;
  let items = new Map<number, JsonObject>();
  const flush = (): void => {
    if (items.size > 0) found.push({ cut: true, response: { object: "response", ...head, output: [...items].sort(([a], [b]) => a - b).map(([, item]) => item) } });
    head = undefined;
    items = new Map();
  };
  for (const event of events) {
    const type = stringOf(event["type"]) ?? "";
    const response = event["response"];
    if (type === "response.created") flush();
    if (isObject(response)) head = response;
    if (/^response\.(completed|incomplete|failed)$/.test(type) && isObject(response)) {
      found.push({ response: { object: "response", ...response, output: Array.isArray(response["output"]) ? response["output"] : [...items.values()] }, cut: false });
      head = undefined;
      items = new Map();
    } else addToItems(items, type, event);
  }
  flush();
  return found;
}

function addToItems(items: Map<number, JsonObject>, type: string, event: JsonObject): void {
  const at = numberOf(event["output_index"]) ?? 0;
  const item = event["item"];
  if (/^response\.output_item\.(added|done)$/.test(type) && isObject(item)) items.set(at, item);
  const delta = stringOf(event["delta"]);
  const grown = items.get(at);
  if (delta === undefined || !grown) return;
  if (type === "response.output_text.delta") items.set(at, { ...grown, content: [{ type: "output_text", text: textSoFar(grown) + delta }] });
  else if (type === "response.function_call_arguments.delta") items.set(at, { ...grown, arguments: (stringOf(grown["arguments"]) ?? "") + delta });
}

function textSoFar(item: JsonObject): string {
  const content = item["content"];
  const first = Array.isArray(content) ? content[0] : undefined;
  return isObject(first) ? (stringOf(first["text"]) ?? "") : "";
}
