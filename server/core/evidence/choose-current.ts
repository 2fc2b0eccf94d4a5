/** Which of several places of a quote is shown first: the one whose surroundings fit best. */

import { isWholeWords } from "./ellipsis";
import type { QuotablePart } from "./part-forms";
import type { QuotePlace } from "./quote-match";

/** What is known of where a quote should stand. Offsets are UTF-16 units of the part's text. */
export interface MatchHint {
  /** A part, and a place in it, that the quote is likely near. */
  readonly partIndex?: number;
  readonly offset?: number;
  /** Text that stood directly before and after it. */
  readonly before?: string;
  readonly after?: string;
}

const CONTEXT = 64;

/** Index of the place that fits best: by its surroundings, then by distance, then whole words, then reading order; -1 of none. */
export function chooseCurrent(parts: readonly QuotablePart[], places: readonly QuotePlace[], hint: MatchHint = {}): number {
  let best = -1;
  let bestFit: readonly number[] = [];
  places.forEach((place, i) => {
    const fit = fitOf(parts, place, hint);
    if (best < 0 || isBetter(fit, bestFit)) {
      best = i;
      bestFit = fit;
    }
  });
  return best;
}

function fitOf(parts: readonly QuotablePart[], place: QuotePlace, hint: MatchHint): number[] {
  const first = place.pieces[0]!;
  const last = place.pieces[place.pieces.length - 1]!;
  const text = parts[first.partIndex]!.text;
  const before = sharedEnd(text.slice(Math.max(0, first.start - CONTEXT), first.start), hint.before ?? "");
  const after = sharedStart(parts[last.partIndex]!.text.slice(last.end, last.end + CONTEXT), hint.after ?? "");
  const inPart = hint.partIndex === undefined || hint.partIndex === first.partIndex ? 1 : 0;
  const distance = hint.offset === undefined || inPart === 0 ? 0 : -Math.abs(first.start - hint.offset);
  return [before + after, inPart, distance, place.score, isWholeWords(text, first) ? 1 : 0];
}

function isBetter(a: readonly number[], b: readonly number[]): boolean {
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return a[i]! > b[i]!;
  return false;
}

function sharedEnd(a: string, b: string): number {
  let i = 0;
  while (i < a.length && i < b.length && a.charAt(a.length - 1 - i) === b.charAt(b.length - 1 - i)) i += 1;
  return i;
}

function sharedStart(a: string, b: string): number {
  let i = 0;
  while (i < a.length && i < b.length && a.charAt(i) === b.charAt(i)) i += 1;
  return i;
}
