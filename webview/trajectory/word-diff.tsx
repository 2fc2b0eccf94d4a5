/** A near quote against the text that it resembles, word by word. */
import { diffWordsWithSpace } from "diff";
import type { DiffPiece, FoundPlace } from "#protocol/lsp";

/** The difference from quote to text: the host's, else one made here, else (when that takes too long) all of both. */
export function wordDiff(quote: string, place: FoundPlace, text: string | undefined): readonly DiffPiece[] {
  if (place.diff) return place.diff;
  if (text === undefined) return [{ value: quote }];
  return diffWordsWithSpace(quote, text, { timeout: 60 }) ?? [{ value: quote, removed: true }, { value: text, added: true }];
}

/** Removed: only in the quote, struck through. Added: only in the text, underlined. */
export function WordDiff({ pieces }: { readonly pieces: readonly DiffPiece[] }) {
  return (
    <span class="word-diff" dir="auto">
      {pieces.map((piece, n) => (piece.added ? <ins key={n}>{piece.value}</ins> : piece.removed ? <del key={n}>{piece.value}</del> : <span key={n}>{piece.value}</span>))}
    </span>
  );
}
