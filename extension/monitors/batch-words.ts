/** What is said of runs over many samples: how they get on, what they would send and cost, how they ended. */
import * as vscode from "vscode";
import { isLoopback } from "#node/models/origin";
import type { BatchEstimate, BatchState } from "#protocol/batches";
import { placeWords } from "../platform/consent";

export const isUnderWay = ({ state }: BatchState): boolean => state === "running" || state === "pausing" || state === "cancelling";

const number = (value: number): string => value.toLocaleString();

export function moneyWords(usd: number): string {
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

/** "40 s", "12 min", "3.5 h" */
export function durationWords(seconds: number): string {
  if (seconds < 90) return vscode.l10n.t("{0} s", Math.max(1, Math.round(seconds)));
  if (seconds < 5400) return vscode.l10n.t("{0} min", Math.round(seconds / 60));
  return vscode.l10n.t("{0} h", (seconds / 3600).toFixed(1));
}

/** "120 of 2,000 · 8.3/s · 4 min left · $0.1200" */
export function progressWords(state: BatchState): string {
  const { done, total, perSecond, secondsLeft, costUsd, invalid } = state;
  const words = { pausing: vscode.l10n.t("pausing"), cancelling: vscode.l10n.t("stopping") }[state.state as "pausing" | "cancelling"];
  return [
    ...(words ? [words] : []), vscode.l10n.t("{0} of {1}", number(done), number(total)),
    ...(perSecond > 0 ? [vscode.l10n.t("{0}/s", perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond))] : []),
    ...(secondsLeft === undefined || words ? [] : [vscode.l10n.t("{0} left", durationWords(secondsLeft))]),
    ...(costUsd > 0 ? [moneyWords(costUsd)] : []), ...(invalid > 0 ? [vscode.l10n.t("{0} without a usable answer", number(invalid))] : []),
  ].join(" · ");
}

/** What a run ended with, in a sentence or two. */
export function endWords(state: BatchState): string {
  const { monitor, done, total, invalid, costUsd, cached, message = "" } = state;
  const counts = [
    vscode.l10n.t("{0} of {1} verdicts", number(done), number(total)), ...(invalid > 0 ? [vscode.l10n.t("{0} of them without a usable answer", number(invalid))] : []),
    ...(cached > 0 ? [vscode.l10n.t("{0} from the cache of earlier answers", number(cached))] : []), ...(costUsd > 0 ? [moneyWords(costUsd)] : []),
  ].join(", ");
  switch (state.state) {
    case "paused": return vscode.l10n.t("{0} is paused: {1}. Go on from the Runs view whenever you like.", monitor, counts);
    case "cancelled": return vscode.l10n.t("{0} was stopped: {1}. What was under way is not recorded; the run can go on from the Runs view.", monitor, counts);
    case "capped": return vscode.l10n.t("{0} has stopped, {1}: {2}. Raise the cap in the settings to go on.", monitor, message, counts);
    case "stopped": return vscode.l10n.t("{0} has stopped: {1} ({2})", monitor, message, counts);
    case "failed": return vscode.l10n.t("{0} has failed: {1} ({2})", monitor, message, counts);
    default: return vscode.l10n.t("{0} is done: {1}.", monitor, counts);
  }
}

/** Where text goes, in a sentence. `places` are origins, and `vscode-lm:VENDOR` for models of the editor. */
export function whereWords(places: readonly string[]): string {
  if (places.length === 0) return vscode.l10n.t("No text leaves this machine.");
  const names = places.map(placeWords).join(vscode.l10n.t(" and "));
  return places.every(isLoopback) ? vscode.l10n.t("The text goes to {0}, on this machine.", names) : vscode.l10n.t("The whole transcripts go to {0}.", names);
}

/** The lines of the confirmation: samples, tokens, cost, caps, where the text goes, what is started. */
export function estimateLines(estimate: BatchEstimate, places: readonly string[], caps: { readonly maxCostUsd: number; readonly maxTokens: number }): string[] {
  const { samples, done, unreadable, requests, inputTokens, outputTokens, costUsd, programs, notes } = estimate;
  const asks = requests > 0;
  const capWords = [...(caps.maxCostUsd > 0 ? [moneyWords(caps.maxCostUsd)] : []), ...(caps.maxTokens > 0 ? [vscode.l10n.t("{0} tokens", number(caps.maxTokens))] : [])].join(vscode.l10n.t(" or "));
  return [
    [vscode.l10n.t("{0} samples", number(samples)), ...(done > 0 ? [vscode.l10n.t("{0} have their verdict already", number(done))] : []), ...(unreadable > 0 ? [vscode.l10n.t("{0} cannot be read or are too long to be asked about", number(unreadable))] : [])].join(", "),
    ...(asks ? [vscode.l10n.t("{0} requests, about {1} tokens in, at most about {2} out (estimated)", number(requests), number(inputTokens), number(outputTokens))] : []),
    ...(asks ? [costUsd === null ? vscode.l10n.t("Cost unknown: the monitor states no price.") : vscode.l10n.t("Cost: about {0}", moneyWords(costUsd))] : []),
    ...(asks ? [capWords === "" ? vscode.l10n.t("No cap is set (tracemark.batches.maxCostUsd, maxTokens).") : vscode.l10n.t("Stops before {0}.", capWords)] : []),
    whereWords(places),
    ...programs.map((program) => vscode.l10n.t("Starts {0} for each sample.", program)),
    ...notes,
  ];
}
