/** Small samples, verdicts, runs and labels for tests of scoring, with every key that the schemas ask for. */
import type { ScoreRun, ScoreSample } from "#core/scoring/score-input";
import type { LabelRecord, RunHeader, VerdictRecord } from "#core/workspace/schemas";

export function header(run_id: string, more: Partial<RunHeader> = {}): RunHeader {
  return {
    type: "run", run_id, monitor: "guard", kind: "llm", model: "m", prompting: "evidence", params: {}, prompt_sha256: "p",
    view: { reasoning: true }, created_at: "2026-01-01T00:00:00Z", tracemark_version: "0.1.0", ...more,
  };
}

export function verdict(sample_id: string, outcome: VerdictRecord["outcome"], more: Partial<VerdictRecord> = {}): VerdictRecord {
  return { type: "verdict", sample_id, outcome, detected_categories: [], latency_ms: 1, attempts: 1, ...more };
}

/** A run that was asked for everything. */
export function run(run_id: string, verdicts: readonly VerdictRecord[], more: Partial<RunHeader> = {}): ScoreRun {
  return { header: header(run_id, more), verdicts, asked: "all" };
}

export function sample(id: string, label: ScoreSample["label"], more: Partial<ScoreSample> = {}): ScoreSample {
  return { id, label, group: id, ...more };
}

let count = 0;
/** Ada's blind label, newer than every one before. */
export function label(sample_id: string, value: LabelRecord["label"], more: Partial<LabelRecord> = {}): LabelRecord {
  count++;
  return { id: `l${String(count).padStart(6, "0")}`, sample_id, annotator: "ada", created_at: new Date(1.7e12 + count * 1000).toISOString(), label: value, blind: true, seen: [], ...more };
}

/** Whether two numbers agree to `digits` decimals; throws with both where they do not. */
export function near(actual: number | null | undefined, expected: number, digits = 6): void {
  if (typeof actual !== "number" || !(Math.abs(actual - expected) < 0.5 * 10 ** -digits)) throw new Error(`${actual} is not ${expected} to ${digits} digits`);
}
