/** Texts of a step, and which of them is the assignment. */
import type { Step } from "../model";

/** Texts of a step, joined; for the task and for titles. */
export function stepText(step: Step | undefined): string | undefined {
  const texts = step?.parts.filter((part) => part.kind === "text").map((part) => part.text) ?? [];
  return texts.length > 0 ? texts.join("\n\n") : undefined;
}

/** The assignment: the first user text that is neither the program's own nor a summary, else the first user text at all. */
export function taskOf(steps: readonly Step[]): string | undefined {
  const users = steps.filter((step) => step.role === "user" && stepText(step) !== undefined);
  return stepText(users.find((step) => !step.flags?.some((flag) => flag === "meta" || flag === "compaction")) ?? users[0]);
}
