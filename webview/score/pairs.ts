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
  /** The title, with as little more as makes it the only one of its kind. */
  readonly name: string;
  readonly original: Metrics | undefined;
  readonly corrected: Metrics;
}

/** All that a row's name may have cut: title, second line, id. */
export function rowTitle({ title, subtitle, id }: Both): string {
  return [...new Set([title, subtitle, id].filter(Boolean))].join("\n");
}

/** A run's second line: prompting and model, and its id where another run shares all of that. */
function subtitleOf(run: RunReport, runs: readonly RunReport[]): string {
  const isTwin = runs.some((other) => other !== run && other.monitor === run.monitor && other.prompting === run.prompting && other.model === run.model);
  return [run.prompting, run.model, isTwin ? run.run_id : undefined].filter(Boolean).join(" · ");
}

/** The title alone, else with the first of prompting, model and id that no other run of this monitor shares. */
function nameOf(run: RunReport, runs: readonly RunReport[]): string {
  const others = runs.filter((other) => other !== run && other.monitor === run.monitor);
  if (others.length === 0) return run.monitor;
  const key = (["prompting", "model"] as const).find((candidate) => run[candidate] && others.every((other) => other[candidate] !== run[candidate])) ?? "run_id";
  return `${run.monitor} (${run[key]})`;
}

export function bothRuns({ original, corrected }: Reports): Both[] {
  return corrected.runs.map((run) => ({
    id: run.run_id, title: run.monitor, subtitle: subtitleOf(run, corrected.runs), name: nameOf(run, corrected.runs),
    original: original.runs.find((other) => other.run_id === run.run_id), corrected: run,
  }));
}

/** The key that the report gives to samples which say nothing. */
const none = "(none)";

/** What a part is called: its category's title, its own name, or that it has none. */
export const partTitle = (id: string): string => (id === none ? words.noKey : builtInTaxonomy.find((entry) => entry.id === id)?.title ?? id);

/** The parts of one run by a key of `by`, such as its categories. */
export function bothParts(before: RunReport | undefined, run: RunReport, key: string): Both[] {
  return Object.entries(run.by?.[key] ?? {}).map(([id, metrics]) => {
    const title = partTitle(id);
    return { id, title, name: title, original: before?.by?.[key]?.[id], corrected: metrics };
  });
}
