/** The difference between a quote and the text it was found near, word by word, for people to read. */

import { diffArrays } from "diff";
import type { DifferencePiece } from "./quote-match";

const TOKEN = /[\s\u0085]+|[\p{L}\p{M}\p{N}_]+|[^]/gu;

// Edits (words put in or left out) up to which a difference is worked out; beyond it both sides are shown whole.
const MOST_EDITS = 1000;

/**
 * What is in both, only in the quote and only in the text, in order. White space compares as equal whatever its length,
 * and straight quotation marks and hyphens equal their kinds; `same` pieces read as the text has them.
 */
export function wordDifference(quote: string, text: string): DifferencePiece[] {
  const changes = diffArrays(quote.match(TOKEN) ?? [], text.match(TOKEN) ?? [], {
    maxEditLength: MOST_EDITS,
    comparator: (left: string, right: string) => left === right || folded(left) === folded(right),
  });
  if (changes === undefined) {
    return [{ kind: "quote", value: quote }, { kind: "text", value: text }];
  }
  return changes.map((change) => ({
    kind: change.added ? "text" : change.removed ? "quote" : "same",
    value: change.value.join(""),
  }));
}

function folded(token: string): string {
  if (/^[\s\u0085]/.test(token)) return " ";
  if (/^[\u2018-\u201b]$/.test(token)) return "'";
  if (/^[\u201c-\u201f]$/.test(token)) return '"';
  return /^[\u2010-\u2015\u2212]$/.test(token) ? "-" : token.normalize("NFC");
}
