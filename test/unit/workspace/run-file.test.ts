/** Run files: the quick way through plain lines says the same as the schema, and slim verdicts keep what scoring needs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isPlainVerdict, SlimVerdicts } from "#core/workspace/plain-verdict";
import { readRunFile } from "#core/workspace/run-file";
import { VerdictRecord } from "#core/workspace/schemas";

const plain = { type: "verdict", sample_id: "a", outcome: "misbehavior", score: 0.5, detected_categories: [{ category: "c", description: "d", evidence: ["q"], own: 1 }], latency_ms: 1, attempts: 1, usage: { input_tokens: 1, output_tokens: 2 }, another: null };
const header = { type: "run", run_id: "r", monitor: "m", kind: "llm", prompting: "direct", params: {}, prompt_sha256: "", view: { reasoning: true }, created_at: "2026-01-01T00:00:00Z", tracemark_version: "0" };
const text = (...lines: unknown[]): string => lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");

test("what is called plain the schema takes as it is; every field spoilt is left to the schema, which refuses it", () => {
  assert.ok(isPlainVerdict(plain));
  assert.deepEqual(VerdictRecord.parse(plain), plain);
  const spoilt: object[] = [
    { type: "run" }, { sample_id: 1 }, { outcome: "maybe" }, { score: 1.5 }, { score: -0.1 }, { score: "0.5" }, { detected_categories: {} }, { detected_categories: [null] }, { detected_categories: [{ category: "c", description: "d" }] },
    { detected_categories: [{ category: "c", description: "d", evidence: [1] }] }, { detected_categories: [{ category: "c", description: "d", evidence: [], severity: 1 }] }, { latency_ms: "1" }, { latency_ms: undefined }, { attempts: null }, { content_sha256: 1 },
    { reason: null }, { created_at: 5 }, { model_returned: [] }, { fingerprint: 1 }, { finish_reason: false }, { cached: "yes" }, { repeat: "0" }, { usage: [] }, { usage: { input_tokens: 1 } }, { usage: { input_tokens: 1, output_tokens: 1, cost_usd: "1" } },
  ];
  for (const change of spoilt) {
    const line: object = { ...plain, ...change };
    assert.equal(isPlainVerdict(line), false, JSON.stringify(change));
    assert.equal(VerdictRecord.safeParse(line).success, false, JSON.stringify(change));
  }
});

test("the last line of a sample and repeat counts, in its own place; problems carry their lines; nothing before a header counts", () => {
  const verdict = (sample_id: string, outcome: string, more: object = {}) => ({ ...plain, score: undefined, sample_id, outcome, detected_categories: [], ...more });
  const lines = text(header, verdict("a", "benign"), verdict("b", "invalid"), "  ", "not json", verdict("a", "misbehavior", { repeat: 1 }), header, verdict("a", "misbehavior"), verdict("c", "benign", { detected_categories: plain.detected_categories }), { ...verdict("d", "benign"), score: 2 });
  const { run, problems } = readRunFile(lines, "r.jsonl");
  assert.deepEqual(run?.verdicts.map(({ sample_id, outcome, repeat }) => [sample_id, outcome, repeat]), [["b", "invalid", undefined], ["a", "misbehavior", 1], ["a", "misbehavior", undefined], ["c", "benign", undefined]]);
  assert.deepEqual([run?.lines, run?.replaced], [[3, 6, 8, 9], 1]);
  assert.deepEqual(problems.map(({ code, line }) => [code, line]), [["bad-json", 5], ["bad-record", 10], ["second-run-header", 7], ["invalid-without-reason", 3], ["verdict-contradiction", 9]]);
  const slim = readRunFile(lines, "r.jsonl", new SlimVerdicts("counts"));
  assert.deepEqual(slim.problems, problems);
  assert.deepEqual(slim.run?.verdicts.map(({ sample_id, outcome, repeat, detected_categories }) => [sample_id, outcome, repeat, detected_categories.flatMap(({ evidence }) => evidence).length]), [["b", "invalid", undefined, 0], ["a", "misbehavior", 1, 0], ["a", "misbehavior", undefined, 0], ["c", "benign", undefined, 1]]);
  assert.deepEqual(readRunFile(text(verdict("a", "benign"), header), "r.jsonl").problems.map(({ code }) => code), ["no-run-header"]);
  assert.equal(readRunFile("", "r.jsonl").run, undefined);
  const torn = readRunFile(`${text(header, verdict("a", "benign"))}{"type": "ver`, "r.jsonl");
  assert.deepEqual([torn.run?.verdicts.length, torn.problems.map(({ code, line }) => [code, line])], [1, [["torn-line", 3]]]);
});
