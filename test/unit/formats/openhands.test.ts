/** OpenHands: four generations of events, replies with several calls, pairing by cause, running totals, outcomes of records. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Trajectory } from "#core/trajectory/model";
import { sharedFile } from "../../support/shared";
import { countPairs, loadAll, openShared, openText, outline } from "./reading";

type Fields = Record<string, unknown>;

function read(value: unknown, path = "events.json"): Trajectory[] {
  const file = openText(path, typeof value === "string" ? value : JSON.stringify(value));
  assert.equal(file.format?.id, "openhands");
  return loadAll(file);
}
const texts = (trajectory: Trajectory | undefined): string[] => trajectory?.steps.map((step) => step.parts.map((part) => part.text).join("|")) ?? [];
const codes = (trajectory: Trajectory | undefined): string[] => trajectory?.warnings.map((warning) => warning.code) ?? [];

test("an evaluation record: thoughts, the model's own arguments, errors by exit code, patch and claim as outcome", async (t) => {
  const path = sharedFile(t, "trajectories/openhands/multi-swe-bench-output-first-record.jsonl");
  if (!path) return;
  const [found] = loadAll(await openShared(path));
  assert.ok(found);
  // By hand: 49 events: system, message, recall twice, 13 run, 6 read, 2 edit and 1 think with an observation each, finish.
  assert.equal(found.id, "openhands/multi-swe-bench-output-first-record.jsonl#ponylang__ponyc-4595");
  assert.equal(found.steps.length, 49);
  assert.deepEqual(["system", "user", "assistant", "tool"].map((role) => found.steps.filter((step) => step.role === role).length), [3, 1, 23, 22]);
  assert.equal(countPairs(found), 22);
  assert.deepEqual(found.warnings, []);
  const [first, result] = found.steps.slice(4, 6);
  assert.deepEqual(first?.parts[1], { kind: "tool_call", text: "command: ls -l /workspace/ponylang__ponyc__0.1", toolName: "execute_bash", callId: "toolu_01", args: [{ key: "command", text: "ls -l /workspace/ponylang__ponyc__0.1" }] });
  assert.ok(first.parts[0]?.text.startsWith("The task involves fixing an issue in the `ponylang__ponyc__0.1` repository"));
  assert.deepEqual([result?.role, result?.parts[0]?.callId], ["tool", "toolu_01"]);
  // Events 36, 38, 40, 42 and 46 ended with 127 or 2: five of the results are errors.
  const failed = found.steps.filter((step) => step.parts.some((part) => part.isError));
  assert.deepEqual(failed.map((step) => step.places[0]?.pointer), ["/history/35", "/history/37", "/history/39", "/history/41", "/history/45"]);
  // The thought of the `think` action repeats its argument behind what the model wrote; both stand once.
  const think = found.steps.find((step) => step.parts.some((part) => part.toolName === "think"));
  assert.ok(think);
  assert.ok(think.parts[0]?.text.endsWith("checking the conversation history and the changes made."));
  assert.ok(think.parts[1]?.text.startsWith("thought: Re-read the problem description"));
  // The usages of the replies add up to the totals of the record: 565158 and 2558.
  assert.equal(found.steps.reduce((sum, step) => sum + (step.tokens?.input ?? 0), 0), 565158);
  assert.equal(found.steps.reduce((sum, step) => sum + (step.tokens?.output ?? 0), 0), 2558);
  assert.equal(found.outcome?.status, "partial");
  assert.equal(found.outcome.success, undefined);
  assert.ok(found.outcome.submission?.startsWith("diff --git a/src/libponyc/ast/parser.c"));
  assert.deepEqual([found.agent, found.model], ["CodeActAgent", "meta-llama/llama-4-maverick"]);
  assert.equal(found.title, "ponyc segfaults when trying to match using a single element tuple form");
  // The recalled knowledge is kept; no key of the configuration is.
  assert.ok(found.steps[3]?.parts.some((part) => part.text.startsWith("You have access to an environment variable, `GITHUB_TOKEN`")));
  assert.ok(!JSON.stringify(found.metadata).includes("api_key"));
});

test("an export of the program: states are meta, the task is the first message, not the first event", async (t) => {
  const path = sharedFile(t, "trajectories/openhands/event-list-gui-mode.json");
  if (!path) return;
  const [found] = loadAll(await openShared(path));
  // By hand: 18 events, of which 3 are `null` observations and make no step; 5 tell or change a state.
  assert.equal(found?.steps.length, 15);
  assert.deepEqual(found.steps.filter((step) => step.role === "system").map((step) => [step.name, step.parts[0]?.text, step.flags?.join()]), [
    ["agent_state_changed", "loading", "meta"], ["change_agent_state", "init", "meta"], ["agent_state_changed", "init", "meta"], ["agent_state_changed", "running", "meta"], ["agent_state_changed", "awaiting_user_input", "meta"],
  ]);
  assert.ok(found.task?.startsWith("I want to create a VueJS app that allows me to:"));
  // The server was cut off by a time-out: exit code -1.
  assert.deepEqual(found.steps.filter((step) => step.role === "tool").map((step) => step.parts[0]?.isError ?? false), [false, false, false, true]);
  assert.equal(found.metadata.find((row) => row.name === "events without steps")?.value, "observation null × 3");
});

test("late 2025: the model's arguments, cost as the difference of running totals", async (t) => {
  const path = sharedFile(t, "trajectories/openhands/event-list-hello-2025-10.json");
  if (!path) return;
  const [found] = loadAll(await openShared(path));
  assert.deepEqual(found?.steps.map(outline), [
    "system: text", "user: text", "system [meta]: text", "system [meta]: text, (recall)", "assistant: tool_call execute_bash", "tool: tool_result", "assistant: tool_call finish",
  ]);
  // By hand: 0.01774875, then 0.01934775 in all; 5863 and 5996 tokens sent, of the second 5632 cached.
  assert.deepEqual(found.steps.map((step) => step.costUsd).filter((cost) => cost !== undefined), [0.01774875, 0.001599]);
  assert.deepEqual(found.steps[6]?.tokens, { input: 5996, cachedInput: 5632, output: 44, reasoning: 0 });
  assert.ok(found.steps[4]?.parts[0]?.text.endsWith("timeout: 120\nsecurity_risk: MEDIUM"));
  assert.deepEqual(found.warnings, []);
});

test("the oldest records: flat events without ids, paired in order", async (t) => {
  const path = sharedFile(t, "trajectories/openhands/resolver-output-old-history.jsonl");
  if (!path) return;
  const [first, second] = loadAll(await openShared(path));
  assert.deepEqual(first?.steps.map(outline), [
    "user: text", "assistant: text, tool_call run", "tool: tool_result", "assistant: text, tool_call run_ipython", "tool: tool_result", "assistant: text, tool_call run", "tool: tool_result", "assistant: text, tool_call finish",
  ]);
  assert.deepEqual(texts(first).slice(1, 3), ["Certainly! I'll add the MIT license to the repository in /workspace. Let's start by creating the license file.|command: touch LICENSE", "\r\nroot@bcd3959393a1:/workspace # "]);
  assert.equal(first.outcome?.success, true);
  assert.ok(first.outcome.submission?.startsWith("diff --git a/LICENSE b/LICENSE\r\n"));
  assert.equal(first.outcome.details?.find((row) => row.name === "cost (USD)")?.value, "0.070713");
  assert.equal(first.title, "Add MIT license");
  assert.equal(second?.steps.length, 44);
  assert.deepEqual([...first.warnings, ...second.warnings], []);
});

test("pairs of action and observation, as in 2024", () => {
  const [found] = read({ instance_id: "x", metadata: {}, test_result: { result: { resolved: false } }, metrics: {}, error: "stuck", history: [
    [{ action: "message", content: "go", wait_for_response: false }, { observation: "null", content: "" }], [{ action: "run", command: "ls", thought: "look" }, { observation: "run", content: "a", exit_code: 1 }],
  ] });
  assert.deepEqual(found?.steps.map(outline), ["user: text", "assistant: text, tool_call run", "tool: tool_result!"]);
  assert.deepEqual(found.steps[2]?.places, [{ pointer: "/history/1/1" }]);
  assert.deepEqual([found.outcome?.success, found.outcome?.error], [false, "stuck"]);
});

test("several calls of one reply are one step; an observation goes to its cause, also when that comes late", () => {
  const response = { id: "r1", model: "m", usage: { prompt_tokens: 3, completion_tokens: 2 }, choices: [{ message: { content: "both", reasoning_content: "hm", tool_calls: ["a", "b"].map((id) => ({ id, function: { name: "execute_bash", arguments: `{"command":"${id}","n":1.0}` } })) } }] };
  const stored = (id: number, more: Fields): Fields => ({ id, timestamp: "2025-01-01T00:00:00.5", source: "agent", message: "Running command", ...more });
  const action = (id: number, call: string): Fields => stored(id, { action: "run", args: { command: call, thought: "both" }, tool_call_metadata: { function_name: "execute_bash", tool_call_id: call, model_response: response, total_calls_in_response: 2 } });
  const result = (id: number, cause: number, content: string, more: Fields = {}): Fields => stored(id, { observation: "run", cause, content, extras: { metadata: { exit_code: 0 } }, ...more });
  const [found] = read([
    stored(0, { source: "user", action: "message", args: { content: "go", image_urls: ["data:image/png;base64,AA"] } }), action(1, "a"), result(3, 1, "A"), action(4, "b"), result(6, 4, "B"),
    result(7, 99, "lost", { tool_call_metadata: { tool_call_id: "zz" } }), stored(8, { source: "environment", observation: "error", content: "crashed", extras: {} }),
    stored(9, { action: "condensation", args: { forgotten_event_ids: [1], summary: "short" } }), stored(10, { source: "user", action: "run", args: { command: "mine" } }), stored(11, { action: "message", args: { content: "done" } }), "x",
  ]);
  assert.deepEqual(found?.steps.map(outline), [
    "user: text, (image_urls)", "assistant: reasoning, text, tool_call execute_bash, tool_call execute_bash", "tool: tool_result", "tool: tool_result", "tool [orphan]: tool_result", "system [meta]: text",
    "system [meta compaction]: text, (condensation)", "user [user_tool]: tool_call run", "assistant: text",
  ]);
  assert.equal(texts(found)[1], "hm|both|command: a\nn: 1.0|command: b\nn: 1.0");
  assert.deepEqual(found.steps[1]?.tokens, { input: 3, output: 2 });
  assert.equal(found.steps[0]?.extras?.[0]?.mediaType, "image/png");
  assert.deepEqual(codes(found), ["bad-record", "result-without-call", "call-without-result"]);
});

test("the software-agent SDK: typed events, calls grouped by reply, rejections, errors, state", () => {
  const at = (kind: string, more: Fields): Fields => ({ id: kind, timestamp: "2026-01-01T00:00:00", kind, ...more });
  const [found] = read([
    at("SystemPromptEvent", { source: "agent", system_prompt: { type: "text", text: "be good" }, tools: [{ type: "function", function: { name: "terminal" } }] }),
    at("MessageEvent", { source: "user", llm_message: { role: "user", content: [{ type: "text", text: "go" }] }, extended_content: [{ type: "text", text: "skill" }] }),
    at("ActionEvent", { source: "agent", thought: [{ type: "text", text: "look" }], reasoning_content: "hm", action: { kind: "TerminalAction", command: "ls" }, tool_name: "terminal", tool_call_id: "a", tool_call: { id: "a", type: "function", function: { name: "terminal", arguments: '{"command":"ls","risk":"LOW"}' } }, llm_response_id: "r" }),
    at("ActionEvent", { source: "agent", thought: [], action: { kind: "TerminalAction", command: "pwd" }, tool_name: "terminal", tool_call_id: "b", llm_response_id: "r" }),
    at("ObservationEvent", { source: "environment", tool_name: "terminal", tool_call_id: "a", observation: { kind: "TerminalObservation", content: [{ type: "text", text: "x" }], exit_code: 1 } }),
    at("UserRejectObservation", { source: "environment", tool_name: "terminal", tool_call_id: "b", rejection_reason: "no" }),
    at("ActionEvent", { source: "agent", thought: [], action: null, tool_name: "oops", tool_call_id: "c", tool_call: { id: "c", name: "oops", arguments: "{" } }),
    at("AgentErrorEvent", { source: "agent", tool_name: "oops", tool_call_id: "c", error: "bad call" }), at("Condensation", { source: "environment", summary: "short", forgotten_event_ids: [] }),
    at("ConversationStateUpdateEvent", { source: "environment", key: "execution_status", value: "finished" }), at("BrandNewEvent", { source: "agent", x: 1 }), at("MessageEvent", { source: "agent", llm_message: { role: "assistant", content: [{ type: "text", text: "done" }] } }),
  ]);
  assert.deepEqual(found?.steps.map(outline), [
    "system: text", "user: text, text", "assistant: reasoning, text, tool_call terminal, tool_call terminal", "tool: tool_result!", "tool: tool_result!", "assistant: tool_call oops", "tool: tool_result!",
    "system [meta compaction]: text, (Condensation)", "system [meta]: (BrandNewEvent)", "assistant: text",
  ]);
  assert.equal(texts(found)[2], "hm|look|command: ls\nrisk: LOW|command: pwd");
  assert.deepEqual(codes(found), ["unparsed-arguments", "unknown-event"]);
  assert.equal(found.outcome?.status, "finished");
  assert.equal(found.metadata[0]?.value, "terminal");
});

test("numbers of arguments stay as they were written, also without the provider's reply", () => {
  const [flat] = read('[{"action":"run","command":"ls","n":1.0,"big":12345678901234567890,"thought":""},{"observation":"run","content":"x"}]');
  assert.equal(texts(flat)[0], "command: ls\nn: 1.0\nbig: 12345678901234567890");
  const [sdk] = read('[{"source":"agent","timestamp":"t","tool_name":"t","action":{"kind":"A","n":1.0},"thought":[]},{"source":"environment","timestamp":"t","tool_name":"t","observation":{"output":"o"}}]');
  assert.deepEqual(texts(sdk), ["n: 1.0", "o"]);
});

test("SDK events without a kind, and a single event file", () => {
  const [bare] = read({ instance_id: "i", metadata: {}, test_result: {}, metrics: {}, history: [
    { source: "user", llm_message: { role: "user", content: [{ type: "text", text: "go" }] } }, { source: "agent", tool_name: "t", action: { kind: "A", a: 1 }, thought: [], tool_call_id: "x" }, { source: "environment", tool_name: "t", tool_call_id: "x", observation: { output: "out" } },
    { source: "environment", key: "stats", value: {} },
  ] });
  assert.deepEqual(texts(bare), ["go", "a: 1", "out"]);
  const [single] = read({ id: 4, timestamp: "2025-01-01T00:00:00", source: "user", message: "hi", action: "message", args: { content: "hi" } }, "4.json");
  assert.deepEqual(texts(single), ["hi"]);
});

test("a record without a history keeps its task and its error", () => {
  const [found, other] = read([{ instance_id: "i", history: null, instruction: "fix it", test_result: {}, metadata: {}, metrics: {}, error: "timeout" }, { instance_id: "j", history: "?" }].map((value) => JSON.stringify(value)).join("\n"), "output.jsonl");
  assert.deepEqual([found?.id, found?.steps.length, found?.task, found?.outcome?.error], ["output.jsonl#i", 0, "fix it", "timeout"]);
  assert.deepEqual(codes(found), ["no-history"]);
  assert.deepEqual(codes(other), ["bad-record"]);
});
