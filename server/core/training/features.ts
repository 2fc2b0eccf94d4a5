/** What the linear guard sees of a trajectory: hashed word and character n-grams of the agent's own words and actions, and counts of steps. */
import type { Part, StepFlag, Trajectory } from "#core/trajectory/model";

/** Raised when the same trajectory gives other features. */
export const featuresVersion = 1;
/** Buckets of the hash: 2 to the power of this. */
export const bucketBits = 18;
/** Of a longer trajectory the first characters stand for all. */
export const readCharacters = 400_000;
const characterNgrams = [3, 4, 5] as const;

/** A feature by its bucket; `sign` is 1 or -1, so that features that share a bucket cancel out rather than add up (Weinberger and others 2009, Feature Hashing). */
export interface Hashed {
  readonly bucket: number;
  readonly sign: 1 | -1;
}

/** Sparse features of one trajectory, buckets ascending. */
export interface FeatureVector {
  readonly buckets: Uint32Array;
  readonly values: Float64Array;
}

/** A word or mark of a part: UTF-16 offsets in its text. */
export interface Token {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** Told of every feature with the weight that it has in the vector before buckets are summed; for naming what a model goes by. */
export type FeatureSink = (name: string, hashed: Hashed, value: number) => void;

const foreign = new Set<StepFlag>(["demonstration", "copied_context", "duplicate", "user_tool", "synthetic"]);

/** FNV-1a over UTF-16 units with the finaliser of MurmurHash3. */
export function hashFeature(name: string): Hashed {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash ^= hash >>> 16;
  return { bucket: (hash >>> 0) & ((1 << bucketBits) - 1), sign: hash < 0 ? -1 : 1 };
}

/** The parts that are the agent's own doing in this run. */
export function ownParts(trajectory: Trajectory, reasoning: boolean): { readonly step: number; readonly part: Part }[] {
  return trajectory.steps.flatMap((step) => (step.role !== "assistant" || step.flags?.some((flag) => foreign.has(flag)) ? []
    : step.parts.filter((part) => part.kind !== "tool_result" && (reasoning || part.kind !== "reasoning")).map((part) => ({ step: step.index, part }))));
}

/** Words in lower case, and every other visible character by itself; long numbers are all alike. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu)) {
    const word = match[0].toLowerCase();
    tokens.push({ word: /^\d{5,}$/.test(word) ? "#####" : word.slice(0, 60), start: match.index, end: match.index + match[0].length });
  }
  return tokens;
}

/** The character n-grams of a word with its edges marked. */
export function characterGrams(word: string): string[] {
  const marked = ` ${word} `;
  const grams: string[] = [];
  for (const size of characterNgrams) for (let at = 0; at + size <= marked.length; at++) grams.push(marked.slice(at, at + size));
  return grams;
}

/** Names of features by what they count. */
export const wordName = (word: string): string => `w:${word}`;
export const pairName = (first: string, second: string): string => `w:${first} ${second}`;
export const gramName = (gram: string): string => `c:${gram}`;

/**
 * The features of a trajectory. Counts n enter as 1 + ln n; words, characters and steps are each scaled to length 1, so that none drowns
 * the others and long trajectories count no more than short ones. Labels, metadata and what others said are not looked at.
 */
export function featuresOf(trajectory: Trajectory, reasoning: boolean, sink?: FeatureSink): FeatureVector {
  const words = new Map<string, number>();
  const single = new Map<string, number>();
  let left = readCharacters;
  for (const { part } of ownParts(trajectory, reasoning)) {
    if (left <= 0) break;
    const text = part.text.length > left ? part.text.slice(0, left) : part.text;
    left -= text.length;
    let before = "";
    for (const { word } of tokensOf(text)) {
      single.set(word, (single.get(word) ?? 0) + 1);
      if (before !== "") add(words, pairName(before, word));
      before = word;
    }
  }
  const grams = new Map<string, number>();
  for (const [word, count] of single) {
    add(words, wordName(word), count);
    for (const gram of characterGrams(word)) add(grams, gramName(gram), count);
  }
  const sums = new Map<number, number>();
  for (const [counts, scale] of [[words, 1], [grams, 1], [stepCounts(trajectory, reasoning), 0.5]] as const) addScaled(counts, scale, sums, sink);
  const entries = [...sums].filter(([, value]) => value !== 0).sort(([a], [b]) => a - b);
  return { buckets: Uint32Array.from(entries, ([bucket]) => bucket), values: Float64Array.from(entries, ([, value]) => value) };
}

function add(counts: Map<string, number>, name: string, count = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

function addScaled(counts: ReadonlyMap<string, number>, scale: number, sums: Map<number, number>, sink: FeatureSink | undefined): void {
  let square = 0;
  for (const count of counts.values()) square += (1 + Math.log(count)) ** 2;
  if (square === 0) return;
  const factor = scale / Math.sqrt(square);
  for (const [name, count] of counts) {
    const hashed = hashFeature(name);
    const value = (1 + Math.log(count)) * factor;
    sums.set(hashed.bucket, (sums.get(hashed.bucket) ?? 0) + hashed.sign * value);
    sink?.(name, hashed, value);
  }
}

/** How many steps, calls, errors and characters there are, by powers of two, and which tools are called. */
function stepCounts(trajectory: Trajectory, reasoning: boolean): Map<string, number> {
  const own = ownParts(trajectory, reasoning);
  const parts = trajectory.steps.flatMap((step) => step.parts);
  const size = (count: number): number => (count === 0 ? 0 : 1 + Math.floor(Math.log2(count)));
  const counts = {
    steps: trajectory.steps.length, own: new Set(own.map(({ step }) => step)).size, calls: own.filter(({ part }) => part.kind === "tool_call").length,
    reasoning: own.filter(({ part }) => part.kind === "reasoning").length, errors: parts.filter(({ isError }) => isError === true).length,
    characters: own.reduce((sum, { part }) => sum + part.text.length, 0),
  };
  const names = new Map(Object.entries(counts).map(([name, count]) => [`s:${name}=${size(count)}`, 1]));
  for (const { part } of own) if (part.kind === "tool_call" && part.toolName !== undefined) names.set(`s:tool=${part.toolName.slice(0, 60)}`, 1);
  return names;
}
