/** Cuts a transcript that is longer than a model's window into overlapping stretches of whole steps. */

/** Positions in `trajectory.steps`, `to` exclusive. */
export interface StepRange {
  readonly from: number;
  readonly to: number;
}

/** Steps at the end of a segment that the next one shows again. */
export const overlapSteps = 2;

/**
 * Ranges that cover steps `first` to the end, each of at most `budget` tokens, in order. `tokens` holds an estimate for
 * every step. A range repeats the last steps of the one before it, fewer where they would not leave room for a new one.
 * A number instead of ranges is the position of a step that does not fit alone.
 */
export function cutSteps(tokens: readonly number[], first: number, budget: number): StepRange[] | number {
  const ranges: StepRange[] = [];
  let from = first;
  while (from < tokens.length || ranges.length === 0) {
    let to = from, used = 0;
    while (to < tokens.length && used + tokens[to]! <= budget) used += tokens[to++]!;
    const last = ranges.at(-1);
    if (to === (last?.to ?? first) && to < tokens.length) {
      // Nothing new fits behind what is repeated: repeat less, until the step stands alone.
      if (from < to) { from++; continue; }
      return to;
    }
    ranges.push({ from, to });
    if (to >= tokens.length) break;
    from = Math.max(from + 1, to - overlapSteps);
  }
  return ranges;
}
