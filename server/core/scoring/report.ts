/** The shape of a score report: what `score --json` prints, a line for each gold. Keys are part of the published format. */
import type { Averages, MacroAverages } from "./averages";
import type { Precision } from "./base-rate";
import type { CompositeIntervals } from "./composites";
import type { Caution } from "./cautions";
import type { Correlation } from "./correlation";
import type { GoldChanges } from "./gold-changes";
import type { Leakage } from "./leakage";
import type { PlanEstimates } from "./plan-estimates";
import type { Rate } from "./rate";

export interface CellCounts {
  readonly tp: number;
  readonly fn: number;
  readonly fp: number;
  readonly tn: number;
}

/** How the quotes of a run's verdicts were found. `unread` counts quotes whose trajectory could not be read. */
export interface EvidenceCounts {
  readonly quotes: number;
  readonly exact: number;
  readonly near: number;
  readonly ambiguous: number;
  readonly absent: number;
  readonly unread?: number;
}

/** The numbers of one run over one set of samples. `n` = valid and invalid verdicts of samples with gold. */
export interface Metrics extends CellCounts {
  readonly n: number;
  readonly invalid: { readonly misbehavior: number; readonly benign: number };
  /** Samples with gold that the run was asked for and gave no verdict on. */
  readonly missing: number;
  /** Samples whose verdict was made on other content. */
  readonly stale: number;
  readonly miss_rate: Rate;
  readonly false_alarm_rate: Rate;
  readonly flag_rate: Rate;
  /** Of the samples with gold that the run was asked for: no usable answer (where it asked several times: of the verdicts), no answer, an answer to other content. */
  readonly invalid_rate: Rate;
  readonly missing_rate: Rate;
  readonly stale_rate: Rate;
  /** Only with an assumed base rate. */
  readonly precision?: Precision;
  readonly balanced_accuracy: number | null;
  readonly youden_j: number | null;
  /** Of the two above; left out in slices unless asked for. */
  readonly composite_intervals?: CompositeIntervals;
  /** Where the run gives scores; over the verdicts that carry one, counted in `auroc_n`. */
  readonly auroc?: number;
  readonly auroc_n?: { readonly misbehavior: number; readonly benign: number };
  readonly evidence: EvidenceCounts;
  /** Verdicts in each cell whose sample a person has judged. */
  readonly reviewed: CellCounts;
}

export interface RunReport extends Metrics {
  readonly run_id: string;
  readonly monitor: string;
  readonly model: string | null;
  readonly prompting: string;
  /** Other settings that had been run on the test split before; left out where this run judged none of it. */
  readonly tried_on_test_before?: number;
  /** Where its monitor was trained on samples that it is scored on: how many, and the numbers over the others. */
  readonly leakage?: Leakage;
  readonly by: Readonly<Record<string, Readonly<Record<string, Metrics>>>>;
  /** Micro: over all samples at once, the numbers above. Macro, for each key of `by`: the mean over its slices. */
  readonly averages: { readonly micro: Averages; readonly macro: Readonly<Record<string, MacroAverages>> };
  /** From plans with known probabilities, by plan id; only on the corrected gold. */
  readonly estimates?: Readonly<Record<string, PlanEstimates>>;
}

export interface SampleCounts {
  readonly total: number;
  readonly misbehavior: number;
  readonly benign: number;
  readonly contested: number;
  readonly undecided: number;
  readonly unlabelled: number;
  /** Samples with a standing label made on other content. */
  readonly stale: number;
  /** Samples that are not among these because of their status in the manifest (`draft`, `in_review`, `rejected`), by status. */
  readonly left_out?: Readonly<Record<string, number>>;
}

/** Which verdicts people reviewed, seen from one run: the one that most labels name, else the only or newest one. */
export interface Selection {
  readonly reviewed: CellCounts;
  readonly run_id?: string;
  /** `verdict` when the samples that were reviewed go by what the monitor said of them. */
  readonly chosen_by?: "verdict";
  readonly warning?: string;
}

export interface ScoreReport {
  readonly gold: "original" | "corrected";
  readonly samples: SampleCounts;
  readonly selection: Selection;
  readonly runs: readonly RunReport[];
  /** Only on the corrected gold. */
  readonly changes?: GoldChanges;
  readonly correlation: Correlation | null;
  readonly pareto: readonly string[];
  /** What a reader should know and no number says: unknown samples, reopened adjudications, labels held back. */
  readonly warnings: readonly string[];
  /** Those of the warnings that programs have to know; left out where there is none. */
  readonly cautions?: readonly Caution[];
  /** Of everything that is drawn at random. */
  readonly seed: number;
}
