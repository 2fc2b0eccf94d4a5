/**
 * Sets the two ends of an aligned passage: takes in words of the quote that stand beside it in another order, and the
 * words that stand where the quote's first or last words were changed.
 */

import type { Alignment, WeightedQuote } from "./align-words";
import { isCommonWord, wordSimilarity } from "./similar-words";

/** First and last word of the passage, as indices; and the weight of the reordered words that were taken in. */
export interface Edges {
  readonly first: number;
  readonly last: number;
  readonly gained: number;
}

// What a word counts that stands in another order; how many other words may lie between such words: more where more of
// the quote's words are still without a place, since changed ones lie there.
const REORDERED = 0.7;
const LEAST_BETWEEN = 2;
const MOST_BETWEEN = 4;
// With more words without a place than this, some would be found anywhere: none is taken.
const MOST_WITHOUT_PLACE = 12;
// Changed words at an end of the quote that get a counterpart in the passage.
const CHANGED_AT_END = 2;

// The end of a sentence or of a line in what lies between two words.
const BREAK = /[.!?…]["'”’)\]*_]*\s|[\n\r]/;

/** `between` tells the recorded text between a word and the next; only words of the quote itself are taken in over a sentence's end or a line break. */
export function joinEdges(quote: WeightedQuote, words: readonly string[], alignment: Alignment, between: (word: number) => string): Edges {
  const { pairs } = alignment;
  const firstPair = pairs[0]!;
  const lastPair = pairs[pairs.length - 1]!;
  const used = new Set(pairs.filter((pair) => pair.similarity > 0).map((pair) => pair.quote));
  const left = quote.words.map((_, i) => i).filter((i) => !used.has(i));
  const breaks = (a: number, b: number): boolean => BREAK.test(between(Math.min(a, b)));
  const after = takeReordered(quote, words, left, lastPair.text, 1, breaks);
  const before = takeReordered(quote, words, left, firstPair.text, -1, breaks);
  const walk = (from: number, direction: 1 | -1): number => {
    const next = from + direction;
    return words[next] === undefined || breaks(from, next) ? from : next;
  };
  let first = before.reached;
  let last = after.reached;
  const missingBefore = left.filter((i) => i < firstPair.quote).length;
  const missingAfter = left.filter((i) => i > lastPair.quote).length;
  if (missingBefore <= CHANGED_AT_END) for (let i = 0; i < missingBefore; i += 1) first = walk(first, -1);
  if (missingAfter <= CHANGED_AT_END) for (let i = 0; i < missingAfter; i += 1) last = walk(last, 1);
  return { first, last, gained: before.gained + after.gained };
}

/** Walks outwards over words of the quote that have no place yet; `left` loses those that are taken. */
function takeReordered(
  quote: WeightedQuote,
  words: readonly string[],
  left: number[],
  from: number,
  direction: 1 | -1,
  breaks: (a: number, b: number) => boolean,
): { reached: number; gained: number } {
  let reached = from;
  let gained = 0;
  let telling = 0;
  let pending = 0;
  const taken: number[] = [];
  if (left.length > MOST_WITHOUT_PLACE) return { reached: from, gained: 0 };
  const between = Math.max(LEAST_BETWEEN, Math.min(MOST_BETWEEN, left.length + 1));
  for (let i = from + direction; words[i] !== undefined && left.length > taken.length; i += direction) {
    const word = words[i]!;
    const found = left.find((at) => !taken.includes(at) && wordSimilarity(quote.words[at]!, word) >= 0.8);
    if (found === undefined) {
      pending += 1;
      if (pending > between || breaks(i - direction, i)) break;
      continue;
    }
    if (pending > 0 && breaks(i - direction, i)) break;
    pending = 0;
    taken.push(found);
    gained += REORDERED * quote.weights[found]!;
    if (!isCommonWord(word)) telling += 1;
    if (!isCommonWord(word) || telling > 0) reached = i;
  }
  if (telling === 0) return { reached: from, gained: 0 };
  for (const at of taken) left.splice(left.indexOf(at), 1);
  return { reached, gained };
}
