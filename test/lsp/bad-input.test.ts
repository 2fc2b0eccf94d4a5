/** What is not a trajectory, or half of one: a sentence that names file and line, and a server that goes on. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileRef, withServer, type LanguageClient } from "./language-client";
import { scratchFile, scratchFolder } from "./scratch";

const expected = -32001;
const invalidParams = -32602;
const bill = readFileSync("samples/swe-agent/split-bill-1.traj", "utf8");
const document = fileRef("samples/swe-agent/split-bill-1.traj", "samples");
const lives = async (client: LanguageClient): Promise<void> => {
  assert.equal((await client.request("tracemark/open", document)).items[0]?.id, "split-bill-1");
};

/** Bytes that no text has, the same on every run. */
const noise = (length: number): Uint8Array => Uint8Array.from({ length }, (_, n) => (n * 7919 + (n >> 3) * 104729) & 0xff);

test("parameters that do not fit are answered with an error, each time", () => withServer({}, async (client) => {
  const wrong: [string, unknown][] = [
    ["tracemark/open", undefined], ["tracemark/open", {}], ["tracemark/open", { uri: 7 }], ["tracemark/header", { document, index: "0" }],
    ["tracemark/steps", { document, index: 0, from: null, to: 3 }], ["tracemark/find", { document, index: 0, query: "x" }],
    ["tracemark/runMonitor", { document, index: 0, monitor: 7 }], ["tracemark/score", { root: "samples", labels: "some" }],
    ["tracemark/locate", { document, index: 0, categories: [{ evidence: "x" }] }],
  ];
  for (const [method, params] of wrong) {
    const { code, message } = await client.refusal(method, params);
    assert.equal(code, invalidParams, `${method}: ${message}`);
    assert.ok(message.startsWith(`${method}: `), message);
  }
  assert.equal((await client.refusal("tracemark/nothing", {})).code, -32601);
  await client.notify("tracemark/opened", { document: 5 });
  await client.notify("tracemark/settings", { trusted: "yes" });
  await lives(client);
}));

test("numbers beyond what there is are answered, not thrown", () => withServer({}, async (client) => {
  for (const index of [1, -1, 0.5, 1e9]) {
    const { code, message } = await client.refusal("tracemark/header", { document, index });
    assert.deepEqual([code, message], [expected, `swe-agent/split-bill-1.traj: there is no trajectory ${index}; reopen the file`]);
  }
  assert.deepEqual((await client.request("tracemark/steps", { document, index: 0, from: -5, to: 1 })).steps.map((step) => step.index), [0]);
  assert.deepEqual((await client.request("tracemark/steps", { document, index: 0, from: 9, to: 3 })).steps, []);
  const place = await client.request("tracemark/place", { document, index: 0, step: 1e6 });
  assert.equal(place.line, 0);
  assert.equal((await client.refusal("tracemark/runMonitor", { document, index: 0, monitor: "nobody" })).message, `There is no monitor "nobody" in this workspace; choose another one.`);
}));

test("files without a trajectory are refused in a sentence that names them, and the line where one is to blame", (t) => withServer({}, async (client) => {
  const folder = scratchFolder(t);
  mkdirSync(join(folder, "a-folder.traj"));
  const cases: [string, string | Uint8Array | undefined, RegExp][] = [
    ["empty.traj", "", /^empty\.traj: The file is empty; open it/],
    ["empty.jsonl", "\n\n", /^empty\.jsonl: The file is empty; open it/],
    ["binary.traj", noise(4096), /^binary\.traj: The file is .*binary, not a trajectory; open it/],
    ["image.json", Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), noise(500)]), /^image\.json: The file is a PNG image, not a trajectory; open it/],
    ["prose.traj", "Dear diary,\nnothing happened.\n", /^prose\.traj: No known trajectory format was recognised in this file; open it/],
    ["other.json", '{"name": "x", "version": 1}', /^other\.json: The file is readable JSON, but no list of messages was found in it; open it/],
    ["tiny.traj", bill.slice(0, 100), /^tiny\.traj:4: The JSON ends inside a string at line 4/],
    ["deep.json", "[".repeat(100_000), /^deep\.json(:1)?: /],
    ["fake.eval", "PK\u0003\u0004 and no directory", /^fake\.eval: The zip archive is damaged or cut off/],
    ["a-folder.traj", undefined, /a-folder\.traj: this is a folder; name a file in it$/],
    ["missing.traj", undefined, /missing\.traj: there is no such file or folder; check the path$/],
  ];
  for (const [name, content, pattern] of cases) {
    const path = content === undefined ? join(folder, name) : scratchFile(folder, name, content);
    const { code, message } = await client.refusal("tracemark/open", fileRef(path, folder));
    assert.match(message, pattern);
    assert.equal(code, expected, message);
    assert.equal(message.includes("\n"), false, message);
    assert.match((await client.refusal("tracemark/header", { document: fileRef(path, folder), index: 0 })).message, pattern);
  }
  await lives(client);
}));

