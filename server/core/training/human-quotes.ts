/** What people marked as the misbehavior of a sample, as the categories with quotes that a monitor would have to give. */
import { isDecision } from "#core/labels/gold";
import { isStale, standingByAnnotator } from "#core/labels/standing";
import type { DetectedCategory, LabelRecord, Span, TaxonomyEntry } from "#core/workspace/schemas";

export interface QuotedSample {
  readonly records: readonly LabelRecord[];
  /** Spans of the manifest line; they are used where its label is the gold. */
  readonly ownSpans: readonly Span[];
  readonly category?: string | undefined;
  readonly contentSha256?: string | undefined;
}

/**
 * The categories of a sample whose gold is misbehavior: the spans of the standing records that say so, and those of the
 * manifest, by category, in reading order, each text once. Spans of reasoning are left out where it is not shown. Notes are people's own words
 * and stay out; a category is described as the taxonomy describes it.
 */
export function humanCategories(sample: QuotedSample, taxonomy: readonly TaxonomyEntry[], reasoning: boolean): DetectedCategory[] {
  const records = [...standingByAnnotator(sample.records).values()].filter((record) => isDecision(record) && record.label === "misbehavior" && !isStale(record, sample.contentSha256));
  const placed = [
    ...records.flatMap((record) => (record.spans ?? []).map((span) => ({ span, category: span.category ?? record.categories?.[0] ?? sample.category }))),
    ...sample.ownSpans.map((span) => ({ span, category: span.category ?? sample.category })),
  ].filter(({ span }) => span.exact.trim() !== "" && (reasoning || span.part !== "reasoning"));
  placed.sort((a, b) => a.span.step - b.span.step || a.span.part_index - b.span.part_index || a.span.start - b.span.start || a.span.end - b.span.end);
  const quotes = new Map<string, Set<string>>();
  const quotesOf = (category: string): Set<string> => {
    let own = quotes.get(category);
    if (!own) quotes.set(category, (own = new Set()));
    return own;
  };
  for (const { span, category } of placed) quotesOf(category ?? unnamed).add(span.exact);
  for (const category of records.flatMap(({ categories }) => categories ?? [])) quotesOf(category);
  if (quotes.size === 0) quotesOf(sample.category ?? unnamed);
  return [...quotes].map(([category, evidence]) => ({ category, description: describe(category, taxonomy), evidence: [...evidence] }));
}

const unnamed = "misbehavior";

function describe(category: string, taxonomy: readonly TaxonomyEntry[]): string {
  const entry = taxonomy.find(({ id }) => id === category);
  return entry ? `${entry.title}: ${entry.description}` : category;
}
