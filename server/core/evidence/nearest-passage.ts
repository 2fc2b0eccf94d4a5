/**
 * Finds the passage that a reworded quote is most likely from, and says how much of the quote it bears out. Bounded: a
 * few words of the quote are looked for, a few stretches are aligned word by word, and nothing else is read.
 */

import { alignWords } from "./align-words";
import type { Alignment, WeightedQuote } from "./align-words";
import { cutAtOmissions } from "./ellipsis";
import { widenToMarks } from "./find-words";
import { alignLong } from "./long-quote";
import type { MappedText, Range } from "./mapped-text";
import { formsOfPart, formsOfQuote, wordsOf } from "./part-forms";
import { bestPassages, isTooFrequent, placesOfRun, placesOfWord, seedsOf, weightOf, wordsIn } from "./passages";
import type { Passage, SeedPlaces } from "./passages";
import { joinEdges } from "./passage-edges";
import type { Scope, View } from "./views";

/** A passage of one view, in UTF-16 offsets of the view's text. */
export interface NearPassage extends Range {
  readonly view: View;
  /** The share 0..1 of the quote that the passage bears out. */
  readonly score: number;
  /** What the quote's words weigh in all, in telling words. */
  readonly weight: number;
}

// Stretches that are aligned; alignments of more cells than this are done the long way.
const ALIGNED_PASSAGES = 6;
const MOST_CELLS = 2_000_000;
// A quote of so many words is aligned with its two best stretches only.
const MANY_WORDS = 1000;
// A word that a quote repeats counts so often at most where stretches are chosen, lest one word decide.
const MOST_REPEATS = 2;
// A stretch with less of the quote's words than this is not worth aligning.
const LEAST_SHARE = 0.3;

/** The words of a quote with their omissions marked; weights are set later, when it is known how rare each word is. */
function quoteWords(quote: string): { words: string[]; omissionBefore: boolean[] } {
  const words: string[] = [];
  const omissionBefore: boolean[] = [];
  for (const piece of cutAtOmissions(quote) ?? [quote]) {
    const pieceWords = wordsIn(wordsOf(formsOfQuote(piece)).text);
    if (words.length > 0 && pieceWords.length > 0) omissionBefore[words.length] = true;
    for (const word of pieceWords) words.push(word);
  }
  return { words, omissionBefore };
}

/** The best passage for `quote` in the scope, undefined when no stretch has enough of its words. */
export function nearestPassage({ views, length: searched }: Scope, quote: string): NearPassage | undefined {
  const { words, omissionBefore } = quoteWords(quote);
  if (words.length < 2) return undefined;
  const texts = views.map((view) => wordsOf(formsOfPart(view.part)));
  const found = findSeeds(texts, words, searched);
  const weighted = { words, omissionBefore, weights: words.map((word) => found.weights.get(word) ?? weightOf(word, 20, 1000)) };
  const length = words.reduce((sum, word) => sum + word.length + 1, 0);
  const width = length * 1.6 + 200 + 400 * omissionBefore.filter(Boolean).length;
  const candidates: (Passage & { view: number })[] = [];
  for (const [view, seeds] of found.seeds) {
    for (const passage of bestPassages(seeds, width, ALIGNED_PASSAGES)) {
      if (passage.share >= LEAST_SHARE) candidates.push({ ...passage, view });
    }
  }
  candidates.sort((a, b) => b.share - a.share);
  const weight = weighted.weights.reduce((sum, each) => sum + each, 0);
  let best: NearPassage | undefined;
  for (const candidate of candidates.slice(0, words.length < MANY_WORDS ? ALIGNED_PASSAGES : 2)) {
    const text = texts[candidate.view]!;
    const view = views[candidate.view]!;
    const recorded = view.part.text;
    const passage = judge(text, recorded, candidate, weighted, length);
    if (passage === undefined || (best !== undefined && passage.score <= best.score)) continue;
    best = { ...widenToMarks(recorded, passage, quote), view, score: passage.score, weight };
  }
  return best;
}

