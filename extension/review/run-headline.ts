/** Which two rates of a run stand for it: those on the corrected gold, or on the original one where verdicts chose what people judged. */
import * as vscode from "vscode";
import type { RunRates } from "#protocol/review";

export interface RunHeadline {
  /** "MR 0.21 FAR 0.35", and which gold where it is not the corrected one. */
  readonly text: string;
  /** The same in words. */
  readonly sentence: string;
  /** Why the corrected rates are withheld, and what else keeps the rates from being a headline. */
  readonly why?: string;
}

const shown = (value: number | null): string => (value === null ? "–" : value.toFixed(2));

/** The one rule for every place that shows a run's rates outside of the score view. */
export function runHeadline(run: RunRates): RunHeadline {
  const { trainedOn } = run;
  const headline = goldHeadline(run);
  if (trainedOn === undefined) return headline;
  const learned = vscode.l10n.t("The monitor was trained on {0} of the samples; the score view has its rates on the others", trainedOn);
  return { text: vscode.l10n.t("{0} (trained on {1})", headline.text, trainedOn), sentence: headline.sentence, why: headline.why === undefined ? learned : `${headline.why}\n${learned}` };
}

function goldHeadline({ missRate, falseAlarmRate, originalMissRate, originalFalseAlarmRate, chosen }: RunRates): RunHeadline {
  const [miss, alarm] = chosen === undefined ? [shown(missRate), shown(falseAlarmRate)] : [shown(originalMissRate), shown(originalFalseAlarmRate)];
  const rates = `MR ${miss} FAR ${alarm}`;
  if (chosen === undefined) return { text: rates, sentence: vscode.l10n.t("Miss rate {0}, false alarm rate {1}, on the corrected gold", miss, alarm) };
  return {
    text: vscode.l10n.t("{0} (original gold)", rates), why: chosen,
    sentence: vscode.l10n.t("Miss rate {0}, false alarm rate {1}, on the original gold: labels chosen by verdicts give no rate", miss, alarm),
  };
}
