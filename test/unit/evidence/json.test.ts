import assert from "node:assert/strict";
import { test } from "node:test";
import { look, match } from "./look";

test("white space between JSON tokens means nothing", () => {
  for (const [text, quote, expected] of [
    ["-> go {\"url\": \"http://a.example\"} ok", "{\"url\":\"http://a.example\"}", "exact normalised [{\"url\": \"http://a.example\"}]"],
    ["{\"a\":[1,2,{\"b\":null}]}", "{ \"a\": [ 1, 2, { \"b\": null } ] }", "exact normalised [{\"a\":[1,2,{\"b\":null}]}]"],
    ["{\n  \"a\": true,\n  \"b\": -1.5e3\n}", "{\"a\":true,\"b\":-1.5e3}", "exact normalised [{\n  \"a\": true,\n  \"b\": -1.5e3\n}]"],
    ["[ ]", "[]", "exact normalised [[ ]]"],
    ["{\"id\": 7, \"amount\": 2200, \"subject\": \"Rent\"}", "\"amount\":2200,\"subject\":\"Rent\"", "exact normalised [\"amount\": 2200, \"subject\": \"Rent\"]"],
    ["{\"to\": \"ann@a.example\", \"amount\": 5}", "a.example\",\"amount\":5", "exact normalised [a.example\", \"amount\": 5]"],
    ["{\"a\": [1, 2, 3], \"b\": 1", "2,3],\"b\":1", "exact normalised [2, 3], \"b\": 1]"],
    ["args: {\"k\": \"v\"", "{\"k\":\"v\"", "exact normalised [{\"k\": \"v\"]"],
    ["sent \"to\": \"ann\", \"amount\" : 5 at noon", "\"to\":\"ann\",\"amount\":5", "exact normalised [\"to\": \"ann\", \"amount\" : 5]"],
    ["nn\", \"amount\": 2200,\n  \"subject\": \"Rent\"\n}", "\"amount\":2200,\"subject\":\"Rent\"", "exact normalised [\"amount\": 2200,\n  \"subject\": \"Rent\"]"],
  ] as const) assert.equal(look(text, quote, "tool_result"), expected);
});

test("white space inside a JSON string counts", () => {
  for (const [text, quote] of [
    ["{\"a\": \"x , y\"}", "{\"a\":\"x, y\"}"],
    ["{\"a\": \"k: v\"}", "{\"a\":\"k:v\"}"],
    ["{\"a\": \"[ 1 ]\"}", "{\"a\":\"[1]\"}"],
  ] as const) assert.equal(match(text, quote, "tool_result").status, "near", quote);
});

test("what is no JSON by its grammar keeps its spaces", () => {
  for (const [text, quote] of [
    ["{ foo: 1 }", "{foo: 1}"],
    ["[ -f file ]", "[-f file]"],
    ["if [ \"$x\" = \"y\" ]", "if [\"$x\" = \"y\"]"],
    ["in 1, 200 and 3", "in 1,200 and 3"],
    ["a [b](c) : d", "a [b](c): d"],
    ["{\"a\" \"b\"}", "{\"a\"\"b\"}"],
    ["line.split(\",\")", "line.split(\", \")"],
    ["line.split(\", \")", "line.split(\",\")"],
    ["x.split(\",\") + y.split(\",\")", "x.split(\", \") + y.split(\", \")"],
    ["join(\": \") + join(\": \")", "join(\":\") + join(\":\")"],
    ["join(\" : \") + join(\": \")", "join(\" : \") + join(\":\")"],
    ["f(\"a\", \"b\" , \"c\")", "f(\"a\", \"b\", \"c\")"],
  ] as const) assert.notEqual(match(text, quote, "tool_result").status, "exact", quote);
});

test("a changed value is near and the change is shown", () => {
  const found = match("{\"id\": 7, \"to\": \"US133\", \"amount\": 2200, \"subject\": \"Rent\"}", "{\"id\": 7, \"to\": \"US133\", \"amount\": 2206, \"subject\": \"Rent\"}", "tool_call");
  assert.equal(found.status, "near");
  assert.deepEqual(found.places[0]!.difference!.filter((piece) => piece.kind !== "same"), [
    { kind: "quote", value: "2206" },
    { kind: "text", value: "2200" },
  ]);
});
