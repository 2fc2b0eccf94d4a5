/** Files on disk: gzip opened up, large ones read by ranges, the root found, an editor's text instead of the file. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { ExpectedFailure } from "#node/expected-failure";
import { openPath, rootOf } from "#node/open";

const chat = JSON.stringify({ messages: [{ role: "user", content: "hello" }] });

function folder(t: { after(work: () => void): void }): string {
  const path = mkdtempSync(join(tmpdir(), "tracemark-open-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

test("a gzip is read as what is in it; its hash is the file's; a broken one says so", async (t) => {
  const root = folder(t);
  const packed = gzipSync(`${chat}\n${chat}\n`);
  writeFileSync(join(root, "a.jsonl.gz"), packed);
  writeFileSync(join(root, "b.gz"), packed.subarray(0, 20));
  const opened = await openPath(join(root, "a.jsonl.gz"), { root });
  assert.deepEqual(opened.file.ids, ["a.jsonl.gz#0", "a.jsonl.gz#1"]);
  assert.equal(opened.fileSha256(), createHash("sha256").update(packed).digest("hex"));
  const broken = await openPath(join(root, "b.gz"), { root });
  assert.deepEqual([broken.file.ids, broken.file.warnings()[0]?.code], [[], "binary-file"]);
  assert.ok(broken.file.warnings().some((warning) => warning.code === "damaged-archive"));
});

test("a file above the limit is read by ranges: line numbers and records stay right", async (t) => {
  const root = folder(t);
  const bytes = Buffer.alloc(65 << 20, 10);
  const first = Buffer.from(chat);
  first.copy(bytes, 0);
  first.copy(bytes, (33 << 20) - 5);
  writeFileSync(join(root, "big.jsonl"), bytes);
  const { file } = await openPath(join(root, "big.jsonl"), { root });
  assert.deepEqual(file.opened.heads.map((head) => head.line), [1, (33 << 20) - 5 - first.length + 1]);
  assert.equal(file.load(1).steps[0]!.parts[0]!.text, "hello");
});

test("the root: the nearest tracemark.json, else the folder given if it holds the file, else the file's own", (t) => {
  const root = folder(t);
  mkdirSync(join(root, "a", "b"), { recursive: true });
  const file = join(root, "a", "b", "f.json");
  assert.equal(rootOf(file, root), root);
  assert.equal(rootOf(file, join(root, "other")), join(root, "a", "b"));
  writeFileSync(join(root, "tracemark.json"), "{}");
  writeFileSync(join(root, "a", "tracemark.json"), "{}");
  assert.equal(rootOf(file, root), join(root, "a"));
});

test("bytes given instead of the file; what cannot be opened is a failure with a remedy", async (t) => {
  const root = folder(t);
  const opened = await openPath(join(root, "unsaved.json"), { root, bytes: new TextEncoder().encode(chat) });
  assert.deepEqual([opened.relativePath, opened.file.ids], ["unsaved.json", ["unsaved.json"]]);
  await assert.rejects(openPath(join(root, "none.json"), { root, shownAs: "none.json" }), (error) => error instanceof ExpectedFailure && error.sentence() === "none.json: there is no such file or folder; check the path");
});

test("a reader chosen by hand is used; an unknown one is told", async (t) => {
  const root = folder(t);
  writeFileSync(join(root, "a.json"), chat);
  const open = async (format: string) => (await openPath(join(root, "a.json"), { root, format })).file;
  assert.equal((await open("fallback")).format?.id, "fallback");
  assert.equal((await open("swe-agent")).load(0).steps.length, 0);
  assert.deepEqual((await open("zzz")).warnings().map((warning) => warning.code), ["unknown-format-id"]);
});
