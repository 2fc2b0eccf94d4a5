/** A vote whose members differ in prompting, begun, cut off and gone on with: each member under its own prompting. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fakeOpenAI, verdictText } from "../../support/fake-openai";
import { guardFiles, runNames, runVerbIn } from "../../support/run-call";
import { tempRoot } from "../../support/temp-root";

/** Drops all verdicts but the first, as if the run had been killed, and changes the header. */
function cutOff(root: string, change: (header: Record<string, unknown>) => Record<string, unknown> = (header) => header): string {
  const [name] = runNames(root);
  const file = join(root, "runs", name!);
  const [header, first] = readFileSync(file, "utf8").split("\n");
  writeFileSync(file, `${JSON.stringify(change(JSON.parse(header!) as Record<string, unknown>))}\n${first}\n`);
  return name!.replace(/\.jsonl$/, "");
}

test("a vote of direct and evidence goes on as it began; one asked for a prompting keeps that; an older header is taken as asked", async (t) => {
  const fake = await fakeOpenAI({ kind: "text", text: verdictText(false) });
  t.after(() => fake.close());
  const short = { base_url: fake.baseUrl, prompting: "direct" }, long = { kind: "llm", model: "m2", base_url: fake.baseUrl, prompting: "evidence" };
  const files = guardFiles(3, short, { long, panel: { kind: "vote", of: ["guard", "long"], rule: "all" } });
  const own = tempRoot(t, files);
  const begun = await runVerbIn(own, { monitor: "panel" });
  assert.deepEqual([begun.code, begun.lines.length, begun.lines[0]!["prompting"], begun.lines[0]!["prompting_asked"]], [0, 4, "evidence", false], begun.notes.join("\n"));
  const resumed = await runVerbIn(own, { resume: cutOff(own) });
  assert.deepEqual([resumed.code, resumed.lines.length], [0, 4], resumed.notes.join("\n"));
  assert.deepEqual((resumed.lines[0]!["members"] as { prompting: string }[]).map(({ prompting }) => prompting), ["direct", "evidence"]);
  const asked = tempRoot(t, files);
  const direct = await runVerbIn(asked, { monitor: "panel", prompting: "direct" });
  assert.deepEqual([direct.lines[0]!["prompting"], direct.lines[0]!["prompting_asked"]], ["direct", true]);
  const again = await runVerbIn(asked, { resume: cutOff(asked, ({ prompting_asked: _asked, ...header }) => header) });
  assert.deepEqual([again.code, again.lines.length], [0, 4], again.notes.join("\n"));
});

test("a vote with a prompting of its own is estimated under that one, as it is previewed and asked", async (t) => {
  const fake = await fakeOpenAI({ kind: "text", text: verdictText(false) });
  t.after(() => fake.close());
  const long = { kind: "llm", model: "m2", base_url: fake.baseUrl, prompting: "evidence" };
  const root = (vote: object) => tempRoot(t, guardFiles(2, { base_url: fake.baseUrl, prompting: "evidence" }, { long, panel: { kind: "vote", of: ["guard", "long"], ...vote } }));
  const tokens = async (vote: object, options: object = {}) => (JSON.parse((await runVerbIn(root(vote), { monitor: "panel", dryRun: true, json: true, ...options })).out[0]!) as { input_tokens: number }).input_tokens;
  const direct = await tokens({}, { prompting: "direct" });
  assert.deepEqual([await tokens({ prompting: "direct" }), await tokens({ prompting: "evidence" }, { prompting: "direct" })], [direct, direct]);
  assert.ok((await tokens({})) > direct);
});
