/** Whether the rates of a run on the corrected gold may stand alone: not where its verdicts chose what people judged. */
import type { GoldLabel } from "#core/trajectory/model";
import type { LabelRecord, VerdictRecord } from "#core/workspace/schemas";
import { UnlabelledShares } from "./headline";
import { describeSelection, leansToContradictions, ReviewShares } from "./selection";

export interface LiveSelection {
  readonly runId: string;
  /** Verdicts on the content as it is now. */
  readonly verdicts: readonly VerdictRecord[];
  readonly labelOf: (sampleId: string) => GoldLabel | undefined;
  /** Standing decisions on a sample that are not stale. */
  readonly decisionsOf: (sampleId: string) => readonly LabelRecord[];
  readonly allDecisions: readonly LabelRecord[];
}

/** The first run whose verdicts left nothing else to be judged, in a sentence: then no run's rates on the corrected gold may stand alone. */
export function whyNoHeadlineForAll(runs: readonly Pick<LiveSelection, "runId" | "verdicts" | "labelOf" | "decisionsOf">[]): string | undefined {
  for (const { runId, verdicts, labelOf, decisionsOf } of runs) {
    const shares = new UnlabelledShares();
    for (const { sample_id, outcome } of verdicts) shares.add(outcome, labelOf(sample_id), decisionsOf(sample_id).length > 0);
    const why = shares.whyChosenForAll(runId, runs.length);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** A sentence where `score` names the labels `chosen_by: "verdict"`, seen from this run; undefined where it does not. */
export function whyNoHeadline({ runId, verdicts, labelOf, decisionsOf, allDecisions }: LiveSelection): string | undefined {
  const shares = new ReviewShares();
  const unlabelled = new UnlabelledShares();
  for (const { sample_id, outcome } of verdicts) {
    const isReviewed = decisionsOf(sample_id).length > 0;
    shares.add(outcome, labelOf(sample_id), isReviewed);
    unlabelled.add(outcome, labelOf(sample_id), isReviewed);
  }
  const selection = describeSelection({
    runId, reviewed: { tp: 0, fn: 0, fp: 0, tn: 0 }, verdicts: shares, labels: allDecisions.length,
    afterVerdict: allDecisions.filter(({ seen }) => seen.includes("verdict") || seen.includes("evidence")).length,
  });
  if (selection.chosen_by === "verdict") return selection.warning ?? "The labels were given by what the monitor said.";
  if (allDecisions.length > 0 && leansToContradictions(shares)) return "Only what contradicts the original labels was reviewed.";
  return unlabelled.whyChosen();
}
