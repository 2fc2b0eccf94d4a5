/** The shape of a score report: what `score --json` prints, a line for each gold. Keys are part of the published format. */
import type { Correlation } from "./correlation";
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
  /** Only with an assumed base rate. */
  readonly precision?: Rate;
  readonly balanced_accuracy: number | null;
  readonly youden_j: number | null;
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
  readonly by: Readonly<Record<string, Readonly<Record<string, Metrics>>>>;
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
  readonly correlation: Correlation | null;
  readonly pareto: readonly string[];
  /** What a reader should know and no number says: unknown samples, reopened adjudications, labels held back. */
  readonly warnings: readonly string[];
}
