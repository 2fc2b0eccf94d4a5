/** The score of a workspace: every run against the original or the corrected gold. Pure, so that command line, server and editor agree. */
import { macroAverages, microAverages } from "./averages";
import { differentSamples, judgedSamples, leakageCaution } from "./cautions";
import { leaningRuns, reviewSharesOf, whyChosen, whyChosenForAll } from "./chosen-for";
import { correlate } from "./correlation";
import { gainSentences, goldChanges, runChanges, withoutWithheld } from "./gold-changes";
import { withholdChosen } from "./headline";
import { leakageOf } from "./leakage";
import { measure } from "./metrics";
import { paretoFront } from "./pareto";
import { estimatesFromPlans } from "./plan-scores";
import type { EvidenceCounts, Metrics, RunReport, ScoreReport, Selection } from "./report";
import { firstOutcomes, joinRun, type Entries, type RunEntries } from "./run-entries";
import type { Breakdown, ScoreInput, ScoreOptions, ScoreRun } from "./score-input";
import { goldNames, scoreSamples, type ScoredSample, type ScoredSamples } from "./scored-samples";
import { describeSelection, leansToContradictions, ReviewShares } from "./selection";
import { countCells } from "./tally";

const nameOfNone = "(none)";

/** Samples with their gold, and the verdicts of each run on them. */
export interface Joined {
  readonly samples: ScoredSamples;
  readonly joined: readonly { readonly run: ScoreRun; readonly entries: RunEntries }[];
}

/** Entries that are held at once; of more, those of a run are joined again when they are asked for. */
const heldEntries = 1_000_000;

/** What every number is made of; worked out for `score` and `scoreDetails`. Ask for the entries of one run after the other. */
export function joinAll(input: ScoreInput, options: ScoreOptions): Joined {
  const samples = scoreSamples(input, options);
  const held = new Map<ScoreRun, RunEntries>();
  let size = 0;
  const entriesOf = (run: ScoreRun): RunEntries => {
    const known = held.get(run);
    if (known) return known;
    for (const [oldest, entries] of held) {
      if (size + (run.columns?.length ?? run.verdicts.length) <= heldEntries) break;
      held.delete(oldest);
      size -= entries.current.length;
    }
    const entries = joinRun(run, samples);
    held.set(run, entries);
    size += entries.current.length;
    return entries;
  };
  return { samples, joined: input.runs.map((run) => ({ run, get entries() { return entriesOf(run); } })) };
}

