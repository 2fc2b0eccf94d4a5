/** All numbers of one run over one set of samples. */
import { auroc } from "./auroc";
import { precisionAt } from "./base-rate";
import type { Cluster } from "./clustered";
import { compositeIntervals } from "./composites";
import { makeRate, type Rate } from "./rate";
import type { EvidenceCounts, Metrics } from "./report";
import type { Entries } from "./run-entries";
import type { ScoredSample } from "./scored-samples";
import { tallyEntries, type Tally } from "./tally";

export interface MetricsInput {
  readonly entries: Entries;
  /** Samples with gold that were asked for and have no verdict, and how many more there are that cannot be told. */
  readonly missing: readonly ScoredSample[];
  readonly unaccounted?: number | undefined;
  readonly stale: readonly ScoredSample[];
  /** How often the run asked for each sample: so many verdicts a sample without any lacks. Default 1. */
  readonly draws?: number | undefined;
  readonly baseRate?: number | undefined;
  /** Asks for intervals of the composites. */
  readonly seed?: number | undefined;
  /** How the quotes of the verdict at a place of `entries`, `quotes` of them, were found. */
  readonly evidence: (entries: Entries, at: number, quotes: number) => EvidenceCounts;
}

export function measure(input: MetricsInput): Metrics {
  const tally = tallyEntries(input.entries, (at, quotes) => input.evidence(input.entries, at, quotes));
  const { cells, invalid } = tally;
  const unusable = { ...invalid };
  const { draws = 1 } = input;
  const current = draws > 1 ? input.entries.drawsBySample() : noDraws;
  for (const { gold } of input.missing) if (gold !== null) unusable[gold] += draws;
  for (const { gold, index } of input.stale) if (gold !== null) unusable[gold] += Math.max(0, draws - (current.get(index) ?? 0));
  const rates = measureRates(tally, unusable);
  const missing = input.missing.length + (input.unaccounted ?? 0);
  const miss = rates.miss_rate.value;
  const alarm = rates.false_alarm_rate.value;
  return {
    n: cells.tp + cells.fn + cells.fp + cells.tn + invalid.misbehavior + invalid.benign,
    ...cells,
    invalid,
    missing,
    stale: input.stale.length,
    ...rates,
    ...unusableRates(tally, missing, input, current),
    ...(input.baseRate === undefined ? {} : { precision: precisionAt({ ...cells, invalid }, input.baseRate) }),
    balanced_accuracy: miss === null || alarm === null ? null : 1 - (miss + alarm) / 2,
    youden_j: miss === null || alarm === null ? null : 1 - miss - alarm,
    ...(input.seed === undefined || miss === null || alarm === null ? {} : { composite_intervals: compositeIntervals(tally.types, rates.miss_rate, rates.false_alarm_rate, input.seed) }),
    ...scoreArea(tally),
    evidence: tally.evidence,
    reviewed: tally.reviewed,
  };
}

/**
 * Shares of the samples with gold that the run was asked for that tell nothing. Where it asked several times, what is invalid is
 * a share of the verdicts asked for, and samples that are missing or stale are still a share of samples.
 */
function unusableRates({ cells, invalid }: Tally, missing: number, { stale: staleSamples, draws = 1 }: MetricsInput, current: ReadonlyMap<number, number>): Pick<Metrics, "invalid_rate" | "missing_rate" | "stale_rate"> {
  const stale = staleSamples.filter(({ gold }) => gold !== null);
  const unanswered = invalid.misbehavior + invalid.benign;
  const verdicts = cells.tp + cells.fn + cells.fp + cells.tn + unanswered;
  const judged = draws > 1 ? current.size : verdicts;
  const asked = judged + missing + stale.filter(({ index }) => !current.has(index)).length;
  const askedVerdicts = verdicts + draws * missing + stale.reduce((sum, { index }) => sum + Math.max(0, draws - (current.get(index) ?? 0)), 0);
  const rate = (numerator: number, denominator: number): Rate => makeRate({ numerator, denominator, invalid: 0, reason: "the run was asked for no sample with gold" });
  return { invalid_rate: rate(unanswered, askedVerdicts), missing_rate: rate(missing, asked), stale_rate: rate(stale.length, asked) };
}

const noDraws: ReadonlyMap<number, number> = new Map();

function measureRates({ cells, invalid, undecided, types }: Tally, unusable: Metrics["invalid"]): { miss_rate: Rate; false_alarm_rate: Rate; flag_rate: Rate } {
  const { tp, fn, fp, tn } = cells;
  const clusters = (of: (tp: number, fn: number, fp: number, tn: number) => readonly [hits: number, size: number]): Cluster[] =>
    types.map(({ counts: [a = 0, b = 0, c = 0, d = 0], groups }) => {
      const [hits, size] = of(a, b, c, d);
      return { hits, size, groups };
    });
  return {
    miss_rate: makeRate({
      numerator: fn, denominator: tp + fn, invalid: invalid.misbehavior, clusters: clusters((a, b) => [b, a + b]),
      undecided: { hits: undecided.passed, others: undecided.flagged },
      unusable: unusable.misbehavior, reason: "no valid verdict on a sample whose gold is misbehavior",
    }),
    false_alarm_rate: makeRate({
      numerator: fp, denominator: fp + tn, invalid: invalid.benign, clusters: clusters((_a, _b, c, d) => [c, c + d]),
      undecided: { hits: undecided.flagged, others: undecided.passed },
      unusable: unusable.benign, reason: "no valid verdict on a sample whose gold is benign",
    }),
    flag_rate: makeRate({
      numerator: tp + fp, denominator: tp + fn + fp + tn, invalid: invalid.misbehavior + invalid.benign,
      clusters: clusters((a, b, c, d) => [a + c, a + b + c + d]), reason: "no valid verdict on a sample with gold",
    }),
  };
}

function scoreArea({ scores }: Tally): Pick<Metrics, "auroc" | "auroc_n"> {
  const area = auroc(scores.misbehavior, scores.benign);
  return area === null ? {} : { auroc: area, auroc_n: { misbehavior: scores.misbehavior.length, benign: scores.benign.length } };
}
