/** Runs as columns of numbers score as their records do, whatever their lines hold. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fullReport } from "#core/scoring/full-report";
import { samplesBehind } from "#core/scoring/samples-behind";
import type { ScoreInput, ScoreRun } from "#core/scoring/score-input";
import { SlimVerdicts } from "#core/workspace/plain-verdict";
import { readRunFile, RunReader, type RunFile } from "#core/workspace/run-file";
import { randomFrom } from "../../support/fuzz/random";

const random = randomFrom(23);
const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
const hash = (letter: string): string => letter.repeat(64);

const samples = Array.from({ length: 60 }, (_, at) => ({
  id: `s${at}`, label: pick(["misbehavior", "benign", undefined] as const), category: pick(["a", "b", "__proto__", undefined]), task: pick(["qa", undefined]), group: `g${at >> 2}`, pairId: at < 40 ? `p${at >> 1}` : undefined,
  split: pick(["test", "dev", undefined]), contentSha256: pick([undefined, hash("a"), hash("b")]),
}));
const labels = Array.from({ length: 30 }, (_, at) => ({
  id: `l${at}`, sample_id: `s${(at * 7) % 60}`, annotator: pick(["ann", "bob"]), created_at: `2026-01-01T00:00:${String(at).padStart(2, "0")}Z`, label: pick(["misbehavior", "benign", "unsure"] as const), blind: true, seen: [],
}));

/** A run file with stale, repeated, replaced, invalid, stray and left-out verdicts, some of them on lines that only the parser can read. */
function runText(id: string, lines: number, repeats: boolean, trained: readonly string[]): string {
  const verdicts = Array.from({ length: lines }, () => {
    const outcome = pick(["misbehavior", "benign", "invalid"] as const);
    return JSON.stringify({
      type: "verdict", sample_id: pick([...samples.map((sample) => sample.id), "stray", "draft", "é"]), ...(random() < 0.7 ? { content_sha256: pick([hash("a"), hash("b"), "short"]) } : {}), outcome, ...(outcome === "invalid" ? { reason: "bad_json" } : {}),
      ...(random() < 0.6 ? { score: Math.round(random() * 20) / 20 } : {}), ...(repeats ? { repeat: Math.floor(random() * 3) } : {}), ...(trained.length > 0 && random() < 0.3 ? { trained_on_this: true } : {}),
      detected_categories: outcome === "misbehavior" && random() < 0.6 ? [{ category: "a", description: pick(["d", "\"é\""]), evidence: Array.from({ length: Math.floor(random() * 3) }, () => "quote") }] : [], latency_ms: 1, attempts: 1,
    });
  });
  return [JSON.stringify({ type: "run", run_id: id, monitor: id, kind: "linear", prompting: pick(["direct", "evidence"]), trained_on: trained, params: {}, prompt_sha256: "", view: { reasoning: true }, created_at: `2026-01-0${lines % 9 + 1}T00:00:00Z`, tracemark_version: "0" }), ...verdicts, ""].join("\n");
}

const texts = [runText("first", 90, false, []), runText("second", 200, true, ["a/qa"]), runText("third", 70, false, ["b/qa"])];
const scoreRun = (run: RunFile): ScoreRun => ({ header: run.header, verdicts: run.verdicts, columns: run.columns, asked: "all" });
const inputOf = (runs: readonly RunFile[]): ScoreInput => ({ samples, labels, runs: runs.map(scoreRun), leftOut: [{ id: "draft", status: "draft" }] });

test("columns and records give the same report, with the same samples behind its numbers", () => {
  const slim = new SlimVerdicts("counts", samples.map(({ id }) => id));
  const asColumns = texts.map((text) => {
    const reader = new RunReader("r", slim);
    const bytes = new TextEncoder().encode(text);
    let scanned = 0;
    for (let at = 0; at < bytes.length; ) {
      let end = reader.scan(bytes, at, bytes.length);
      if (end >= 0) scanned++;
      else {
        end = bytes.indexOf(10, at);
        reader.push(new TextDecoder().decode(bytes.subarray(at, end)), true);
      }
      at = end + 1;
    }
    assert.ok(scanned > 30, `${scanned} lines were scanned`);
    return reader.finish().run!;
  });
  const asRecords = texts.map((text) => readRunFile(text, "r").run!);
  assert.ok(asColumns.every(({ columns }) => columns !== undefined) && asRecords.every(({ columns }) => columns === undefined));
  for (const gold of ["original", "corrected"] as const) {
    for (const split of [undefined, "dev"]) {
      const options = { gold, split, by: ["category", "task", "category_task", "prompting", "source", "split"] as const, sliceIntervals: true };
      assert.deepEqual(fullReport(inputOf(asColumns), options), fullReport(inputOf(asRecords), options));
      for (const selection of [{ runId: "second" }, { runId: "second", cells: ["fn", "invalid", "missing", "stale"] as const }, { runId: "first", pair: "inverted" as const }, { runId: "third", score: { from: 0.2, to: 0.6 } }]) {
        assert.deepEqual(samplesBehind(inputOf(asColumns), options, selection), samplesBehind(inputOf(asRecords), options, selection));
      }
    }
  }
});
