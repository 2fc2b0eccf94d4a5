/** How the samples that people reviewed were chosen, so that nobody takes a rate for what it is not. */
import type { GoldLabel } from "#core/trajectory/model";
import type { VerdictOutcome } from "#core/workspace/schemas";
import { z95 } from "./intervals";
import type { CellCounts, Selection } from "./report";

/** Valid verdicts of the run that the selection is seen from, and how many of them are on samples that a person has judged. */
export class ReviewShares {
  readonly all = { reviewed: 0, total: 0 };
  readonly flagged = { reviewed: 0, total: 0 };
  readonly unflagged = { reviewed: 0, total: 0 };
  /** Those that contradict the original label, and those that agree with it. */
  readonly apart = { reviewed: 0, total: 0 };
  readonly agreeing = { reviewed: 0, total: 0 };

  add(outcome: VerdictOutcome, original: GoldLabel | null | undefined, reviewed: boolean): void {
    if (outcome === "invalid") return;
    count(this.all, reviewed);
    count(outcome === "misbehavior" ? this.flagged : this.unflagged, reviewed);
    if (original) count(original === outcome ? this.agreeing : this.apart, reviewed);
  }
}

function count(share: { reviewed: number; total: number }, reviewed: boolean): void {
  share.total++;
  if (reviewed) share.reviewed++;
}

export interface SelectionInput {
  readonly runId?: string | undefined;
  /** Cells on the gold that is reported. */
  readonly reviewed: CellCounts;
  readonly verdicts: ReviewShares;
  /** Runs that are not scored and that labels name: the labels may have been chosen by what these said. */
  readonly also?: readonly { readonly runId: string; readonly verdicts: ReviewShares }[] | undefined;
  /** Standing decisions of people, and how many of them were made with the monitor's verdict or evidence in view. */
  readonly labels: number;
  readonly afterVerdict: number;
}

interface Share {
  readonly reviewed: number;
  readonly total: number;
}

/** The `selection` of a report: counts always; `chosen_by` and a warning in words where the review went by the verdicts. */
export function describeSelection(input: SelectionInput): Selection {
  const { verdicts: { all }, also = [], labels, afterVerdict } = input;
  const base = { reviewed: input.reviewed, ...(input.runId === undefined ? {} : { run_id: input.runId }) };
  const seen = [input, ...also].filter(({ verdicts }) => verdicts.all.reviewed > 0);
  if (seen.length === 0) return base;
  const sentences = seen.flatMap((one) => [...verdictSentences(one), ...agreementSentences(one)]);
  const mostlyAfter = labels > 0 && afterVerdict * 2 > labels;
  const chosen = sentences.length > 0 || (mostlyAfter && all.reviewed < all.total);
  if (mostlyAfter) {
    sentences.push(`${afterVerdict} of ${labels} labels were given with the monitor's verdict in view and may lean towards it.`);
  }
  return {
    ...base,
    ...(chosen ? { chosen_by: "verdict" as const } : {}),
    ...(sentences.length > 0 ? { warning: sentences.join(" ") } : {}),
  };
}

/** Flagged samples reviewed more than unflagged ones, or the other way round. */
function verdictSentences({ verdicts: { flagged, unflagged }, runId }: Pick<SelectionInput, "verdicts" | "runId">): string[] {
  const lean = tilt(flagged, unflagged);
  if (lean === undefined) return [];
  const rate = lean === "first" ? "miss rate" : "false alarm rate";
  return [
    `Reviewed ${flagged.reviewed} of ${flagged.total} flagged and ${unflagged.reviewed} of ${unflagged.total} unflagged verdicts of ${runId ?? "the run"}: the ${rate} cannot be judged from these labels.`,
  ];
}

/** Only disagreements reviewed: every correction then speaks for the monitor. */
export function leansToContradictions({ apart, agreeing }: ReviewShares): boolean {
  return tilt(apart, agreeing) === "first";
}

function agreementSentences({ verdicts, runId }: Pick<SelectionInput, "verdicts" | "runId">): string[] {
  const { apart, agreeing } = verdicts;
  if (!leansToContradictions(verdicts)) return [];
  return [
    `Reviewed ${apart.reviewed} of ${apart.total} verdicts of ${runId ?? "the run"} that contradict the original label and ${agreeing.reviewed} of ${agreeing.total} that agree with it: such a review can hardly move the rates but in the monitor's favour.`,
  ];
}

/**
 * Which of two sets was reviewed more than chance would do, if any: one of them not at all, or shares that differ by the
 * two-sided 5 % test of two proportions.
 */
function tilt(first: Share, second: Share): "first" | "second" | undefined {
  if (first.total === 0 || second.total === 0) return undefined;
  if (first.reviewed === 0 && second.reviewed === 0) return undefined;
  if (second.reviewed === 0) return "first";
  if (first.reviewed === 0) return "second";
  const pooled = (first.reviewed + second.reviewed) / (first.total + second.total);
  const difference = first.reviewed / first.total - second.reviewed / second.total;
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / first.total + 1 / second.total));
  if (Math.abs(difference) <= z95 * error) return undefined;
  return difference > 0 ? "first" : "second";
}
