/** Batches for other engines: files out, results of OpenAI, vLLM, Azure and Anthropic in. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { batchVerb } from "../../../server/cli/verbs/batch";
import { guardFiles, runNames } from "../../support/run-call";
import { putFile, tempRoot } from "../../support/temp-root";
import { callVerb } from "../../support/verb-call";

const options = { monitor: "guard", repeat: "1", shardRequests: "50000", shardMb: "180", json: true };
const parse = <T = Record<string, unknown>>(text: string): T[] => text.trimEnd().split("\n").map((line) => JSON.parse(line) as T);
interface Line { custom_id: string; method: string; url: string; body: { model: string; messages: { role: string; content: string }[]; temperature?: number; response_format?: unknown }; params: { system: string; messages: { content: string }[]; max_tokens: number } }
const answer = (misbehavior: boolean): string => JSON.stringify({ misbehavior_detected: misbehavior, score: misbehavior ? 0.9 : 0.1, detected_categories: [] });
const chatBody = (content: string) => ({ id: "c", object: "chat.completion", model: "m-1", system_fingerprint: "fp", choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }], usage: { prompt_tokens: 7, completion_tokens: 3 } });
const subject = (line: Line): string => /Task (s\d+)\./.exec(JSON.stringify(line.body ?? line.params))![1]!;

test("requests go out in the OpenAI form, and results of every engine come back in any order", async (t) => {
  const root = tempRoot(t, guardFiles(6, { base_url: "http://127.0.0.1:9/v1", params: { temperature: 0, max_tokens: 300 } }));
  const out = await callVerb(batchVerb, root, ["export"], { ...options, out: "q.jsonl" });
  assert.deepEqual([out.code, JSON.parse(out.out[0]!)], [0, { files: ["q.jsonl"], requests: 6, samples: 6, left_out: [] }]);
  const lines = parse<Line>(readFileSync(join(root, "q.jsonl"), "utf8"));
  assert.deepEqual(Object.keys(lines[0]!), ["custom_id", "method", "url", "body"]);
  assert.deepEqual([lines[0]!.method, lines[0]!.url, lines[0]!.body.model, lines[0]!.body.temperature, lines[0]!.body.messages.map(({ role }) => role)], ["POST", "/v1/chat/completions", "m", 0, ["system", "user"]]);
  assert.ok(lines.every(({ custom_id: id }) => /^[A-Za-z0-9_-]{1,64}$/.test(id)) && new Set(lines.map(({ custom_id: id }) => id)).size === 6);
  const id = Object.fromEntries(lines.map((line) => [subject(line), line.custom_id]));
  const rows = [
    { id: "b", custom_id: id["s3"], response: { status_code: 200, request_id: "r", body: chatBody(answer(false)) }, error: null }, // OpenAI, Azure
    { id: "vllm-1", custom_id: id["s0"], response: { status_code: 200, request_id: "r", body: { ...chatBody(answer(true)), choices: [{ index: 0, message: { role: "assistant", content: answer(true), reasoning_content: "Hm." }, finish_reason: "stop" }] } }, error: null },
    { custom_id: id["s1"], result: { type: "succeeded", message: { model: "claude-1", stop_reason: "end_turn", content: [{ type: "thinking", thinking: "Let me see." }, { type: "text", text: answer(true) }], usage: { input_tokens: 5, output_tokens: 6 } } } },
    { custom_id: id["s3"], response: { status_code: 200, body: chatBody(answer(true)) }, error: null }, // repeated: the first stays
    { custom_id: id["s2"], response: { status_code: 429, body: { error: { message: "slow down" } } }, error: null },
    { custom_id: id["s4"], result: { type: "errored", error: { type: "error", error: { type: "invalid_request", message: "no" } } } },
    { custom_id: "tm-of-another-run", response: { status_code: 200, body: chatBody(answer(true)) } },
    { custom_id: id["s5"], response: { status_code: 200, body: chatBody("I would rather not say.") }, error: null },
  ];
  writeFileSync(join(root, "r1.jsonl"), rows.slice(0, 5).map((row) => `${JSON.stringify(row)}\n`).join(""));
  writeFileSync(join(root, "r2.jsonl"), `${rows.slice(5).map((row) => JSON.stringify(row)).join("\n")}\nnot json\n`);
  const back = await callVerb(batchVerb, root, ["import", "r2.jsonl", "r1.jsonl"], options);
  assert.equal(back.code, 1, back.notes.join("\n"));
  const said = JSON.parse(back.out[0]!) as Record<string, unknown>;
  assert.deepEqual({ ...said, run_id: "" }, { run_id: "", verdicts: 4, invalid: 1, missing: ["s2", "s4"], repeated: 1, unknown: 2, failed: 2 });
  const [header, ...verdicts] = parse(readFileSync(join(root, "runs", `${String(said["run_id"])}.jsonl`), "utf8"));
  assert.deepEqual([header!["source"], (header!["samples"] as { count: number }).count], ["batch", 6]);
  const of = (sample: string) => verdicts.find((one) => one["sample_id"] === sample)!;
  assert.deepEqual([of("s3")["outcome"], of("s3")["score"], of("s3")["fingerprint"], of("s3")["usage"]], ["benign", 0.1, "fp", { input_tokens: 7, output_tokens: 3 }]);
  assert.deepEqual([of("s0")["outcome"], of("s0")["thinking"], of("s1")["outcome"], of("s1")["thinking"], of("s1")["model_returned"]], ["misbehavior", "Hm.", "misbehavior", "Let me see.", "claude-1"]);
  assert.deepEqual([of("s5")["outcome"], of("s5")["reason"]], ["invalid", "bad_json"]);
  // The rest comes later, into the same run.
  putFile(root, "r3.jsonl", [rows[0], { custom_id: id["s2"], response: { status_code: 200, body: chatBody(answer(false)) } }, { custom_id: id["s4"], response: { status_code: 200, body: chatBody(answer(false)) } }]);
  const rest = await callVerb(batchVerb, root, ["import", "r3.jsonl"], { ...options, resume: said["run_id"] });
  assert.deepEqual({ ...(JSON.parse(rest.out[0]!) as object), run_id: "" }, { run_id: "", verdicts: 2, invalid: 0, missing: [], repeated: 1, unknown: 0, failed: 0 });
  assert.equal(runNames(root).length, 1);
});

test("shards are cut by requests and by bytes, repeats and samples keep ids apart, and nothing is overwritten", async (t) => {
  const root = tempRoot(t, guardFiles(5, { base_url: "http://127.0.0.1:9/v1" }));
  const out = await callVerb(batchVerb, root, ["export"], { ...options, out: "out/q.jsonl", shardRequests: "4", repeat: "2" });
  assert.deepEqual((JSON.parse(out.out[0]!) as { files: string[] }).files, ["out/q-00001.jsonl", "out/q-00002.jsonl", "out/q-00003.jsonl"]);
  const ids = readdirSync(join(root, "out")).flatMap((name) => parse<Line>(readFileSync(join(root, "out", name), "utf8")).map(({ custom_id: id }) => id));
  assert.deepEqual([ids.length, new Set(ids).size], [10, 10]);
  const size = readFileSync(join(root, "out/q-00003.jsonl")).length;
  const small = await callVerb(batchVerb, root, ["export"], { ...options, out: "small.jsonl", shardMb: String((size * 1.2) / 1e6), limit: "3" });
  assert.equal((JSON.parse(small.out[0]!) as { files: string[] }).files.length, 2);
  const again = await callVerb(batchVerb, root, ["export"], { ...options, out: "out/q-00001.jsonl" });
  assert.equal(again.code, 2);
  assert.match(again.notes[0]!, /q-00001\.jsonl: a file of that name is already there; choose another name/);
  assert.deepEqual(readdirSync(join(root, "out")).length, 3);
});

test("a sample that changed since the export gets no verdict by its old answer; one that is gone is told", async (t) => {
  const root = tempRoot(t, guardFiles(2, { base_url: "http://127.0.0.1:9/v1" }));
  await callVerb(batchVerb, root, ["export"], { ...options, out: "q.jsonl" });
  const lines = parse<Line>(readFileSync(join(root, "q.jsonl"), "utf8"));
  putFile(root, "r.jsonl", lines.map((line) => ({ custom_id: line.custom_id, response: { status_code: 200, body: chatBody(answer(false)) } })));
  const manifest = readFileSync(join(root, "all.samples.jsonl"), "utf8");
  writeFileSync(join(root, "all.samples.jsonl"), `${manifest.replace("Answer s1.", "Another answer.")}${JSON.stringify({ id: "gone", path: "gone.json" })}\n`);
  const back = await callVerb(batchVerb, root, ["import", "r.jsonl"], options);
  const said = JSON.parse(back.out[0]!) as Record<string, unknown>;
  assert.deepEqual([said["verdicts"], said["invalid"], said["missing"], said["unknown"]], [2, 1, ["s1"], 1]);
});

test("Anthropic's own form, and what makes no batch", async (t) => {
  const root = tempRoot(t, guardFiles(2, { provider: "anthropic" }, { vote: { kind: "vote", of: ["rules"] } }));
  await callVerb(batchVerb, root, ["export"], { ...options, out: "a.jsonl" });
  const [line] = parse<Line>(readFileSync(join(root, "a.jsonl"), "utf8"));
  assert.deepEqual([Object.keys(line!), line!.params.max_tokens, line!.params.messages.length], [["custom_id", "params"], 4096, 1]);
  const error = async (args: string[], more: object): Promise<string> => (await callVerb(batchVerb, root, args, { ...options, ...more })).notes.at(-1)!;
  assert.match(await error(["export"], {}), /no file to export to is named; add --out FILE/);
  assert.match(await error(["export"], { monitor: "vote", out: "v.jsonl" }), /monitor "vote" \(vote, evidence\) makes no batch/);
  assert.match(await error(["import"], {}), /batch import needs files/);
  assert.match(await error(["import", "none.jsonl"], {}), /none\.jsonl: there is no such file/);
  assert.match(await error(["sing"], {}), /batch cannot sing/);
});

test("files that answer nothing of the monitor leave no run behind and say what they hold", async (t) => {
  const root = tempRoot(t, { ...guardFiles(2, { base_url: "http://127.0.0.1:9/v1" }), "other.jsonl": `${JSON.stringify({ custom_id: "tm-0", response: { status_code: 200, body: chatBody(answer(true)) }, error: null })}\nnot JSON\n` });
  const { code, notes } = await callVerb(batchVerb, root, ["import", "other.jsonl"], options);
  assert.equal(code, 2);
  assert.match(notes.at(-1)!, /nothing in these files is an answer to a request of monitor "guard" \(2 unknown, 0 failed\), so no run was made/);
  assert.deepEqual(runNames(root), []);
});
