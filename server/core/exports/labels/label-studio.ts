/** Labels as tasks of Label Studio: the parts of a trajectory are the paragraphs of a dialogue, each record an annotation. */
import * as z from "zod/mini";
import { CodePoints } from "#core/evidence/code-points";
import { spanFromUtf16, spanToUtf16 } from "#core/evidence/span";
import { LabelValue, LabelRecord, Span } from "#core/workspace/schemas";
import { describeIssues, type FileProblem } from "#core/workspace/file-problem";
import { instantOf } from "#core/labels/instant";
import { PartKind, partIndexOf } from "#core/trajectory/model";
import { defineLabelFormat, parsedJson, type ExportRecord, type ExportSample, type ReadContext, type ReadLabels } from "./define";

/** The labelling configuration that the tasks are made for; it goes into the project's settings in Label Studio. */
export function labelStudioConfig(categories: readonly string[]): string {
  const escape = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
  const list = (tag: string, values: readonly string[]): string => values.map((value) => `    <${tag} value="${escape(value)}"/>`).join("\n");
  return `<View>
  <Choices name="label" toName="trajectory" choice="single">
${list("Choice", LabelValue.options)}
  </Choices>
  <Choices name="categories" toName="trajectory" choice="multiple">
${list("Choice", categories)}
  </Choices>
  <ParagraphLabels name="span" toName="trajectory">
${list("Label", ["evidence", ...categories])}
  </ParagraphLabels>
  <Paragraphs name="trajectory" value="$dialogue" layout="dialogue" nameKey="author" textKey="text"/>
  <TextArea name="note" toName="trajectory" editable="true"/>
</View>
`;
}

const Paragraph = z.looseObject({ author: z.string(), text: z.string(), step: z.int(), part: PartKind, part_index: z.int() });
type Paragraph = z.infer<typeof Paragraph>;

const Region = z.looseObject({ id: z.optional(z.string()), type: z.string(), from_name: z.string(), value: z.looseObject({}) });
const Annotation = z.looseObject({ result: z.array(Region), created_at: z.optional(z.string()), completed_by: z.optional(z.unknown()), was_cancelled: z.optional(z.boolean()), lead_time: z.optional(z.nullable(z.number())) });
type Annotation = z.infer<typeof Annotation>;
const Task = z.looseObject({
  data: z.looseObject({ sample_id: z.string(), dialogue: z.optional(z.array(Paragraph)) }),
  annotations: z.optional(z.array(Annotation)), meta: z.optional(z.nullable(z.looseObject({}))),
});

export const labelStudioFormat = defineLabelFormat({
  id: "label-studio", title: "Label Studio", extension: "json", carriesTrajectories: true,
  write({ records, samples, withText }) {
    const bySample = new Map<string, ExportRecord[]>();
    for (const one of records) bySample.set(one.record.sample_id, [...(bySample.get(one.record.sample_id) ?? []), one]);
    const tasks = [...bySample].map(([id, own]) => taskOf(id, own.map(({ record }) => record), withText ? samples.get(id) : undefined));
    return { text: `${JSON.stringify(tasks, null, 1)}\n`, leftOut: [] };
  },
  read(text, context) {
    const read = parsedJson(text, context.file);
    if ("problem" in read) return { records: [], problems: [read.problem] };
    const tasks: unknown[] = Array.isArray(read.value) ? read.value : [read.value];
    const records: ReadLabels["records"][number][] = [];
    const problems: FileProblem[] = [];
    for (const [at, value] of tasks.entries()) {
      const task = Task.safeParse(value);
      if (task.success) records.push(...recordsOfTask(task.data, at, context, problems).map((record) => ({ record })));
      else problems.push({ file: context.file, code: "bad-record", message: `Task ${at} is not used: ${describeIssues(task.error.issues, value)}.` });
    }
    return { records, problems };
  },
});

