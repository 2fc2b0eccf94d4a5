/** Files of benchmarks, responses and traces damaged on purpose: whatever is cut or of another type, a reader answers and never throws. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemorySource } from "#node/file-source";
import { openFile } from "#core/trajectory/open";
import { bytesOf, check, damage, randomFrom, rounds, twist } from "./damaging";

const call = { id: "c", name: "f", arguments: { a: [1] }, requestor: "user" };
const parts = [{ type: "text", content: "t" }, { type: "tool_call", id: "c", name: "f", arguments: { a: 1 } }, { type: "tool_call_response", id: "c", response: { r: 1 } }];
const attributes = { "gen_ai.operation.name": "chat", "gen_ai.input.messages": JSON.stringify([{ role: "user", parts }]), "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "x", "gen_ai.usage.input_tokens": 3 };
const span = (id: string, parent: string | null, more: object = {}) => ({ traceId: "0123456789abcdef0123456789abcdef", spanId: id, parentSpanId: parent, name: "n", startTimeUnixNano: "1767225600123456789", status: { code: 2, message: "m" }, events: [{ name: "exception", attributes: [] }], attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: typeof value === "number" ? { intValue: value } : { stringValue: value } })), ...more });
const lc = (type: string, kwargs: object) => ({ lc: 1, type: "constructor", id: ["x", type], kwargs });
const run = (id: string, type: string, parent: string | null, more: object = {}) => ({ id, run_type: type, trace_id: "r", parent_run_id: parent, dotted_order: id, name: "agent", inputs: { messages: [[lc("HumanMessage", { content: "q" })]] }, outputs: { generations: [[{ message: lc("AIMessage", { content: "a", tool_calls: [{ name: "f", args: {}, id: "c" }] }) }]] }, ...more });
const item = (type: string, more: object) => ({ type, id: type, call_id: "c", ...more });
const entry = { startedDateTime: "t", request: { method: "POST", url: "http://x/y", postData: { text: "b" } }, response: { status: 200, statusText: "OK", content: { mimeType: "text/html", text: "x", _file: "f" }, redirectURL: "z" } };

const bases: Record<string, { name: string; value: unknown }[]> = {
  sharegpt: [{ name: "s.json", value: [{ id: "i", system: "s", tools: "[]", conversations: [{ from: "human", value: "q" }, { from: "gpt", value: '<think>t</think>a<tool_call>{"name":"f","arguments":{}}</tool_call>' }, { from: "tool", value: "<tool_response>r</tool_response>" }, { from: "function_call", value: '{"name":"f","arguments":{"a":1}}' }], chosen: { from: "gpt", value: "x" }, rejected: { from: "gpt", value: "y" } }] }],
  "tau-bench": [{ name: "t.json", value: [{ task_id: 0, trial: 1, reward: 1, info: { task: { instruction: "i", actions: [] }, reward_info: { info: { r_actions: 1 } } }, traj: [{ role: "user", content: "q" }, { role: "assistant", content: "a", tool_calls: [{ id: "0", function: { name: "f", arguments: "{}" } }] }, { role: "tool", tool_call_id: "0", content: "r" }] }] }],
  "tau2-bench": [
    { name: "t.json", value: { info: { environment_info: { policy: "p" }, agent_info: { llm: "m" } }, tasks: [{ id: "1", user_scenario: { instructions: { a: "b" } } }], simulations: [{ id: "s", task_id: "1", termination_reason: "x", reward_info: { reward: 1, action_checks: [{}] }, messages: [{ role: "user", content: null, tool_calls: [call], usage: { prompt_tokens: 1 }, cost: 1 }, { role: "tool", id: "c", content: "r", error: true, requestor: "user" }, { role: "tool", tool_messages: [{ id: "c", role: "tool", content: "z" }] }] }] } },
    { name: "v.json", value: { id: "s", task_id: "1", ticks: [{ tick_id: 0, timestamp: "t", user_chunk: { contains_speech: true, content: "w", source_effects: { speech_insert: { text: "aside" } } }, agent_chunk: { contains_speech: true }, agent_tool_calls: [call], agent_tool_results: [{ id: "c", content: "r" }] }, { tick_id: 1, user_chunk: { contains_speech: true } }] } },
  ],
  "openai-responses": [
    { name: "r.json", value: { object: "response", id: "r", status: "x", instructions: "s", input: [{ role: "user", content: "q" }, item("function_call", { name: "f", arguments: "{}" }), item("function_call_output", { output: [{ type: "input_text", text: "t" }] })], output: [item("reasoning", { summary: [{ text: "t" }] }), item("web_search_call", { action: { query: "q", sources: [{ url: "u" }] } }), item("mcp_call", { name: "m", arguments: "{", output: "o", error: { message: "e" } }), item("message", { role: "assistant", content: [{ type: "output_text", text: "t", annotations: [1] }] }), item("shell_call_output", { output: [{ stdout: "o", outcome: { exit_code: 1 } }] }), item("compaction", {})], usage: { input_tokens: 1 } } },
    { name: "e.json", value: [{ type: "response.created", response: { id: "r" } }, { type: "response.output_item.added", output_index: 0, item: { type: "message", role: "assistant", content: [] } }, { type: "response.output_text.delta", output_index: 0, delta: "x" }] },
  ],
  otel: [
    { name: "o.json", value: { resourceSpans: [{ scopeSpans: [{ spans: [span("aaaaaaaaaaaaaaa1", null), span("aaaaaaaaaaaaaaa2", "aaaaaaaaaaaaaaa1", { attributes: [{ key: "openinference.span.kind", value: { stringValue: "TOOL" } }, { key: "tool.name", value: { stringValue: "f" } }, { key: "output.value", value: { kvlistValue: { values: [{ key: "a", value: { arrayValue: { values: [{ intValue: "1" }] } } }] } } }] })] }] }] } },
    { name: "f.json", value: [{ name: "n", context: { trace_id: "t", span_id: "s" }, attributes: { ...attributes, llm: { input_messages: [{ message: { role: "user", content: "x" } }] } }, start_time: "2026-01-01T00:00:00", events: [{ name: "gen_ai.user.message", attributes: { content: "u" } }] }] },
  ],
  trail: [{ name: "t.jsonl", value: { trace: { trace_id: "t", spans: [{ span_id: "s", span_name: "n", timestamp: "2026-01-01T00:00:00Z", span_attributes: attributes, child_spans: [{ span_id: "u", span_attributes: { "openinference.span.kind": "TOOL" }, status_code: "Error" }] }] }, labels: { errors: [{ category: "c", location: "u", impact: "HIGH" }], scores: [{ s: 1 }] } } }],
  langsmith: [{ name: "l.json", value: { post: [run("r", "chain", null, { child_runs: [run("c1", "llm", null)] }), run("t", "tool", "r", { inputs: { input: "{}" }, outputs: { output: lc("ToolMessage", { content: "r", tool_call_id: "c" }) } })], patch: [{ id: "t", trace_id: "r", error: "e" }, run("z", "retriever", "t", { outputs: { documents: [{ page_content: "p" }] } })] } }],
  webarena: [{ name: "n.har", value: { log: { creator: { name: "c" }, entries: [entry, { ...entry, request: { url: "http://x/a.css" }, response: { status: 0, content: { mimeType: "text/css" } } }] } } }, { name: "eval_result.json", value: { task_id: 1, status: "failure", evaluators_results: [{ actual: "a", expected: {}, assertions: [{ assertion_name: "n", assertion_msgs: ["m"] }] }] } }],
  "agent-reward-bench": [{ name: "a.json", value: { goal: "g", summary_info: { cum_reward: 1 }, steps: [{ action: "click('a', b=1)", reasoning: "r", url: "u", axtree: "x", screenshot_path: "s" }, { action: null, axtree: "y", last_action_error: "e", chat_messages: [1] }] } }],
  malt: [{ name: "m.json", value: [{ run_id: 1, labels: ["normal"], nodes: [{ node_id: 0, parent_node_id: null, node_data: { first_called_at: 1, message: { role: "user", content: "q" } } }, { node_id: 1, parent_node_id: 0, node_data: { message: { role: "assistant", content: "a", function_call: { name: "f", arguments: "{}" } } } }, { node_id: 2, parent_node_id: 0, node_data: { message: { role: "assistant", content: "b" } } }] }, { run_id: 2, samples: [{ input: [{ role: "user", content: "q" }], output: [[{ role: "assistant", content: "a" }], [{ role: "assistant", content: "b" }]] }] }] }],
};

for (const [format, files] of Object.entries(bases)) {
  test(`${format}: ${rounds} damaged files, no exception`, () => {
    const random = randomFrom(17 + format.length);
    let steps = 0;
    for (let round = 0; round < rounds; round++) {
      const { name, value } = files[round % files.length]!;
      const isTwisted = Math.floor(round / files.length) % 2 === 0;
      const bytes = bytesOf(JSON.stringify(isTwisted ? twist(twist(value, random), random) : value));
      steps += check(openFile(new MemorySource(name, isTwisted ? bytes : damage(bytes, random)), { format }), format, round);
    }
    // Most of what was left whole has been read; a reader that gives up at the first fault would fail here.
    assert.ok(steps > rounds / 2, `${steps} steps in ${rounds} files`);
  });
}

test("deep nesting inside messages, attributes and items ends in an answer", () => {
  const deep = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
  for (const [format, text] of [
    ["otel", `{"gen_ai.operation.name":"chat","gen_ai.input.messages":${deep(100000)}}`], ["sharegpt", `[{"conversations":[{"from":"human","value":${deep(100000)}}]}]`],
    ["openai-responses", `{"object":"response","output":[{"type":"x_call","id":"i","arguments":${deep(100000)}}]}`], ["malt", `[{"samples":[{"input":[{"role":"user","content":${deep(100000)}}],"output":[[]]}]}]`],
    ["langsmith", `[{"id":"r","run_type":"llm","trace_id":"r","inputs":{"messages":${deep(100000)}}}]`],
  ] as const) {
    const file = openFile(new MemorySource("deep.json", bytesOf(text)), { format });
    file.opened.heads.forEach((_head, index) => file.load(index));
    assert.ok(file.opened.heads.length + file.warnings().length > 0, format);
  }
});
