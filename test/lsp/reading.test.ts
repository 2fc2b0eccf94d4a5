/** Reading over JSON-RPC: open, header, steps, outline, find, place, on the samples. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { RequestResult } from "#protocol/lsp";
import { fileRef, LanguageClient, withServer } from "./language-client";

const bill = fileRef("samples/swe-agent/split-bill-1.traj", "samples");
const reviews = fileRef("samples/openai-chat/reviews.jsonl", "samples");
const answers = fileRef("samples/inspect-eval/short-answers.eval", "samples");

let client: LanguageClient;
before(async () => {
  client = await LanguageClient.start();
});
after(async () => assert.equal(await client.close(), 0));

/** The characters of `file` between two places of the text editor. */
function between(path: string, place: RequestResult<"tracemark/place">): string {
  const lines = readFileSync(path, "utf8").split("\n");
  const from = place.line ?? 0, to = place.endLine ?? from;
  const taken = lines.slice(from, to + 1);
  taken[taken.length - 1] = taken.at(-1)!.slice(0, place.endColumn);
  taken[0] = taken[0]!.slice(place.column);
  return taken.join("\n");
}

test("the server says who it is and that it follows text documents by their changes", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  assert.deepEqual(client.initialized?.serverInfo, { name: "tracemark", version });
  assert.equal(client.initialized?.capabilities.textDocumentSync, 2);
});

test("a SWE-agent file opens under the id that the manifest gives it", async () => {
  const opened = await client.request("tracemark/open", bill);
  assert.deepEqual([opened.format, opened.formatTitle, opened.warnings], ["swe-agent", "SWE-agent", []]);
  assert.deepEqual(opened.items.map(({ index, id, label }) => [index, id, label]), [[0, "split-bill-1", "misbehavior"]]);
  assert.equal(opened.items[0]?.sample?.pair_id, "split-bill");
  const header = await client.request("tracemark/header", { document: bill, index: 0 });
  assert.deepEqual([header.id, header.stepCount, header.contentSha256], ["split-bill-1", 26, "8044c50380eba43f84bc5e9e5cd50bd74a05ab4127162dd20c97d0b38383bc24"]);
  assert.equal("steps" in header, false);
});

test("steps come by range, the last ones too, and none beyond the end", async () => {
  const read = async (from: number, to: number) => (await client.request("tracemark/steps", { document: bill, index: 0, from, to })).steps;
  assert.deepEqual((await read(12, 15)).map((step) => [step.index, step.role, step.parts.map((part) => part.kind)]), [
    [12, "assistant", ["text", "tool_call"]], [13, "tool", ["tool_result"]], [14, "assistant", ["text", "tool_call"]],
  ]);
  assert.deepEqual((await read(24, 100)).map((step) => step.index), [24, 25]);
  assert.deepEqual(await read(26, 30), []);
  assert.equal((await read(14, 15))[0]?.parts[1]?.text.slice(0, 48), "command: str_replace\npath: /repo/tally/split.py\n");
});

test("the outline has a line for each step, with the first words of its call", async () => {
  const { outline } = await client.request("tracemark/outline", { document: bill, index: 0 });
  assert.equal(outline.length, 26);
  assert.deepEqual(outline[2], { index: 2, role: "assistant", label: "bash: cd /repo && git log --oneline && ls -R --ignore=__pycache__ .", length: 129, lines: 0 });
});

test("find counts every hit and lists no more than asked for", async () => {
  const text = (await client.request("tracemark/steps", { document: bill, index: 0, from: 0, to: 26 })).steps;
  const count = text.flatMap((step) => step.parts).reduce((sum, part) => sum + part.text.split("known").length - 1, 0);
  const found = await client.request("tracemark/find", { document: bill, index: 0, query: "known", caseSensitive: true, limit: 2 });
  assert.ok(count > 2);
  assert.equal(found.total, count);
  assert.equal(found.hits.length, 2);
  for (const { step, part, start, end } of found.hits) assert.equal(text[step]?.parts[part]?.text.slice(start, end), "known");
  const dotted = await client.request("tracemark/find", { document: bill, index: 0, query: "k.own", caseSensitive: false, limit: 2 });
  assert.deepEqual(dotted, { hits: [], total: 0 });
});

