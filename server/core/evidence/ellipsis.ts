/**
 * Quotes with an omission: where the marks of omission stand, and how places of the pieces are put together in the
 * order of the quote, over the shortest stretch.
 */

import type { Range } from "./mapped-text";

// [...] […] [..] (...) … ... and two dots that stand alone.
const OMISSION = /\[ ?(?:\.{2,}|…) ?\]|\( ?(?:\.{3,}|…) ?\)|\.{3,}|…+|(?<=\s)\.\.(?=\s|$)/;

// A quote with more pieces than this is not looked for in pieces.
const MOST_PIECES = 40;

// What a piece may be made of to count as nothing: the full stop or quotation mark behind an omission.
const NOTHING = /^[\s.,;:!?'"\u2018-\u201f]*$/;

/**
 * The pieces of a quote between its marks of omission, in order. Undefined when it has no such mark, or when no piece has
 * a letter or digit.
 */
export function cutAtOmissions(quote: string): readonly string[] | undefined {
  const pieces = quote.split(OMISSION);
  if (pieces.length < 2 || pieces.length > MOST_PIECES) return undefined;
  const telling = pieces.map((piece) => piece.trim()).filter((piece) => !NOTHING.test(piece));
  return telling.some((piece) => /[\p{L}\p{N}]/u.test(piece)) ? telling : undefined;
}

/** One way to lay all pieces of a quote over a text. */
export type Stretch = readonly Range[];

/**
 * The shortest stretches that hold a place of every piece (`pieces`: the places of each, in order) in order: for each place of the last piece the nearest
 * places before it, and of stretches that begin at one place the shortest. Those much longer than the shortest are
 * dropped, since they bridge text that nobody leaves out while the other stretch is there.
 */
export function layPieces(text: string, pieces: readonly (readonly Range[])[]): Stretch[] {
  if (pieces.length === 0 || pieces.some((piece) => piece.length === 0)) return [];
  const whole = pieces.map((piece) => preferWholeWords(text, piece));
  const byStart = new Map<number, Stretch>();
  for (const end of whole[whole.length - 1]!) {
    const stretch = backFrom(whole, end);
    if (stretch === undefined) continue;
    const start = stretch[0]!.start;
    if (!byStart.has(start)) byStart.set(start, stretch);
  }
  const found = [...byStart.values()];
  const shortest = found.reduce((least, stretch) => Math.min(least, lengthOf(stretch)), Infinity);
  return found.filter((stretch) => lengthOf(stretch) <= 2 * shortest + 200).map((stretch) => joinTouching(text, stretch));
}

function backFrom(pieces: readonly (readonly Range[])[], end: Range): Stretch | undefined {
  const stretch = [end];
  let limit = end.start;
  for (let i = pieces.length - 2; i >= 0; i -= 1) {
    const range = lastEndingBy(pieces[i]!, limit);
    if (range === undefined) return undefined;
    stretch.unshift(range);
    limit = range.start;
  }
  return stretch;
}

/** The last range that ends at or before `limit`; ranges are in order and do not overlap. */
function lastEndingBy(ranges: readonly Range[], limit: number): Range | undefined {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]!.end <= limit) low = middle + 1;
    else high = middle;
  }
  return ranges[low - 1];
}

function lengthOf(stretch: Stretch): number {
  return stretch[stretch.length - 1]!.end - stretch[0]!.start;
}

const WORD = /[\p{L}\p{N}_]/u;

/** Whether a range of a text begins and ends at the edge of a word. */
export function isWholeWords(text: string, range: Range): boolean {
  const cutsStart = WORD.test(text.charAt(range.start)) && WORD.test(text.charAt(range.start - 1));
  const cutsEnd = WORD.test(text.charAt(range.end - 1)) && WORD.test(text.charAt(range.end));
  return !cutsStart && !cutsEnd;
}

function preferWholeWords(text: string, ranges: readonly Range[]): readonly Range[] {
  const whole = ranges.filter((range) => isWholeWords(text, range));
  return whole.length > 0 ? whole : ranges;
}

/** Pieces with nothing but white space and the text's own dots between them were not cut: one piece. */
function joinTouching(text: string, stretch: Stretch): Stretch {
  const joined: Range[] = [];
  for (const range of stretch) {
    const before = joined[joined.length - 1];
    if (before !== undefined && /^[\s.…]*$/.test(text.slice(before.end, Math.min(range.start, before.end + 20))) && range.start - before.end < 20) {
      joined[joined.length - 1] = { start: before.start, end: range.end };
    } else joined.push(range);
  }
  return joined;
}
