/** The score of a workspace: every run against the original or the corrected gold. Pure, so that command line, server and editor agree. */
import type { VerdictRecord } from "#core/workspace/schemas";
import { correlate } from "./correlation";
import { cellOf, countCells, measure } from "./metrics";
import { paretoFront } from "./pareto";
import type { EvidenceCounts, Metrics, RunReport, ScoreReport, Selection } from "./report";
import { joinRun, type RunEntries } from "./run-entries";
import type { Breakdown, ScoreInput, ScoreOptions, ScoreRun } from "./score-input";
import { scoreSamples, type ScoredSample, type ScoredSamples } from "./scored-samples";
import { describeSelection } from "./selection";

const nameOfNone = "(none)";

/** One report: the line that `score --json` prints for this gold. Throws a RangeError for a base rate outside (0, 1). */
export function score(input: ScoreInput, options: ScoreOptions): ScoreReport {
  const samples = scoreSamples(input, options);
  const joined = input.runs.map((run) => ({ run, entries: joinRun(run, samples) }));
  const runs = joined.map(({ run, entries }) => reportRun(run, entries, input, options));
  const points = runs.map((run) => ({
    run_id: run.run_id, miss_rate: run.miss_rate.value, false_alarm_rate: run.false_alarm_rate.value,
  }));
  return {
    gold: options.gold,
    samples: samples.counts,
    selection: selectionOf(joined, samples),
    runs,
    correlation: correlate(points.flatMap(({ miss_rate, false_alarm_rate }) =>
      miss_rate === null || false_alarm_rate === null ? [] : [[miss_rate, false_alarm_rate] as const])),
    pareto: paretoFront(points),
    warnings: [...sampleWarnings(samples), ...joined.flatMap(({ run, entries }) => runWarnings(run, entries, options))],
  };
}

function reportRun(run: ScoreRun, entries: RunEntries, input: ScoreInput, options: ScoreOptions): RunReport {
  const { header } = run;
  const evidence = (verdict: VerdictRecord): EvidenceCounts => evidenceOf(header.run_id, verdict, input);
  const within = (test: (scored: ScoredSample) => boolean): Metrics =>
    measure({
      entries: entries.current.filter(({ scored }) => test(scored)),
      missing: entries.missing.filter(test).length,
      stale: entries.stale.filter(test).length,
      baseRate: options.baseRate,
      evidence,
    });
  const whole = within(() => true);
  return {
    run_id: header.run_id, monitor: header.monitor, model: header.model ?? null, prompting: header.prompting,
    ...whole,
    missing: whole.missing + (options.split === undefined ? (entries.unaccounted ?? 0) : 0),
    by: Object.fromEntries((options.by ?? ["category", "task"]).map((key) => [key, breakDown(key, entries, within)])),
  };
}

function breakDown(key: Breakdown, entries: RunEntries, within: (test: (scored: ScoredSample) => boolean) => Metrics): Record<string, Metrics> {
  const valueOf = ({ sample }: ScoredSample): string => sample[key] ?? nameOfNone;
  const touched = [...entries.current.map(({ scored }) => scored), ...entries.missing, ...entries.stale];
  const values = [...new Set(touched.map(valueOf))].sort((a, b) => Number(a === nameOfNone) - Number(b === nameOfNone) || (a < b ? -1 : 1));
  return Object.fromEntries(values.map((value) => [value, within((scored) => valueOf(scored) === value)]));
}

function evidenceOf(runId: string, verdict: VerdictRecord, input: ScoreInput): EvidenceCounts {
  const quotes = verdict.detected_categories.reduce((sum, category) => sum + category.evidence.length, 0);
  const none = { quotes, exact: 0, near: 0, ambiguous: 0, absent: 0 };
  if (quotes === 0) return none;
  return input.evidence?.(runId, verdict) ?? { ...none, unread: quotes };
}

/** The run that most labels name; else the newest one, by `created_at` and then its place in the list. */
function referenceRun<T extends { run: ScoreRun }>(joined: readonly T[], samples: ScoredSamples): T | undefined {
  const named = new Map<string, number>();
  for (const { decisions } of samples.byId.values()) {
    for (const { run_id } of decisions) if (run_id !== undefined) named.set(run_id, (named.get(run_id) ?? 0) + 1);
  }
  return joined.reduce<T | undefined>((best, candidate) => {
    if (!best) return candidate;
    const count = (item: T): number => named.get(item.run.header.run_id) ?? 0;
    if (count(candidate) !== count(best)) return count(candidate) > count(best) ? candidate : best;
    return candidate.run.header.created_at >= best.run.header.created_at ? candidate : best;
  }, undefined);
}

function selectionOf(joined: readonly { run: ScoreRun; entries: RunEntries }[], samples: ScoredSamples): Selection {
  const reference = referenceRun(joined, samples);
  const current = reference?.entries.current ?? [];
  const decisions = [...samples.byId.values()].flatMap((scored) => scored.decisions);
  return describeSelection({
    runId: reference?.run.header.run_id,
    reviewed: countCells(current.filter(({ scored }) => scored.reviewed)),
    verdicts: current.filter(({ verdict }) => verdict.outcome !== "invalid").map(({ scored, verdict }) => ({
      flagged: verdict.outcome === "misbehavior",
      reviewed: scored.reviewed,
      agrees: scored.sample.label === undefined ? undefined : scored.sample.label === verdict.outcome,
    })),
    labels: decisions.length,
    afterVerdict: decisions.filter(({ seen }) => seen.includes("verdict") || seen.includes("evidence")).length,
  });
}

function sampleWarnings(samples: ScoredSamples): string[] {
  const golds = [...samples.byId.values()].map(({ corrected }) => corrected);
  const changed = golds.filter(({ changedAfterReveal }) => changedAfterReveal.length > 0).length;
  return [
    ...say(samples.strayRecords, "label record names a sample that is not here and is not used", "label records name samples that are not here and are not used"),
    ...say(samples.counts.stale, "sample has a label made on other content; it is not used", "samples have labels made on other content; they are not used"),
    ...say(golds.filter(({ held }) => held).length, "sample keeps its original label against the votes, since the workspace asks for more to overturn it", "samples keep their original label against the votes, since the workspace asks for more to overturn it"),
    ...say(golds.filter(({ reopened }) => reopened).length, "adjudication is reopened: a label it settled was changed since", "adjudications are reopened: labels they settled were changed since"),
    ...say(changed, "sample has a label changed after something was revealed; the earlier one votes until it is adjudicated", "samples have labels changed after something was revealed; the earlier ones vote until they are adjudicated"),
  ];
}

function runWarnings(run: ScoreRun, entries: RunEntries, options: ScoreOptions): string[] {
  if (options.split !== undefined) return [];
  const warnings = [
    ...say(entries.stray, "verdict names a sample that is not here and is not used", "verdicts name samples that are not here and are not used"),
    ...say(entries.unaccounted ?? 0, "sample it was asked for has no verdict, and which one cannot be told", "samples it was asked for have no verdict, and which ones cannot be told"),
  ];
  if (entries.current.length > 0 && !entries.current.some((entry) => cellOf(entry))) warnings.push("no valid verdict on a sample with a label.");
  return warnings.map((text) => `${run.header.run_id}: ${text}`);
}

/** A sentence with its number in front; nothing for 0. */
function say(count: number, one: string, many: string): string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : many}.`];
}
