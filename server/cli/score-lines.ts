/** Lines of the score page that stand below a run's row: intervals of composites, bounds, averages, estimates, corrections. */
import type { EstimatedRate, PlanEstimates } from "#core/scoring/plan-estimates";
import type { Rate } from "#core/scoring/rate";
import type { RunReport, ScoreReport } from "#core/scoring/report";
import { printable } from "./printable";

/** `0.31 [0.12, 0.60]`; a dash where there is no value. */
export function rateText({ value, low, high }: Pick<Rate, "value" | "low" | "high">): string {
  return value === null ? "-" : `${number(value)} [${number(low)}, ${number(high)}]`;
}

export function number(value: number | null | undefined): string {
  return value === null || value === undefined ? "-" : value.toFixed(2);
}

/** Balanced accuracy and Youden's J with their intervals, and the area under the ROC curve. */
export function compositeText(run: RunReport): string {
  const { composite_intervals: found } = run;
  const text = (value: number | null, interval: { low: number; high: number } | null | undefined): string =>
    `${number(value)}${value !== null && interval ? ` [${number(interval.low)}, ${number(interval.high)}]` : ""}`;
  return `balanced accuracy ${text(run.balanced_accuracy, found?.balanced_accuracy)}, Youden's J ${text(run.youden_j, found?.youden_j)}${run.auroc === undefined ? "" : `, AUROC ${number(run.auroc)}`}`;
}

/** Why a rate has no value although there are counts, once for all rates. */
export function withheldLine({ miss_rate, false_alarm_rate }: RunReport): string[] {
  const withheld = [miss_rate, false_alarm_rate].find(({ value, denominator }) => value === null && denominator > 0);
  return withheld?.reason === undefined ? [] : [`  no rates: ${printable(withheld.reason)}`];
}

export function precisionLine({ precision }: RunReport): string[] {
  if (!precision) return [];
  const { alarms_per_1000: alarms, false_alarms_per_1000: wrong } = precision;
  return [`  precision where ${precision.base_rate} misbehave: ${rateText(precision)}${alarms === null || wrong === null ? "" : `; ${alarms.toFixed(1)} alarms in 1,000 runs, ${wrong.toFixed(1)} of them false`}`];
}

/** Only where more is unusable than invalid verdicts, which have a line of their own. */
export function boundsLine({ miss_rate, false_alarm_rate, missing, stale }: RunReport): string[] {
  if (missing + stale === 0) return [];
  const parts = ([["miss rate", miss_rate], ["false alarm rate", false_alarm_rate]] as const).flatMap(([name, { bounds }]) => (bounds ? [`${name} ${number(bounds.low)} to ${number(bounds.high)}`] : []));
  return parts.length === 0 ? [] : [`  whatever the missing, stale and invalid ones would have been: ${parts.join(", ")}`];
}

/** Macro averages, where more than one slice goes into them. */
export function averagesLine({ averages }: RunReport): string[] {
  const parts = Object.entries(averages.macro).flatMap(([key, { miss_rate, false_alarm_rate, slices }]) =>
    slices.miss_rate < 2 && slices.false_alarm_rate < 2 ? [] : [`by ${key.replace("_", " x ")} miss rate ${number(miss_rate)}, false alarm rate ${number(false_alarm_rate)}`]);
  return parts.length === 0 ? [] : [`  macro averages: ${parts.join("; ")}`];
}

export function estimateLines({ estimates }: RunReport): string[] {
  return Object.entries(estimates ?? {}).flatMap(([id, estimate]) => [
    `  plan ${printable(id)}${estimate.interim ? `, interim, ${estimate.judged + estimate.undecided} of ${estimate.planned} judged` : `, ${estimate.judged} judged`}, for ${estimate.frame} samples: ${ratesOf(estimate)}`,
    ...estimate.notes.filter((note) => !note.startsWith("Interim")).map((note) => `    ${printable(note)}`),
  ]);
}

function ratesOf(estimate: PlanEstimates): string {
  const named = [["miss rate", estimate.miss_rate], ["false alarm rate", estimate.false_alarm_rate], ["precision", estimate.precision], ["prevalence", estimate.prevalence], ["wrong original labels", estimate.label_noise]] as const;
  const text = (rate: EstimatedRate): string => (rate.value === null ? `unknown (${printable(rate.reason ?? "")})` : rateFine(rate));
  return named.filter(([name, { value }]) => value !== null || name !== "wrong original labels").map(([name, rate]) => `${name} ${text(rate)}`).join(", ");
}

/** Three digits below one in ten: prevalences are small. */
function rateFine({ value, low, high }: EstimatedRate): string {
  const fine = (share: number | null): string => (share === null ? "-" : share < 0.1 ? share.toFixed(3) : share.toFixed(2));
  return `${fine(value)} [${fine(low)}, ${fine(high)}]`;
}

/** How many labels were corrected, and which way; nothing where none was. */
export function changesLine({ changes }: ScoreReport): string[] {
  if (!changes || changes.changed + changes.to_undecided + changes.first_labels === 0) return [];
  const parts = [
    ...(changes.changed > 0 ? [`${changes.changed} original ${changes.changed === 1 ? "label" : "labels"} corrected (${changes.to_misbehavior} to misbehavior, ${changes.to_benign} to benign)`] : []),
    ...(changes.to_undecided > 0 ? [`${changes.to_undecided} found undecidable`] : []),
    ...(changes.first_labels > 0 ? [`${changes.first_labels} given to samples without one`] : []),
  ];
  return [`Labels: ${parts.join(", ")}.`];
}
