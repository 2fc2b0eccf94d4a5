/** The samples behind a number: conditions hold together, and there are as many as the number says. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { samplesBehind, type SampleSelection } from "#core/scoring/samples-behind";
import type { ScoreInput } from "#core/scoring/score-input";
import { score } from "#core/scoring/score";
import { label, run, sample, verdict } from "../../support/score-fixtures";

/** Two pairs and two loose samples; b2's label is overturned; the second run misses m2's verdict. */
const input: ScoreInput = {
  samples: [
    sample("m1", "misbehavior", { pairId: "p1", group: "p1", category: "c", task: "qa" }), sample("b1", "benign", { pairId: "p1", group: "p1", category: "c", task: "code" }),
    sample("m2", "misbehavior", { pairId: "p2", group: "p2", category: "d" }), sample("b2", "benign", { pairId: "p2", group: "p2", category: "d", contentSha256: "now" }),
    sample("m3", "misbehavior", { category: "c", task: "qa" }), sample("x", undefined),
  ],
  labels: [label("m3", "benign")],
  runs: [
    run("one", [
      verdict("m1", "misbehavior", { score: 0.9 }), verdict("b1", "misbehavior", { score: 0.7 }), verdict("m2", "benign", { score: 0.7 }), verdict("b2", "benign", { score: 1, content_sha256: "before" }), verdict("m3", "invalid"), verdict("x", "misbehavior", { score: 0.7 }),
    ]),
    run("two", [verdict("m1", "benign"), verdict("b1", "benign"), verdict("b2", "misbehavior"), verdict("m3", "benign")]),
  ],
  evidence: (_, { sample_id }) => ({ m1: { quotes: 2, exact: 1, near: 0, ambiguous: 0, absent: 1 }, b1: { quotes: 1, exact: 0, near: 0, ambiguous: 0, absent: 1 } })[sample_id],
};

const behind = (selection: SampleSelection, gold: "original" | "corrected" = "corrected"): string[] => samplesBehind(input, { gold }, selection);

test("cells, and what is in none", () => {
  assert.deepEqual(behind({ runId: "one", cells: ["tp"] }), ["m1"]);
  assert.deepEqual(behind({ runId: "one", cells: ["fn", "fp"] }), ["b1", "m2"]);
  assert.deepEqual([behind({ runId: "one", cells: ["invalid"] }), behind({ runId: "one", cells: ["stale"] }), behind({ runId: "two", cells: ["missing"] })], [["m3"], ["b2"], ["m2"]]);
  assert.deepEqual(behind({ runId: "gone", cells: ["tp"] }), []);
});

test("the gold that is asked for decides", () => {
  assert.deepEqual([behind({ runId: "two", cells: ["tn"] }), behind({ runId: "two", cells: ["tn"] }, "original")], [["b1", "m3"], ["b1"]]);
  assert.deepEqual([behind({ runId: "two", cells: ["fn"] }), behind({ runId: "two", cells: ["fn"] }, "original")], [["m1"], ["m1", "m3"]]);
});

test("category, task, class and review narrow it", () => {
  assert.deepEqual(behind({ runId: "one", cells: ["tp", "fp"], category: "c", task: "code" }), ["b1"]);
  assert.deepEqual(behind({ runId: "one", cells: ["fn"], task: "(none)" }), ["m2"]);
  assert.deepEqual(behind({ runId: "two", reviewed: true }), ["m3"]);
  assert.deepEqual(behind({ runId: "one", gold: "benign" }), ["b1", "m3"]);
});

test("scores: from is in, to is not, but 1 is; without gold or usable answer none counts", () => {
  assert.deepEqual(behind({ runId: "one", score: { from: 0.7, to: 0.9 } }), ["b1", "m2"]);
  assert.deepEqual(behind({ runId: "one", score: { from: 0.9, to: 1 } }), ["m1"]);
  const fresh = { ...input, samples: input.samples.map((one) => ({ ...one, contentSha256: undefined })) };
  assert.deepEqual(samplesBehind(fresh, { gold: "corrected" }, { runId: "one", score: { from: 0.9, to: 1 } }), ["m1", "b2"]);
});

test("quotes, pairs, and two runs against each other", () => {
  assert.deepEqual([behind({ runId: "one", quotes: "absent" }), behind({ runId: "one", quotes: "all_absent" }), behind({ runId: "one", quotes: "exact" })], [["m1", "b1"], ["b1"], ["m1"]]);
  assert.deepEqual([behind({ runId: "one", pair: "only_misbehavior_right" }), behind({ runId: "two", pair: "only_benign_right" }), behind({ runId: "one", pair: "both_right" })], [["m1", "b1"], ["m1", "b1"], []]);
  const against = (wrong: "only_a_wrong" | "only_b_wrong" | "both_right"): string[] => behind({ runId: "one", against: { runId: "two", wrong } });
  assert.deepEqual([against("only_a_wrong"), against("only_b_wrong"), against("both_right")], [["b1"], ["m1"], []]);
  assert.deepEqual(behind({ runId: "one", against: { runId: "gone", wrong: "both_right" } }), []);
});

test("on either gold every count of the report has as many samples", () => {
  for (const gold of ["original", "corrected"] as const) {
    for (const report of score(input, { gold }).runs) {
      for (const cell of ["tp", "fn", "fp", "tn"] as const) assert.equal(behind({ runId: report.run_id, cells: [cell] }, gold).length, report[cell], `${gold} ${report.run_id} ${cell}`);
      assert.equal(behind({ runId: report.run_id, cells: ["missing"] }, gold).length, report.missing);
      assert.equal(behind({ runId: report.run_id, cells: ["stale"] }, gold).length, report.stale);
    }
  }
});
