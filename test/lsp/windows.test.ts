/** How much travels: the first screen of a large file needs one window of steps, and no answer is as large as the file. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sweAgentFile } from "../bench/generate";
import { fileRef, withServer, type LanguageClient } from "./language-client";
import { scratchFile, scratchFolder } from "./scratch";

/** Bytes that an answer takes on the wire. */
async function weigh<T>(client: LanguageClient, ask: () => Promise<T>): Promise<{ answer: T; bytes: number }> {
  const before = client.bytes;
  const answer = await ask();
  return { answer, bytes: client.bytes - before };
}

test("the first screen of a 20 MB SWE-agent file takes one window of steps and less than a megabyte", (t) => withServer({}, async (client) => {
  const text = sweAgentFile(20 << 20);
  assert.ok(text.length > 19_000_000, `${text.length}`);
  const document = fileRef(scratchFile(scratchFolder(t), "large.traj", text));
  const open = await weigh(client, () => client.request("tracemark/open", document));
  const header = await weigh(client, () => client.request("tracemark/header", { document, index: 0 }));
  const outline = await weigh(client, () => client.request("tracemark/outline", { document, index: 0 }));
  const verdicts = await weigh(client, () => client.request("tracemark/verdicts", { document, index: 0 }));
  // What the view asks for when it stands at the top.
  const window = await weigh(client, () => client.request("tracemark/steps", { document, index: 0, from: 0, to: 40 }));
  assert.ok(header.answer.stepCount > 2000, `${header.answer.stepCount} steps`);
  assert.equal(outline.answer.outline.length, header.answer.stepCount);
  // One window is enough for a screen: all forty came, with more lines than any screen has.
  assert.deepEqual([window.answer.steps[0]?.index, window.answer.steps.length], [0, 40]);
  const lines = window.answer.steps.flatMap((step) => step.parts).reduce((sum, part) => sum + part.text.split("\n").length, 0);
  assert.ok(lines > 500, `${lines} lines`);
  assert.ok(open.bytes + header.bytes < 10_000, `${open.bytes} and ${header.bytes} bytes without steps`);
  const total = [open, header, outline, verdicts, window].reduce((sum, { bytes }) => sum + bytes, 0);
  assert.ok(total < 1_000_000, `${total} bytes`);
  // However much is asked for, a window has its bound.
  const whole = await client.request("tracemark/steps", { document, index: 0, from: 0, to: header.answer.stepCount });
  assert.equal(whole.steps.length, 200);
}));

test("a window of very long steps ends early, and the next one goes on from there", (t) => withServer({}, async (client) => {
  const messages = [0, 1, 2].map((n) => ({ role: n % 2 ? "assistant" : "user", content: `${n}`.repeat(2_500_000) }));
  const document = fileRef(scratchFile(scratchFolder(t), "long.json", JSON.stringify({ messages })));
  const read = async (from: number) => (await client.request("tracemark/steps", { document, index: 0, from, to: 3 })).steps.map((step) => [step.index, step.parts[0]?.text.length]);
  assert.deepEqual(await read(0), [[0, 2_500_000]]);
  assert.deepEqual(await read(1), [[1, 2_500_000]]);
  assert.deepEqual(await read(2), [[2, 2_500_000]]);
  // A single step is never cut, however long it is.
  const { bytes } = await weigh(client, () => read(2));
  assert.ok(bytes > 2_500_000 && bytes < 2_510_000, `${bytes}`);
}));

test("the first steps of a long session are there before the rest, and all of it where all of it counts", (t) => withServer({}, async (client) => {
  const lines = Array.from({ length: 4000 }, (_, n) => JSON.stringify({ role: n % 2 ? "assistant" : "user", content: `step ${n} ${"word ".repeat(1000)}` }));
  const document = fileRef(scratchFile(scratchFolder(t), "long.jsonl", `${lines.join("\n")}\n`));
  let grown = 0;
  client.connection.onNotification("tracemark/grown", ({ uri }: { uri: string }) => void (grown += Number(uri === document.uri)));
  const at = { document, index: 0 };
  const first = await client.request("tracemark/header", { ...at, beginning: true });
  assert.equal(first.isCut, true);
  assert.ok(first.stepCount > 90 && first.stepCount < 110, `${first.stepCount} steps`);
  assert.equal((await client.request("tracemark/outline", { ...at, beginning: true })).outline.length, first.stepCount);
  assert.deepEqual((await client.request("tracemark/steps", { ...at, beginning: true, from: 3990, to: 4000 })).steps, []);
  // Whoever does not say that a beginning will do waits for all of it.
  assert.equal((await client.request("tracemark/find", { ...at, query: "step 3999 ", caseSensitive: true, limit: 5 })).hits[0]?.step, 3999);
  const whole = await client.request("tracemark/header", { ...at, beginning: true });
  assert.deepEqual([whole.isCut, whole.stepCount, grown], [undefined, 4000, 1]);
  assert.notEqual(whole.contentSha256, first.contentSha256);
  // A file that has been read whole is not shown shorter when it is read anew.
  await client.notify("tracemark/changed", { document });
  assert.equal((await client.request("tracemark/header", { ...at, beginning: true })).stepCount, 4000);
}));
