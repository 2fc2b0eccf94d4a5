/** What authored trajectories and pairs need: requests to the server, and the messages of their two views; both ends check with zod. */
import * as z from "zod/mini";
import { StepEdit } from "#core/authored/step-edit";
import { GoldLabel, Role, Step } from "#core/trajectory/model";
import { pairStatuses, pairSteps } from "#core/pairs/pair-status";
import { Authored, LabelValue, Span } from "#core/workspace/schemas";

const text = z.string();
const optionalText = z.optional(text);
const count = z.number();

/** `code` is that of `tracemark validate`; `step` counts from 0. */
export const PairFindingView = z.object({ code: text, message: text, fix: text, sampleId: text, step: z.optional(count) });
export type PairFindingView = z.infer<typeof PairFindingView>;

export const HalfFacts = z.object({
  id: text, label: z.optional(GoldLabel), category: optionalText, task: optionalText, split: optionalText, status: optionalText,
  authored: z.optional(Authored), spans: z.optional(z.array(Span)), manifest: optionalText,
});
export type HalfFacts = z.infer<typeof HalfFacts>;

export const PairJudgeView = z.object({ annotator: text, labels: z.array(z.nullable(LabelValue)), hasJudgedAll: z.boolean() });
export type PairJudgeView = z.infer<typeof PairJudgeView>;

/** `mixed`: the halves contradict each other. */
export const PairStatusView = z.enum([...pairStatuses, "mixed"]);
export type PairStatusView = z.infer<typeof PairStatusView>;

export const StatusEntry = z.object({ status: text, by: text, at: text, reason: optionalText });
export type StatusEntry = z.infer<typeof StatusEntry>;

/** Where the review of a pair stands. `judges` is empty where the person may not know yet what others said (`isOpen` false). */
export const PairReviewView = z.object({
  status: z.optional(PairStatusView), log: z.array(StatusEntry), judged: count, hasJudged: z.boolean(), isOpen: z.boolean(), judges: z.array(PairJudgeView), isAuthor: z.boolean(),
});
export type PairReviewView = z.infer<typeof PairReviewView>;

export const PairListRow = z.object({
  pairId: text, status: z.optional(PairStatusView), halves: z.array(z.object({ id: text, label: z.optional(GoldLabel) })), authors: z.array(text),
  /** Left out where nobody asked for them. */
  findings: z.optional(z.object({ total: count, errors: count })), judged: count, hasJudged: z.boolean(), reason: optionalText,
});
export type PairListRow = z.infer<typeof PairListRow>;

export const pairRequests = {
  /** The pair that a sample belongs to: its halves in the order of the manifest, what is wrong with it, and its review as `annotator` may see it. */
  "tracemark/pair": {
    params: z.object({ root: text, sampleId: text, annotator: optionalText }),
    result: z.object({ pairId: text, halves: z.array(HalfFacts), findings: z.array(PairFindingView), review: PairReviewView }),
  },
  /** All pairs of a root. */
  "tracemark/pairs": {
    params: z.object({ root: text, annotator: optionalText, withFindings: z.boolean() }),
    result: z.object({ pairs: z.array(PairListRow) }),
  },
  /** The plan by which `annotator` judges the pairs in review: one that is open, else a new one; none where nothing waits. */
  "tracemark/pairPlan": {
    params: z.object({ root: text, annotator: text, seed: z.int(), own: z.boolean() }),
    result: z.object({ planId: optionalText, isNew: z.boolean(), pairs: count, ownPairs: count, ownHalves: z.array(text), inReview: count }),
  },
  /** Where a sample stands: its manifest, and its file with the record in it. Paths are from the root with `/`. */
  "tracemark/sampleSource": {
    params: z.object({ root: text, sampleId: text }),
    result: z.object({
      known: z.boolean(), manifest: optionalText, pairId: optionalText, file: optionalText, record: z.optional(z.union([count, text])), ids: z.array(text),
    }),
  },
} as const;

/** UTF-16 offsets of a part's text; `part` is the position in `parts`. `from`: a label of one's own, or the manifest. */
export const HalfSpan = z.object({
  step: count, part: count, start: count, end: count, category: optionalText, note: optionalText, from: z.enum(["label", "manifest"]),
});
export type HalfSpan = z.infer<typeof HalfSpan>;

