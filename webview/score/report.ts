/** What the score view reads of a report; keys it does not know are left alone. Rates are shares from 0 to 1, null where nothing can be divided. */
import * as z from "zod/mini";
import type { ScoreSnapshot } from "#protocol/webview";

const share = z.nullable(z.number());
const optionalShare = z.optional(share);

export const Rate = z.looseObject({
  value: share, low: share, high: share, numerator: z.number(), denominator: z.number(), worst: optionalShare,
  clustered: z.optional(z.looseObject({ low: share, high: share })), undecided: z.optional(z.looseObject({ low: share, high: share })),
});
export type Rate = z.infer<typeof Rate>;

const Cells = z.looseObject({ tp: z.number(), fn: z.number(), fp: z.number(), tn: z.number() });
export type Cells = z.infer<typeof Cells>;
const PerClass = z.looseObject({ misbehavior: z.number(), benign: z.number() });

const Evidence = z.looseObject({ quotes: z.number(), exact: z.number(), near: z.number(), ambiguous: z.number(), absent: z.number(), unread: z.optional(z.number()) });
export type Evidence = z.infer<typeof Evidence>;

export const Metrics = z.looseObject({
  ...Cells.shape, n: z.number(), invalid: PerClass, missing: z.number(), stale: z.number(), miss_rate: Rate, false_alarm_rate: Rate,
  flag_rate: z.optional(Rate), balanced_accuracy: optionalShare, youden_j: optionalShare, auroc: optionalShare, auroc_n: z.optional(PerClass),
  evidence: z.optional(Evidence), reviewed: z.optional(Cells),
});
export type Metrics = z.infer<typeof Metrics>;

const EstimatedRate = z.looseObject({ value: share, low: share, high: share, reason: z.optional(z.string()) });
const Estimate = z.looseObject({
  judged: z.number(), planned: z.number(), interim: z.boolean(), frame: z.number(), miss_rate: EstimatedRate, false_alarm_rate: EstimatedRate, precision: EstimatedRate, prevalence: EstimatedRate, label_noise: EstimatedRate, notes: z.array(z.string()),
});
export type Estimate = z.infer<typeof Estimate>;

export const RunReport = z.looseObject({
  ...Metrics.shape, estimates: z.optional(z.record(z.string(), Estimate)), run_id: z.string(), monitor: z.string(), model: z.optional(z.nullable(z.string())), prompting: z.string(),
  by: z.optional(z.record(z.string(), z.record(z.string(), Metrics))),
  leakage: z.optional(z.looseObject({ told_by: z.string(), of: z.number(), trained_on: z.number(), others: z.looseObject({ miss_rate: Rate, false_alarm_rate: Rate }) })),
});
export type RunReport = z.infer<typeof RunReport>;

const Correlation = z.looseObject({ pearson_r: z.number(), low: z.number(), high: z.number(), n: z.number(), slope: z.number(), intercept: z.number() });
export type Correlation = z.infer<typeof Correlation>;

const RateChange = z.looseObject({ original: share, corrected: share });
const SampleChange = z.looseObject({ sample_id: z.string(), repeat: z.optional(z.number()), from: z.nullable(z.string()), to: z.nullable(z.string()), cell: z.looseObject({ original: z.nullable(z.string()), corrected: z.nullable(z.string()) }), miss_rate: share, false_alarm_rate: share });
const RunChanges = z.looseObject({ run_id: z.string(), miss_rate: RateChange, false_alarm_rate: RateChange, samples: z.array(SampleChange) });
const Changes = z.looseObject({ changed: z.number(), to_misbehavior: z.number(), to_benign: z.number(), to_undecided: z.number(), first_labels: z.number(), runs: z.array(RunChanges) });
export type Changes = z.infer<typeof Changes>;

export const ScoreReport = z.looseObject({
  samples: z.looseObject({
    total: z.number(), misbehavior: z.number(), benign: z.number(), contested: z.number(), undecided: z.number(), unlabelled: z.number(), stale: z.number(),
  }),
  selection: z.looseObject({ reviewed: Cells, run_id: z.optional(z.string()), chosen_by: z.optional(z.string()), warning: z.optional(z.string()) }),
  runs: z.array(RunReport),
  pareto: z.optional(z.array(z.string())),
  correlation: z.optional(z.nullable(Correlation)),
  changes: z.optional(Changes),
  warnings: z.optional(z.array(z.string())),
  cautions: z.optional(z.array(z.looseObject({ code: z.string(), message: z.string() }))),
});
export type ScoreReport = z.infer<typeof ScoreReport>;

export interface Reports { readonly original: ScoreReport; readonly corrected: ScoreReport; readonly corrections: number | undefined }

/** Both reports of a snapshot, or undefined when they are not such reports. */
export function readReports(snapshot: ScoreSnapshot): Reports | undefined {
  const original = ScoreReport.safeParse(snapshot.original);
  const corrected = ScoreReport.safeParse(snapshot.corrected);
  return original.success && corrected.success ? { original: original.data, corrected: corrected.data, corrections: snapshot.corrections } : undefined;
}
