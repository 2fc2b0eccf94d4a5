/** Lines of the score page for what monitors give besides verdicts: scores, quotes, repeats, pairs; and the matrix of what was trained on what. */
import type { FullReport, FullRunReport } from "#core/scoring/full-report";
import type { GeneralisationMatrix } from "#core/scoring/generalisation";
import { pValue } from "#core/report/document";
import { printable } from "./printable";
import { number, rateText } from "./score-lines";
import { textTable } from "./text-table";

/** Below one run. */
export function detailLines(run: FullRunReport): string[] {
  return [...triedLine(run), ...curveLines(run), ...pairLine(run), ...repeatLine(run), ...faithLine(run)];
}

function triedLine({ tried_on_test_before: tried }: FullRunReport): string[] {
  if (tried === undefined) return [];
  return tried === 0 ? ["  no other setting of monitor, model, prompt or parameters had been run on the test split before"] : [`  ${tried} other ${tried === 1 ? "setting" : "settings"} of monitor, model, prompt or parameters had been run on the test split before`];
}

function curveLines({ curves }: FullRunReport): string[] {
  if (!curves) return [];
  const { roc_area, average_precision, calibration, at_budget } = curves;
  const areas = roc_area && average_precision ? `ROC area ${rateText(roc_area)}, average precision ${rateText(average_precision)}, ` : "";
  const first = `  scores: ${areas}Brier ${number(calibration?.brier)} (${number(calibration?.brier_of_share)} without skill)`;
  const named = { false_alarm_rate: "false alarm rate", miss_rate: "miss rate" } as const;
  const points = at_budget.flatMap(({ budget_of, threshold, ...rates }) => {
    const other = budget_of === "miss_rate" ? "false_alarm_rate" : "miss_rate";
    // Budgets that lead to the same threshold share a line.
    const alike = at_budget.filter((point) => point.budget_of === budget_of && point.threshold === threshold).map(({ budget }) => budget);
    if (alike[0] !== rates.budget) return [];
    return `${named[other]} ${rateText(rates[other])} for a ${named[budget_of]} of ${alike.join(", ")} (${threshold === null ? "flagging nothing" : `threshold ${threshold}`}${rates.optimistic ? "" : `, ${named[budget_of]} on ${rates.reported_on} ${number(rates[budget_of].value)}`})`;
  });
  const chosen = at_budget[0]?.optimistic ? "  thresholds are chosen on the samples that they are reported on, which flatters them:" : "  thresholds chosen on dev, reported on test:";
  const why = curves.at_budget_reason === undefined ? [] : [`  ${curves.at_budget_reason}`];
  return [first, ...why, ...(points.length > 0 ? [chosen, ...points.map((point) => `    ${point}`)] : [])];
}

function pairLine({ pairs }: FullRunReport): string[] {
  if (!pairs || pairs.n === 0) return [];
  return [`  ${pairs.n} pairs: ${pairs.both_right} right in both halves, ${pairs.only_misbehavior_right} only in the misbehavior half, ${pairs.only_benign_right} only in the benign half, ${pairs.inverted} inverted; pair accuracy ${rateText(pairs.pair_accuracy)}`];
}

function repeatLine({ repeats }: FullRunReport): string[] {
  const { draws, samples, in_all_draws: whole, flip_rate, miss_rate, false_alarm_rate } = repeats;
  if (!flip_rate) return [];
  const spread = miss_rate && false_alarm_rate ? `; miss rate ${number(miss_rate.lowest)} to ${number(miss_rate.highest)}, false alarm rate ${number(false_alarm_rate.lowest)} to ${number(false_alarm_rate.highest)} between draws${whole === samples ? "" : ` (on the ${whole} of ${samples} samples that are in all)`}` : "";
  return [`  ${draws} draws: verdicts flip on ${rateText(flip_rate.misbehavior)} of misbehavior and ${rateText(flip_rate.benign)} of benign samples${spread}`];
}

function faithLine({ faithfulness }: FullRunReport): string[] {
  if (!faithfulness) return [];
  const { all_absent, refused, human_spans } = faithfulness;
  return [
    ...(all_absent > 0 ? [`  ${all_absent} ${all_absent === 1 ? "verdict has" : "verdicts have"} only quotes that are not there; without such alarms: miss rate ${number(refused.miss_rate.value)}, false alarm rate ${number(refused.false_alarm_rate.value)}`] : []),
    ...(human_spans ? [`  quotes against people's own spans on ${human_spans.n} ${human_spans.n === 1 ? "sample" : "samples"}: precision ${number(human_spans.precision)}, recall ${number(human_spans.recall)}, F1 ${number(human_spans.f1)}`] : []),
  ];
}

/** Direct against evidence prompting, a table a model. */
export function promptingTables({ prompting }: FullReport): string[] {
  return prompting.map(({ model, direct, evidence, all, by_category }) => {
    const row = (name: string, { n, difference, p, p_holm: holm }: typeof all): string[] => [
      name, String(n), signed(difference.miss_rate), pOf(difference.miss_rate, p.misbehavior), pOf(difference.miss_rate, holm?.misbehavior),
      signed(difference.false_alarm_rate), pOf(difference.false_alarm_rate, p.benign), pOf(difference.false_alarm_rate, holm?.benign),
    ];
    const categories = Object.entries(by_category).filter(([, { n }]) => n > 0);
    return `${printable(model)}: evidence (${printable(evidence)}) minus direct (${printable(direct)})\n${textTable([
      ["category", "n", "miss rate", "p", "p, Holm", "false alarm rate", "p", "p, Holm"], row("all", all), ...categories.map(([name, change]) => row(printable(name), change)),
    ])}`;
  });
}

/** Where a difference is withheld, its test is as well. */
function pOf({ value }: { readonly value: number | null }, p: number | undefined): string {
  return value === null || p === undefined ? "-" : pValue(p);
}

function signed({ value, low, high }: { readonly value: number | null; readonly low: number | null; readonly high: number | null }): string {
  return value === null ? "-" : `${value > 0 ? "+" : ""}${number(value)} [${number(low)}, ${number(high)}]`;
}

/** Miss rate, false alarm rate and Youden's J in each cell; a star marks slices that were trained on. */
export function matrixTable(title: string, matrix: GeneralisationMatrix): string {
  const name = (trainedOn: readonly string[], runId: string | undefined): string => `${trainedOn.length === 0 ? "untrained" : trainedOn.join(" + ")}${runId === undefined ? "" : ` (${runId})`}`;
  return `${title}: miss rate / false alarm rate / Youden's J, * where trained on\n${textTable([
    ["trained on", ...matrix.tested_on.map(printable)],
    ...matrix.rows.map(({ trained_on, run_id, cells }) => [
      printable(name(trained_on, run_id)), ...cells.map(({ miss_rate, false_alarm_rate, youden_j, in_distribution }) => `${number(miss_rate)}/${number(false_alarm_rate)}/${number(youden_j)}${in_distribution ? "*" : ""}`),
    ]),
  ])}`;
}
