/** What the labels did to a rate, how far they reach, and which words follow from that. */
import { fill } from "#protocol/strings";
import { scoreStrings as words } from "#protocol/strings-score";
import { number } from "./format";
import type { Cells, Metrics, Rate, Reports, RunReport, ScoreReport } from "./report";

/** `↓0.05`: the way from one value to another; nothing where there is none or it is not to be seen at two decimals of it. */
export function change(before: number | null | undefined, now: number | null | undefined): string | undefined {
  if (before === null || before === undefined || now === null || now === undefined || before === now) return undefined;
  const size = Math.abs(now - before);
  return `${now > before ? "↑" : "↓"}${size < 0.005 ? "<0.01" : number(size)}`;
}

const sum = ({ tp, fn, fp, tn }: Cells): number => tp + fn + fp + tn;

/**
 * How many flagged and unflagged verdicts of a run were reviewed. A sample that people left undecided is in no cell of the
 * corrected gold, one without an original label in none of the original: the gold that holds more is told.
 */
export function reviewedWords(run: RunReport, before: RunReport | undefined): string {
  const { tp, fn, fp, tn, reviewed } = before && sum(before) > sum(run) ? before : run;
  return fill(words.reviewed, { n: (reviewed?.tp ?? 0) + (reviewed?.fp ?? 0), count: tp + fp, m: (reviewed?.fn ?? 0) + (reviewed?.tn ?? 0), total: fn + tn });
}

/** The rate that a selection warning says cannot be judged, where it speaks of this run; and the rest of the warning. */
export function splitWarning({ selection }: ScoreReport, runId: string): { verdict?: string; rest?: string } {
  const { warning } = selection;
  if (warning === undefined) return {};
  const found = /^Reviewed .*?: the (miss|false alarm) rate cannot be judged from these labels\.\s*/.exec(warning);
  if (!found || selection.run_id !== runId) return { rest: warning };
  const rest = warning.slice(found[0].length);
  return { verdict: words.cannotJudge[found[1] as keyof typeof words.cannotJudge], ...(rest ? { rest } : {}) };
}

/** Whether the labels were chosen by what a monitor said, so that the plain ratio on them is no estimate of anything. */
export const isChosenByVerdict = (report: ScoreReport): boolean => report.selection.chosen_by === "verdict";

/** Whether any person decided anything that these reports count. */
export function hasLabels({ corrected, corrections }: Reports): boolean {
  const { samples, selection, runs } = corrected;
  return (corrections ?? 0) > 0 || samples.undecided > 0 || samples.contested > 0 || sum(selection.reviewed) > 0 || runs.some(({ reviewed }) => reviewed && sum(reviewed) > 0);
}

const rateOf = { mr: (metrics: Metrics): Rate => metrics.miss_rate, far: (metrics: Metrics): Rate => metrics.false_alarm_rate };
export type RateName = keyof typeof rateOf;
export const rateNames: readonly RateName[] = ["mr", "far"];
export const pickRate = (metrics: Metrics, name: RateName): Rate => rateOf[name](metrics);

/** The title of a rate's cell: its fraction, and its worst case where invalid verdicts make one. Why there is none, for a dash. */
export function rateTitle(rate: Rate | undefined, name: RateName): string {
  if (!rate) return words.notHere;
  if (rate.value === null) return words.noRate[name];
  const fraction = fill(words.rateTitle[name], { n: rate.numerator, m: rate.denominator });
  return hasWorst(rate) ? `${fraction}; ${fill(words.worstTitle, { value: number(rate.worst) })}` : fraction;
}

/** Whether invalid verdicts leave room for a worse rate. */
export const hasWorst = (rate: Rate): boolean => rate.worst !== undefined && rate.worst !== null && rate.worst !== rate.value;

/** What has moved between two looks at a run, for people who do not see it; undefined when nothing did. */
export function movedWords(before: RunReport, now: RunReport): string | undefined {
  const moved = rateNames.flatMap((name) => {
    const [from, to] = [pickRate(before, name).value, pickRate(now, name).value];
    return from === to ? [] : [fill(words.announceChange, { name: words[name], now: number(to), before: number(from) })];
  });
  return moved.length > 0 ? moved.join(". ") : undefined;
}
