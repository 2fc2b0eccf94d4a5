/**
 * Aligns a quote too long for a table of all word pairs. Runs of words that both sides have only once pin the two
 * together (the idea of patience diff); what lies between two pins is short and aligned by table.
 */

import { alignWords } from "./align-words";
import type { Alignment, WeightedQuote, WordPair } from "./align-words";

// Words in a run that must be unique; a stretch between two pins with more word pairs than this stays unaligned.
const RUN = 4;
const MOST_CELLS = 40_000;

interface Pin {
  readonly quote: number;
  readonly text: number;
}

/** Pairs in order; none when no run of words is unique to one place on both sides. Time grows with `n log n`. */
export function alignLong(quote: WeightedQuote, text: readonly string[]): Alignment {
  const pairs: WordPair[] = [];
  let quoteDone = 0;
  let textDone = 0;
  for (const pin of longestRise(commonRuns(quote.words, text))) {
    if (quoteDone > 0) alignBetween(quote, text, { quote: quoteDone, text: textDone }, pin, pairs);
    for (let i = 0; i < RUN; i += 1) {
      if (pin.quote + i < quoteDone || pin.text + i < textDone) continue;
      pairs.push({ quote: pin.quote + i, text: pin.text + i, similarity: 1 });
      quoteDone = pin.quote + i + 1;
      textDone = pin.text + i + 1;
    }
  }
  return { pairs };
}

/** Runs that stand once in the quote and once in the text, in the order of the quote. */
function commonRuns(quote: readonly string[], text: readonly string[]): Pin[] {
  const inText = uniqueRuns(text);
  const pins: Pin[] = [];
  for (const [run, at] of uniqueRuns(quote)) {
    const place = inText.get(run);
    if (at >= 0 && place !== undefined && place >= 0) pins.push({ quote: at, text: place });
  }
  return pins.sort((a, b) => a.quote - b.quote);
}

/** Where each run of words stands; -1 for one that stands more than once. */
function uniqueRuns(words: readonly string[]): Map<string, number> {
  const runs = new Map<string, number>();
  for (let i = 0; i + RUN <= words.length; i += 1) {
    const run = words.slice(i, i + RUN).join(" ");
    runs.set(run, runs.has(run) ? -1 : i);
  }
  return runs;
}

/** The most pins whose places in the text rise: those that keep the quote's order. */
function longestRise(pins: readonly Pin[]): Pin[] {
  const tails: number[] = [];
  const before = new Int32Array(pins.length).fill(-1);
  pins.forEach((pin, i) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (pins[tails[middle]!]!.text < pin.text) low = middle + 1;
      else high = middle;
    }
    if (low > 0) before[i] = tails[low - 1]!;
    tails[low] = i;
  });
  const rise: Pin[] = [];
  for (let i = tails[tails.length - 1] ?? -1; i >= 0; i = before[i]!) rise.push(pins[i]!);
  return rise.reverse();
}

function alignBetween(quote: WeightedQuote, text: readonly string[], from: Pin, to: Pin, pairs: WordPair[]): void {
  const rows = to.quote - from.quote;
  const columns = to.text - from.text;
  if (rows <= 0 || columns <= 0 || rows * columns > MOST_CELLS) return;
  const piece = {
    words: quote.words.slice(from.quote, to.quote),
    weights: quote.weights.slice(from.quote, to.quote),
    omissionBefore: quote.omissionBefore.slice(from.quote, to.quote),
  };
  for (const pair of alignWords(piece, text.slice(from.text, to.text)).pairs) {
    pairs.push({ quote: pair.quote + from.quote, text: pair.text + from.text, similarity: pair.similarity });
  }
}
