/** Between the label state in memory (UTF-16 offsets in a part) and the record on disk (code points, W3C quote and position in one). */
import { resolveSpan, type Resolution } from "#core/evidence/resolve-span";
import { spanFromUtf16, spanToUtf16 } from "#core/evidence/span";
import { partIndexOf, partPosition, type Step } from "#core/trajectory/model";
import type { LabelRecord, Span } from "#core/workspace/schemas";
import { emptyLabelState, type LabelState, type ViewSpan } from "./state";

/** The step with this index as far as its text is at hand; undefined where it is not. */
export type StepSource = (index: number) => Pick<Step, "parts"> | undefined;

/** Everything of a record that is not in the label state. */
export type RecordFrame = Pick<LabelRecord,
  | "id" | "sample_id" | "content_sha256" | "file_sha256" | "reader" | "annotator" | "created_at" | "fields" | "blind" | "seen" | "run_id"
  | "action" | "plan_id" | "guideline_sha256" | "supersedes" | "retracted" | "adjudicates" | "seconds" | "quick" | "check" | "skipped"
  | "guideline_quote" | "orphaned_spans" | "relinked_from"
>;

/**
 * The record of a state. Empty categories, spans and note are left out. `unsaved` lists spans whose slice is not `exact`,
 * or whose step is not at hand: they must not reach the disk, so a caller stops when it is not empty.
 */
export function recordFromState(state: LabelState, frame: RecordFrame, steps: StepSource): { record: LabelRecord; unsaved: ViewSpan[] } {
  const spans: Span[] = [];
  const unsaved: ViewSpan[] = [];
  for (const view of state.spans) {
    const span = spanToDisk(view, steps);
    if (span) spans.push(span);
    else unsaved.push(view);
  }
  const record: LabelRecord = {
    ...frame,
    label: state.label,
    ...(state.categories.length > 0 ? { categories: state.categories } : {}),
    ...(spans.length > 0 ? { spans } : {}),
    ...(state.note !== "" ? { note: state.note } : {}),
  };
  return { record, unsaved };
}

/**
 * A span as it is written, or undefined when the slice of its part is not `exact` or the part is not at hand. An end that
 * cuts a surrogate pair, which code points cannot say, takes the whole pair in.
 */
export function spanToDisk(view: ViewSpan, steps: StepSource): Span | undefined {
  const step = steps(view.step);
  const part = step?.parts[view.part];
  if (!step || !part || view.exact === "" || part.text.slice(view.start, view.end) !== view.exact) return undefined;
  return {
    ...spanFromUtf16(part.text, view, { step: view.step, part: part.kind, part_index: partIndexOf(step, view.part) }),
    ...(view.category === undefined ? {} : { category: view.category }),
    ...(view.note === undefined ? {} : { note: view.note }),
    origin: view.origin,
    ...(view.moved ? { moved: true } : {}),
  };
}

/** What a record on disk gives in memory. `lost` are spans whose text is not in their part any more: shown, never drawn. */
export interface ReadState {
  readonly state: LabelState;
  readonly lost: readonly Span[];
  /** Ids of spans that do not stand where they say, with how they were found again in their part. */
  readonly moved: readonly { readonly id: string; readonly how: MovedHow }[];
}

export type MovedHow = Exclude<Resolution["state"], "exact" | "orphan">;

/**
 * The state that a record stands for; a retraction is the empty state. Span ids are `RECORD_ID/INDEX`, so that reading twice
 * gives the same state. A span whose slice is not `exact` is looked for in its part (`exact` in memory is then the text
 * found there); one that is not found is lost.
 */
export function stateFromRecord(record: LabelRecord, steps: StepSource): ReadState {
  if (record.retracted) return { state: emptyLabelState, lost: [], moved: [] };
  const spans: ViewSpan[] = [];
  const lost: Span[] = [];
  const moved: { id: string; how: MovedHow }[] = [];
  for (const [index, span] of (record.spans ?? []).entries()) {
    const id = `${record.id}/${index}`;
    const found = spanFromDisk(span, id, steps);
    if (!found) {
      lost.push(span);
      continue;
    }
    spans.push(found.span);
    if (found.how !== "exact") moved.push({ id, how: found.how });
  }
  return { state: { label: record.label, categories: record.categories ?? [], note: record.note ?? "", spans, ...fieldsOf(record) }, lost, moved };
}

function fieldsOf({ fields }: LabelRecord): Pick<LabelState, "fields"> {
  return fields === undefined || Object.keys(fields).length === 0 ? {} : { fields };
}

/** Reads one span with the id given; undefined when its words are not in its part. Offsets come back in UTF-16 units. */
export function spanFromDisk(span: Span, id: string, steps: StepSource): { span: ViewSpan; how: "exact" | MovedHow } | undefined {
  const step = steps(span.step);
  const position = step ? partPosition(step, span.part, span.part_index) : -1;
  const part = step?.parts[position];
  if (!part) return undefined;
  const resolution = withoutText(span) ? byOffsets(part.text, span) : resolveSpan(part, span);
  if (resolution.state === "orphan") return undefined;
  const { start, end } = resolution.range;
  return {
    how: resolution.state,
    span: {
      id, step: span.step, part: position, start, end, exact: part.text.slice(start, end),
      ...(span.category === undefined ? {} : { category: span.category }),
      ...(span.note === undefined ? {} : { note: span.note }),
      origin: span.origin ?? "own",
      ...(span.moved ? { moved: true } : {}),
    },
  };
}

/** Spans exported without text carry only their offsets and say so. */
export function withoutText(span: Span): boolean {
  return span["text_removed"] === true && span.exact === "";
}

function byOffsets(text: string, span: Span): Resolution {
  const range = spanToUtf16(text, span);
  return range && range.end > range.start ? { state: "exact", range, score: 1 } : { state: "orphan" };
}
