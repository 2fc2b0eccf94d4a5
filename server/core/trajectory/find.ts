/** Find in a trajectory: every occurrence of a text in the parts of its steps. */
import type { Step } from "./model";

/** `part` is the position in `step.parts`, `start` and `end` are UTF-16 offsets in its text. */
export interface StepHit {
  readonly step: number;
  readonly part: number;
  readonly start: number;
  readonly end: number;
}

/** The first `limit` occurrences of `query` that do not overlap, and how many there are in all. An empty query finds nothing. */
export function findInSteps(steps: readonly Pick<Step, "index" | "parts">[], query: string, caseSensitive: boolean, limit: number): { hits: StepHit[]; total: number } {
  const hits: StepHit[] = [];
  let total = 0;
  if (query === "") return { hits, total };
  const pattern = caseSensitive ? undefined : new RegExp(query.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "gi");
  for (const step of steps) {
    step.parts.forEach(({ text }, part) => {
      const take = (start: number, end: number) => {
        total++;
        if (hits.length < limit) hits.push({ step: step.index, part, start, end });
      };
      if (pattern) for (const match of text.matchAll(pattern)) take(match.index, match.index + match[0].length);
      // A native search is several times as fast as a pattern.
      else for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, at + query.length)) take(at, at + query.length);
    });
  }
  return { hits, total };
}
