/** Agents' own files damaged on purpose: whatever is cut, flipped or replaced, reading answers, and what was read can be written. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { writeAtif } from "#core/exports/atif";
import { openFile } from "#core/trajectory/open";
import { MemorySource } from "#node/file-source";
import { randomFrom } from "../../support/fuzz/random";
import { mutate } from "../../support/mutate";

const rounds = 900;
const lines = (...values: unknown[]): string => `${values.map((value) => JSON.stringify(value)).join("\n")}\n`;
const item = (payload: object): object => ({ timestamp: "t", type: "response_item", payload });
const event = (payload: object): object => ({ timestamp: "t", type: "event_msg", payload });
const stored = (id: number, more: object): object => ({ id, timestamp: "t", source: "agent", message: "", ...more });
const copilot = (type: string, data: object): object => ({ type, data, id: "i", timestamp: "t", parentId: null });

const small: Record<string, string> = {
  "codex.jsonl": lines(
    { timestamp: "t", type: "session_meta", payload: { id: "s", git: { branch: "b" }, source: { subagent: "x" } } }, { timestamp: "t", type: "turn_context", payload: { model: "m", sandbox_policy: { mode: "x" } } },
    item({ type: "message", role: "user", content: [{ type: "input_text", text: "go" }] }), event({ type: "user_message", message: "go" }), item({ type: "reasoning", summary: [{ text: "hm" }], content: [{ text: "x" }] }),
    item({ type: "function_call", name: "f", arguments: '{"a":1}', call_id: "c" }), item({ type: "function_call_output", call_id: "c", output: '{"output":"x","metadata":{"exit_code":1}}' }), event({ type: "token_count", info: { total_token_usage: { input_tokens: 1 }, last_token_usage: { input_tokens: 1 } } }),
    event({ type: "exec_command_end", call_id: "c", exit_code: 1 }), event({ type: "mcp_tool_call_end", call_id: "d", invocation: { arguments: {} }, result: { Ok: { content: [{ text: "r" }] } } }), item({ type: "local_shell_call", call_id: "e", action: { command: ["ls"] } }),
    event({ type: "thread_rolled_back", num_turns: 1 }), { timestamp: "t", type: "compacted", payload: { message: "m" } },
  ),
  "exec.jsonl": lines({ type: "thread.started", thread_id: "t" }, { type: "item.started", item: { id: "1", type: "command_execution", command: "ls" } }, { type: "item.completed", item: { id: "1", type: "command_execution", command: "ls", aggregated_output: "x", exit_code: 0 } }, { type: "turn.failed", error: { message: "e" } }),
  "hands.json": JSON.stringify([
    stored(0, { source: "user", action: "message", args: { content: "go", image_urls: ["data:image/png;base64,A"] } }), stored(1, { action: "run", args: { command: "ls", thought: "t" }, llm_metrics: { accumulated_cost: 1 }, tool_call_metadata: { function_name: "f", tool_call_id: "c", total_calls_in_response: 2, model_response: { id: "r", model: "m", usage: { prompt_tokens: 1 }, choices: [{ message: { content: "t", thinking_blocks: [{ thinking: "" }], tool_calls: [{ id: "c", function: { arguments: '{"a":1}' } }] } }] } } }),
    stored(2, { observation: "run", cause: 1, content: "x", extras: { metadata: { exit_code: 1 }, screenshot: "data:image/png;base64,A" } }), stored(3, { observation: "recall", cause: 1, content: "x", extras: { microagent_knowledge: [{ content: "k" }] } }), stored(4, { action: "finish", args: { outputs: { a: 1 }, final_thought: "f", task_completed: true } }),
  ]),
  "hands.jsonl": lines({ instance_id: "i", history: [[{ action: "run", command: "ls", thought: "t" }, { observation: "run", content: "x", exit_code: 0 }]], metadata: { llm_config: { model: "m" } }, test_result: { git_patch: "d", result: { resolved: true } }, metrics: { accumulated_cost: 1 }, error: null }, { instance_id: "j", history: null, metadata: {}, test_result: {}, metrics: {} }),
  "sdk.jsonl": lines(
    { kind: "SystemPromptEvent", source: "agent", timestamp: "t", system_prompt: { type: "text", text: "s" }, tools: [{ function: { name: "f" } }] }, { kind: "ActionEvent", source: "agent", timestamp: "t", thought: [{ type: "text", text: "t" }], tool_name: "f", tool_call_id: "c", action: { a: 1 }, tool_call: { function: { arguments: "{}" } }, llm_response_id: "r" },
    { kind: "ObservationEvent", source: "environment", timestamp: "t", tool_name: "f", tool_call_id: "c", observation: { content: [{ type: "text", text: "x" }], exit_code: 1 } }, { kind: "Condensation", source: "environment", timestamp: "t", summary: "s" }, { kind: "MessageEvent", source: "agent", timestamp: "t", llm_message: { role: "assistant", content: [{ type: "text", text: "d" }], reasoning_content: "r" } },
  ),
  "gemini.jsonl": lines({ sessionId: "s", projectHash: "p" }, { id: "1", timestamp: "t", type: "user", content: [{ text: "go" }], displayContent: [{ text: "/x" }] }, { id: "2", timestamp: "t", type: "gemini", content: "", thoughts: [{ subject: "s", description: "d" }], tokens: { input: 1, thoughts: 1 } }, { $set: { lastUpdated: "t" } }, { id: "2", timestamp: "t", type: "gemini", content: "a", toolCalls: [{ id: "c", name: "f", args: { a: 1 }, status: "error", result: [{ functionResponse: { response: { output: "x" } } }] }] }, { $rewindTo: "2" }),
  "gemini.json": JSON.stringify({ candidates: [{ content: { parts: [{ text: "x", thought: true }, { functionCall: { name: "f", args: {} }, thoughtSignature: "A" }, { inlineData: { mimeType: "image/png" } }] }, finishReason: "STOP" }], usageMetadata: { promptTokenCount: 1 } }),
  "aider.md": "---\nx\n---\n# aider chat started at 2026-01-02 03:04:05\n\n> Aider v1  \n> Model: m with diff edit format  \n\n#### go  \n\ntext\n```\n#### no\n```\n\n> Tokens: 1k sent, 2 received. Cost: $0.1 message, $1 session.  \n> ^C  \n",
  "copilot.jsonl": lines(copilot("session.start", { sessionId: "s" }), copilot("user.message", { content: "go", transformedContent: "x", attachments: [{ type: "file" }] }), copilot("assistant.message", { content: "a", reasoningText: "r", toolRequests: [{ toolCallId: "c", name: "f", arguments: { a: 1 } }], outputTokens: 1 }), copilot("tool.execution_start", { toolCallId: "d", toolName: "g", arguments: {} }), copilot("tool.execution_complete", { toolCallId: "c", success: false, error: { message: "e" }, parentToolCallId: "z" }), copilot("session.shutdown", { modelMetrics: { m: { usage: { inputTokens: 1 } } } })),
  "openclaw.jsonl": lines({ type: "message.in", channel: "c", content: "go", timestamp: 1782238951000 }, { type: "agent.start", sessionKey: "agent:a:main", agentId: "a", prompt: "go", messages: [{ role: "assistant", content: [{ type: "toolCall", id: "c", name: "f", arguments: {} }], usage: { input: 1 } }, { role: "toolResult", toolCallId: "c", content: [{ type: "text", text: "sub:1" }] }] }, { type: "tool.start", sessionKey: "agent:a:subagent:1", agentId: "a", toolName: "f", params: { a: 1 } }, { type: "tool.end", sessionKey: "agent:a:subagent:1", agentId: "a", toolName: "f", success: true }, { type: "message.out", channel: "c", content: "d" }),
};

test(`${rounds} damaged files of agents: no exception, steps numbered, everything found can be written`, () => {
  const random = randomFrom(7);
  const names = Object.keys(small);
  const formats = new Set<string>();
  let steps = 0;
  for (let round = 0; round < rounds; round++) {
    const name = names[round % names.length]!;
    const bytes = mutate(small[name]!, random);
    const shown = () => `round ${round}, ${name}: ${new TextDecoder().decode(bytes).slice(0, 300)}`;
    const file = openFile(new MemorySource(name, bytes));
    assert.deepEqual(file.warnings().filter((warning) => warning.code === "reader-failed"), [], shown());
    if (file.format) formats.add(file.format.id);
    file.opened.heads.forEach((_head, index) => {
      const trajectory = file.load(index);
      assert.deepEqual(trajectory.warnings.filter((warning) => warning.code === "reader-failed"), [], shown());
      trajectory.steps.forEach((step, at) => assert.equal(step.index, at));
      writeAtif(trajectory);
      steps += trajectory.steps.length;
    });
  }
  assert.ok(steps > rounds * 2, `${steps} steps`);
  for (const id of ["codex", "openhands", "gemini-cli", "aider", "copilot-cli", "openclaw"]) assert.ok(formats.has(id), id);
});
