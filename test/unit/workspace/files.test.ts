/** The files of a workspace as text: configuration, manifests, run files, patterns, pairs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createHash } from "node:crypto";
import { askedSamples, sampleIdsCanonical } from "#core/workspace/asked-samples";
import { checkLabels } from "#core/workspace/check-labels";
import { checkPairs } from "#core/workspace/check-pairs";
import { insidePath, readConfig } from "#core/workspace/config";
import { globMatcher, isGlob } from "#core/workspace/glob";
import { readManifest } from "#core/workspace/manifest";
import { readRunFile } from "#core/workspace/run-file";
import { LabelRecord, type RunHeader } from "#core/workspace/schemas";
import { builtInTaxonomy } from "#core/workspace/taxonomy";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const lines = (...values: unknown[]): string => values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)) + "\n").join("");
const codes = (problems: readonly { line?: number | undefined; code: string }[]): unknown[] => problems.map(({ line, code }) => [line, code]);

test("tracemark.json: defaults, folders inside the root, the taxonomy extended and replaced", () => {
  const { settings, problems } = readConfig(JSON.stringify({
    name: "mine", samples: ["a.samples.jsonl"], labels: "./people/labels/", runs: "../runs", gold: { overturn: "two" },
    taxonomy: [{ id: "sabotage", title: "Sabotage", description: "d" }, { id: "sycophancy_bias", title: "Flattery", description: "d" }],
  }), "tracemark.json");
  assert.equal(settings.labels, "people/labels");
  assert.equal(settings.runs, "runs");
  assert.equal(settings.overturn, "two");
  assert.deepEqual(settings.taxonomy.map(({ id, title }) => [id, title]), [
    ["safety_permission", "Safety & Permission Violations"], ["sycophancy_bias", "Flattery"], ["specification_gaming", "Specification Gaming"], ["sabotage", "Sabotage"],
  ]);
  assert.deepEqual(codes(problems), [[undefined, "outside-root"]]);
});

test("tracemark.json that cannot be used gives the defaults, and says where the fault is", () => {
  const broken = readConfig('{\n  "name": "x",\n  "samples": [}\n', "tracemark.json");
  assert.deepEqual(codes(broken.problems), [[3, "bad-json"]]);
  assert.equal(broken.settings.taxonomy, builtInTaxonomy);
  const wrong = readConfig('{"name": 3, "samples": []}', "tracemark.json");
  assert.equal(wrong.problems[0]?.message, "name: expected text. The file is not used; correct it.");
});

test("paths that stay inside", () => {
  assert.equal(insidePath("a/./b/../c.json"), "a/c.json");
  for (const path of ["../a", "a/../../b", "/etc/passwd", "C:\\x", "\\\\server\\x"]) assert.equal(insidePath(path), undefined, path);
});

test("patterns", () => {
  const fits = (pattern: string, path: string): boolean => globMatcher(pattern)(path);
  assert.ok(fits("**/*.traj", "a.traj") && fits("**/*.traj", "x/y/a.traj"));
  assert.ok(fits("logs/*.json", "logs/a.json") && !fits("logs/*.json", "logs/x/a.json"));
  assert.ok(fits("./logs/**", "logs/x/a.json") && !fits("logs/**", "other/a.json"));
  assert.ok(fits("a.{traj,eval}", "a.eval") && !fits("a.{traj,eval}", "a.json"));
  assert.ok(fits("run-[0-9]?.json", "run-12.json") && !fits("run-[!0-9].json", "run-1.json"));
  assert.ok(fits("a+b (1).json", "a+b (1).json") && !fits("a.json", "aXjson"));
  assert.deepEqual([isGlob("a.samples.jsonl"), isGlob("*.jsonl")], [false, true]);
});

test("a manifest: group by group, pair or itself; paths from its folder; bad lines named", () => {
  const { samples, problems } = readManifest(lines(
    { id: "a", path: "logs/a.traj", pair_id: "p", label: "misbehavior", own: 1 },
    { id: "b", path: "../b.jsonl", record: "r7", group: "g", pair_id: "p" },
    "",
    { id: "c", messages: [] },
    "{broken",
    { id: "a", path: "x" },
    { id: "d", path: "../../out.json" },
    { id: "e" },
    { id: "f", path: "x", label: "bad" },
  ), "bench/all.samples.jsonl");
  assert.deepEqual(samples.map(({ id, group, source }) => [id, group, source]), [
    ["a", "p", { file: "bench/logs/a.traj" }],
    ["b", "g", { file: "b.jsonl", record: "r7" }],
    ["c", "c", { file: "bench/all.samples.jsonl", record: 2 }],
    ["d", "d", { file: "bench/all.samples.jsonl", record: 5 }],
    ["e", "e", { file: "bench/all.samples.jsonl", record: 6 }],
  ]);
  assert.deepEqual(codes(problems), [[5, "bad-json"], [9, "bad-record"], [6, "duplicate-id"], [7, "sample-source"], [8, "sample-source"]]);
  assert.deepEqual(samples[0]?.manifest?.record["own"], 1, "unknown keys are kept");
});

const header: RunHeader = {
  type: "run", run_id: "r", monitor: "m", kind: "llm", prompting: "direct", params: {}, prompt_sha256: "p", view: { reasoning: true },
  created_at: "2026-01-01T00:00:00Z", tracemark_version: "0.1.0",
};
const verdict = (sample_id: string, more: object = {}) => ({ type: "verdict", sample_id, outcome: "benign", detected_categories: [], latency_ms: 1, attempts: 1, ...more });

test("a run file: the last line of a sample and repeat counts, a torn end is no record", () => {
  const { run, problems } = readRunFile(lines(
    header, verdict("a"), verdict("b"), verdict("a", { outcome: "misbehavior" }), verdict("b", { repeat: 1 }), verdict("c", { score: 2 }), header,
  ) + '{"type":"verdict","sam', "runs/r.jsonl");
  assert.deepEqual(run?.verdicts.map(({ sample_id, outcome, repeat }) => [sample_id, outcome, repeat]), [["b", "benign", undefined], ["a", "misbehavior", undefined], ["b", "benign", 1]]);
  assert.deepEqual(run?.lines, [3, 4, 5]);
  assert.equal(run?.replaced, 1);
  assert.deepEqual(codes(problems), [[6, "bad-record"], [8, "torn-line"], [7, "second-run-header"]]);
});

test("contradictions in verdicts are told, and the outcome stays", () => {
  const { run, problems } = readRunFile(lines(
    header, verdict("a", { detected_categories: [{ category: "x", description: "", evidence: [] }] }), verdict("b", { outcome: "invalid" }), verdict("c", { outcome: "invalid", reason: "timeout" }),
  ), "r.jsonl");
  assert.equal(run?.verdicts[0]?.outcome, "benign");
  assert.deepEqual(codes(problems), [[2, "verdict-contradiction"], [3, "invalid-without-reason"]]);
});

test("a run file without its header is not used", () => {
  const { run, problems } = readRunFile(lines(verdict("a")), "r.jsonl");
  assert.deepEqual([run, codes(problems)], [undefined, [[1, "no-run-header"]]]);
});

test("which samples a run was asked for, from the count and hash in its header", () => {
  const samples = [{ id: "c", split: "test" }, { id: "a", split: "dev" }, { id: "b", split: "test" }];
  const asked = (ids: string[], answered: string[] = [], selected?: string[]) => {
    const result = askedSamples({ ...header, samples: { count: ids.length, sha256: sha256(sampleIdsCanonical(ids)) } }, samples, answered, sha256, selected);
    return typeof result === "string" ? result : [...result].sort();
  };
  assert.equal(sampleIdsCanonical(["b", "a", "b"]), '["a","b"]');
  assert.equal(askedSamples(header, samples, [], sha256), "all");
  assert.deepEqual(asked(["a", "b", "c"]), ["a", "b", "c"]);
  assert.deepEqual(asked(["b", "c"]), ["b", "c"], "a split");
  assert.deepEqual(asked(["a", "c"]), ["a", "c"], "the first two");
  assert.deepEqual(asked(["c"]), ["c"], "the first of a split");
  assert.deepEqual(asked(["b"], ["b"]), ["b"], "what was answered");
  assert.deepEqual(asked(["a", "b"], [], ["b", "a"]), ["a", "b"], "what a pattern selects");
  assert.equal(asked(["a", "b"]), "unknown");
  assert.deepEqual(asked([]), [], "a run made by hand");
});

test("pairs: one of each label, alike in category, task and split; groups within one split", () => {
  const { samples } = readManifest(lines(
    { id: "a1", pair_id: "a", label: "misbehavior", category: "x", split: "dev", path: "p" },
    { id: "a2", pair_id: "a", label: "benign", category: "x", split: "dev", path: "p" },
    { id: "b1", pair_id: "b", label: "benign", category: "x", task: "qa", path: "p" },
    { id: "b2", pair_id: "b", label: "benign", category: "y", task: "qa", path: "p" },
    { id: "c1", pair_id: "c", path: "p" },
    { id: "d1", group: "d", split: "train", path: "p" },
    { id: "d2", group: "d", split: "test", path: "p" },
  ), "m.samples.jsonl");
  assert.deepEqual(codes(checkPairs(samples)), [[4, "bad-pair"], [4, "pair-mismatch"], [5, "bad-pair"], [7, "group-mismatch"]]);
  assert.equal(checkPairs(samples)[1]?.message, "The samples of pair b should have the same category; b1 has x, b2 has y.");
});

test("label records among themselves", () => {
  const record = (id: string, more: object) => ({ file: "labels/ada.jsonl", line: Number(id), record: LabelRecord.parse({ id, sample_id: "s", annotator: "Ada", created_at: "2026-01-01T00:00:00Z", label: "benign", blind: true, seen: [], ...more }) });
  const problems = checkLabels([
    record("1", {}), record("2", { supersedes: "1" }), record("3", { created_at: "soon" }), record("4", { supersedes: "gone" }),
    record("5", { supersedes: "1", sample_id: "other" }), record("6", { retracted: true }), record("7", { adjudicates: ["1", "gone"] }),
    record("8", { supersedes: "9" }), record("9", { supersedes: "8" }), record("10", { categories: ["specification_gaming", "typo"] }),
  ], builtInTaxonomy);
  assert.deepEqual(codes(problems), [
    [3, "bad-time"], [4, "unknown-record"], [5, "bad-reference"], [6, "bad-reference"], [7, "unknown-record"], [8, "bad-reference"], [9, "bad-reference"], [10, "unknown-category"],
  ]);
});

test("a manifest's key that is the name of something inherited is a key like any other", () => {
  for (const key of ["__proto__", "__defineGetter__", "constructor"]) {
    const { samples, problems } = readManifest(`{"id":"a","path":"a.json","${key}":1}\n{"id":"b","path":"b.json"}\n`, "set.samples.jsonl");
    assert.deepEqual([samples.map(({ id }) => id), problems], [["a", "b"], []], key);
  }
});
