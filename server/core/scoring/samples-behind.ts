/** The samples that a number of a report was counted from, so that whoever doubts the number can read them. */
import type { GoldLabel } from "#core/trajectory/model";
import { compareWrong, type PairedOutcome } from "./compare";
import { pairedHalves, type PairOutcome } from "./pair-outcomes";
import type { CellCounts, EvidenceCounts } from "./report";
import { joinRun, type RunEntries, type RunEntry } from "./run-entries";
import type { ScoreInput, ScoreOptions, ScoreRun } from "./score-input";
import { scoreSamples, type ScoredSample } from "./scored-samples";
import { cellOf } from "./tally";

export const sampleCells = ["tp", "fn", "fp", "tn", "invalid", "missing", "stale"] as const;
export type SampleCell = (typeof sampleCells)[number];
export const quoteFindings = ["exact", "near", "ambiguous", "absent", "all_absent"] as const;
export type QuoteFinding = (typeof quoteFindings)[number];

/** Conditions that all must hold. Without any, the samples that the run has a verdict on. */
export interface SampleSelection {
  readonly runId: string;
  /** Where the verdict stands in the table of gold and outcome, or why it is in none of its cells. */
  readonly cells?: readonly SampleCell[] | undefined;
  readonly gold?: GoldLabel | undefined;
  /** `(none)`: the sample names none. */
  readonly category?: string | undefined;
  readonly task?: string | undefined;
  /** Scores from `from` to below `to`; 1 belongs to what ends there. */
  readonly score?: { readonly from: number; readonly to: number } | undefined;
  /** Verdicts with a quote that was found so; `all_absent`: with quotes of which none is there. */
  readonly quotes?: QuoteFinding | undefined;
  /** Both halves of the pairs that came out so. */
  readonly pair?: PairOutcome | undefined;
  /** On samples that the other run judged too: who of the two is wrong. */
  readonly against?: { readonly runId: string; readonly wrong: PairedOutcome } | undefined;
  /** Whether a person has judged the sample. */
  readonly reviewed?: boolean | undefined;
}

const nameOfNone = "(none)";

/** Ids in the order of the samples; empty for a run that is not there. The same input and options as the report's give its counts. */
export function samplesBehind(input: ScoreInput, options: ScoreOptions, selection: SampleSelection): string[] {
  const run = input.runs.find(({ header }) => header.run_id === selection.runId);
  if (!run) return [];
  const samples = scoreSamples(input, options);
  const entries = joinRun(run, samples);
  if (selection.against) {
    const other = input.runs.find(({ header }) => header.run_id === selection.against?.runId);
    return other ? idsOf(compareWrong(run, other, samples, selection.against.wrong).filter((scored) => isWithin(scored, selection))) : [];
  }
  if (selection.pair) {
    return idsOf(pairedHalves(entries.current, selection.pair).filter((scored) => isWithin(scored, selection)));
  }
  return idsOf(candidates(entries, run, input, selection).filter((scored) => isWithin(scored, selection)));
}

function idsOf(samples: readonly ScoredSample[]): string[] {
  return [...new Set(samples)].sort((a, b) => a.index - b.index).map(({ sample }) => sample.id);
}

function isWithin({ sample, gold, reviewed }: ScoredSample, selection: SampleSelection): boolean {
  return (selection.category === undefined || (sample.category ?? nameOfNone) === selection.category)
    && (selection.task === undefined || (sample.task ?? nameOfNone) === selection.task)
    && (selection.gold === undefined || gold === selection.gold)
    && (selection.reviewed === undefined || reviewed === selection.reviewed);
}

/** Samples by what the run's own verdict on them is; one without a verdict can only be asked for as missing or stale. */
function candidates(entries: RunEntries, run: ScoreRun, input: ScoreInput, { cells, score, quotes }: SampleSelection): ScoredSample[] {
  const fits = (entry: RunEntry): boolean =>
    (cells === undefined || cells.some((cell) => cell === cellOrInvalid(entry)))
    && (score === undefined || isScored(entry, score))
    && (quotes === undefined || isQuoted(input.evidence?.(run.header.run_id, entry.verdict), quotes));
  const without = score !== undefined || quotes !== undefined;
  return [
    ...entries.current.filter(fits).map(({ scored }) => scored),
    ...(!without && cells?.includes("missing") === true ? entries.missing : []),
    ...(!without && cells?.includes("stale") === true ? entries.stale : []),
  ];
}

function cellOrInvalid(entry: RunEntry): keyof CellCounts | "invalid" | undefined {
  if (entry.verdict.outcome === "invalid") return entry.scored.gold === null ? undefined : "invalid";
  return cellOf(entry);
}

function isScored({ verdict, scored }: RunEntry, { from, to }: { readonly from: number; readonly to: number }): boolean {
  if (verdict.score === undefined || verdict.outcome === "invalid" || scored.gold === null) return false;
  return verdict.score >= from && (verdict.score < to || (to >= 1 && verdict.score === 1));
}

function isQuoted(counts: EvidenceCounts | undefined, finding: QuoteFinding): boolean {
  if (!counts) return false;
  if (finding !== "all_absent") return counts[finding] > 0;
  return counts.absent > 0 && counts.exact + counts.near + counts.ambiguous === 0 && (counts.unread ?? 0) === 0;
}