test("two who ask for the same unreadable file at once get the same sentence", (t) => withServer({}, async (client) => {
  const ref = fileRef(scratchFile(scratchFolder(t), "empty.traj", ""));
  const [first, second, [diagnostic]] = await Promise.all([
    client.refusal("tracemark/open", ref), client.refusal("tracemark/open", ref),
    client.notify("tracemark/opened", { document: ref }).then(() => client.diagnostics(ref.uri)),
  ]);
  const sentence = "empty.traj: The file is empty; open it with the text editor";
  assert.deepEqual([first.message, second.message, diagnostic?.message], [sentence, sentence, sentence]);
}));

test("half a file is shown as far as it goes, with the line at which it ends", (t) => withServer({}, async (client) => {
  const cut = bill.indexOf("so I will answer those three directly");
  const half = fileRef(scratchFile(scratchFolder(t), "half.traj", bill.slice(0, cut)));
  const line = bill.slice(0, cut).split("\n").length;
  const opened = await client.request("tracemark/open", half);
  assert.deepEqual(opened.warnings.map((warning) => [warning.code, warning.line]), [["truncated-json", line]]);
  const { stepCount } = await client.request("tracemark/header", { document: half, index: 0 });
  // Twelve turns of the trajectory stand whole before the cut; its history comes only after them.
  const { steps } = await client.request("tracemark/steps", { document: half, index: 0, from: 0, to: 1 });
  assert.ok(stepCount >= 12, `${stepCount}`);
  assert.equal(steps[0]?.parts[0]?.text, "I start with an overview of the repository and its history.");
}));

test("UTF-16 with its mark is decoded and said so; other encodings are shown with the line", (t) => withServer({}, async (client) => {
  const folder = scratchFolder(t);
  const utf16 = fileRef(scratchFile(folder, "utf16.traj", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(bill, "utf16le")])));
  assert.deepEqual((await client.request("tracemark/open", utf16)).warnings.map((warning) => warning.code), ["utf-16"]);
  const header = await client.request("tracemark/header", { document: utf16, index: 0 });
  assert.deepEqual([header.stepCount, header.contentSha256], [26, "8044c50380eba43f84bc5e9e5cd50bd74a05ab4127162dd20c97d0b38383bc24"]);
  const latin1 = fileRef(scratchFile(folder, "latin1.json", Buffer.from('{"messages": [\n{"role": "user", "content": "café"}]}', "latin1")));
  const opened = await client.request("tracemark/open", latin1);
  assert.deepEqual(opened.warnings.map((warning) => [warning.code, warning.line]), [["invalid-utf-8", 2]]);
  const { steps } = await client.request("tracemark/steps", { document: latin1, index: 0, from: 0, to: 1 });
  assert.equal(steps[0]?.parts[0]?.text, "caf\ufffd");
}));

test("one line of two million characters opens", (t) => withServer({}, async (client) => {
  const content = `${"x ".repeat(1 << 20)}end`;
  const ref = fileRef(scratchFile(scratchFolder(t), "line.json", JSON.stringify({ messages: [{ role: "user", content }, { role: "assistant", content: "done" }] })));
  const { outline } = await client.request("tracemark/outline", { document: ref, index: 0 });
  assert.deepEqual(outline.map((step) => [step.role, step.length]), [["user", (1 << 21) + 3], ["assistant", 4]]);
  const { hits, total } = await client.request("tracemark/find", { document: ref, index: 0, query: "END", caseSensitive: false, limit: 5 });
  assert.deepEqual([total, hits], [1, [{ step: 0, part: 0, start: 1 << 21, end: (1 << 21) + 3 }]]);
  const place = await client.request("tracemark/place", { document: ref, index: 0, step: 1 });
  const before = '{"messages":[{"role":"user","content":' + JSON.stringify(content) + "},";
  assert.deepEqual([place.line, place.column], [0, before.length]);
}));
