/** The gold of one sample in the few words that views use for it, whoever looks. */
import * as z from "zod/mini";
import { GoldLabel } from "#core/trajectory/model";
import { resolveGold, type GoldInput } from "./gold";

/**
 * `corrected`: people overturned the original label. `contested`: no majority. `undecided`: only unsure or cannot_judge, or an
 * adjudication that says so. `labelled`: people agree where there was no original label. `held`: the votes would overturn the
 * original, but the workspace asks for more. `reopened`: a label that the adjudication weighed has changed since.
 */
export const GoldWords = z.object({
  state: z.enum(["original", "corrected", "contested", "adjudicated", "undecided", "labelled", "unlabelled"]),
  label: z.nullable(GoldLabel), held: z.optional(z.boolean()), reopened: z.optional(z.boolean()),
});
export type GoldWords = z.infer<typeof GoldWords>;

/** The words for the gold of a sample, from all its records. */
export function goldWords(input: GoldInput): GoldWords {
  const gold = resolveGold(input);
  const { label } = gold;
  const more = { ...(gold.held ? { held: true } : {}), ...(gold.reopened ? { reopened: true } : {}) };
  if (gold.adjudication !== undefined) return { state: "adjudicated", label, ...more };
  if (gold.status === "contested" || gold.status === "undecided" || gold.status === "unlabelled") return { state: gold.status, label };
  if (gold.overturned) return { state: "corrected", label };
  return { state: input.original === undefined ? "labelled" : "original", label, ...more };
}
