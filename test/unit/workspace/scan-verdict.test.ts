/** The scanner of verdict lines: what it takes, the JSON parser and the schema read the same; what is not plain it leaves alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SlimVerdicts } from "#core/workspace/plain-verdict";
import { readRunFile, RunReader } from "#core/workspace/run-file";
import { VerdictScanner, verdictKeys } from "#core/workspace/scan-verdict";
import { VerdictRecord } from "#core/workspace/schemas";
import { randomFrom } from "../../support/fuzz/random";

const plain = { type: "verdict", sample_id: "a/b#1", outcome: "misbehavior", score: 0.25, detected_categories: [{ category: "c", description: "d \"q\" é", evidence: ["x", "y\n"], severity: "minor" }, { category: "e", description: "", evidence: [] }], raw: "{\"a\": [1]}", usage: { input_tokens: 12, output_tokens: 3, cost_usd: 0.01 }, votes: [{ m: null, n: [-1.5, true] }, {}], latency_ms: 12.5, attempts: 1 };
const header = { type: "run", run_id: "r", monitor: "m", kind: "llm", prompting: "direct", params: {}, prompt_sha256: "", view: { reasoning: true }, created_at: "2026-01-01T00:00:00Z", tracemark_version: "0" };
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const scanner = new VerdictScanner();
const scanned = (text: string) => {
  const bytes = bytesOf(`${text}\n`);
  const end = scanner.scan(bytes, 0, bytes.length);
  if (end < 0) return undefined;
  assert.equal(end, bytes.length - 1);
  const { idStart, idEnd, hashStart, hashEnd, ...rest } = scanner.found;
  const slice = (from: number, to: number) => new TextDecoder().decode(bytes.subarray(from, to));
  return { id: slice(idStart, idEnd), hash: hashEnd === 0 ? undefined : slice(hashStart, hashEnd), ...rest };
};

test("plain lines, by hand", () => {
  assert.deepEqual(scanned(JSON.stringify(plain)), { id: "a/b#1", hash: undefined, outcome: "misbehavior", score: 0.25, repeat: undefined, quotes: 2, trained: false });
  const benign = { type: "verdict", sample_id: "s", content_sha256: "ab12", outcome: "benign", detected_categories: [], repeat: 3, latency_ms: 0, attempts: 0 };
  assert.deepEqual(scanned(JSON.stringify(benign)), { id: "s", hash: "ab12", outcome: "benign", score: undefined, repeat: 3, quotes: -1, trained: false });
  assert.deepEqual([true, false].map((told) => scanned(JSON.stringify({ ...benign, trained_on_this: told }))?.trained), [true, false]);
  assert.equal(scanned(JSON.stringify({ ...benign, trained_on_this: "yes" })), undefined);
  assert.equal(scanned(JSON.stringify(benign, null, 0).replace(/,/g, ", ").replace(/:/g, ": "))?.id, "s");
  for (const score of [0, 1, 0.1, 0.123456789012345, 0.3, 0.07, 0.999999]) assert.equal(scanned(JSON.stringify({ ...plain, score }))?.score, score);
});

test("every member that the schema looks into is looked at", () => {
  // `raw` may be anything.
  assert.deepEqual([...verdictKeys, "raw"].sort(), Object.keys(VerdictRecord.shape).sort());
});

test("what is not plain is left to the parser", () => {
  const line = JSON.stringify(plain);
  const spoilt = [
    line.slice(0, -1), `${line} `, `${line}}`, ` ${line}`, line.replace("a/b#1", "a\\u0062"), line.replace("a/b#1", "é"), line.replace("0.25", "00.25"), line.replace("0.25", ".25"), line.replace("0.25", "2.5e-1"), line.replace("0.25", "0.12345678901234567"), line.replace("0.25", "1.25"), line.replace("0.25", "-0.25"), line.replace("0.25", "null"),
    line.replace('"attempts":1', '"attempts":"1"'), line.replace(',"attempts":1', ""), line.replace('"attempts":1', '"attempts":1,"attempts":2'), line.replace('"attempts":1', '"__proto__":1,"attempts":1'), line.replace('"misbehavior"', '"benign"'), line.replace('"misbehavior"', '"invalid"'), line.replace('"misbehavior"', '"maybe"'),
    line.replace('"evidence":[]', '"evidence":[1]'), line.replace('"category":"e",', ""), line.replace('"severity":"minor"', '"severity":1'), line.replace('\\"q\\"', "\\q"), line.replace("[-1.5,true]", "[-1.5,true,]"), line.replace("null", "nul"), line.replace('"cost_usd":0.01', '"cost_usd":"a"'), line.replace('"input_tokens":12,', ""), line.replace("é", "\u0007"), line.replace('"type":"verdict"', '"type":"run"'),
  ];
  for (const text of spoilt) assert.equal(scanned(text), undefined, text);
});

test("10,000 mutated lines: whatever the scanner takes, the parser and the schema read the same", () => {
  const random = randomFrom(11);
  const seeds = [JSON.stringify(plain), JSON.stringify({ ...plain, content_sha256: "ab", repeat: 1, cached: true, trained_on_this: true, reason: "x", created_at: "t" }), JSON.stringify({ type: "verdict", sample_id: "s", outcome: "invalid", reason: "bad \\ \u00e9", detected_categories: [], latency_ms: 3, attempts: 2 })];
  const scraps = ['"', "\\", "{", "}", "[", "]", ",", ":", "0", "1", "-", ".", "e", "null", "true", " ", "\n", "é", '"score":', "u00e9", '"a":1,'];
  let taken = 0;
  let beyondAscii = 0;
  for (let round = 0; round < 10_000; round++) {
    let text = seeds[Math.floor(random() * seeds.length)]!;
    for (let cuts = Math.floor(random() * 3); cuts > 0; cuts--) {
      const at = Math.floor(random() * text.length);
      text = text.slice(0, at) + (random() < 0.6 ? scraps[Math.floor(random() * scraps.length)]! : "") + text.slice(at + Math.floor(random() * 3));
    }
    const found = scanned(text);
    if (!found) continue;
    taken++;
    if (/[^\0-\x7f]/.test(text)) beyondAscii++;
    const record = VerdictRecord.parse(JSON.parse(text));
    const quotes = record.detected_categories.length === 0 ? -1 : record.detected_categories.reduce((sum, { evidence }) => sum + evidence.length, 0);
    assert.deepEqual(found, { id: record.sample_id, hash: record.content_sha256, outcome: record.outcome, score: record.score, repeat: record.repeat, quotes, trained: record.trained_on_this ?? false }, text);
  }
  assert.ok(taken > 3000 && beyondAscii > 1000, `${taken} were taken, ${beyondAscii} of them with more than ASCII`);
});

test("a file read by bytes gives the slim verdicts and problems that its text gives", () => {
  const verdict = (sample_id: string, outcome: string, more: object = {}) => JSON.stringify({ type: "verdict", sample_id, outcome, detected_categories: [], latency_ms: 1, attempts: 1, ...more });
  const lines = [JSON.stringify(header), verdict("a", "benign", { content_sha256: "h1" }), verdict("b", "invalid"), "", "no json", verdict("a", "misbehavior", { repeat: 1, score: 0.5 }), verdict("é", "benign"), verdict("a", "misbehavior", { content_sha256: "h1", detected_categories: plain.detected_categories }), verdict("c", "benign", { detected_categories: plain.detected_categories }), JSON.stringify(header), verdict("d", "benign", { score: 3 })];
  const slim = () => new SlimVerdicts("counts", ["a", "b", "c"]);
  const text = `${lines.join("\n")}\n{"type": "verd`;
  const reader = new RunReader("r.jsonl", slim());
  for (const one of lines) {
    const bytes = bytesOf(`..${one}\n..`);
    const end = reader.scan(bytes, 2, bytes.length - 2);
    if (end < 0) reader.push(one, true);
    else assert.equal(end, bytes.length - 3);
  }
  reader.push('{"type": "verd', false);
  const byBytes = reader.finish();
  assert.deepEqual(byBytes, readRunFile(text, "r.jsonl", slim()));
  assert.deepEqual(byBytes.run?.verdicts.map(({ sample_id, outcome, content_sha256 }) => [sample_id, outcome, content_sha256]), [["b", "invalid", undefined], ["a", "misbehavior", undefined], ["é", "benign", undefined], ["a", "misbehavior", "h1"], ["c", "benign", undefined]]);
  assert.deepEqual(byBytes.problems.map(({ code, line }) => [code, line]), [["bad-json", 5], ["bad-record", 11], ["torn-line", 12], ["second-run-header", 10], ["invalid-without-reason", 3], ["verdict-contradiction", 9]]);
});
