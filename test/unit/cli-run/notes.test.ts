/** What a run says beside its verdicts: requests that are asked again, a key that is missing or refused, nothing left to do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeOpenAI, verdictText } from "../../support/fake-openai";
import { guardFiles, runNames, runVerbIn } from "../../support/run-call";
import { tempRoot } from "../../support/temp-root";

test("a request that is asked again is told with its attempt, its fault and the wait", async (t) => {
  const server = await fakeOpenAI({ kind: "status", status: 500, message: "out of memory", headers: { "retry-after": "0.01" } }, { kind: "text", text: verdictText(true) });
  t.after(() => server.close());
  const root = tempRoot(t, guardFiles(1, { base_url: server.baseUrl }));
  const { code, notes } = await runVerbIn(root, { monitor: "guard" });
  assert.equal(code, 0);
  assert.equal(server.received.length, 2);
  assert.match(notes.find((line) => line.includes("attempt"))!, /^note: attempt 1 of 7: the endpoint answered 500: out of memory; asking again in 0\.[0-3] s$/);
});

test("401 says once how to give a key; with a key in use it says which to check", async (t) => {
  const server = await fakeOpenAI({ kind: "status", status: 401, message: "Unauthorized" });
  t.after(() => server.close());
  const without = await runVerbIn(tempRoot(t, guardFiles(2, { base_url: server.baseUrl })), { monitor: "guard" });
  assert.equal(without.code, 2);
  assert.deepEqual(without.notes.filter((line) => line.includes("key")), [
    'note: the endpoint wants a key; put it into an environment variable (export MY_KEY=…) and add "api_key_env": "MY_KEY" to monitor "guard" in tracemark.json',
  ]);
  const single = await runVerbIn(tempRoot(t, guardFiles(1, { base_url: server.baseUrl })), { monitor: "guard" });
  assert.deepEqual([single.code, single.lines.length, single.notes.filter((line) => line.includes("wants a key")).length], [1, 2, 1]);
  const refused = await runVerbIn(tempRoot(t, guardFiles(2, { base_url: server.baseUrl, api_key_env: "GUARD_KEY" })), { monitor: "guard" }, { env: { GUARD_KEY: "sk-1234567" } });
  assert.deepEqual(refused.notes.filter((line) => line.includes("key")), ["note: the endpoint does not take the key; check what the environment variable GUARD_KEY holds"]);
});

test("a finished run that is resumed says that nothing is left, and asks nothing", async (t) => {
  const server = await fakeOpenAI({ kind: "text", text: verdictText(false) });
  t.after(() => server.close());
  const root = tempRoot(t, guardFiles(1, { base_url: server.baseUrl }));
  const first = await runVerbIn(root, { monitor: "guard" });
  assert.equal(first.out[0], "1 verdict: 0 misbehavior, 1 benign, 0 invalid");
  assert.ok(!first.notes.some((line) => line.includes("nothing left")));
  const id = runNames(root)[0]!.replace(".jsonl", "");
  const again = await runVerbIn(root, { resume: id });
  assert.deepEqual([again.code, again.notes, server.received.length], [0, [`note: every sample of run ${id} has its verdict; there is nothing left to judge`], 1]);
});

test("samples that only the best guess can read are told of, since it may leave out what the agent did", async (t) => {
  const odd = (text: string) => `${JSON.stringify({ record: { contents: [[{ role: "user", content: "Tidy up." }, { role: "agent", thought: "Quickly.", action: text }]] } })}\n`;
  const root = tempRoot(t, { "tracemark.json": JSON.stringify({ name: "t", samples: ["odd.jsonl"] }), "odd.jsonl": odd("Done.") + odd("Swept.") });
  const { code, notes } = await runVerbIn(root, { monitor: "rules" });
  assert.equal(code, 0);
  assert.match(notes.find((line) => line.includes("best guess")) ?? "", /^warning: 2 samples \(odd\.jsonl#0, …\) had no known format and were read by best guess, so the monitor may not have seen all/);
});

test("what a resumed run does not heed is told, and what its cap cannot know", async (t) => {
  const answered = JSON.stringify({ model: "m-1", choices: [{ index: 0, message: { role: "assistant", content: verdictText(false) }, finish_reason: "stop" }] });
  const server = await fakeOpenAI({ kind: "body", body: answered });
  t.after(() => server.close());
  const root = tempRoot(t, guardFiles(3, { base_url: server.baseUrl, params: { max_tokens: 100 } }));
  const first = await runVerbIn(root, { monitor: "guard", maxTokens: "1500", concurrency: "1" });
  assert.deepEqual([first.code, first.lines.length], [2, 2], first.notes.join("\n"));
  const { notes } = await runVerbIn(root, { resume: runNames(root)[0]!.replace(".jsonl", ""), repeat: "3", reasoning: false, split: "dev", concurrency: "1" });
  assert.deepEqual(notes.filter((line) => line.startsWith("note: ")), [
    ...["split", "repeat", "no-reasoning"].map((name) => `note: --${name} is not used; the run goes on with what its header names`),
    "note: 1 verdict of this run names no tokens, so the cap counts nothing for what it came to",
  ]);
});