/** One report: the line that `score --json` prints for this gold. Throws a RangeError for a base rate outside (0, 1). */
export function score(input: ScoreInput, options: ScoreOptions, { samples, joined }: Joined = joinAll(input, options)): ScoreReport {
  const seed = options.seed ?? 1;
  const isCorrected = options.gold === "corrected";
  const isReviewed = samples.columns.reviewed.includes(1);
  const unscored = input.unscored ?? [];
  const chosenForAll = whyChosenForAll(input, samples);
  // All that is said of a run at once, while its entries are at hand.
  const said = joined.map(({ run, entries }) => ({
    report: reportRun({ run, entries, samples, input, options, seed, chosenForAll }),
    judged: joined.length > 1 ? judgedSamples(entries.current) : new Uint8Array(0),
    changes: isCorrected ? runChanges(run.header.run_id, entries.current) : undefined,
    leans: isReviewed && joined.length + unscored.length > 1 && leansToContradictions(reviewShares(entries.current)),
    warnings: runWarnings(run, entries, options),
  }));
  const runs = said.map(({ report }) => report);
  const points = runs.map((run) => ({
    run_id: run.run_id, miss_rate: run.miss_rate.value, false_alarm_rate: run.false_alarm_rate.value,
  }));
  const cautions = [
    ...runs.flatMap((run) => (run.leakage ? [leakageCaution(run, run.leakage)] : [])),
    ...differentSamples(said.map(({ report, judged }, at) => ({ report, judged, entries: () => joined[at]!.entries.current }))),
  ];
  const selection = selectionOf(joined, unscored, samples);
  const changes = isCorrected ? goldChanges(said.flatMap((one) => one.changes ?? []), samples) : undefined;
  const leaningUnscored = changes && changes.changed > 0 ? leaningRuns(unscored, samples).map(({ run }) => run) : [];
  const leaning = [...said.filter(({ leans }) => leans).map(({ report }) => report.run_id), ...leaningUnscored.map(({ header }) => header.run_id)];
  // What it gains is told against all runs, so that it does not depend on which of them are scored.
  const others = leaning.length === 0 ? [] : unscored.map((run) => runChanges(run.header.run_id, joinRun(run, samples).current));
  const gains = changes ? gainSentences({ ...changes, runs: [...changes.runs, ...others] }, leaning) : [];
  return {
    gold: options.gold,
    samples: samples.counts,
    selection: { ...selection, ...(gains.length > 0 ? { chosen_by: "verdict" as const, warning: [selection.warning, ...gains].filter(Boolean).join(" ") } : {}) },
    runs,
    ...(changes ? { changes: { ...changes, runs: changes.runs.map((own, at) => withoutWithheld(own, runs[at]!)) } } : {}),
    correlation: correlate(points.flatMap(({ miss_rate, false_alarm_rate }) =>
      miss_rate === null || false_alarm_rate === null ? [] : [[miss_rate, false_alarm_rate] as const])),
    pareto: paretoFront(points),
    warnings: [...cautions.map(({ message }) => message), ...sampleWarnings(samples), ...said.flatMap((one) => one.warnings)],
    ...(cautions.length > 0 ? { cautions } : {}),
    seed,
  };
}

interface RunContext {
  readonly run: ScoreRun;
  readonly entries: RunEntries;
  readonly samples: ScoredSamples;
  readonly input: ScoreInput;
  readonly options: ScoreOptions;
  readonly seed: number;
  /** Why no run can be measured on what people judged, since one of them chose it. */
  readonly chosenForAll: string | undefined;
}

function reportRun(context: RunContext): RunReport {
  const { run, entries, samples, input, options, seed } = context;
  const { header } = run;
  const evidence = (own: Entries, at: number, quotes: number): EvidenceCounts => input.evidence?.(header.run_id, own.verdict(at)) ?? unreadQuotes(quotes);
  const { repeats } = header;
  const draws = Math.max(1, entries.current.draws().length, typeof repeats === "number" ? repeats : 1);
  const chosen = whyChosen(run, samples) ?? context.chosenForAll;
  const within = (slice: Slice, more: { seed?: number | undefined; unaccounted?: number | undefined }): Metrics => {
    const metrics = measure({ ...slice, draws, baseRate: options.baseRate, evidence, ...more });
    return chosen === undefined ? metrics : withholdChosen(metrics, slice.entries, chosen);
  };
  const whole = within({ entries: entries.current, missing: entries.missing, stale: entries.stale }, { seed, unaccounted: options.split === undefined ? entries.unaccounted : 0 });
  const ofSlice = options.sliceIntervals ? { seed } : {};
  const by = Object.fromEntries((options.by ?? ["category", "task"]).map((key) => [key, breakDown(key, context, (slice) => within(slice, ofSlice))]));
  const leakage = leakageOf(run, entries.current, input.samples, (own) => within({ entries: own, missing: [], stale: [] }, {}));
  const estimates = options.gold === "corrected" && input.plans ? estimatesFromPlans(run, samples, input.plans) : {};
  return {
    run_id: header.run_id, monitor: header.monitor, model: header.model ?? null, prompting: header.prompting,
    ...(run.triedBefore === undefined ? {} : { tried_on_test_before: run.triedBefore }),
    ...whole,
    ...(leakage ? { leakage } : {}),
    ...(Object.keys(estimates).length > 0 ? { estimates } : {}),
    by,
    averages: { micro: microAverages(whole), macro: Object.fromEntries(Object.entries(by).map(([key, slices]) => [key, macroAverages(slices)])) },
  };
}