function taskOf(id: string, records: readonly LabelRecord[], sample: ExportSample | undefined): Record<string, unknown> {
  const dialogue = sample?.steps?.flatMap((step) => step.parts.map((part, at): Paragraph => ({
    author: [step.role, part.kind === "text" ? undefined : part.kind, part.toolName].filter((word) => word !== undefined).join(" "),
    text: part.text, step: step.index, part: part.kind, part_index: partIndexOf(step, at),
  })));
  return {
    data: { sample_id: id, ...(dialogue ? { dialogue } : {}) },
    annotations: records.filter(({ retracted }) => retracted !== true).map((record) => annotationOf(record, dialogue)),
    // Label Studio keeps this beside the task; it lets records come back as they were.
    meta: { tracemark: records },
  };
}

function annotationOf(record: LabelRecord, dialogue: readonly Paragraph[] | undefined): Record<string, unknown> {
  const time = instantOf(record.created_at);
  const choice = (from: string, key: string, value: Record<string, unknown>) => ({ id: `${record.id}.${key}`, from_name: from, to_name: "trajectory", type: from === "note" ? "textarea" : "choices", value });
  return {
    result: [
      ...(record.label === null ? [] : [choice("label", "label", { choices: [record.label] })]),
      ...(record.categories?.length ? [choice("categories", "categories", { choices: record.categories })] : []),
      ...(record.note ? [choice("note", "note", { text: [record.note] })] : []),
      ...(record.spans ?? []).flatMap((span, at) => regionOf(span, `${record.id}.span${at}`, dialogue)),
    ],
    was_cancelled: record.skipped === true, ground_truth: record.adjudicates !== undefined,
    ...(time === undefined ? {} : { created_at: new Date(time).toISOString() }),
    ...(record.seconds === undefined ? {} : { lead_time: record.seconds }),
  };
}

/** A region needs its paragraph; without text there is none. Offsets there count UTF-16 units. */
function regionOf(span: Span, id: string, dialogue: readonly Paragraph[] | undefined): Record<string, unknown>[] {
  const at = dialogue?.findIndex((one) => one.step === span.step && one.part === span.part && one.part_index === span.part_index) ?? -1;
  const paragraph = dialogue?.[at];
  const range = paragraph && spanToUtf16(paragraph.text, span);
  if (!paragraph || !range) return [];
  return [{
    id, from_name: "span", to_name: "trajectory", type: "paragraphlabels",
    value: { start: String(at), end: String(at), startOffset: range.start, endOffset: range.end, text: span.exact, paragraphlabels: [span.category ?? "evidence"] },
  }];
}

/** Records of a task: those that it carries, and what was changed or added in Label Studio as new records. */
function recordsOfTask(task: z.infer<typeof Task>, at: number, context: ReadContext, problems: FileProblem[]): LabelRecord[] {
  const carried: LabelRecord[] = [];
  const inside = task.meta?.["tracemark"];
  for (const value of Array.isArray(inside) ? (inside as unknown[]) : []) {
    const parsed = LabelRecord.safeParse(value);
    if (parsed.success) carried.push(parsed.data);
    else problems.push({ file: context.file, code: "bad-record", message: `A record that task ${at} carries is not used: ${describeIssues(parsed.error.issues, value)}.` });
  }
  const known = new Map(carried.map((record) => [record.id, record]));
  const dialogue = task.data.dialogue ?? [];
  const added = (task.annotations ?? []).flatMap((annotation): LabelRecord[] => {
    const before = annotation.result.map(({ id }) => known.get(id?.replace(/\.(label|categories|note|span\d+)$/, "") ?? "")).find((one) => one !== undefined);
    if (annotation.result.length === 0 || (before && isUnchanged(annotation, before, dialogue))) return [];
    const made = newRecord(annotation, before, task.data.sample_id, dialogue, context);
    if (typeof made !== "string") return [made];
    problems.push({ file: context.file, code: "bad-record", message: `An annotation of task ${at} is not used: ${made}.` });
    return [];
  });
  return [...carried, ...added];
}

