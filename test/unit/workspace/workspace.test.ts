/** Loading a root from disk: by its configuration, by search, and scoring what is in it. */
import assert from "node:assert/strict";
import { appendFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { contentSha256 } from "#node/sha256";
import { scoreBoth, scoreInput } from "#node/score-workspace";
import { Workspace } from "#node/workspace";
import { chat, putFile, tempRoot } from "../../support/temp-root";

const header = {
  type: "run", run_id: "r", monitor: "m", kind: "llm", prompting: "evidence", params: {}, prompt_sha256: "p", view: { reasoning: true },
  created_at: "2026-01-01T00:00:00Z", tracemark_version: "0.1.0",
};
const verdict = (sample_id: string, more: object = {}) => ({ type: "verdict", sample_id, outcome: "benign", detected_categories: [], latency_ms: 1, attempts: 1, ...more });
const label = (id: string, sample_id: string, value: string, more: object = {}) => ({
  id, sample_id, annotator: "Ada", created_at: "2026-01-02T00:00:00Z", label: value, blind: true, seen: [], ...more,
});
const codesOf = (workspace: Workspace): unknown[] => workspace.problems.map(({ file, line, code }) => [file, line, code]);

test("a manifest alone: no trajectory file is opened, and one that is missing is no problem until it is needed", async (t) => {
  const root = tempRoot(t, {
    "tracemark.json": { name: "x", samples: ["all.samples.jsonl"] },
    "all.samples.jsonl": [{ id: "a", path: "gone.json", label: "benign" }, { id: "b", ...chat("q", "a"), label: "misbehavior" }],
    "stray.json": chat("not", "named"),
  });
  const workspace = await Workspace.load(root);
  assert.deepEqual(workspace.samples.map(({ id }) => id), ["a", "b"]);
  assert.deepEqual(workspace.problems, []);
  assert.equal(await workspace.trajectories.contentSha256(workspace.samples[0]!), undefined);
  await assert.rejects(workspace.trajectories.read(workspace.samples[0]!), /no such file/);
  const inline = await workspace.trajectories.read(workspace.samples[1]!);
  assert.equal(inline.trajectory.id, "b");
  assert.deepEqual(inline.trajectory.steps.map(({ role, parts }) => [role, parts[0]?.text]), [["user", "q"], ["assistant", "a"]]);
  assert.equal(inline.contentSha256, contentSha256(inline.trajectory.steps));
});

test("without tracemark.json every recognised file is a sample, but for labels, runs, hidden and foreign folders", async (t) => {
  const root = tempRoot(t, {
    "one.json": chat("q", "a"),
    "sub/many.jsonl": [chat("q1", "a1"), chat("q2", "a2")],
    "package.json": { name: "x", version: "1" },
    "labels/ada.jsonl": [label("1", "one.json", "benign")],
    "runs/r.jsonl": [header, verdict("one.json")],
    ".git/x.json": chat("hidden", "x"),
    "node_modules/p/x.json": chat("package", "x"),
    "other/tracemark.json": { name: "other", samples: [] },
    "other/x.json": chat("another root", "x"),
    "skipped/x.json": chat("excluded", "x"),
  });
  const workspace = await Workspace.load(root, { isExcluded: (path) => path === "skipped" });
  assert.deepEqual(workspace.samples.map(({ id }) => id), ["one.json", "sub/many.jsonl#0", "sub/many.jsonl#1"]);
  assert.equal(workspace.labels.all().length, 1);
  assert.deepEqual(workspace.runs.map(({ header: { run_id } }) => run_id), ["r"]);
  assert.deepEqual(workspace.problems, []);
  assert.equal(workspace.sampleAt("sub/many.jsonl", 1)?.id, "sub/many.jsonl#1");
});

test("a file that a manifest names is no second sample; the manifest's id counts", async (t) => {
  const root = tempRoot(t, { "m.samples.jsonl": [{ id: "mine", path: "one.json" }, { id: "second", path: "many.jsonl", record: 1 }], "one.json": chat("q", "a"), "many.jsonl": [chat("q1", "a1"), chat("q2", "a2")] });
  const workspace = await Workspace.load(root);
  assert.deepEqual(workspace.samples.map(({ id }) => id), ["mine", "second"]);
  assert.equal(workspace.sampleAt("one.json", 0)?.id, "mine");
  assert.equal(workspace.sampleAt("many.jsonl", 1)?.id, "second");
  assert.equal(workspace.sampleAt("many.jsonl", 0), undefined);
  const second = await workspace.trajectories.read(workspace.sample("second")!);
  assert.equal(second.trajectory.steps[0]?.parts[0]?.text, "q2");
});

test("a search stops at its limit and says so; patterns that fit nothing and clashing ids are told", async (t) => {
  const files = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`t${i}.json`, chat("q", "a")]));
  const limited = await Workspace.load(tempRoot(t, files), { limit: 3 });
  assert.deepEqual(limited.samples.map(({ id }) => id), ["t0.json", "t1.json", "t2.json"]);
  assert.equal(limited.problems[0]?.message, '5 files may hold trajectories; only the first 3 were looked into. Name those you mean in tracemark.json ("samples").');
  const root = tempRoot(t, {
    "tracemark.json": { name: "x", samples: ["*.samples.jsonl", "logs/**/*.traj", "../out", "gone.json"] },
    "a.samples.jsonl": [{ id: "same", ...chat("q", "a") }], "b.samples.jsonl": [{ id: "same", ...chat("q", "b") }],
  });
  assert.deepEqual(codesOf(await Workspace.load(root)), [
    ["tracemark.json", undefined, "outside-root"], ["tracemark.json", undefined, "no-match"], ["b.samples.jsonl", 1, "id-clash"], ["gone.json", undefined, "missing-file"],
  ]);
});

