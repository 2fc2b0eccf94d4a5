/** What an export says before it writes, and what it holds back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findSecrets } from "#core/exports/secrets";
import { withoutText } from "#core/exports/labels/without-text";
import { LabelRecord } from "#core/workspace/schemas";
import { labelsVerb } from "../../../server/cli/verbs/labels";
import { chat, tempRoot } from "../../support/temp-root";
import { callVerb } from "../../support/verb-call";

const record = (id: string, annotator: string, more: object = {}) => ({ id, sample_id: "a", annotator, created_at: `2026-01-0${id}T00:00:00Z`, label: "benign", blind: true, seen: [], ...more });
const span = { step: 1, part: "text", part_index: 0, start: 0, end: 6, exact: "answer", prefix: "", suffix: "" };
// Put together here, so that no scanner takes this file for a leak.
const token = `ghp_${"a1B2c3D4".repeat(5)}`;

test("the list comes first; a likely secret stops the export until it is allowed or the words are left out", async (t) => {
  const root = tempRoot(t, { "m.samples.jsonl": [{ id: "a", ...chat("q", "answer") }], "labels/ada.jsonl": [record("1", "Ada", { spans: [span], note: `the key is ${token}` }), record("2", "Ada")] });
  const stopped = await callVerb(labelsVerb, root, ["export"], {});
  assert.deepEqual([stopped.code, stopped.out], [2, []]);
  assert.deepEqual(stopped.notes.slice(0, 2), ["note: publishes 2 records by Ada on 1 samples, whose ids (file names among them) are shown", "note: 1 spans with 6 characters of trajectories and 1 notes"]);
  assert.ok(stopped.notes.includes("warning: GitHub token ghp_… (44 characters) in line 1 of the output"));
  assert.ok(!stopped.notes.join("\n").includes(token));
  assert.equal((await callVerb(labelsVerb, root, ["export"], { allowSecrets: true })).out.length, 2);
  const bare = await callVerb(labelsVerb, root, ["export"], { text: false });
  assert.deepEqual([bare.code, bare.out.length], [0, 2]);
  assert.ok(!bare.out.join("\n").includes("Ada") && !bare.out.join("\n").includes("answer"));
  assert.deepEqual((await callVerb(labelsVerb, root, ["export"], { dryRun: true })).out, []);
});

test("label studio without text carries no dialogue; with it the whole trajectory is announced", async (t) => {
  const root = tempRoot(t, { "m.samples.jsonl": [{ id: "a", ...chat("q", "answer") }], "labels/ada.jsonl": [record("1", "Ada", { spans: [span] })] });
  const whole = await callVerb(labelsVerb, root, ["export"], { format: "label-studio" });
  assert.ok(whole.notes.includes("note: the whole text of 1 trajectories, 7 characters"));
  assert.deepEqual(JSON.parse(whole.out.join("\n"))[0].data.dialogue.map(({ author, text }: Record<string, string>) => [author, text]), [["user", "q"], ["assistant", "answer"]]);
  const bare = await callVerb(labelsVerb, root, ["export"], { format: "label-studio", text: false });
  const task = JSON.parse(bare.out.join("\n"))[0];
  assert.deepEqual([Object.keys(task.data), task.annotations[0].result.length], [["sample_id"], 1]);
});

test("an Inspect log's samples go to Scout by uuid and come back through the verb", async (t) => {
  const root = tempRoot(t, { "plain.samples.jsonl": [{ id: "a", label: "benign", ...chat("q", "answer") }] });
  const { code, out, notes } = await callVerb(labelsVerb, root, ["export"], { format: "scout" });
  assert.deepEqual([code, out], [0, ["id,target,split,sample_id,gold_status,decided_at\r"]]);
  assert.ok(notes.includes("note: left out: 1 samples without a uuid of Inspect, which Scout knows transcripts by"));
});

test("what is removed with the text, checked word by word", () => {
  const full = LabelRecord.parse(record("1", "Ada", { spans: [{ ...span, category: "c", note: "span note" }], note: "my note", guideline_quote: "rule", fields: { n: 3, s: "words", b: true }, own: "words", content_sha256: "h" }));
  assert.deepEqual(withoutText([record("3", "Bob") as LabelRecord, full]), [
    { ...record("3", "A2") },
    { ...record("1", "A1"), content_sha256: "h", fields: { n: 3, b: true }, spans: [{ ...span, exact: "", category: "c", text_removed: true }] },
  ]);
});

test("secrets are found in all kinds, examples are not", () => {
  const long = "Zx9".repeat(14);
  const real = [`AKIA${"QWERTYUIOPASDFGH"}`, `sk-ant-api03-${long}`, `sk-proj-${long}`, `hf_${long}`, `xoxb-${long}`, "-----BEGIN OPENSSH PRIVATE KEY-----", "postgres://admin:hunter22@db.internal/x", `glpat-${long}`];
  for (const text of real) assert.equal(findSecrets(`see ${text} here`).length, 1, text);
  for (const text of ["AKIAIOSFODNN7EXAMPLE", "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxx", "https://user:<password>@host/x", "postgres://user:${PASSWORD}@db/x", "skip-this-and-that-because-it-is-long", "a sentence: with words@home"]) assert.deepEqual(findSecrets(text), [], text);
});
