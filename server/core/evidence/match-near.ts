/**
 * The one best place of a quote that is nowhere exact: the same words in other case or punctuation, the same pieces,
 * words changed or left out up to a bound, or, for quotes of few words, letters changed up to a bound.
 */

import search from "approx-string-match";
import { chooseCurrent } from "./choose-current";
import type { MatchHint } from "./choose-current";
import { cutAtOmissions, layPieces } from "./ellipsis";
import { cutsPair, findByAnyWay, withoutOverlaps } from "./find-exact";
import { findWords, widenToMarks } from "./find-words";
import { pieceOf } from "./match-exact";
import { nearestPassage } from "./nearest-passage";
import { Form, formsOfPart, formsOfQuote, wordsOf } from "./part-forms";
import type { QuotablePart } from "./part-forms";
import type { DifferencePiece, PlacePiece, QuotePlace } from "./quote-match";
import type { Scope } from "./views";
import { wordDifference } from "./word-difference";

/** A near place, or the closest passage when that is not near enough. */
export interface NearMatch {
  readonly isNear: boolean;
  readonly place: QuotePlace;
}

const CASE_SCORE = 0.96;
const WORDS_SCORE = 0.94;
const PIECES_SCORE = 0.92;
const ALIGNED_SCORE = 0.9;
// By so much a passage must be closer to be taken before one in a part that the monitor named.
const LEAD_ELSEWHERE = 0.1;
// A passage that bears out less of the quote than this is no resemblance worth naming.
const LEAST_RESEMBLANCE = 0.3;

/** The best near place in the first of the `scopes` that has one; else the closest passage of all, if any is close. */
export function matchNear(parts: readonly QuotablePart[], scopes: readonly Scope[], quote: string, hint?: MatchHint): NearMatch | undefined {
  for (const find of [sameWords, samePieces]) {
    for (const scope of scopes) {
      const places = find(scope, quote);
      if (places.length === 0) continue;
      const place = places[chooseCurrent(parts, places, hint)]!;
      return { isNear: true, place: withDifference(parts, place, place.elided === true ? cutAtOmissions(quote)! : [quote]) };
    }
  }
  const found = scopes.map((scope) => reworded(parts, scope, quote));
  const near = found.filter((match) => match?.isNear === true);
  if (near.length > 0) return near.reduce((first, later) => (later!.place.score > first!.place.score + LEAD_ELSEWHERE ? later : first));
  for (const scope of scopes) {
    const misspelt = lettersChanged(parts, scope, quote);
    if (misspelt !== undefined) return { isNear: true, place: misspelt };
  }
  return found.reduce((best, match) => ((match?.place.score ?? 0) > (best?.place.score ?? 0) ? match : best), undefined);
}

function sameWords(scope: Scope, quote: string): QuotePlace[] {
  const words = wordsOf(formsOfQuote(quote)).text;
  const places: QuotePlace[] = [];
  for (const view of scope.views) {
    const { text } = view.part;
    for (const found of findWords(words, wordsOf(formsOfPart(view.part)))) {
      const range = widenToMarks(text, found, quote);
      const slice = text.slice(range.start, range.end);
      if (!sameMarks(quote, slice)) continue;
      const onlyCase = foldCase(slice) === foldCase(quote);
      places.push({ pieces: [pieceOf(view, range)], score: onlyCase ? CASE_SCORE : WORDS_SCORE });
    }
  }
  return places;
}

function foldCase(text: string): string {
  return formsOfQuote(text).form(Form.FOLD).text.trim().toLowerCase();
}

/** Whether what is no word differs little: `x = {}` is not near `x`. */
function sameMarks(quote: string, slice: string): boolean {
  const marks = new Map<string, number>();
  for (const mark of quote.match(/[^\p{L}\p{M}\p{N}\s]/gu) ?? []) marks.set(mark, (marks.get(mark) ?? 0) + 1);
  for (const mark of slice.match(/[^\p{L}\p{M}\p{N}\s]/gu) ?? []) marks.set(mark, (marks.get(mark) ?? 0) - 1);
  let different = 0;
  for (const count of marks.values()) different += Math.abs(count);
  return different <= Math.max(1, 0.25 * quote.replace(/\s+/g, "").length);
}

