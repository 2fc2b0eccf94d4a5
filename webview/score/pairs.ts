/** Runs, and parts of one, on both golds at once, with names that tell them apart. */
import { builtInTaxonomy } from "#core/workspace/taxonomy";
import { scoreStrings as words } from "#protocol/strings-score";
import type { Metrics, Reports, RunReport } from "./report";

/** One run, or one category of it, on both golds. `original` is missing where it has no sample there. */
export interface Both {
  readonly id: string;
  readonly title: string;
  /** What tells it from others of the same title. */
  readonly subtitle?: string;
  readonly original: Metrics | undefined;
  readonly corrected: Metrics;
}

/** A run's second line: prompting and model, and its id where another run shares all of that. */
function subtitleOf(run: RunReport, runs: readonly RunReport[]): string {
  const isTwin = runs.some((other) => other !== run && other.monitor === run.monitor && other.prompting === run.prompting && other.model === run.model);
  return [run.prompting, run.model, isTwin ? run.run_id : undefined].filter(Boolean).join(" · ");
}

export function bothRuns({ original, corrected }: Reports): Both[] {
  return corrected.runs.map((run) => ({
    id: run.run_id, title: run.monitor, subtitle: subtitleOf(run, corrected.runs), original: original.runs.find((other) => other.run_id === run.run_id), corrected: run,
  }));
}

/** The name of a row on one line; the subtitle only where the title alone would be some other row's too. */
export function oneLine(row: Both, rows: readonly Both[]): string {
  return row.subtitle && rows.some((other) => other !== row && other.title === row.title) ? `${row.title} (${row.subtitle})` : row.title;
}

/** The key that the report gives to samples which say nothing. */
const none = "(none)";

/** The parts of one run by a key of `by`, such as its categories. */
export function bothParts(before: RunReport | undefined, run: RunReport, key: string): Both[] {
  return Object.entries(run.by?.[key] ?? {}).map(([name, metrics]) => ({
    id: name, title: name === none ? words.noKey : builtInTaxonomy.find((entry) => entry.id === name)?.title ?? name, original: before?.by?.[key]?.[name], corrected: metrics,
  }));
}
