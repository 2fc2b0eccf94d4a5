/** The frame that every reader fills: a trajectory without id, made of a list of steps and what is known about the whole. */
import type { Trajectory, Warning } from "../model";
import type { StepList } from "./step-list";

/** What is known beside the steps; members that are undefined are left out. */
export type TrajectoryFacts = Partial<Omit<Trajectory, "id" | "format" | "reader" | "steps" | "warnings">>;

/** A trajectory as `OpenedFile.load` gives it: id, format and reader version are filled in by whoever opened the file. */
export function draftTrajectory(list: StepList, facts: TrajectoryFacts = {}): Trajectory {
  const draft: Trajectory = { ...emptyTrajectory(), steps: list.steps, warnings: list.warnings };
  for (const [key, value] of Object.entries(facts)) if (value !== undefined) (draft as Record<string, unknown>)[key] = value;
  return draft;
}

/** A trajectory without steps: a record that could not be read, with its reason. */
export function emptyTrajectory(...warnings: Warning[]): Trajectory {
  return { id: "", format: "", reader: { id: "", version: 0 }, metadata: [], steps: [], warnings };
}