/** A half as the pair view draws it. `own` is one's standing label. */
export const HalfView = z.object({
  ...HalfFacts.shape, own: z.nullable(LabelValue), note: optionalText, steps: z.array(z.object({ role: Role, label: text })), marks: z.array(HalfSpan), isEditable: z.boolean(),
});
export type HalfView = z.infer<typeof HalfView>;

/** A row of the comparison; steps come with those that differ, equal ones are asked for. */
export const PairRow = z.object({ kind: z.enum(["equal", "white", "changed", "left", "right"]), left: z.optional(count), right: z.optional(count) });
export type PairRow = z.infer<typeof PairRow>;

export const PairSnapshot = z.object({
  pairId: text, halves: z.array(HalfView), rows: z.array(PairRow), findings: z.array(PairFindingView), review: PairReviewView, categories: z.array(z.object({ id: text, title: text })),
  /** Steps of the left and the right half by their index, for rows that differ. */
  left: z.array(Step), right: z.array(Step),
});
export type PairSnapshot = z.infer<typeof PairSnapshot>;

export const AuthoredSnapshot = z.object({
  fileName: text, sampleId: text, title: optionalText, label: z.optional(GoldLabel), status: optionalText, authored: z.optional(Authored), pairId: optionalText,
  /** Somebody judges blind: what the half is meant as, its status, who wrote it and its pair are left out. */
  isWithheld: z.optional(z.boolean()), revision: count, isDirty: z.boolean(), steps: z.array(Step),
});
export type AuthoredSnapshot = z.infer<typeof AuthoredSnapshot>;

export const ToPairView = z.discriminatedUnion("type", [
  z.object({ type: z.literal("authored/snapshot"), snapshot: AuthoredSnapshot }),
  /** A splice that was made, by this view (`own`), by another one, or by undo and redo. */
  z.object({
    type: z.literal("authored/changed"), revision: count, at: count, removed: count, inserted: z.array(Step), own: z.boolean(), isDirty: z.boolean(), announce: text,
  }),
  z.object({ type: z.literal("authored/saved"), isDirty: z.boolean() }),
  /** An edit of this view that was not made, with the reason. */
  z.object({ type: z.literal("authored/refused"), message: text }),
  z.object({ type: z.literal("pair/snapshot"), snapshot: PairSnapshot }),
  z.object({ type: z.literal("pair/steps"), left: z.array(Step), right: z.array(Step) }),
  z.object({ type: z.literal("pair/jump"), to: z.enum(["next", "previous"]) }),
  z.object({ type: z.literal("error/raised"), message: text }),
]);
export type ToPairView = z.infer<typeof ToPairView>;

const half = z.enum(["left", "right"]);

export const FromPairView = z.discriminatedUnion("type", [
  z.object({ type: z.literal("view/ready") }),
  /** `revision` is the last one confirmed plus the edits that this view sent since. */
  z.object({ type: z.literal("edit/apply"), revision: count, edit: StepEdit }),
  z.object({ type: z.literal("history/undo") }),
  z.object({ type: z.literal("history/redo") }),
  z.object({ type: z.literal("document/save") }),
  z.object({ type: z.literal("pair/open") }),
  z.object({ type: z.literal("pair/new") }),
  z.object({ type: z.literal("trajectory/open") }),
  /** Steps of equal rows, which are folded until somebody looks at them. */
  z.object({ type: z.literal("pair/stepsWanted"), left: z.array(count), right: z.array(count) }),
  z.object({ type: z.literal("half/open"), half, step: z.optional(count) }),
  z.object({ type: z.literal("half/edit"), half }),
  /** Sends the pair for review, accepts or rejects it. */
  z.object({ type: z.literal("pair/step"), step: z.enum(pairSteps) }),
  /** Judges the halves of pairs in review, blind. */
  z.object({ type: z.literal("pair/review") }),
  z.object({ type: z.literal("error/raised"), message: text }),
]);
export type FromPairView = z.infer<typeof FromPairView>;
