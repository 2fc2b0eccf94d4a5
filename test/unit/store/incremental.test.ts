/** What makes a large store quick gives the same as the slow way: the quick check, the growing index; and times that never run back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isPlainRecord } from "#core/labels/plain-record";
import { createIdSource } from "#core/labels/record-id";
import { LabelRecord } from "#core/workspace/schemas";
import { LabelStore } from "#node/store/label-store";
import { pick, seeded } from "../evidence/random";
import { MemoryDisk } from "./memory-disk";

const folder = "/root/labels";
const good = {
  id: "1", sample_id: "s", annotator: "Ada", created_at: "2026-01-01T00:00:00Z", label: "benign", blind: true, seen: ["verdict"], categories: ["a"], seconds: 1.5, action: "decide", note: "n",
  spans: [{ step: 0, part: "text", part_index: 0, start: 0, end: 1, exact: "a", prefix: "", suffix: "", category: "c", origin: "own" }],
};

test("whatever the quick check lets pass, the schema takes as it is", () => {
  const random = seeded(5);
  const values = [undefined, null, 0, -1, 1.5, NaN, Infinity, "", "x", "benign", "verdict", true, false, [], ["a"], [1], {}, { step: 1 }, [{}], [[]], 2 ** 60];
  const keys = [...Object.keys(LabelRecord.shape), "unknown_key"];
  let passed = 0;
  for (let round = 0; round < 20_000; round++) {
    const record = structuredClone(good) as Record<string, unknown>;
    for (let n = pick(random, 3); n > 0; n--) {
      const value = values[pick(random, values.length)];
      const span = (record["spans"] as Record<string, unknown>[] | undefined)?.[0];
      if (random() < 0.3 && span) span[["step", "part", "start", "exact", "category", "origin", "moved", "more"][pick(random, 8)] ?? ""] = value;
      else if (random() < 0.2) delete record[keys[pick(random, keys.length)] ?? ""];
      else record[keys[pick(random, keys.length)] ?? ""] = value;
      if (!Array.isArray(record["spans"]) || typeof record["spans"][0] !== "object") delete record["spans"];
    }
    if (!isPlainRecord(record)) continue;
    passed++;
    const parsed = LabelRecord.safeParse(record);
    assert.ok(parsed.success, JSON.stringify(record));
    assert.deepEqual(parsed.data, record);
  }
  assert.ok(passed > 3000, `only ${passed} passed`);
  assert.ok(isPlainRecord(good) && isPlainRecord({ ...good, label: null }));
});

test("an index that grew line by line is the same as one made anew, whatever others did to the files meanwhile", async () => {
  const random = seeded(8);
  for (let round = 0; round < 40; round++) {
    const disk = new MemoryDisk();
    const clock = { now: () => Date.UTC(2026, 0, 1) };
    const open = (): Promise<LabelStore> => LabelStore.open(folder, clock, createIdSource(clock.now, (length) => Uint8Array.from({ length }, () => pick(random, 256))), { disk });
    const [mine, theirs] = [await open(), await open()];
    let n = 0;
    const record = (annotator: string): LabelRecord => LabelRecord.parse({ ...good, id: `r${++n}`, annotator, sample_id: `s${pick(random, 4)}` });
    for (let act = 0; act < 12; act++) {
      const path = `${folder}/${["ada", "bob"][pick(random, 2)]}.jsonl`;
      const text = disk.text(path);
      switch (pick(random, 6)) {
        case 0: case 1: await mine.append(record("Ada")); break;
        case 2: await theirs.append(record("Bob")); break;
        // A torn line, a line without its end, the same record twice, other content under an id, lines taken out.
        case 3: disk.put(path, `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${JSON.stringify(record(path.includes("ada") ? "Ada" : "Bob")).slice(0, random() < 0.5 ? 40 : undefined)}`); break;
        case 4: disk.put(path, `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${JSON.stringify({ ...good, id: "dup", annotator: path.includes("ada") ? "Ada" : "Bob", note: random() < 0.5 ? "n" : "other" })}\n`); break;
        case 5: disk.put(path, text.split("\n").slice(0, -2).map((line) => `${line}\n`).join("")); break;
      }
      await mine.refresh();
      const fresh = await open();
      // In which order records and problems are listed hangs on what came when.
      const sorted = <T>(list: readonly T[]): T[] => [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
      assert.deepEqual(sorted(mine.stored()), sorted(fresh.stored()));
      assert.deepEqual(sorted(mine.problems), sorted(fresh.problems));
      for (const id of ["s0", "s1", "s2", "s3"]) assert.deepEqual(mine.recordsOf(id), fresh.recordsOf(id));
    }
  }
});

test("when the clock jumps back, a new decision still stands behind the old one", async () => {
  const disk = new MemoryDisk();
  let now = Date.UTC(2026, 5, 1, 12);
  const open = (): Promise<LabelStore> => LabelStore.open(folder, { now: () => now }, createIdSource(() => now, (length) => new Uint8Array(length).fill(9)), { disk });
  const first = await open();
  await first.append({ ...first.stamp("Ada"), sample_id: "s", annotator: "Ada", label: "benign", blind: true, seen: [] });
  now -= 3_600_000;
  await first.append({ ...first.stamp("Ada"), sample_id: "s", annotator: "Ada", label: "misbehavior", blind: true, seen: [] });
  assert.equal(first.standing("Ada", "s")?.label, "misbehavior");
  // Another process, started under the wrong clock.
  const second = await open();
  const stamp = second.stamp("Ada");
  assert.equal(stamp.created_at, "2026-06-01T12:00:00.002Z");
  await second.append({ ...stamp, sample_id: "s", annotator: "Ada", label: "unsure", blind: true, seen: [] });
  assert.equal(second.standing("Ada", "s")?.label, "unsure");
  // Somebody else's clock is their own matter.
  assert.equal((await open()).stamp("Bob").created_at, "2026-06-01T11:00:00.000Z");
  now += 7_200_000;
  assert.equal(second.stamp("Ada").created_at, "2026-06-01T13:00:00.000Z");
});
