/** Between the label state in memory (UTF-16 offsets in a part) and the record on disk (code points, W3C quote and position in one). */
import { partIndexOf, partPosition, type Step } from "#core/trajectory/model";
import type { LabelRecord, Span } from "#core/workspace/schemas";
import { codePointToUtf16, codePointsBetween } from "./code-points";
import { emptyLabelState, type LabelState, type ViewSpan } from "./state";

/** The step with this index as far as its text is at hand; undefined where it is not. */
export type StepSource = (index: number) => Pick<Step, "parts"> | undefined;

/** Everything of a record that is not in the label state. */
export type RecordFrame = Pick<LabelRecord,
  | "id" | "sample_id" | "content_sha256" | "file_sha256" | "reader" | "annotator" | "created_at" | "fields" | "blind" | "seen" | "run_id"
  | "action" | "plan_id" | "guideline_sha256" | "supersedes" | "retracted" | "adjudicates" | "seconds"
>;

/** UTF-16 units of text kept on either side of a span, so that it can be found again. */
const contextLength = 32;

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
  if (!step || !part || part.text.slice(view.start, view.end) !== view.exact) return undefined;
  const { text } = part;
  const from = wholeStart(text, view.start);
  const to = wholeEnd(text, view.end);
  const start = codePointsBetween(text, 0, from);
  return {
    step: view.step, part: part.kind, part_index: partIndexOf(step, view.part),
    start, end: start + codePointsBetween(text, from, to), exact: text.slice(from, to),
    prefix: text.slice(wholeStart(text, Math.max(0, from - contextLength)), from),
    suffix: text.slice(to, wholeEnd(text, Math.min(text.length, to + contextLength))),
    ...(view.category === undefined ? {} : { category: view.category }),
    ...(view.note === undefined ? {} : { note: view.note }),
    origin: view.origin,
  };
}

/** What a record on disk gives in memory. `lost` are spans whose text does not stand where they say: shown, never drawn. */
export interface ReadState {
  readonly state: LabelState;
  readonly lost: readonly Span[];
  /** Spans whose exact words were found once elsewhere in the same part and moved there. */
  readonly moved: readonly string[];
}

/**
 * The state that a record stands for; a retraction is the empty state. Span ids are `RECORD_ID/INDEX`, so that reading twice
 * gives the same state. A span whose slice is not `exact` moves to the one place in its part where `exact` stands with its
 * prefix or suffix (or to the only place at all); else it is lost.
 */
export function stateFromRecord(record: LabelRecord, steps: StepSource): ReadState {
  if (record.retracted) return { state: emptyLabelState, lost: [], moved: [] };
  const spans: ViewSpan[] = [];
  const lost: Span[] = [];
  const moved: string[] = [];
  for (const [index, span] of (record.spans ?? []).entries()) {
    const id = `${record.id}/${index}`;
    const found = spanFromDisk(span, id, steps);
    if (!found) {
      lost.push(span);
      continue;
    }
    spans.push(found.span);
    if (found.moved) moved.push(id);
  }
  return { state: { label: record.label, categories: record.categories ?? [], note: record.note ?? "", spans }, lost, moved };
}

/** Reads one span with the id given; undefined when its words do not stand in its part. */
export function spanFromDisk(span: Span, id: string, steps: StepSource): { span: ViewSpan; moved: boolean } | undefined {
  const step = steps(span.step);
  const position = step ? partPosition(step, span.part, span.part_index) : -1;
  const text = step?.parts[position]?.text;
  if (text === undefined) return undefined;
  let start = codePointToUtf16(text, span.start);
  let moved = false;
  if (!sliceFits(text, start, span)) {
    start = newPlace(text, span);
    moved = true;
  }
  if (start < 0) return undefined;
  return {
    moved,
    span: {
      id, step: span.step, part: position, start, end: start + span.exact.length, exact: span.exact,
      ...(span.category === undefined ? {} : { category: span.category }),
      ...(span.note === undefined ? {} : { note: span.note }),
      origin: span.origin ?? "own",
    },
  };
}

/** Whether `exact` is the slice that `start` and `end` (code points) say, given `start` in UTF-16 units (-1: past the end). */
function sliceFits(text: string, start: number, span: Span): boolean {
  return start >= 0 && text.startsWith(span.exact, start) && codePointsBetween(text, start, start + span.exact.length) === span.end - span.start;
}

/** UTF-16 offset of the one place where `exact` stands: with both contexts, with one of them, or at all; -1 when not unique. */
function newPlace(text: string, span: Span): number {
  if (span.exact === "") return -1;
  const places: number[] = [];
  for (let at = text.indexOf(span.exact); at >= 0 && places.length < 1000; at = text.indexOf(span.exact, at + 1)) places.push(at);
  if (places.length <= 1) return places[0] ?? -1;
  const before = (at: number): boolean => span.prefix !== "" && at >= span.prefix.length && text.startsWith(span.prefix, at - span.prefix.length);
  const after = (at: number): boolean => span.suffix !== "" && text.startsWith(span.suffix, at + span.exact.length);
  for (const fits of [(at: number) => before(at) && after(at), (at: number) => before(at) || after(at)]) {
    const fitting = places.filter(fits);
    if (fitting.length === 1) return fitting[0] ?? -1;
    if (fitting.length > 1) return -1;
  }
  return -1;
}

/** The offset itself, or one before it where it would cut a surrogate pair. */
function wholeStart(text: string, at: number): number {
  return at > 0 && isLow(text, at) && isHigh(text, at - 1) ? at - 1 : at;
}

/** The offset itself, or one behind it where it would cut a surrogate pair. */
function wholeEnd(text: string, at: number): number {
  return at < text.length && isLow(text, at) && isHigh(text, at - 1) ? at + 1 : at;
}

function isHigh(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

function isLow(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
