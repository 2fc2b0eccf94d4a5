/** What a view remembers by itself while its page is gone: where it stood, what was folded, and text not sent yet. */
import * as z from "zod/mini";

export const ViewState = z.object({
  version: z.literal(1),
  /** The sample all of this belongs to; another sample starts afresh, only panels and drafts stay. */
  sampleId: z.string(),
  index: z.number(),
  /** First visible step, and pixels of it above the upper edge. */
  anchor: z.optional(z.object({ step: z.number(), offset: z.number() })),
  /** `STEP.PART` (or a name of a card) to whether it is folded, where the reader changed it. */
  folds: z.record(z.string(), z.boolean()),
  /** Steps shown as recorded instead of rendered. */
  sources: z.array(z.number()),
  step: z.number(),
  findingId: z.optional(z.string()),
  place: z.optional(z.number()),
  runId: z.optional(z.string()),
  /** Note text by sample id, from the first key until the host has it. */
  drafts: z.record(z.string(), z.string()),
  panels: z.object({ outline: z.optional(z.boolean()), findings: z.optional(z.boolean()) }),
});
export type ViewState = z.infer<typeof ViewState>;

export const emptyViewState: ViewState = {
  version: 1, sampleId: "", index: 0, folds: {}, sources: [], step: 0, drafts: {}, panels: {},
};

/** The remembered state, or a fresh one when there is none or it is of another version. */
export function readViewState(stored: unknown): ViewState {
  const parsed = ViewState.safeParse(stored);
  return parsed.success ? parsed.data : emptyViewState;
}

/** The state for a sample: the remembered one when it is that sample's, else fresh with panels and drafts kept. */
export function viewStateFor(state: ViewState, sampleId: string, index: number, firstStep: number): ViewState {
  if (state.sampleId === sampleId && state.index === index) return state;
  return { ...emptyViewState, sampleId, index, step: firstStep, drafts: state.drafts, panels: state.panels };
}
