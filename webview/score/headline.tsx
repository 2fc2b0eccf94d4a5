/** The first line: the two numbers that matter, what the labels did to them, and how those labels were chosen. */
import { fill } from "#protocol/strings";
import { plotStrings } from "#protocol/strings-plots";
import { scoreStrings as words } from "#protocol/strings-score";
import { isChosenByVerdict, pickRate, rateTitle, reviewedWords, splitWarning, type RateName } from "./compare";
import { bestEstimate, judgedWords } from "./estimates";
import { interval, number } from "./format";
import type { Rate, Reports, RunReport } from "./report";

interface HeadlineProps { readonly reports: Reports; readonly run: RunReport; readonly before: RunReport | undefined }

type Shown = Pick<Rate, "value" | "low" | "high">;

/**
 * One rate. Where a plan with known chances tells it, its estimate leads. Else, where a monitor's verdict chose what was reviewed, the ratio on corrected labels is no estimate of anything: the
 * original one leads.
 */
function HeadlineRate({ name, run, before, isBiased, estimate }: { readonly name: RateName; readonly run: RunReport; readonly before: RunReport | undefined; readonly isBiased: boolean; readonly estimate: Shown | undefined }) {
  const now = pickRate(run, name);
  const original = before && pickRate(before, name);
  const plain = isBiased ? original ?? now : now;
  const shown: Shown = estimate ?? plain;
  const isMoved = original !== undefined && original.value !== now.value;
  const note = !isMoved ? undefined : isBiased ? fill(words.withCorrections, { value: number(now.value) }) : fill(words.was, { value: number(original.value) });
  return (
    <span class="headline-rate" title={estimate ? plotStrings.estimateTitle : rateTitle(plain, name)}>
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
  const found = isBiased ? bestEstimate(run) : undefined;
  return (
    <p class="headline">
      <HeadlineRate name="mr" run={run} before={before} isBiased={isBiased} estimate={found?.estimate.miss_rate} /> · <HeadlineRate name="far" run={run} before={before} isBiased={isBiased} estimate={found?.estimate.false_alarm_rate} />
      <span class="live"> · </span>
      <span class="headline-labels">
        {found ? `${fill(plotStrings.estimateHeadline, { plan: found.plan, judged: judgedWords(found.estimate) })} · ` : ""}{corrections === undefined ? "" : `${fill(words.corrections, { n: corrections })} · `}{reviewed}{verdict && !found ? <>: <strong>{verdict}</strong></> : null}
      </span>
    </p>
  );
}
