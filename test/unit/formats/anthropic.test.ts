/** Anthropic messages: replies with hosted tools, conversations, event logs, streams, old prompts; and what is not theirs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedFile } from "../../support/shared";
import { loadAll, openShared, openText, outline } from "./reading";

const texts = (parts: readonly { text: string }[] | undefined): string[] => parts?.map((part) => part.text) ?? [];

test("hosted tools: one assistant step, then a tool step for each result inside the message", async (t) => {
  const path = sharedFile(t, "trajectories/anthropic-messages/anthropic-code-execution-20250825.1.json");
  if (!path) return;
  const [reply] = loadAll(await openShared(path));
  // By hand: content has text, server_tool_use (create a file), its result, text, server_tool_use (bash), its result, text.
  // The create result has no text of its own, so its JSON is quoted; the bash result's stdout is, return code 0 is no error.
  assert.deepEqual(reply?.steps.map(outline), [
    "assistant: text, tool_call text_editor_code_execution, text, tool_call bash_code_execution, text", "tool: tool_result", "tool: tool_result, (bash_code_execution_result)",
  ]);
  assert.equal(reply.steps[1]?.parts[0]?.callId, "srvtoolu_012LCpyzxGBy44bCW4zCxmH2");
  assert.match(reply.steps[1]?.parts[0]?.text ?? "", /"is_file_update": false/);
  assert.ok(reply.steps[2]?.parts[0]?.text.startsWith("The 10th Fibonacci number is: 55\n\nFirst 10"));
  assert.equal(reply.steps[0]?.parts[3]?.text, "command: python /tmp/fibonacci.py");
  assert.deepEqual(reply.steps[0]?.tokens, { input: 7881, cachedInput: 0, output: 608 });
  assert.deepEqual(reply.outcome, { status: "end_turn" });
  assert.deepEqual(reply.steps[2]?.places, [{ pointer: "/content/5" }]);
});

test("an event log: sent messages and their echoes are one step; requests make replies; the decision is meta", async (t) => {
  const path = sharedFile(t, "trajectories/anthropic-messages/managed-mcp-tools-events.jsonl");
  if (!path) return;
  const file = await openShared(path);
  const [log] = loadAll(file);
  // By hand: line 1 describes the session (system prompt in agent.system), line 2 sends the question that line 5 echoes, lines 6 to 9
  // are the first model request (thinking without content, MCP call), lines 12 and 13 send and echo "allow", line 16 is the result,
  // lines 17 to 20 the second request. Usage of line 9: input 2 + 7780 written to the cache, output 151.
  assert.deepEqual(log?.steps.map((step) => [outline(step), step.places[0]?.line]), [
    ["system: text", 1], ["user: text", 5], ["assistant: tool_call web_search_exa, (reasoning hidden)", 7], ["user [meta]: text", 13], ["tool: tool_result", 16],
    ["assistant: text, (reasoning hidden)", 18],
  ]);
  assert.deepEqual(log.steps[2]?.tokens, { input: 7782, cachedInput: 0, output: 151 });
  assert.equal(log.steps[2]?.parts[0]?.text, "numResults: 5\nquery: langchain-ai/langsmith-sdk GitHub repository stars");
  assert.equal(log.steps[4]?.parts[0]?.callId, log.steps[2]?.parts[0]?.callId);
  assert.equal(log.model, "claude-opus-4-8");
  assert.equal(log.title, "Quickstart session");
  assert.deepEqual([log.outcome?.status, file.ids.length, log.warnings.length], ["end_turn", 1, 0]);
});

test("a conversation: system first, results before the user's text, an error marked, extras kept", () => {
  const file = openText("talk.json", JSON.stringify({
    model: "claude", system: [{ type: "text", text: "Be brief." }], tools: [{ name: "ls" }],
    messages: [
      { role: "user", content: "list" },
      { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "s" }, { type: "redacted_thinking", data: "xx" }, { type: "tool_use", id: "t1", name: "ls", input: { path: "/", depth: 2 } }, { type: "tool_use", id: "t2", name: "ls", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "a" }, { type: "text", text: "b" }, { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } }] }, { type: "tool_result", tool_use_id: "t2", is_error: true, content: "no" }, { type: "text", text: "go on" }] },
      { role: "assistant", content: [{ type: "brand_new", x: 1 }, "bare", null] },
    ],
  }));
  assert.equal(file.format?.id, "anthropic");
  const [talk] = loadAll(file);
  assert.deepEqual(talk?.steps.map(outline), [
    "system: text", "user: text", "assistant: reasoning, tool_call ls, tool_call ls, (reasoning hidden)", "tool: tool_result, tool_result, (image)", "tool: tool_result!", "user: text", "assistant: text, (brand_new)",
  ]);
  assert.deepEqual(texts(talk.steps[3]?.parts), ["a", "b"]);
  assert.equal(talk.steps[3]?.extras?.[0]?.mediaType, "image/png");
  assert.equal(talk.steps[2]?.parts[1]?.text, "path: /\ndepth: 2");
  assert.equal(talk.task, "list");
  assert.deepEqual(talk.warnings, []);
});

test("arguments: empty input is empty text, JSON in a text is read, other text stays and is told", () => {
  const file = openText("reply.json", JSON.stringify({
    id: "msg_1", type: "message", role: "assistant", stop_reason: "tool_use",
    content: [{ type: "tool_use", id: "a", name: "f", input: {} }, { type: "tool_use", id: "b", name: "f", input: '{"x": 1.0}' }, { type: "tool_use", id: "c", name: "f", input: '{"x": ' }],
  }));
  const [reply] = loadAll(file);
  assert.deepEqual(texts(reply?.steps[0]?.parts), ["", "x: 1.0", '{"x": ']);
  assert.deepEqual(reply?.warnings.map((warning) => warning.code), ["unparsed-arguments", "call-without-result", "call-without-result", "call-without-result"]);
});

test("hosted tools that fail say so; search hits give title and address", () => {
  const [reply] = loadAll(openText("reply.json", JSON.stringify({
    id: "msg_1", type: "message", role: "assistant", stop_reason: "end_turn",
    content: [
      { type: "server_tool_use", id: "a", name: "web_search", input: { query: "q" } },
      { type: "web_search_tool_result", tool_use_id: "a", content: [{ type: "web_search_result", title: "T", url: "https://x.example", encrypted_content: "zzz" }] },
      { type: "server_tool_use", id: "b", name: "web_search", input: { query: "q" } },
      { type: "web_search_tool_result", tool_use_id: "b", content: { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" } },
      { type: "server_tool_use", id: "c", name: "bash_code_execution", input: { command: "false" } },
      { type: "bash_code_execution_tool_result", tool_use_id: "c", content: { type: "bash_code_execution_result", stdout: "", stderr: "bad", return_code: 1 } },
    ],
  })));
  assert.deepEqual(reply?.steps.slice(1).map((step) => [step.parts[0]?.text, step.parts[0]?.isError ?? false]), [["T\nhttps://x.example", false], ["max_uses_exceeded", true], ["bad", true]]);
});

test("lines of requests with replies are a trajectory each, with the custom id; a bad line is one too", () => {
  const record = (id: string, said: string): string => JSON.stringify({
    custom_id: id, params: { system: "S", messages: [{ role: "user", content: said }] },
    result: { type: "succeeded", message: { id: "msg", type: "message", role: "assistant", content: [{ type: "text", text: `re ${said}` }], stop_reason: "end_turn" } },
  });
  const file = openText("batch.jsonl", `${record("one", "hi")}\n{"custom_id": \n${record("two", "ho")}\n`);
  assert.deepEqual(file.ids, ["batch.jsonl#one", "batch.jsonl#1", "batch.jsonl#two"]);
  const [one, bad, two] = loadAll(file);
  assert.deepEqual(one?.steps.map((step) => step.parts[0]?.text), ["S", "hi", "re hi"]);
  assert.deepEqual(two?.steps.map((step) => step.places[0]), [{ line: 3, pointer: "/params/system" }, { line: 3, pointer: "/params/messages/0" }, { line: 3, pointer: "/result/message" }]);
  assert.deepEqual([bad?.steps.length, bad?.warnings[0]?.code, bad?.warnings[0]?.line], [0, "damaged-line", 2]);
});

test("a message a line is one conversation", () => {
  const messages = [{ role: "user", content: "hi" }, { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] }, { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "r" }] }];
  const file = openText("talk.jsonl", `${messages.map((message) => JSON.stringify(message)).join("\n")}\n{"role":\n`);
  assert.deepEqual(file.ids, ["talk.jsonl"]);
  const [talk] = loadAll(file);
  assert.deepEqual(talk?.steps.map((step) => [outline(step), step.places[0]?.line]), [["user: text", 1], ["assistant: tool_call f", 2], ["tool: tool_result", 3]]);
  assert.deepEqual(talk.warnings.map(({ code, line }) => [code, line]), [["damaged-line", 4]]);
});

test("a recorded stream is put together", () => {
  const events = [
    { type: "message_start", message: { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], usage: { input_tokens: 7, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hel" } }, { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "lo" } },
    { type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "t1", name: "f", input: {} } },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"a": ' } }, { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: "1}" } },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
  ];
  const lines = openText("stream.jsonl", events.map((event) => JSON.stringify(event)).join("\n"));
  const sse = openText("stream.txt", events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n`).join("\n"));
  for (const file of [lines, sse]) {
    assert.equal(file.format?.id, "anthropic");
    const [reply] = loadAll(file);
    assert.deepEqual(texts(reply?.steps[0]?.parts), ["Hello", "a: 1"]);
    assert.deepEqual(reply?.steps[0]?.tokens, { input: 7, output: 9 });
    assert.deepEqual(reply?.outcome, { status: "tool_use" });
    assert.deepEqual(reply?.warnings.map((warning) => warning.code), ["call-without-result", "stream-cut"]);
  }
});

test("old prompts are split into turns", () => {
  const file = openText("old.jsonl", JSON.stringify({ prompt: "Rules.\n\nHuman: Hi\n\nAssistant: Ho\n\nHuman: Then?\n\nAssistant:", completion: " Bye" }));
  assert.equal(file.format?.id, "anthropic");
  const [talk] = loadAll(file);
  assert.deepEqual(talk?.steps.map((step) => [step.role, step.parts[0]?.text]), [["system", "Rules."], ["user", "Hi"], ["assistant", "Ho"], ["user", "Then?"], ["assistant", "Bye"]]);
});

test("thinking at the start of a text is reasoning, the rest stays as recorded", async (t) => {
  const path = sharedFile(t, "trajectories/anthropic-messages/anthropic-tool-no-args.json");
  if (!path) return;
  const [reply] = loadAll(await openShared(path));
  assert.deepEqual(reply?.steps[0]?.parts.map((part) => part.kind), ["reasoning", "text", "tool_call"]);
  assert.match(reply?.steps[0]?.parts[0]?.text ?? "", /^\nThe updateIssueList tool was provided/);
  assert.equal(reply?.steps[0]?.parts[1]?.text, "\n\nOkay, I will update the current issue list:");
});

test("chat completions with a tool role are not claimed", () => {
  const chat = { messages: [{ role: "user", content: "a" }, { role: "assistant", content: null, tool_calls: [] }, { role: "tool", tool_call_id: "c", content: [{ type: "image", source: { type: "base64", data: "x" } }] }] };
  assert.notEqual(openText("chat.json", JSON.stringify(chat)).format?.id, "anthropic");
});
