/** What keeps a comparison of two runs from holding for all samples: that the verdicts of one of them chose what people judged. */
import { outcomeNames } from "#core/workspace/verdict-columns";
import { UnlabelledShares } from "./headline";
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

/** The same tests as `score` makes of each run, of both of them. */
export function chosenForEither(runs: readonly ComparedRun[], samples: ScoredSamples, gold: "original" | "corrected"): ChosenFor {
  if (gold === "original" || !samples.columns.reviewed.includes(1)) return { warnings: [] };
  const isCorrected = samples.list.some(({ corrected }) => corrected.overturned);
  const reasons: string[] = [];
  const warnings: string[] = [];
  for (const { run, outcomes } of runs) {
    const [shares, unlabelled] = [new ReviewShares(), new UnlabelledShares()];
    for (const { index, sample, reviewed } of samples.list) {
      const outcome = outcomeNames[outcomes[index]!];
      if (outcome === undefined) continue;
      shares.add(outcome, sample.label, reviewed);
      unlabelled.add(outcome, sample.label, reviewed);
    }
    const id = run.header.run_id;
    const why = unlabelled.whyChosen();
    if (why !== undefined) reasons.push(`${id}: ${why}`);
    const { apart, agreeing } = shares;
    if (isCorrected && leansToContradictions(shares)) {
      warnings.push(`Reviewed ${apart.reviewed} of ${apart.total} verdicts of ${id} that contradict the original label and ${agreeing.reviewed} of ${agreeing.total} that agree with it: the corrections can hardly but speak for ${id}. Compare on the original gold, or review the contradictions of both runs, or a random sample.`);
    }
  }
  return { ...(reasons.length > 0 ? { reason: reasons.join("; ") } : {}), warnings };
}
