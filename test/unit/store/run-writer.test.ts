/** Writing and continuing run files on a real disk. */
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { RunHeader, VerdictRecord } from "#core/workspace/schemas";
import { verdictKey } from "#node/store/run-progress";
import { RunWriter } from "#node/store/run-writer";
import { StoreFailure } from "#node/store/store-failure";

const header: RunHeader = {
  type: "run", run_id: "r-1", monitor: "m", kind: "rules", prompting: "evidence", params: {}, prompt_sha256: "abc", view: { reasoning: true },
  created_at: "2026-01-01T00:00:00Z", tracemark_version: "0.1.0",
};
const verdict = (sample_id: string): VerdictRecord => ({ type: "verdict", sample_id, outcome: "benign", detected_categories: [], latency_ms: 1, attempts: 1 });

function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "tracemark-run-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "runs");
}
const failed = (code: string) => (error: unknown) => error instanceof StoreFailure && error.code === code;

test("header, prompt and verdicts are on disk when they are acknowledged", async (t) => {
  const runs = scratch(t);
  const writer = await RunWriter.create(runs, header, "You read logs.\n");
  assert.equal(readFileSync(join(runs, "prompts", "abc.txt"), "utf8"), "You read logs.\n");
  await Promise.all(["a", "b", "c"].map((id) => writer.append(verdict(id))));
  const lines = readFileSync(writer.path, "utf8").split("\n");
  assert.deepEqual(lines.slice(1, 4).map((line) => (JSON.parse(line) as VerdictRecord).sample_id), ["a", "b", "c"]);
  assert.deepEqual([JSON.parse(lines[0] ?? ""), lines[4]], [header, ""]);
  await writer.close();
  assert.deepEqual(readdirSync(runs).sort(), ["prompts", "r-1.jsonl"]);
});

test("a run that is there is not begun again, and a name that leaves the folder is refused", async (t) => {
  const runs = scratch(t);
  await (await RunWriter.create(runs, header)).close();
  await assert.rejects(RunWriter.create(runs, header), failed("exists"));
  await assert.rejects(RunWriter.create(runs, { ...header, run_id: "../r" }), failed("bad-record"));
});

test("a run that is being written cannot be continued by another, later it can; a torn line is cut off", async (t) => {
  const runs = scratch(t);
  const writer = await RunWriter.create(runs, header);
  await writer.append(verdict("a"));
  await assert.rejects(RunWriter.resume(writer.path), failed("locked"));
  await writer.close();
  appendFileSync(writer.path, '{"type":"verdict","sam');
  const again = await RunWriter.resume(writer.path);
  assert.deepEqual([...(again.before?.verdicts.keys() ?? [])], [verdictKey("a", 0)]);
  assert.deepEqual(again.problems.map(({ code }) => code), ["torn-line"]);
  await again.append(verdict("b"));
  await again.close();
  assert.deepEqual(readFileSync(writer.path, "utf8").trimEnd().split("\n").map((line) => (JSON.parse(line) as { sample_id?: string }).sample_id), [undefined, "a", "b"]);
});

test("a verdict of the wrong form is refused and nothing is written", async (t) => {
  const writer = await RunWriter.create(scratch(t), header);
  await assert.rejects(writer.append({ ...verdict("a"), score: 7 }), failed("bad-record"));
  await writer.close();
  assert.equal(readFileSync(writer.path, "utf8").split("\n").length, 2);
});
