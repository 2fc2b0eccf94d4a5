/** Zip archives made by hand: stored and deflated entries, zip64, damage, limits, names that are only names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DataProblem } from "#core/trajectory/data-problem";
import { MemorySource } from "#node/file-source";
import { openZip } from "#node/zip";
import { readFileSync } from "node:fs";
import { makeZip as zip } from "../../support/make-zip";
import { sharedFile } from "../../support/shared";

const bytes = (text: string) => new TextEncoder().encode(text);
const open = (data: Uint8Array, limit?: number) => openZip(new MemorySource("a.eval", data), limit);
const rejects = (work: () => unknown, message: RegExp) => assert.throws(work, (error) => error instanceof DataProblem && message.test(error.message));

test("stored and deflated entries, folders left out, with and without zip64", async () => {
  const entries = [{ name: "a.json", data: bytes("[1]"), method: 0 }, { name: "dir/", data: bytes(""), method: 0 }, { name: "dir/../b", data: bytes("x".repeat(5000)), method: 8 }, { name: "empty", data: bytes(""), method: 8 }];
  for (const wide of [false, true]) {
    const archive = await open(zip(entries, wide));
    assert.deepEqual(archive.entries, [{ name: "a.json", size: 3 }, { name: "dir/../b", size: 5000 }, { name: "empty", size: 0 }]);
    assert.equal(Buffer.from(archive.read("a.json")).toString(), "[1]");
    assert.equal(archive.read("dir/../b").length, 5000);
    assert.equal(archive.read("empty").length, 0);
    rejects(() => archive.read("b"), /has no entry b/);
  }
});

test("Zstandard entries of several frames are whole", async (t) => {
  const path = sharedFile(t, "trajectories/inspect-eval/ais-decoder-zstd.eval");
  if (!path) return;
  const archive = await open(readFileSync(path));
  for (const { name, size } of archive.entries) assert.equal(archive.read(name).length, size, name);
  assert.ok(JSON.parse(Buffer.from(archive.read("header.json")).toString()));
});

test("limits: an entry that says, or turns out, to be larger than allowed is refused", async () => {
  const data = bytes("0".repeat(100_000));
  const big = await open(zip([{ name: "big", data, method: 8 }]), 1000);
  rejects(() => big.read("big"), /unpacks to 100000 bytes; the limit is 1000/);
  const lies = await open(zip([{ name: "lies", data, method: 8, size: 10 }]));
  rejects(() => lies.read("lies"), /does not unpack|instead of 10/);
});

test("damage is told in a sentence", async () => {
  const whole = zip([{ name: "a", data: bytes("abc"), method: 0 }, { name: "b", data: bytes("x"), method: 99 }, { name: "c", data: bytes("x"), method: 0, flags: 1 }]);
  await assert.rejects(open(whole.subarray(0, whole.length - 30)), /directory is missing/);
  await assert.rejects(open(new Uint8Array(10)), /directory is missing/);
  const archive = await open(whole);
  rejects(() => archive.read("b"), /method 99; only 0, 8 and 93/);
  rejects(() => archive.read("c"), /encrypted/);
  const overwritten = Uint8Array.from(whole);
  overwritten.fill(0, 0, 4);
  const damaged = await open(overwritten);
  rejects(() => damaged.read("a"), /entry a is missing/);
});
