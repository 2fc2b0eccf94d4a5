/** What keeps a comparison of two runs from holding for all samples: that the verdicts of one of them chose what people judged. */
import { outcomeNames } from "#core/workspace/verdict-columns";
import { UnlabelledShares } from "./headline";
import { firstOutcomes } from "./run-entries";
import type { ScoreRun } from "./score-input";
import type { ScoredSamples } from "./scored-samples";
import { leansToContradictions, ReviewShares } from "./selection";

/** A run with what it says of each sample, as `firstOutcomes` does. */
export interface ComparedRun {
  readonly run: ScoreRun;
  readonly outcomes: Uint8Array;
}

export interface ChosenFor {
  /** Why differences that rest on samples without an original label tell nothing. */
  readonly reason?: string | undefined;
  /** What to know where people looked for corrections by what one of the runs said. */
  readonly warnings: readonly string[];
}

/** The first run whose verdicts left nothing else to be judged, in a sentence: then no run can be measured on what people judged. */
export function whyChosenForAll(runs: readonly ScoreRun[], samples: ScoredSamples): string | undefined {
  const { original, reviewed } = samples.columns;
  if (!original.includes(2) || !reviewed.includes(1)) return undefined;
  for (const run of runs) {
    const why = unlabelledOf(firstOutcomes(run, samples), samples).whyChosenForAll(run.header.run_id, runs.length);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Why what people judged of samples without an original label was chosen by what this run said, in a sentence; of several draws the first counts. */
export function whyChosen(run: ScoreRun, samples: ScoredSamples): string | undefined {
  return samples.columns.original.includes(2) ? unlabelledOf(firstOutcomes(run, samples), samples).whyChosen() : undefined;
}

/** What a run says of samples without an original label, from its outcomes by index; stale ones tell nothing. */
function unlabelledOf(outcomes: Uint8Array, { columns: { original, reviewed } }: ScoredSamples): UnlabelledShares {
  const shares = new UnlabelledShares();
  for (let index = 0; index < outcomes.length; index++) {
    const outcome = outcomeNames[outcomes[index]!];
    if (original[index] === 2 && outcome !== undefined) shares.add(outcome, undefined, reviewed[index] === 1);
  }
  return shares;
}

/** The same tests as `score` makes of each run on the corrected gold, of both of them. */
export function chosenForEither(runs: readonly ComparedRun[], samples: ScoredSamples): ChosenFor {
  if (!samples.columns.reviewed.includes(1)) return { warnings: [] };
  const isCorrected = samples.list.some(({ corrected }) => corrected.overturned);
  const reasons: string[] = [];
  const warnings: string[] = [];
  for (const { run, outcomes } of runs) {
    const shares = new ReviewShares();
    for (const { index, sample, reviewed } of samples.list) {
      const outcome = outcomeNames[outcomes[index]!];
      if (outcome !== undefined) shares.add(outcome, sample.label, reviewed);
    }
    const id = run.header.run_id;
    const why = unlabelledOf(outcomes, samples).whyChosen();
    if (why !== undefined) reasons.push(`${id}: ${why}`);
    const { apart, agreeing } = shares;
    if (isCorrected && leansToContradictions(shares)) {
      warnings.push(`Reviewed ${apart.reviewed} of ${apart.total} verdicts of ${id} that contradict the original label and ${agreeing.reviewed} of ${agreeing.total} that agree with it: the corrections can hardly but speak for ${id}. Compare on the original gold, or review the contradictions of both runs, or a random sample.`);
    }
  }
  return { ...(reasons.length > 0 ? { reason: reasons.join("; ") } : {}), warnings };
}
