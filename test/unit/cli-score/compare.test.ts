/** `tracemark compare`: one object for two runs, a page for people, failures in words. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Comparison } from "#core/scoring/compare";
import { compareVerb } from "../../../server/cli/verbs/compare";
import { scoreVerb } from "../../../server/cli/verbs/score";
import { header, verdict } from "../../support/score-fixtures";
import { chat, tempRoot } from "../../support/temp-root";
import { callVerb } from "../../support/verb-call";

/** m1 caught by both, m2 only by b, b1 flagged by a alone; Ada calls b2, which both passed, misbehavior. */
function root(t: TestContext): string {
  const sample = (id: string, label: string) => ({ id, label, pair_id: id.slice(1), ...chat("q", `a of ${id}`) });
  return tempRoot(t, {
    "tracemark.json": { name: "Small", samples: ["m.samples.jsonl"] },
    "m.samples.jsonl": [sample("m1", "misbehavior"), sample("m2", "misbehavior"), sample("b1", "benign"), sample("b2", "benign")],
    "runs/a.jsonl": [header("a"), verdict("m1", "misbehavior"), verdict("m2", "benign"), verdict("b1", "misbehavior"), verdict("b2", "benign")],
    "runs/b.jsonl": [header("b"), verdict("m1", "misbehavior"), verdict("m2", "misbehavior"), verdict("b1", "benign"), verdict("b2", "benign")],
    "labels/ada.jsonl": [{ id: "1", sample_id: "b2", annotator: "Ada", created_at: "2026-01-02T00:00:00Z", label: "misbehavior", blind: true, seen: [] }],
  });
}

test("--json prints the comparison on the corrected gold, and on the original one if asked", async (t) => {
  const folder = root(t);
  const { code, out, notes } = await callVerb(compareVerb, folder, ["a", "b"], { json: true });
  assert.deepEqual([code, out.length, notes], [0, 1, []]);
  const found = JSON.parse(out[0] ?? "") as Comparison;
  assert.deepEqual([found.n, found.groups, found.discordant], [4, 2, ["b1", "m2"]]);
  assert.deepEqual(found.misbehavior, { both_right: 1, only_a_wrong: 1, only_b_wrong: 0, both_wrong: 1, p: 1 });
  assert.deepEqual(found.benign, { both_right: 0, only_a_wrong: 1, only_b_wrong: 0, both_wrong: 0, p: 1 });
  assert.equal(found.difference.miss_rate.value?.toFixed(6), "-0.333333");
  assert.equal(found.difference.false_alarm_rate.value, -1);
  const original = JSON.parse((await callVerb(compareVerb, folder, ["a", "b"], { json: true, gold: "original" })).out[0] ?? "") as Comparison;
  assert.deepEqual([original.difference.miss_rate.value, original.difference.false_alarm_rate.value], [-0.5, -0.5]);
  assert.deepEqual((await callVerb(compareVerb, folder, ["a", "b"], { json: true, seed: "7" })).out, (await callVerb(compareVerb, folder, ["a", "b"], { json: true, seed: "7" })).out);
});

test("the page says who is wrong where, and which samples tell", async (t) => {
  const { out } = await callVerb(compareVerb, root(t), ["a", "b"], {});
  const lines = out.join("\n").split("\n").map((line) => line.replace(/ {2,}/g, " | "));
  assert.equal(lines[0], "A = a, B = b: 4 samples in 2 groups, corrected gold");
  assert.match(lines[2] ?? "", /^misbehavior \| 2 \| 1 \| 1 \| 0 \| 1\.0000 \| miss rate \| -0\.33 \[/);
  assert.equal(lines.at(-1), "Only one is wrong: b1, m2");
});

test("one run, an unknown run, a bad gold: one sentence and exit 2", async (t) => {
  const folder = root(t);
  for (const [args, options, sentence] of [
    [["a"], {}, "error: compare needs two runs; name them: tracemark compare RUN_A RUN_B"],
    [["a", "z"], {}, "error: runs: no run has the id z; choose from a, b"],
    [["a", "b"], { split: "test" }, "error: no sample belongs to the split \"test\"; the manifest names no splits; leave --split out"],
    [["a", "b"], { gold: "both" }, "error: --gold cannot be both; use corrected or original"],
  ] as const) {
    const { code, notes } = await callVerb(compareVerb, folder, [...args], options);
    assert.deepEqual([code, notes], [2, [sentence]]);
  }
});

test("score --run and compare withhold what a run that is not named chose, as score of all runs does", async (t) => {
  const ids = Array.from({ length: 60 }, (_, n) => `s${n}`);
  const said = (flags: (n: number) => boolean) => ids.map((id, n) => verdict(id, flags(n) ? "misbehavior" : "benign"));
  // Ada judged all of the fifteen that x flags (every fourth) and nothing else.
  const folder = tempRoot(t, {
    "m.samples.jsonl": ids.map((id) => ({ id, ...chat("q", `a of ${id}`) })),
    "runs/x.jsonl": [header("x"), ...said((n) => n % 4 === 0)], "runs/y.jsonl": [header("y"), ...said((n) => n < 30)], "runs/z.jsonl": [header("z"), ...said((n) => n % 3 === 0)],
    "labels/ada.jsonl": ids.flatMap((id, n) => (n % 4 === 0 ? [{ id, sample_id: id, annotator: "Ada", created_at: "2026-01-02T00:00:00Z", label: n % 8 === 0 ? "misbehavior" : "benign", blind: true, seen: [], run_id: "x" }] : [])),
  });
  const runs = async (options: object) => (JSON.parse((await callVerb(scoreVerb, folder, [], { json: true, ...options })).out[0] ?? "") as { runs: { run_id: string }[]; selection: { chosen_by?: string; warning?: string } });
  const [all, one] = [await runs({}), await runs({ run: ["y"] })];
  assert.deepEqual(one.runs, all.runs.filter(({ run_id }) => run_id === "y"));
  assert.match(JSON.stringify(one.runs[0]), /"miss_rate":\{"value":null,.{0,80}"reason":"judged by what x said: 15 of 15 flagged and 0 of 45/);
  assert.match(one.selection.warning ?? "", /Reviewed 15 of 15 flagged and 0 of 45 unflagged verdicts of x/);
  const two = JSON.parse((await callVerb(compareVerb, folder, ["y", "z"], { json: true })).out[0] ?? "") as Comparison;
  assert.deepEqual([two.n, two.difference.miss_rate.value], [15, null]);
});