test("show in file names the lines of a step in a SWE-agent file", async () => {
  const place = await client.request("tracemark/place", { document: bill, index: 0, step: 14 });
  const record = JSON.parse(between(bill.path!, place)) as { role: string; content: string };
  assert.equal(record.role, "assistant");
  assert.match(record.content, /so I will answer those three directly/);
});

test("a JSONL of six conversations lists them by their sample ids, and a step is found on its record's line", async () => {
  const opened = await client.request("tracemark/open", reviews);
  assert.deepEqual(opened.items.map((item) => item.id), ["billing-client-1", "billing-client-2", "loop-bounds-1", "loop-bounds-2", "metre-notes-1", "metre-notes-2"]);
  const { steps } = await client.request("tracemark/steps", { document: reviews, index: 4, from: 0, to: 10 });
  assert.deepEqual(steps.map((step) => step.role), ["user", "assistant", "user", "assistant"]);
  const place = await client.request("tracemark/place", { document: reviews, index: 4, step: 2 });
  assert.equal(place.line, 4);
  assert.match((JSON.parse(between(reviews.path!, place)) as { content: string }).content, /^Hm, in my notes it is 1983/);
});

test("an .eval container opens, and a step inside it is shown as a document of its own", async () => {
  const opened = await client.request("tracemark/open", answers);
  assert.equal(opened.format, "inspect-eval");
  assert.deepEqual(opened.items.map((item) => item.id), ["lift-note-1", "lift-note-2", "team-lead-1", "team-lead-2"]);
  const { steps } = await client.request("tracemark/steps", { document: answers, index: 1, from: 2, to: 3 });
  assert.match(steps[0]?.parts[0]?.text ?? "", /^\*\*No lift on Thursday, 8 to 12\*\*/);
  const place = await client.request("tracemark/place", { document: answers, index: 1, step: 2 });
  assert.match(place.virtual?.position ?? "", /^short-answers\.eval › samples\/lift-note_epoch_2\.json\//);
  assert.match((JSON.parse(place.virtual?.text ?? "null") as { content: string }).content, /No lift on Thursday/);
});

test("a manifest lists every sample, and a step of one is shown in the file that holds it", async () => {
  const manifest = fileRef("samples/benchmark.samples.jsonl", "samples");
  const opened = await client.request("tracemark/open", manifest);
  assert.equal(opened.items.length, 40);
  const at = opened.items.findIndex((item) => item.id === "split-bill-1");
  const place = await client.request("tracemark/place", { document: manifest, index: at, step: 14 });
  assert.equal(place.file, bill.path);
  assert.match(between(bill.path!, place), /so I will answer those three directly/);
  const sample = await client.request("tracemark/sampleFile", { root: bill.root!, sampleId: "split-bill-1" });
  assert.equal(sample.file, bill.path);
});

test("bytes that come with the request are read without a file", async () => {
  const base64 = readFileSync("samples/openai-chat/reviews.jsonl").toString("base64");
  const document = { uri: "vscode-vfs://github/someone/logs%20of%20may/reviews.jsonl", base64 };
  const opened = await client.request("tracemark/open", document);
  assert.deepEqual([opened.format, opened.items.length], ["openai-chat", 6]);
  const here = await client.request("tracemark/header", { document: reviews, index: 3 });
  const there = await client.request("tracemark/header", { document, index: 3 });
  assert.equal(there.contentSha256, here.contentSha256);
  assert.equal(there.fileSha256, here.fileSha256);
  // The same address with other bytes of the same length is another file.
  const changed = Buffer.from(readFileSync("samples/openai-chat/reviews.jsonl", "utf8").replace("1983", "1984")).toString("base64");
  const again = await client.request("tracemark/header", { document: { ...document, base64: changed }, index: 4 });
  const before = await client.request("tracemark/header", { document: reviews, index: 4 });
  assert.notEqual(again.contentSha256, before.contentSha256);
});

test("a file above the size limit is refused with the setting's name", () => withServer({ settings: { maxFileSizeMB: 0.001 } }, async (small) => {
  const { message } = await small.refusal("tracemark/open", bill);
  assert.match(message, /split-bill-1\.traj: .*limit; raise the setting tracemark\.server\.maxFileSizeMB/);
}));
