/** Large JSON read by pieces gives what JSON.parse gives, whatever the cuts; with tiny cuts small texts take that path too. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { RawNumber, type Json, type JsonObject } from "#core/json/document";
import { parseJsonBytes } from "#core/json/piece-document";
import { scanBytes } from "#core/json/scan";
import { parseJson } from "#core/json/text-document";
import { randomFrom } from "../../support/fuzz/random";

const utf8 = new TextEncoder();
const cuts = { split: 24, group: 12, depth: 4 };

function read(text: string, options = {}) {
  const bytes = utf8.encode(text);
  return parseJsonBytes(bytes, 0, bytes.length, { cuts, ...options });
}

const strings = ["", "a", 'quote " backslash \\ end\\', "é", "数据→🚀", "\ud800 alone", "line\nbreak\ttab", "[{,:}]", "NaN Infinity 12345678901234567890", "x".repeat(40)];

function randomValue(random: () => number, depth: number): unknown {
  const kind = random();
  if (depth > 5 || kind < 0.35) return strings[Math.floor(random() * strings.length)];
  if (kind < 0.5) return [0, -1.5, 1e21, 123456789012345, true, false, null][Math.floor(random() * 7)];
  const count = Math.floor(random() * 6);
  if (kind < 0.75) return Array.from({ length: count }, () => randomValue(random, depth + 1));
  return Object.fromEntries(Array.from({ length: count }, () => [`${strings[Math.floor(random() * strings.length)]}${Math.floor(random() * 20)}`, randomValue(random, depth + 1)]));
}

test("500 random values, compact and indented, come out as from JSON.parse, numbers and order as written", () => {
  const random = randomFrom(42);
  let inPieces = 0;
  for (let round = 0; round < 500; round++) {
    const value = round % 2 === 0 ? [randomValue(random, 0), randomValue(random, 0)] : { a: randomValue(random, 0), b: randomValue(random, 0) };
    const text = JSON.stringify(value, null, round % 3);
    const result = read(text);
    assert.ok(result.document, result.problem);
    assert.deepEqual(result.document.value, JSON.parse(text), text);
    assert.deepEqual(result.document.notes, []);
    if (scanBytes(utf8.encode(text), 0, utf8.encode(text).length, cuts).root!.parts.length > 1) inPieces++;
    const whole = parseJson(text).document!;
    compareRaw(result.document.value, whole.value, (a, b) => assert.deepEqual(result.document!.rawMembers(a), whole.rawMembers(b)), (a, b) => assert.equal(result.document!.rawOf(a), whole.rawOf(b)));
  }
  assert.ok(inPieces > 200, `${inPieces} were cut`);
});

function compareRaw(a: Json, b: Json, objects: (a: JsonObject, b: JsonObject) => void, any: (a: Json, b: Json) => void): void {
  if (typeof a !== "object" || a === null || a instanceof RawNumber) return;
  any(a, b);
  if (!Array.isArray(a)) objects(a, b as JsonObject);
  for (const key of Object.keys(a)) compareRaw((a as JsonObject)[key]!, (b as JsonObject)[key]!, objects, any);
}

test("odd numbers in one piece leave the others on the quick path and keep their digits", () => {
  const filler = JSON.stringify(Array.from({ length: 30 }, (_, i) => ({ n: i, s: "abc" })));
  const result = read(`{"list":${filler},"odd":{"big":12345678901234567890,"n":NaN,"list":${filler}},"args":{"v":1.0}}`);
  const value = result.document!.value as JsonObject;
  assert.deepEqual((value["odd"] as JsonObject)["big"], new RawNumber("12345678901234567890"));
  assert.ok(Number.isNaN((value["odd"] as JsonObject)["n"]));
  assert.deepEqual(result.document!.rawMembers(value["args"] as JsonObject), [{ key: "v", raw: "1.0" }]);
  assert.equal((value["list"] as unknown[]).length, 30);
});

test("faults between the pieces are found as in a whole text", () => {
  const big = `[${Array.from({ length: 12 }, (_, i) => i).join(", ")}]`;
  for (const bad of [`[${big},,${big}]`, `[${big} 5, ${big}]`, `[${big}, ]`, `{"a":${big} "b":${big}}`, `{a:${big}}`, `{"a":${big},"b"}`, `[${big}}`, `[${big}`, `${big}${big}`, `{"a":${big},"b":${big}`, `[${big}, ${big}, x]`]) {
    const whole = parseJson(bad);
    const pieces = read(bad);
    assert.equal(pieces.problem ?? "read", whole.problem ?? "read", bad);
  }
});

test("repeated keys across pieces are told, the last one counts", () => {
  const list = JSON.stringify(Array.from({ length: 20 }, (_, i) => i));
  const text = `{"a":${list},"b":1,"a":[7]}`;
  const { document } = read(text);
  assert.deepEqual(document!.value, { a: [7], b: 1 });
  assert.deepEqual(document!.notes.map((note) => [note.code, note.offset]), [["duplicate-key", text.lastIndexOf('"a"')]]);
});

test("invalid bytes become U+FFFD and their place is told; a backslash before a character beyond ASCII is no escape", () => {
  const bytes = utf8.encode(`["aaaaaaaaaaaaaaaaaaaaaa","b?c","\\\\é","ddddddddddddddddd"]`);
  const at = bytes.indexOf("?".charCodeAt(0));
  bytes[at] = 0xff;
  const result = parseJsonBytes(bytes, 0, bytes.length, { cuts });
  assert.deepEqual((result.document!.value as string[]).slice(1, 3), ["b\ufffdc", "\\é"]);
  assert.equal(result.invalidAt, at);
  // A real broken escape is no JSON for JSON.parse; it is kept as written, and told.
  const broken = read('["aaaaaaaaaaaaaaaaaaaaaaaaa","\\é"]');
  assert.deepEqual((broken.document!.value as string[])[1], "\\é");
  assert.deepEqual(broken.document!.notes.map((note) => note.code), ["bad-escape"]);
});

test("a skip rule leaves the named lists out of every element but the first", () => {
  const prompt = [{ role: "user", content: "é".repeat(30), n: [1, { deep: [] }] }];
  const entry = (n: number) => ({ action: `a${n}`, query: prompt, state: { query: [n] }, messages: prompt, observation: "o" });
  const value = { trajectory: [entry(0), entry(1), entry(2)], other: [entry(3)], query: prompt, history: prompt };
  const text = JSON.stringify(value, null, 1);
  const result = read(text, { skip: { list: "trajectory", keys: ["query", "messages"] } });
  const without = (n: number) => ({ ...entry(n), query: null, messages: null });
  assert.deepEqual(result.document!.value, { ...value, trajectory: [entry(0), without(1), without(2)] });
  assert.deepEqual(result.document!.notes, []);
  // The text itself is whole.
  assert.equal(text.slice(result.document!.locate("/trajectory/1/query/0/role")!.start).slice(0, 6), '"user"');
});

test("white space around, scalars, empty containers, deep nesting", () => {
  const space = " ".repeat(100);
  for (const text of [`${space}[]${space}`, `${space}{}`, `${space}5`, `"${space}"`, `${space}[ ]`, `[[[[[[[[["${space}"]]]]]]]]]`]) assert.deepEqual(read(text).document!.value, JSON.parse(text));
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  const found = read(`{"a":${deep},"b":[1,2,3,4,5,6,7,8,9,10]}`).document!.value as JsonObject;
  assert.deepEqual(found["b"], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});
