/** Runs over many samples as the client asks the server for them, and how they are getting on. */
import * as z from "zod/mini";
import { Prompting } from "#core/workspace/schemas";
import { QueueFilterParams } from "./review";

const text = z.string();
const optionalText = z.optional(text);
const count = z.int().check(z.minimum(1));

/** Which samples: patterns (ids, paths from the root, files, folders, manifests), or the rows that a filter of the queue leaves; all without either. */
export const BatchChoice = z.object({
  patterns: z.optional(z.array(text)),
  queue: z.optional(z.object({ annotator: text, runId: optionalText, filter: QueueFilterParams })),
  split: optionalText, limit: z.optional(count),
});
export type BatchChoice = z.infer<typeof BatchChoice>;

/** A new run of `monitor`, or with `resume` (a run id) one that goes on as its header says. */
export const BatchAsked = z.object({
  root: text, monitor: text, prompting: z.optional(Prompting), choice: BatchChoice, repeat: z.optional(count), seed: z.optional(z.int()), resume: optionalText,
  /** Caps on the whole run. */
  maxCostUsd: z.optional(z.number()), maxTokens: z.optional(z.number()),
});
export type BatchAsked = z.infer<typeof BatchAsked>;

/** What a run would send and cost, before anything is sent. Tokens are estimates. */
export const BatchEstimate = z.object({
  monitor: text, prompting: Prompting, samples: z.number(),
  /** Samples that have their verdict already (of a run that goes on). */
  done: z.number(), unreadable: z.number(), requests: z.number(), inputTokens: z.number(), outputTokens: z.number(), costUsd: z.nullable(z.number()),
  origins: z.array(text), programs: z.array(text), notes: z.array(text),
  /** The first messages that would be sent. */
  preview: z.optional(z.object({ sampleId: text, system: text, user: text, further: z.optional(z.array(z.object({ system: text, user: text }))), tokens: z.number() })),
});
export type BatchEstimate = z.infer<typeof BatchEstimate>;

/** `pausing` and `cancelling` until what is under way has ended; `stopped`: something concerns every sample, see `message`. */
export const BatchState = z.object({
  root: text, runId: text, monitor: text, state: z.enum(["running", "pausing", "cancelling", "paused", "cancelled", "done", "capped", "stopped", "failed"]),
  /** Verdicts: those that are there, all that are wanted, those of this sitting, invalid ones among these. */
  done: z.number(), total: z.number(), judged: z.number(), invalid: z.number(),
  perSecond: z.number(), secondsLeft: z.optional(z.number()),
  /** Of the whole run, earlier sittings too. */
  costUsd: z.number(), tokens: z.number(), cached: z.number(), message: optionalText,
  /** Why verdicts of this run may not be comparable: a model that changed. */
  warnings: z.optional(z.array(text)),
});
export type BatchState = z.infer<typeof BatchState>;

/** Requests about batches: method to params and result. */
export const batchRequests = {
  "tracemark/batchEstimate": { params: z.object({ ...BatchAsked.shape, token: optionalText }), result: BatchEstimate },
  /** Resolves once the run file is there; how it goes on is told by `tracemark/batch`. */
  "tracemark/batchStart": { params: z.object({ ...BatchAsked.shape, concurrency: count }), result: z.object({ runId: text }) },
  /** `pause` lets what is under way end and writes it; `cancel` gives it up. Either way the run can go on later. */
  "tracemark/batchStop": { params: z.object({ root: text, runId: text, how: z.enum(["pause", "cancel"]) }), result: z.object({}) },
  "tracemark/batches": { params: z.object({ root: text }), result: z.object({ batches: z.array(BatchState) }) },
} as const;
