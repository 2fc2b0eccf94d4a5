/** The first line: the two numbers that matter, what today's labels did to them, and how those labels were chosen. */
import { strings, fill } from "#protocol/strings";
import { interval, number } from "./format";
import type { Rate, RunReport, ScoreReport } from "./report";

interface HeadlineProps { readonly original: ScoreReport; readonly corrected: ScoreReport; readonly run: RunReport; readonly before: RunReport | undefined }

/**
 * One rate. Where a monitor's verdict chose what was reviewed, the ratio on corrected labels is no estimate of anything: the
 * original one is shown.
 */
function Number({ name, title, now, before, isBiased }: { readonly name: string; readonly title: string; readonly now: Rate; readonly before: Rate | undefined; readonly isBiased: boolean }) {
  const shown = isBiased ? before ?? now : now;
  const note = isBiased ? fill(strings.onOriginal, { value: number(now.value) }) : before && before.value !== now.value ? fill(strings.was, { value: number(before.value) }) : undefined;
  return (
    <span class="headline-number">
      <abbr title={title}>{name}</abbr> <strong>{number(shown.value)}</strong> <span class="dim">{interval(shown)}</span>
      {note ? <span class="dim"> ({note})</span> : null}
    </span>
  );
}

export function reviewedWords(run: RunReport, report: ScoreReport): string {
  const reviewed = run.reviewed ?? report.selection.reviewed;
  return fill(strings.reviewedPart, { n: reviewed.tp + reviewed.fp, count: run.tp + run.fp, m: reviewed.fn + reviewed.tn, total: run.fn + run.tn });
}

export function Headline({ corrected, run, before }: HeadlineProps) {
  const isBiased = corrected.selection.chosen_by === "verdict";
  const changed = corrected.samples.corrected;
  return (
    <p class="headline">
      <Number name="MR" title={strings.missRate} now={run.miss_rate} before={before?.miss_rate} isBiased={isBiased} />
      <Number name="FAR" title={strings.falseAlarmRate} now={run.false_alarm_rate} before={before?.false_alarm_rate} isBiased={isBiased} />
      {changed !== undefined ? <span class="headline-number">{fill(strings.corrections, { n: changed })}</span> : null}
      <span class="headline-number">{reviewedWords(run, corrected)}</span>
    </p>
  );
}
