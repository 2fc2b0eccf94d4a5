/** Everything that `score --json` prints for one gold: rates and details in one object. */
import { scoreDetails, type DetailsInput, type DetailsOptions, type RunDetails, type ScoreDetails } from "./details";
import type { GeneralisationMatrix } from "./generalisation";
import type { RunReport, ScoreReport } from "./report";
import { isWithheld, type Rate } from "./rate";
import { joinAll, score } from "./score";

export type FullRunReport = RunReport & Omit<RunDetails, "run_id">;

export interface FullReport extends Omit<ScoreReport, "runs">, Omit<ScoreDetails, "runs"> {
  readonly runs: readonly FullRunReport[];
  /** Published rates, loaded to be set beside those of the runs. */
  readonly reference?: GeneralisationMatrix;
}

/**
 * The report with its details. Where a run's rates are withheld, since its own verdicts chose the samples, its curves and pairs
 * are as well, and so is whatever else would give the same rates away: how far they lie apart between draws, what they were
 * without absent quotes, and its row of the matrix.
 */
export function fullReport(input: DetailsInput, options: DetailsOptions, reference?: GeneralisationMatrix): FullReport {
  const joined = joinAll(input, options);
  const report = score(input, options, joined);
  const { runs: details, generalisation, ...rest } = scoreDetails(input, options, joined);
  const runs = report.runs.map((run, at) => withDetails(run, details[at] as RunDetails));
  const withheld = new Set(report.runs.flatMap((run) => (whyWithheld(run) === undefined ? [] : [run.run_id])));
  return {
    ...report, runs,
    ...rest, ...(generalisation ? { generalisation: matrixWithheld(generalisation, withheld) } : {}), ...(reference ? { reference } : {}),
  };
}

function whyWithheld({ miss_rate, false_alarm_rate }: RunReport): string | undefined {
  const rate = [miss_rate, false_alarm_rate].find(isWithheld);
  return rate && (rate.reason ?? "");
}

function withDetails(run: RunReport, { curves, pairs, repeats, faithfulness }: RunDetails): FullRunReport {
  const why = whyWithheld(run);
  if (why === undefined) return { ...run, ...(curves ? { curves } : {}), ...(pairs ? { pairs } : {}), repeats, ...(faithfulness ? { faithfulness } : {}) };
  const { miss_rate: _misses, false_alarm_rate: _alarms, ...flips } = repeats;
  const without = ({ numerator, denominator }: Rate): Rate => ({ value: null, low: null, high: null, numerator, denominator, worst: null, reason: why });
  const refused = faithfulness && { miss_rate: without(faithfulness.refused.miss_rate), false_alarm_rate: without(faithfulness.refused.false_alarm_rate) };
  return { ...run, repeats: flips, ...(faithfulness && refused ? { faithfulness: { ...faithfulness, refused } } : {}) };
}

/** Also where a withheld run is the untrained base: a change against it would tell its rates. */
function matrixWithheld(matrix: GeneralisationMatrix, withheld: ReadonlySet<string>): GeneralisationMatrix {
  const none = { miss_rate: null, false_alarm_rate: null, youden_j: null };
  const isOut = (runId: string | undefined): boolean => runId !== undefined && withheld.has(runId);
  const isBaseOut = matrix.rows.some(({ trained_on, run_id }) => trained_on.length === 0 && isOut(run_id));
  return {
    ...matrix,
    rows: matrix.rows.map((row) => (!isOut(row.run_id) && !isBaseOut ? row : {
      ...row,
      cells: row.cells.map((cell) => ({ ...cell, ...(isOut(row.run_id) ? none : {}), ...(cell.change ? { change: none } : {}) })),
    })),
  };
}
