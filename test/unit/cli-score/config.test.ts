/** What is said of a `tracemark.json` that cannot be used, in whole or in its monitors. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as models from "#node/models/main";
import { nothingAllowed } from "#node/models/origin";
import { makeRunVerb } from "../../../server/cli/verbs/run";
import { labelsVerb } from "../../../server/cli/verbs/labels";
import { scoreVerb } from "../../../server/cli/verbs/score";
import { validateVerb } from "../../../server/cli/verbs/validate";
import { chat, tempRoot } from "../../support/temp-root";
import { callVerb } from "../../support/verb-call";

const runVerb = makeRunVerb({ models: () => models, env: {}, user: () => nothingAllowed });

test("a tracemark.json that is not JSON is what every verb speaks of", async (t) => {
  const root = tempRoot(t, { "tracemark.json": '{\n  "name": "t",\n  "samples": ["*.json"\n}\n', "a.json": chat("Hi.", "Hello."), "labels.jsonl": "" });
  const calls: [typeof runVerb, string[], object][] = [[runVerb, [], { monitor: "rules", concurrency: "1" }], [scoreVerb, [], {}], [labelsVerb, ["export"], {}], [labelsVerb, ["import", "labels.jsonl"], {}]];
  for (const [verb, args, options] of calls) {
    const { code, notes, out } = await callVerb(verb, root, args, { ...options });
    assert.deepEqual([verb.name, code, out], [verb.name, 2, []]);
    assert.match(notes.at(-1)!, /^error: .*tracemark\.json:4: The file is not JSON: .+; correct it, then try again$/);
  }
  const { code, out } = await callVerb(validateVerb, root, ["."], { json: true });
  assert.equal(code, 1);
  assert.deepEqual(out.map((line) => JSON.parse(line) as { file: string; line: number; code: string }).map(({ file, line, code: what }) => [file, line, what]), [["tracemark.json", 4, "bad-json"]]);
});

test("validate refuses monitors that cannot run, each with its line and what to do", async (t) => {
  const config = {
    name: "t", samples: ["a.json"],
    monitors: {
      fine: { kind: "llm", model: "m", base_url: "http://127.0.0.1:1/v1" },
      address: { kind: "llm", model: "m", base_url: "not a url" },
      nothing: { kind: "command" },
      vote: { kind: "vote", of: ["fine", "address"] },
      rule: { kind: "rules", rules: [{ id: "r", title: "t", category: "c", pattern: "(?=x)" }] },
    },
  };
  const root = tempRoot(t, { "tracemark.json": JSON.stringify(config, null, 1), "a.json": chat("Hi.", "Hello.") });
  const lines = JSON.stringify(config, null, 1).split("\n");
  const { code, out } = await callVerb(validateVerb, root, ["."], { json: true });
  assert.equal(code, 1);
  const found = out.map((line) => JSON.parse(line) as { file: string; line: number; code: string; message: string });
  assert.deepEqual(found.map((one) => [one.file, one.code, lines[one.line - 1]!.trim().slice(0, 20)]), [
    ["tracemark.json", "unusable-monitor", '"base_url": "not a u'],
    ["tracemark.json", "unusable-monitor", '"nothing": {'],
    ["tracemark.json", "unusable-monitor", '"of": ['],
    ["tracemark.json", "unusable-monitor", '"pattern": "(?=x)"'],
  ]);
  assert.match(found[0]!.message, /^Monitor address: "base_url": "not a url" is no http or https address; write it like http:\/\/127\.0\.0\.1:8080\/v1\.$/);
  assert.match(found[2]!.message, /its monitor "address" cannot run/);
});
