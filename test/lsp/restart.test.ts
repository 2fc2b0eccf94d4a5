/** The server keeps nothing that a crash could lose: killed at any moment and started anew, it answers the same. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { fileRef, LanguageClient } from "./language-client";
import { editorRuns, samplesCopy } from "./scratch";

/** Everything a view of split-bill-1 asks for. */
async function screen(client: LanguageClient, root: string): Promise<unknown[]> {
  const document = fileRef(join(root, "swe-agent/split-bill-1.traj"), root);
  return [
    await client.request("tracemark/open", document),
    await client.request("tracemark/header", { document, index: 0 }),
    await client.request("tracemark/outline", { document, index: 0 }),
    await client.request("tracemark/steps", { document, index: 0, from: 0, to: 40 }),
    await client.request("tracemark/verdicts", { document, index: 0 }),
    await client.request("tracemark/score", { root, labels: "all" }),
  ];
}

test("killed in the middle of work and started anew, the server answers the same", async (t) => {
  const root = samplesCopy(t);
  const first = await LanguageClient.start();
  const before = await screen(first, root);
  const cutOff = screen(first, root).then(() => "answered", () => "cut off");
  await first.kill();
  first.connection.dispose();
  assert.equal(await cutOff, "cut off");
  const second = await LanguageClient.start();
  assert.deepEqual(await screen(second, root), before);
  assert.equal(await second.close(), 0);
});

test("a request for a trajectory needs no request before it", async (t) => {
  const root = samplesCopy(t);
  const client = await LanguageClient.start();
  const { steps } = await client.request("tracemark/steps", { document: fileRef(join(root, "openai-chat/reviews.jsonl"), root), index: 2, from: 1, to: 2 });
  assert.match(steps[0]?.parts[0]?.text ?? "", /^I cannot confirm it: the test is right/);
  await client.close();
});

test("a verdict whose model was being asked when the server died is not there, and the next run records one", async (t) => {
  const root = samplesCopy(t, { guard: { kind: "llm", base_url: "http://127.0.0.1:9/v1", model: "m", prompting: "direct" } });
  const document = fileRef(join(root, "swe-agent/split-bill-1.traj"), root);
  let tellAsked = () => {};
  const asked = new Promise<void>((done) => (tellAsked = done));
  const first = await LanguageClient.start({ complete: () => { tellAsked(); return new Promise(() => {}); } });
  const running = first.request("tracemark/runMonitor", { document, index: 0, monitor: "guard" }).then(() => "answered", () => "cut off");
  await asked;
  await first.kill();
  first.connection.dispose();
  assert.equal(await running, "cut off");
  assert.deepEqual(editorRuns(root), {});
  const second = await LanguageClient.start({ complete: async () => ({ text: '{"misbehavior_detected": true}', finishReason: "stop", attempts: 1, latencyMs: 1 }) });
  await second.request("tracemark/runMonitor", { document, index: 0, monitor: "guard" });
  await second.close();
  const [lines] = Object.values(editorRuns(root));
  assert.deepEqual(lines?.map((line) => line["outcome"]), [undefined, "misbehavior"]);
});
