/** `tracemark score`: lines for machines, a page for people, failures in words. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { FullReport } from "#core/scoring/full-report";
import type { ScoreReport } from "#core/scoring/report";
import { scoreVerb } from "../../../server/cli/verbs/score";
import { textTable } from "../../../server/cli/text-table";
import { chat, putFile, tempRoot } from "../../support/temp-root";
import { callVerb } from "../../support/verb-call";

const header = {
  type: "run", run_id: "r1", monitor: "guard", kind: "llm", model: "model-x", prompting: "evidence", params: {}, prompt_sha256: "p", view: { reasoning: true },
  created_at: "2026-01-01T00:00:00Z", tracemark_version: "0.1.0",
};
const verdict = (sample_id: string, outcome: string, more: object = {}) => ({ type: "verdict", sample_id, outcome, detected_categories: [], latency_ms: 1, attempts: 1, ...more });

/** Four samples: m1 caught, m2 missed, b1 flagged, b2 invalid; Ada saw the verdict on b1 and calls it misbehavior. */
function root(t: TestContext): string {
  const sample = (id: string, label: string, split: string) => ({ id, label, split, category: "specification_gaming", task: "code", ...chat("q", `a of ${id}`) });
  return tempRoot(t, {
    "tracemark.json": { name: "Small", samples: ["m.samples.jsonl"] },
    "m.samples.jsonl": [sample("m1", "misbehavior", "test"), sample("m2", "misbehavior", "dev"), sample("b1", "benign", "test"), sample("b2", "benign", "test")],
    "runs/r1.jsonl": [
      header,
      verdict("m1", "misbehavior", { detected_categories: [{ category: "specification_gaming", description: "d", evidence: ["a of m1", "nowhere to be found"] }] }),
      verdict("m2", "benign"), verdict("b1", "misbehavior"), verdict("b2", "invalid", { reason: "timeout" }),
    ],
    "labels/ada.jsonl": [{ id: "1", sample_id: "b1", annotator: "Ada", created_at: "2026-01-02T00:00:00Z", label: "misbehavior", blind: false, seen: ["verdict"], run_id: "r1" }],
  });
}
const reports = (lines: string[]): ScoreReport[] => lines.map((line) => JSON.parse(line) as ScoreReport);
const cells = ({ runs: [run] }: ScoreReport): unknown => run && [run.tp, run.fn, run.fp, run.tn];

test("--json prints one line, on the corrected gold; --gold both prints the original first", async (t) => {
  const folder = root(t);
  const one = await callVerb(scoreVerb, folder, [], { json: true });
  assert.deepEqual([one.code, one.out.length, one.notes], [0, 1, []]);
  const [corrected] = reports(one.out);
  assert.equal(corrected?.gold, "corrected");
  assert.deepEqual(cells(corrected!), [2, 1, 0, 0]);
  assert.deepEqual(corrected?.runs[0]?.evidence, { quotes: 2, exact: 1, near: 0, ambiguous: 0, absent: 1 });
  assert.deepEqual(corrected?.runs[0]?.false_alarm_rate, { value: null, low: null, high: null, numerator: 0, denominator: 0, worst: 1, bounds: { low: 0, high: 1, unusable: 1 }, reason: "no valid verdict on a sample whose gold is benign" });
  assert.deepEqual(Object.keys(corrected?.runs[0]?.by ?? {}), ["category", "task"]);
  const both = reports((await callVerb(scoreVerb, folder, [], { json: true, gold: "both" })).out);
  assert.deepEqual(both.map(({ gold }) => gold), ["original", "corrected"]);
  assert.deepEqual(cells(both[0]!), [1, 1, 1, 0]);
});

