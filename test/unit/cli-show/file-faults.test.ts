/** Files that cannot be read, or give nothing: in a folder that is checked, among files to convert, under a format chosen by hand; and how places of a quote are printed. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { convertVerb } from "../../../server/cli/verbs/convert";
import { locateVerb } from "../../../server/cli/verbs/locate";
import { showVerb } from "../../../server/cli/verbs/show";
import { validateVerb } from "../../../server/cli/verbs/validate";
import { chat, tempRoot } from "../../support/temp-root";
import { callVerb } from "../../support/verb-call";

const damaged = { "bad.eval": "PK\u0003\u0004garbage", "empty.traj": "", "odd.traj": { a: 1 }, "notes.trajectory.json": "just words\n", "binary.traj": "\u007fELF\u0000\u0000\u0000\u0000\u0000\u0000" };

async function found(root: string, path: string): Promise<[string, string][]> {
  const { code, out } = await callVerb(validateVerb, root, [path], { json: true });
  assert.equal(code, 1);
  return out.map((line) => JSON.parse(line) as { file: string; code: string }).map(({ file, code: what }) => [file, what]);
}

test("validate FOLDER names every file whose name says that it is a trajectory and that cannot be read", async (t) => {
  // Names that other programs use as well promise nothing.
  const root = tempRoot(t, { ...damaged, "good.json": chat("Hi.", "Hello."), "package.json": { name: "x" }, "words.json": "no JSON", "deep/empty.eval": "" });
  assert.deepEqual(await found(root, "."), [
    ["bad.eval", "damaged-archive"], ["binary.traj", "binary-file"], ["deep/empty.eval", "empty-file"],
    ["empty.traj", "empty-file"], ["notes.trajectory.json", "unknown-format"], ["odd.traj", "no-trajectory"],
  ]);
  assert.deepEqual(await found(root, "deep"), [["deep/empty.eval", "empty-file"]]);
});

test("so it does where tracemark.json names other samples, and for what a manifest names", async (t) => {
  const root = tempRoot(t, {
    ...damaged, "tracemark.json": { name: "t", samples: ["all.samples.jsonl"] }, "all.samples.jsonl": [{ id: "s", trajectory: "words.json" }], "words.json": "no JSON",
  });
  const all = await found(root, ".");
  assert.deepEqual(all.filter(([file]) => file !== "all.samples.jsonl"), [
    ["bad.eval", "damaged-archive"], ["binary.traj", "binary-file"], ["empty.traj", "empty-file"], ["notes.trajectory.json", "unknown-format"], ["odd.traj", "no-trajectory"],
  ]);
  assert.ok(all.some(([file]) => file === "all.samples.jsonl"));
});

test("convert goes on after a bad file: a line for each, the others written, exit code 1; 2 where none could be read", async (t) => {
  const root = tempRoot(t, { ...damaged, "a.json": chat("Hi.", "Hello."), "b.json": chat("Bye.", "So long.") });
  const some = await callVerb(convertVerb, root, ["bad.eval", "a.json", "gone.json", "b.json"], { out: "out" });
  assert.equal(some.code, 1);
  assert.match(some.notes[0]!, /^error: bad\.eval: The zip archive is damaged or cut off: .+; copy the file again/);
  assert.match(some.notes[1]!, /^error: gone\.json: /);
  assert.deepEqual(some.notes.slice(2), ["2 of 4 files could not be converted"]);
  assert.deepEqual(some.out, ["2 trajectories written to out"]);
  assert.deepEqual(readdirSync(join(root, "out")), ["a.atif.json", "b.atif.json"]);
  const none = await callVerb(convertVerb, root, ["bad.eval", "gone.json"], { out: "none" });
  assert.deepEqual([none.code, none.out, none.notes.map((line) => line.split(":", 2).join(":"))], [2, [], ["error: bad.eval", "error: gone.json"]]);
  assert.deepEqual((await callVerb(convertVerb, root, ["a.json"], { out: "one" })).out, ["1 trajectory written to one"]);
  assert.ok(existsSync(join(root, "one", "a.atif.json")));
});

test("a format chosen by hand that finds nothing is named, without the advice to choose one", async (t) => {
  const root = tempRoot(t, { "notes.txt": "Just words.\n" });
  const asked = await callVerb(showVerb, root, ["notes.txt"], { format: "swe-agent" });
  assert.deepEqual([asked.code, asked.notes], [1, ["note: notes.txt: the swe-agent reader finds no trajectory in this file; leave --format out, or choose another: see tracemark formats"]]);
  const plain = await callVerb(showVerb, root, ["notes.txt"]);
  assert.deepEqual([plain.code, plain.notes], [1, ["note: notes.txt: no trajectory in this file; No known format was recognised; choose one with --format: see tracemark formats"]]);
});

test("locate: a near quote with its difference, many places cut, an empty quote refused, absent is an answer", async (t) => {
  const root = tempRoot(t, { "a.json": chat("Please delete the old backup folder of the server now.", "ok then. ".repeat(30)) });
  const locate = (quote: string) => callVerb(locateVerb, root, ["a.json"], { quote });
  const near = await locate("Please delete the older backup folder of the server now.");
  assert.equal(near.code, 0);
  assert.equal(near.out[0], "a.json: near");
  assert.equal(near.out.at(-1), "    difference: Please delete the [-older-]{+old+} backup folder of the server now.");
  const many = await locate("ok then.");
  assert.equal(many.out[0], "a.json: ambiguous, 30 places");
  assert.equal(many.out.filter((line) => line.startsWith("  step ")).length, 20);
  assert.equal(many.out.at(-1), "  and 10 more places");
  const empty = await locate("  ");
  assert.deepEqual([empty.code, empty.out, empty.notes], [2, [], ["error: a.json: the quote is empty; give --quote a text with at least one word"]]);
  const absent = await locate("nothing like this was ever said by anyone");
  assert.deepEqual([absent.code, absent.out], [0, ["a.json: absent"]]);
});
