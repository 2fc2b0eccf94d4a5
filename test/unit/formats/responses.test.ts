/** OpenAI Responses: values read off the recorded files by eye, then requests, mixed lists, hosted tools and streams. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedFile } from "../../support/shared";
import { loadAll, openShared, openText, outline } from "./reading";

const lines = (...values: unknown[]): string => values.map((value) => JSON.stringify(value)).join("\n");

test("a hosted search: three calls, what one of them found, the answer, hidden reasoning, tokens", async (t) => {
  const path = sharedFile(t, "trajectories/openai-responses/openai-web-search-tool.1.json");
  if (!path) return;
  const [run] = loadAll(await openShared(path));
  // By hand: reasoning ×4 (empty summaries), web_search_call ×3, one message; only the first call names its 16 sources.
  assert.deepEqual(run?.steps.map(outline), ["assistant: tool_call web_search, tool_call web_search, tool_call web_search, text, (annotations), (reasoning hidden)", "tool: tool_result web_search"]);
  assert.deepEqual(run.steps[0]?.parts.slice(0, 3).map((part) => part.text), [
    "type: search\nquery: tech news today December 5 2025", "type: open_page\nurl: https://www.theverge.com/podcast/838932/openai-chatgpt-code-red-vergecast",
    "type: find_in_page\npattern: Vercel\nurl: https://www.theverge.com/podcast/838932/openai-chatgpt-code-red-vergecast",
  ]);
  const found = run.steps[1]!.parts[0]!;
  assert.deepEqual([found.text.split("\n").length, found.text.split("\n")[1], found.callId], [16, "https://www.wired.com/story/the-big-interview-2025-recap", "ws_0953eda47ee1741200693330682c988195aaa470a8cc51dfe4"]);
  assert.deepEqual(run.steps[0]?.tokens, { input: 19681, cachedInput: 3712, output: 3773, reasoning: 3136 });
  assert.deepEqual([run.steps[0]?.time, run.model, run.outcome?.status, run.warnings], ["2025-12-05T19:20:01.000Z", "gpt-5-mini-2025-08-07", "completed", []]);
});

test("an MCP call carries its result; the list of tools is folded", async (t) => {
  const path = sharedFile(t, "trajectories/openai-responses/openai-mcp-tool.1.json");
  if (!path) return;
  const [run] = loadAll(await openShared(path));
  assert.deepEqual(run?.steps.map(outline), ["assistant: tool_call web_search_exa, text, (mcp_list_tools), (reasoning hidden)", "tool: tool_result web_search_exa"]);
  assert.equal(run.steps[0]?.parts[0]?.text, "query: NYC mayoral election results 2025 latest\nnumResults: 5");
  assert.equal(run.steps[1]?.parts[0]?.text.length, 19394);
  assert.equal(run.steps[1]?.parts[0]?.callId, run.steps[0]?.parts[0]?.callId);
});

test("reasoning with a summary and an encrypted part is shown; calls that end a response lack nothing", async (t) => {
  const encrypted = sharedFile(t, "trajectories/openai-responses/openai-reasoning-encrypted-content.1.json");
  const custom = sharedFile(t, "trajectories/openai-responses/openai-custom-tool.1.json");
  const shell = sharedFile(t, "trajectories/openai-responses/openai-shell-tool.1.json");
  if (!encrypted || !custom || !shell) return;
  const [reasoned] = loadAll(await openShared(encrypted));
  assert.deepEqual(reasoned?.steps.map(outline), ["assistant: reasoning, text"]);
  assert.ok(reasoned.steps[0]?.parts[0]?.text.startsWith("**Reporting final result**\n\nThe tool returned 570"));
  assert.equal(reasoned.steps[0]?.parts[1]?.text, "12 + 7 = 19\n19 × 3 = 57\n57 × 10 = 570\n\nFinal result: 570");
  const [free] = loadAll(await openShared(custom));
  assert.deepEqual(free?.steps[0]?.parts, [{ kind: "tool_call", text: "SELECT * FROM users WHERE age > 25", toolName: "write_sql", callId: "call_custom_sql_001" }]);
  const [commands] = loadAll(await openShared(shell));
  assert.deepEqual(commands?.steps[0]?.parts[0]?.args?.map((arg) => arg.key), ["commands", "max_output_length", "timeout_ms"]);
  assert.deepEqual([free?.warnings, commands?.warnings], [[], []]);
});

test("a list of items and chat messages is one talk; results find their calls by call_id", () => {
  const [run] = loadAll(openText("items.jsonl", lines(
    { role: "user", content: "go" },
    { type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: "hm" }] },
    { type: "function_call", id: "fc", call_id: "c1", name: "f", arguments: '{"n":1.0}' },
    { type: "local_shell_call", id: "ls", call_id: "c2", action: { type: "exec", command: ["ls"] } },
    { type: "function_call_output", call_id: "c1", output: [{ type: "input_text", text: "seen" }, { type: "input_image", image_url: "data:image/png;base64,AA" }] },
    { type: "local_shell_call_output", id: "ls", output: "files" },
    { type: "code_interpreter_call", id: "ci", code: "print(1)", outputs: [{ type: "logs", logs: "1\n" }] },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "done" }] },
    { type: "shell_call", id: "s", call_id: "c3", action: { commands: ["false"] } },
    { type: "shell_call_output", call_id: "c3", output: [{ stdout: "", stderr: "no", outcome: { type: "exit", exit_code: 1 } }] },
    { type: "compaction", encrypted_content: "x" },
    { role: "assistant", content: null, tool_calls: [{ id: "c4", function: { name: "g", arguments: "{" } }] },
    { role: "tool", tool_call_id: "c4", content: "r" },
  )));
  assert.equal(run?.format, "openai-responses");
  assert.deepEqual(run.steps.map(outline), [
    "user: text", "assistant: reasoning, tool_call f, tool_call local_shell", "tool: tool_result, (input_image)", "tool: tool_result",
    "assistant: tool_call code_interpreter, text, tool_call shell", "tool: tool_result code_interpreter", "tool: tool_result!", "system [compaction]: (compaction)", "assistant: tool_call g", "tool: tool_result",
  ]);
  assert.deepEqual([run.steps[1]?.parts[1]?.text, run.steps[3]?.parts[0]?.callId, run.steps[6]?.parts[0]?.text, run.steps[5]?.places[0]?.line], ["n: 1.0", "c2", "no", 7]);
  assert.deepEqual(run.warnings.map((one) => one.code), ["unparsed-arguments"]);
});

test("a request with its response; turns that are elsewhere are said to be missing", () => {
  const response = { object: "response", id: "r2", previous_response_id: "r1", status: "incomplete", incomplete_details: { reason: "max_output_tokens" }, error: null, output: [{ type: "message", role: "assistant", content: [{ type: "refusal", refusal: "No." }] }] };
  const [first, second] = loadAll(openText("batch.jsonl", lines({ custom_id: "a", request: { model: "m", instructions: "Be brief.", input: "hi" }, response: { status_code: 200, body: response } }, { custom_id: "b", response: { body: { object: "response", output: [], error: { message: "overloaded" }, status: "failed" } } })));
  assert.deepEqual([first?.id, second?.id], ["batch.jsonl#a", "batch.jsonl#b"]);
  assert.deepEqual(first?.steps.map((step) => [step.role, step.parts[0]?.text]), [["system", "Be brief."], ["user", "hi"], ["assistant", "No."]]);
  assert.deepEqual([first.outcome?.status, second?.outcome?.error, first.steps[2]?.places[0]?.pointer], ["incomplete (max_output_tokens)", "overloaded", "/response/body/output/0"]);
  assert.deepEqual(first.warnings.map((one) => one.code), ["refusal", "earlier-turns-elsewhere"]);
});

test("streams: the whole response where it came, what had come where it did not", () => {
  const created = { type: "response.created", response: { id: "r", object: "response", status: "in_progress", model: "m", output: [] } };
  const added = { type: "response.output_item.added", output_index: 0, item: { id: "f", type: "function_call", call_id: "c", name: "f", arguments: "" } };
  const pieces = ['{"a"', ":1}"].map((delta) => ({ type: "response.function_call_arguments.delta", output_index: 0, delta }));
  const [cut] = loadAll(openText("cut.jsonl", lines(created, added, ...pieces)));
  assert.deepEqual([cut?.steps.map(outline), cut?.steps[0]?.parts[0]?.text, cut?.warnings.map((one) => one.code)], [["assistant: tool_call f"], "a: 1", ["stream-cut"]]);
  const completed = { type: "response.completed", response: { object: "response", status: "completed", output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello" }] }] } };
  const sse = [created, { type: "response.output_text.delta", output_index: 0, delta: "Hel" }, completed].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n`).join("\n");
  const [whole] = loadAll(openText("dump.json", sse));
  assert.deepEqual([whole?.steps.map((step) => step.parts[0]?.text), whole?.warnings], [["Hello"], []]);
});
