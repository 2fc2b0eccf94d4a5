/** The file of an authored trajectory: ATIF as we write it, read back and written again without a byte of difference. */
import { isObject } from "#core/json/access";
import { writeAtif } from "#core/exports/atif";
import { parseJson } from "#core/json/text-document";
import { isAtif, loadAtif } from "#core/trajectory/formats/atif";
import { taskOf } from "#core/trajectory/formats/step-text";
import type { Step, Trajectory } from "#core/trajectory/model";

/**
 * Reads the text of an authored file. Answers a sentence where it is not one that can be edited without losing something:
 * no JSON, no ATIF, or written by another program, whose extras would go.
 */
export function readAuthored(text: string, id: string): Trajectory | string {
  const read = parseJson(text);
  if (!read.document) return `The file is no JSON: ${read.problem}`;
  const { value } = read.document;
  if (!isAtif(value) || !isObject(value) || !Array.isArray(value["steps"])) return "Only ATIF trajectories can be edited step by step.";
  const trajectory = { ...loadAtif(read.document, value, (pointer) => ({ pointer })), id };
  if (writeAtif(trajectory) !== text) return "This file was written by another program, and saving it here would drop what only that program knows. Make a new pair from it, and edit that.";
  return trajectory;
}

/** The file's text with other steps. Deterministic: the same steps give the same bytes. A task that was what the user asked still is. */
export function writeAuthored(trajectory: Trajectory, steps: readonly Step[]): string {
  const { task: recorded, ...rest } = trajectory;
  const task = recorded === taskOf(trajectory.steps) ? taskOf(steps) : recorded;
  return writeAtif({ ...rest, steps: [...steps], ...(task === undefined ? {} : { task }) });
}

/**
 * The other half of a pair, to begin with: everything that was said, under an id of its own. What was recorded of the run
 * itself (its label, its outcome, its ids) is not true of the counterpart and is left out.
 */
export function counterpartOf(source: Pick<Trajectory, "title" | "task" | "agent" | "model">, steps: readonly Step[], id: string): Trajectory {
  const { title, task, agent, model } = source;
  return {
    id, format: "atif", reader: { id: "atif", version: 1 }, metadata: [], warnings: [], steps: steps.map((step) => ({ ...step, places: [] })),
    ...(title === undefined ? {} : { title }), ...(task === undefined ? {} : { task }), ...(agent === undefined ? {} : { agent }), ...(model === undefined ? {} : { model }),
  };
}
