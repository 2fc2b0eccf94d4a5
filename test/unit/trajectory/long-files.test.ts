/** Files too long to be read at once: their first records alone, ranges out of windows, hashes in stretches. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { contentCanonical, type Step } from "#core/trajectory/model";
import { FileSource } from "#node/file-source";
import { openPath } from "#node/open";
import { contentSha256, sha256, sha256OfSource } from "#node/sha256";
import { chat, putFile, tempRoot } from "../../support/temp-root";

const records = Array.from({ length: 400 }, (_, n) => ({ id: n % 50 === 0 ? "same" : `r${n}`, ...chat(`question ${n}`, "a".repeat(500)) }));

test("the first records of a data set are those of the whole, ids and content alike", async (t) => {
  const root = tempRoot(t, { "set.jsonl": records });
  const whole = await openPath(join(root, "set.jsonl"), { root });
  const first = await openPath(join(root, "set.jsonl"), { root, firstBytes: 40_000 });
  assert.equal(whole.isPartial, false);
  assert.equal(first.isPartial, true);
  assert.equal(whole.file.ids.length, 400);
  const { length } = first.file.ids;
  // A record is a little more than 600 bytes.
  assert.ok(length > 50 && length < 67, `${length} records`);
  assert.deepEqual(first.file.ids, whole.file.ids.slice(0, length));
  assert.equal(first.file.ids[50], "set.jsonl#same~2");
  assert.deepEqual(first.file.load(length - 1), whole.file.load(length - 1));
  assert.equal(first.fileSha256(), whole.fileSha256());
});

test("what later lines could change is always read whole", async (t) => {
  const root = tempRoot(t, {});
  // One talk, a message a line.
  putFile(root, "talk.jsonl", records.flatMap(({ messages }) => messages));
  putFile(root, "list.json", JSON.stringify(records));
  putFile(root, "short.jsonl", records.slice(0, 3));
  for (const name of ["talk.jsonl", "list.json", "short.jsonl"]) {
    const opened = await openPath(join(root, name), { root, firstBytes: 40_000 });
    assert.equal(opened.isPartial, false, name);
    assert.ok(opened.file.load(0).steps.length > 0, name);
  }
});

test("where a beginning will do, a session's first steps are read as the file was when it was that short", async (t) => {
  const root = tempRoot(t, {});
  const lines = records.flatMap(({ messages }) => messages);
  putFile(root, "talk.jsonl", lines);
  putFile(root, "list.json", JSON.stringify(records));
  const whole = await openPath(join(root, "talk.jsonl"), { root });
  const first = await openPath(join(root, "talk.jsonl"), { root, firstBytes: 40_000, beginnings: true });
  assert.deepEqual([first.isPartial, first.isCut, whole.isPartial, whole.isCut], [true, true, false, false]);
  assert.deepEqual(first.file.ids, ["talk.jsonl"]);
  const { steps } = first.file.load(0);
  assert.ok(steps.length > 100 && steps.length < 140, `${steps.length} steps`);
  assert.deepEqual(steps, whole.file.load(0).steps.slice(0, steps.length));
  assert.equal(first.fileSha256(), whole.fileSha256());
  // An agent's own log names the line that its talk begins at.
  const log = Array.from({ length: 300 }, (_, n) => ({
    type: n % 2 ? "assistant" : "user", uuid: `u${n}`, parentUuid: n === 0 ? null : `u${n - 1}`, sessionId: "s", timestamp: "2026-01-01T00:00:00Z", isSidechain: false,
    message: n % 2 ? { id: `m${n}`, role: "assistant", content: [{ type: "text", text: `reply ${n}` }] } : { role: "user", content: `question ${n} ${"a".repeat(300)}` },
  }));
  putFile(root, "log.jsonl", log);
  const start = await openPath(join(root, "log.jsonl"), { root, firstBytes: 40_000, beginnings: true });
  assert.deepEqual([start.file.format?.id, start.isCut], ["claude-code", true]);
  const begun = start.file.load(0).steps;
  assert.ok(begun.length > 50);
  assert.deepEqual(begun, (await openPath(join(root, "log.jsonl"), { root })).file.load(0).steps.slice(0, begun.length));
  // Of one document nothing can be said before its end.
  assert.equal((await openPath(join(root, "list.json"), { root, firstBytes: 40_000, beginnings: true })).isCut, false);
});

test("ranges of a file past 64 MB are those of its bytes", (t) => {
  const root = tempRoot(t, {});
  const file = join(root, "large.bin");
  const block = Buffer.alloc(1 << 20, "0123456789abcdefghijklmnopqrstuvwxyz");
  writeFileSync(file, Buffer.concat(Array.from({ length: 66 }, () => block)));
  const source = new FileSource(file, root);
  const bytes = readFileSync(file);
  for (const [start, end] of [[0, 10], [5, 3 << 20], [(4 << 20) - 5, (4 << 20) + 5], [0, 6 << 20], [(66 << 20) - 7, 66 << 20], [(66 << 20) - 7, (66 << 20) + 9], [100, 100], [3, 8]] as const) {
    assert.ok(bytes.subarray(start, end).equals(source.bytes(start, end)), `${start} to ${end}`);
  }
  assert.equal(sha256OfSource(source), createHash("sha256").update(bytes).digest("hex"));
});

test("the hash of a content, taken step by step, is that of its canonical string", () => {
  const steps = [
    { role: "user", parts: [{ kind: "text", text: "a\ud800b é 🚀 \"\n" }] }, { role: "assistant", parts: [] },
    { role: "tool", parts: [{ kind: "tool_result", toolName: "bash", text: "" }, { kind: "text", text: "x" }] },
  ] as unknown as Step[];
  assert.equal(contentCanonical(steps), JSON.stringify(["v1", ["user", ["text", null, "a\ud800b é 🚀 \"\n"]], ["assistant"], ["tool", ["tool_result", "bash", ""], ["text", null, "x"]]]));
  assert.equal(contentSha256(steps), sha256(contentCanonical(steps)));
  assert.equal(contentSha256([]), sha256('["v1"]'));
});
