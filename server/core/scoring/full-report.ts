/** Everything that `score --json` prints for one gold: rates and details in one object. */
import { scoreDetails, type DetailsInput, type DetailsOptions, type RunDetails, type ScoreDetails } from "./details";
import type { GeneralisationMatrix } from "./generalisation";
import type { RunReport, ScoreReport } from "./report";
import { joinAll, score } from "./score";

export type FullRunReport = RunReport & Omit<RunDetails, "run_id">;

export interface FullReport extends Omit<ScoreReport, "runs">, Omit<ScoreDetails, "runs"> {
  readonly runs: readonly FullRunReport[];
  /** Published rates, loaded to be set beside those of the runs. */
  readonly reference?: GeneralisationMatrix;
}

/**
 * The report with its details. Where a run's rates are withheld, since its own verdicts chose the samples, its curves and pairs
 * are as well.
 */
export function fullReport(input: DetailsInput, options: DetailsOptions, reference?: GeneralisationMatrix): FullReport {
  const joined = joinAll(input, options);
  const report = score(input, options, joined);
  const { runs: details, ...rest } = scoreDetails(input, options, joined);
  const runs = report.runs.map((run, at): FullRunReport => {
    const { curves, pairs, repeats, faithfulness } = details[at] as RunDetails;
    const withheld = [run.miss_rate, run.false_alarm_rate].some(({ value, denominator }) => value === null && denominator > 0);
    return {
      ...run,
      ...(curves && !withheld ? { curves } : {}),
      ...(pairs && !withheld ? { pairs } : {}),
      repeats,
      ...(faithfulness ? { faithfulness } : {}),
    };
  });
  return { ...report, runs, ...rest, ...(reference ? { reference } : {}) };
}
