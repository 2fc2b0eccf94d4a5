/** What the score view shows beyond rates, part by part, and the samples behind a number: method names and shapes only. */
import * as z from "zod/mini";
import { pairedOutcomes } from "#core/scoring/compare";
import { pairOutcomeNames } from "#core/scoring/pair-outcomes";
import { quoteFindings, sampleCells } from "#core/scoring/samples-behind";
import { GoldLabel } from "#core/trajectory/model";

const text = z.string();
const optionalText = z.optional(text);

/**
 * `slices`: the report by category and task crossed. `agreement`: what `tracemark agreement` prints. `comparison`: what
 * `tracemark compare` prints of two runs. `repeats`: what every report has of them. The others: the report of `tracemark score` with the details of that name.
 */
export const scoreParts = ["slices", "curves", "generalisation", "prompting", "faithfulness", "pairs", "repeats", "agreement", "comparison"] as const;
export const ScorePart = z.enum(scoreParts);
export type ScorePart = z.infer<typeof ScorePart>;

export const ScoreGold = z.enum(["original", "corrected"]);
export type ScoreGold = z.infer<typeof ScoreGold>;

/** Which samples a number counts; all conditions hold together. */
export const SampleSelection = z.object({
  runId: text, cells: z.optional(z.array(z.enum(sampleCells))), gold: z.optional(GoldLabel), category: optionalText, task: optionalText,
  score: z.optional(z.object({ from: z.number(), to: z.number() })), quotes: z.optional(z.enum(quoteFindings)), pair: z.optional(z.enum(pairOutcomeNames)),
  against: z.optional(z.object({ runId: text, wrong: z.enum(pairedOutcomes) })), reviewed: z.optional(z.boolean()),
});
export type SampleSelection = z.infer<typeof SampleSelection>;

/** Samples on which counted labels differ: of the two people named, or of any where none is. */
export const Disagreement = z.object({ between: z.array(text) });
export type Disagreement = z.infer<typeof Disagreement>;

const labels = z.enum(["all", "blind"]);

/** Requests about scores: method to params and result. */
export const scoreRequests = {
  /** One part, worked out when it is looked at. `runs` are two ids for `comparison`; `reference` is the absolute path of a CSV with published rates for `generalisation`. */
  "tracemark/scorePart": {
    params: z.object({ root: text, labels, gold: ScoreGold, part: ScorePart, runs: z.optional(z.array(text)), reference: optionalText }),
    result: z.object({ report: z.looseObject({}), notes: z.array(text) }),
  },
  /** Ids of the samples that a number was counted from, in the order of the workspace. */
  "tracemark/scoreSamples": {
    params: z.object({ root: text, labels, gold: ScoreGold, selection: z.optional(SampleSelection), disagreement: z.optional(Disagreement) }),
    result: z.object({ ids: z.array(text) }),
  },
} as const;