interface Slice {
  readonly entries: Entries;
  readonly missing: readonly ScoredSample[];
  readonly stale: readonly ScoredSample[];
}

function breakDown(key: Breakdown, { run, entries, samples }: RunContext, measured: (slice: Slice) => Metrics): Record<string, Metrics> {
  const { names, numbers } = slicesOf(samples, key, run.header.prompting);
  const of = (list: readonly ScoredSample[]): ScoredSample[][] => {
    const slices = names.map((): ScoredSample[] => []);
    for (const scored of list) slices[numbers[scored.index]!]!.push(scored);
    return slices;
  };
  const [missing, stale] = [of(entries.missing), of(entries.stale)];
  const found = entries.current.split(numbers, names.length).flatMap((own, at): [string, Metrics][] => {
    const slice = { entries: own, missing: missing[at]!, stale: stale[at]! };
    return own.length + slice.missing.length + slice.stale.length === 0 ? [] : [[names[at]!, measured(slice)]];
  });
  return Object.fromEntries(found);
}

interface Slices {
  /** In the order of a report: by name, what names none last. */
  readonly names: readonly string[];
  /** Place among the names, by the index of the sample. */
  readonly numbers: Uint32Array;
}

const knownSlices = new WeakMap<ScoredSamples, Map<string, Slices>>();

/** The slices of all samples by one key; the same for every run, except by prompting. */
function slicesOf(samples: ScoredSamples, key: Breakdown, prompting: string): Slices {
  let byKey = knownSlices.get(samples);
  if (!byKey) knownSlices.set(samples, (byKey = new Map()));
  const word = key === "prompting" ? `${key} ${prompting}` : key;
  let slices = byKey.get(word);
  if (!slices) byKey.set(word, (slices = makeSlices(samples, ({ sample }) => {
    if (key === "category_task") return `${sample.category ?? nameOfNone}/${sample.task ?? nameOfNone}`;
    return (key === "prompting" ? prompting : sample[key]) ?? nameOfNone;
  })));
  return slices;
}

function makeSlices({ list }: ScoredSamples, valueOf: (scored: ScoredSample) => string): Slices {
  const values = list.map(valueOf);
  const isNone = (value: string): number => Number(value === nameOfNone);
  const names = [...new Set(values)].sort((x, y) => isNone(x) - isNone(y) || (x < y ? -1 : 1));
  const places = new Map(names.map((name, at) => [name, at]));
  return { names, numbers: Uint32Array.from(values, (value) => places.get(value)!) };
}

const unread: EvidenceCounts[] = [];

/** Of quotes that nobody looked for. The same object for the same number: millions of verdicts ask for it. */
function unreadQuotes(quotes: number): EvidenceCounts {
  return (unread[quotes] ??= { quotes, exact: 0, near: 0, ambiguous: 0, absent: 0, unread: quotes });
}

/** The run that most labels name; else the newest one, by `created_at` and then its place in the list. */
function referenceRun<T extends { run: ScoreRun }>(joined: readonly T[], samples: ScoredSamples): T | undefined {
  const named = new Map<string, number>();
  for (const { decisions } of samples.list) {
    for (const { run_id } of decisions) if (run_id !== undefined) named.set(run_id, (named.get(run_id) ?? 0) + 1);
  }
  return joined.reduce<T | undefined>((best, candidate) => {
    if (!best) return candidate;
    const count = (item: T): number => named.get(item.run.header.run_id) ?? 0;
    if (count(candidate) !== count(best)) return count(candidate) > count(best) ? candidate : best;
    return candidate.run.header.created_at >= best.run.header.created_at ? candidate : best;
  }, undefined);
}

