/** What keeps a comparison of two runs from holding for all samples: that the verdicts of one of them chose what people judged. */
import { outcomeNames } from "#core/workspace/verdict-columns";
import { UnlabelledShares } from "./headline";
import { lowerTail } from "./exact-limits";
import { firstOutcomes } from "./run-entries";
import { allRuns, type ScoreInput, type ScoreRun } from "./score-input";
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

/** The first run of the workspace, scored or not, whose verdicts left nothing else to be judged, in a sentence: then no run can be measured on what people judged. */
export function whyChosenForAll(input: Pick<ScoreInput, "runs" | "unscored">, samples: ScoredSamples): string | undefined {
  const runs = allRuns(input);
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

/** What a run says of the samples that people reviewed, and of the others, from its outcomes by index. */
export function reviewSharesOf(outcomes: Uint8Array, samples: ScoredSamples): ReviewShares {
  const shares = new ReviewShares();
  for (const { index, sample, reviewed } of samples.list) {
    const outcome = outcomeNames[outcomes[index]!];
    if (outcome !== undefined) shares.add(outcome, sample.label, reviewed);
  }
  return shares;
}

/** The runs whose contradictions of the original labels people reviewed more than their agreements, each with the shares that say so. */
export function leaningRuns(runs: readonly ScoreRun[], samples: ScoredSamples): { readonly run: ScoreRun; readonly shares: ReviewShares }[] {
  if (!samples.columns.reviewed.includes(1)) return [];
  return runs.map((run) => ({ run, shares: reviewSharesOf(firstOutcomes(run, samples), samples) })).filter(({ shares }) => leansToContradictions(shares));
}

/**
 * Those whose shares chance alone would hardly bring about: among so many `runs` that is less likely than 2.5 % (hypergeometric,
 * divided by the number of runs: Bonferroni). A run's own gain by a few reviews is one however they came about; another's is not.
 */
export function leaningBeyondChance(runs: readonly ScoreRun[], samples: ScoredSamples): ReturnType<typeof leaningRuns> {
  return leaningRuns(runs, samples).filter(({ shares: { apart, agreeing } }) =>
    lowerTail(agreeing.reviewed, apart.reviewed + agreeing.reviewed, agreeing.total, apart.total + agreeing.total) < 0.025 / runs.length);
}

/**
 * The same tests as `score` makes of each run on the corrected gold, of both of them. `leaning` is what `leaningBeyondChance` says of all
 * runs of the workspace: where corrections were looked for by what a third run said, they speak for the one that is more like it.
 */
export function chosenForEither(runs: readonly ComparedRun[], samples: ScoredSamples, leaning: ReturnType<typeof leaningRuns>): ChosenFor {
  if (!samples.columns.reviewed.includes(1)) return { warnings: [] };
  const isCorrected = samples.list.some(({ corrected }) => corrected.overturned);
  const reasons: string[] = [];
  const warnings: string[] = [];
  for (const { run, outcomes } of runs) {
    const shares = reviewSharesOf(outcomes, samples);
    const id = run.header.run_id;
    const why = unlabelledOf(outcomes, samples).whyChosen();
    if (why !== undefined) reasons.push(`${id}: ${why}`);
    if (isCorrected && leansToContradictions(shares)) warnings.push(`${leaningWords(id, shares)} can hardly but speak for ${id}. Compare on the original gold, or review the contradictions of both runs, or a random sample.`);
  }
  const third = leaning.find(({ run: { header } }) => runs.every(({ run }) => run.header.run_id !== header.run_id));
  if (isCorrected && warnings.length === 0 && third) {
    const id = third.run.header.run_id;
    warnings.push(`${leaningWords(id, third.shares)} speak for runs that say what ${id} says. Compare on the original gold, or review the contradictions of both runs, or a random sample.`);
  }
  return { ...(reasons.length > 0 ? { reason: reasons.join("; ") } : {}), warnings };
}

function leaningWords(id: string, { apart, agreeing }: ReviewShares): string {
  return `Reviewed ${apart.reviewed} of ${apart.total} verdicts of ${id} that contradict the original label and ${agreeing.reviewed} of ${agreeing.total} that agree with it: the corrections`;
}