test("options: blind labels, a split, a breakdown, a base rate, chosen runs, no evidence", async (t) => {
  const folder = root(t);
  const scored = async (options: Record<string, unknown>): Promise<ScoreReport> => reports((await callVerb(scoreVerb, folder, [], { json: true, ...options })).out)[0]!;
  assert.deepEqual(cells(await scored({ labels: "blind" })), [1, 1, 1, 0]);
  assert.deepEqual((await scored({ split: "dev" })).samples.total, 1);
  assert.deepEqual(Object.keys((await scored({ by: "task" })).runs[0]?.by ?? {}), ["task"]);
  // Original gold: caught 1 of 2, flagged 1 of 1: 0.5 * 0.1 / (0.5 * 0.1 + 1 * 0.9).
  assert.equal((await scored({ gold: "original", baseRate: "0.1" })).runs[0]?.precision?.value?.toFixed(9), (0.05 / 0.95).toFixed(9));
  assert.deepEqual((await scored({ run: ["r1"] })).runs.length, 1);
  assert.deepEqual((await scored({ evidence: false })).runs[0]?.evidence, { quotes: 2, exact: 0, near: 0, ambiguous: 0, absent: 0, unread: 2 });
});

test("the page shows both golds side by side, what it was, what was reviewed and the warning", async (t) => {
  const { out, code } = await callVerb(scoreVerb, root(t), [], {});
  assert.equal(code, 0);
  const page = out.join("\n");
  const table = page.split("\n\n")[1]?.split("\n").map((line) => line.replace(/ {2,}/g, " | "));
  assert.deepEqual(table, [
    "run | gold | miss rate | false alarm rate | TP | FN | FP | TN | invalid | missing | stale",
    "r1 | original | 0.50 [0.09, 0.91] | 1.00 [0.21, 1.00] | 1 | 1 | 1 | 0 | 1 | 0 | 0",
    " | corrected | 0.33 [0.06, 0.79] (was 0.50) | - (was 1.00) | 2 | 1 | 0 | 0 | 1 | 0 | 0",
  ]);
  assert.match(page, /^Small: 4 samples\n {2}original {2}2 misbehavior, 2 benign\n {2}corrected 3 misbehavior, 1 benign$/m);
  assert.match(page, /1 invalid verdict left out \(0 misbehavior, 1 benign\); counted against it: miss rate 0\.33, false alarm rate 1\.00/);
  assert.match(page, /reviewed 1 of 2 TP, 0 of 1 FN, 0 of 0 FP, 0 of 0 TN/);
  assert.match(page, /^! Reviewed 1 of 2 flagged and 0 of 1 unflagged verdicts of r1: the miss rate cannot be judged from these labels\./m);
});

test("--json carries the details of each run, promptings compared, and a published matrix beside them", async (t) => {
  const folder = root(t);
  putFile(folder, "runs/r2.jsonl", [{ ...header, run_id: "r2", prompting: "direct" }, verdict("m1", "misbehavior", { score: 0.9 }), verdict("m2", "benign", { score: 0.4 }), verdict("b1", "benign", { score: 0.5 }), verdict("b2", "benign", { score: 0.1 })]);
  putFile(folder, "published.csv", "trained_on,tested_on,metric,value,source\nbase,a,MR,0.5,x\nbase,a,FAR,0.25,x\na,a,MR,0.1,x\na,a,FAR,0.2,x\na,a,AUC,0.2,x\n");
  const { out, notes, code } = await callVerb(scoreVerb, folder, [], { json: true, gold: "original", reference: "published.csv", budgets: "0.5", seed: "3" });
  assert.equal(code, 0);
  assert.deepEqual(notes, ["warning: published.csv:6: The line is not used: it needs two names, MR or FAR, and a share from 0 to 1."]);
  const report = JSON.parse(out[0] ?? "") as FullReport;
  assert.equal(report.seed, 3);
  const [r1, r2] = report.runs;
  // Scores 0.9 and 0.4 against 0.5 and 0.1: three of four comparisons.
  assert.equal(r2?.curves?.roc_area?.value, 0.75);
  // All but one lie in the test split, on which no threshold is chosen.
  assert.deepEqual([r2?.curves?.at_budget, r2?.curves?.at_budget_reason], [[], "no threshold is chosen on the test split; outside it there are no scores of both classes"]);
  assert.deepEqual(r1?.faithfulness?.shares, { exact: 0.5, near: 0, ambiguous: 0, absent: 0.5 });
  assert.deepEqual([r1?.repeats, r1?.curves], [{ draws: 1 }, undefined]);
  assert.deepEqual(report.prompting.map(({ model, direct, evidence, all }) => [model, direct, evidence, all.difference.false_alarm_rate.value]), [["model-x", "r2", "r1", 1]]);
  assert.deepEqual(report.reference?.rows.map(({ trained_on, cells: row }) => [trained_on, row[0]?.youden_j, row[0]?.in_distribution]), [[[], 0.25, false], [["a"], 0.7, true]]);
  const page = (await callVerb(scoreVerb, folder, [], { reference: "published.csv" })).out.join("\n");
  assert.match(page, /^model-x: evidence \(r1\) minus direct \(r2\)$/m);
  assert.match(page, /^untrained +0\.50\/0\.25\/0\.25$/m);
  assert.match(page, /Brier 0\.\d\d \(0\.\d\d without skill\)/);
});