function selectionOf(joined: readonly { run: ScoreRun; entries: RunEntries }[], unscored: readonly ScoreRun[], samples: ScoredSamples): Selection {
  const reference = referenceRun(joined, samples);
  const named = new Set(samples.list.flatMap(({ decisions }) => decisions.flatMap(({ run_id }) => run_id ?? [])));
  const also = unscored.filter(({ header }) => named.has(header.run_id)).map((run) => ({ runId: run.header.run_id, verdicts: reviewSharesOf(firstOutcomes(run, samples), samples) }));
  const current = reference?.entries.current;
  const decisions = samples.list.flatMap((scored) => scored.decisions);
  return describeSelection({
    runId: reference?.run.header.run_id,
    reviewed: current ? countCells(current, "reviewed") : { tp: 0, fn: 0, fp: 0, tn: 0 },
    verdicts: current ? reviewShares(current) : new ReviewShares(), also,
    labels: decisions.length,
    afterVerdict: decisions.filter(({ seen }) => seen.includes("verdict") || seen.includes("evidence")).length,
  });
}

function reviewShares(entries: Entries): ReviewShares {
  const { original, reviewed } = entries.scored.columns;
  const shares = new ReviewShares();
  const first = entries.first();
  for (let at = 0; at < first.length; at++) {
    const index = first.index(at);
    shares.add(first.outcome(at), goldNames[original[index]!], reviewed[index] === 1);
  }
  return shares;
}

function sampleWarnings(samples: ScoredSamples): string[] {
  const golds = samples.list.map(({ corrected }) => corrected);
  const changed = golds.filter(({ changedAfterReveal }) => changedAfterReveal.length > 0).length;
  return [
    ...leftOutWarning(samples.counts.left_out),
    ...say(samples.strayRecords, "label record names a sample that is not here and is not used", "label records name samples that are not here and are not used"),
    ...say(samples.counts.stale, "sample has a label made on other content; it is not used", "samples have labels made on other content; they are not used"),
    ...say(golds.filter(({ held }) => held).length, "sample keeps its original label against the votes, since the workspace asks for more to overturn it", "samples keep their original label against the votes, since the workspace asks for more to overturn it"),
    ...say(golds.filter(({ reopened }) => reopened).length, "adjudication is reopened: a label it settled was changed since", "adjudications are reopened: labels they settled were changed since"),
    ...say(changed, "sample has a label changed after something was revealed; the earlier one votes until it is adjudicated", "samples have labels changed after something was revealed; the earlier ones vote until they are adjudicated"),
  ];
}

/** Which samples are not scored because of their status. */
function leftOutWarning(leftOut: Readonly<Record<string, number>> = {}): string[] {
  const total = Object.values(leftOut).reduce((sum, count) => sum + count, 0);
  const words = Object.entries(leftOut).map(([status, count]) => `${count} ${status.replace("_", " ")}`).join(", ");
  return say(total, `sample is left out because of its status in the manifest (${words})`, `samples are left out because of their status in the manifest (${words})`);
}

function runWarnings(run: ScoreRun, entries: RunEntries, options: ScoreOptions): string[] {
  const gaps = gapWarning(entries.current).map((text) => `${run.header.run_id}: ${text}`);
  if (options.split !== undefined) return gaps;
  const warnings = [
    ...say(entries.stray, "verdict names a sample that is not here and is not used", "verdicts name samples that are not here and are not used"),
    ...say(entries.unaccounted ?? 0, "sample it was asked for has no verdict, and which one cannot be told", "samples it was asked for have no verdict, and which ones cannot be told"),
  ];
  const { tp, fn, fp, tn } = countCells(entries.current);
  if (entries.current.length > 0 && tp + fn + fp + tn === 0) warnings.push("no valid verdict on a sample with a label.");
  return [...gaps, ...warnings.map((text) => `${run.header.run_id}: ${text}`)];
}

/** Where a run was to ask several times, and did not ask for every sample as often. */
function gapWarning(entries: Entries): string[] {
  const draws = entries.draws().length;
  if (draws < 2) return [];
  const bySample = [...entries.drawsBySample().values()];
  const whole = bySample.filter((count) => count === draws).length;
  return whole === bySample.length ? [] : [`${bySample.length - whole} of ${bySample.length} samples have fewer than ${draws} draws: in its rates a sample counts as often as it was drawn; how draws differ is told of the ${whole} others.`];
}

/** A sentence with its number in front; nothing for 0. */
function say(count: number, one: string, many: string): string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : many}.`];
}
