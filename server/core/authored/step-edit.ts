/** Edits of an authored trajectory: each is one splice of its steps, so that whatever was done can be taken back. */
import * as z from "zod/mini";
import { parseJson } from "#core/json/text-document";
import { PartKind, Role, toolCallText, type Part, type Step } from "#core/trajectory/model";

const at = z.int().check(z.minimum(0));

/** Positions count from 0. `offset` is UTF-16 units of the part's text. `text` of an argument is its decoded string, or JSON where the recorded value was JSON. */
export const StepEdit = z.discriminatedUnion("type", [
  z.object({ type: z.literal("part/text"), step: at, part: at, text: z.string() }),
  z.object({ type: z.literal("part/argument"), step: at, part: at, argument: at, text: z.string() }),
  z.object({ type: z.literal("part/argumentAdd"), step: at, part: at, key: z.string() }),
  z.object({ type: z.literal("part/argumentRemove"), step: at, part: at, argument: at }),
  z.object({ type: z.literal("part/tool"), step: at, part: at, name: z.string() }),
  z.object({ type: z.literal("part/add"), step: at, kind: PartKind }),
  z.object({ type: z.literal("part/remove"), step: at, part: at }),
  z.object({ type: z.literal("step/role"), step: at, role: Role }),
  z.object({ type: z.literal("step/insert"), step: at, role: Role }),
  z.object({ type: z.literal("step/delete"), step: at }),
  z.object({ type: z.literal("step/move"), step: at, to: at }),
  /** The text from `offset` on, and the parts behind it, become a step of their own. */
  z.object({ type: z.literal("step/split"), step: at, part: at, offset: at }),
  /** The step takes in the one behind it. */
  z.object({ type: z.literal("step/merge"), step: at }),
  /** Everything behind the step goes, and an empty step of the agent is there to go on with. */
  z.object({ type: z.literal("step/cut"), step: at }),
]);
export type StepEdit = z.infer<typeof StepEdit>;

/** A change of a list of steps: at `at`, `removed` go and `inserted` come. Indexes are those of the list afterwards. */
export interface StepSplice {
  readonly at: number;
  readonly removed: readonly Step[];
  readonly inserted: readonly Step[];
}

/** The splice that an edit amounts to, or a sentence that says why it cannot be made. */
export function spliceOf(steps: readonly Step[], edit: StepEdit): StepSplice | string {
  if (edit.type === "step/insert") {
    if (edit.step > steps.length) return "There is no such place any more.";
    return { at: edit.step, removed: [], inserted: [blankStep(edit.role)] };
  }
  const step = steps[edit.step];
  if (!step) return "That step is not there any more.";
  if (edit.type.startsWith("part/") && "part" in edit && !step.parts[edit.part]) return "That part is not there any more.";
  switch (edit.type) {
    case "step/delete":
      return { at: edit.step, removed: [step], inserted: [] };
    case "step/move":
      return moved(steps, edit.step, edit.to);
    case "step/cut":
      return { at: edit.step + 1, removed: steps.slice(edit.step + 1), inserted: [blankStep("assistant")] };
    case "step/merge":
      return merged(step, steps[edit.step + 1], edit.step);
    case "step/split":
      return split(step, edit.step, edit.part, edit.offset);
    case "step/role":
      return one(edit.step, step, { ...step, role: edit.role });
    case "part/add":
      return one(edit.step, step, { ...step, parts: [...step.parts, blankPart(edit.kind)] });
    case "part/remove":
      return one(edit.step, step, { ...step, parts: step.parts.filter((_, n) => n !== edit.part) });
    default: {
      const part = changedPart(step.parts[edit.part] as Part, edit);
      if (typeof part === "string") return part;
      return one(edit.step, step, { ...step, parts: step.parts.map((old, n) => (n === edit.part ? part : old)) });
    }
  }
}

/** The list after a splice, with indexes that fit. Steps that stayed where they were are the same objects. */
export function applySplice(steps: readonly Step[], { at: from, removed, inserted }: StepSplice): Step[] {
  const next = [...steps.slice(0, from), ...inserted, ...steps.slice(from + removed.length)];
  return next.map((step, index) => (step.index === index ? step : { ...step, index }));
}

/** The splice that takes another one back. */
export function inverseOf({ at: from, removed, inserted }: StepSplice): StepSplice {
  return { at: from, removed: inserted, inserted: removed };
}

export function blankPart(kind: Part["kind"]): Part {
  return kind === "tool_call" ? { kind, text: "", toolName: "tool", args: [] } : { kind, text: "" };
}

