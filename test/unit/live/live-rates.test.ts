/** Rates that follow each label are those that scoring everything anew gives. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LiveRates } from "#core/labels/live-rates";
import { score } from "#core/scoring/score";
import type { ScoreSample } from "#core/scoring/score-input";
import { LabelRecord, type RunHeader, type VerdictRecord } from "#core/workspace/schemas";
import { pick, seeded } from "../evidence/random";

const header = (run_id: string): RunHeader => ({ type: "run", run_id, monitor: "m", kind: "recorded", prompting: "direct", params: {}, prompt_sha256: "", view: { reasoning: true }, created_at: "2026-01-01T00:00:00Z", tracemark_version: "0" });

test("after every one of hundreds of labels of all kinds the counts are those of a whole score", () => {
  const random = seeded(31);
  const any = <T>(...values: T[]): T => values[pick(random, values.length)] as T;
  const samples: ScoreSample[] = Array.from({ length: 25 }, (_, n) => ({ id: `s${n}`, group: `s${n}`, label: any("misbehavior" as const, "benign" as const, undefined), contentSha256: "now" }));
  const verdict = (sample_id: string): VerdictRecord => ({ type: "verdict", sample_id, outcome: any("misbehavior", "benign", "invalid"), detected_categories: [], latency_ms: 1, attempts: 1, content_sha256: any("now", "now", "now", "then") });
  const runs = ["a", "b"].map((id) => ({ header: header(id), verdicts: samples.filter(() => random() < 0.9).map(({ id: sample }) => verdict(sample)), asked: "all" as const }));
  const records: LabelRecord[] = [];
  const live = new LiveRates({ samples, runs: runs.map(({ header: { run_id }, verdicts }) => ({ runId: run_id, verdicts })), recordsOf: (id) => records.filter(({ sample_id }) => sample_id === id), overturn: "two" });
  for (let n = 0; n < 300; n++) {
    const sample_id = `s${pick(random, 25)}`;
    const before = records.filter((record) => record.sample_id === sample_id);
    const old = before[pick(random, before.length || 1)];
    records.push(LabelRecord.parse({
      id: `r${String(n).padStart(4, "0")}`, sample_id, annotator: any("Ada", "Bob", "Cy"), created_at: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(), label: any("misbehavior", "benign", "unsure", "cannot_judge", null),
      blind: random() < 0.7, seen: any([], [], ["verdict"]), content_sha256: any("now", "now", "then"), ...(old && random() < 0.4 ? { supersedes: old.id, ...(random() < 0.3 ? { retracted: true } : {}) } : {}), ...(old && random() < 0.1 ? { adjudicates: [old.id] } : {}), ...(random() < 0.1 ? { check: "repeat" } : {}),
    }));
    live.update(sample_id);
    if (n % 3 > 0) continue;
    const report = score({ samples, labels: records, runs, overturn: "two" }, { gold: "corrected" });
    const { misbehavior, benign, undecided, unlabelled, contested } = report.samples;
    const { corrected: _, ...counts } = live.counts;
    assert.deepEqual(counts, { misbehavior, benign, undecided, unlabelled, contested });
    const cells = (run: { run_id: string; tp: number; fn: number; fp: number; tn: number; invalid: object }) => [run.run_id, run.tp, run.fn, run.fp, run.tn, run.invalid];
    assert.deepEqual(live.rates().map(cells), report.runs.map(cells));
    for (const { tp, fn, invalid, miss_rate } of live.rates()) assert.deepEqual([miss_rate.value, miss_rate.worst], [fn / (tp + fn), (fn + invalid.misbehavior) / (tp + fn + invalid.misbehavior)]);
  }
  assert.equal(live.update("nobody"), undefined);
});
