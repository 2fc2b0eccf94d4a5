/** Aligns a quote too long for a table of all word pairs: runs of equal words found by a bounded difference. */

import { diffArrays } from "diff";
import type { Alignment, WeightedQuote, WordPair } from "./align-words";

// Words put in or left out, in all; a quote further from the passage than this is not found near.
const MOST_EDITS = 1500;
// Words in a row that show where the quote begins and ends in the passage, looked for this deep into the quote.
const ANCHOR = 4;
const ANCHOR_DEPTH = 100;

/** Pairs of equal words only; none when the two differ in more words than the bound. */
export function alignLong(quote: WeightedQuote, text: readonly string[]): Alignment {
  const { from, to } = bounds(quote.words, text);
  const changes = diffArrays([...quote.words], text.slice(from, to), { maxEditLength: MOST_EDITS });
  const pairs: WordPair[] = [];
  let inQuote = 0;
  let inText = from;
  for (const change of changes ?? []) {
    if (change.removed) inQuote += change.count;
    else if (change.added) inText += change.count;
    else {
      for (let i = 0; i < change.count; i += 1) pairs.push({ quote: inQuote + i, text: inText + i, similarity: 1 });
      inQuote += change.count;
      inText += change.count;
    }
  }
  return { pairs };
}

/** The part of the passage between the first words that both have and the last: what lies outside is not compared. */
function bounds(quote: readonly string[], text: readonly string[]): { from: number; to: number } {
  const places = new Map<string, number>();
  for (let i = text.length - ANCHOR; i >= 0; i -= 1) places.set(anchor(text, i), i);
  const depth = Math.min(ANCHOR_DEPTH, quote.length - ANCHOR);
  let from = 0;
  for (let i = 0; i <= depth; i += 1) {
    const place = places.get(anchor(quote, i));
    if (place === undefined) continue;
    from = Math.max(0, place - i);
    break;
  }
  for (let i = 0; i <= text.length - ANCHOR; i += 1) places.set(anchor(text, i), i);
  for (let i = 0; i <= depth; i += 1) {
    const place = places.get(anchor(quote, quote.length - ANCHOR - i));
    if (place !== undefined && place > from) return { from, to: Math.min(text.length, place + ANCHOR + i) };
  }
  return { from, to: text.length };
}

function anchor(words: readonly string[], at: number): string {
  return words.slice(at, at + ANCHOR).join(" ");
}
