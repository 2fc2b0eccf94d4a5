/** The label store on a real disk: writers killed at any moment, and several writers at once. This file is its own child process. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { LabelRecord } from "#core/workspace/schemas";
import { nodeDisk } from "#node/store/disk";
import { LabelStore } from "#node/store/label-store";
import { takeLock } from "#node/store/lock-file";
import { systemClock, systemIds } from "#node/store/system-ids";

const [, , mode, childFolder = "", childName = ""] = process.argv;
if (mode === "--append-for-ever") await Promise.all(childName.split(",").map((name) => appendForEver(childFolder, name, Number(process.argv[5] ?? Infinity))));
else defineTests();

/** Appends records and prints each id once it is on disk. */
async function appendForEver(folder: string, annotator: string, count: number): Promise<void> {
  const store = await LabelStore.open(folder, systemClock, systemIds());
  for (let n = 0; n < count; n++) {
    const record: LabelRecord = {
      ...store.stamp(), sample_id: `s${n % 5}`, annotator, label: n % 2 === 0 ? "benign" : "misbehavior", blind: true, seen: [], note: `${"x".repeat((n * 37) % 2000)}.`,
    };
    await store.append(record);
    process.stdout.write(`${record.id}\n`);
  }
}

function start(folder: string, annotator: string, count = ""): { child: ChildProcess; acknowledged: string[]; ended: Promise<void>; first: Promise<void> } {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), "--append-for-ever", folder, annotator, ...(count === "" ? [] : [count])], { stdio: ["ignore", "pipe", "inherit"] });
  const acknowledged: string[] = [];
  const lines = createInterface({ input: child.stdout! });
  const first = new Promise<void>((resolve) => lines.once("line", () => resolve()));
  lines.on("line", (line) => acknowledged.push(line));
  return { child, acknowledged, first, ended: new Promise((resolve) => lines.once("close", resolve)) };
}

function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "tracemark-store-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "labels");
}

