/** Some thousands of damaged files through every reader: steps or a message, never an exception. `test/support/fuzz/run.mjs` does the same without end. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { DataProblem } from "#core/trajectory/data-problem";
import { formats } from "#core/trajectory/formats/index";
import { openFile } from "#core/trajectory/open";
import { FileSource, MemorySource } from "#node/file-source";
import { largestEntry, openZip } from "#node/zip";
import { readSeeds } from "../../support/fuzz/corpus";
import { damagedFile, examine } from "../../support/fuzz/examine";
import { makeZip } from "../../support/make-zip";
import { sharedPath } from "../../support/shared";
import { tempRoot } from "../../support/temp-root";

const files = 2000;

test(`${files} damaged files give steps or a message`, async (t) => {
  const shared = sharedPath("trajectories");
  if (!shared) t.diagnostic("../shared/trajectories is not there: only the samples are damaged");
  const seeds = await readSeeds(["samples", "test/support/fuzz/seeds", ...(shared ? [shared] : [])]);
  const root = tempRoot(t, {});
  const read = new Set(seeds.map((seed) => seed.format));
  if (shared) for (const { id } of formats) assert.ok(read.has(id), `no file of ${id} is damaged`);
  // Of these nothing may be passed on: their files are made up.
  for (const id of ["trail", "malt", "agent-reward-bench"]) assert.ok(read.has(id), `no file of ${id} is damaged`);
  let steps = 0;
  for (let round = 0; round < files; round++) {
    const damaged = damagedFile(seeds, round);
    try {
      steps += (await examine(damaged, root)).steps;
    } catch (error) {
      throw new Error(`file ${round}, ${damaged.seed.name} (${damaged.kind})`, { cause: error });
    }
  }
  // Damage in one place leaves most of a file readable.
  assert.ok(steps > files * 5, `${steps} steps`);
});

test("every reader answers to a value that is nested 100,000 deep", () => {
  const depth = 100_000;
  const deep = "[".repeat(depth) + "]".repeat(depth);
  const objects = `${'{"content":'.repeat(depth)}1${"}".repeat(depth)}`;
  for (const { id } of formats) {
    for (const [name, text] of [["a.json", deep], ["a.json", objects], ["a.json", objects.slice(0, -depth)], ["a.jsonl", `${objects}\n${deep}\n`], ["a.md", `#### ${deep}`]] as const) {
      const file = openFile(new MemorySource(name, new TextEncoder().encode(text)), { format: id });
      const told = file.opened.heads.flatMap((_head, index) => file.load(index).warnings);
      assert.deepEqual([...file.warnings(), ...told].filter(({ code }) => code === "reader-failed"), [], `${id} ${name}`);
      assert.ok(file.opened.heads.length + file.warnings().length > 0, `${id} ${name} says nothing`);
    }
  }
});

test("an archive of 10 MB that would unpack to 10 GB is refused at the limit, entry by entry", async () => {
  // 1,000 zeros to one: nearly what deflate can do. The directory tells the truth about one entry and lies about the other.
  const packed = deflateRawSync(Buffer.alloc(64 << 20));
  const claims = { data: packed, method: 8, isPacked: true };
  const honest = Array.from({ length: 150 }, (_, n) => ({ ...claims, name: `samples/${n}_epoch_1.json`, size: 64 << 20 }));
  const whole = makeZip(honest);
  assert.ok(whole.length < 11_000_000, `${whole.length} bytes`);
  // 150 entries of 64 MB.
  await assert.rejects(openZip(new MemorySource("bomb.eval", whole)), (error) => error instanceof DataProblem && error.message.includes("unpack to 10066329600 bytes together") && error.message.includes("is 4294967296"));
  const single = await openZip(new MemorySource("bomb.eval", makeZip([{ ...claims, name: "lies.json", size: 100 }, { ...claims, name: "header.json", size: largestEntry + 1 }])));
  assert.throws(() => single.read("header.json"), (error) => error instanceof DataProblem && error.message.includes(`the limit is ${largestEntry}`));
  assert.throws(() => single.read("lies.json"), (error) => error instanceof DataProblem && /does not unpack/.test(error.message));
});

test("a role that has the name of something inherited is an unknown role", () => {
  for (const role of ["__proto__", "constructor", "toString"]) {
    const text = JSON.stringify({ messages: [{ role, content: "a" }, { role: "assistant", content: "b" }] });
    const { steps, warnings } = openFile(new MemorySource("a.json", new TextEncoder().encode(text)), { format: "openai-chat" }).load(0);
    assert.equal(steps.length, 2, role);
    assert.equal(warnings.some(({ code }) => code === "reader-failed"), false, role);
  }
});

test("references to other files never leave the folder", (t) => {
  const root = tempRoot(t, {});
  mkdirSync(join(root, "inside", "deeper"), { recursive: true });
  writeFileSync(join(root, "secret.json"), "{}");
  writeFileSync(join(root, "inside", "beside.json"), "{}");
  writeFileSync(join(root, "inside", "deeper", "a.json"), "{}");
  const source = new FileSource(join(root, "inside", "deeper", "a.json"), join(root, "inside"));
  assert.ok(source.sibling("../beside.json"));
  for (const name of ["../../secret.json", join(root, "secret.json"), "..\\..\\secret.json", "file:///etc/passwd", "https://example.com/a.json", "/etc/passwd", "a.json\0", "", "."]) {
    assert.equal(source.sibling(name), undefined, JSON.stringify(name));
  }
});