function isUnchanged(annotation: Annotation, record: LabelRecord, dialogue: readonly Paragraph[]): boolean {
  const bare = (value: unknown): string => JSON.stringify(value);
  const regions = (result: Annotation["result"]): string => bare(result.map(({ from_name, value }) => {
    const { text: _text, ...rest } = value as Record<string, unknown>;
    return [from_name, from_name === "note" ? value : rest];
  }).sort((a, b) => (bare(a) < bare(b) ? -1 : 1)));
  return regions(annotation.result) === regions((annotationOf(record, dialogue) as { result: Annotation["result"] }).result);
}

/** A record made in Label Studio, or what keeps it from being one in words. Its id hangs on its content, so that reading twice adds nothing. */
function newRecord(annotation: Annotation, before: LabelRecord | undefined, sampleId: string, dialogue: readonly Paragraph[], context: ReadContext): LabelRecord | string {
  const who = context.annotator ?? nameOf(annotation.completed_by) ?? before?.annotator;
  if (who === undefined) return "it names nobody; say whose labels these are (--annotator)";
  const valuesOf = (name: string, key: string): string[] => annotation.result.filter((one) => one.from_name === name).flatMap(({ value }) => {
    const list = (value as Record<string, unknown>)[key];
    return Array.isArray(list) ? list.map(String) : [];
  });
  const [chosen] = valuesOf("label", "choices");
  const label = chosen === undefined ? { success: true as const, data: null } : LabelValue.safeParse(chosen);
  if (!label.success) return `its label is ${String(chosen).slice(0, 40)}, which is none of ${LabelValue.options.join(", ")}`;
  const spans: Span[] = [];
  for (const { type, value } of annotation.result) {
    if (type !== "paragraphlabels") continue;
    const found = spanOfRegion(value as Record<string, unknown>, dialogue);
    if (!found) return "one of its regions does not lie within one part of the trajectory";
    spans.push(found);
  }
  const categories = valuesOf("categories", "choices");
  const note = valuesOf("note", "text").join("\n");
  const content = {
    sample_id: sampleId, annotator: who, created_at: annotation.created_at ?? "1970-01-01T00:00:00Z", label: label.data,
    ...(categories.length > 0 ? { categories } : {}), ...(spans.length > 0 ? { spans } : {}), ...(note === "" ? {} : { note }),
    blind: false, seen: [], ...(before && before.annotator === who ? { supersedes: before.id } : {}),
    ...(typeof annotation.lead_time === "number" ? { seconds: annotation.lead_time } : {}),
  };
  return { id: `label-studio-${context.sha256(JSON.stringify(content)).slice(0, 24)}`, ...content };
}

function nameOf(completedBy: unknown): string | undefined {
  if (typeof completedBy === "object" && completedBy !== null) {
    const { email, username } = completedBy as Record<string, unknown>;
    return typeof email === "string" ? email : typeof username === "string" ? username : undefined;
  }
  return typeof completedBy === "number" || (typeof completedBy === "string" && completedBy !== "") ? `label-studio-${completedBy}` : undefined;
}

function spanOfRegion(value: Record<string, unknown>, dialogue: readonly Paragraph[]): Span | undefined {
  const { start, end, startOffset, endOffset, paragraphlabels } = value;
  const paragraph = dialogue[Number(start)];
  if (!paragraph || String(start) !== String(end) || typeof startOffset !== "number" || typeof endOffset !== "number") return undefined;
  try {
    const span = spanFromUtf16(paragraph.text, { start: startOffset, end: endOffset }, paragraph, new CodePoints(paragraph.text));
    const category = Array.isArray(paragraphlabels) && paragraphlabels[0] !== "evidence" ? String(paragraphlabels[0]) : undefined;
    return { ...span, ...(category === undefined ? {} : { category }) };
  } catch {
    return undefined;
  }
}
