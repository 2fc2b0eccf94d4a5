/** What the Problems view shows: warnings of opened logs at their lines, and faults of manifests while they are edited. */
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileRef, withServer } from "./language-client";
import { samplesCopy, scratchFile, scratchFolder } from "./scratch";

const chat = (content: string): string => `${JSON.stringify({ messages: [{ role: "user", content }, { role: "assistant", content: "yes" }] })}\n`;

test("a damaged line is a diagnostic at that line, gone when the file is mended or closed", (t) => withServer({}, async (client) => {
  const path = scratchFile(scratchFolder(t), "log.jsonl", `${chat("a")}${chat("b")}{"messages": [{"role"\n${chat("c")}`);
  const document = fileRef(path);
  await client.notify("tracemark/opened", { document });
  const [found] = await client.diagnostics(document.uri, (list) => list.length > 0);
  assert.deepEqual([found?.range.start.line, found?.source], [2, "Tracemark"]);
  assert.equal((await client.request("tracemark/open", document)).items.filter((item) => !item.problem).length, 3);
  writeFileSync(path, chat("a"));
  await client.notify("tracemark/changed", { document });
  assert.deepEqual(await client.diagnostics(document.uri, (list) => list.length === 0), []);
  assert.equal((await client.request("tracemark/open", document)).items.length, 1);
  appendFileSync(path, "{");
  await client.notify("tracemark/changed", { document });
  await client.diagnostics(document.uri, (list) => list.length > 0);
  await client.notify("tracemark/closed", { uri: document.uri });
  await client.diagnostics(document.uri, (list) => list.length === 0);
}));

test("a log that changed on disk is read again without being told", (t) => withServer({}, async (client) => {
  const path = scratchFile(scratchFolder(t), "log.jsonl", chat("first"));
  const document = fileRef(path);
  const words = async () => (await client.request("tracemark/steps", { document, index: 0, from: 0, to: 1 })).steps[0]?.parts[0]?.text;
  assert.equal(await words(), "first");
  writeFileSync(path, chat("second, longer"));
  assert.equal(await words(), "second, longer");
}));

test("tracemark.json and manifests are checked as they are typed", (t) => withServer({}, async (client) => {
  const root = samplesCopy(t);
  const open = (path: string, text: string) => client.connection.sendNotification("textDocument/didOpen", { textDocument: { uri: fileRef(path).uri, languageId: "json", version: 1, text } });
  const config = join(root, "tracemark.json");
  await open(config, readFileSync(config, "utf8"));
  assert.deepEqual(await client.diagnostics(fileRef(config).uri), []);
  await client.connection.sendNotification("textDocument/didChange", { textDocument: { uri: fileRef(config).uri, version: 2 }, contentChanges: [{ text: '{"name": "x",\n "samples": 7}' }] });
  const [fault] = await client.diagnostics(fileRef(config).uri, (list) => list.length > 0);
  assert.match(String(fault?.message), /samples/);
  const manifest = join(root, "benchmark.samples.jsonl");
  const lines = readFileSync(manifest, "utf8").split("\n");
  lines[4] = '{"id": 5}';
  await open(manifest, lines.join("\n"));
  const list = await client.diagnostics(fileRef(manifest).uri, (found) => found.length > 0);
  assert.deepEqual(list.map((entry) => entry.range.start.line), [4]);
}));
