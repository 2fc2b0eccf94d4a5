/** The first line: the two numbers that matter, what the labels did to them, and how those labels were chosen. */
import { fill } from "#protocol/strings";
import { scoreStrings as words } from "#protocol/strings-score";
import { isChosenByVerdict, pickRate, rateTitle, reviewedWords, splitWarning, type RateName } from "./compare";
import { interval, number } from "./format";
import type { Reports, RunReport } from "./report";

interface HeadlineProps { readonly reports: Reports; readonly run: RunReport; readonly before: RunReport | undefined }

/**
 * One rate. Where a monitor's verdict chose what was reviewed, the ratio on corrected labels is no estimate of anything: the
 * original one leads.
 */
function HeadlineRate({ name, run, before, isBiased }: { readonly name: RateName; readonly run: RunReport; readonly before: RunReport | undefined; readonly isBiased: boolean }) {
  const now = pickRate(run, name);
  const original = before && pickRate(before, name);
  const shown = isBiased ? original ?? now : now;
  const isMoved = original !== undefined && original.value !== now.value;
  const note = !isMoved ? undefined : isBiased ? fill(words.withCorrections, { value: number(now.value) }) : fill(words.was, { value: number(original.value) });
  return (
    <span class="headline-rate" title={rateTitle(shown, name)}>
      <abbr title={name === "mr" ? words.missRate : words.falseAlarmRate}>{words[name]}</abbr> <strong>{number(shown.value)}</strong> <span class="dim">{interval(shown)}</span>
      {note ? <span class="headline-note"> ({note})</span> : null}
    </span>
  );
}

export function Headline({ reports, run, before }: HeadlineProps) {
  const { corrected, corrections } = reports;
  const isBiased = isChosenByVerdict(corrected);
  const { verdict } = splitWarning(corrected, run.run_id);
  const reviewed = reviewedWords(run, before);
  return (
    <p class="headline">
      <HeadlineRate name="mr" run={run} before={before} isBiased={isBiased} /> · <HeadlineRate name="far" run={run} before={before} isBiased={isBiased} />
      <span class="live"> · </span>
      <span class="headline-labels">
        {corrections === undefined ? "" : `${fill(words.corrections, { n: corrections })} · `}{reviewed}{verdict ? <>: <strong>{verdict}</strong></> : null}
      </span>
    </p>
  );
}
