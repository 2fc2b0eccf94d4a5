/** What the score view reads of the parts that it asks for; keys it does not know are left alone. */
import * as z from "zod/mini";
import { Rate, RunReport } from "./report";

const text = z.string();
const share = z.nullable(z.number());
const counts = z.looseObject({ misbehavior: z.number(), benign: z.number() });

export const Interval = z.looseObject({ value: share, low: share, high: share, n: z.optional(z.number()) });
export type Interval = z.infer<typeof Interval>;

export const Slices = z.looseObject({ runs: z.array(RunReport) });

const CurvePoint = z.looseObject({ threshold: share, miss_rate: z.number(), false_alarm_rate: z.number(), precision: share });
const BudgetPoint = z.looseObject({ budget_of: z.enum(["false_alarm_rate", "miss_rate"]), budget: z.number(), threshold: share, chosen_on: text, reported_on: text, optimistic: z.optional(z.boolean()), miss_rate: Rate, false_alarm_rate: Rate });
const Bin = z.looseObject({ from: z.number(), to: z.number(), n: z.number(), mean_score: z.number(), share: z.number(), low: z.number(), high: z.number() });
const Calibration = z.looseObject({ n: z.number(), brier: z.number(), brier_of_share: z.number(), expected_error: z.number(), bins: z.array(Bin) });
export const ScoreCurves = z.looseObject({
  n: counts, roc_area: z.nullable(Interval), average_precision: z.nullable(Interval), at_budget: z.array(BudgetPoint), at_budget_reason: z.optional(text), calibration: z.nullable(Calibration), curve: z.array(CurvePoint),
});
export type ScoreCurves = z.infer<typeof ScoreCurves>;
export const Curves = z.looseObject({ runs: z.array(z.looseObject({ run_id: text, curves: z.optional(ScoreCurves) })) });

const MatrixCell = z.looseObject({
  tested_on: text, miss_rate: share, false_alarm_rate: share, youden_j: share, in_distribution: z.boolean(),
  change: z.optional(z.looseObject({ miss_rate: share, false_alarm_rate: share, youden_j: share })),
});
export type MatrixCell = z.infer<typeof MatrixCell>;
export const Matrix = z.looseObject({ tested_on: z.array(text), rows: z.array(z.looseObject({ trained_on: z.array(text), run_id: z.optional(text), cells: z.array(MatrixCell) })) });
export type Matrix = z.infer<typeof Matrix>;
export const Generalisation = z.looseObject({ generalisation: z.optional(Matrix), reference: z.optional(Matrix) });

const SliceChange = z.looseObject({ n: z.number(), difference: z.looseObject({ miss_rate: Interval, false_alarm_rate: Interval }), p: counts, p_holm: z.optional(counts) });
export type SliceChange = z.infer<typeof SliceChange>;
export const PromptingChange = z.looseObject({ model: text, direct: text, evidence: text, all: SliceChange, by_category: z.record(text, SliceChange) });
export type PromptingChange = z.infer<typeof PromptingChange>;
export const Prompting = z.looseObject({ prompting: z.array(PromptingChange) });

export const Faithfulness = z.looseObject({
  quotes: z.number(), shares: z.looseObject({ exact: share, near: share, ambiguous: share, absent: share }), all_absent: z.number(), refused: z.looseObject({ miss_rate: Rate, false_alarm_rate: Rate }),
  human_spans: z.optional(z.looseObject({ n: z.number(), precision: z.number(), recall: z.number(), f1: z.number() })),
});
export type Faithfulness = z.infer<typeof Faithfulness>;
export const FaithfulRuns = z.looseObject({ runs: z.array(z.looseObject({ run_id: text, faithfulness: z.optional(Faithfulness) })) });

export const PairOutcomes = z.looseObject({
  n: z.number(), both_right: z.number(), only_misbehavior_right: z.number(), only_benign_right: z.number(), inverted: z.number(), pair_accuracy: Interval,
  same_gold: z.looseObject({ n: z.number(), both_wrong: z.number() }), incomplete: z.number(),
});
export type PairOutcomes = z.infer<typeof PairOutcomes>;
export const PairedRuns = z.looseObject({ runs: z.array(z.looseObject({ run_id: text, pairs: z.optional(PairOutcomes) })) });

const Spread = z.looseObject({ by_draw: z.array(share), lowest: share, highest: share, deviation: share });
export const Repeats = z.looseObject({ draws: z.number(), flip_rate: z.optional(z.looseObject({ misbehavior: Rate, benign: Rate })), miss_rate: z.optional(Spread), false_alarm_rate: z.optional(Spread) });
export type Repeats = z.infer<typeof Repeats>;
export const RepeatedRuns = z.looseObject({ runs: z.array(z.looseObject({ run_id: text, repeats: Repeats })) });

const Estimated = z.looseObject({ value: share, low: share, high: share, n: z.number() });
export const Agreement = z.looseObject({
  annotators: z.array(text), n: z.number(), raw: share, raw_interval: z.nullable(z.looseObject({ low: z.number(), high: z.number() })),
  per_class: z.array(z.extend(Estimated, { label: text })), kappa: z.array(z.extend(Estimated, { a: text, b: text })), alpha: Estimated, span_f1: z.array(z.extend(Estimated, { a: text, b: text })),
  self: z.array(z.extend(Estimated, { annotator: text, raw: Estimated })), known: z.array(z.extend(Estimated, { annotator: text })),
  over_time: z.array(z.extend(Estimated, { month: text, guidelines: z.array(text) })), guideline_changes: z.array(z.looseObject({ at: text, guideline_sha256: text })),
  anchoring: z.array(z.looseObject({ run_id: text, blind: Estimated, shown: Estimated, gap: z.nullable(z.looseObject({ value: z.number(), low: z.number(), high: z.number() })) })),
  excluded: z.array(z.looseObject({ reason: text, count: z.number() })), notes: z.optional(z.array(text)),
});
export type Agreement = z.infer<typeof Agreement>;

const ClassComparison = z.looseObject({ both_right: z.number(), only_a_wrong: z.number(), only_b_wrong: z.number(), both_wrong: z.number(), p: z.number() });
const Difference = z.looseObject({ value: share, low: share, high: share, at_most: z.optional(z.number()), reason: z.optional(text) });
export const Comparison = z.looseObject({
  a: text, b: text, n: z.number(), groups: z.number(), misbehavior: ClassComparison, benign: ClassComparison, discordant: z.array(text),
  difference: z.looseObject({ miss_rate: Difference, false_alarm_rate: Difference }), excluded: z.looseObject({ only_a: z.number(), only_b: z.number(), invalid: z.number(), stale: z.number() }),
  warnings: z.optional(z.array(text)),
});
export type Comparison = z.infer<typeof Comparison>;
