/** Cuts the text of a part where a difference or a span begins or ends, so that both can be drawn on it. */
import type { WordPiece } from "#core/pairs/align";
import type { HalfSpan, PairRow } from "#protocol/pairs";

export interface Run<S = HalfSpan> {
  readonly text: string;
  readonly isChanged: boolean;
  readonly spans: readonly S[];
}

/** The runs of one half's text in order; put together they give the text. `start` and `end` of spans are UTF-16 units of it. */
export function runsOf<S extends { start: number; end: number }>(pieces: readonly WordPiece[], side: "left" | "right", spans: readonly S[]): Run<S>[] {
  const runs: Run<S>[] = [];
  let at = 0;
  for (const piece of pieces) {
    if (piece.kind !== "same" && piece.kind !== side) continue;
    const end = at + piece.value.length;
    const cuts = [...new Set([at, end, ...spans.flatMap((span) => [span.start, span.end])])].filter((cut) => cut >= at && cut <= end).sort((a, b) => a - b);
    for (let n = 0; n + 1 < cuts.length; n++) {
      const [from, to] = [cuts[n]!, cuts[n + 1]!];
      runs.push({ text: piece.value.slice(from - at, to - at), isChanged: piece.kind === side, spans: spans.filter((span) => span.start <= from && span.end >= to) });
    }
    at = end;
  }
  return runs;
}

/** Rows as they are drawn: one that differs alone, and stretches of equal ones that are folded. `first` is the position of the first row. */
export type Stretch = { readonly kind: "row"; readonly first: number; readonly row: PairRow } | { readonly kind: "fold"; readonly first: number; readonly rows: readonly PairRow[] };

export function stretchesOf(rows: readonly PairRow[]): Stretch[] {
  const out: Stretch[] = [];
  rows.forEach((row, first) => {
    const last = out.at(-1);
    if (row.kind !== "equal") out.push({ kind: "row", first, row });
    else if (last?.kind === "fold") out[out.length - 1] = { ...last, rows: [...last.rows, row] };
    else out.push({ kind: "fold", first, rows: [row] });
  });
  return out;
}
