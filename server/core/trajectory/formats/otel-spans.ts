/** Finds spans in what exporters write: OTLP documents, flat span objects, dumps of an SDK, attribute maps, nested trees. */
import { isObject, member, memberAt, pointerTo } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Place } from "../model";
import { listOf, numberOf, stringOf, wordOf } from "./fields";
import { Attributes, idOfSpan, nanosOf } from "./otel-attributes";

export interface SpanEvent { readonly name: string; readonly attributes: Attributes; readonly body: Json | undefined }

/** One span, ids as hexadecimal digits, times in nanoseconds since 1970. */
export interface Span {
  readonly trace: string | undefined;
  readonly id: string | undefined;
  readonly parent: string | undefined;
  readonly name: string;
  readonly start: bigint | undefined;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  /** What went wrong, where its status or an exception says so. */
  readonly error: string | undefined;
  readonly document: JsonDocument;
  readonly place: Place;
}

/** A value that spans are looked for in, and where it stands. */
export interface SpanHolder { readonly document: JsonDocument; readonly value: Json; readonly place: Place }

/** All spans of a value: of an OTLP document, of a list or tree of spans, or of the one span that it is. */
export function spansIn(holder: SpanHolder): Span[] {
  const { value } = holder;
  if (!isObject(value)) return [];
  const resources = value["resourceSpans"] ?? value["batches"];
  if (Array.isArray(resources)) return resources.flatMap((resource, r) => scopesOf(resource).flatMap(({ spans, keys }) => spansOfList({ ...holder, value: spans, place: inside(holder.place, "resourceSpans" in value ? "resourceSpans" : "batches", r, ...keys) })));
  if (Array.isArray(value["spans"])) return spansOfList({ ...holder, value: value["spans"], place: inside(holder.place, "spans") });
  return isSpan(value) ? [spanOf(holder, value), ...childrenOf(holder, value, 0)] : isAttributeMap(value) ? [spanOf(holder, { attributes: value })] : [];
}

function inside(place: Place, ...keys: (string | number)[]): Place {
  return { ...place, pointer: pointerTo(place.pointer ?? "", ...keys) };
}

function scopesOf(resource: Json): { spans: Json; keys: (string | number)[] }[] {
  return ["scopeSpans", "instrumentationLibrarySpans"].flatMap((name) => listOf(member(resource, name)).map((scope, i) => ({ spans: member(scope, "spans") ?? null, keys: [name, i, "spans"] })));
}

function spansOfList(holder: SpanHolder, depth = 0): Span[] {
  return listOf(holder.value).flatMap((value, index) => {
    if (!isObject(value)) return [];
    const at = { ...holder, value, place: inside(holder.place, index) };
    return [spanOf(at, value), ...childrenOf(at, value, depth)];
  });
}

/** Trees of spans have the inner ones inside the outer. */
function childrenOf(holder: SpanHolder, span: JsonObject, depth: number): Span[] {
  const name = ["child_spans", "children"].find((key) => Array.isArray(span[key]));
  return name === undefined || depth > 200 ? [] : spansOfList({ ...holder, value: span[name]!, place: inside(holder.place, name) }, depth + 1);
}

/** A span object of an exporter: ids in some form, and attributes in some form. */
export function isSpan(value: Json | undefined): value is JsonObject {
  if (!isObject(value)) return false;
  const hasId = ["spanId", "span_id", "spanContext", "_spanContext", "context.span_id"].some((key) => key in value) || isObject(value["context"]);
  return hasId && ("attributes" in value || "span_attributes" in value || "_spanContext" in value || Object.keys(value).some((key) => key.startsWith("attributes.")));
}

const ownNames = /^(gen_ai\.|openinference\.|llm\.|ai\.operationId$|traceloop\.)/;

/** The attributes of one span and nothing else, as test fixtures and some tables have them. */
export function isAttributeMap(value: Json | undefined): boolean {
  return isObject(value) && Object.keys(value).some((key) => ownNames.test(key)) && !("messages" in value);
}

function spanOf({ document, place }: SpanHolder, value: JsonObject): Span {
  const context = value["spanContext"] ?? value["_spanContext"] ?? value["context"];
  const id = (...names: string[]): string | undefined => {
    for (const name of names) {
      const found = idOfSpan(value[name] ?? member(context, name) ?? value[`context.${name}`]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const dotted = Object.entries(value).filter(([key]) => key.startsWith("attributes.")).map(([key, one]): [string, Json] => [key.slice(11), one]);
  const attributes = new Attributes(value["attributes"] ?? value["span_attributes"] ?? Object.fromEntries(dotted));
  const events = listOf(value["events"]).filter(isObject).map((event) => ({ name: stringOf(event["name"]) ?? "", attributes: new Attributes(event["attributes"]), body: event["body"] }));
  return {
    trace: id("traceId", "trace_id"), id: id("spanId", "span_id"),
    parent: idOfSpan(value["parentSpanId"] ?? value["parent_span_id"] ?? value["parent_id"] ?? memberAt(value, "parentSpanContext", "spanId")),
    name: wordOf(value["name"]) ?? wordOf(value["span_name"]) ?? wordOf(value["displayName"]) ?? "span",
    start: nanosOf(value["startTimeUnixNano"] ?? value["startTime"] ?? value["start_time"] ?? value["timestamp"] ?? value["_startTime"]),
    attributes, events, error: errorOf(value, events), document, place,
  };
}

function errorOf(span: JsonObject, events: readonly SpanEvent[]): string | undefined {
  const code = memberAt(span, "status", "code") ?? span["status_code"] ?? memberAt(span, "status", "status_code");
  const failed = numberOf(code) === 2 || /(^|_)error$/i.test(stringOf(code) ?? "");
  const said = wordOf(memberAt(span, "status", "message")) ?? wordOf(memberAt(span, "status", "description")) ?? wordOf(span["status_message"]);
  const exception = events.find((event) => event.name === "exception")?.attributes;
  if (!failed && !exception) return undefined;
  const thrown = [exception?.word("exception.type"), exception?.word("exception.message")].filter((word) => word !== undefined).join(": ");
  return said ?? (thrown === "" ? "error" : thrown);
}
