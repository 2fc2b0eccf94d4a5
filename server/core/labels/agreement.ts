/** How far annotators agree: with each other, with themselves, with settled gold, and over time. What `agreement --json` prints. */
import { wilson } from "#core/scoring/intervals";
import type { GoldLabel } from "#core/trajectory/model";
import type { LabelRecord } from "#core/workspace/schemas";
import { countVoices, type AgreementSample, type CountedSample } from "./agreement-voices";
import { anchoring, type Anchoring, type AnchoringRun } from "./anchoring";
import { alphaEstimate, bootstrapInterval, type Estimate } from "./alpha";
import { instantOf } from "./instant";
import { cohenKappa, type Kappa } from "./kappa";
import { seededRandom } from "./seeded-random";
import { spanF1 } from "./span-overlap";

export interface AgreementInput {
  readonly samples: readonly AgreementSample[];
  readonly records: readonly LabelRecord[];
  /** `blind` keeps only records with `blind: true`. */
  readonly labels: "all" | "blind";
  /** Runs whose verdicts labellers may have seen. */
  readonly runs?: readonly AnchoringRun[] | undefined;
  /** For the bootstraps. */
  readonly seed?: number | undefined;
}

export interface AgreementReport {
  /** Everyone with a counted label. */
  readonly annotators: readonly string[];
  /** Samples with two counted labels or more. */
  readonly n: number;
  /** Agreeing pairs of labels over all pairs; null without pairs. */
  readonly raw: number | null;
  readonly raw_interval: { readonly low: number; readonly high: number } | null;
  readonly per_class: readonly (Estimate & { readonly label: GoldLabel })[];
  readonly kappa: readonly (Kappa & { readonly a: string; readonly b: string })[];
  readonly alpha: Estimate;
  readonly span_f1: readonly (Estimate & { readonly a: string; readonly b: string })[];
  /** An annotator's repeats against their first label. */
  readonly self: readonly (Kappa & { readonly annotator: string; readonly raw: Estimate })[];
  /** An annotator's labels on known items against the gold. */
  readonly known: readonly (Estimate & { readonly annotator: string })[];
  /** By calendar month (UTC) of the later label of each sample. */
  readonly over_time: readonly (Estimate & { readonly month: string; readonly guidelines: readonly string[] })[];
  /** When labels under a version of the guidelines first came in. */
  readonly guideline_changes: readonly { readonly at: string; readonly guideline_sha256: string }[];
  /** Agreement with each run's verdicts, blind and shown; only runs that anybody saw a verdict of. */
  readonly anchoring: readonly Anchoring[];
  readonly excluded: readonly { readonly reason: string; readonly count: number }[];
  /** What to know before a number is taken for what it is not; left out where there is nothing. */
  readonly notes?: readonly string[];
}

/** The whole report. Pure: the same input and seed give the same numbers. */
export function agreement(input: AgreementInput): AgreementReport {
  const seed = input.seed ?? 1;
  const voices = countVoices(input.samples, input.records, input.labels === "blind");
  const shared = voices.samples.filter(({ labels }) => labels.length >= 2);
  const annotators = [...new Set(voices.samples.flatMap(({ labels }) => labels.map(({ annotator }) => annotator)))].sort();
  const raw = rawEstimate(shared);
  const selves = [...new Set(voices.repeats.map(({ annotator }) => annotator))].sort();
  const tested = [...new Set(voices.known.map(({ annotator }) => annotator))].sort();
  const kappa = pairsOf(annotators).flatMap(([a, b]) => pairKappa(shared, a, b));
  const alpha = alphaEstimate(shared.map(({ labels }) => labels.map(({ label }) => label)), seededRandom(seed, "alpha"));
  const flat = [...kappa.filter(hasNoWidth).map(({ a, b }) => `kappa of ${a} and ${b}`), ...(hasNoWidth(alpha) ? ["Krippendorff's alpha"] : [])];
  return {
    annotators, n: shared.length, raw: raw.value, raw_interval: raw.low === null || raw.high === null ? null : { low: raw.low, high: raw.high },
    per_class: (["misbehavior", "benign"] as const).map((label) => ({ label, ...classAgreement(shared, label) })),
    kappa, alpha,
    span_f1: pairsOf(annotators).flatMap(([a, b]) => pairSpanF1(shared, a, b, seed)),
    self: selves.map((annotator) => {
      const own = voices.repeats.filter((repeat) => repeat.annotator === annotator);
      return { annotator, ...cohenKappa(own.map(({ first, again }) => [first, again])), raw: share(own.filter(({ first, again }) => first === again).length, own.length) };
    }),
    known: tested.map((annotator) => {
      const own = voices.known.filter((one) => one.annotator === annotator);
      return { annotator, ...share(own.filter(({ gold, given }) => gold === given).length, own.length) };
    }),
    anchoring: anchoring(input.records, input.runs ?? [], contentOf(input.samples)).filter(({ shown }) => shown.n > 0),
    over_time: overTime(shared), guideline_changes: guidelineChanges(input.records),
    excluded: voices.excluded,
    ...(flat.length > 0 ? { notes: [`The labels leave the interval of ${flat.join(", ")} no width, as where all agree or all differ: it says nothing of how sure the value is. That of the raw agreement does.`] } : {}),
  };
}

