/** Texts that are let go of and read again: they are the same to whoever asks, and memory does not hold them. */
import assert from "node:assert/strict";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Json, JsonObject } from "#core/json/document";
import { parseJson } from "#core/json/text-document";
import { lighten, shapeOf, shortText, textLength, thin } from "#core/trajectory/light-text";
import type { Part, Step } from "#core/trajectory/model";
import { openPath } from "#node/open";
import { contentSha256 } from "#node/sha256";
import { tempRoot } from "../../support/temp-root";

const long = (word: string) => `${word} `.repeat(shortText);

test("a long text that stands in its line is read from there, every other one stays", () => {
  let reads = 0;
  const values: Record<number, Json> = { 7: { a: ["short", long("one")], b: { deep: long("two"), again: long("two") } } };
  const step: Pick<Step, "parts" | "places"> = {
    parts: [{ kind: "text", text: long("two") }, { kind: "tool_result", text: long("one"), callId: "c", isError: true }, { kind: "text", text: "short" }, { kind: "text", text: long("nowhere") }],
    places: [{ line: 7, pointer: "" }],
  };
  const before = structuredClone(step.parts);
  lighten(step, { lineValue: (line) => (reads++, values[line]) });
  reads = 0;
  assert.deepEqual(step.parts.map(textLength), before.map(({ text }) => text.length));
  assert.deepEqual(shapeOf(step.parts[1]!), { kind: "tool_result", text: "", toolName: undefined, callId: "c", isError: true, args: undefined });
  assert.equal(reads, 0);
  assert.deepEqual(JSON.parse(JSON.stringify(step.parts)), before);
  assert.deepEqual(step.parts.map((part): Part => ({ ...part })), before);
  assert.equal(reads, 4);
  // Written to, it is a text like others.
  step.parts[0]!.text = "new";
  assert.equal(step.parts[0]!.text, "new");
  // A line that has become another gives no wrong text.
  values[7] = { a: [long("else")] };
  assert.equal(step.parts[1]!.text, "");
  // Nor does one of the same length.
  values[7] = { a: [long("oen")] };
  assert.equal(step.parts[1]!.text, "");
  values[7] = { a: [long("one")] };
  assert.equal(step.parts[1]!.text, long("one"));
});

test("a session past 64 MB has the steps and the hash of its lines, read again out of order", async (t) => {
  const root = tempRoot(t, {});
  const file = join(root, "long.jsonl");
  const handle = openSync(file, "w");
  const texts = Array.from({ length: 400 }, (_, n) => `${n} é ${"0123456789 ".repeat(16_000)}`);
  for (const [n, text] of texts.entries()) {
    writeSync(handle, `${JSON.stringify(n % 2 ? { role: "tool", tool_call_id: `c${n - 1}`, content: text } : { role: "assistant", content: `<think>why ${n}</think>${text}`, tool_calls: [{ id: `c${n}`, type: "function", function: { name: "bash", arguments: JSON.stringify({ command: text.slice(0, 500) }) } }] })}\n`);
  }
  closeSync(handle);
  const opened = await openPath(file, { root });
  const { steps, warnings } = opened.file.load(0);
  assert.deepEqual([opened.file.format?.id, steps.length, warnings], ["openai-chat", 400, []]);
  for (const n of [399, 1, 200, 201, 0]) assert.equal(steps[n]!.parts.find(({ kind }) => kind === (n % 2 ? "tool_result" : "text"))?.text, texts[n], `step ${n}`);
  const plain = texts.map((text, n): Pick<Step, "role" | "parts"> => (n % 2
    ? { role: "tool", parts: [{ kind: "tool_result", text }] }
    : { role: "assistant", parts: [{ kind: "reasoning", text: `why ${n}` }, { kind: "text", text }, { kind: "tool_call", toolName: "bash", text: `command: ${text.slice(0, 500)}` }] }));
  assert.equal(contentSha256(steps), contentSha256(plain));
});

test("a document that lets go of its text answers as before, from the text read again", () => {
  const text = JSON.stringify({ a: long("one"), list: [long("two"), { b: long("three"), n: 1 }], input: { "10": 1e2, path: long("four"), "2": [] } }).replace("100", "1e2");
  const document = parseJson(text).document!;
  const value = document.value as JsonObject;
  const input = value["input"] as JsonObject;
  const before = { copy: structuredClone(value), members: document.rawMembers(input), raw: document.rawOf(input), place: document.locate("/list/1/b") };
  let reads = 0;
  thin(value, () => (reads++, parseJson(text).document!.value));
  document.letGo!(() => text);
  assert.equal(reads, 0);
  assert.deepEqual(JSON.parse(JSON.stringify(value)), before.copy);
  assert.equal(reads, 3);
  assert.deepEqual([{ ...value }["a"], "a" in value, Object.keys(value)], [long("one"), true, ["a", "list", "input"]]);
  assert.deepEqual({ members: document.rawMembers(input), raw: document.rawOf(input), place: document.locate("/list/1/b") }, { members: before.members, raw: before.raw, place: before.place });
  assert.deepEqual(before.members?.map(({ key, raw }) => [key, raw.length < 9 ? raw : raw.length]), [["2", "[]"], ["10", "1e2"], ["path", long("four").length + 2]]);
  value["a"] = "new";
  assert.equal(value["a"], "new");
});