function defineTests(): void {
  test("stores killed five hundred times lose no acknowledged record and leave no half one", { timeout: 600_000 }, async (t) => {
    const folder = scratch(t);
    const acknowledged: string[] = [];
    let seed = 12345;
    const below = (limit: number): number => (seed = (seed * 1103515245 + 12345) % 2147483648) % limit;
    let kills = 0;
    let early = 0;
    // Each process holds four stores: two that write one annotator's file, so that many a lock is left by the dead, and two with
    // files of their own. Two processes run at a time; a kill ends the four stores wherever each of them is.
    const stream = async (): Promise<void> => {
      while ((kills += 4) <= 500) {
        const writer = start(folder, "Ada,Ada,Bob,Cy");
        // Some die before they have written anything: while they open, wait for a lock or flush their first record.
        if (below(3) > 0) await Promise.race([writer.first, writer.ended]);
        await new Promise((resolve) => setTimeout(resolve, below(60)));
        writer.child.kill("SIGKILL");
        await writer.ended;
        if (writer.acknowledged.length === 0) early++;
        acknowledged.push(...writer.acknowledged);
      }
    };
    let watching = true;
    // Somebody reads all the while and never sees half a record: what does not parse is at most the last line of a file.
    const reader = (async () => {
      let looks = 0;
      for (const store = await LabelStore.open(folder, systemClock, systemIds()); watching; looks++) {
        await store.refresh();
        assert.deepEqual(store.problems.filter(({ code }) => code !== "torn-line"), []);
        for (const record of store.all()) assert.ok(record.note?.endsWith("."), record.id);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      return looks;
    })();
    await Promise.all([stream(), stream()]).finally(() => (watching = false));
    const looks = await reader;
    const store = await LabelStore.open(folder, systemClock, systemIds());
    const present = new Set(store.all().map(({ id }) => id));
    assert.deepEqual(acknowledged.filter((id) => !present.has(id)), []);
    assert.equal(new Set(acknowledged).size, acknowledged.length);
    assert.ok(acknowledged.length >= 50 && early >= 1 && looks >= 1, `${acknowledged.length} acknowledged, ${early} processes killed early, ${looks} looks`);
    for (const annotator of ["Ada", "Bob", "Cy"]) await store.append({ ...store.stamp(), sample_id: "s", annotator, label: "benign", blind: true, seen: [] });
    assert.deepEqual(store.problems, []);
    for (const name of readdirSync(folder).filter((file) => file.endsWith(".jsonl"))) {
      for (const line of readFileSync(join(folder, name), "utf8").trimEnd().split("\n")) JSON.parse(line);
    }
    t.diagnostic(`${acknowledged.length} acknowledged, ${present.size} on disk, ${early} of 125 processes killed before their first`);
  });

  test("three processes writing one annotator's file at once: every record whole, once, and in one file", async (t) => {
    const folder = scratch(t);
    const writers = [1, 2, 3].map(() => start(folder, "Ada", "40"));
    await Promise.all(writers.map(({ ended }) => ended));
    const acknowledged = writers.flatMap((writer) => writer.acknowledged);
    assert.equal(acknowledged.length, 120);
    const store = await LabelStore.open(folder, systemClock, systemIds());
    assert.deepEqual(store.problems, []);
    assert.deepEqual(store.all().map(({ id }) => id).sort(), acknowledged.sort());
    assert.ok(!readdirSync(folder).some((name) => name.includes(".lock")));
  });

  const host = `${hostname()}/${process.platform}`;
  const lock = (folder: string, content: object): string => {
    const path = join(folder, "ada.jsonl");
    writeFileSync(`${path}.lock`, JSON.stringify(content));
    return path;
  };

  test("a lock of a dead process on this machine is taken at once; one of a living process is waited for", async (t) => {
    const folder = join(scratch(t), "..");
    const dead = spawn(process.execPath, ["-e", ""]);
    await new Promise((resolve) => dead.once("exit", resolve));
    const taken = await takeLock(lock(folder, { pid: dead.pid, host, token: "t" }), { disk: nodeDisk, waitMs: 500 });
    assert.ok("held" in taken);
    await taken.held.release();
    const refused = await takeLock(lock(folder, { pid: process.ppid, host, token: "t" }), { disk: nodeDisk, waitMs: 50 });
    assert.deepEqual(refused, { refused: "in-use", holder: { pid: process.ppid, host } });
    // Our own number from an earlier life, as in a container that was started again.
    const again = await takeLock(lock(folder, { pid: process.pid, host, token: "t" }), { disk: nodeDisk, waitMs: 500 });
    assert.ok("held" in again);
    await again.held.release();
  });

  test("a lock of another machine goes by the age of its heartbeat", async (t) => {
    const folder = join(scratch(t), "..");
    const path = lock(folder, { pid: 1, host: "elsewhere/linux", token: "t" });
    const fresh = await takeLock(path, { disk: nodeDisk, waitMs: 50, staleMs: 200 });
    assert.ok("refused" in fresh);
    const old = await takeLock(path, { disk: nodeDisk, waitMs: 5_000, staleMs: 200 });
    assert.ok("held" in old);
    await old.held.release();
    assert.deepEqual(readdirSync(folder), []);
  });

  test("two waiters on one stale lock: only one holds it at a time", async (t) => {
    const folder = join(scratch(t), "..");
    const dead = spawn(process.execPath, ["-e", ""]);
    await new Promise((resolve) => dead.once("exit", resolve));
    const path = lock(folder, { pid: dead.pid, host, token: "t" });
    let inside = 0;
    let most = 0;
    await Promise.all(Array.from({ length: 8 }, async () => {
      const result = await takeLock(path, { disk: nodeDisk, waitMs: 10_000 });
      assert.ok("held" in result);
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside--;
      await result.held.release();
    }));
    assert.equal(most, 1);
  });
}
