/** `tracemark validate`: every kind of file, the line to blame, exit codes. */
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import type { FileProblem } from "#core/workspace/file-problem";
import { Workspace } from "#node/workspace";
import { validateVerb } from "../../../server/cli/verbs/validate";
import { projectRoot, sharedFile } from "../../support/shared";
import { chat, putFile, tempRoot } from "../../support/temp-root";
import { callVerb } from "../../support/verb-call";

async function validate(cwd: string, ...paths: string[]): Promise<{ code: number; found: unknown[]; problems: FileProblem[] }> {
  const { code, out } = await callVerb(validateVerb, cwd, paths, { json: true });
  const problems = out.map((line) => JSON.parse(line) as FileProblem);
  return { code, problems, found: problems.map(({ file, line, code: problem }) => [file, line, problem]) };
}
const header = {
  type: "run", run_id: "r", monitor: "m", kind: "llm", prompting: "evidence", params: {}, prompt_sha256: "p", view: { reasoning: true },
  created_at: "2026-01-01T00:00:00Z", tracemark_version: "0.1.0",
};
const verdict = (sample_id: string, more: object = {}) => ({ type: "verdict", sample_id, outcome: "benign", detected_categories: [], latency_ms: 1, attempts: 1, ...more });
const record = (id: string, more: object = {}) => ({ id, sample_id: "a", annotator: "Ada", created_at: "2026-01-02T00:00:00Z", label: "benign", blind: true, seen: [], ...more });
const span = (more: object = {}) => ({ step: 1, part: "text", part_index: 0, start: 2, end: 7, exact: "fixed", prefix: "I ", suffix: " it.", ...more });

test("our own samples are clean", async () => {
  const { code, problems } = await validate(projectRoot, "samples");
  assert.deepEqual([code, problems], [0, []]);
});

test("a root with something wrong in every kind of file", async (t) => {
  const root = tempRoot(t, {
    "tracemark.json": { name: "x", samples: ["m.samples.jsonl"], guidelines: "gone.md", monitors: { g: { kind: "llm", prompt: "gone.txt" } } },
    "m.samples.jsonl": [
      { id: "a", path: "a.json", label: "misbehavior", pair_id: "p", category: "made_up", spans: [span({ exact: "fixes" })] },
      { id: "b", path: "missing.json", label: "misbehavior", pair_id: "p", category: "made_up" },
      { id: "c", path: "a.json", messages: [] },
    ],
    "a.json": chat("Fix it.", "I fixed it."),
    "labels/ada.jsonl": [
      record("1", { spans: [span()] }), record("2", { supersedes: "1", spans: [span({ start: 3, end: 8 })] }), record("3", { sample_id: "gone" }),
      record("4", { content_sha256: "0".repeat(64), spans: [span({ exact: "stale, so not looked at" })] }), record("5", { spans: [span({ step: 9 }), span({ part: "reasoning" })] }),
    ],
    "runs/other-name.jsonl": [header, verdict("a"), verdict("gone"), verdict("a", { content_sha256: "0".repeat(64) })],
    "plans/p.jsonl": [{ sample_id: "a", inclusion_prob: 2 }],
  });
  const { code, found, problems } = await validate(root, ".");
  assert.equal(code, 1);
  assert.deepEqual(found, [
    ["labels/ada.jsonl", 2, "span-mismatch"], ["labels/ada.jsonl", 3, "unknown-sample"], ["labels/ada.jsonl", 4, "stale-label"],
    ["labels/ada.jsonl", 5, "span-no-step"], ["labels/ada.jsonl", 5, "span-no-part"],
    ["m.samples.jsonl", 1, "unknown-category"], ["m.samples.jsonl", 1, "span-mismatch"], ["m.samples.jsonl", 2, "bad-pair"],
    ["m.samples.jsonl", 2, "unknown-category"], ["m.samples.jsonl", 2, "unreadable-sample"], ["m.samples.jsonl", 3, "sample-source"],
    ["plans/p.jsonl", 1, "bad-record"], ["plans/p.jsonl", 1, "no-plan-header"],
    ["runs/other-name.jsonl", 1, "run-name"], ["runs/other-name.jsonl", 3, "unknown-sample"], ["runs/other-name.jsonl", 4, "stale-verdict"],
    ["tracemark.json", undefined, "missing-file"], ["tracemark.json", undefined, "missing-file"],
  ].filter(Boolean));
  assert.ok(problems.every(({ message }) => message.length > 10));
});

test("single files: only what is theirs is told, and a file that is fine exits 0", async (t) => {
  const root = tempRoot(t, {
    "tracemark.json": { name: "x", samples: ["m.samples.jsonl"] },
    "m.samples.jsonl": [{ id: "a", path: "a.json" }], "a.json": chat("Fix it.", "I fixed it."),
    "labels/ada.jsonl": [record("1", { spans: [span()] })], "labels/bob.jsonl": "torn",
    "exported.jsonl": [record("9", { sample_id: "nobody", annotator: "Cy" })],
    "elsewhere.jsonl": [header, verdict("nobody")],
  });
  assert.deepEqual(await validate(root, "labels/ada.jsonl", "a.json", "m.samples.jsonl", "tracemark.json"), { code: 0, found: [], problems: [] });
  assert.deepEqual((await validate(root, "labels")).found, [["labels/bob.jsonl", 1, "torn-line"]]);
  assert.deepEqual((await validate(root, "exported.jsonl")).found, [["exported.jsonl", 1, "unknown-sample"]]);
  assert.deepEqual((await validate(root, "elsewhere.jsonl")).found, [["elsewhere.jsonl", 1, "run-name"], ["elsewhere.jsonl", 2, "unknown-sample"]]);
});

test("a record whose sample was renamed is told the new id when its content fits exactly one", async (t) => {
  const root = tempRoot(t, { "m.samples.jsonl": [{ id: "new", ...chat("q", "a") }, { id: "other", ...chat("q", "b") }] });
  const workspace = await Workspace.load(root);
  const hash = await workspace.trajectories.contentSha256(workspace.sample("new")!);
  putFile(root, "labels/ada.jsonl", [record("1", { sample_id: "old", content_sha256: hash })]);
  const { problems } = await validate(root, ".");
  assert.deepEqual(problems.map(({ message }) => message), ["There is no sample old; its content is that of new, which may be its new id."]);
});

test("a damaged trajectory names its line; an unknown file and a missing one say so", async (t) => {
  const root = tempRoot(t, { "log.jsonl": `${JSON.stringify(chat("q", "a"))}\n{"messages": [{"role": "us\n${JSON.stringify(chat("q", "b"))}\n`, "notes.json": '{"a": 1}' });
  const damaged = await validate(root, "log.jsonl");
  assert.equal(damaged.code, 1);
  assert.ok(damaged.problems.some(({ line, code }) => line === 2 && code.startsWith("damaged")), JSON.stringify(damaged.problems));
  assert.equal((await validate(root, "notes.json")).code, 1);
  const missing = await callVerb(validateVerb, root, ["gone.json"], { json: true });
  assert.deepEqual([missing.code, missing.notes], [2, ["error: gone.json: there is no such file or folder; check the path"]]);
});

test("a real log is clean", async (t) => {
  const file = sharedFile(t, "trajectories/swe-agent/function_calling_simple.traj") ?? "";
  if (file === "") return;
  assert.equal((await validate(resolve(file, ".."), file)).code, 0);
});
