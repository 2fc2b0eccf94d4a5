/** The shapes that chat data comes in: requests, replies, batches, preferences, streams, talks by lines, wrapped records. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadAll, openText, outline } from "../formats/reading";

const lines = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join("\n");
const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown, more = {}) => ({ role: "assistant", content, ...more });

function read(path: string, text: string) {
  const file = openText(path, text);
  assert.equal(file.format?.id, "openai-chat");
  return { ids: file.ids, all: loadAll(file) };
}

test("a request with its response, a batch row, a bare message as response", () => {
  const completion = { object: "chat.completion", model: "m", usage: { prompt_tokens: 3, completion_tokens: 2 }, choices: [{ index: 0, finish_reason: "stop", message: assistant("yes") }] };
  const { ids, all } = read("b.jsonl", lines(
    { id: 7, request: { messages: [user("q")], tools: [{ function: { name: "f" } }] }, response: completion },
    { custom_id: "row-1", response: { status_code: 200, body: completion } },
    { custom_id: "row-2", body: { messages: [user("q2")] }, response: { role: "assistant", content: "a2" } },
    { custom_id: "row-3", body: { messages: [user("q3")] }, response: { body: { error: { message: "overloaded" } } } },
  ));
  assert.deepEqual(ids, ["b.jsonl#7", "b.jsonl#row-1", "b.jsonl#row-2", "b.jsonl#row-3"]);
  assert.deepEqual(all.map((one) => one.steps.map((step) => step.role).join()), ["user,assistant", "assistant", "user,assistant", "user"]);
  assert.deepEqual(all[0]!.steps[1]!.tokens, { input: 3, output: 2 });
  assert.deepEqual(all[0]!.metadata, [{ name: "id", value: "7" }, { name: "tools", value: "f" }]);
  assert.deepEqual(all[0]!.steps[1]!.places, [{ line: 1, pointer: "/response/choices/0/message" }]);
  assert.equal(all[3]!.outcome?.error, "overloaded");
});

test("several choices are the first answer and its branches", () => {
  const { ids, all } = read("c.json", JSON.stringify({ choices: [{ message: assistant("a") }, { message: { content: "b" } }] }));
  assert.deepEqual(ids, ["c.json", "c.json>choice-1"]);
  assert.deepEqual(all.map((one) => [one.steps[0]!.role, one.steps[0]!.parts[0]!.text, one.parentId]), [["assistant", "a", undefined], ["assistant", "b", "c.json"]]);
});

test("preferences give both answers; neither gets a label from it", () => {
  const { ids, all } = read("p.jsonl", lines(
    { input: { messages: [user("q")] }, preferred_output: [assistant("good")], non_preferred_output: [assistant("bad")] },
    { id: "x", messages: [user("q")], chosen: assistant("good"), rejected: assistant("bad") },
  ));
  assert.deepEqual(ids, ["p.jsonl#0/chosen", "p.jsonl#0/rejected", "p.jsonl#x/chosen", "p.jsonl#x/rejected"]);
  assert.deepEqual(all.map((one) => one.steps.map((step) => step.parts[0]!.text).join()), ["q,good", "q,bad", "q,good", "q,bad"]);
  assert.ok(all.every((one) => one.label === undefined));
  assert.equal(all[1]!.outcome?.details?.[0]?.value, "rejected (against the other answer, no verdict on this one)");
});

test("labels: a boolean says desirable, no verdict; a word of ours does", () => {
  const { all } = read("l.jsonl", lines({ messages: [user("q")], label: true }, { messages: [user("q")], label: "misbehavior" }, { messages: [user("q")], safe: true }, { messages: [user("q")], label: "A" }));
  assert.deepEqual(all.map((one) => one.label), [undefined, "misbehavior", "benign", undefined]);
  assert.deepEqual(all[0]!.outcome?.details, [{ name: "label", value: "true" }]);
  assert.equal(all[2]!.labelMeaning, "safe: true");
});

test("a list of messages, and a message a line, are one talk", () => {
  const talk = [{ role: "developer", content: "d" }, user("q"), assistant(null, { function_call: { name: "f", arguments: '{"a": 1.0}' } }), { role: "function", name: "f", content: "r" }];
  const expected = ["system: text", "user: text", "assistant: tool_call f", "tool: tool_result f"];
  const list = read("t.json", JSON.stringify(talk));
  assert.deepEqual(list.ids, ["t.json"]);
  assert.deepEqual(list.all[0]!.steps.map(outline), expected);
  const byLine = read("t.jsonl", `${lines(...talk.slice(0, 2))}\n{"role":"cut\n${lines(...talk.slice(2))}`);
  assert.deepEqual(byLine.ids, ["t.jsonl"]);
  assert.deepEqual(byLine.all[0]!.steps.map(outline), expected);
  assert.equal(byLine.all[0]!.steps[2]!.parts[0]!.text, "a: 1.0");
  assert.deepEqual(byLine.all[0]!.warnings.map((warning) => [warning.code, warning.line]), [["damaged-line", 3]]);
});

test("records wrapped in an object are found; damaged lines are records that give nothing", () => {
  assert.deepEqual(read("w.json", JSON.stringify({ name: "set", data: [{ id: "a", messages: [user("1")] }, { messages: [user("2")] }] })).ids, ["w.json#a", "w.json#1"]);
  const { ids, all } = read("d.jsonl", `${lines({ messages: [user("1")] })}\n{"messages": [\n${lines({ messages: [user("3")] })}`);
  assert.deepEqual(ids, ["d.jsonl#0", "d.jsonl#1", "d.jsonl#2"]);
  assert.deepEqual(all.map((one) => one.steps.length), [1, 0, 1]);
  assert.deepEqual(all[1]!.warnings, [{ code: "damaged-line", line: 2, message: "Line 2 could not be read: the JSON ends in the middle (14 bytes)." }]);
});

test("streams are put together, by lines and as events", () => {
  const chunk = (delta: unknown, more = {}) => ({ id: "s", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, ...more }] });
  const chunks = [
    chunk({ role: "assistant", content: "He" }), chunk({ content: "llo", reasoning_content: "hm" }), chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: '{"n"' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: ": 1.50}" } }] }, { finish_reason: "tool_calls" }), { id: "s", object: "chat.completion.chunk", choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } },
  ];
  for (const [path, text] of [["s.jsonl", lines(...chunks)], ["s.txt", `${chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("")}data: [DONE]\n\n`]] as const) {
    const { all } = read(path, text);
    assert.deepEqual(all[0]!.steps.map(outline), ["assistant: reasoning, text, tool_call f"]);
    assert.deepEqual(all[0]!.steps[0]!.parts.map((part) => part.text), ["hm", "Hello", "n: 1.50"]);
    assert.deepEqual(all[0]!.steps[0]!.tokens, { input: 1, output: 2 });
  }
});

test("members beside the content: reasoning once, details, refusal, spoken words, custom calls, errors", () => {
  const { all } = read("m.json", JSON.stringify({ messages: [
    assistant("<think>in</think>out", { reasoning: "deep", reasoning_content: "deep", reasoning_details: [{ type: "reasoning.text", text: "deep" }, { type: "reasoning.encrypted", data: "x" }] }),
    assistant(null, { reasoning_details: [{ type: "reasoning.encrypted", data: "x" }], refusal: "no", audio: { id: "a", transcript: "spoken" } }),
    assistant("", { tool_calls: [{ id: "1", type: "custom", custom: { name: "py", input: "print(1)" } }, { id: "2", function: { name: "g", arguments: { z: 1, "10": [1] } } }] }),
    { role: "tool", tool_call_id: "1", content: "", error: { message: "boom" } }, { role: "tool", tool_call_id: "2", content: [{ type: "text", text: "r" }] }, { role: "tool", tool_call_id: "2", content: "again" }, { role: "tool", tool_call_id: "9", content: "whose?" },
    { role: "critic", content: "hm" },
  ] }));
  const [found] = all;
  assert.deepEqual(found!.steps.map(outline), [
    "assistant: reasoning, reasoning, text", "assistant: text, text, (audio), (reasoning hidden)", "assistant: tool_call py, tool_call g",
    "tool: tool_result!", "tool: tool_result", "tool [duplicate]: tool_result", "tool [orphan]: tool_result", "system: text",
  ]);
  assert.deepEqual(found!.steps[0]!.parts.map((part) => part.text), ["deep", "in", "out"]);
  assert.deepEqual(found!.steps[2]!.parts.map((part) => part.text), ["print(1)", "10: [1]\nz: 1"]);
  assert.equal(found!.steps[3]!.parts[0]!.text, "boom");
  assert.equal(found!.steps[7]!.name, "critic");
  assert.deepEqual([...new Set(found!.warnings.map((warning) => warning.code))], ["refusal", "unknown-role", "repeated-result", "result-without-call"]);
});

test("a tool of the simulated user is a call of the user's step; paths of media go where their marks stand", () => {
  const { all } = read("u.json", JSON.stringify({ messages: [user("look <image> and"), assistant("<image>"), { role: "user", content: null, tool_calls: [{ id: "1", name: "toggle", arguments: { on: true } }] }], images: ["a.png", "b.png", "c.png"] }));
  assert.deepEqual(all[0]!.steps.map(outline), ["user: text, (image), (image)", "assistant: text, (image)", "user [user_tool]: tool_call toggle"]);
  assert.deepEqual(all[0]!.steps[0]!.extras!.map((extra) => extra.raw), ['"a.png"', '"c.png"']);
});
