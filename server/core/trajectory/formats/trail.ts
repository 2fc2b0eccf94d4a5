/** TRAIL: traces as trees of spans, with the errors that annotators found in them; rows of a data set or traces alone. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import { parseJson } from "#core/json/text-document";
import type { Outcome, Place, Warning } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument } from "../reader";
import { listOf, row, textOf, wordOf } from "./fields";
import { idOfSpan } from "./otel-attributes";
import { spansIn } from "./otel-spans";
import { tracesOf } from "./otel";
import { mostRecords, placeIn, recordsOf, type FileRecord } from "./records";
import { openTraces, type Trace } from "./trace-file";

export const trail = defineFormat({
  id: "trail",
  title: "TRAIL",
  version: 1,
  extensions: [".json", ".jsonl"],
  keeps: "The talk of each trace as for OpenTelemetry; annotated errors with their category, impact, description and evidence, by the step of their span; scores.",
  drops: "As for OpenTelemetry. Annotated errors are no label: they say what went wrong, not that the agent misbehaved.",
  sniff,
  open,
});

function sniff(document: SourceDocument): number {
  return mostRecords(document, (value) => traceIn(value) !== undefined) ? 0.97 : 0;
}

function isTrace(value: Json | undefined): value is JsonObject {
  return isObject(value) && listOf(value["spans"]).some((span) => member(span, "span_attributes") !== undefined);
}

/** The trace of a record: the record itself, or its member `trace` as an object or as JSON text. */
function traceIn(value: Json | undefined): { trace: JsonObject; document?: JsonDocument; key: string } | undefined {
  if (isTrace(value)) return { trace: value, key: "" };
  const inner = member(value, "trace");
  if (isTrace(inner)) return { trace: inner, key: "/trace" };
  const parsed = typeof inner === "string" && inner.includes("span_attributes") ? parseJson(inner).document : undefined;
  return parsed && isTrace(parsed.value) ? { trace: parsed.value, document: parsed, key: "/trace" } : undefined;
}

function open(document: SourceDocument): OpenedFile {
  const records = recordsOf(document);
  const traces: Trace[] = [];
  const warnings: Warning[] = [];
  for (let n = 0; n < records.count; n++) {
    const record = records.at(n)!;
    const found = traceIn(record.value);
    if (!found) warnings.push(record.problem ?? { code: "bad-record", message: `Record ${n} holds no trace with spans; it gives no trajectory.`, ...(record.line === undefined ? {} : { line: record.line }) });
    else traces.push(...tracesIn(record, found, records.container));
  }
  return openTraces(traces, warnings);
}

function tracesIn(record: FileRecord, { trace, document, key }: NonNullable<ReturnType<typeof traceIn>>, isMany: boolean): Trace[] {
  // A place cannot point into JSON that is text: it names the text.
  const place: Place = placeIn(record, key);
  const spans = spansIn({ document: document ?? record.document!, value: trace, place });
  const own = idOfSpan(trace["trace_id"]);
  const named = spans.map((span) => ({ ...span, trace: own ?? span.trace ?? "trace", ...(document ? { place } : {}) }));
  const labels = labelsOf(member(record.value, "labels") ?? trace["labels"]);
  return tracesOf(named).map((one): Trace => ({
    ...one, recordId: isMany ? one.recordId : undefined,
    warnings: labels.problem ? [{ code: "labels-not-read", message: `The labels of the trace are no JSON (${labels.problem}); they are left out.` }] : [],
    ...(labels.value === undefined ? {} : { onSteps: (stepOf) => detailsOf(labels, stepOf) }),
  }));
}

interface Labels { readonly value?: Json; readonly document?: JsonDocument; readonly problem?: string }

function labelsOf(recorded: Json | undefined): Labels {
  if (typeof recorded !== "string") return recorded === undefined || recorded === null ? {} : { value: recorded };
  const parsed = parseJson(recorded);
  return parsed.document ? { value: parsed.document.value, document: parsed.document } : { problem: parsed.problem };
}

const noDocument = parseJson("null").document!;

/** One row for each annotated error, with the step that its span made, and one for each score. */
function detailsOf({ value, document = noDocument }: Labels, stepOf: ReadonlyMap<string, number>): Pick<Outcome, "details"> {
  const errors = listOf(member(value, "errors")).map((error) => {
    const span = wordOf(member(error, "location"));
    const step = span === undefined ? undefined : stepOf.get(idOfSpan(span) ?? span);
    const where = step === undefined ? (span === undefined ? "" : ` (span ${span})`) : ` at step ${step}`;
    const impact = wordOf(member(error, "impact"));
    const words = ["description", "evidence"].flatMap((key) => wordOf(member(error, key)) ?? []);
    return row(`error${where}: ${wordOf(member(error, "category")) ?? "no category"}${impact === undefined ? "" : ` (${impact.toLowerCase()})`}`, words.length > 0 ? words.join("\n") : textOf(document, error));
  });
  const scores = listOf(member(value, "scores")).flatMap((score): [string, Json][] => (isObject(score) ? Object.entries(score) : ([["score", score]] as [string, Json][]))).map(([name, score]) => row(name, textOf(document, score)));
  return { details: [...errors, ...scores].flat() };
}
