/**
 * Lays the words of a quote over the words of a passage, in order: words may be changed, added, or left out without a
 * mark. A local alignment with affine gaps (Smith and Waterman 1981; Gotoh 1982), weighted by what each word says.
 */

import { wordSimilarity } from "./similar-words";

/** The words of a quote, with what each is worth and where an omission is marked. */
export interface WeightedQuote {
  readonly words: readonly string[];
  readonly weights: readonly number[];
  /** `true` at i: a mark of omission stands before word i. */
  readonly omissionBefore: readonly boolean[];
}

/** Pairs of a quote's word and the passage's word it was laid on, in order. Words of both may be in no pair. */
export interface Alignment {
  readonly pairs: readonly WordPair[];
}

export interface WordPair {
  readonly quote: number;
  readonly text: number;
  /** 1 the same word, less for another form of it; 0 for one word put in another's place. */
  readonly similarity: number;
}

// In units of a word's weight: another word in its place, no word in its place.
const CHANGED = -0.3;
const DROPPED = -0.3;
// In units of one weighty word: a stretch of the passage that the quote leaves out, and each word of it.
const OMISSION = 0.7;
const OMITTED_WORD = 0.045;
// The same where the quote says that it leaves something out.
const MARKED_OMISSION = 0.02;
const MARKED_WORD = 0.01;

// Where a cell's best score came from.
const START = 0;
const PAIRED = 1;
const PAIRED_AFTER_GAP = 2;
const SKIPPED_QUOTE = 3;
const GAP_OPENED = 0;
const GAP_GROWN = 1;

/** The best local alignment; time and memory grow with `quote.words.length * text.length`. */
export function alignWords(quote: WeightedQuote, text: readonly string[]): Alignment {
  const rows = quote.words.length + 1;
  const columns = text.length + 1;
  const best = new Float32Array(rows * columns);
  const gap = new Float32Array(rows * columns).fill(-1e9);
  const cameFrom = new Uint8Array(rows * columns);
  const gapFrom = new Uint8Array(rows * columns);
  let top = 0;
  let topAt = 0;
  for (let i = 1; i < rows; i += 1) {
    const word = quote.words[i - 1]!;
    const weight = quote.weights[i - 1]!;
    const marked = quote.omissionBefore[i] === true;
    const open = marked ? MARKED_OMISSION : OMISSION;
    const grow = marked ? MARKED_WORD : OMITTED_WORD;
    for (let j = 1; j < columns; j += 1) {
      const at = i * columns + j;
      const diagonal = at - columns - 1;
      const similarity = wordSimilarity(word, text[j - 1]!);
      const gain = weight * (similarity > 0 ? similarity : CHANGED);
      let score = 0;
      let from = START;
      if (similarity > 0 && gain > score) {
        score = gain;
        from = START;
      }
      if (best[diagonal]! > 0 && best[diagonal]! + gain > score) {
        score = best[diagonal]! + gain;
        from = PAIRED;
      }
      if (gap[diagonal]! + gain > score) {
        score = gap[diagonal]! + gain;
        from = PAIRED_AFTER_GAP;
      }
      const skipped = best[at - columns]! + weight * DROPPED;
      if (best[at - columns]! > 0 && skipped > score) {
        score = skipped;
        from = SKIPPED_QUOTE;
      }
      best[at] = score;
      cameFrom[at] = from;
      const opened = best[at - 1]! - open;
      const grown = gap[at - 1]! - grow;
      gap[at] = Math.max(opened, grown);
      gapFrom[at] = opened >= grown ? GAP_OPENED : GAP_GROWN;
      if (score > top) {
        top = score;
        topAt = at;
      }
    }
  }
  return { pairs: top > 0 ? traceBack(quote, text, { best, cameFrom, gapFrom, columns }, topAt) : [] };
}

interface Cells {
  readonly best: Float32Array;
  readonly cameFrom: Uint8Array;
  readonly gapFrom: Uint8Array;
  readonly columns: number;
}

function traceBack(quote: WeightedQuote, text: readonly string[], cells: Cells, end: number): WordPair[] {
  const pairs: WordPair[] = [];
  const { columns } = cells;
  let at = end;
  for (;;) {
    const from = cells.cameFrom[at]!;
    if (from === SKIPPED_QUOTE) {
      at -= columns;
      continue;
    }
    const i = Math.floor(at / columns);
    const j = at % columns;
    if (i === 0 || j === 0 || cells.best[at]! <= 0) break;
    pairs.push({ quote: i - 1, text: j - 1, similarity: wordSimilarity(quote.words[i - 1]!, text[j - 1]!) });
    if (from === START) break;
    at -= columns + 1;
    if (from === PAIRED_AFTER_GAP) {
      while (cells.gapFrom[at] === GAP_GROWN) at -= 1;
      at -= 1;
    }
  }
  return pairs.reverse();
}
