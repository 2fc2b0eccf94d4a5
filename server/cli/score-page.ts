/** A score report for people: rates with their intervals, original and corrected side by side, and what to beware of. */
import type { Rate } from "#core/scoring/rate";
import type { FullReport, FullRunReport } from "#core/scoring/full-report";
import type { CellCounts, Metrics, SampleCounts } from "#core/scoring/report";
import type { Breakdown } from "#core/scoring/score-input";
import { counted } from "./counted";
import { detailLines, matrixTable, promptingTables } from "./detail-lines";
import { printable } from "./printable";
import { averagesLine, boundsLine, changesLine, compositeText, estimateLines, number, precisionLine, rateText, withheldLine } from "./score-lines";
import { textTable } from "./text-table";

export interface ScorePageInput {
  readonly title: string;
  readonly original: FullReport;
  /** Left out where only the original gold is asked for. */
  readonly corrected?: FullReport;
  readonly by: readonly Breakdown[];
}

/** The whole page, without a line end. */
export function scorePage({ title, original, corrected, by }: ScorePageInput): string {
  const shown = corrected ?? original;
  const blocks = [headline(title, original, corrected)];
  if (shown.runs.length === 0) blocks.push("No runs yet: run a monitor, or put a run file into the runs folder.");
  else {
    blocks.push(textTable([header("run"), ...shown.runs.flatMap((run) => rows(run.run_id, run, original.runs.find(({ run_id }) => run_id === run.run_id), corrected !== undefined))]));
    blocks.push(shown.runs.flatMap((run) => details(run, shown.samples)).join("\n"));
    for (const key of by) blocks.push(breakdown(key, original, corrected));
    blocks.push(...overall(shown), ...promptingTables(shown));
    if (shown.generalisation) blocks.push(matrixTable("Trained and tested", shown.generalisation));
  }
  if (shown.reference) blocks.push(matrixTable("Published", shown.reference));
  const beware = [...(corrected?.selection.warning === undefined ? [] : [corrected.selection.warning]), ...shown.warnings];
  if (beware.length > 0) blocks.push(beware.map((text) => `! ${printable(text)}`).join("\n"));
  return blocks.filter((block) => block !== "").join("\n\n");
}

function headline(title: string, original: FullReport, corrected: FullReport | undefined): string {
  const line = (name: string, { samples }: FullReport): string => {
    const parts = [`${samples.misbehavior} misbehavior`, `${samples.benign} benign`];
    for (const key of ["undecided", "unlabelled"] as const) if (samples[key] > 0) parts.push(`${samples[key]} ${key}`);
    if (samples.contested > 0) parts.push(`of these ${samples.contested} contested`);
    return `  ${name.padEnd(9)} ${parts.join(", ")}`;
  };
  return [`${printable(title)}: ${counted(original.samples.total, "sample")}`, line("original", original), ...(corrected ? [line("corrected", corrected)] : [])].join("\n");
}

function header(first: string): string[] {
  return [first, "gold", "miss rate", "false alarm rate", "TP", "FN", "FP", "TN", "invalid", "missing", "stale"];
}

/** One line on the original gold and, beside it, one on the corrected gold that says what it was. */
function rows(name: string, metrics: Metrics, before: Metrics | undefined, isCorrected: boolean): string[][] {
  const lines: string[][] = [];
  if (before) lines.push(row(name, "original", before, undefined));
  if (isCorrected) lines.push(row(before ? "" : name, "corrected", metrics, before));
  return lines;
}

function row(name: string, gold: string, metrics: Metrics, before: Metrics | undefined): string[] {
  const { tp, fn, fp, tn, invalid } = metrics;
  return [
    printable(name), gold, rateCell(metrics.miss_rate, before?.miss_rate), rateCell(metrics.false_alarm_rate, before?.false_alarm_rate),
    ...[tp, fn, fp, tn, invalid.misbehavior + invalid.benign, metrics.missing, metrics.stale].map(String),
  ];
}

/** Where a correction changed the rate, what it was. */
function rateCell(rate: Rate, before: Rate | undefined): string {
  return before && before.value !== rate.value ? `${rateText(rate)} (was ${number(before.value)})` : rateText(rate);
}

