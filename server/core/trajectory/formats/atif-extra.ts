/**
 * What Tracemark adds to an ATIF file under `extra.tracemark`, so that a trajectory comes back exactly as it was: the order
 * of parts, and whatever ATIF itself has no place for. Writer and reader share these shapes.
 */
import * as z from "zod/mini";
import { ExtraBlock, GoldLabel, Outcome, PartKind, Role, StepFlag, Tokens, ToolArgument } from "../model";

/** Version of everything below; a reader that does not know it reads the file as plain ATIF. */
export const extraVersion = 1;

/**
 * One part of a step, in order. A bare kind takes the next text, reasoning, call or result from the ATIF fields. The long
 * form changes it: `text` stands here because the field cannot hold it (`inline`) or because arguments did not parse;
 * `no_name` and `no_id` say that the field holds a stand-in.
 */
export const ExtraPart = z.union([
  PartKind,
  z.object({
    kind: PartKind, inline: z.optional(z.boolean()), text: z.optional(z.string()), tool_name: z.optional(z.string()), call_id: z.optional(z.string()),
    no_name: z.optional(z.boolean()), no_id: z.optional(z.boolean()), is_error: z.optional(z.boolean()), args: z.optional(z.array(ToolArgument)),
  }),
]);
export type ExtraPart = z.infer<typeof ExtraPart>;

/** A step's members that ATIF has no field for. */
const beside = {
  parts: z.array(ExtraPart), name: z.optional(z.string()), flags: z.optional(z.array(StepFlag)), extras: z.optional(z.array(ExtraBlock)),
  reasoning_hidden: z.optional(z.boolean()), time: z.optional(z.string()), model: z.optional(z.string()), tokens: z.optional(Tokens), cost_usd: z.optional(z.number()),
};

/** Under a step: the leading step (absent when tool steps have none to follow) and a record for each result's tool step. */
export const ExtraStep = z.object({
  lead: z.optional(z.object({ ...beside, role: z.optional(Role), reasoning_lengths: z.optional(z.array(z.number())) })),
  tools: z.optional(z.array(z.object({ ...beside }))),
});
export type ExtraStep = z.infer<typeof ExtraStep>;

/** Under the root. `source` is where the trajectory was first read from; it stays the same however often it is converted. */
export const ExtraRoot = z.object({
  version: z.literal(extraVersion),
  source: z.optional(z.object({ id: z.string(), format: z.string(), parent: z.optional(z.string()) })),
  title: z.optional(z.string()), task: z.optional(z.string()), agent: z.optional(z.string()), label: z.optional(GoldLabel), label_meaning: z.optional(z.string()),
  outcome: z.optional(Outcome), metadata: z.optional(z.array(z.object({ name: z.string(), value: z.string() }))),
});
export type ExtraRoot = z.infer<typeof ExtraRoot>;

/** Rows in which a trajectory read back carries its source; the writer turns them into `source` again. */
export const sourceRows = { id: "source id", format: "source format", parent: "source parent" } as const;

/** Between several reasoning parts in ATIF's one field. */
export const reasoningJoint = "\n\n";
