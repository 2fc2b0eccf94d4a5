/** Random numbers that a seed fixes, so that whoever draws a plan or a bootstrap again gets the same one. */

/** Numbers from 0 up to 1, one at each call. */
export type Random = () => number;

/**
 * The generator xoshiro128** (Blackman and Vigna 2021, "Scrambled linear pseudorandom number generators"), its state filled
 * from `seed` and `purpose` by FNV-1a and the finaliser of MurmurHash3. Two purposes give streams that do not follow each other.
 */
export function seededRandom(seed: number, purpose = ""): Random {
  let hash = 0x811c9dc5;
  for (const character of `${seed}\n${purpose}`) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  const fill = (): number => {
    hash = (hash + 0x9e3779b9) | 0;
    let mixed = hash;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return mixed ^ (mixed >>> 16);
  };
  let [a, b, c, d] = [fill(), fill(), fill(), fill() | 1];
  return () => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return result / 0x1_0000_0000;
  };
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

/** A whole number from 0 up to `below`. */
export function randomBelow(random: Random, below: number): number {
  return Math.floor(random() * below);
}

/** The items in an order in which every permutation is equally likely (Fisher and Yates; Durstenfeld 1964). */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const out = [...items];
  for (let last = out.length - 1; last > 0; last--) {
    const at = randomBelow(random, last + 1);
    [out[last], out[at]] = [out[at] as T, out[last] as T];
  }
  return out;
}
