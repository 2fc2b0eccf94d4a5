/** The label state of one sample while it is worked on, and the only way to change it: an op with an inverse. */
import * as z from "zod/mini";
import { LabelValue } from "#core/workspace/schemas";

/** A span in memory: `part` is the position in `step.parts`, `start` and `end` are UTF-16 units of that part's text. */
export const ViewSpan = z.object({
  id: z.string(), step: z.number(), part: z.number(), start: z.number(), end: z.number(), exact: z.string(),
  category: z.optional(z.string()), note: z.optional(z.string()), origin: z.enum(["own", "adopted"]),
  /** Carried over from an earlier version of the log, in which it stood elsewhere. */
  moved: z.optional(z.boolean()),
});
export type ViewSpan = z.infer<typeof ViewSpan>;

export const LabelState = z.object({
  label: z.nullable(LabelValue), categories: z.array(z.string()), note: z.string(), spans: z.array(ViewSpan),
  /** Answers to the workspace's own questions by id; left out while there are none. */
  fields: z.optional(z.record(z.string(), z.unknown())),
});
export type LabelState = z.infer<typeof LabelState>;

export const emptyLabelState: LabelState = { label: null, categories: [], note: "", spans: [] };

export const Op = z.discriminatedUnion("type", [
  z.object({ type: z.literal("label/set"), label: z.nullable(LabelValue), categories: z.array(z.string()) }),
  z.object({ type: z.literal("categories/set"), categories: z.array(z.string()) }),
  z.object({ type: z.literal("note/set"), note: z.string() }),
  /** An undefined value takes the answer away. */
  z.object({ type: z.literal("field/set"), id: z.string(), value: z.optional(z.unknown()) }),
  z.object({ type: z.literal("span/add"), span: ViewSpan, at: z.optional(z.number()) }),
  z.object({ type: z.literal("span/update"), span: ViewSpan }),
  z.object({ type: z.literal("span/remove"), id: z.string() }),
]);
export type Op = z.infer<typeof Op>;

/** Applies `op` and returns the new state with the op that takes it back. An op on a span that is not there changes nothing. */
export function applyOp(state: LabelState, op: Op): { state: LabelState; inverse: Op } {
  switch (op.type) {
    case "label/set":
      return {
        state: { ...state, label: op.label, categories: op.categories },
        inverse: { type: "label/set", label: state.label, categories: state.categories },
      };
    case "categories/set":
      return { state: { ...state, categories: op.categories }, inverse: { type: "categories/set", categories: state.categories } };
    case "note/set":
      return { state: { ...state, note: op.note }, inverse: { type: "note/set", note: state.note } };
    case "field/set": {
      const { [op.id]: before, ...rest } = state.fields ?? {};
      // In one order, whichever was answered first: states are compared as JSON.
      const fields = Object.fromEntries(Object.entries(op.value === undefined ? rest : { ...rest, [op.id]: op.value }).sort(([a], [b]) => (a < b ? -1 : 1)));
      const { fields: _fields, ...bare } = state;
      return {
        state: Object.keys(fields).length > 0 ? { ...bare, fields } : bare,
        inverse: { type: "field/set", id: op.id, ...(before === undefined ? {} : { value: before }) },
      };
    }
    case "span/add": {
      const spans = [...state.spans];
      spans.splice(op.at ?? spans.length, 0, op.span);
      return { state: { ...state, spans }, inverse: { type: "span/remove", id: op.span.id } };
    }
    case "span/update": {
      const old = state.spans.find((span) => span.id === op.span.id);
      if (!old) return { state, inverse: op };
      return {
        state: { ...state, spans: state.spans.map((span) => (span.id === op.span.id ? op.span : span)) },
        inverse: { type: "span/update", span: old },
      };
    }
    case "span/remove": {
      const at = state.spans.findIndex((span) => span.id === op.id);
      const old = state.spans[at];
      if (!old) return { state, inverse: op };
      return { state: { ...state, spans: state.spans.filter((span) => span.id !== op.id) }, inverse: { type: "span/add", span: old, at } };
    }
  }
}
