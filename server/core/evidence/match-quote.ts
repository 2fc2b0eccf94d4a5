/** Looks for a quote in the parts of a trajectory and says what was found: the one door to the rest of this folder. */

import { chooseCurrent } from "./choose-current";
import type { MatchHint } from "./choose-current";
import { matchExact } from "./match-exact";
import { matchNear } from "./match-near";
import type { QuotablePart } from "./part-forms";
import type { QuoteMatch, QuotePlace } from "./quote-match";
import { scopeOf } from "./views";

export interface MatchOptions {
  /** Indices of the parts that the monitor named: looked in first; a place in another part says `elsewhere`. */
  readonly preferred?: number | readonly number[];
  /** What is known of the surroundings; decides which of several places is the current one. */
  readonly hint?: MatchHint;
}

/**
 * Where `quote` stands in `parts`. Offsets are UTF-16 units of each part's recorded text. A blank quote is absent. An
 * exact place anywhere comes before a near one in a preferred part. Hand in the same part objects for every quote: what
 * is worked out about a part is kept with it. Never throws on any text.
 */
export function matchQuote(parts: readonly QuotablePart[], quote: string, options: MatchOptions = {}): QuoteMatch {
  if (/^[\s\u0085]*$/.test(quote)) return { status: "absent", quote, places: [], count: 0, current: -1 };
  const named = new Set(typeof options.preferred === "number" ? [options.preferred] : options.preferred ?? []);
  const all = parts.map((_, index) => index);
  const preferred = all.filter((index) => named.has(index));
  const rest = all.filter((index) => !named.has(index));
  const scopes = [preferred, rest].filter((indices) => indices.length > 0).map((indices) => scopeOf(parts, indices, quote));
  const mark = (place: QuotePlace): QuotePlace =>
    preferred.length > 0 && place.pieces.some((piece) => !named.has(piece.partIndex)) ? { ...place, elsewhere: true } : place;

  const exact = matchExact(parts, scopes, quote);
  if (exact !== undefined) {
    const places = exact.places.map(mark);
    const status = exact.count > 1 ? "ambiguous" : "exact";
    return { status, quote, places, count: exact.count, current: chooseCurrent(parts, places, options.hint) };
  }
  const near = matchNear(parts, scopes, quote, options.hint);
  if (near === undefined) return { status: "absent", quote, places: [], count: 0, current: -1 };
  if (!near.isNear) return { status: "absent", quote, places: [], count: 0, current: -1, resemblance: mark(near.place) };
  return { status: "near", quote, places: [mark(near.place)], count: 1, current: 0 };
}
