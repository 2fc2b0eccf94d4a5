/** What scoring needs to know, free of files: samples, label records, runs. */
import type { OverturnPolicy } from "#core/labels/gold";
import type { GoldLabel } from "#core/trajectory/model";
import type { PlanFile } from "#core/workspace/plan-file";
import type { LabelRecord, RunHeader, VerdictRecord } from "#core/workspace/schemas";
import type { VerdictColumns } from "#core/workspace/verdict-columns";
import type { EvidenceCounts } from "./report";

export interface ScoreSample {
  readonly id: string;
  readonly label?: GoldLabel | undefined;
  readonly category?: string | undefined;
  readonly task?: string | undefined;
  /** Samples that are not independent share a group; default: the pair, else the sample itself. */
  readonly group: string;
  readonly split?: string | undefined;
  readonly source?: string | undefined;
  readonly pairId?: string | undefined;
  /** As the content is now; undefined where it is not known: then nothing about the sample counts as stale. */
  readonly contentSha256?: string | undefined;
}

export interface ScoreRun {
  readonly header: RunHeader;
  /** One verdict for each sample and repeat: the last line of each. */
  readonly verdicts: readonly VerdictRecord[];
  /** The same as columns, where there are so many that records are better not made. */
  readonly columns?: VerdictColumns | undefined;
  /**
   * Ids of the samples that the run was asked for: `all` when the run does not say, `unknown` when it says but names a
   * set that cannot be told from the samples at hand.
   */
  readonly asked: ReadonlySet<string> | "all" | "unknown";
  /** Other settings that had been run on the test split before, where this run judged samples of it. */
  readonly triedBefore?: number | undefined;
}

/** A sample that its status keeps out of the benchmark: a draft, in review, or rejected. */
export interface LeftOutSample {
  readonly id: string;
  readonly status: string;
  readonly split?: string | undefined;
}

export interface ScoreInput {
  readonly samples: readonly ScoreSample[];
  /** Samples that are not scored. Labels and verdicts on them are no strays. */
  readonly leftOut?: readonly LeftOutSample[] | undefined;
  readonly labels: readonly LabelRecord[];
  readonly runs: readonly ScoreRun[];
  /** Runs of the workspace that are not scored. What people judged may have been chosen by their verdicts as well; ask `allRuns`. */
  readonly unscored?: readonly ScoreRun[] | undefined;
  readonly overturn?: OverturnPolicy | undefined;
  /** Plans that labels were given on. Only those with known probabilities enter estimates. */
  readonly plans?: readonly Pick<PlanFile, "header" | "items">[] | undefined;
  /** How the quotes of a verdict were found; undefined when its trajectory could not be read. Without it quotes are only counted. */
  readonly evidence?: ((runId: string, verdict: VerdictRecord) => EvidenceCounts | undefined) | undefined;
}

/** Every run of the workspace, whichever are scored: any of them may have chosen what people judged. */
export function allRuns({ runs, unscored = [] }: Pick<ScoreInput, "runs" | "unscored">): readonly ScoreRun[] {
  return unscored.length === 0 ? runs : [...runs, ...unscored];
}

/** `category_task` crosses the two; `prompting` is that of the run. */
export const breakdowns = ["category", "task", "category_task", "prompting", "source", "split"] as const;
export type Breakdown = (typeof breakdowns)[number];

export interface ScoreOptions {
  readonly gold: "original" | "corrected";
  /** `blind` keeps only records with `blind: true`. Default `all`. */
  readonly labels?: "all" | "blind" | undefined;
  readonly split?: string | undefined;
  /** Default: category and task. */
  readonly by?: readonly Breakdown[] | undefined;
  /** Share of misbehavior in the field, between 0 and 1: asks for precision there. */
  readonly baseRate?: number | undefined;
  /** Of the bootstrap; default 1. */
  readonly seed?: number | undefined;
  /** Also bootstrap the composites of every slice, which takes a while over many runs. */
  readonly sliceIntervals?: boolean | undefined;
}
