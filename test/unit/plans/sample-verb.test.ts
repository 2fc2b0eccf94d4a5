/** `tracemark sample`. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sampleVerb } from "../../../server/cli/verbs/sample";
import { validateVerb } from "../../../server/cli/verbs/validate";
import { chat, tempRoot } from "../../support/temp-root";
import { callVerb } from "../../support/verb-call";

const verdict = (sample_id: string, outcome: string, score: number) => ({ type: "verdict", sample_id, outcome, score, detected_categories: [], latency_ms: 1, attempts: 1 });
const run = { type: "run", run_id: "r", monitor: "m", kind: "recorded", prompting: "direct", params: {}, prompt_sha256: "", view: { reasoning: true }, created_at: "2026-01-01T00:00:00Z", tracemark_version: "0" };
const files = {
  "m.samples.jsonl": Array.from({ length: 8 }, (_, n) => ({ id: `s${n}`, label: n < 3 ? "misbehavior" : "benign", ...chat(`question ${n}`, "answer") })),
  "runs/r.jsonl": [run, ...Array.from({ length: 8 }, (_, n) => verdict(`s${n}`, n % 2 ? "misbehavior" : "benign", n % 2 ? 0.9 : 0.1))],
};

test("writes a plan that validates; the same seed gives the same samples", async (t) => {
  const root = tempRoot(t, files);
  const options = { strategy: "random", budget: "4", seed: "11", assign: "Ada,Bob", overlap: "0.5", json: true };
  const first = await callVerb(sampleVerb, root, [], { ...options, id: "one" });
  assert.deepEqual([first.code, first.notes.filter((note) => !note.startsWith("note: No repeats"))], [0, []]);
  const line = JSON.parse(first.out[0] ?? "");
  assert.deepEqual([line.file, line.samples, line.items, line.assigned, line.probability], ["plans/one.jsonl", 4, 6, { Ada: 3, Bob: 3 }, true]);
  assert.deepEqual(Object.keys(line.half_width), ["miss_rate", "false_alarm_rate"]);
  const second = await callVerb(sampleVerb, root, [], { ...options, id: "two" });
  assert.equal(second.code, 0);
  const items = (name: string): string => readFileSync(join(root, `plans/${name}.jsonl`), "utf8").split("\n").slice(1).join("\n");
  assert.equal(items("one"), items("two"));
  const checked = await callVerb(validateVerb, root, ["plans"], { json: true });
  assert.deepEqual([checked.code, checked.out], [0, []]);
  const again = await callVerb(sampleVerb, root, [], { ...options, id: "one" });
  assert.deepEqual([again.code, /there is a plan of this id already/.test(again.notes.at(-1) ?? "")], [2, true]);
});

test("false alarms and misses go by the run and the gold; a dry run writes nothing", async (t) => {
  const root = tempRoot(t, files);
  const alarms = await callVerb(sampleVerb, root, [], { strategy: "false-alarms", run: "r", dryRun: true, json: true });
  const line = JSON.parse(alarms.out[0] ?? "");
  assert.deepEqual([line.samples, line.file, line.half_width, line.run_id], [3, null, null, "r"]);
  assert.equal(existsSync(join(root, "plans")), false);
  const misses = await callVerb(sampleVerb, root, [], { strategy: "misses", json: true, dryRun: true });
  assert.equal(JSON.parse(misses.out[0] ?? "").samples, 2);
});

test("a dry run of strata by verdict tells what each way of sharing the budget buys", async (t) => {
  const root = tempRoot(t, files);
  const found = await callVerb(sampleVerb, root, [], { strategy: "stratified", by: "verdict", budget: "6", allocation: "equal", seed: "3", dryRun: true, json: true });
  const line = JSON.parse(found.out[0] ?? "");
  assert.deepEqual(line.strata, [{ id: "benign", N: 4, n: 3 }, { id: "misbehavior", N: 4, n: 3 }]);
  assert.deepEqual(line.allocations.map(({ allocation, n }: { allocation: string; n: number[] }) => [allocation, n]), [["equal", [3, 3]], ["proportional", [3, 3]], ["neyman", [3, 3]]]);
  assert.deepEqual(line.half_width, line.allocations[0].half_width);
  assert.ok(line.half_width.miss_rate > 0.05 && line.half_width.miss_rate < 0.6);
});

test("invalid and missing verdicts do not keep the widths of each allocation from being told", async (t) => {
  const lines = Array.from({ length: 24 }, (_, n) => ({ id: `s${n}`, label: n % 3 ? "benign" : "misbehavior", ...chat(`question ${n}`, "answer") }));
  // Ten flagged, ten passed, two invalid, two without a verdict.
  const verdicts = lines.slice(0, 22).map(({ id }, n) => ({ ...verdict(id, n < 10 ? "misbehavior" : n < 20 ? "benign" : "invalid", 0.5), ...(n < 20 ? {} : { score: undefined, reason: "timeout" }) }));
  const root = tempRoot(t, { "m.samples.jsonl": lines, "runs/r.jsonl": [run, ...verdicts] });
  const found = await callVerb(sampleVerb, root, [], { strategy: "stratified", by: "verdict", budget: "14", seed: "3", dryRun: true, json: true });
  const line = JSON.parse(found.out[0] ?? "");
  assert.deepEqual(line.strata.map(({ id, N }: { id: string; N: number }) => [id, N]), [["benign", 10], ["invalid", 2], ["misbehavior", 10], ["no-verdict", 2]]);
  assert.deepEqual(line.allocations.map(({ allocation, n }: { allocation: string; n: number[] }) => [allocation, n.reduce((sum, one) => sum + one, 0)]), [["equal", 14], ["proportional", 14], ["neyman", 14]]);
  const page = await callVerb(sampleVerb, root, [], { strategy: "stratified", by: "verdict", budget: "14", seed: "3", dryRun: true });
  assert.equal(page.out.join("\n").match(/^ {2}shared (equal|proportional|neyman): miss rate ± 0\.\d{3}/gm)?.length, 3);
});

test("where no gold is known the widths to be expected say that they are a guess, and of what", async (t) => {
  const ids = Array.from({ length: 300 }, (_, n) => `s${n}`);
  const root = tempRoot(t, {
    "m.samples.jsonl": ids.map((id) => ({ id, ...chat(`question ${id}`, "answer") })),
    "runs/r.jsonl": [run, ...ids.map((id, n) => verdict(id, n < 30 ? "misbehavior" : "benign", 0.5))],
  });
  const asked = { strategy: "stratified", by: "verdict", budget: "30", allocation: "equal", seed: "3", dryRun: true };
  const { out: [line = ""], notes } = await callVerb(sampleVerb, root, [], { ...asked, json: true });
  const { half_width: widths, notes: told } = JSON.parse(line) as { half_width: Record<string, number>; notes: string[] };
  // Most plans see no miss among 15 of 270 passed ones, which leaves up to 55 or so of them beside 15 caught: 0 to nearly 0.8.
  assert.ok(widths["miss_rate"]! > 0.35 && widths["miss_rate"]! < 0.45, String(widths["miss_rate"]));
  const guess = "no gold is known yet: the widths to be expected take 1 % of what the run passed and 50 % of the rest for misbehavior; judge some of each and ask again";
  assert.ok(told.includes(guess) && notes.includes(`note: ${guess}`));
  assert.equal(JSON.parse((await callVerb(sampleVerb, tempRoot(t, files), [], { ...asked, budget: "6", json: true })).out[0] ?? "").notes.includes(guess), false);
});

test("samples near the threshold of a test split are refused for being test samples", async (t) => {
  const root = tempRoot(t, { ...files, "m.samples.jsonl": files["m.samples.jsonl"].map((line) => ({ ...line, split: "test" })) });
  const { code, notes } = await callVerb(sampleVerb, root, [], { strategy: "threshold", run: "r", dryRun: true });
  assert.deepEqual([code, notes.at(-1)], [2, "error: all 8 samples that have a score are of the test split, or of a pair or group with one, and samples near the threshold are for learning; choose another split, or another strategy"]);
});

test("what cannot be drawn is said in words", async (t) => {
  const root = tempRoot(t, { ...files, "runs/q.jsonl": [{ ...run, run_id: "q" }] });
  for (const [options, words] of [
    [{}, "error: sample needs a strategy; give --strategy with one of random"],
    [{ strategy: "flagged" }, "error: the strategy flagged goes by the verdicts of a run; name it with --run: choose from q, r"],
    [{ strategy: "flagged", run: "x" }, "error: runs: no run has the id x; choose from q, r"],
    [{ strategy: "misses", run: "q" }, "error: no sample fits the strategy misses"],
    [{ strategy: "random", overlap: "0.5", assign: "A" }, "error: --overlap needs two annotators"],
    [{ strategy: "random", assign: "Ada,ada" }, "error: Ada and ada would share one label file"],
    [{ strategy: "random", budget: "0" }, "error: --budget cannot be 0; give a whole number from 1"],
    [{ strategy: "random", id: "../x" }, "error: the plan id \"../x\" cannot be a file name"],
  ] as const) {
    const { code, notes } = await callVerb(sampleVerb, root, [], options);
    assert.deepEqual([code, notes.at(-1)?.startsWith(words)], [2, true], notes.at(-1));
  }
});
