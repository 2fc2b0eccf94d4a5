/** Samples that are the same or nearly so, found among thousands without comparing each with each. */
import type { Step } from "#core/trajectory/model";

export interface Fingerprint {
  readonly id: string;
  readonly group: string;
  readonly split?: string | undefined;
  readonly contentSha256: string;
  /** Hashes of runs of five words, ascending, without repeats: the smallest ones, as `shinglesOf` gives them. */
  readonly shingles: Uint32Array;
}

export interface Duplicate {
  readonly code: "duplicate-sample" | "near-duplicate" | "duplicate-across-splits" | "near-duplicate-across-splits";
  /** The later of the two, and the one that it repeats. */
  readonly id: string;
  readonly of: string;
  /** Share of shingles in common (Jaccard), 1 for the same content. */
  readonly likeness: number;
}

const shingleWords = 5;
/** From this share of common shingles on two samples count as nearly the same. */
export const nearDuplicate = 0.9;
/** Shorter texts say too little to be called alike. */
const fewestShingles = 20;
/** MinHash with 20 bands of 5 finds a pair of likeness 0.9 but for 1 in 10 to the 7 (Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, 3.4). */
const bands = 20;
const rowsInBand = 5;

/** Of a longer text the smallest hashes stand for all of them: a fair sample, and the same one for texts that are alike. */
const keptShingles = 4096;

/** Words of a sample that its shingles are made of, at most: enough to tell, and a log of a gigabyte costs no more than others. */
const mostWords = 50_000;

/** The shingles of what the steps say, whatever the roles, from their beginning on. */
export function shinglesOf(steps: readonly Step[]): Uint32Array {
  const words: string[] = [];
  for (const { parts } of steps) {
    for (const { text } of parts) {
      for (const [word] of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
        if (words.length >= mostWords) break;
        words.push(word.toLowerCase());
      }
    }
    if (words.length >= mostWords) break;
  }
  const hashes = new Set<number>();
  for (let at = 0; at + shingleWords <= words.length; at++) {
    let hash = 0x811c9dc5;
    for (let i = at; i < at + shingleWords; i++) {
      const word = words[i] as string;
      for (let c = 0; c < word.length; c++) hash = Math.imul(hash ^ word.charCodeAt(c), 0x01000193);
      hash = Math.imul(hash ^ 0x20, 0x01000193);
    }
    hashes.add(hash >>> 0);
  }
  return Uint32Array.from(hashes).sort().slice(0, keptShingles);
}

/**
 * Repeated samples. Members of one group (the halves of a pair, epochs) are alike by design and only told where they lie in
 * different splits or hold the very same content without being a pair's halves: that is the pair check's to tell.
 */
export function findDuplicates(samples: readonly Fingerprint[]): Duplicate[] {
  const found = new Map<string, Duplicate>();
  const add = (a: Fingerprint, b: Fingerprint, likeness: number): void => {
    const apart = a.split !== b.split;
    if (a.group === b.group && !apart) return;
    const kind = likeness === 1 ? "duplicate" : "near-duplicate";
    const code = apart ? (`${kind}-across-splits` as const) : kind === "duplicate" ? "duplicate-sample" : "near-duplicate";
    const known = found.get(b.id);
    // One across splits is what counts most: it is never hidden by a likeness within one.
    const knownApart = known?.code.endsWith("-across-splits") === true;
    if (!known || (apart && !knownApart) || (apart === knownApart && likeness > known.likeness)) found.set(b.id, { code, id: b.id, of: a.id, likeness });
  };
  const byContent = new Map<string, Fingerprint>();
  for (const sample of samples) {
    const first = byContent.get(sample.contentSha256);
    if (first) add(first, sample, 1);
    else byContent.set(sample.contentSha256, sample);
  }
  for (const [a, b] of candidates([...byContent.values()])) {
    const likeness = jaccard(a.shingles, b.shingles);
    if (likeness >= nearDuplicate) add(a, b, Math.min(likeness, 1 - 1e-9));
  }
  return [...found.values()];
}

/** Pairs that share a band of their MinHash signatures, each once, in the order given. */
function* candidates(samples: readonly Fingerprint[]): Generator<[Fingerprint, Fingerprint]> {
  const buckets = new Map<string, number[]>();
  const seen = new Set<number>();
  for (const [at, sample] of samples.entries()) {
    if (sample.shingles.length < fewestShingles) continue;
    const signature = signatureOf(sample.shingles);
    for (let band = 0; band < bands; band++) {
      const key = `${band}:${signature.subarray(band * rowsInBand, (band + 1) * rowsInBand).join(",")}`;
      const bucket = buckets.get(key);
      if (!bucket) buckets.set(key, [at]);
      else {
        // A bucket of hundreds is one text over and over: its first members stand for it.
        for (const other of bucket.slice(0, 50)) {
          const pair = other * samples.length + at;
          if (seen.has(pair)) continue;
          seen.add(pair);
          yield [samples[other] as Fingerprint, sample];
        }
        bucket.push(at);
      }
    }
  }
}

function signatureOf(shingles: Uint32Array): Uint32Array {
  const signature = new Uint32Array(bands * rowsInBand).fill(0xffffffff);
  for (const shingle of shingles) {
    let hash = shingle;
    for (let i = 0; i < signature.length; i++) {
      hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
      const mixed = Math.imul(hash ^ (hash >>> 13), 0x297a2d39) >>> 0;
      if (mixed < (signature[i] as number)) signature[i] = mixed;
    }
  }
  return signature;
}

/** Exact for short texts; of long ones an estimate from the smallest hashes of the union (Bar-Yossef and others 2002, KMV). */
function jaccard(a: Uint32Array, b: Uint32Array): number {
  let common = 0;
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const [left, right] = [a[i] as number, b[j] as number];
    if (left === right) {
      common++;
      i++;
      j++;
    } else if (left < right) i++;
    else j++;
  }
  // Behind the end of a list that was cut short nothing is known.
  const isCut = a.length >= keptShingles || b.length >= keptShingles;
  const all = isCut ? i + j - common : a.length + b.length - common;
  return all === 0 ? 0 : common / all;
}
