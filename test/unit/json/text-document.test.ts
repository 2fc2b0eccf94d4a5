/** JSON texts: what JSON.parse refuses or spoils, what was recorded, where it stands, what a cut leaves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { RawNumber, type JsonDocument, type JsonObject } from "#core/json/document";
import { parseJson } from "#core/json/text-document";

function document(text: string, recover = false): JsonDocument {
  const result = parseJson(text, { recover });
  assert.ok(result.document, result.problem);
  return result.document;
}

test("NaN and infinities are numbers; the same words in strings stay", () => {
  const value = document('{"a":NaN,"b":-Infinity,"c":[Infinity],"d":"x \\"value\\": NaN"}').value as JsonObject;
  assert.ok(Number.isNaN(value["a"]));
  assert.equal(value["b"], -Infinity);
  assert.deepEqual(value["c"], [Infinity]);
  assert.equal(value["d"], 'x "value": NaN');
});

test("integers past 2^53 keep their digits, smaller ones and fractions are doubles", () => {
  const value = document("[9007199254740991, 9007199254740992, -12345678901234567890, 0.12345678901234567, 1234567890123456e2, 12345678901234567.5]").value as unknown[];
  assert.equal(value[0], 9007199254740991);
  assert.deepEqual(value[1], new RawNumber("9007199254740992"));
  assert.deepEqual(value[2], new RawNumber("-12345678901234567890"));
  assert.equal(value[3], 0.12345678901234567);
  assert.equal(value[4], 1234567890123456e2);
  assert.equal(value[5], 12345678901234567.5);
});

test("members come as recorded: order of keys like 10, numbers and nested values as written", () => {
  const text = '{"input": {"z": 1.0, "10": 12345678901234567890, "2": {"a": [ 1e2 ]}, "s": "\\u00e9\\n", "z2":true}}';
  const parsed = document(text);
  const input = (parsed.value as JsonObject)["input"] as JsonObject;
  assert.deepEqual(parsed.rawMembers(input), [
    { key: "z", raw: "1.0" }, { key: "10", raw: "12345678901234567890" }, { key: "2", raw: '{"a": [ 1e2 ]}' }, { key: "s", raw: '"\\u00e9\\n"' }, { key: "z2", raw: "true" },
  ]);
  const inner = input["2"] as JsonObject;
  assert.equal(parsed.rawOf(inner), '{"a": [ 1e2 ]}');
  assert.equal(parsed.rawOf(inner["a"]!), "[ 1e2 ]");
  assert.equal(parsed.rawOf("é"), '"é"');
  assert.equal(parsed.rawOf(1), undefined);
  assert.equal(parsed.rawMembers({}), undefined);
});

test("objects under unusual keys, in lists and at the root are found too", () => {
  const parsed = document(' [ {"odd": {"k": 1.50}}, {"odd": {"k": 2.50}} ]');
  const list = parsed.value as JsonObject[];
  assert.deepEqual(parsed.rawMembers(list[1]!["odd"] as JsonObject), [{ key: "k", raw: "2.50" }]);
  assert.equal(parsed.rawOf(parsed.value), '[ {"odd": {"k": 1.50}}, {"odd": {"k": 2.50}} ]');
});

test("a repeated key: the last value counts, in the first place, and is told", () => {
  const parsed = document('{"a":1,"b":{"x":1.0},"a":2.0,"b":{"x":2.0}}');
  assert.deepEqual(parsed.value, { a: 2, b: { x: 2 } });
  assert.deepEqual(parsed.rawMembers(parsed.value as JsonObject)?.map((member) => member.raw), ["2.0", '{"x":2.0}']);
  assert.deepEqual(parsed.rawMembers((parsed.value as JsonObject)["b"] as JsonObject), [{ key: "x", raw: "2.0" }]);
  assert.deepEqual(parsed.notes.map((note) => [note.code, note.offset]), [["duplicate-key", 21], ["duplicate-key", 29]]);
});

test("__proto__ is a member like any other, on both paths", () => {
  for (const text of ['{"__proto__":{"a":1}}', '{"__proto__":{"a":1},"n":NaN}']) {
    const value = document(text).value as JsonObject;
    assert.ok(Object.hasOwn(value, "__proto__"));
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
  }
});

test("raw control characters and trailing commas are read and told", () => {
  const parsed = document('{"a":"x\ty",}');
  assert.deepEqual(parsed.value, { a: "x\ty" });
  assert.deepEqual(parsed.notes.map((note) => note.code), ["control-character", "trailing-comma"]);
});

test("lone surrogates stay as recorded", () => {
  const value = document('["\\udcb2 \\ud83d", "\\ud83d\\ude80"]').value as string[];
  assert.equal(value[0]!.charCodeAt(0), 0xdcb2);
  assert.equal(value[1], "🚀");
});

test("what is no JSON says where", () => {
  const cases: [string, string, number][] = [
    ["", "the JSON ends in the middle", 0], ['{"a" 1}', 'expected ":", found "1}"', 5], ["[1 2]", 'expected "," or "]", found "2]"', 3],
    ["{} x", "text after the end of the JSON value", 3], ["[1,2}", 'expected "," or "]", found "}"', 4], ["{'a':1}", 'expected a quoted key, found "\'a\':1}"', 1], ["nul", 'expected a value, found "nul"', 0],
  ];
  for (const [text, problem, offset] of cases) {
    const result = parseJson(text);
    assert.equal(result.problem, problem, text);
    if (result.problem !== undefined) assert.equal(result.offset, offset, text);
  }
});

test("a cut text gives what was whole; the half value is dropped", () => {
  const whole = '{"a":[1,{"b":"cd","e":12345}],"f":true}';
  const expected: Record<number, unknown> = {
    1: {}, 5: {}, 6: { a: [] }, 7: { a: [] }, 8: { a: [1] }, 9: { a: [1, {}] }, 14: { a: [1, {}] }, 16: { a: [1, {}] }, 17: { a: [1, { b: "cd" }] },
    25: { a: [1, { b: "cd" }] }, 28: { a: [1, { b: "cd", e: 12345 }] }, 36: { a: [1, { b: "cd", e: 12345 }] }, 38: { a: [1, { b: "cd", e: 12345 }] },
  };
  for (const [length, value] of Object.entries(expected)) {
    const cut = document(whole.slice(0, Number(length)), true);
    assert.deepEqual(cut.value, value, `first ${length} characters`);
    assert.equal(cut.notes.at(-1)?.code, "json-cut");
  }
  for (let length = 0; length < whole.length; length++) document(whole.slice(0, length), true);
});

test("nesting 100,000 deep is read, cut, searched, without an overflow", () => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  for (const text of [deep, `{"n":NaN,"a":${deep}}`, "[".repeat(100_000), '{"a":'.repeat(100_000)]) {
    const parsed = document(text, true);
    assert.ok(parsed.rawOf(parsed.value)!.length >= 100_000);
    assert.equal(parsed.rawMembers({}), undefined);
  }
});

test("pointers lead to UTF-16 offsets", () => {
  const text = '{"é🚀": [10, {"a/b": "x", "~": null}], "": 1}';
  const parsed = document(text);
  const at = (pointer: string) => {
    const found = parsed.locate(pointer);
    return found && text.slice(found.start, found.end);
  };
  assert.equal(at(""), text);
  assert.equal(at("/é🚀/0"), "10");
  assert.equal(at("/é🚀/1/a~1b"), '"x"');
  assert.equal(at("/é🚀/1/~0"), "null");
  assert.equal(at("/"), "1");
  assert.equal(at("/é🚀/2"), undefined);
  assert.equal(at("/é🚀/01"), undefined);
  assert.equal(at("x"), undefined);
});
