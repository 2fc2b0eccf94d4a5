/** Looks for a verdict's quotes in a trajectory and answers in the protocol's words. */
import { matchQuote } from "#core/evidence/match-quote";
import type { QuotablePart } from "#core/evidence/part-forms";
import type { QuoteMatch, QuotePlace } from "#core/evidence/quote-match";
import type { Trajectory } from "#core/trajectory/model";
import type { DetectedCategory } from "#core/workspace/schemas";
import type { FoundPlace, FoundQuote } from "#protocol/lsp";

/** The parts of a trajectory in reading order, each with where it stands. One list for each trajectory, so that its forms are cached. */
export interface QuotableTrajectory {
  readonly parts: readonly QuotablePart[];
  readonly places: readonly { readonly step: number; readonly part: number }[];
}

/** Flattens the steps of a trajectory; `places[i]` says in which step and at which position `parts[i]` stands. */
export function quotable(trajectory: Trajectory): QuotableTrajectory {
  const parts: QuotablePart[] = [];
  const places: { step: number; part: number }[] = [];
  for (const step of trajectory.steps) {
    step.parts.forEach((part, at) => {
      parts.push(part);
      places.push({ step: step.index, part: at });
    });
  }
  return { parts, places };
}

/** Every quote of the categories, in order, with the places found (UTF-16 offsets in the part's text). */
export function locateCategories(trajectory: QuotableTrajectory, categories: readonly DetectedCategory[]): FoundQuote[] {
  return categories.flatMap((found, at) =>
    found.evidence.map((quote, index) => ({
      id: `${at}/${index}`, category: found.category, description: found.description,
      ...(found.severity === undefined ? {} : { severity: found.severity }),
      ...inProtocol(matchQuote(trajectory.parts, quote), trajectory),
    })),
  );
}

function inProtocol(match: QuoteMatch, { places }: QuotableTrajectory): Pick<FoundQuote, "quote" | "status" | "places" | "current" | "resemblance"> {
  const placeOf = (place: QuotePlace): FoundPlace => ({
    pieces: place.pieces.map((piece) => ({ ...(places[piece.partIndex] ?? { step: 0, part: 0 }), start: piece.start, end: piece.end })),
    score: place.score,
    ...(place.normalised ? { normalised: true } : {}),
    ...(place.elided ? { elided: true } : {}),
    ...(place.difference ? { diff: place.difference.map(({ kind, value }) => ({ value, ...(kind === "quote" ? { removed: true } : kind === "text" ? { added: true } : {}) })) } : {}),
  });
  return {
    quote: match.quote, status: match.status, places: match.places.map(placeOf), current: Math.max(0, match.current),
    ...(match.resemblance ? { resemblance: placeOf(match.resemblance) } : {}),
  };
}
