/** What is said of a `tracemark.json` that cannot be used, in whole or in its monitors. */
import assert from "node:assert/strict";
import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
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

test("a monitor that has not the expected form is off by itself, with its line and what to do", async (t) => {
  const config = {
    name: "t", samples: ["a.json"],
    monitors: { badkind: { kind: "magic" }, fine: { kind: "rules" }, vote: { kind: "vote", of: ["fine", "badkind"] } },
  };
  const text = JSON.stringify(config, null, 1);
  const root = tempRoot(t, { "tracemark.json": text, "a.json": chat("Hi.", "Hello.") });
  const { code, out } = await callVerb(validateVerb, root, ["."], { json: true });
  assert.equal(code, 1);
  const found = out.map((line) => JSON.parse(line) as { line: number; code: string; message: string });
  assert.deepEqual(found.map((one) => [text.split("\n")[one.line - 1]!.trim(), one.code]), [['"kind": "magic"', "unusable-monitor"], ['"of": [', "unusable-monitor"]]);
  assert.match(found[0]!.message, /^monitors\.badkind\.kind: expected "llm" or .+\. The monitor badkind is not used; correct its entry\.$/);
  assert.match(found[1]!.message, /^Monitor vote: the entry of its monitor "badkind" cannot be used \(line 8: /);
  const run = (monitor: string) => callVerb(runVerb, root, [], { monitor, concurrency: "1", repeat: "1" });
  const bad = await run("badkind");
  assert.deepEqual([bad.code, bad.out], [2, []]);
  assert.match(bad.notes.at(-1)!, /^error: tracemark\.json:8: the entry of monitor "badkind" cannot be used: monitors\.badkind\.kind: expected "llm" or .+; correct it$/);
  assert.match((await run("nobody")).notes.at(-1)!, /there is no monitor "nobody"; choose one of rules, fine, vote/);
  const fine = await run("fine");
  assert.deepEqual([fine.code, fine.notes, fine.out[0]], [0, [], "1 verdict: 0 misbehavior, 1 benign, 0 invalid"]);
});

test("score warns of a damaged line of a run and goes on, exit code 0: findings are those of validate", async (t) => {
  const root = tempRoot(t, { "tracemark.json": { name: "t", samples: ["a.json"] }, "a.json": chat("Hi.", "Hello.") });
  assert.equal((await callVerb(runVerb, root, [], { monitor: "rules", concurrency: "1", repeat: "1" })).code, 0);
  const [name] = readdirSync(join(root, "runs")).filter((one) => one.endsWith(".jsonl"));
  appendFileSync(join(root, "runs", name!), "{damaged\n");
  const score = await callVerb(scoreVerb, root, [], {});
  assert.equal(score.code, 0);
  assert.ok(score.notes.some((line) => line.startsWith(`warning: runs/${name!}:3: `)), score.notes.join("\n"));
  assert.equal((await callVerb(validateVerb, root, ["."], {})).code, 1);
});

test("an export without labels says so on standard error", async (t) => {
  const root = tempRoot(t, { "tracemark.json": { name: "t", samples: ["a.json"] }, "a.json": chat("Hi.", "Hello.") });
  const { code, out, notes } = await callVerb(labelsVerb, root, ["export"], {});
  assert.deepEqual([code, out], [0, []]);
  assert.equal(notes[0], `note: there are no labels in ${join(root, "labels")}`);
});
