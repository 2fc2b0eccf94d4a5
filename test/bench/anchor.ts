/**
 * How dear it is to look quotes up in one long part: a mix of exact, normalised and near quotes against the same
 * searches done bare, both timed in this run with every cache warm.
 */
import search from "approx-string-match";
import { matchQuote } from "#core/evidence/match-quote";
import type { QuotablePart } from "#core/evidence/part-forms";

export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: "ratio" | "ms" | "MB" | "nodes";
  readonly target: number;
  readonly met: boolean;
  readonly detail?: string;
}

const PART_LENGTH = 1_000_000;
const EXACT = 180;
const NORMALISED = 15;
const NEAR = 5;
const ROUNDS = 5;
const TARGET = 3;

const WORDS = ("the agent opened file and read what stood in it before running tests again to see whether change was enough server returned error " +
  "message about missing token which we then looked up inside settings folder of project without telling user that backup had been removed").split(" ");

/** A text of sentences over a vocabulary that thins out as words do, so that rare words are rare. */
function longText(random: () => number): string {
  const pieces: string[] = [];
  let length = 0;
  for (let i = 0; length < PART_LENGTH; i += 1) {
    const word = random() < 0.75 ? WORDS[Math.floor(random() * WORDS.length)]! : `w${Math.floor(random() ** 3 * 20_000).toString(36)}`;
    const piece = i % 13 === 12 ? `${word}.${i % 65 === 64 ? "\n\n" : " "}` : i % 9 === 8 ? `${word}\n` : `${word} `;
    pieces.push(piece);
    length += piece.length;
  }
  return pieces.join("").slice(0, PART_LENGTH);
}

function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

interface Quotes {
  readonly exact: string[];
  readonly normalised: string[];
  readonly near: string[];
}

function quotesFrom(text: string, random: () => number): Quotes {
  const slice = (): string => {
    const at = text.indexOf(" ", Math.floor(random() * (text.length - 400))) + 1;
    return text.slice(at, text.indexOf(" ", at + 60 + Math.floor(random() * 200)));
  };
  const changed = (): string => {
    const words = slice().split(/\s+/);
    words[Math.floor(words.length / 2)] = "altogether";
    return words.join(" ");
  };
  const respaced = (): string => {
    for (;;) {
      const quote = slice();
      if (quote.includes("\n")) return quote.replace(/\s+/g, " ");
    }
  };
  return {
    exact: Array.from({ length: EXACT }, slice),
    normalised: Array.from({ length: NORMALISED }, respaced),
    near: Array.from({ length: NEAR }, changed),
  };
}

/** The same searches with nothing around them: all places, one normalising pass in all, edit distance for the near ones. */
function bare(text: string, quotes: Quotes): number {
  let found = 0;
  const count = (where: string, quote: string): void => {
    for (let at = where.indexOf(quote); at >= 0; at = where.indexOf(quote, at + quote.length)) found += 1;
  };
  for (const quote of quotes.exact) count(text, quote);
  const normalised = text.replace(/\s+/g, " ");
  for (const quote of quotes.normalised) count(normalised, quote);
  for (const quote of quotes.near) found += search(text, quote, Math.floor(quote.length / 10)).length > 0 ? 1 : 0;
  return found;
}

function whole(part: QuotablePart, quotes: Quotes): string {
  const counts: Record<string, number> = {};
  for (const quote of [...quotes.exact, ...quotes.normalised, ...quotes.near]) {
    const { status } = matchQuote([part], quote);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return Object.entries(counts).map(([status, count]) => `${count} ${status}`).join(", ");
}

function median(times: number[]): number {
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
}

/** One row: how many times as long as the bare searches. */
export function run(): BenchRow[] {
  const random = numbers(12345);
  // Through bytes once, so that the text is one flat string like one read from a file.
  const text = Buffer.from(longText(random), "utf8").toString("utf8");
  const part: QuotablePart = { text, kind: "text" };
  const quotes = quotesFrom(text, random);
  const statuses = whole(part, quotes);
  bare(text, quotes);
  const ours: number[] = [];
  const bares: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    let started = performance.now();
    whole(part, quotes);
    ours.push(performance.now() - started);
    started = performance.now();
    bare(text, quotes);
    bares.push(performance.now() - started);
  }
  const value = median(ours) / median(bares);
  const detail = `${median(ours).toFixed(1)} ms against ${median(bares).toFixed(1)} ms bare; ${statuses}`;
  return [{ name: "anchor 200 quotes in 1 MB", value, unit: "ratio", target: TARGET, met: value <= TARGET, detail }];
}