/** Looks for the telling words of a quote in all texts; what is found often counts less. */
function findSeeds(texts: readonly MappedText[], words: readonly string[], searched: number): { seeds: Map<number, SeedPlaces[]>; weights: Map<string, number> } {
  const seeds = seedsOf(words);
  const places = new Map<number, number[][]>();
  const counts = seeds.map(() => 0);
  texts.forEach((text, index) => {
    const ofPart = seeds.map((seed) => placesOfWord(text.text, seed));
    if (ofPart.some((found) => found.length > 0)) places.set(index, ofPart);
    ofPart.forEach((found, i) => {
      counts[i]! += found.length;
      if (isTooFrequent(found)) ofPart[i] = placesOfRun(text.text, words, words.indexOf(seeds[i]!));
    });
  });
  const searchedWords = Math.max(1000, searched / 6);
  const weights = new Map(seeds.map((seed, i) => [seed, weightOf(seed, counts[i]!, searchedWords)]));
  const ofParts = new Map<number, SeedPlaces[]>();
  for (const [index, ofPart] of places) {
    ofParts.set(index, seeds.map((seed, i) => ({
      places: ofPart[i]!,
      weight: weights.get(seed)!,
      inQuote: Math.min(MOST_REPEATS, words.filter((word) => word === seed).length),
    })));
  }
  return { seeds: ofParts, weights };
}

/** Aligns the quote with the text around a candidate and scores what it got. */
function judge(text: MappedText, recorded: string, candidate: Passage, quote: WeightedQuote, length: number): (Range & { score: number }) | undefined {
  // A stretch may hold all its words well before a long quote ends; reading more of it is cheap there.
  const around = quote.words.length < MANY_WORDS ? Math.min(length, 600) + 40 : length;
  const start = Math.min(candidate.start, candidate.end - length) - around;
  const end = Math.max(candidate.end, candidate.start + length) + around;
  const from = Math.max(0, text.text.lastIndexOf(" ", Math.max(0, start)));
  const to = text.text.indexOf(" ", Math.min(text.text.length - 1, end));
  const words = wordsIn(text.text.slice(from, to < 0 ? undefined : to));
  const alignment = quote.words.length * words.length > MOST_CELLS ? alignLong(quote, words) : alignWords(quote, words);
  if (alignment.pairs.length === 0) return undefined;
  const starts = [from + 1];
  for (const word of words) starts.push(starts[starts.length - 1]! + word.length + 1);
  const rangeOf = (first: number, last: number): Range => text.toSource(starts[first]!, starts[last]! + words[last]!.length);
  const between = (word: number): string => recorded.slice(rangeOf(word, word).end, rangeOf(word + 1, word + 1).start);
  const edges = joinEdges(quote, words, alignment, between);
  const range = rangeOf(edges.first, edges.last);
  return { ...range, score: score(quote, alignment, edges.gained) };
}

// What each break in the passage costs, as a share; what the omitted words cost at most.
const BREAK = 0.3;
const OMITTED = 0.15;

/** The share of the quote's weight that has its words in the passage, less something for words left out between. */
function score(quote: WeightedQuote, alignment: Alignment, gained: number): number {
  const total = quote.weights.reduce((sum, weight) => sum + weight, 0);
  let matched = gained;
  let same = 0;
  let breaks = 0;
  let omitted = 0;
  alignment.pairs.forEach((pair, i) => {
    matched += quote.weights[pair.quote]! * pair.similarity;
    if (pair.similarity === 1) same += 1;
    const before = alignment.pairs[i - 1];
    const skipped = before === undefined ? 0 : pair.text - before.text - 1;
    if (skipped === 0) return;
    const marked = quote.omissionBefore.slice(before!.quote + 1, pair.quote + 1).some(Boolean);
    omitted += marked ? skipped / 8 : skipped;
    if (!marked) breaks += 1;
  });
  if (same < 2) return 0;
  const words = quote.words.length;
  return Math.max(0, matched / total - (BREAK * breaks) / words - (OMITTED * omitted) / (omitted + words));
}
