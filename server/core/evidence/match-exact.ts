/** All exact places of a quote over many parts: as written, then normalised, then without its wrapping, then in pieces. */

import { cutAtOmissions, layPieces } from "./ellipsis";
import { findByAnyWay, findNormalised, findVerbatim } from "./find-exact";
import type { ExactPlaces } from "./find-exact";
import type { Range } from "./mapped-text";
import { formsOfPart, formsOfQuote } from "./part-forms";
import type { QuotablePart } from "./part-forms";
import type { PlacePiece, QuotePlace } from "./quote-match";

/** Places in reading order, and how many there are when not all are listed. */
export interface ExactMatch {
  readonly places: readonly QuotePlace[];
  readonly count: number;
}

const VERBATIM_SCORE = 1;
const NORMALISED_SCORE = 0.99;
const ELIDED_SCORE = 0.97;

// Pieces of a quote may stand in parts that are at most this far apart.
const PARTS_APART = 8;

/**
 * Exact places of `quote` (not blank) in the first of the `scopes` that has any: first of the whole quote, then of its
 * pieces. Undefined when there is none.
 */
export function matchExact(parts: readonly QuotablePart[], scopes: readonly (readonly number[])[], quote: string): ExactMatch | undefined {
  const inner = unwrap(quote);
  for (const scope of scopes) {
    const found = wholeIn(parts, scope, quote) ?? (inner === undefined ? undefined : wholeIn(parts, scope, inner, true));
    if (found !== undefined) return found;
  }
  for (const scope of scopes) {
    const found = piecesIn(parts, scope, quote) ?? (inner === undefined ? undefined : piecesIn(parts, scope, inner));
    if (found !== undefined) return found;
  }
  return undefined;
}

const WRAPPINGS = ["\"\"", "''", "“”", "‘’", "„“", "«»", "””", "’’"];

/** The quote without an extra pair of quotation marks around it, undefined when it has none. */
export function unwrap(quote: string): string | undefined {
  const trimmed = quote.trim();
  const inner = trimmed.slice(1, -1).trim();
  const ends = trimmed.charAt(0) + trimmed.charAt(trimmed.length - 1);
  return inner !== "" && WRAPPINGS.includes(ends) ? inner : undefined;
}

function wholeIn(parts: readonly QuotablePart[], scope: readonly number[], quote: string, changed = false): ExactMatch | undefined {
  const verbatim = collect(scope, (index) => findVerbatim(quote, parts[index]!.text), changed);
  if (verbatim !== undefined) return verbatim;
  const forms = formsOfQuote(quote);
  return collect(scope, (index) => findNormalised(forms, formsOfPart(parts[index]!), parts[index]!.kind), changed);
}

function collect(scope: readonly number[], find: (index: number) => ExactPlaces, changed: boolean): ExactMatch | undefined {
  const places: QuotePlace[] = [];
  let count = 0;
  for (const partIndex of scope) {
    const found = find(partIndex);
    count += found.count;
    for (const range of found.ranges) places.push(placeOf([{ ...range, partIndex }], found.normalised || changed));
  }
  return places.length > 0 ? { places, count } : undefined;
}

function placeOf(pieces: readonly PlacePiece[], normalised: boolean): QuotePlace {
  if (!normalised) return { pieces, score: VERBATIM_SCORE };
  return { pieces, score: NORMALISED_SCORE, normalised: true };
}

function piecesIn(parts: readonly QuotablePart[], scope: readonly number[], quote: string): ExactMatch | undefined {
  const pieces = cutAtOmissions(quote);
  if (pieces === undefined) return undefined;
  const forms = pieces.map(formsOfQuote);
  const rangesIn = (index: number): Range[][] => forms.map((piece) => findByAnyWay(piece, formsOfPart(parts[index]!), parts[index]!.kind));
  const places: QuotePlace[] = [];
  const ranges = new Map<number, Range[][]>();
  for (const partIndex of scope) {
    const found = rangesIn(partIndex);
    if (found.some((piece) => piece.length > 0)) ranges.set(partIndex, found);
    for (const stretch of layPieces(parts[partIndex]!.text, found)) {
      places.push(elided(parts, stretch.map((range) => ({ partIndex, start: range.start, end: range.end })), pieces));
    }
  }
  if (places.length === 0) {
    const across = acrossParts(ranges, pieces);
    if (across !== undefined) places.push(elided(parts, across, pieces));
  }
  return places.length > 0 ? { places, count: places.length } : undefined;
}

function elided(parts: readonly QuotablePart[], ranges: readonly PlacePiece[], pieces: readonly string[]): QuotePlace {
  const text = ranges.map((piece) => parts[piece.partIndex]!.text.slice(piece.start, piece.end));
  // Pieces that came together again were only written with other dots: nothing is left out.
  if (text.length === 1 && pieces.length > 1) return placeOf(ranges, true);
  const same = text.length === pieces.length && text.every((slice, i) => slice === pieces[i]);
  return { pieces: ranges, score: ELIDED_SCORE, ...(same ? {} : { normalised: true }), elided: true };
}

/** The first way to lay the pieces over several parts in order, each piece of some length and the parts near together. */
function acrossParts(ranges: ReadonlyMap<number, readonly Range[][]>, pieces: readonly string[]): PlacePiece[] | undefined {
  if (pieces.length < 2 || pieces.some((piece) => piece.length < 12)) return undefined;
  for (const [first, found] of ranges) {
    const laid: PlacePiece[] = [];
    let partIndex = first;
    let from = 0;
    for (let i = 0; i < pieces.length && partIndex <= first + PARTS_APART; ) {
      const range = (i === 0 ? found : ranges.get(partIndex))?.[i]?.find((candidate) => candidate.start >= from);
      if (range === undefined) {
        if (i === 0) break;
        partIndex += 1;
        from = 0;
        continue;
      }
      laid.push({ partIndex, start: range.start, end: range.end });
      from = range.end;
      i += 1;
    }
    if (laid.length === pieces.length) return laid;
  }
  return undefined;
}