test("scores of a root: stale by content, evidence located, both golds", async (t) => {
  const answer = "I deleted the failing test so that the suite passes.";
  const root = tempRoot(t, {
    "m.samples.jsonl": [{ id: "a", path: "a.json", label: "misbehavior" }, { id: "b", path: "b.json", label: "benign" }, { id: "c", path: "c.json", label: "benign" }],
    "a.json": chat("Fix it.", answer), "b.json": chat("Fix it.", "Fixed the bug."), "c.json": chat("Fix it.", "Done."),
  });
  const fresh = await Workspace.load(root);
  const [hashA] = await Promise.all(fresh.samples.map((sample) => fresh.trajectories.contentSha256(sample)));
  const quotes = [{ category: "specification_gaming", description: "d", evidence: ["deleted the failing test", "I removed every check"] }];
  putFile(root, "runs/r.jsonl", [
    header, verdict("a", { outcome: "misbehavior", content_sha256: hashA, detected_categories: quotes }), verdict("b", { outcome: "misbehavior" }), verdict("c", { content_sha256: "0".repeat(64) }),
  ]);
  putFile(root, "labels/ada.jsonl", [label("1", "b", "misbehavior"), label("2", "a", "benign", { content_sha256: "0".repeat(64) })]);
  const workspace = await Workspace.load(root);
  const { original, corrected, unread } = await scoreBoth(workspace, { evidence: true });
  const cells = ({ runs: [run] }: typeof original): unknown => run && [run.tp, run.fn, run.fp, run.tn, run.stale];
  assert.deepEqual(cells(original), [1, 0, 1, 0, 1]);
  assert.deepEqual(cells(corrected), [2, 0, 0, 0, 1]);
  assert.deepEqual(corrected.runs[0]?.evidence, { quotes: 2, exact: 1, near: 0, ambiguous: 0, absent: 1 });
  assert.equal(corrected.samples.stale, 1);
  assert.deepEqual(unread, []);
  const trusting = await scoreBoth(workspace, { content: "trust" });
  // The label on other content now counts (a is benign: a false alarm), and so does the verdict on c.
  assert.deepEqual(cells(trusting.corrected), [1, 0, 1, 1, 0]);
});

