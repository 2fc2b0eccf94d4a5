/** In which order the steps of a trajectory are shown. */
import type { StepOutline } from "#protocol/lsp";

/**
 * Steps in reading order: the task first, wherever the system prompt put it. The task is the first step of a user, when only
 * system prompts, demonstrations and what a program says of itself (flagged meta) stand before it.
 */
export function readingOrder(outline: readonly StepOutline[]): number[] {
  const order = outline.map((step) => step.index);
  const task = taskStep(outline);
  return task === undefined ? order : [task, ...order.filter((index) => index !== task)];
}

export function taskStep(outline: readonly StepOutline[]): number | undefined {
  const first = outline.findIndex((step) => step.role !== "system" && !step.flags?.includes("demonstration") && !step.flags?.includes("meta"));
  return outline[first]?.role === "user" ? outline[first].index : undefined;
}
