/** The passages of a trajectory that a linear guard goes by, as exact quotes. */
import type { Trajectory } from "#core/trajectory/model";
import { characterGrams, gramName, hashFeature, ownParts, pairName, tokensOf, wordName, type Token } from "./features";
import type { Weights } from "./fit";

const longestPassage = 200;
const mostTokens = 60_000;

interface Passage {
  readonly text: string;
  readonly weight: number;
}

/** Up to `count` passages (lines, or pieces of long ones, of one part each) with the highest sums of weights above 0, heaviest first. */
export function tellingPassages(weights: Weights, trajectory: Trajectory, reasoning: boolean, count: number): string[] {
  const weightByWord = new Map<string, number>();
  const found: Passage[] = [];
  let tokensLeft = mostTokens;
  for (const { part: { text } } of ownParts(trajectory, reasoning)) {
    const tokens = tokensOf(text).slice(0, tokensLeft);
    tokensLeft -= tokens.length;
    let before = "";
    let from = 0;
    let sum = 0;
    for (const [at, token] of tokens.entries()) {
      const first = tokens[from] as Token;
      if (at > from && (token.end - first.start > longestPassage || text.slice(tokens[at - 1]!.end, token.start).includes("\n"))) {
        found.push({ text: text.slice(first.start, tokens[at - 1]!.end), weight: sum });
        [from, sum] = [at, 0];
      }
      sum += weightOf(weights, token.word, weightByWord) + (before === "" ? 0 : signed(weights, pairName(before, token.word)));
      before = token.word;
    }
    if (from < tokens.length) found.push({ text: text.slice(tokens[from]!.start, tokens.at(-1)!.end), weight: sum });
    if (tokensLeft <= 0) break;
  }
  const best = found.filter(({ text, weight }) => weight > 0 && text.length > 3 && text.length <= longestPassage).sort((a, b) => b.weight - a.weight || (a.text < b.text ? -1 : 1));
  return [...new Set(best.map(({ text }) => text))].slice(0, count);
}

/** The weight of a word with its characters, which are spread over many grams. */
function weightOf(weights: Weights, word: string, known: Map<string, number>): number {
  let weight = known.get(word);
  if (weight === undefined) {
    const grams = characterGrams(word);
    weight = signed(weights, wordName(word)) + grams.reduce((sum, gram) => sum + signed(weights, gramName(gram)), 0) / Math.sqrt(grams.length);
    known.set(word, weight);
  }
  return weight;
}

function signed({ byBucket }: Weights, name: string): number {
  const { bucket, sign } = hashFeature(name);
  return sign * (byBucket[bucket] as number);
}
