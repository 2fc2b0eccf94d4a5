/** Spans as they stand on disk: a text quote and a text position in one, in code points of one part's text. */

import { CodePoints } from "./code-points";
import { cutsPair } from "./find-exact";
import type { Range } from "./mapped-text";
import type { PartKind } from "./part-forms";

/** Which part of a trajectory a span lies in. `part_index` counts the parts of that kind in the step, from 0. */
export interface PartAddress {
  readonly step: number;
  readonly part: PartKind;
  readonly part_index: number;
}

/**
 * A span of the contract. `start` and `end` count code points of the part's text (a lone surrogate counts one), end
 * exclusive; `exact` equals the slice; `prefix` and `suffix` are what stands directly before and after.
 */
export interface Span extends PartAddress {
  readonly start: number;
  readonly end: number;
  readonly exact: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly category?: string;
  readonly note?: string;
  readonly origin?: "own" | "adopted";
}

/** What is wrong with a span against a text. */
export interface SpanProblem {
  readonly code: "not-a-range" | "beyond-the-text" | "other-text";
  readonly message: string;
}

// Code points of context on each side.
const CONTEXT = 32;

/**
 * The span of a UTF-16 range of `text`; a range that cuts a surrogate pair is widened to hold it. Throws `RangeError`
 * when the range is empty or does not lie in the text. `points`, of the same text, saves counting it again.
 */
export function spanFromUtf16(text: string, range: Range, address: PartAddress, points: CodePoints = new CodePoints(text)): Span {
  const start = cutsPair(text, range.start) ? range.start - 1 : range.start;
  const end = cutsPair(text, range.end) ? range.end + 1 : range.end;
  if (!(Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start < end && end <= text.length)) {
    throw new RangeError(`no span at ${range.start} to ${range.end} of a text of ${text.length} UTF-16 units`);
  }
  const from = points.fromUtf16(start);
  const to = points.fromUtf16(end);
  return {
    step: address.step,
    part: address.part,
    part_index: address.part_index,
    start: from,
    end: to,
    exact: text.slice(start, end),
    prefix: text.slice(points.toUtf16(Math.max(0, from - CONTEXT)), start),
    suffix: text.slice(end, points.toUtf16(Math.min(points.length, to + CONTEXT))),
  };
}

/** The UTF-16 range of a span's offsets in `text`, undefined when they do not lie in it. The words are not compared. */
export function spanToUtf16(text: string, span: { readonly start: number; readonly end: number }, points: CodePoints = new CodePoints(text)): Range | undefined {
  const { start, end } = span;
  if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || start > end || end > points.length) return undefined;
  return { start: points.toUtf16(start), end: points.toUtf16(end) };
}

/** Compares a span with the text it is said to be of: undefined when `exact` is the slice, else what is wrong. */
export function checkSpan(text: string, span: Pick<Span, "start" | "end" | "exact">, points: CodePoints = new CodePoints(text)): SpanProblem | undefined {
  const { start, end, exact } = span;
  if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || end <= start) {
    return { code: "not-a-range", message: `a span from ${start} to ${end} is no range of code points` };
  }
  const range = spanToUtf16(text, span, points);
  if (range === undefined) {
    return { code: "beyond-the-text", message: `a span from ${start} to ${end} ends beyond a text of ${points.length} code points` };
  }
  if (text.slice(range.start, range.end) !== exact) {
    return { code: "other-text", message: `the text from ${start} to ${end} is not what the span quotes` };
  }
  return undefined;
}
