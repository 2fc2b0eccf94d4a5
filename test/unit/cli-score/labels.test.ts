/** `tracemark labels import|export`. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { labelsVerb } from "../../../server/cli/verbs/labels";
import { chat, tempRoot } from "../../support/temp-root";
import { callVerb } from "../../support/verb-call";

const record = (id: string, more: object = {}) => ({ id, sample_id: "a", annotator: "Ada", created_at: `2026-01-0${id}T00:00:00Z`, label: "benign", blind: true, seen: [], own_key: 9007199254740993n.toString(), ...more });
const span = { step: 1, part: "text", part_index: 0, start: 0, end: 1, exact: "a", prefix: "", suffix: "nswer", category: "specification_gaming" };

test("import sorts records into their annotators' files, keeps lines as they are, skips what is there", async (t) => {
  // The large number does not survive JSON.parse; the line has to be kept as it came.
  const first = JSON.stringify(record("1")).replace('"9007199254740993"', "9007199254740993");
  const root = tempRoot(t, {
    "m.samples.jsonl": [{ id: "a", ...chat("q", "answer") }],
    "in/one.jsonl": `${first}\n${JSON.stringify(record("2", { annotator: "Bob B." }))}\n`,
    "in/two.jsonl": [record("3"), record("2", { annotator: "Bob B." })],
  });
  const once = await callVerb(labelsVerb, root, ["import", "in/one.jsonl", "in/two.jsonl"], { json: true });
  assert.deepEqual([once.code, once.out], [0, ['{"added":3,"already":1,"refused":0}']]);
  assert.deepEqual(readdirSync(join(root, "labels")).sort(), ["ada.jsonl", "bob-b.jsonl"]);
  assert.equal(readFileSync(join(root, "labels/ada.jsonl"), "utf8"), `${first}\n${JSON.stringify(record("3"))}\n`);
  const again = await callVerb(labelsVerb, root, ["import", "in/one.jsonl"], { json: true });
  assert.deepEqual([again.code, again.out], [0, ['{"added":0,"already":2,"refused":0}']]);
});

test("what cannot be imported is refused line by line, in words, with exit 1", async (t) => {
  const root = tempRoot(t, {
    "labels/ada.jsonl": [record("1")],
    "in.jsonl": `${JSON.stringify(record("1", { label: "misbehavior" }))}\n{"id": "2"}\nnot json\n${JSON.stringify(record("4", { annotator: "ADA" }))}\n${JSON.stringify(record("5"))}\n`,
  });
  const { code, out, notes } = await callVerb(labelsVerb, root, ["import", "in.jsonl"], { json: true });
  assert.deepEqual([code, out], [1, ['{"added":1,"already":0,"refused":4}']]);
  const refused = notes.filter((note) => note.startsWith("refused: "));
  assert.equal(refused.length, 4);
  assert.ok(refused.includes("refused: in.jsonl:1: record 1 is there already with other content; give the new record another id"));
  assert.ok(refused.some((note) => note.startsWith("refused: in.jsonl:2: The line is not used: sample_id: missing")));
});

test("export prints every record by time, as it stands; without text only the offsets of spans", async (t) => {
  const late = record("3", { spans: [span], note: "my own words" });
  const root = tempRoot(t, { "labels/bob.jsonl": [record("2", { annotator: "Bob" })], "labels/ada.jsonl": [late, record("1")] });
  const plain = await callVerb(labelsVerb, root, ["export"], {});
  assert.deepEqual(plain.out, [record("1"), record("2", { annotator: "Bob" }), late].map((one) => JSON.stringify(one)));
  const bare = await callVerb(labelsVerb, root, ["export"], { text: false });
  // Notes, names and keys that nobody can vouch for stay behind as well.
  const { note: _note, own_key: _key, ...wordless } = late as typeof late & { note: string };
  assert.deepEqual(JSON.parse(bare.out[2] ?? ""), { ...wordless, annotator: "A1", spans: [{ ...span, exact: "", prefix: "", suffix: "", text_removed: true }] });
  assert.equal(JSON.parse(bare.out[1] ?? "").annotator, "A2");
});

test("a word that is no action, no file, a missing file, an unknown format: exit 2", async (t) => {
  const root = tempRoot(t, {});
  for (const [args, options, sentence] of [
    [["merge"], {}, "error: labels cannot merge; use labels import FILE..., labels export, labels relink or labels carry"],
    [["import"], {}, "error: labels import needs files; name the files to import"],
    [["import", "gone.jsonl"], {}, "error: gone.jsonl: there is no such file or folder; check the path"],
    [["export"], { format: "xml" }, "error: --format cannot be xml; use jsonl or csv or label-studio or w3c or scout or inspect"],
  ] as const) {
    const { code, notes } = await callVerb(labelsVerb, root, [...args], options);
    assert.deepEqual([code, notes], [2, [sentence]]);
  }
});
