/** Manifests: samples in the line and in other files, fields kept, paths that lead out refused; and the ids of samples. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openPath } from "#node/open";
import { sampleIds } from "#core/trajectory/ids";
import { loadAll } from "../formats/reading";

const chat = JSON.stringify({ messages: [{ role: "user", content: "in file" }] });
const json = JSON.stringify;

test("samples from lines, files and records; what cannot be read names its line", async (t) => {
  const outer = mkdtempSync(join(tmpdir(), "tracemark-manifest-"));
  t.after(() => rmSync(outer, { recursive: true }));
  const root = join(outer, "root");
  mkdirSync(join(root, "sets"), { recursive: true });
  mkdirSync(join(root, "logs"));
  writeFileSync(join(root, "tracemark.json"), "{}");
  writeFileSync(join(outer, "secret.json"), chat);
  writeFileSync(join(root, "logs", "one.json"), chat);
  writeFileSync(join(root, "logs", "many.jsonl"), `${chat}\n${json({ id: "x", messages: [{ role: "user", content: "second" }] })}\n`);
  symlinkSync(join(outer, "secret.json"), join(root, "logs", "link.json"));
  const atif = { schema_version: "ATIF-v1.5", session_id: "s", agent: { name: "a", version: "1" }, steps: [{ step_id: 1, source: "agent", message: "m", tool_calls: [{ tool_call_id: "c", function_name: "f", arguments: {} }] }] };
  const rows = [
    json({ id: "a", path: "../logs/one.json", label: "benign", pair_id: "p", category: "sycophancy_bias", spans: [] }), json({ id: "b", path: "../logs/many.jsonl", record: "x", label: "misbehavior", label_origin: "authors" }),
    json({ id: "c", path: "../logs/many.jsonl", record: 0 }), "", json({ id: "d", messages: [{ role: "assistant", content: "hi" }], task: "qa", score: 1 }), json({ id: "e", trajectory: atif }).replace('"arguments":{}', '"arguments":{"n":1.0}'),
    json({ id: "f", path: "../../secret.json" }), json({ id: "g", path: "../logs/link.json" }), json({ id: "h", path: "/etc/passwd" }), json({ id: "i", path: "../logs/many.jsonl", record: 9 }), json({ id: "j", path: "nope.json" }),
    json({ id: "k" }), json({ messages: [] }), '{"id": "l"',
  ];
  writeFileSync(join(root, "sets", "s.samples.jsonl"), rows.join("\n"));
  const { file, relativePath } = await openPath(join(root, "sets", "s.samples.jsonl"), { root: outer });
  assert.equal(relativePath, "sets/s.samples.jsonl");
  assert.equal(file.format?.id, "manifest");
  assert.deepEqual(file.ids, ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "sets/s.samples.jsonl#k", "sets/s.samples.jsonl#11", "sets/s.samples.jsonl#12"]);
  assert.deepEqual(file.opened.heads[0]!.sample, { id: "a", path: "../logs/one.json", label: "benign", pair_id: "p", category: "sycophancy_bias", spans: [] });
  const all = loadAll(file);
  assert.deepEqual(all.slice(0, 5).map((one) => [one.format, one.label, one.steps[0]!.parts[0]!.text]), [
    ["openai-chat", "benign", "in file"], ["openai-chat", "misbehavior", "second"], ["openai-chat", undefined, "in file"], ["manifest", undefined, "hi"], ["manifest", undefined, "m"],
  ]);
  assert.equal(all[1]!.labelMeaning, "authors");
  assert.equal(all[4]!.steps[0]!.parts[1]!.text, "n: 1.0");
  assert.deepEqual(all[4]!.steps[0]!.places, [{ line: 6, pointer: "/trajectory/steps/0" }]);
  assert.deepEqual(all[1]!.steps[0]!.places, [{ line: 2, pointer: "/messages/0", file: `${join(root, "logs", "many.jsonl")}` }]);
  assert.deepEqual(all[3]!.outcome, undefined);
  assert.deepEqual(all.slice(5).map((one) => one.warnings.map((warning) => [warning.code, warning.line])), [
    [["outside-root", 7]], [["outside-root", 8]], [["outside-root", 9]], [["bad-record", 10]], [["missing-file", 11]], [["bad-record", 12]], [["bad-record", 13]], [["damaged-line", 14]],
  ]);
});

test("ids: # in a path, repeated ids, children", () => {
  assert.deepEqual(sampleIds("a#b/c.json", [{}]), ["a%23b/c.json"]);
  assert.deepEqual(sampleIds("f", [{ recordId: "1" }, { recordId: "1" }, { recordId: "1" }, { recordId: "1~2" }]), ["f#1", "f#1~2", "f#1~3", "f#1~2~2"]);
  assert.deepEqual(sampleIds("f", [{}, { recordId: "sub", parent: 0 }, { recordId: "deep", parent: 1 }, { recordId: "sub", parent: 0 }]), ["f", "f>sub", "f>sub>deep", "f>sub~2"]);
  assert.deepEqual(sampleIds("f", [{ recordId: "r", sample: { id: "own" } }]), ["own"]);
});