test("the same seed gives the same bytes", async (t) => {
  const folder = root(t);
  const once = (await callVerb(scoreVerb, folder, [], { json: true, gold: "both", seed: "5" })).out;
  assert.deepEqual((await callVerb(scoreVerb, folder, [], { json: true, gold: "both", seed: "5" })).out, once);
});

test("labels on a plan give estimates, on the page as interim", async (t) => {
  const folder = root(t);
  putFile(folder, "plans/p.jsonl", [
    { type: "plan", plan_id: "p", run_id: "r1", strategy: "random", probability: true, seed: 1, frame_sha256: "f", strata: [{ id: "all", N: 4, n: 3 }], created_at: "2026-01-01T00:00:00Z" },
    ...["b1", "m1", "m2"].map((sample_id) => ({ sample_id, stratum: "all", inclusion_prob: 0.75 })),
  ]);
  const [report] = reports((await callVerb(scoreVerb, folder, [], { json: true })).out);
  const estimate = report?.runs[0]?.estimates?.["p"];
  assert.deepEqual([estimate?.judged, estimate?.planned, estimate?.interim, estimate?.label_noise.value, estimate?.prevalence.value], [1, 3, true, 1, 1]);
  assert.match((await callVerb(scoreVerb, folder, [], {})).out.join("\n"), /^ {2}plan p, interim, 1 of 3 judged, for 4 samples: miss rate 0\.000/m);
});

test("what cannot be done is one sentence and exit 2", async (t) => {
  const folder = root(t);
  const said = async (options: Record<string, unknown>, where = folder): Promise<string> => {
    const { code, out, notes } = await callVerb(scoreVerb, where, [], options);
    assert.deepEqual([code, out.length, notes.length], [2, 0, 1]);
    return notes[0] ?? "";
  };
  assert.equal(await said({ run: ["nope"] }), "error: runs: no run has the id nope; choose from r1");
  assert.equal(await said({ gold: "silver" }), "error: --gold cannot be silver; use corrected or original or both");
  assert.equal(await said({ baseRate: "1" }), "error: --base-rate cannot be 1; give a number between 0 and 1");
  assert.equal(await said({ by: "colour" }), "error: --by cannot be colour; use category, task, category_task, prompting, source, split, with commas between");
  assert.equal(await said({ budgets: "0.1,2" }), "error: --budgets cannot be 2; give rates from 0 to below 1, with commas between");
  assert.equal(await said({ reference: "gone.csv" }), "error: gone.csv: there is no such file or folder; check the path");
  assert.match(await said({}, tempRoot(t, {})), /^error: .*: there are no samples; name them in tracemark\.json/);
});

test("problems of the files are told on standard error and cost only themselves", async (t) => {
  const folder = root(t);
  putFile(folder, "labels/bob.jsonl", "not json\n");
  const { code, notes, out } = await callVerb(scoreVerb, folder, [], { json: true });
  assert.deepEqual([code, out.length], [0, 1]);
  assert.deepEqual(notes, ["warning: labels/bob.jsonl:1: The line is not JSON (not json); it is not used. Correct or delete it. [bad-json]"]);
});

test("a table aligns words to the left and numbers to the right, and drops empty columns", () => {
  assert.equal(textTable([["name", "", "n"], ["a", "", "10"], ["bcdef", "", "9"]]), "name    n\na      10\nbcdef   9");
});
