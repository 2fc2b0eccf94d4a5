/** Seeded numbers for what is damaged on purpose: the same seed gives the same files on every machine. */

/** Numbers from 0 up to, not including, 1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function below(random: () => number, limit: number): number {
  return Math.floor(random() * limit);
}

export function pick<T>(random: () => number, list: readonly T[]): T {
  return list[below(random, list.length)]!;
}
