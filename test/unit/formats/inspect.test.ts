/** Inspect logs: JSON and containers, chunks, pools, attachments, scores, crashes, sub-agents. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Trajectory } from "#core/trajectory/model";
import { sharedFile } from "../../support/shared";
import { loadAll, openArchive, openShared, openText, outline } from "./reading";

const header = { version: 2, status: "success", eval: { task: "demo", model: "m/x", run_id: "r", dataset: { name: "d" } } };
const codes = (trajectory: Trajectory | undefined): string[] => trajectory?.warnings.map((warning) => warning.code) ?? [];

function readJson(...samples: unknown[]): Trajectory[] {
  const file = openText("log.json", JSON.stringify({ ...header, samples }));
  assert.equal(file.format?.id, "inspect-json");
  return loadAll(file);
}

test("a real JSON log: samples by id and epoch, calls, results, scores", async (t) => {
  const path = sharedFile(t, "trajectories/inspect-json/ctf-docent.json");
  if (!path) return;
  const file = await openShared(path);
  const [first, second] = loadAll(file);
  // By hand: sample 59 in epochs 1 and 2; epoch 1 has system, user, then three rounds of assistant (bash, bash, submit) and tool.
  assert.deepEqual(file.ids, ["inspect-json/ctf-docent.json#59/1", "inspect-json/ctf-docent.json#59/2"]);
  assert.deepEqual(first?.steps.map(outline), [
    "system: text", "user: text", "assistant: text, tool_call bash", "tool: tool_result bash", "assistant: text, tool_call bash", "tool: tool_result bash", "assistant: text, tool_call submit", "tool: tool_result submit",
  ]);
  assert.equal(first.uuid, "Lxnud9Qeao4epRn3XBGwuC");
  assert.equal(first.steps[4]?.parts[1]?.text, "cmd: whois onionmail.org");
  assert.equal(first.steps[5]?.parts[0]?.text, "bash: line 1: whois: command not found\nexit status 127\n\n");
  assert.ok(first.steps[3]?.parts[0]?.text.startsWith("Delivered-To: francismanzi@example.com\r\nReceived: by"));
  assert.deepEqual([first.outcome?.success, second?.outcome?.success], [true, false]);
  assert.deepEqual(first.outcome?.details?.slice(0, 2), [{ name: "score includes", value: "C (correct)" }, { name: "answer includes", value: "picoctf{wilhelmzwalina}" }]);
  assert.deepEqual(first.steps[3]?.places, [{ pointer: "/samples/0/messages/3" }]);
  assert.deepEqual([codes(first), codes(second)], [[], []]);
});

test("the chunked and the whole container of one run give the same texts", async (t) => {
  const whole = sharedFile(t, "trajectories/inspect-eval/ais-decoder-zstd.eval");
  const chunked = sharedFile(t, "trajectories/inspect-eval/ais-decoder-zstd-chunked.eval");
  if (!whole || !chunked) return;
  const [one] = loadAll(await openShared(whole));
  const [two] = loadAll(await openShared(chunked));
  // By hand: 26 messages; the chunked pool holds 27, of which message_refs [[0,25],[26,27]] leave the grader's prompt out.
  assert.equal(one?.steps.length, 26);
  assert.deepEqual(two?.steps.map((step) => step.parts), one.steps.map((step) => step.parts));
  assert.deepEqual(two?.steps.map((step) => step.tokens), one.steps.map((step) => step.tokens));
  // The third call of the first reply has its command in attachment 38 of the chunked log.
  assert.match(two?.steps[4]?.parts[3]?.text ?? "", /^cmd: (?!attachment:)/);
  assert.deepEqual(two?.steps[25]?.places, [{ entry: "samples/1_epoch_1/messages/24.json", pointer: "/2" }]);
  // Usage of the last model event: 97 + 16128 from the cache, output 263.
  assert.deepEqual(one.steps[25]?.tokens, { input: 16225, cachedInput: 16128, output: 263, reasoning: 0 });
  assert.equal(one.steps[25]?.time, "2026-06-10T18:26:11.892333+00:00");
  assert.deepEqual([codes(one), codes(two)], [[], []]);
});

test("samples are listed from the summaries and read when asked", () => {
  const reads: string[] = [];
  const sample = (id: string | number, epoch: number): unknown => ({ id, epoch, input: `in ${id}`, messages: [{ role: "user", content: `in ${id}` }] });
  const file = openArchive("run.eval", {
    "header.json": header,
    "summaries.json": [{ id: "a/b ü", epoch: 2, input: "in a/b ü", uuid: "U" }, { id: 7, epoch: 1, input: "x" }, { id: 8, epoch: 1, input: "gone" }],
    "samples/7_epoch_1.json": sample(7, 1), "samples/a/b ü_epoch_2.json": sample("a/b ü", 2), "samples/extra_epoch_1.json": sample("extra", 1),
  });
  const archive = file.document.source.archive;
  assert.ok(archive);
  const original = archive.read.bind(archive);
  archive.read = (name) => {
    reads.push(name);
    return original(name);
  };
  assert.equal(file.format?.id, "inspect-eval");
  assert.deepEqual(file.ids, ["run.eval#a/b ü/2", "run.eval#7/1", "run.eval#8/1", "run.eval#extra/1"]);
  assert.deepEqual(file.opened.heads.map((head) => head.uuid), ["U", undefined, undefined, undefined]);
  assert.equal(file.load(0).steps[0]?.parts[0]?.text, "in a/b ü");
  assert.deepEqual(reads, ["samples/a/b ü_epoch_2.json"]);
  assert.deepEqual(codes(file.load(2)), ["damaged-entry"]);
});

test("an unfinished container is listed from its journal, parts in numeric order", () => {
  const file = openArchive("run.eval", {
    "_journal/start.json": { version: 2, eval: header.eval },
    "_journal/summaries/10.json": [{ id: 3, epoch: 1, input: "c" }], "_journal/summaries/2.json": [{ id: 2, epoch: 1, input: "b" }], "_journal/summaries/1.json": [{ id: 1, epoch: 1, input: "a" }],
    "samples/1_epoch_1.json": { id: 1, epoch: 1, messages: [] }, "samples/2_epoch_1.json": "{\"id\": 2, \"epoch\": 1, \"messages\": [{\"role\": \"user\", \"content\": \"cut", "samples/3_epoch_1.json": "garbage",
  });
  assert.deepEqual(file.ids, ["run.eval#1/1", "run.eval#2/1", "run.eval#3/1"]);
  assert.ok(file.warnings().some((warning) => warning.code === "unfinished-log"));
  assert.ok(codes(file.load(1)).includes("truncated-json"));
  assert.ok(codes(file.load(2)).length > 0);
  assert.equal(file.load(2).steps.length, 0);
});

test("attachments are put in place in texts, arguments and images; a missing one is told", () => {
  const key = "0123456789abcdef0123456789abcdef";
  const image = "fedcba9876543210fedcba9876543210";
  const [sample] = readJson({
    id: 1, epoch: 1, input: `attachment://${key}`, attachments: { [key]: 'long "text"', [image]: "data:image/png;base64,iVBO" },
    messages: [
      { role: "user", content: [{ type: "text", text: `attachment://${key}` }, { type: "image", image: `attachment://${image}` }] },
      { role: "assistant", content: "", tool_calls: [{ id: "c", function: "f", arguments: { a: `attachment://${key}`, b: [`attachment://${key}`], n: 10.50 } }] },
      { role: "tool", tool_call_id: "c", function: "f", content: "attachment://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" },
    ],
  });
  assert.equal(sample?.steps[0]?.parts[0]?.text, 'long "text"');
  assert.equal(sample?.steps[0]?.extras?.[0]?.mediaType, "image/png");
  assert.match(sample?.steps[0]?.extras?.[0]?.raw ?? "", /data:image\/png;base64,iVBO/);
  assert.equal(sample?.steps[1]?.parts[0]?.text, 'a: long "text"\nb: ["long \\"text\\""]\nn: 10.5');
  assert.equal(sample?.task, 'long "text"');
  assert.deepEqual(codes(sample), ["attachment-missing"]);
});

test("a crashed sample is rebuilt from its last model event, pools resolved, the grader's call left out", () => {
  const model = (span: string, input: unknown[], refs: unknown, content: string): unknown => ({ event: "model", span_id: span, input, input_refs: refs, output: { choices: [{ message: { role: "assistant", content } }] } });
  const events = [
    { event: "span_begin", id: "s", type: "solver", name: "x" }, model("s", [], [[0, 1]], "one"), model("s", [], [[0, 1], [2, 4]], "two"),
    { event: "span_begin", id: "g", type: "scorer", name: "grade" }, model("g", [{ role: "user", content: "grade it" }], undefined, "C"),
  ];
  const pool = ["task", "skipped", "one", "go on"].map((content, index) => ({ role: index === 2 ? "assistant" : "user", content }));
  for (const where of [{ message_pool: pool }, { events_data: { messages: pool } }]) {
    const [sample] = readJson({ id: 1, epoch: 1, input: "task", messages: [], events, error: { message: "boom", traceback: "..." }, ...where });
    assert.deepEqual(sample?.steps.map((step) => [step.role, step.parts[0]?.text]), [["user", "task"], ["assistant", "one"], ["user", "go on"], ["assistant", "two"]]);
    assert.deepEqual(codes(sample), ["rebuilt-from-events"]);
    assert.deepEqual([sample?.outcome?.status, sample?.outcome?.error], ["error", "boom"]);
  }
});

test("NaN and infinities in scores are named; a limit is the status", () => {
  const text = JSON.stringify({ ...header, samples: [{ id: "1", epoch: 1, input: "i", messages: [{ role: "user", content: "NaN stays" }], limit: { type: "message", limit: 50 }, scores: { a: { value: "@" }, b: { value: { x: "#" } }, c: { value: "P", answer: "z" } } }] })
    .replace('"@"', "NaN").replace('"#"', "-Infinity");
  const [sample] = loadAll(openText("log.json", text));
  assert.deepEqual(sample?.outcome, {
    status: "limit: message",
    details: [{ name: "score a", value: "NaN" }, { name: "score b", value: '{"x":-Infinity}' }, { name: "score c", value: "P (partly correct)" }, { name: "answer c", value: "z" }, { name: "limit", value: "50" }],
  });
  assert.equal(sample?.steps[0]?.parts[0]?.text, "NaN stays");
});

test("reasoning: shown, summarised, hidden; hosted tools inside the content; errors of tools", () => {
  const [sample] = readJson({
    id: 1, epoch: 1, input: "i",
    messages: [
      { role: "assistant", content: [{ type: "reasoning", reasoning: "think", signature: "s" }, { type: "reasoning", reasoning: "opaque", redacted: true, summary: "in short" }, { type: "tool_use", tool_type: "web_search", id: "w", name: "search", arguments: '{"q": "x"}', result: "hit" }, { type: "text", text: "so" }], tool_calls: [{ id: "c", function: "bash", arguments: {}, parse_error: "bad JSON" }] },
      { role: "tool", tool_call_id: "c", function: "bash", content: "", error: { type: "timeout", message: "too slow" } },
    ],
  });
  assert.deepEqual(sample?.steps.map(outline), ["assistant: reasoning, reasoning, tool_call search, text, tool_call bash, (reasoning hidden)", "tool: tool_result search", "tool: tool_result bash!"]);
  assert.deepEqual(sample.steps[0]?.parts.map((part) => part.text), ["think", "in short", "q: x", "so", ""]);
  assert.equal(sample.steps[2]?.parts[0]?.text, "too slow");
  assert.deepEqual(codes(sample), ["unparsed-arguments"]);
});

test("a sub-agent with a talk of its own is a child of its sample; a solver's own agent span is not", () => {
  const sample = {
    id: "s", epoch: 1, input: "task",
    messages: [
      { role: "user", content: "task", id: "m1" }, { role: "assistant", id: "m2", content: "", tool_calls: [{ id: "call1", function: "helper", arguments: { q: "find" } }] },
      { role: "tool", tool_call_id: "call1", function: "helper", content: "found" }, { role: "assistant", id: "m3", content: "done" },
    ],
    events: [
      { event: "span_begin", id: "main", type: "agent", name: "react" },
      { event: "model", span_id: "main", input: [], output: { choices: [{ message: { id: "m2", role: "assistant", content: "" } }] } },
      { event: "span_begin", id: "tool", parent_id: "main", type: "tool", name: "helper" }, { event: "tool", span_id: "main", id: "call1", function: "helper" },
      { event: "span_begin", id: "sub", parent_id: "tool", type: "agent", name: "finder" },
      { event: "model", span_id: "sub", input: [{ role: "user", content: "find" }], output: { choices: [{ message: { id: "x1", role: "assistant", content: "found" } }] } },
    ],
  };
  const file = openText("log.json", JSON.stringify({ ...header, samples: [sample] }));
  assert.deepEqual(file.ids, ["log.json#s/1", "log.json#s/1>sub"]);
  const [main, child] = loadAll(file);
  assert.deepEqual(child?.steps.map((step) => step.parts[0]?.text), ["find", "found"]);
  assert.deepEqual([child?.linkStep, child?.parentId, child?.title], [1, "log.json#s/1", "Sub-agent finder"]);
  assert.deepEqual(codes(main), []);
  // A container lists its samples without reading them, so there the agent is named in a warning.
  const packed = openArchive("run.eval", { "header.json": header, "summaries.json": [{ id: "s", epoch: 1 }], "samples/s_epoch_1.json": sample });
  assert.deepEqual(packed.ids, ["run.eval#s/1"]);
  assert.match(packed.load(0).warnings.find((warning) => warning.code === "sub-agents-not-listed")?.message ?? "", /: finder\.$/);
});

test("an index of logs is told from a log", () => {
  const file = openText("logs.json", JSON.stringify({ "a.eval": header, "b.eval": header }));
  assert.deepEqual(file.ids, []);
  assert.equal(file.warnings()[0]?.code, "log-index");
});

test("chunks are joined by the number they begin at, and a gap is told", () => {
  const message = (content: string): unknown => ({ role: "user", content });
  const entries = {
    "header.json": header, "summaries.json": [{ id: 1, epoch: 1 }], "samples/1_epoch_1/sample.json": { id: 1, epoch: 1, input: "x" },
    "samples/1_epoch_1/messages/10.json": [message("k")], "samples/1_epoch_1/messages/0.json": [..."abcdefghi"].map(message), "samples/1_epoch_1/messages/9.json": [message("attachment://1")],
    "samples/1_epoch_1/attachments/0.json": ["zero", "j"],
  };
  assert.deepEqual(openArchive("c.eval", entries).load(0).steps.map((step) => step.parts[0]?.text).join(""), "abcdefghijk");
  const { "samples/1_epoch_1/messages/9.json": _gap, ...holed } = entries;
  const sample = openArchive("c.eval", holed).load(0);
  assert.deepEqual(codes(sample), ["damaged-entry", "bad-message"]);
});