/** What stands below the table for one run; only what says something. */
function details(run: FullRunReport, samples: SampleCounts): string[] {
  const lines: string[] = [];
  const { invalid, evidence, reviewed } = run;
  const model = run.model === null ? "" : `, ${run.model}`;
  const gold = samples.misbehavior + samples.benign;
  // Of a run with repeats a sample has several verdicts.
  const asked = (run.repeats.samples ?? run.n) + run.missing + run.stale;
  lines.push(`${printable(run.run_id)}: ${printable(run.monitor)}${printable(model)}, ${run.prompting}${run.repeats.draws === 1 ? ", one draw" : ""}${asked < gold ? `, asked for ${asked} of the ${gold} labelled samples` : ""}`);
  lines.push(`  flag rate ${rateText(run.flag_rate)}, ${compositeText(run)}`, ...withheldLine(run), ...precisionLine(run));
  if (invalid.misbehavior + invalid.benign > 0) {
    const count = invalid.misbehavior + invalid.benign;
    lines.push(`  ${count} invalid ${count === 1 ? "verdict" : "verdicts"} left out (${invalid.misbehavior} misbehavior, ${invalid.benign} benign); counted against it: miss rate ${number(run.miss_rate.worst)}, false alarm rate ${number(run.false_alarm_rate.worst)}`);
  }
  lines.push(...boundsLine(run), ...clusteredLine(run), ...undecidedLine(run), ...averagesLine(run), ...estimateLines(run), ...detailLines(run));
  if (evidence.quotes > 0) {
    lines.push(`  ${evidence.quotes} quotes: ${evidence.exact} exact, ${evidence.near} near, ${evidence.ambiguous} ambiguous, ${evidence.absent} absent${evidence.unread === undefined ? "" : `, ${evidence.unread} not looked for`}`);
  }
  lines.push(`  reviewed ${cells(reviewed, run)}`);
  return lines;
}

function clusteredLine({ miss_rate, false_alarm_rate }: FullRunReport): string[] {
  const parts = ([["miss rate", miss_rate], ["false alarm rate", false_alarm_rate]] as const).flatMap(([name, { clustered }]) =>
    clustered ? [`${name} [${number(clustered.low)}, ${number(clustered.high)}]${clustered.design_effect === null ? "" : ` (design effect ${number(clustered.design_effect)})`}`] : []);
  return parts.length > 0 ? [`  samples in groups depend on each other: ${parts.join(", ")}`] : [];
}

function undecidedLine({ miss_rate, false_alarm_rate }: FullRunReport): string[] {
  const open = miss_rate.undecided;
  const alarm = false_alarm_rate.undecided;
  if (!open || !alarm) return [];
  return [`  the undecided samples can move the miss rate between ${number(open.low)} and ${number(open.high)}, the false alarm rate between ${number(alarm.low)} and ${number(alarm.high)}`];
}

function cells(reviewed: CellCounts, all: CellCounts): string {
  return (["tp", "fn", "fp", "tn"] as const).map((cell) => `${reviewed[cell]} of ${all[cell]} ${cell.toUpperCase()}`).join(", ");
}

function breakdown(key: Breakdown, original: FullReport, corrected: FullReport | undefined): string {
  const shown = corrected ?? original;
  const lines = shown.runs.flatMap((run) => {
    const before = original.runs.find(({ run_id }) => run_id === run.run_id);
    return Object.entries(run.by[key] ?? {})
      .flatMap(([value, metrics]) => rows(value, metrics, before?.by[key]?.[value], corrected !== undefined))
      .map((cellsOfRow, i) => [i === 0 ? printable(run.run_id) : "", ...cellsOfRow]);
  });
  return lines.length === 0 ? "" : textTable([["run", ...header(key)], ...lines]);
}

function overall(report: FullReport): string[] {
  const { correlation, pareto, runs } = report;
  const lines = changesLine(report);
  if (correlation) lines.push(`Miss rate against false alarm rate over ${correlation.n} runs: r = ${number(correlation.pearson_r)} [${number(correlation.low)}, ${number(correlation.high)}], false alarm rate = ${number(correlation.slope)} x miss rate + ${number(correlation.intercept)}`);
  if (runs.length > 1 && pareto.length > 0) lines.push(`Beaten by no other run on both rates: ${pareto.map(printable).join(", ")}`);
  return lines.length > 0 ? [lines.join("\n")] : [];
}
