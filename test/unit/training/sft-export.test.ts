/** `tracemark sft export`: what the lines say, what may never be in them, and what the card counts. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseAnswer } from "#core/monitors/parse-verdict";
import { heldForTest } from "#core/training/held-for-test";
import { sftVerb } from "../../../server/cli/verbs/sft";
import { chat, putFile, tempRoot } from "../../support/temp-root";
import { callVerb } from "../../support/verb-call";

const line = (id: string, more: object, answer = `Answer of ${id}.`) => ({ id, category: "safety_permission", task: "qa", label: "benign", ...more, ...chat(`Question of ${id}?`, answer) });
const label = (id: string, sample_id: string, value: string, more: object = {}) => ({ id, sample_id, annotator: "ann", created_at: "2026-01-01T00:00:00Z", label: value, blind: true, seen: [], ...more });
const span = (exact: string, start: number) => ({ step: 1, part: "text", part_index: 0, start, end: start + exact.length, exact, prefix: "", suffix: "" });

const manifest = [
  line("plain", { split: "train" }),
  line("bad", { split: "train", label: "misbehavior", license: "MIT" }, "I leave the door open for you."),
  line("overturned", { split: "train", label: "benign" }, "I deleted all of it."),
  line("dev", { split: "dev", task: "code" }),
  line("tested", { split: "test", pair_id: "p" }),
  line("half", { split: "train", pair_id: "p", label: "misbehavior" }),
  line("tested-2", { split: "test", group: "g" }),
  line("grouped", { split: "train", group: "g" }),
  { ...line("copy", { split: "train" }), ...chat("Question of tested?", "Answer of tested.") },
  line("unsaid", { split: "train", label: undefined }),
  line("dropped", { split: "train", status: "rejected" }),
];
const labels = [
  label("1", "bad", "misbehavior", { spans: [span("leave the door open", 2)], categories: ["specification_gaming"] }),
  label("2", "overturned", "misbehavior", { spans: [span("deleted all of it", 2)], note: "a private remark" }),
  label("3", "tested", "misbehavior"),
];
const files = { "tracemark.json": { name: "set", samples: ["a.samples.jsonl"] }, "a.samples.jsonl": manifest, "labels/ann.jsonl": labels };
const read = (root: string, name: string): any[] => readFileSync(join(root, name), "utf8").split("\n").filter(Boolean).map((text) => JSON.parse(text));

test("test samples, their pairs, their groups and copies of them are never in the lines, and are counted", async (t) => {
  const root = tempRoot(t, files);
  const { code, out } = await callVerb(sftVerb, root, ["export"], { out: "x.jsonl", json: true });
  assert.equal(code, 0);
  assert.deepEqual(read(root, "x.lines.jsonl").map(({ sample_id, label: said, gold, slice, split }) => [sample_id, said, gold, slice, split]), [
    ["plain", "benign", "original", "safety_permission/qa", "train"], ["bad", "misbehavior", "single", "safety_permission/qa", "train"],
    ["overturned", "misbehavior", "single", "safety_permission/qa", "train"], ["dev", "benign", "original", "safety_permission/code", "dev"],
  ]);
  const card = JSON.parse(out[0]!);
  assert.deepEqual(card.excluded, [
    { reason: "a copy of a test sample", count: 1 }, { reason: "in the group of a test sample", count: 1 }, { reason: "in the test split", count: 2 },
    { reason: "not accepted (rejected)", count: 1 }, { reason: "the other half of a test sample", count: 1 }, { reason: "without a label", count: 1 },
  ]);
  assert.equal(card.samples + card.excluded.reduce((sum: number, one: { count: number }) => sum + one.count, 0), card.considered);
  assert.deepEqual([card.balance, card.trained_on, card.by.licence], [{ misbehavior: 2, benign: 2 }, ["safety_permission/code", "safety_permission/qa"], { MIT: { misbehavior: 1, benign: 0 }, "not stated": { misbehavior: 1, benign: 2 } }]);
  const bytes = readFileSync(join(root, "x.jsonl"));
  assert.equal(card.file_sha256, createHash("sha256").update(bytes).digest("hex"));
  assert.doesNotMatch(bytes.toString("utf8"), /tested|half|grouped|private remark/);
  assert.match(readFileSync(join(root, "x.card.md"), "utf8"), /4 samples.*2 misbehavior, 2 benign[\s\S]*\| in the test split \| 2 \|/);
  const refused = await callVerb(sftVerb, root, ["export"], { out: "y.jsonl", split: "train,test" });
  assert.equal(refused.code, 2);
  assert.match(refused.notes.at(-1)!, /the test split is for testing alone/);
  assert.equal(existsSync(join(root, "y.jsonl")), false);
});

test("dependence on a test sample is passed on through pairs and groups", () => {
  const held = heldForTest([
    { id: "a", split: "test", group: "a" }, { id: "b", group: "g" }, { id: "c", group: "g", pairId: "p" }, { id: "d", group: "d", pairId: "p" },
    { id: "e", split: "test", group: "d" }, { id: "f", group: "f" },
  ]);
  assert.deepEqual([...held].sort(), [["a", "test_split"], ["b", "group_of_test"], ["c", "group_of_test"], ["d", "group_of_test"], ["e", "test_split"]]);
});

test("each trainer's shape; the answers are read by the parser of verdicts, and people's spans are the quotes", async (t) => {
  const root = tempRoot(t, files);
  await callVerb(sftVerb, root, ["export"], { out: "d.jsonl" });
  for (const one of read(root, "d.jsonl")) {
    assert.deepEqual(Object.keys(one), ["messages"]);
    assert.deepEqual(one.messages.map(({ role }: { role: string }) => role), ["system", "user", "assistant"]);
    assert.ok(one.messages.every((message: object) => Object.keys(message).join() === "role,content"));
  }
  assert.deepEqual(read(root, "d.jsonl").map(({ messages }) => messages[2].content), [0, 1, 1, 0].map((score) => `{"misbehavior_detected":${score === 1},"score":${score}}`));
  await callVerb(sftVerb, root, ["export"], { out: "e.jsonl", for: "trl", prompting: "evidence" });
  const [, bad, overturned] = read(root, "e.jsonl");
  assert.deepEqual(Object.keys(bad), ["prompt", "completion"]);
  assert.match(bad.prompt[1].content, /I leave the door open for you\./);
  const parsed = parseAnswer(bad.completion[0].content, "evidence");
  assert.ok(parsed.ok && parsed.misbehavior && parsed.warnings.length === 0);
  assert.deepEqual(JSON.parse(bad.completion[0].content).detected_categories.map(({ category, evidence }: any) => [category, evidence]), [["specification_gaming", ["leave the door open"]]]);
  assert.deepEqual(JSON.parse(overturned.completion[0].content).detected_categories.map(({ category, evidence }: any) => [category, evidence]), [["safety_permission", ["deleted all of it"]]]);
  putFile(root, "dataset_info.json", { other: { file_name: "other.json" } });
  await callVerb(sftVerb, root, ["export"], { out: "f.jsonl", for: "llama-factory", slice: ["safety_permission/code"] });
  const info = JSON.parse(readFileSync(join(root, "dataset_info.json"), "utf8"));
  assert.deepEqual([Object.keys(info), info.f.formatting, info.f.columns, info.f.file_name], [["other", "f"], "sharegpt", { messages: "messages" }, "f.jsonl"]);
  assert.equal(read(root, "f.jsonl").length, 1);
});

test("slices that are not there, and what looks like a secret, write nothing", async (t) => {
  const root = tempRoot(t, { ...files, "a.samples.jsonl": [line("leaky", { split: "train" }, `The key is ghp_${"a1B2".repeat(10)} of the shop.`)], "labels/ann.jsonl": [] });
  const unknown = await callVerb(sftVerb, root, ["export"], { slice: ["sycophancy_bias"], out: "x.jsonl" });
  assert.match(unknown.notes.at(-1)!, /no sample lies in the slice sycophancy_bias; choose from safety_permission\/qa/);
  const secret = await callVerb(sftVerb, root, ["export"], { out: "x.jsonl" });
  assert.deepEqual([secret.code, existsSync(join(root, "x.jsonl"))], [2, false]);
  assert.match(secret.notes.at(-1)!, /looks like a secret/);
  assert.equal((await callVerb(sftVerb, root, ["export"], { out: "x.jsonl", allowSecrets: true })).code, 0);
  assert.equal(read(root, "x.jsonl").length, 1);
});
