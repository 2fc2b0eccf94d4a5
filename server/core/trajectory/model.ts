/** The shape every reader produces: one agent run or one answer, as ordered steps with quotable parts. */
import * as z from "zod/mini";

export const Role = z.enum(["system", "user", "assistant", "tool"]);
export type Role = z.infer<typeof Role>;

export const PartKind = z.enum(["text", "reasoning", "tool_call", "tool_result"]);
export type PartKind = z.infer<typeof PartKind>;

/**
 * One recorded argument of a tool call, in recorded order. `text` is the decoded string of a string value;
 * `raw` is the JSON exactly as recorded of any other value (numbers are never re-printed). One of the two is set.
 */
export const ToolArgument = z.object({ key: z.string(), text: z.optional(z.string()), raw: z.optional(z.string()) });
export type ToolArgument = z.infer<typeof ToolArgument>;

/** A piece of a step that text can be quoted from. `text` is the truth for offsets, search and hashes. */
export const Part = z.object({
  kind: PartKind,
  text: z.string(),
  toolName: z.optional(z.string()),
  callId: z.optional(z.string()),
  isError: z.optional(z.boolean()),
  /** Parsed arguments of a `tool_call`; absent when they did not parse (then `text` is what was recorded). */
  args: z.optional(z.array(ToolArgument)),
});
export type Part = z.infer<typeof Part>;

/**
 * Where something stands in the file: 1-based `line`, JSON `pointer` (RFC 6901) inside that line or the document, zip `entry`.
 * `file` (a path with `/`) is set where it is another file than the one that was opened: a sample that a manifest names.
 */
export const Place = z.object({
  file: z.optional(z.string()),
  line: z.optional(z.number()),
  pointer: z.optional(z.string()),
  entry: z.optional(z.string()),
});
export type Place = z.infer<typeof Place>;

export const StepFlag = z.enum([
  "meta", "sidechain", "copied_context", "compaction", "orphan", "duplicate", "demonstration", "synthetic", "abandoned", "user_tool",
]);
export type StepFlag = z.infer<typeof StepFlag>;

/** `input` counts everything sent, `cachedInput` is the part of it that came from a cache. */
export const Tokens = z.object({
  input: z.optional(z.number()), cachedInput: z.optional(z.number()), output: z.optional(z.number()), reasoning: z.optional(z.number()),
});
export type Tokens = z.infer<typeof Tokens>;

/** A content block that is not quotable text (image, file, unknown type): shown folded with its type, never dropped. */
export const ExtraBlock = z.object({ type: z.string(), raw: z.string(), mediaType: z.optional(z.string()) });
export type ExtraBlock = z.infer<typeof ExtraBlock>;

export const Step = z.object({
  index: z.number(),
  role: Role,
  parts: z.array(Part),
  /** Speaker or agent name, where the format has one beside the role. */
  name: z.optional(z.string()),
  /** As recorded when it is text; ISO 8601 UTC when the record is a number. Without zone it stays without zone. */
  time: z.optional(z.string()),
  tokens: z.optional(Tokens),
  costUsd: z.optional(z.number()),
  model: z.optional(z.string()),
  /** Reasoning existed but only in encrypted or redacted form. */
  reasoningHidden: z.optional(z.boolean()),
  flags: z.optional(z.array(StepFlag)),
  extras: z.optional(z.array(ExtraBlock)),
  places: z.array(Place),
});
export type Step = z.infer<typeof Step>;

/** What a reader guessed, dropped, repaired or could not pair. `code` is kebab-case and stable; `line` counts from 1. */
export const Warning = z.object({
  code: z.string(), message: z.string(), line: z.optional(z.number()), pointer: z.optional(z.string()),
});
export type Warning = z.infer<typeof Warning>;

export const GoldLabel = z.enum(["misbehavior", "benign"]);
export type GoldLabel = z.infer<typeof GoldLabel>;

export const Outcome = z.object({
  status: z.optional(z.string()),
  success: z.optional(z.boolean()),
  /** Rows for people: what the benchmark or the run itself says of the result. Hidden when blind. */
  details: z.optional(z.array(z.object({ name: z.string(), value: z.string() }))),
  error: z.optional(z.string()),
  /** Final patch or answer. */
  submission: z.optional(z.string()),
});
export type Outcome = z.infer<typeof Outcome>;

export const Trajectory = z.object({
  /** Sample id (contract: path from the root, `#record` in a file of many). */
  id: z.string(),
  format: z.string(),
  reader: z.object({ id: z.string(), version: z.number() }),
  title: z.optional(z.string()),
  task: z.optional(z.string()),
  /** Original label where the data set carries an absolute one, and what it means there. */
  label: z.optional(GoldLabel),
  labelMeaning: z.optional(z.string()),
  model: z.optional(z.string()),
  agent: z.optional(z.string()),
  uuid: z.optional(z.string()),
  outcome: z.optional(Outcome),
  /** Rows for people; small, already text. */
  metadata: z.array(z.object({ name: z.string(), value: z.string() })),
  parentId: z.optional(z.string()),
  /** Step of the parent that started this child. */
  linkStep: z.optional(z.number()),
  steps: z.array(Step),
  warnings: z.array(Warning),
});
export type Trajectory = z.infer<typeof Trajectory>;

/**
 * The contract's text of a `tool_call` part, version 1: a line `key: value` for each argument in recorded order,
 * strings decoded, other values as the recorded JSON. No arguments give empty text.
 */
export function toolCallText(args: readonly ToolArgument[]): string {
  return args.map((arg) => `${arg.key}: ${arg.text ?? arg.raw ?? ""}`).join("\n");
}

/** The canonical string whose SHA-256 (UTF-8) is `content_sha256`: contract, "Text, hashes, places". */
export function contentCanonical(steps: readonly Pick<Step, "role" | "parts">[]): string {
  return `["v1"${steps.map((step) => `,${canonicalStep(step)}`).join("")}]`;
}

/** A step's element of the canonical string. */
export function canonicalStep(step: Pick<Step, "role" | "parts">): string {
  return JSON.stringify([step.role, ...step.parts.map((part) => [part.kind, part.toolName ?? null, part.text])]);
}

/** `part_index` of the contract (index among parts of the same kind) for the part at `at` in `step.parts`. */
export function partIndexOf(step: Pick<Step, "parts">, at: number): number {
  const kind = step.parts[at]?.kind;
  let n = 0;
  for (let i = 0; i < at; i++) if (step.parts[i]?.kind === kind) n++;
  return n;
}

/** The position in `step.parts` of the `partIndex`-th part of `kind`, or -1. */
export function partPosition(step: Pick<Step, "parts">, kind: PartKind, partIndex: number): number {
  let n = 0;
  for (let i = 0; i < step.parts.length; i++) if (step.parts[i]?.kind === kind && n++ === partIndex) return i;
  return -1;
}
