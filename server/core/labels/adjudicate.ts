/** Deciding between annotators: what the decider is shown, and the record that the decision leaves. */
import type { LabelRecord, Span } from "#core/workspace/schemas";
import type { Disagreement } from "./disagreement";
import { seededRandom, shuffled } from "./seeded-random";

/** One side of a disagreement. `record` carries no name while names are hidden. */
export interface Side {
  /** A, B, … in an order that a seed fixes: it says nothing of who spoke first. */
  readonly letter: string;
  readonly annotator?: string;
  readonly counted: Omit<LabelRecord, "annotator">;
  /** The later label where one was changed after a reveal. */
  readonly changedTo?: Omit<LabelRecord, "annotator">;
}

/** The sides of a disagreement. With `hideNames` neither names nor ids (which could be looked up) of people are in them. */
export function sidesOf({ voices }: Disagreement, seed: number, hideNames: boolean): Side[] {
  const sampleId = voices[0]?.counted.sample_id ?? "";
  return shuffled(voices, seededRandom(seed, `sides of ${sampleId}`)).map(({ annotator, counted, standing, changed }, at): Side => ({
    letter: letterOf(at),
    ...(hideNames ? {} : { annotator }),
    counted: withoutName(counted),
    ...(changed ? { changedTo: withoutName(standing) } : {}),
  }));
}

/** A, B, … Z, AA, AB, … */
export function letterOf(at: number): string {
  return at < 26 ? String.fromCharCode(65 + at) : `${letterOf(Math.floor(at / 26) - 1)}${letterOf(at % 26)}`;
}

function withoutName({ annotator: _, ...rest }: LabelRecord): Omit<LabelRecord, "annotator"> {
  return rest;
}

/** What a decision takes over from a side: everything but who said it and when. */
export function sideWith(side: Pick<LabelRecord, "label" | "categories" | "spans" | "note">): { label: LabelRecord["label"]; categories: string[]; spans: Span[] } {
  return { label: side.label, categories: [...(side.categories ?? [])], spans: [...(side.spans ?? [])] };
}

export interface AdjudicationInput {
  readonly disagreement: Disagreement;
  readonly id: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly annotator: string;
  readonly sampleId: string;
  readonly contentSha256?: string | undefined;
  readonly decision: { readonly label: NonNullable<LabelRecord["label"]>; readonly categories?: readonly string[] | undefined; readonly spans?: readonly Span[] | undefined };
  readonly note?: string | undefined;
  /** The sentence of the guidelines that decided. */
  readonly guidelineQuote?: string | undefined;
  readonly guidelineSha256?: string | undefined;
  readonly seconds?: number | undefined;
}

/**
 * The record of an adjudication. It names every record that was weighed, later changes included, so that a change of any of
 * them reopens it; the decider has seen the others' labels, so it is not blind.
 */
export function adjudicationRecord(input: AdjudicationInput): LabelRecord {
  const { decision, disagreement } = input;
  const weighed = new Set(disagreement.voices.flatMap(({ counted, standing }) => [counted.id, standing.id]));
  // An earlier adjudication by the same person is replaced; one by somebody else is only weighed.
  const earlier = disagreement.gold.adjudication;
  if (earlier !== undefined) weighed.add(earlier);
  return {
    id: input.id, sample_id: input.sampleId,
    ...(input.contentSha256 === undefined ? {} : { content_sha256: input.contentSha256 }),
    annotator: input.annotator, created_at: input.createdAt, label: decision.label,
    ...(decision.categories?.length ? { categories: [...decision.categories] } : {}),
    ...(decision.spans?.length ? { spans: [...decision.spans] } : {}),
    ...(input.note ? { note: input.note } : {}),
    blind: false, seen: ["others"], action: "decide",
    ...(input.guidelineSha256 === undefined ? {} : { guideline_sha256: input.guidelineSha256 }),
    adjudicates: [...weighed],
    ...(input.seconds === undefined ? {} : { seconds: input.seconds }),
    ...(input.guidelineQuote === undefined ? {} : { guideline_quote: input.guidelineQuote }),
  };
}