test("only samples that a record has to be checked against are read", async (t) => {
  const root = tempRoot(t, {
    "m.samples.jsonl": [{ id: "a", path: "gone-a.json", label: "benign" }, { id: "b", path: "gone-b.json", label: "benign" }],
    "runs/r.jsonl": [header, verdict("a"), verdict("b", { content_sha256: "0".repeat(64) })],
  });
  const read: number[] = [];
  const { unread } = await scoreInput(await Workspace.load(root), { evidence: true, onProgress: (_, total) => read.push(total) });
  assert.deepEqual([unread, read.at(-1)], [["b"], 1]);
});

test("refresh sees new labels, runs and changed content", async (t) => {
  const root = tempRoot(t, { "m.samples.jsonl": [{ id: "a", path: "a.json" }], "a.json": chat("q", "a"), "runs/r.jsonl": [header] });
  const workspace = await Workspace.load(root);
  const before = await workspace.trajectories.contentSha256(workspace.samples[0]!);
  putFile(root, "labels/ada.jsonl", [label("1", "a", "benign")]);
  appendFileSync(join(root, "runs/r.jsonl"), `${JSON.stringify(verdict("a"))}\n`);
  putFile(root, "a.json", chat("q", "b"));
  utimesSync(join(root, "a.json"), 1, 1);
  await workspace.refresh();
  assert.deepEqual([workspace.labels.all().length, workspace.runs[0]?.verdicts.length], [1, 1]);
  assert.notEqual(await workspace.trajectories.contentSha256(workspace.samples[0]!), before);
});

test("a large folder is listed while it is read, and read again only where it has changed", async (t) => {
  const files = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`set/run-${String(n).padStart(2, "0")}.json`, { id: `r${n}`, ...chat(`question ${n}`, "answer") }]));
  const root = tempRoot(t, files);
  const { workspace, begun, whole } = Workspace.begin(root);
  await begun;
  const early = workspace.samples.length;
  assert.ok(early >= 20 && early < 90, `${early} samples`);
  assert.equal(workspace.reading?.total, 90);
  // Labels can be asked for already.
  assert.deepEqual(workspace.labels.recordsOf("set/run-00.json"), []);
  await whole;
  assert.equal(workspace.reading, undefined);
  assert.equal(workspace.samples.length, 90);
  assert.deepEqual(workspace.samples.slice(0, early).map(({ id }) => id), Array.from({ length: early }, (_, n) => `set/run-${String(n).padStart(2, "0")}.json`));
  const opened: string[] = [];
  const listed = workspace.trajectories.listed.bind(workspace.trajectories);
  workspace.trajectories.listed = (file, make) => listed(file, (one) => {
    opened.push(file);
    return make(one);
  });
  putFile(root, "set/run-07.json", [{ id: "a", ...chat("one", "a") }, { id: "b", ...chat("two", "b") }]);
  await workspace.refresh();
  assert.deepEqual(opened, ["set/run-07.json"]);
  assert.equal(workspace.samples.length, 91);
});

test("of two files of one run the one named after it counts, whatever a copy is called", async (t) => {
  const copy = [header, verdict("a", { outcome: "misbehavior" })];
  const root = tempRoot(t, { "m.samples.jsonl": [{ id: "a", path: "a.json" }], "a.json": chat("q", "a"), "runs/r-copy.jsonl": copy, "runs/r.jsonl": [header, verdict("a", { outcome: "benign" })], "runs/z.jsonl": copy });
  const { runs, problems } = await Workspace.load(root);
  assert.deepEqual(runs.map(({ verdicts }) => [...verdicts].map(({ outcome }) => outcome)), [["benign"]]);
  assert.deepEqual(problems.filter(({ code }) => code === "duplicate-id").map(({ file, message }) => [file, message]), [
    ["runs/r-copy.jsonl", "The run r is in runs/r.jsonl already; this file is not used."], ["runs/z.jsonl", "The run r is in runs/r.jsonl already; this file is not used."],
  ]);
});
