/** Damaged on purpose: whatever is cut, flipped or of another type, a reader answers with trajectories and warnings and never throws. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemorySource } from "#node/file-source";
import { openFile } from "#core/trajectory/open";
import { bytesOf, check, damage, randomFrom, rounds, twist } from "./damaging";

const session = (type: string, uuid: string, parentUuid: string | null, message: unknown, more = {}): unknown => ({ type, uuid, parentUuid, sessionId: "s", timestamp: "2026-01-01T00:00:00Z", message, ...more });
const blocks = [{ type: "thinking", thinking: "t", signature: "s" }, { type: "text", text: "<think>x</think>y", citations: [1] }, { type: "tool_use", id: "t1", name: "Task", input: { prompt: "p", n: 1 } }];
const results = [{ type: "tool_result", tool_use_id: "t1", is_error: true, content: [{ type: "text", text: "r" }, { type: "image", source: { media_type: "image/png" } }] }, { type: "text", text: "more" }];
const usage = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3 };

const lines: Record<string, { name: string; values: unknown[] }[]> = {
  "claude-code": [{
    name: "s.jsonl",
    values: [
      { type: "summary", summary: "s", leafUuid: "a" }, session("user", "u1", null, { role: "user", content: "go" }), session("assistant", "a1", "u1", { id: "m1", role: "assistant", model: "m", content: blocks, usage }),
      session("user", "x1", null, { role: "user", content: "p" }, { isSidechain: true }), session("assistant", "x2", "x1", { id: "n1", content: [{ type: "text", text: "in" }] }, { isSidechain: true }),
      session("user", "r1", "a1", { role: "user", content: results }, { toolUseResult: { agentId: "q" } }), session("system", "b", null, null, { subtype: "compact_boundary", logicalParentUuid: "r1", content: "c" }),
      session("user", "u2", "b", { role: "user", content: [{ type: "text", text: "left" }] }), session("user", "u3", "b", { role: "user", content: "kept" }), session("assistant", "a2", "u3", { id: "m2", content: blocks, usage }),
      { type: "result", subtype: "success", is_error: false, result: "done", total_cost_usd: 1 },
    ],
  }],
  anthropic: [
    { name: "talk.json", values: [{ system: [{ type: "text", text: "s" }], messages: [{ role: "user", content: "hi" }, { role: "assistant", content: [...blocks, { type: "server_tool_use", id: "w", name: "web_search", input: {} }, { type: "web_search_tool_result", tool_use_id: "w", content: [{ type: "web_search_result", title: "T", url: "U" }] }] }, { role: "user", content: results }] }] },
    { name: "events.jsonl", values: [["client.beta.sessions.create", { type: "session", agent: { system: "s", model: { id: "m" }, mcp_servers: [{ name: "n" }] } }], ["client.beta.sessions.events.send", ["id", { events: [{ type: "user.message", content: [{ type: "text", text: "q" }] }] }]], ["client.beta.sessions.events.stream", { type: "agent.thinking" }], ["client.beta.sessions.events.stream", { type: "agent.tool_use", id: "e", name: "f", input: { a: 1 } }], ["client.beta.sessions.events.stream", { type: "span.model_request_end", model_usage: usage }], ["client.beta.sessions.events.stream", { type: "agent.tool_result", tool_use_id: "e", content: [{ type: "text", text: "r" }] }], ["client.beta.sessions.events.stream", { type: "session.status_idle", stop_reason: { type: "end_turn" } }]] },
    { name: "stream.jsonl", values: [{ type: "message_start", message: { type: "message", role: "assistant", content: [], usage } }, { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t", name: "f", input: {} } }, { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "{\"a\":" } }, { type: "message_delta", delta: { stop_reason: "x" }, usage }, { type: "message_stop" }] },
  ],
  "r-judge": [{ name: "set.json", values: [[{ id: 1, profile: "p", label: 1, risk_description: "r", contents: [[{ role: "user", content: "u" }, { role: "agent", thought: "t", action: "F{'a': [1, {'b': \"c\"}], 'd': 'e'}" }, { role: "environment", content: "\"x\"" }]] }, { id: 2, label: 0, profile: "p", contents: [[{ role: "agent", thought: "", action: "Tool\nAction Input: {\"k\": 1}" }]] }]] }],
  agentdojo: [{ name: "run.json", values: [{ suite_name: "s", user_task_id: "u", injection_task_id: "i", attack_type: "a", injections: { v: "inject me" }, utility: true, security: true, error: null, messages: [{ role: "system", content: "s" }, { role: "user", content: [{ type: "text", content: "u" }] }, { role: "assistant", content: null, tool_calls: [{ function: "f", args: { a: 1 }, id: "c" }] }, { role: "tool", content: "inject me", tool_call_id: "c", tool_call: { function: "f" }, error: "E" }] }] }],
};

const sample = {
  id: 1, epoch: 1, input: [{ role: "user", content: "in" }], target: ["t"], uuid: "u", scores: { s: { value: "C", answer: "a" } }, limit: { type: "time", limit: 1 }, error: null, metadata: { k: { v: 1 } },
  attachments: { "0123456789abcdef0123456789abcdef": "long" }, message_pool: [{ role: "user", content: "pooled" }],
  messages: [
    { id: "m1", role: "system", content: "s" }, { id: "m2", role: "user", content: [{ type: "text", text: "attachment://0123456789abcdef0123456789abcdef" }, { type: "image", image: "data:image/png;base64,x" }] },
    { id: "m3", role: "assistant", content: [{ type: "reasoning", reasoning: "r", redacted: false }, { type: "tool_use", id: "w", name: "n", arguments: "{}", result: "r", error: null }], tool_calls: [{ id: "c", function: "f", arguments: { a: [1] }, parse_error: null }] },
    { role: "tool", tool_call_id: "c", function: "f", content: "out", error: { type: "timeout", message: "late" } },
  ],
  events: [
    { event: "span_begin", id: "g", type: "agent", name: "sub", parent_id: "t" }, { event: "span_begin", id: "t", type: "tool", name: "f" },
    { event: "model", span_id: "g", input: [], input_refs: [[0, 1]], output: { choices: [{ message: { id: "q", role: "assistant", content: "x" } }], usage: { input_tokens: 1, output_tokens: 1 } }, timestamp: "2026-01-01T00:00:00Z" },
    { event: "tool", id: "c", function: "f", events: [{ event: "model", input: [{ role: "user", content: "n" }], output: { choices: [] } }] }, { event: "step", action: "begin", type: "scorer" }, { event: "compaction" },
  ],
};
const header = { version: 2, status: "success", eval: { task: "t", model: "m", run_id: "r", dataset: { name: "d" } } };
lines["inspect-json"] = [{ name: "log.json", values: [{ ...header, samples: [sample, { ...sample, epoch: 2, messages: [] }] }] }];

for (const [format, bases] of Object.entries(lines)) {
  test(`${format}: ${rounds} damaged files, no exception`, () => {
    const random = randomFrom(7 + format.length);
    let steps = 0;
    for (let round = 0; round < rounds; round++) {
      const { name, values } = bases[round % bases.length] ?? { name: "", values: [] };
      const at = Math.floor(random() * values.length);
      const twisted = round % 2 === 0 ? values.map((value, index) => (index === at ? twist(twist(value, random), random) : value)) : values;
      const bytes = bytesOf(twisted.map((value) => JSON.stringify(value)).join("\n"));
      const file = openFile(new MemorySource(name, round % 2 === 0 ? bytes : damage(bytes, random)), { format });
      steps += check(file, format, round);
    }
    // Most of what was left whole has been read; a reader that gives up at the first fault would fail here.
    assert.ok(steps > rounds, `${steps} steps in ${rounds} files`);
  });
}

test(`inspect-eval: ${rounds} damaged containers, no exception`, () => {
  const random = randomFrom(11);
  let steps = 0;
  const { messages, events, message_pool: _pool, attachments: _attachments, ...rest } = sample;
  for (let round = 0; round < rounds; round++) {
    const values: Record<string, unknown> = {
      "header.json": header, "summaries.json": [{ id: 1, epoch: 1, input: "in", uuid: "u" }, { id: "c", epoch: 2 }], "_journal/summaries/1.json": [{ id: 1, epoch: 1 }], "samples/1_epoch_1.json": sample,
      "samples/c_epoch_2/sample.json": { ...rest, id: "c", epoch: 2, message_refs: [[0, 2], [3, 9]] }, "samples/c_epoch_2/messages/0.json": messages.slice(0, 2), "samples/c_epoch_2/messages/2.json": messages.slice(2),
      "samples/c_epoch_2/events/0.json": events, "samples/c_epoch_2/attachments/0.json": ["a", "b"],
    };
    const names = Object.keys(values);
    const hit = names[Math.floor(random() * names.length)] ?? "";
    if (round % 5 === 0) delete values[hit];
    const entries = new Map(Object.entries(values).map(([name, value]) => [name, bytesOf(JSON.stringify(name === hit && round % 2 === 0 ? twist(twist(value, random), random) : value))]));
    const bytes = entries.get(hit);
    if (bytes && round % 2 === 1) entries.set(hit, damage(bytes, random));
    const source = new MemorySource("run.eval", new Uint8Array([0x50, 0x4b, 3, 4]));
    source.archive = {
      entries: [...entries].map(([name, content]) => ({ name, size: content.length })),
      read: (name) => {
        if (name === hit && round % 7 === 0) throw new Error("cannot be unpacked");
        return entries.get(name) ?? new Uint8Array();
      },
    };
    steps += check(openFile(source, { format: "inspect-eval" }), "inspect-eval", round);
  }
  assert.ok(steps > rounds * 3, `${steps} steps`);
});
