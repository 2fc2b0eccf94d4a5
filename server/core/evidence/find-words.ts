/** Finds a quote by its words alone: the same words in the same order, whatever their case and the punctuation. */

import { cutsPair, findAll } from "./find-exact";
import type { MappedText, Range } from "./mapped-text";
import { wordsIn } from "./passages";

/**
 * Recorded ranges that hold exactly the words of `quoteWords` (a word form), in order. A quote cut off within its first
 * or last word is found too, when it has three words or more. Ends are set on words; see `widenToMarks`.
 */
export function findWords(quoteWords: string, text: MappedText): Range[] {
  const words = wordsIn(quoteWords);
  if (words.length === 0) return [];
  const whole = findAll(text.text, ` ${words.join(" ")} `).ranges;
  if (whole.length > 0) return whole.map((range) => text.toSource(range.start + 1, range.end - 1));
  if (words.length < 3) return [];
  const open = ` ${words.join(" ")}`;
  const cutEnd = findAll(text.text, open).ranges;
  if (cutEnd.length > 0) return cutEnd.map((range) => text.toSource(range.start + 1, range.end));
  return findAll(text.text, open.slice(1)).ranges.map((range) => text.toSource(range.start, range.end));
}

/**
 * A range set on words, widened by the punctuation that the quote has at its ends where the text has the same just
 * outside. `recorded` and the range are in UTF-16 offsets of the recorded text.
 */
export function widenToMarks(recorded: string, range: Range, quote: string): Range {
  const lead = /^[^\p{L}\p{N}]*/u.exec(quote)![0].trimStart();
  const tail = marksAtEnd(quote).trimEnd();
  let { start, end } = range;
  for (let i = lead.length - 1; i >= 0 && start > 0 && sameMark(recorded.charAt(start - 1), lead.charAt(i)); i -= 1) start -= 1;
  for (let i = 0; i < tail.length && sameMark(recorded.charAt(end), tail.charAt(i)); i += 1) end += 1;
  while (start < range.start && isSpace(recorded.charAt(start))) start += 1;
  while (end > range.end && isSpace(recorded.charAt(end - 1))) end -= 1;
  if (cutsPair(recorded, start)) start += 1;
  if (cutsPair(recorded, end)) end -= 1;
  return { start, end };
}

function isSpace(character: string): boolean {
  return /[\s\u0085]/.test(character);
}

function marksAtEnd(quote: string): string {
  let from = quote.length;
  while (from > 0 && !/[\p{L}\p{N}]/u.test(quote.charAt(from - 1))) from -= 1;
  return quote.slice(from);
}

const SAME_MARKS = ["'‘’‚‛\"“”„‟", "-‐‑‒–—―−"];

function sameMark(a: string, b: string): boolean {
  return a === b || (a !== "" && SAME_MARKS.some((marks) => marks.includes(a) && marks.includes(b)));
}
