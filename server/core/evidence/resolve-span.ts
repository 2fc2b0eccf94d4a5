/** Finds a saved span again in a text that may have changed since, from the surest way to the least sure. */

import { chooseCurrent } from "./choose-current";
import type { MatchHint } from "./choose-current";
import { CodePoints } from "./code-points";
import { findAll, findNormalised } from "./find-exact";
import type { Range } from "./mapped-text";
import { pieceOf } from "./match-exact";
import { matchNear } from "./match-near";
import { moveRange } from "./move-range";
import { formsOfPart, formsOfQuote } from "./part-forms";
import type { QuotablePart } from "./part-forms";
import { checkSpan, spanToUtf16 } from "./span";
import type { Span } from "./span";
import { scopeOf } from "./views";

/**
 * Where a span is now. `exact`: at its own place. `shifted`: the same characters elsewhere. `normalised`: up to what
 * never matters. `moved`: carried along by what changed between the two texts. `near`: by likeness. `orphan`: lost, to be
 * shown as such and never dropped.
 */
export type Resolution =
  | { readonly state: "exact" | "shifted" | "normalised" | "moved" | "near"; readonly range: Range; readonly score: number }
  | { readonly state: "orphan" };

export interface ResolveOptions {
  /** The part's text when the span was made, if it is still known. */
  readonly before?: string;
}

type Quoted = Pick<Span, "start" | "end" | "exact" | "prefix" | "suffix">;

// What a span scores that was carried along by a difference, at most.
const MOVED_SCORE = 0.9;

/**
 * Looks for `span` in `part`; ranges are UTF-16 offsets of its text. Of several places the one with the span's own
 * surroundings is taken, then the nearest to where it was. A blank or malformed span is an orphan; nothing throws.
 */
export function resolveSpan(part: QuotablePart, span: Quoted, options: ResolveOptions = {}): Resolution {
  const { text } = part;
  if (span.exact.trim() === "") return { state: "orphan" };
  const points = new CodePoints(text);
  if (checkSpan(text, span, points) === undefined) return { state: "exact", range: spanToUtf16(text, span, points)!, score: 1 };
  const moved = movedBy(options.before, text, span);
  const hint: MatchHint = {
    partIndex: 0,
    offset: moved?.start ?? points.toUtf16(Math.max(0, Math.min(points.length, Math.trunc(span.start) || 0))),
    before: span.prefix,
    after: span.suffix,
  };
  const shifted = choose(part, findAll(text, span.exact).ranges, hint);
  if (shifted !== undefined) return { state: "shifted", range: shifted, score: 0.99 };
  const scope = scopeOf([part], [0], span.exact);
  const forms = formsOfQuote(span.exact);
  const ranges = scope.views.flatMap((view) => findNormalised(forms, formsOfPart(view.part), part.kind).ranges.map((range) => pieceOf(view, range)));
  const normalised = choose(part, ranges, hint);
  if (normalised !== undefined) return { state: "normalised", range: normalised, score: 0.97 };
  if (moved !== undefined) return { state: "moved", range: moved, score: MOVED_SCORE * keptShare(moved, span.exact) };
  const near = matchNear([part], [scope], span.exact, hint);
  if (near === undefined || !near.isNear) return { state: "orphan" };
  const { pieces, score } = near.place;
  return { state: "near", range: { start: pieces[0]!.start, end: pieces[pieces.length - 1]!.end }, score };
}

function choose(part: QuotablePart, ranges: readonly Range[], hint: MatchHint): Range | undefined {
  const places = ranges.map((range) => ({ pieces: [{ partIndex: 0, start: range.start, end: range.end }], score: 1 }));
  return ranges[chooseCurrent([part], places, hint)];
}

function movedBy(before: string | undefined, text: string, span: Quoted): Range | undefined {
  if (before === undefined || checkSpan(before, span) !== undefined) return undefined;
  return moveRange(before, text, spanToUtf16(before, span)!);
}

/** How much of the span's length is left: a range that shrank or grew is less sure. */
function keptShare(range: Range, exact: string): number {
  const length = range.end - range.start;
  return Math.min(length, exact.length) / Math.max(length, exact.length);
}
