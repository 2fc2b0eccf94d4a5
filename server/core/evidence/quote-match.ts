/** What looking for a quote gives: the words in which the rest of the product speaks of evidence. */

/**
 * `exact`: one place, the same up to what never matters. `near`: one place, with its difference. `ambiguous`: several
 * exact places. `absent`: none; never drawn.
 */
export type EvidenceStatus = "exact" | "near" | "ambiguous" | "absent";

/** A range of one part: UTF-16 offsets into the recorded text of `parts[partIndex]`, end exclusive. */
export interface PlacePiece {
  readonly partIndex: number;
  readonly start: number;
  readonly end: number;
}

/** A stretch of the comparison of a quote with the text it was found near. */
export interface DifferencePiece {
  /** In both; only in the quote; only in the text; a mark of omission in the quote. */
  readonly kind: "same" | "quote" | "text" | "omission";
  readonly value: string;
}

/** One place of a quote. */
export interface QuotePlace {
  /** One piece, or one for each piece of a quote with omissions; in reading order. */
  readonly pieces: readonly PlacePiece[];
  /** 1 for the same characters, less the more had to be bridged. */
  readonly score: number;
  /** The text differs from the quote in white space, quotation marks, dashes, composition, Markdown marks or escapes. */
  readonly normalised?: true;
  /** The quote marks an omission and the text has words there. */
  readonly elided?: true;
  /** Not in a part that the monitor named. */
  readonly elsewhere?: true;
  /** For `near`: what differs. */
  readonly difference?: readonly DifferencePiece[];
}

/** Where a quote stands in the parts it was looked for in. */
export interface QuoteMatch {
  readonly status: EvidenceStatus;
  readonly quote: string;
  /** Empty when absent, one when exact or near, all that are listed when ambiguous; in reading order. */
  readonly places: readonly QuotePlace[];
  /** How many exact places there are; more than `places.length` when too many to list. 0 when absent, 1 when near. */
  readonly count: number;
  /** Index in `places` of the one to show; -1 when absent. */
  readonly current: number;
  /** For `absent`: the passage that came closest, to be named but never drawn. */
  readonly resemblance?: QuotePlace;
}
