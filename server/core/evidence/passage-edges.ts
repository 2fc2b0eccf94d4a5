/**
 * Sets the two ends of an aligned passage: takes in words of the quote that stand beside it in another order, and the
 * words that stand where the quote's first or last words were changed.
 */

import type { Alignment, WeightedQuote } from "./align-words";
import type { Range } from "./mapped-text";
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
// Changed words at an end of the quote that get a counterpart in the passage.
const CHANGED_AT_END = 2;

/** `sourceOf` tells a word's recorded range; ends never move over a sentence's end or a line break. */
export function joinEdges(quote: WeightedQuote, words: readonly string[], alignment: Alignment, sourceOf: (word: number) => Range): Edges {
  const { pairs } = alignment;
  const firstPair = pairs[0]!;
  const lastPair = pairs[pairs.length - 1]!;
  const used = new Set(pairs.filter((pair) => pair.similarity > 0).map((pair) => pair.quote));
  const left = quote.words.map((_, i) => i).filter((i) => !used.has(i));
  const after = takeReordered(quote, words, left, lastPair.text, 1);
  const before = takeReordered(quote, words, left, firstPair.text, -1);
  let first = before.reached;
  let last = after.reached;
  const missingBefore = left.filter((i) => i < firstPair.quote).length;
  const missingAfter = left.filter((i) => i > lastPair.quote).length;
  if (first === firstPair.text && missingBefore <= CHANGED_AT_END) first = step(words, first, -missingBefore, sourceOf);
  if (last === lastPair.text && missingAfter <= CHANGED_AT_END) last = step(words, last, missingAfter, sourceOf);
  return { first, last, gained: before.gained + after.gained };
}

/** Walks outwards over words of the quote that have no place yet; `left` loses those that are taken. */
function takeReordered(quote: WeightedQuote, words: readonly string[], left: number[], from: number, direction: 1 | -1): { reached: number; gained: number } {
  let reached = from;
  let gained = 0;
  let telling = 0;
  let pending = 0;
  const taken: number[] = [];
  const between = Math.max(LEAST_BETWEEN, Math.min(MOST_BETWEEN, left.length + 1));
  for (let i = from + direction; words[i] !== undefined && pending <= between; i += direction) {
    const found = left.find((at) => !taken.includes(at) && wordSimilarity(quote.words[at]!, words[i]!) >= 0.8);
    if (found === undefined) {
      pending += 1;
      continue;
    }
    pending = 0;
    taken.push(found);
    gained += REORDERED * quote.weights[found]!;
    if (!isCommonWord(words[i]!)) {
      telling += 1;
      reached = i;
    } else if (taken.length > 1 && telling > 0) reached = i;
  }
  if (telling === 0) return { reached: from, gained: 0 };
  for (const at of taken) left.splice(left.indexOf(at), 1);
  return { reached, gained };
}

/** Moves an end by `count` words, or as far as the sentence and the line go. */
function step(words: readonly string[], from: number, count: number, sourceOf: (word: number) => Range): number {
  const direction = Math.sign(count);
  let at = from;
  for (let moved = 0; moved !== count; moved += direction) {
    const next = at + direction;
    if (words[next] === undefined) break;
    const near = sourceOf(Math.min(at, next));
    const far = sourceOf(Math.max(at, next));
    if (far.start - near.end > 2) break;
    at = next;
  }
  return at;
}
