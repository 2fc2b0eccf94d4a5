/** All exact places of a quote over many parts: as written, then normalised, then without its wrapping, then in pieces. */

import { cutAtOmissions, layPieces } from "./ellipsis";
import { findAll, findByAnyWay, findNormalised } from "./find-exact";
import type { ExactPlaces } from "./find-exact";
import type { Range } from "./mapped-text";
import { formsOfPart, formsOfQuote } from "./part-forms";
import type { QuotablePart } from "./part-forms";
import type { PlacePiece, QuotePlace } from "./quote-match";
import type { Scope, View } from "./views";

/** Places in reading order, and how many there are when not all are listed. */
export interface ExactMatch {
  readonly places: readonly QuotePlace[];
  readonly count: number;
}

const VERBATIM_SCORE = 1;
const NORMALISED_SCORE = 0.99;
const ELIDED_SCORE = 0.97;

// Pieces of a quote of at least such a length may stand in different parts, at most this far apart.
const SHORTEST_ACROSS = 12;
const VIEWS_APART = 8;

/**
 * Exact places of `quote` (not blank) in the first of the `scopes` that has any: first of the whole quote, then of its
 * pieces. Undefined when there is none.
 */
export function matchExact(parts: readonly QuotablePart[], scopes: readonly Scope[], quote: string): ExactMatch | undefined {
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

function wholeIn(parts: readonly QuotablePart[], scope: Scope, quote: string, changed = false): ExactMatch | undefined {
  const verbatim = new Places();
  for (const partIndex of scope.partIndices) {
    const part = parts[partIndex]!;
    verbatim.add({ partIndex, offset: 0, part }, findAll(part.text, quote), changed);
  }
  if (verbatim.count > 0) return verbatim;
  const forms = formsOfQuote(quote);
  const normalised = new Places();
  for (const view of scope.views) normalised.add(view, findNormalised(forms, formsOfPart(view.part), view.part.kind), true);
  return normalised.count > 0 ? normalised : undefined;
}

class Places implements ExactMatch {
  readonly places: QuotePlace[] = [];
  count = 0;

  add(view: View, found: ExactPlaces, normalised: boolean): void {
    this.count += found.count;
    for (const range of found.ranges) this.places.push(placeOf([pieceOf(view, range)], normalised));
  }
}

/** A range of a view's text as a piece of its part. */
export function pieceOf(view: View, range: Range): PlacePiece {
  return { partIndex: view.partIndex, start: view.offset + range.start, end: view.offset + range.end };
}

function placeOf(pieces: readonly PlacePiece[], normalised: boolean): QuotePlace {
  if (!normalised) return { pieces, score: VERBATIM_SCORE };
  return { pieces, score: NORMALISED_SCORE, normalised: true };
}

function piecesIn(parts: readonly QuotablePart[], scope: Scope, quote: string): ExactMatch | undefined {
  const pieces = cutAtOmissions(quote);
  if (pieces === undefined) return undefined;
  const forms = pieces.map(formsOfQuote);
  const places: QuotePlace[] = [];
  const inViews: PlacePiece[][][] = [];
  for (const view of scope.views) {
    const found = forms.map((piece) => findByAnyWay(piece, formsOfPart(view.part), view.part.kind));
    inViews.push(found.map((ranges) => ranges.map((range) => pieceOf(view, range))));
    for (const stretch of layPieces(view.part.text, found)) {
      places.push(elided(parts, stretch.map((range) => pieceOf(view, range)), pieces));
    }
  }
  const across = places.length > 0 ? undefined : acrossParts(inViews, pieces);
  if (across !== undefined) places.push(elided(parts, across, pieces));
  return places.length > 0 ? { places, count: places.length } : undefined;
}

function elided(parts: readonly QuotablePart[], ranges: readonly PlacePiece[], pieces: readonly string[]): QuotePlace {
  const text = ranges.map((piece) => parts[piece.partIndex]!.text.slice(piece.start, piece.end));
  // Pieces that came together again were only written with other dots: nothing is left out.
  if (text.length === 1 && pieces.length > 1) return placeOf(ranges, true);
  const same = text.length === pieces.length && text.every((slice, i) => slice === pieces[i]);
  return { pieces: ranges, score: ELIDED_SCORE, ...(same ? {} : { normalised: true }), elided: true };
}

/**
 * The first way to lay the pieces over several parts in order, each piece of some length and the parts near together.
 * `inViews` holds, for each view in reading order, the places of each piece.
 */
function acrossParts(inViews: readonly (readonly (readonly PlacePiece[])[])[], pieces: readonly string[]): PlacePiece[] | undefined {
  if (pieces.length < 2 || pieces.some((piece) => piece.length < SHORTEST_ACROSS)) return undefined;
  for (let first = 0; first < inViews.length; first += 1) {
    if (inViews[first]![0]!.length === 0) continue;
    const laid: PlacePiece[] = [];
    for (let view = first; view < inViews.length && view <= first + VIEWS_APART && laid.length < pieces.length; view += 1) {
      let from = 0;
      for (;;) {
        const piece = inViews[view]![laid.length]?.find((candidate) => candidate.start >= from);
        if (piece === undefined) break;
        laid.push(piece);
        from = piece.end;
      }
    }
    if (laid.length === pieces.length) return laid;
  }
  return undefined;
}
