/** Where words begin and end in a text, for moving the edges of a span by keyboard. Offsets are UTF-16 units. */

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** How far around an edge is looked: a key press must not read a megabyte. */
const reach = 1000;
const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/** Words and signs (no white space) around `offset`, in order. An emoji, or a letter with its accents, is never cut. */
function tokensAround(text: string, offset: number): TextRange[] {
  const from = Math.max(0, offset - reach);
  const tokens: TextRange[] = [];
  for (const { segment, index } of segmenter.segment(text.slice(from, offset + reach))) {
    if (segment.trim() !== "") tokens.push({ start: from + index, end: from + index + segment.length });
  }
  // The first and the last one may be the rest of a word that begins or ends outside.
  return tokens.slice(from > 0 ? 1 : 0, offset + reach < text.length ? -1 : undefined);
}

/** The first word or sign that begins at or behind `offset` (`by` 1), or the last one that ends at or before it (`by` -1). */
export function wordFrom(text: string, offset: number, by: 1 | -1): TextRange | undefined {
  const tokens = tokensAround(text, offset);
  return by > 0 ? tokens.find(({ start }) => start >= offset) : tokens.filter(({ end }) => end <= offset).at(-1);
}

/** The range with one edge moved on (`by` 1) or back (`by` -1) by a word. Undefined where it would be empty or leave the text. */
export function moveEdge(text: string, range: TextRange, edge: "start" | "end", by: 1 | -1): TextRange | undefined {
  const at = range[edge];
  const edges = tokensAround(text, at).map((token) => token[edge]).filter((one) => (by > 0 ? one > at : one < at));
  const next = by > 0 ? edges[0] : edges.at(-1);
  if (next === undefined) return undefined;
  const moved = { ...range, [edge]: next };
  return moved.end > moved.start ? moved : undefined;
}
