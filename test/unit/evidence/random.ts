/** A small seeded generator of numbers and of awkward texts, so that a failing case can be run again. */

/** Numbers from 0 up to 1, the same for the same seed (mulberry32, public domain, Tommy Ettinger). */
export function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A whole number from 0 up to `below`. */
export function pick(random: () => number, below: number): number {
  return Math.floor(random() * below);
}

const PIECES = [
  "a", "b", "word", "Word", "the", "not", "7", "12", " ", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u0085", "\u2028", ".", ",", "...", "\u2026", "'", "\u2019", "\"", "\u201c", "-", "\u2014",
  "*", "**", "_", "`", "```\n", "~~", "\\", "\\n", "\\\"", "\\u00e9", "\\\\", "&lt;", "&amp;", "{", "}", "[", "]", ":", "{\"a\": 1}", "[1, 2]",
  "\u{1f600}", "\u{1f468}\u200d\u{1f469}", "e\u0301", "\u00e9", "\u0301", "\ud83d", "\ude00", "\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631", "\u202e", "\u6f22\u5b57", "\u1112\u1161\u11ab", "\u0e01", "\u0000", "\ufeff",
] as const;

/** A text of some pieces that have given trouble: emoji, marks, line ends, tabs, halves of pairs, right to left. */
export function awkwardText(random: () => number, pieces: number): string {
  let text = "";
  for (let i = 0; i < pieces; i += 1) text += PIECES[pick(random, PIECES.length)];
  return text;
}