/** A step without words: a result for a tool, a text for everyone else. */
export function blankStep(role: Step["role"]): Step {
  return { index: 0, role, parts: [blankPart(role === "tool" ? "tool_result" : "text")], places: [] };
}

/** Counts that a model's own words were measured by are not true of changed ones. */
function one(from: number, before: Step, after: Step): StepSplice {
  const { tokens: _tokens, costUsd: _cost, ...rest } = after;
  return { at: from, removed: [before], inserted: [rest] };
}

function moved(steps: readonly Step[], from: number, to: number): StepSplice | string {
  if (to >= steps.length) return "There is no such place any more.";
  const [low, high] = from < to ? [from, to] : [to, from];
  const span = steps.slice(low, high + 1);
  const inserted = from < to ? [...span.slice(1), ...span.slice(0, 1)] : [...span.slice(-1), ...span.slice(0, -1)];
  return { at: low, removed: span, inserted };
}

function merged(step: Step, next: Step | undefined, from: number): StepSplice | string {
  if (!next) return "No step follows this one.";
  if (next.role !== step.role) return `A step of ${step.role} and one of ${next.role} cannot be one. Change the role of either first.`;
  const last = step.parts.at(-1);
  const first = next.parts[0];
  const joins = last && first && last.kind === first.kind && (last.kind === "text" || last.kind === "reasoning");
  const gap = !joins || last.text === "" || first.text === "" || /\s$/.test(last.text) || /^\s/.test(first.text) ? "" : "\n\n";
  const parts = joins ? [...step.parts.slice(0, -1), { ...last, text: last.text + gap + first.text }, ...next.parts.slice(1)] : [...step.parts, ...next.parts];
  const extras = [...(step.extras ?? []), ...(next.extras ?? [])];
  const { inserted } = one(from, step, { ...step, parts, ...(extras.length > 0 ? { extras } : {}) });
  return { at: from, removed: [step, next], inserted };
}

function split(step: Step, from: number, position: number, offset: number): StepSplice | string {
  const part = step.parts[position];
  if (!part) return "That part is not there any more.";
  const isBehindAll = position === step.parts.length - 1 && offset >= part.text.length;
  if ((position === 0 && offset === 0) || isBehindAll) return "Put the caret where the second step is to begin.";
  if (part.kind === "tool_call" && offset > 0 && offset < part.text.length) return "A call cannot be cut in two. Put the caret at its beginning or its end.";
  const within = offset > 0 && offset < part.text.length;
  const head = within ? [...step.parts.slice(0, position), { ...part, text: part.text.slice(0, offset) }] : step.parts.slice(0, offset === 0 ? position : position + 1);
  const tail = within ? [{ ...part, text: part.text.slice(offset) }, ...step.parts.slice(position + 1)] : step.parts.slice(offset === 0 ? position : position + 1);
  const { extras: _extras, ...rest } = step;
  const first = one(from, step, { ...step, parts: head }).inserted;
  const second = one(from, step, { ...rest, parts: tail }).inserted;
  return { at: from, removed: [step], inserted: [...first, ...second] };
}

type PartEdit = Extract<StepEdit, { type: "part/text" | "part/argument" | "part/argumentAdd" | "part/argumentRemove" | "part/tool" }>;

function changedPart(part: Part, edit: PartEdit): Part | string {
  if (edit.type === "part/text") return part.args ? "The text of a call follows from its arguments." : { ...part, text: edit.text };
  if (edit.type === "part/tool") return edit.name === "" ? "A call needs the name of its tool." : { ...part, toolName: edit.name };
  const args = part.args ?? [];
  if (edit.type === "part/argumentAdd") {
    if (edit.key === "" || args.some(({ key }) => key === edit.key)) return edit.key === "" ? "An argument needs a name." : `There is an argument ${edit.key} already.`;
    return withArguments(part, [...args, { key: edit.key, text: "" }]);
  }
  const old = args[edit.argument];
  if (!old) return "That argument is not there any more.";
  if (edit.type === "part/argumentRemove") return withArguments(part, args.filter((_, n) => n !== edit.argument));
  if (old.raw !== undefined && !parseJson(edit.text).document) return `The argument ${old.key} is JSON, and what was typed is not.`;
  const changed = old.raw !== undefined ? { key: old.key, raw: edit.text } : { key: old.key, text: edit.text };
  return withArguments(part, args.map((argument, n) => (n === edit.argument ? changed : argument)));
}

function withArguments(part: Part, args: NonNullable<Part["args"]>): Part {
  return { ...part, args, text: toolCallText(args) };
}
