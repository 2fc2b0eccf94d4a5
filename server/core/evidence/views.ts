/**
 * What is read of each part when a quote is not there as written: a part of ordinary length whole, a very long one only
 * around the places that hold most of the quote's telling words, so that time and memory stay bounded.
 */

import { cutsPair } from "./find-exact";
import { formsOfQuote, wordsOf } from "./part-forms";
import type { QuotablePart } from "./part-forms";
import { bestPassages, seedsOf, weightOf, wordsIn } from "./passages";
import type { Passage } from "./passages";

/** A piece of a part; its own text begins at UTF-16 `offset` of the part's. */
export interface View {
  readonly partIndex: number;
  readonly offset: number;
  readonly part: QuotablePart;
}

/** Parts that are searched together, and what is read of them. */
export interface Scope {
  readonly partIndices: readonly number[];
  /** UTF-16 units of all these parts. */
  readonly length: number;
  readonly views: readonly View[];
}

/** Parts longer than this (UTF-16 units) are read around the quote's words only. */
export const LONG_PART = 4_000_000;

// Words looked for in a long part, in so many places each; context read on each side; UTF-16 units read in all.
const WORDS = 12;
const PLACES_OF_WORD = 20_000;
const CONTEXT = 2_000;
const MOST_READ = 4_000_000;
// Stretches with less of the best one's words than this are not read.
const LEAST_OF_BEST = 0.5;

/** The scope of some parts for one quote; what is read of them is worked out when it is first asked for. */
export function scopeOf(parts: readonly QuotablePart[], partIndices: readonly number[], quote: string): Scope {
  let views: readonly View[] | undefined;
  return {
    partIndices,
    length: partIndices.reduce((sum, index) => sum + parts[index]!.text.length, 0),
    get views() {
      views ??= partIndices.flatMap((index) => viewsOf(parts[index]!, index, quote));
      return views;
    },
  };
}

function viewsOf(part: QuotablePart, partIndex: number, quote: string): View[] {
  return part.text.length <= LONG_PART ? [{ partIndex, offset: 0, part }] : viewsOfLong(part, partIndex, quote);
}

function viewsOfLong(part: QuotablePart, partIndex: number, quote: string): View[] {
  const reach = Math.ceil(quote.length / 2) + CONTEXT;
  const views: View[] = [];
  let from = -1;
  let to = -1;
  const add = (): void => {
    if (from < 0) return;
    const start = cutsPair(part.text, from) ? from - 1 : from;
    const end = cutsPair(part.text, to) ? to + 1 : to;
    views.push({ partIndex, offset: start, part: { text: part.text.slice(start, end), kind: part.kind } });
  };
  for (const stretch of stretchesToRead(part.text, quote)) {
    if (from < 0 || stretch.start - reach > to) {
      add();
      from = Math.max(0, stretch.start - reach);
    }
    to = Math.min(part.text.length, stretch.end + reach);
  }
  add();
  return views;
}

/** The stretches of a long text with the most of the quote's telling words, in reading order. */
function stretchesToRead(text: string, quote: string): Passage[] {
  const words = wordsIn(wordsOf(formsOfQuote(quote)).text);
  const seeds = [...new Set(seedsOf(words).map(longestSegment))].filter((word) => word.length > 1);
  const places = seeds.sort((a, b) => b.length - a.length).slice(0, WORDS).map((word) => placesInAnyCase(text, word));
  const weighted = places.map((found, i) => ({ places: found, weight: weightOf(seeds[i]!, found.length, text.length / 6), inQuote: 1 }));
  const width = quote.length * 1.6 + 400;
  const most = Math.ceil(MOST_READ / (width + quote.length + 2 * CONTEXT));
  const stretches = bestPassages(weighted, width, most);
  const least = LEAST_OF_BEST * (stretches[0]?.share ?? 0);
  return stretches.filter((stretch) => stretch.share >= least).sort((a, b) => a.start - b.start);
}

/** An apostrophe may be curly in the text: the longest stretch without one. */
function longestSegment(word: string): string {
  return word.split("'").reduce((a, b) => (b.length > a.length ? b : a));
}

function placesInAnyCase(text: string, word: string): number[] {
  const places: number[] = [];
  for (const written of new Set([word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()])) {
    let count = 0;
    for (let at = text.indexOf(written); at >= 0 && count < PLACES_OF_WORD; at = text.indexOf(written, at + written.length)) {
      if (isInsideWord(text, at, at + written.length)) continue;
      places.push(at);
      count += 1;
    }
  }
  return places;
}

/** Whether a longer word holds these letters. The letter of an escape (`\\n`) before a word is none of the word's. */
function isInsideWord(text: string, start: number, end: number): boolean {
  const escaped = text.charAt(start - 2) === "\\";
  return (!escaped && /[a-z]/i.test(text.charAt(start - 1))) || /[a-z]/i.test(text.charAt(end));
}