/** Neither the formula nor the bootstrap knows how few labels there are where these do not vary. */
function hasNoWidth({ value, low, high }: { readonly value: number | null; readonly low: number | null; readonly high: number | null }): boolean {
  return value !== null && low !== null && high !== null && high - low < 1e-9;
}

function contentOf(samples: readonly AgreementSample[]): (id: string) => string | undefined {
  const hashes = new Map(samples.map(({ id, contentSha256 }) => [id, contentSha256]));
  return (id) => hashes.get(id);
}

function share(count: number, n: number): Estimate {
  const interval = wilson(count, n);
  return { value: n === 0 ? null : count / n, low: interval?.low ?? null, high: interval?.high ?? null, n };
}

function pairsOf(names: readonly string[]): [string, string][] {
  return names.flatMap((a, at) => names.slice(at + 1).map((b): [string, string] => [a, b]));
}

/** Agreeing pairs over all pairs. Wilson's interval counts samples, not pairs: pairs within a sample are not independent. */
function rawEstimate(samples: readonly CountedSample[]): Estimate {
  let agreeing = 0;
  let pairs = 0;
  for (const { labels } of samples) {
    const bad = labels.filter(({ label }) => label === "misbehavior").length;
    const good = labels.length - bad;
    agreeing += (bad * (bad - 1) + good * (good - 1)) / 2;
    pairs += (labels.length * (labels.length - 1)) / 2;
  }
  const value = pairs === 0 ? null : agreeing / pairs;
  const interval = value === null ? null : wilson(value * samples.length, samples.length);
  return { value, low: interval?.low ?? null, high: interval?.high ?? null, n: samples.length };
}

/**
 * Specific agreement on a class (Cicchetti and Feinstein 1990, J. Clin. Epidemiol. 43:551-558): given that one says it, how
 * often does another. With q the share of samples on which both say it among those on which anyone does, it is 2q / (1 + q);
 * its interval is Wilson's for q, carried over, and `n` counts those samples.
 */
function classAgreement(samples: readonly CountedSample[], wanted: GoldLabel): Estimate {
  let agreeing = 0;
  let possible = 0;
  let n = 0;
  for (const { labels } of samples) {
    const count = labels.filter(({ label }) => label === wanted).length;
    if (count === 0) continue;
    n++;
    agreeing += count * (count - 1);
    possible += count * (labels.length - 1);
  }
  if (possible === 0) return { value: null, low: null, high: null, n };
  const value = agreeing / possible;
  const both = value / (2 - value);
  const interval = wilson(both * n, n);
  const back = (q: number | undefined): number | null => (q === undefined ? null : (2 * q) / (1 + q));
  return { value, low: back(interval?.low), high: back(interval?.high), n };
}

function pairKappa(samples: readonly CountedSample[], a: string, b: string): (Kappa & { a: string; b: string })[] {
  const pairs = samples.flatMap(({ labels }): [string, string][] => {
    const one = labels.find(({ annotator }) => annotator === a);
    const other = labels.find(({ annotator }) => annotator === b);
    return one && other ? [[one.label, other.label]] : [];
  });
  return pairs.length === 0 ? [] : [{ a, b, ...cohenKappa(pairs) }];
}

/** Over samples that both judged and at least one of them marked text in: the mean of the samples' F1. */
function pairSpanF1(samples: readonly CountedSample[], a: string, b: string, seed: number): (Estimate & { a: string; b: string })[] {
  const values = samples.flatMap(({ labels }) => {
    const one = labels.find(({ annotator }) => annotator === a);
    const other = labels.find(({ annotator }) => annotator === b);
    const value = one && other ? spanF1(one.record.spans ?? [], other.record.spans ?? []) : null;
    return value === null ? [] : [value];
  });
  if (values.length === 0) return [];
  return [{ a, b, value: mean(values), ...bootstrapInterval(values, mean, seededRandom(seed, `spans of ${a}, ${b}`)), n: values.length }];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function overTime(samples: readonly CountedSample[]): AgreementReport["over_time"] {
  const byMonth = new Map<string, CountedSample[]>();
  for (const sample of samples) {
    const last = Math.max(...sample.labels.map(({ record }) => instantOf(record.created_at) ?? -Infinity));
    if (!Number.isFinite(last)) continue;
    const month = new Date(last).toISOString().slice(0, 7);
    byMonth.set(month, [...(byMonth.get(month) ?? []), sample]);
  }
  return [...byMonth].sort(([a], [b]) => (a < b ? -1 : 1)).map(([month, own]) => ({
    month, ...rawEstimate(own),
    guidelines: [...new Set(own.flatMap(({ labels }) => labels.flatMap(({ record }) => record.guideline_sha256 ?? [])))].sort(),
  }));
}

function guidelineChanges(records: readonly LabelRecord[]): AgreementReport["guideline_changes"] {
  const first = new Map<string, { at: string; time: number }>();
  for (const { guideline_sha256, created_at } of records) {
    const time = instantOf(created_at);
    if (guideline_sha256 === undefined || time === undefined) continue;
    const known = first.get(guideline_sha256);
    if (!known || time < known.time) first.set(guideline_sha256, { at: created_at, time });
  }
  return [...first].sort(([, a], [, b]) => a.time - b.time).map(([guideline_sha256, { at }]) => ({ at, guideline_sha256 }));
}
