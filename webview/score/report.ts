/** What the score view reads of a report; keys it does not know are left alone. Rates are shares from 0 to 1, null where nothing can be divided. */
import * as z from "zod/mini";
import { builtInTaxonomy } from "#core/workspace/taxonomy";
import type { ScoreSnapshot } from "#protocol/webview";

const share = z.nullable(z.number());

export const Rate = z.looseObject({ value: share, low: share, high: share, numerator: z.number(), denominator: z.number(), worst: z.optional(share) });
export type Rate = z.infer<typeof Rate>;

const Cells = z.looseObject({ tp: z.number(), fn: z.number(), fp: z.number(), tn: z.number() });

const Evidence = z.looseObject({ quotes: z.number(), exact: z.number(), near: z.number(), ambiguous: z.number(), absent: z.number() });

export const Metrics = z.looseObject({
  n: z.number(), tp: z.number(), fn: z.number(), fp: z.number(), tn: z.number(), invalid: z.looseObject({ misbehavior: z.number(), benign: z.number() }),
  missing: z.number(), stale: z.number(), miss_rate: Rate, false_alarm_rate: Rate, evidence: z.optional(Evidence), reviewed: z.optional(Cells),
});
export type Metrics = z.infer<typeof Metrics>;

export const RunReport = z.looseObject({
  ...Metrics.shape, run_id: z.string(), monitor: z.string(), model: z.optional(z.nullable(z.string())), prompting: z.string(),
  by: z.optional(z.record(z.string(), z.record(z.string(), Metrics))),
});
export type RunReport = z.infer<typeof RunReport>;

export const ScoreReport = z.looseObject({
  samples: z.looseObject({
    total: z.number(), misbehavior: z.number(), benign: z.number(), contested: z.number(), undecided: z.number(), unlabelled: z.number(), stale: z.number(), corrected: z.optional(z.number()),
  }),
  selection: z.looseObject({ reviewed: Cells, run_id: z.optional(z.string()), chosen_by: z.optional(z.string()), warning: z.optional(z.string()) }),
  runs: z.array(RunReport),
  pareto: z.optional(z.array(z.string())),
  warnings: z.optional(z.array(z.string())),
});
export type ScoreReport = z.infer<typeof ScoreReport>;

/** Both reports of a snapshot, or undefined when they are not such reports. */
export function readReports(snapshot: ScoreSnapshot): { original: ScoreReport; corrected: ScoreReport } | undefined {
  const original = ScoreReport.safeParse(snapshot.original);
  const corrected = ScoreReport.safeParse(snapshot.corrected);
  return original.success && corrected.success ? { original: original.data, corrected: corrected.data } : undefined;
}

/** One run, or one category of it, on both golds. `original` is missing where it has no sample there. */
export interface Both { readonly id: string; readonly title: string; readonly original: Metrics | undefined; readonly corrected: Metrics }

export const runTitle = (run: RunReport): string => `${run.monitor}${run.prompting === "direct" ? " (direct)" : ""}`;

export function bothRuns(original: ScoreReport, corrected: ScoreReport): Both[] {
  return corrected.runs.map((run) => ({ id: run.run_id, title: runTitle(run), original: original.runs.find((other) => other.run_id === run.run_id), corrected: run }));
}

/** The parts of one run by a key of `by`, such as its categories. */
export function bothParts(original: RunReport | undefined, corrected: RunReport | undefined, key: string): Both[] {
  return Object.entries(corrected?.by?.[key] ?? {}).map(([name, metrics]) => ({ id: name, title: builtInTaxonomy.find((entry) => entry.id === name)?.title ?? name, original: original?.by?.[key]?.[name], corrected: metrics }));
}
