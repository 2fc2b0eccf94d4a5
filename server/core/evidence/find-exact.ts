/**
 * Looks for a quote as it was written, then with the differences that do not matter undone on both sides, from the
 * slightest to the strongest. The first way that finds anything is the answer, so text that has the quote character for
 * character is never mixed with text that only resembles it.
 */

import type { MappedText, Range } from "./mapped-text";
import { Form, hasMarks } from "./part-forms";
import type { PartKind, TextForms } from "./part-forms";

/** Places of one quote in one part, in order, as recorded UTF-16 ranges. */
export interface ExactPlaces {
  readonly ranges: readonly Range[];
  /** All that were counted; larger than `ranges.length` when there are too many to list. */
  readonly count: number;
}

/** At most so many places of one quote in one part are listed; of a piece of a quote, looked at. */
export const LISTED_PLACES = 500;
const LISTED_OF_PIECE = 5_000;
/** Counting stops here. */
export const COUNTED_PLACES = 10_000;

interface Way {
  readonly quote: number;
  readonly text: number;
}

const NOTHING: ExactPlaces = { ranges: [], count: 0 };

/** All ways, slightest first. Escapes are undone in the quote, in the text, and in both. */
function waysFor(quote: TextForms, text: TextForms, kind: PartKind): Way[] {
  const ways: Way[] = [];
  const more = Form.JSON_SPACE | (hasMarks(kind) ? Form.MARKS : 0);
  for (const [q, t] of [[0, 0], [Form.UNESCAPE, 0], [0, Form.UNESCAPE], [Form.UNESCAPE, Form.UNESCAPE]] as const) {
    if ((q !== 0 && !quote.mayHaveEscapes) || (t !== 0 && !text.mayHaveEscapes)) continue;
    ways.push({ quote: q | Form.FOLD, text: t | Form.FOLD }, { quote: q | Form.FOLD | more, text: t | Form.FOLD | more });
  }
  return ways;
}

/**
 * Every place of `quote` in `text` up to the differences of the contract's `exact`, by the first way that finds one.
 * Places never overlap and never cut a surrogate pair.
 */
export function findNormalised(quote: TextForms, text: TextForms, kind: PartKind): ExactPlaces {
  for (const found of eachWay(quote, text, kind)) if (found.count > 0) return found;
  return NOTHING;
}

/** The places that any way finds, verbatim ones too, in order and without overlaps: for pieces of a quote. */
export function findByAnyWay(quote: TextForms, text: TextForms, kind: PartKind): Range[] {
  const ranges = [...findAll(text.recorded, quote.recorded, LISTED_OF_PIECE).ranges];
  for (const found of eachWay(quote, text, kind, LISTED_OF_PIECE)) for (const range of found.ranges) ranges.push(range);
  return withoutOverlaps(ranges);
}

/** Ranges in order; of two that overlap the one that begins first stays. */
export function withoutOverlaps(ranges: Range[]): Range[] {
  ranges.sort((a, b) => a.start - b.start || a.end - b.end);
  const kept: Range[] = [];
  for (const range of ranges) if (range.start >= (kept[kept.length - 1]?.end ?? 0)) kept.push(range);
  return kept;
}

function* eachWay(quote: TextForms, text: TextForms, kind: PartKind, listed = LISTED_PLACES): Generator<ExactPlaces> {
  const tried: { form: MappedText; wanted: string }[] = [];
  for (const way of waysFor(quote, text, kind)) {
    const wanted = quote.form(way.quote).text.trim();
    const form = text.form(way.text);
    if (wanted === "" || tried.some((before) => before.form === form && before.wanted === wanted)) continue;
    tried.push({ form, wanted });
    const found = findAll(form.text, wanted, listed);
    if (found.count === 0) continue;
    let ranges = found.ranges.map((range) => form.toSource(range.start, range.end));
    if (dropsMarks(quote, way)) ranges = ranges.filter((range) => mayAddMarks(quote.recorded.trim(), text, range));
    ranges = ranges.filter((range) => !cutsPair(text.recorded, range.start) && !cutsPair(text.recorded, range.end));
    const unlisted = found.count - found.ranges.length;
    if (ranges.length > 0) yield { ranges, count: ranges.length + unlisted };
  }
}

/** Whether this way drops marks of the quote. */
function dropsMarks(quote: TextForms, way: Way): boolean {
  return (way.quote & Form.MARKS) !== 0 && quote.form(way.quote).text !== quote.form(way.quote & ~Form.MARKS).text;
}

/**
 * Whether marks that were dropped from a quote can be none of the text's here: not in code, and, where the quote begins
 * or ends with a mark, not inside a word and not beside a mark of the text's own that is in no pair.
 */
function mayAddMarks(quote: string, text: TextForms, range: Range): boolean {
  const { code, marks } = text.markdown();
  if (overlaps(code, range)) return false;
  const fits = (mark: string, inside: number, outside: number): boolean => {
    if (!"*_~`".includes(mark)) return true;
    const beside = text.recorded.charAt(outside);
    if (beside === mark) return overlaps(marks, { start: outside, end: outside + 1 });
    return !(WORD.test(beside) && WORD.test(text.recorded.charAt(inside)));
  };
  return fits(quote.charAt(0), range.start, range.start - 1) && fits(quote.charAt(quote.length - 1), range.end - 1, range.end);
}

const WORD = /[\p{L}\p{N}_]/u;

function overlaps(ranges: readonly Range[], range: Range): boolean {
  return ranges.some((other) => other.start < range.end && range.start < other.end);
}

/**
 * Every place where `text` has `wanted` (not empty) character for character, not overlapping, listed and counted up to
 * the bounds above.
 */
export function findAll(text: string, wanted: string, listed = LISTED_PLACES): ExactPlaces {
  const first = text.indexOf(wanted);
  if (first < 0) return NOTHING;
  const ranges: Range[] = [];
  let count = 0;
  for (let at = first; at >= 0 && count < COUNTED_PLACES; at = text.indexOf(wanted, at + wanted.length)) {
    const end = at + wanted.length;
    if (cutsPair(text, at) || cutsPair(text, end)) continue;
    count += 1;
    if (ranges.length < listed) ranges.push({ start: at, end });
  }
  return { ranges, count };
}

/** Whether `offset` lies between the two halves of a surrogate pair. */
export function cutsPair(text: string, offset: number): boolean {
  if (offset <= 0 || offset >= text.length) return false;
  const before = text.charCodeAt(offset - 1);
  const after = text.charCodeAt(offset);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
