/** Slices of a benchmark by category and task, as they are asked for and as files name them. */

export interface SlicedSample {
  readonly category?: string | undefined;
  readonly task?: string | undefined;
}

/** The slice that a sample lies in: `category/task`, `(none)` where it has none. */
export function sliceOf({ category, task }: SlicedSample): string {
  return `${category ?? "(none)"}/${task ?? "(none)"}`;
}

/** Whether a sample lies in one of the slices asked for: `category/task`, a category, a task, or `all`. Without any asked for, all do. */
export function inSlices(sample: SlicedSample, asked: readonly string[] | undefined): boolean {
  if (!asked || asked.length === 0) return true;
  const own = sliceOf(sample);
  return asked.some((name) => name === "all" || name === own || name === sample.category || name === sample.task);
}

/** The names asked for that no sample lies in. */
export function unknownSlices(samples: readonly SlicedSample[], asked: readonly string[] | undefined): string[] {
  return (asked ?? []).filter((name) => name !== "all" && !samples.some((sample) => inSlices(sample, [name])));
}
