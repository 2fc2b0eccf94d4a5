/** The verdicts of one run, joined with the samples they are about. */
import { isStale } from "#core/labels/standing";
import type { VerdictRecord } from "#core/workspace/schemas";
import type { ScoreRun } from "./score-input";
import type { ScoredSample, ScoredSamples } from "./scored-samples";

export interface RunEntry {
  readonly scored: ScoredSample;
  readonly verdict: VerdictRecord;
}

export interface RunEntries {
  /** Verdicts on the content as it is now, of samples within the split. */
  readonly current: readonly RunEntry[];
  /** Samples whose verdict was made on other content. */
  readonly stale: readonly ScoredSample[];
  /** Samples with gold that were asked for and have no verdict line at all. */
  readonly missing: readonly ScoredSample[];
  /** Verdicts of samples that are not here, or not in the split. */
  readonly stray: number;
  /** Set when the run names a number of samples but which ones cannot be told: how many of them have no verdict line. */
  readonly unaccounted?: number;
}

/** Sorts a run's verdicts by what they can be used for. */
export function joinRun(run: ScoreRun, samples: ScoredSamples): RunEntries {
  const current: RunEntry[] = [];
  const stale = new Set<ScoredSample>();
  const answered = new Uint8Array(samples.byId.size);
  let stray = 0;
  for (const verdict of run.verdicts) {
    const scored = samples.byId.get(verdict.sample_id);
    if (scored) answered[scored.index] = 1;
    if (!scored) stray += samples.leftOut.has(verdict.sample_id) ? 0 : 1;
    else if (isStale(verdict, scored.sample.contentSha256)) stale.add(scored);
    else current.push({ scored, verdict });
  }
  const missing: ScoredSample[] = [];
  if (run.asked !== "unknown") {
    for (const [id, scored] of samples.byId) {
      const asked = run.asked === "all" || run.asked.has(id);
      if (asked && scored.gold !== null && answered[scored.index] === 0) missing.push(scored);
    }
  }
  const unaccounted = run.asked === "unknown" ? Math.max(0, (run.header.samples?.count ?? 0) - new Set(run.verdicts.map(({ sample_id }) => sample_id)).size) : 0;
  return { current, stale: [...stale], missing, stray, ...(unaccounted > 0 ? { unaccounted } : {}) };
}
