/** The label store on a disk in memory: what is written when, and every way in which writing can fail. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createIdSource } from "#core/labels/record-id";
import type { LabelRecord } from "#core/workspace/schemas";
import { LabelStore } from "#node/store/label-store";
import { StoreFailure, type StoreFailureCode } from "#node/store/store-failure";
import { MemoryDisk } from "./memory-disk";

const folder = "/root/labels";
const clock = { now: () => Date.UTC(2026, 0, 1) };
const ids = () => createIdSource(clock.now, (length) => new Uint8Array(length));
const open = (disk: MemoryDisk, lockWaitMs = 0) => LabelStore.open(folder, clock, ids(), { disk, lockWaitMs });

function record(id: string, more: Partial<LabelRecord> = {}): LabelRecord {
  return { id, sample_id: "s", annotator: "Ada", created_at: "2026-01-01T00:00:00Z", label: "benign", blind: true, seen: [], ...more };
}
async function failure(promise: Promise<unknown>): Promise<StoreFailure> {
  const error = await promise.then(() => undefined, (reason: unknown) => reason);
  assert.ok(error instanceof StoreFailure, `expected a StoreFailure, got ${String(error)}`);
  return error;
}

test("a record goes to its annotator's file, flushed before append resolves, the lock gone after it", async () => {
  const disk = new MemoryDisk();
  const store = await open(disk);
  await store.append(record("1", { own_key: { kept: true } }));
  assert.equal(disk.text(`${folder}/ada.jsonl`), `${JSON.stringify(record("1", { own_key: { kept: true } }))}\n`);
  const written = disk.log.indexOf("write ada.jsonl");
  assert.ok(disk.log.indexOf("create ada.jsonl.lock") < written && written < disk.log.indexOf("sync ada.jsonl"));
  assert.deepEqual([...disk.entries.keys()], [`${folder}/ada.jsonl`]);
  assert.deepEqual(store.recordsOf("s").map(({ id }) => id), ["1"]);
});

test("all files are read in any order; the standing record is the newest", async () => {
  const disk = new MemoryDisk();
  disk.put(`${folder}/zz.jsonl`, `${JSON.stringify(record("1", { created_at: "2026-01-02T00:00:00Z" }))}\n`);
  disk.put(`${folder}/ada.host-1.jsonl`, `${JSON.stringify(record("2", { created_at: "2026-01-03T00:00:00Z", label: "misbehavior" }))}\n`);
  disk.put(`${folder}/notes.txt`, "not labels");
  const store = await open(disk);
  assert.deepEqual(store.recordsOf("s").map(({ id }) => id), ["1", "2"]);
  assert.equal(store.standing("Ada", "s")?.id, "2");
  assert.equal(store.standing("Bob", "s"), undefined);
  assert.deepEqual(store.problems, []);
});

test("bad lines are named with file and line and cost only themselves", async () => {
  const disk = new MemoryDisk();
  disk.put(`${folder}/ada.jsonl`, `${JSON.stringify(record("1"))}\nnot json\n{"id":"3"}\n${JSON.stringify(record("4", { label: "perhaps" as "benign" }))}\n\n${JSON.stringify(record("5"))}\n{"id":"6","samp`);
  const store = await open(disk);
  assert.deepEqual(store.all().map(({ id }) => id), ["1", "5"]);
  assert.deepEqual(store.problems.map(({ file, line, code }) => [file, line, code]), [
    ["labels/ada.jsonl", 2, "bad-json"], ["labels/ada.jsonl", 3, "bad-record"], ["labels/ada.jsonl", 4, "bad-record"], ["labels/ada.jsonl", 7, "torn-line"],
  ]);
  assert.equal(store.problems[1]?.message, "The line is not used: sample_id: missing, expected text (and 5 more).");
  assert.equal(store.problems[2]?.message, 'The line is not used: label: expected "misbehavior" or "benign" or "unsure" or "cannot_judge".');
});

test("the next writer cuts a torn last line off; one that only lacks its end is ended", async () => {
  const disk = new MemoryDisk();
  const first = JSON.stringify(record("1"));
  disk.put(`${folder}/ada.jsonl`, `${first}\n{"id":"2","sample`);
  await (await open(disk)).append(record("3"));
  assert.equal(disk.text(`${folder}/ada.jsonl`), `${first}\n${JSON.stringify(record("3"))}\n`);
  disk.put(`${folder}/ada.jsonl`, first);
  const store = await open(disk);
  assert.equal(store.all().length, 1, "whole without its end: a record");
  await store.append(record("3"));
  assert.equal(disk.text(`${folder}/ada.jsonl`), `${first}\n${JSON.stringify(record("3"))}\n`);
});

test("a slug that another name holds is refused in words", async () => {
  const disk = new MemoryDisk();
  const store = await open(disk);
  await store.append(record("1", { annotator: "Ada" }));
  const refused = await failure(store.append(record("2", { annotator: "ADA" })));
  assert.equal(refused.code, "slug-taken");
  assert.equal(refused.sentence(), 'labels/ada.jsonl: labels of "Ada" are kept in ada.jsonl, which is also the file of "ADA"; choose another annotator name');
  await store.append(record("3", { annotator: "Ada" }));
  assert.equal(store.all().length, 2);
});

test("the same record again is written once; other content under its id is refused", async () => {
  const disk = new MemoryDisk();
  const store = await open(disk);
  await store.append(record("1"));
  await store.append({ ...record("1") });
  assert.equal(disk.text(`${folder}/ada.jsonl`).split("\n").length, 2);
  assert.equal((await failure(store.append(record("1", { label: "misbehavior" })))).code, "id-conflict");
});

const writeFaults: [operation: string, code: string, expected: StoreFailureCode, words: RegExp][] = [
  ["open", "EPERM", "denied", /not permitted/], ["open", "EACCES", "denied", /may not be written/], ["open", "EROFS", "read-only", /read-only/],
  ["open", "EBUSY", "busy", /another program/], ["write", "ENOSPC", "no-space", /disk is full/], ["write", "EDQUOT", "over-quota", /quota/],
  ["write", "ESTALE", "lost-folder", /lost track/], ["sync", "EIO", "not-flushed", /flushed/], ["sync", "ENOSPC", "no-space", /flushed/],
  ["close", "EDQUOT", "over-quota", /closed/], ["mkdir", "EROFS", "read-only", /read-only/],
];
for (const [operation, code, expected, words] of writeFaults) {
  test(`${code} at ${operation}: a typed failure in words, and a retry writes the record once`, async () => {
    const disk = new MemoryDisk();
    const store = await open(disk);
    await store.append(record("1"));
    disk.faults = [{ operation, code, ...(operation === "mkdir" ? {} : { path: /ada\.jsonl$/ }) }];
    const failed = await failure(store.append(record("2")));
    assert.equal(failed.code, expected);
    assert.match(failed.message, words);
    assert.notEqual(failed.remedy, "");
    await store.append(record("2"));
    assert.deepEqual(disk.text(`${folder}/ada.jsonl`).trim().split("\n").map((line) => (JSON.parse(line) as LabelRecord).id), ["1", "2"]);
    assert.deepEqual(store.all().map(({ id }) => id), ["1", "2"]);
  });
}

test("a write that takes only half of the record leaves nothing of it", async () => {
  const disk = new MemoryDisk();
  const store = await open(disk);
  await store.append(record("1"));
  const before = disk.text(`${folder}/ada.jsonl`);
  disk.room = 20;
  assert.equal((await failure(store.append(record("2")))).code, "no-space");
  assert.equal(disk.text(`${folder}/ada.jsonl`), before);
});

test("what cannot be taken back either is no record, and the next writer removes it", async () => {
  const disk = new MemoryDisk();
  const store = await open(disk);
  await store.append(record("1"));
  disk.room = 20;
  disk.faults = [{ operation: "truncate", code: "EIO" }];
  await failure(store.append(record("2")));
  await store.refresh();
  assert.deepEqual(store.all().map(({ id }) => id), ["1"]);
  assert.deepEqual(store.problems.map(({ code }) => code), ["torn-line"]);
  disk.room = Infinity;
  await store.append(record("2"));
  assert.deepEqual(store.problems, []);
  assert.equal(disk.text(`${folder}/ada.jsonl`).split("\n").length, 3);
});

for (const code of ["ENOLCK", "ENOTSUP", "EACCES"]) {
  test(`where a lock cannot be made (${code}) the record goes to a segment of the writer's own`, async () => {
    const disk = new MemoryDisk();
    const store = await open(disk);
    disk.faults = [{ operation: "create", code, times: 99 }];
    await store.append(record("1"));
    await store.append(record("2"));
    const [name, ...others] = [...disk.entries.keys()];
    assert.match(name ?? "", /^\/root\/labels\/ada\.[a-z0-9-]+\.jsonl$/);
    assert.deepEqual(others, []);
    assert.equal(store.all().length, 2);
  });
}

test("on a network file system there are only segments, one for each writer", async () => {
  const disk = new MemoryDisk();
  disk.remote = true;
  const [first, second] = [await LabelStore.open(folder, clock, createIdSource(clock.now, () => new Uint8Array(10).fill(7)), { disk }), await open(disk)];
  await first.append(record("1"));
  await second.append(record("2"));
  assert.equal(disk.entries.size, 2);
  assert.ok([...disk.entries.keys()].every((name) => !name.endsWith("/ada.jsonl")));
  await first.refresh();
  assert.equal(first.all().length, 2);
  assert.equal((await failure(first.append(record("3", { annotator: "ada" })))).code, "slug-taken", "segments hold the slug too");
});

test("a lock in use that does not go away: a segment instead of waiting for ever", async () => {
  const disk = new MemoryDisk();
  const store = await open(disk, 50);
  await disk.createExclusive(`${folder}/ada.jsonl.lock`, JSON.stringify({ pid: 1, host: "elsewhere/linux", token: "x" }));
  await store.append(record("1"));
  assert.equal(disk.text(`${folder}/ada.jsonl`), "");
  assert.equal(store.all().length, 1);
});

test("changes of others are seen on refresh and told once; own writes are told too", async () => {
  const disk = new MemoryDisk();
  const [mine, theirs] = [await open(disk), await open(disk)];
  let told = 0;
  const subscription = mine.onDidChange(() => told++);
  assert.equal(await mine.refresh(), false);
  await theirs.append(record("1", { annotator: "Bob" }));
  assert.deepEqual([mine.all().length, await mine.refresh(), mine.all().length, told], [0, true, 1, 1]);
  await mine.append(record("2"));
  assert.equal(told, 2);
  disk.entries.delete(`${folder}/bob.jsonl`);
  await mine.refresh();
  assert.deepEqual(mine.all().map(({ id }) => id), ["2"]);
  subscription.dispose();
  await mine.append(record("3"));
  assert.equal(told, 3);
});

test("a folder that is out of reach for a moment loses nothing that was read", async () => {
  const disk = new MemoryDisk();
  const store = await open(disk);
  await store.append(record("1"));
  disk.faults = [{ operation: "list", code: "EIO" }];
  await store.refresh();
  assert.equal(store.all().length, 1);
  assert.equal(store.problems[0]?.code, "unreadable");
  await store.refresh();
  assert.deepEqual(store.problems, []);
});

test("merged branches leave lines twice: they count once, and another record under the same id is told", async () => {
  const disk = new MemoryDisk();
  const line = JSON.stringify(record("1"));
  disk.put(`${folder}/a.jsonl`, `${line}\n${line}\n`);
  disk.put(`${folder}/b.jsonl`, `${line}\n${JSON.stringify(record("1", { label: "unsure" }))}\n`);
  const store = await open(disk);
  assert.equal(store.all().length, 1);
  assert.deepEqual(store.problems.map(({ file, line: at, code }) => [file, at, code]), [["labels/b.jsonl", 2, "duplicate-id"]]);
});

test("a record that does not fit the format is refused before anything is written", async () => {
  const disk = new MemoryDisk();
  const store = await open(disk);
  const refused = await failure(store.append({ ...record("1"), blind: "yes" } as unknown as LabelRecord));
  assert.equal(refused.message, "the record cannot be written: blind: expected true or false");
  assert.equal((await failure(store.append(record("2", { annotator: " " })))).code, "bad-record");
  assert.equal(disk.entries.size, 0);
});

test("ids and times of a store come from its clock", async () => {
  const store = await open(new MemoryDisk());
  const [a, b] = [store.stamp(), store.stamp()];
  assert.equal(a.created_at, "2026-01-01T00:00:00.000Z");
  assert.ok(a.id < b.id && a.id.length === 26);
});

test("many records at once: one write for each annotator, an outcome for each record", async () => {
  const disk = new MemoryDisk();
  const store = await open(disk);
  await store.append(record("1"));
  disk.log.length = 0;
  const outcomes = await store.appendAll([
    { record: record("1") }, { record: record("2") }, { record: record("3", { annotator: "Bob" }) }, { record: record("2") },
    { record: record("1", { note: "other" }) }, { record: { ...record("5"), label: "maybe" } as unknown as LabelRecord },
    { record: record("6", { annotator: "ada" }) }, { record: record("7") },
  ]);
  assert.deepEqual(outcomes.map((outcome) => (outcome instanceof StoreFailure ? outcome.code : outcome)), [
    "already", "added", "added", "already", "id-conflict", "bad-record", "slug-taken", "added",
  ]);
  assert.deepEqual(disk.log.filter((line) => line.startsWith("write")), ["write ada.jsonl", "write bob.jsonl"]);
  assert.deepEqual(store.all().map(({ id }) => id), ["1", "2", "7", "3"]);
});
