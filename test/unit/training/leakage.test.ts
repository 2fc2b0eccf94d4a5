/** Whatever is chosen or learned refuses the test split, its pairs and its groups; what was tried on it before is told. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Monitor } from "#core/monitors/define";
import { findDuplicates } from "#core/pairs/duplicates";
import { pointsAtBudgets } from "#core/scoring/budgets";
import { exampleChooser } from "#node/monitors/few-shot";
import { Workspace } from "#node/workspace";
import { reportVerb } from "../../../server/cli/verbs/report";
import { sampleVerb } from "../../../server/cli/verbs/sample";
import { scoreVerb } from "../../../server/cli/verbs/score";
import { validateVerb } from "../../../server/cli/verbs/validate";
import { chat, tempRoot } from "../../support/temp-root";
import { callVerb } from "../../support/verb-call";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const line = (id: string, split: string, more: object = {}) => ({ id, split, category: "c", task: "qa", label: "benign", ...more, ...chat(`Question of ${id}?`, `Answer of ${id}.`) });
const run = (run_id: string, prompt_sha256: string, created_at: string, scores: Record<string, number>) => [
  { type: "run", run_id, monitor: "m", kind: "llm", prompting: "direct", params: {}, prompt_sha256, view: { reasoning: true }, created_at, tracemark_version: "0" },
  ...Object.entries(scores).map(([sample_id, score]) => ({ type: "verdict", sample_id, outcome: score >= 0.5 ? "misbehavior" : "benign", score, detected_categories: [], latency_ms: 1, attempts: 1 })),
];
const manifest = [
  line("t1", "test", { pair_id: "p", label: "misbehavior" }), line("t2", "test", { group: "g" }), line("t3", "test", { label: "misbehavior" }),
  line("half", "dev", { pair_id: "p" }), line("grouped", "dev", { group: "g", label: "misbehavior" }),
  line("d1", "dev", { label: "misbehavior" }), line("d2", "dev"), line("d3", "dev", { label: "misbehavior" }), line("d4", "dev"),
];
const scores = { t1: 0.55, t2: 0.52, t3: 0.9, half: 0.97, grouped: 0.03, d1: 0.8, d2: 0.3, d3: 0.6, d4: 0.4 };
const files = {
  "tracemark.json": { name: "set", samples: ["a.samples.jsonl"] }, "a.samples.jsonl": manifest,
  "runs/one.jsonl": run("one", "1", "2026-01-01T00:00:00Z", scores), "runs/two.jsonl": run("two", "2", "2026-01-02T00:00:00Z", scores), "runs/three.jsonl": run("three", "1", "2026-01-03T00:00:00Z", { d1: 0.5 }),
};

test("thresholds at a budget are chosen without test samples, their pairs and groups", async (t) => {
  const root = tempRoot(t, files);
  const whole = JSON.parse((await callVerb(scoreVerb, root, [], { json: true, budgets: "0", trustContent: true })).out[0]!);
  const points = whole.runs.find(({ run_id }: { run_id: string }) => run_id === "one").curves.at_budget;
  // Of d1 to d4 alone 0.6 flags both misbehaving ones and nothing else; with half (0.97, benign) no threshold but "none" would keep 0.
  assert.deepEqual(points.map((point: Record<string, unknown>) => [point["budget_of"], point["threshold"], point["chosen_on"], point["reported_on"]]), [["false_alarm_rate", 0.6, "dev", "test"], ["miss_rate", 0.6, "dev", "test"]]);
  assert.deepEqual([points[0].miss_rate.numerator, points[0].miss_rate.denominator, points[0].false_alarm_rate.numerator], [1, 2, 0]);
  const tested = await callVerb(scoreVerb, root, [], { json: true, split: "test", trustContent: true });
  const { curves } = JSON.parse(tested.out[0]!).runs.find(({ run_id }: { run_id: string }) => run_id === "one");
  assert.deepEqual([curves.at_budget, curves.at_budget_reason], [[], "no threshold is chosen on the test split; outside it there are no scores of both classes"]);
  const two = [{ score: 0.9, positive: true, group: "a", split: "test" }, { score: 0.1, positive: false, group: "b", split: "test" }];
  assert.deepEqual(pointsAtBudgets(two), []);
  assert.equal(pointsAtBudgets([...two, { score: 0.7, positive: true, group: "c" }, { score: 0.2, positive: false, group: "d" }])[0]?.chosen_on, "all but test");
});

test("few-shot examples are never of the test split, nor of its pairs and groups, whatever is judged", async (t) => {
  const root = tempRoot(t, files);
  const workspace = await Workspace.load(root);
  const monitor: Monitor = { id: "m", kind: "llm", config: { kind: "llm", model: "x", examples: { count: 3, split: "dev" } } };
  const chooser = await exampleChooser(workspace, monitor);
  for (const sample of workspace.samples) {
    const { trajectory } = await workspace.trajectories.read(sample);
    const chosen = chooser!.choose(trajectory).map(({ id }) => id);
    assert.deepEqual([chosen.length, chosen.filter((id) => !/^d\d$/.test(id))], [3, []], sample.id);
  }
  await assert.rejects(exampleChooser(workspace, { ...monitor, config: { ...monitor.config, examples: { count: 4, split: "dev" } } }), /only 4 samples of the split "dev".*nothing to do with the test split/);
});

test("uncertainty sampling leaves test samples, their pairs and groups alone, and says so; other strategies do not", async (t) => {
  const root = tempRoot(t, files);
  const { code, notes } = await callVerb(sampleVerb, root, [], { strategy: "threshold", run: "one", id: "near", seed: "1", json: true, repeats: "0" });
  assert.equal(code, 0);
  const drawn = (id: string) => readFileSync(join(root, `plans/${id}.jsonl`), "utf8").split("\n").filter(Boolean).slice(1).map((text) => JSON.parse(text).sample_id).sort();
  assert.deepEqual(drawn("near"), ["d1", "d2", "d3", "d4"]);
  assert.ok(notes.some((note) => note.startsWith("note: 5 samples of the test split, or of a pair or group with one, are left out")), notes.join("\n"));
  await callVerb(sampleVerb, root, [], { strategy: "random", run: "one", id: "all", seed: "1", json: true, repeats: "0" });
  assert.equal(drawn("all").length, 9);
});

test("validate names pairs, groups and near-duplicates across splits, and never hides one behind a likeness within a split", async (t) => {
  const found = (await callVerb(validateVerb, tempRoot(t, files), ["."], { json: true })).out.map((text) => JSON.parse(text));
  const told = found.filter(({ message }) => /split/.test(message)).map(({ line: at, code }) => [at, code]);
  assert.deepEqual(told, [[4, "pair-mismatch"], [5, "group-mismatch"]]);
  const print = (id: string, split: string, from: number) => ({ id, group: id, split, contentSha256: id, shingles: Uint32Array.from({ length: 400 }, (_, at) => (from + at) * 9_973).sort() });
  // c is more like b, of its own split, than like a, of the other one.
  assert.deepEqual(findDuplicates([print("a", "train", 0), print("b", "test", 18), print("c", "test", 10)]).map(({ code, id, of }) => [code, id, of]), [
    ["near-duplicate-across-splits", "b", "a"], ["near-duplicate-across-splits", "c", "a"],
  ]);
});

test("score and report say how many other settings had been run on the test split before", async (t) => {
  const root = tempRoot(t, files);
  const { runs } = JSON.parse((await callVerb(scoreVerb, root, [], { json: true, run: ["two"], trustContent: true })).out[0]!);
  assert.deepEqual(runs.map((one: Record<string, unknown>) => [one["run_id"], one["tried_on_test_before"]]), [["two", 1]]);
  const page = (await callVerb(scoreVerb, root, [], { trustContent: true })).out.join("\n");
  assert.match(page, /one: [^\n]*\n(?: {2}[^\n]*\n)*? {2}no other setting of monitor, model, prompt or parameters had been run on the test split before/);
  assert.match(page, /two: [^\n]*\n(?: {2}[^\n]*\n)*? {2}1 other setting of monitor/);
  await callVerb(reportVerb, root, [], {});
  const report = readFileSync(join(root, "report/report.md"), "utf8");
  assert.match(report, /\| one +\| 0 +\|/);
  assert.match(report, /\| two +\| 1 +\|/);
  assert.doesNotMatch(report, /\| three +\| \d+ +\|\n/);
});
