/** OpenTelemetry traces of model calls: GenAI and OpenInference conventions, Vercel's AI SDK, as OTLP or as exported spans. */
import { isObject } from "#core/json/access";
import type { Json } from "#core/json/document";
import type { Trajectory } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument } from "../reader";
import { row } from "./fields";
import { nodesOf } from "./otel-nodes";
import { isAttributeMap, isSpan, spansIn, type Span } from "./otel-spans";
import { mostRecords, placeIn, recordsOf } from "./records";
import { openTraces, type Trace } from "./trace-file";

export const otel = defineFormat({
  id: "otel",
  title: "OpenTelemetry GenAI, OpenInference",
  version: 1,
  extensions: [".json", ".jsonl"],
  keeps: "One talk for each trace or conversation, what is new in each model call, runs of tools and retrievers with results and errors, agents below agents as children, tokens, models, times.",
  drops: "Histories that later calls repeat; spans that are neither calls nor tools (counted).",
  sniff,
  open,
});

function sniff(document: SourceDocument): number {
  if (document.kind !== "json" && document.kind !== "jsonl") return 0;
  if (mostRecords(document, isOtlp)) return 0.97;
  if (mostRecords(document, isSpan)) return 0.92;
  return mostRecords(document, isAttributeMap) ? 0.9 : 0;
}

function isOtlp(value: Json): boolean {
  return isObject(value) && (Array.isArray(value["resourceSpans"]) || (Array.isArray(value["batches"]) && value["batches"].some((one) => isObject(one) && ("scopeSpans" in one || "instrumentationLibrarySpans" in one))));
}

function open(document: SourceDocument): OpenedFile {
  const records = recordsOf(document);
  const spans: Span[] = [];
  const warnings = [];
  for (let n = 0; n < records.count; n++) {
    const record = records.at(n)!;
    if (record.problem) warnings.push(record.problem);
    if (record.document && record.value !== undefined) spans.push(...spansIn({ document: record.document, value: record.value, place: placeIn(record) }));
  }
  const single = spans.length === 1 && spans[0]!.trace === undefined && !records.container;
  return openTraces(tracesOf(spans, single), warnings);
}

/** Traces that belong to one conversation are one; a span without a trace is one of its own. */
export function tracesOf(spans: readonly Span[], single = false): Trace[] {
  const conversationOf = new Map<string, string>();
  for (const span of spans) {
    const conversation = span.attributes.word("gen_ai.conversation.id", "session.id");
    if (span.trace !== undefined && conversation !== undefined && !conversationOf.has(span.trace)) conversationOf.set(span.trace, conversation);
  }
  const groups = new Map<string, Span[]>();
  spans.forEach((span, index) => {
    const key = span.trace === undefined ? String(index) : (conversationOf.get(span.trace) ?? span.trace);
    const group = groups.get(key);
    if (group) group.push(span);
    else groups.set(key, [span]);
  });
  return [...groups].map(([key, group]): Trace => ({ recordId: single ? undefined : key, nodes: nodesOf(group), metadata: rowsOf(group) }));
}

/** What the spans say of the whole. */
function rowsOf(spans: readonly Span[]): Trajectory["metadata"] {
  const all = (read: (span: Span) => string | undefined): string => [...new Set(spans.flatMap((span) => read(span) ?? []))].slice(0, 10).join(", ");
  return [
    ...row("trace", all((span) => span.trace)), ...row("conversation", all((span) => span.attributes.word("gen_ai.conversation.id", "session.id"))), ...row("user", all((span) => span.attributes.word("user.id"))),
    ...row("provider", all((span) => span.attributes.word("gen_ai.provider.name", "gen_ai.system", "llm.provider", "ai.model.provider"))), ...row("spans", spans.length),
  ];
}
