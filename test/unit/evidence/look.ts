/** Short ways to ask the evidence engine in tests. */
import { matchQuote } from "#core/evidence/match-quote";
import type { PartKind } from "#core/evidence/part-forms";
import type { DifferencePiece, QuoteMatch } from "#core/evidence/quote-match";

/** The match of a quote in one part. */
export function match(text: string, quote: string, kind: PartKind = "text"): QuoteMatch {
  return matchQuote([{ text, kind }], quote);
}

/** Status, flags and slices of the current place in one line: `exact normalised [a][b]`. */
export function look(text: string, quote: string, kind: PartKind = "text"): string {
  const found = match(text, quote, kind);
  const place = found.places[found.current];
  if (place === undefined) return found.status;
  const flags = `${place.normalised ? " normalised" : ""}${place.elided ? " elided" : ""}`;
  const slices = place.pieces.map((piece) => `[${text.slice(piece.start, piece.end)}]`).join("");
  return `${found.status}${found.status === "ambiguous" ? ` ${found.count}` : ""}${flags} ${slices}`;
}

/** A difference in one line: `same{-only in the quote-}{+only in the text+}`. */
export function shown(difference: readonly DifferencePiece[] | undefined): string {
  return (difference ?? [])
    .map(({ kind, value }) => (kind === "quote" ? `{-${value}-}` : kind === "text" ? `{+${value}+}` : value))
    .join("");
}