function samePieces(scope: Scope, quote: string): QuotePlace[] {
  const pieces = cutAtOmissions(quote);
  if (pieces === undefined) return [];
  const forms = pieces.map(formsOfQuote);
  const places: QuotePlace[] = [];
  for (const view of scope.views) {
    const { part } = view;
    const text = formsOfPart(part);
    const ranges = forms.map((form, i) => {
      const loose = findWords(wordsOf(form).text, wordsOf(text)).map((range) => widenToMarks(part.text, range, pieces[i]!));
      const exact = findByAnyWay(form, text, part.kind);
      return exact.length > 0 && loose.length === 0 ? exact : withoutOverlaps([...exact, ...loose]);
    });
    for (const stretch of layPieces(part.text, ranges)) {
      places.push({ pieces: stretch.map((range) => pieceOf(view, range)), score: PIECES_SCORE, elided: true });
    }
  }
  return places;
}

// Share of the quote's weight that must be borne out: more for a quote of few telling words.
const LEAST_SHARE = 0.6;
const LEAST_SHARE_OF_SHORT = 0.3;

/** The stated bound of `near`: the share of a quote that a passage must bear out, for a quote of that weight in all. */
export function nearFloor(weight: number): number {
  return LEAST_SHARE + LEAST_SHARE_OF_SHORT / Math.max(1, weight);
}

function reworded(parts: readonly QuotablePart[], scope: Scope, quote: string): NearMatch | undefined {
  const found = nearestPassage(scope, quote);
  if (found === undefined || found.score < LEAST_RESEMBLANCE) return undefined;
  const place = withDifference(parts, { pieces: [pieceOf(found.view, found)], score: found.score * ALIGNED_SCORE }, [quote]);
  return { isNear: found.score >= nearFloor(found.weight), place };
}

// Letter by letter only for quotes of such a length, with so many letters changed, in so much text.
const SHORTEST_SPELT = 8;
const LONGEST_SPELT = 240;
const LETTERS_CHANGED = 0.15;
const SPELT_TEXT = 500_000;
const HAS_WORD = /[\p{L}\p{N}]{3}/u;

function lettersChanged(parts: readonly QuotablePart[], scope: Scope, quote: string): QuotePlace | undefined {
  const wanted = formsOfQuote(quote).form(Form.FOLD).text.trim();
  if (wanted.length < SHORTEST_SPELT || wanted.length > LONGEST_SPELT || !HAS_WORD.test(wanted)) return undefined;
  let most = Math.floor(wanted.length * LETTERS_CHANGED);
  let left = SPELT_TEXT;
  let best: { piece: PlacePiece; errors: number } | undefined;
  for (const view of scope.views) {
    const form = formsOfPart(view.part).form(Form.FOLD);
    left -= form.text.length;
    if (left < 0) break;
    for (const match of search(form.text, wanted, most)) {
      if (match.end <= match.start || (best !== undefined && match.errors >= best.errors)) continue;
      best = { piece: pieceOf(view, form.toSource(match.start, match.end)), errors: match.errors };
    }
    if (best !== undefined) most = Math.min(most, best.errors);
  }
  if (best === undefined) return undefined;
  const piece = wholePairs(parts[best.piece.partIndex]!.text, best.piece);
  return withDifference(parts, { pieces: [piece], score: ALIGNED_SCORE * (1 - best.errors / wanted.length) }, [quote]);
}

function wholePairs(text: string, piece: PlacePiece): PlacePiece {
  const start = cutsPair(text, piece.start) ? piece.start - 1 : piece.start;
  const end = cutsPair(text, piece.end) ? piece.end + 1 : piece.end;
  return { ...piece, start, end };
}

/** A place with its difference: each piece of the quote against its own text when there are as many, else all at once. */
function withDifference(parts: readonly QuotablePart[], place: QuotePlace, quoted: readonly string[]): QuotePlace {
  const slices = place.pieces.map((piece) => parts[piece.partIndex]!.text.slice(piece.start, piece.end));
  if (slices.length !== quoted.length) return { ...place, difference: wordDifference(quoted.join(" … "), slices.join(" … ")) };
  const difference: DifferencePiece[] = [];
  slices.forEach((slice, i) => {
    if (i > 0) difference.push({ kind: "omission", value: " … " });
    for (const piece of wordDifference(quoted[i]!.trim(), slice)) difference.push(piece);
  });
  return { ...place, difference };
}
