/**
 * Where in a text a reworded quote may be from: the stretches that hold most of its words, weighted by how rare each
 * word is in what is searched. Cheap: only places of the quote's own words are visited.
 */

import { isCommonWord } from "./similar-words";

/** Words of a quote (or of a text) in its word form. */
export function wordsIn(form: string): string[] {
  const trimmed = form.trim();
  return trimmed === "" ? [] : trimmed.split(" ");
}

/** A stretch of a word form, with the weight of the quote's words in it as a share of all that were looked for. */
export interface Passage {
  readonly start: number;
  readonly end: number;
  readonly share: number;
}

// So many words of a quote are looked for, in so many places each.
const SEEDS = 16;
const PLACES_OF_SEED = 1500;
const LONGEST_RUN = 5;
const COMMON_WEIGHT = 0.3;

/** Whether so many places of a word were found that the search stopped. */
export function isTooFrequent(places: readonly number[]): boolean {
  return places.length >= PLACES_OF_SEED;
}

/**
 * Places of the shortest run of the quote's words from `at` (leftwards at the quote's end) that is not too frequent;
 * of the longest run tried if all are. For words that alone would lead everywhere.
 */
export function placesOfRun(form: string, words: readonly string[], at: number): number[] {
  let places: number[] = [];
  for (let length = 2; length <= LONGEST_RUN; length += 1) {
    const start = Math.max(0, Math.min(at, words.length - length));
    places = placesOfWord(form, words.slice(start, start + length).join(" "));
    if (!isTooFrequent(places)) break;
  }
  return places;
}

/** The places of one word in one text's word form, ascending; cut off at a bound. */
export function placesOfWord(form: string, word: string): number[] {
  const places: number[] = [];
  const wanted = ` ${word} `;
  for (let at = form.indexOf(wanted); at >= 0 && places.length < PLACES_OF_SEED; at = form.indexOf(wanted, at + 1)) {
    places.push(at);
  }
  return places;
}

/** The different words of a quote that are worth looking for: the longest that are not common, spread over the quote. */
export function seedsOf(words: readonly string[]): string[] {
  const different = [...new Set(words)];
  const telling = different.filter((word) => !isCommonWord(word));
  const pool = telling.length > 0 ? telling : different;
  if (pool.length <= SEEDS) return pool;
  const seeds: string[] = [];
  for (let i = 0; i < SEEDS; i += 1) {
    const share = pool.slice(Math.floor((i * pool.length) / SEEDS), Math.floor(((i + 1) * pool.length) / SEEDS));
    seeds.push(share.reduce((a, b) => (b.length > a.length ? b : a)));
  }
  return seeds;
}

/** What each word of a quote says: 1 for a word that is rare in the text searched, less for frequent and common ones. */
export function weightOf(word: string, found: number, searchedWords: number): number {
  const rarity = Math.log(1 + searchedWords / (1 + found)) / Math.log(1 + searchedWords);
  const weight = 0.4 + 0.6 * Math.max(0, Math.min(1, rarity));
  return isCommonWord(word) ? COMMON_WEIGHT * weight : weight;
}

/** The places of one seed in one text. */
export interface SeedPlaces {
  readonly places: readonly number[];
  readonly weight: number;
  /** How often the quote has the word. */
  readonly inQuote: number;
}

/**
 * The stretches of `width` code units with the heaviest seeds, best first, at most `wanted`, none inside another.
 */
export function bestPassages(seeds: readonly SeedPlaces[], width: number, wanted: number): Passage[] {
  const total = seeds.reduce((sum, seed) => sum + seed.weight * seed.inQuote, 0);
  const hits = mergeHits(seeds);
  const inside = new Array<number>(seeds.length).fill(0);
  const peaks: Passage[] = [];
  let sum = 0;
  let low = 0;
  for (const [at, seed] of hits) {
    if (inside[seed]! < seeds[seed]!.inQuote) sum += seeds[seed]!.weight;
    inside[seed]! += 1;
    while (hits[low]![0] < at - width) {
      const left = hits[low]![1];
      inside[left]! -= 1;
      if (inside[left]! < seeds[left]!.inQuote) sum -= seeds[left]!.weight;
      low += 1;
    }
    addPeak(peaks, { start: hits[low]![0], end: at, share: sum / total }, width);
  }
  return peaks.sort((a, b) => b.share - a.share).slice(0, wanted);
}

function mergeHits(seeds: readonly SeedPlaces[]): [number, number][] {
  const hits: [number, number][] = [];
  seeds.forEach((seed, index) => {
    for (const at of seed.places) hits.push([at, index]);
  });
  return hits.sort((a, b) => a[0] - b[0]);
}

/** Keeps the best stretch of each neighbourhood. */
function addPeak(peaks: Passage[], passage: Passage, width: number): void {
  const last = peaks[peaks.length - 1];
  if (last !== undefined && passage.start < last.start + width / 2) {
    if (passage.share > last.share + 1e-9) peaks[peaks.length - 1] = passage;
    return;
  }
  peaks.push(passage);
}
