/**
 * What is read of each part when a quote is not there as written: a part of ordinary length whole, a very long one only
 * around the places of the quote's rarest words, so that time and memory stay bounded.
 */

import { cutsPair } from "./find-exact";
import { formsOfQuote, wordsOf } from "./part-forms";
import type { QuotablePart } from "./part-forms";
import { seedsOf, wordsIn } from "./passages";

/** A piece of a part; its own text begins at UTF-16 `offset` of the part's. */
export interface View {
  readonly partIndex: number;
  readonly offset: number;
  readonly part: QuotablePart;
}

/** Parts that are searched together, and what is read of them. */
export interface Scope {
  readonly partIndices: readonly number[];
  readonly views: readonly View[];
}

/** Parts longer than this (UTF-16 units) are read around the quote's words only. */
export const LONG_PART = 4_000_000;

// Words looked for in a long part, in so many places each; context on each side of a place; UTF-16 units read in all.
const WORDS = 12;
const PLACES_OF_WORD = 800;
const CONTEXT = 2_000;
const MOST_READ = 4_000_000;

/** The scope of some parts for one quote. */
export function scopeOf(parts: readonly QuotablePart[], partIndices: readonly number[], quote: string): Scope {
  const views: View[] = [];
  for (const partIndex of partIndices) {
    const part = parts[partIndex]!;
    if (part.text.length <= LONG_PART) views.push({ partIndex, offset: 0, part });
    else for (const view of viewsOfLong(part, partIndex, quote)) views.push(view);
  }
  return { partIndices, views };
}

function viewsOfLong(part: QuotablePart, partIndex: number, quote: string): View[] {
  const reach = Math.ceil(quote.length * 1.5) + CONTEXT;
  const views: View[] = [];
  let from = -1;
  let to = -1;
  const add = (): void => {
    if (from < 0) return;
    const start = cutsPair(part.text, from) ? from - 1 : from;
    const end = cutsPair(part.text, to) ? to + 1 : to;
    views.push({ partIndex, offset: start, part: { text: part.text.slice(start, end), kind: part.kind } });
  };
  for (const place of placesOfRarest(part.text, quote, Math.ceil(MOST_READ / (2 * reach)))) {
    if (from < 0 || place - reach > to) {
      add();
      from = Math.max(0, place - reach);
    }
    to = Math.min(part.text.length, place + reach);
  }
  add();
  return views;
}

/** Places of the rarest words of the quote that the text has, ascending, about `most` of them. */
function placesOfRarest(text: string, quote: string, most: number): number[] {
  const words = seedsOf(wordsIn(wordsOf(formsOfQuote(quote)).text)).map(longestSegment).filter((word) => word.length > 1);
  const found: number[][] = [];
  for (const word of words.sort((a, b) => b.length - a.length).slice(0, WORDS)) {
    const places = placesInAnyCase(text, word);
    if (places.length > 0) found.push(places);
  }
  found.sort((a, b) => a.length - b.length);
  const places: number[] = [];
  for (const of of found) {
    if (places.length > 0 && places.length + of.length > most) break;
    for (const place of of.slice(0, most)) places.push(place);
  }
  return places.sort((a, b) => a - b);
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
