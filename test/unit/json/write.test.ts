/** Writing JSON with recorded pieces. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { OrderedJson, RawJson, writeJson } from "#core/json/write";

test("plain values are written as JSON.stringify writes them", () => {
  const value = { a: [1, "x\u2028\ud800", null, true, [], {}], b: { c: 1.5, n: NaN } };
  assert.equal(writeJson(value, 2), JSON.stringify(value, null, 2));
  assert.equal(writeJson(value), JSON.stringify(value));
});

test("raw pieces and the order of members come out untouched; undefined members are left out", () => {
  const value = { args: new OrderedJson([["z", new RawJson("1.0")], ["10", new RawJson("12345678901234567890")], ["2", "x"]]), none: undefined };
  assert.equal(writeJson(value), '{"args":{"z":1.0,"10":12345678901234567890,"2":"x"}}');
  assert.equal(writeJson(value, 1), '{\n "args": {\n  "z": 1.0,\n  "10": 12345678901234567890,\n  "2": "x"\n }\n}');
});
