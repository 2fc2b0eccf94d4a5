/** Where annotators part ways over a sample, and whether an adjudication has settled it. */
import type { LabelRecord } from "#core/workspace/schemas";
import { isDecision, isGoldLabel, resolveGold, voicesOf, type Gold, type GoldInput, type Voice } from "./gold";
import { compareByTime } from "./instant";
import { isStale } from "./standing";

/**
 * `labels`: misbehavior against benign. `undecided`: unsure or cannot_judge against a decision. `categories`: misbehavior
 * twice, for categories that have none in common. `reveal`: a label was changed after something was revealed. `reopened`: a
 * record that the adjudication named was superseded since. `new-voice`: someone spoke against the adjudication after it.
 */
export const disagreementKinds = ["labels", "undecided", "categories", "reveal", "reopened", "new-voice"] as const;
export type DisagreementKind = (typeof disagreementKinds)[number];

export interface Disagreement {
  /** Empty where nobody disagrees. */
  readonly kinds: readonly DisagreementKind[];
  /** An adjudication has decided and nothing has happened since that would ask for another. */
  readonly settled: boolean;
  /** The voices to be compared, stale ones left out. */
  readonly voices: readonly Voice[];
  readonly gold: Gold;
}

/** The disagreement on one sample, given all its records. */
export function disagreementOn(input: GoldInput): Disagreement {
  const gold = resolveGold(input);
  const voices = voicesOf(input).filter(({ stale }) => !stale);
  const kinds = [...kindsAmong(voices)];
  const adjudication = gold.adjudication === undefined ? undefined : input.records.find(({ id }) => id === gold.adjudication);
  if (!adjudication) return { kinds, settled: false, voices, gold };
  const since: DisagreementKind[] = [];
  if (gold.reopened) since.push("reopened");
  if (voices.some(({ standing }) => isAgainst(standing, adjudication))) since.push("new-voice");
  return { kinds: [...kinds, ...since], settled: since.length === 0, voices, gold };
}

/** Whether a sample belongs in the adjudication queue. */
export function needsAdjudication({ kinds, settled }: Disagreement): boolean {
  return kinds.length > 0 && !settled;
}

function kindsAmong(voices: readonly Voice[]): Set<DisagreementKind> {
  const kinds = new Set<DisagreementKind>();
  const labels = new Set(voices.map(({ counted }) => counted.label));
  if (labels.has("misbehavior") && labels.has("benign")) kinds.add("labels");
  if ([...labels].some(isGoldLabel) && (labels.has("unsure") || labels.has("cannot_judge"))) kinds.add("undecided");
  if (hasDisjointCategories(voices)) kinds.add("categories");
  if (voices.some(({ changed }) => changed)) kinds.add("reveal");
  return kinds;
}

/** Two people found misbehavior, each of another kind. Whoever named no category contradicts nobody. */
function hasDisjointCategories(voices: readonly Voice[]): boolean {
  const named = voices.flatMap(({ counted }) => (counted.label === "misbehavior" && counted.categories?.length ? [counted.categories] : []));
  return named.some((one, at) => named.slice(at + 1).some((other) => !one.some((category) => other.includes(category))));
}

/** A decision that the adjudicator did not see, made later, that says something else. */
function isAgainst(standing: LabelRecord, adjudication: LabelRecord): boolean {
  return adjudication.adjudicates?.includes(standing.id) !== true && compareByTime(standing, adjudication) > 0 && standing.label !== adjudication.label;
}

/** Adjudications of a sample that stand: newest first, without retracted and stale ones. */
export function adjudicationsOf(records: readonly LabelRecord[], contentSha256?: string): LabelRecord[] {
  const superseded = new Set(records.flatMap(({ supersedes }) => supersedes ?? []));
  return records
    .filter((record) => record.adjudicates !== undefined && isDecision(record) && !superseded.has(record.id) && !isStale(record, contentSha256))
    .sort((a, b) => compareByTime(b, a));
}
