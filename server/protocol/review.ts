/** The review queue, plans and runs of a root as the client asks the server for them: method names and shapes only. */
import * as z from "zod/mini";
import { strategies } from "#core/labels/plan-draw";
import { queueCells, queueStates } from "#core/labels/queue-row";
import { queueFacets } from "#core/labels/queue-table";
import { GoldLabel } from "#core/trajectory/model";
import { LabelValue } from "#core/workspace/schemas";

const text = z.string();
const optionalText = z.optional(text);
const optionalNumber = z.optional(z.number());

export const QueueFacet = z.enum(queueFacets);

/** Which rows: values that stay for each facet, words that must all occur. */
export const QueueFilterParams = z.object({
  /** `ids`: only these samples; `idsTitle` says in words which they are. */
  ids: z.optional(z.array(text)), idsTitle: optionalText,
  facets: z.optional(z.record(text, z.array(text))), text: optionalText, needsAdjudication: z.optional(z.boolean()), judgeAgain: z.optional(z.boolean()),
});
export type QueueFilterParams = z.infer<typeof QueueFilterParams>;

export const QueueSortParams = z.object({ by: z.enum(["plan", "suspicion", "length", "random", "id"]), reverse: z.optional(z.boolean()), seed: optionalNumber });
export type QueueSortParams = z.infer<typeof QueueSortParams>;

/** What the rows of a queue are made of: whose states, whose verdicts, which plan's order. Without a run the newest one counts. */
export const QueueSource = z.object({ root: text, annotator: text, runId: optionalText, planId: optionalText });
export type QueueSource = z.infer<typeof QueueSource>;

export const QueueRowView = z.object({
  id: text, state: z.enum(queueStates), label: z.nullable(LabelValue), cell: z.enum(queueCells), verdict: text, score: z.number(),
  gold: z.nullable(GoldLabel), goldStatus: text, original: z.nullable(GoldLabel), category: text, task: text, annotators: z.array(text), disagreement: z.array(text),
  needsAdjudication: z.boolean(), judgeAgain: z.boolean(), plans: z.array(text),
});
export type QueueRowView = z.infer<typeof QueueRowView>;

export const QueueGroupView = z.object({ value: text, count: z.number(), done: z.number() });
export type QueueGroupView = z.infer<typeof QueueGroupView>;

/** Rates of a run; null where there is nothing to divide by. */
export const RunRates = z.object({
  /** On the corrected gold. */
  missRate: z.nullable(z.number()), falseAlarmRate: z.nullable(z.number()),
  originalMissRate: z.nullable(z.number()), originalFalseAlarmRate: z.nullable(z.number()),
  /** Why the corrected rates are no headline, and those of the original gold stand there: what people judged was chosen by verdicts. */
  chosen: optionalText,
  /** Samples among those scored that the run's monitor was trained on, as its verdicts say; left out where there is none. */
  trainedOn: z.optional(z.number()),
});
export type RunRates = z.infer<typeof RunRates>;

export const RunRow = z.object({
  runId: text, monitor: text, model: optionalText, prompting: optionalText, createdAt: text, verdicts: z.number(), invalid: z.number(), missing: z.number(),
  /** Verdicts that a run over samples was to make and has not, repeats counted; 0 for one that was made by hand. */
  toMake: z.optional(z.number()),
  ...RunRates.shape, misses: z.number(), falseAlarms: z.number(),
});
export type RunRow = z.infer<typeof RunRow>;

export const PlanRow = z.object({
  planId: text, strategy: text, probability: z.boolean(), blind: z.optional(z.boolean()), createdAt: text, annotators: z.array(text), runId: optionalText,
  total: z.number(), decided: z.number(), unsure: z.number(), cannotJudge: z.number(), skipped: z.number(), pending: z.number(),
  /** Decided on another version of the log: to do again. */
  stale: z.number(),
});
export type PlanRow = z.infer<typeof PlanRow>;

/** Requests about reviewing: method to params and result. */
export const reviewRequests = {
  /** A page of the rows, or the groups they fall into where `groupBy` is given without `group`. */
  "tracemark/queue": {
    params: z.object({
      ...QueueSource.shape, filter: QueueFilterParams, sorting: QueueSortParams,
      groupBy: z.optional(QueueFacet), group: optionalText, from: z.number(), to: z.number(),
      /** The row being judged stays although the filter has lost it. */
      keep: optionalText,
    }),
    result: z.object({
      /** Rows of the whole root, those that pass the filter, and how many of these are done. */
      total: z.number(), shown: z.number(), done: z.number(), kept: z.boolean(),
      /** Rows of the whole root whose label this person is to give again, and whether an edit of the guidelines waits to be marked. */
      judgeAgain: z.number(), guidelinesUnmarked: z.boolean(),
      groups: z.array(QueueGroupView), rows: z.array(QueueRowView), runId: optionalText,
      /** Files looked into so far, of how many: more rows are to come. */
      reading: z.optional(z.object({ done: z.number(), total: z.number() })),
      /** Why the list is not all there is: the search of a folder without settings has its bound. */
      searchStopped: optionalText,
    }),
  },
  /** The values of a facet with the number of rows that have each. */
  "tracemark/queueFacet": { params: z.object({ ...QueueSource.shape, facet: QueueFacet }), result: z.object({ values: z.array(z.object({ value: text, count: z.number() })) }) },
  /** Where samples stand: absolute path, and the index of the trajectory in its file. Ids that are not known are left out. */
  "tracemark/sampleRefs": {
    params: z.object({ root: text, ids: z.array(text) }),
    result: z.object({ samples: z.array(z.object({ id: text, path: text, index: z.number() })) }),
  },
  /** Contents of those of the samples of which a label names one, by id; `isWhole` where none is still being read. `wait` answers when all are. */
  "tracemark/contents": {
    params: z.object({ root: text, ids: z.array(text), wait: z.optional(z.boolean()) }),
    result: z.object({ contents: z.record(text, text), isWhole: z.boolean() }),
  },
  /** Draws a plan and writes it. `samples` are the ids to draw from; default all. */
  "tracemark/makePlan": {
    params: z.object({
      root: text, strategy: z.enum(strategies), seed: z.int(), budget: optionalNumber, runId: optionalText, samples: z.optional(z.array(text)),
      annotators: z.optional(z.array(text)), overlap: optionalNumber, repeats: optionalNumber, known: optionalNumber, blind: z.boolean(),
      /** Nothing is written: how many items it would have, and its notes. */
      dryRun: z.optional(z.boolean()),
    }),
    result: z.object({ planId: text, file: optionalText, items: z.number(), probability: z.boolean(), notes: z.array(text) }),
  },
  "tracemark/plans": { params: z.object({ root: text, annotator: text }), result: z.object({ plans: z.array(PlanRow) }) },
  /** The rates of one run on the corrected and the original gold; without `runId` the newest. No `run` where there is none. */
  "tracemark/rates": {
    params: z.object({ root: text, runId: optionalText }),
    result: z.object({ run: z.optional(z.object({
      runId: text, monitor: text, model: optionalText, prompting: optionalText,
      ...RunRates.shape,
      tp: z.number(), fn: z.number(), fp: z.number(), tn: z.number(), invalid: z.number(), corrected: z.number(), contested: z.number(), undecided: z.number(),
    })) }),
  },
  "tracemark/runs": { params: z.object({ root: text }), result: z.object({ runs: z.array(RunRow) }) },
} as const;
