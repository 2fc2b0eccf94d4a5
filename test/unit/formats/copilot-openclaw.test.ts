/** Copilot CLI sessions and OpenClaw telemetry. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Trajectory } from "#core/trajectory/model";
import { sharedFile } from "../../support/shared";
import { countPairs, loadAll, openShared, openText, outline } from "./reading";

type Fields = Record<string, unknown>;
const texts = (trajectory: Trajectory | undefined): string[] => trajectory?.steps.map((step) => step.parts.map((part) => part.text).join("|")) ?? [];
const codes = (trajectory: Trajectory | undefined): string[] => trajectory?.warnings.map((warning) => warning.code) ?? [];

function read(format: string, lines: readonly Fields[]): Trajectory[] {
  const file = openText("events.jsonl", lines.map((line) => JSON.stringify(line)).join("\n") + "\n");
  assert.equal(file.format?.id, format);
  return loadAll(file);
}

test("a Copilot session: requests and starts of calls once, a prompt that was nobody's, what was sent beside what was typed", async (t) => {
  const path = sharedFile(t, "trajectories/other-agents/copilot-cli-events.jsonl");
  if (!path) return;
  const [found, ...rest] = loadAll(await openShared(path));
  assert.ok(found);
  assert.deepEqual(rest, []);
  // By hand: 6 replies ask for 4 + 3 + 2 + 1 + 0 + 1 calls; lines 34 and 36 start two that no reply asked for; 13 results.
  assert.deepEqual(["system", "user", "assistant", "tool"].map((role) => found.steps.filter((step) => step.role === role).length), [2, 2, 8, 13]);
  assert.equal(countPairs(found), 13);
  assert.deepEqual(found.warnings, []);
  const replies = found.steps.filter((step) => step.role === "assistant");
  assert.deepEqual(replies.map((step) => step.parts.filter((part) => part.kind === "tool_call").length), [4, 3, 2, 1, 1, 1, 0, 1]);
  assert.deepEqual(replies.map((step) => step.tokens?.output), [311, 170, 141, undefined, undefined, 153, 1379, 694]);
  assert.ok(replies[0]?.parts[0]?.text.startsWith("The user wants me to investigate documentation generation tools for Rust"));
  assert.equal(replies[0]?.model, "claude-sonnet-4.6");
  assert.equal(found.steps[4]?.parts[0]?.text, "Intent logged");
  // Line 47 is the system prompt of line 6 once more. Line 48 has no typed text: the program spurs the agent on.
  assert.equal(found.steps[2]?.extras?.[0]?.type, "transformedContent");
  assert.deepEqual(found.steps.filter((step) => step.role === "user").map((step) => step.flags?.join() ?? ""), ["", "meta"]);
  assert.ok(found.steps[22]?.parts[0]?.text.includes("You have not yet marked the task as complete"));
  assert.deepEqual([found.outcome?.status, found.outcome?.success, found.outcome?.details?.[0]], ["task_complete", undefined, { name: "success, as the agent claims", value: "true" }]);
  assert.ok(found.metadata.some((row) => row.name === "tokens of the session" && row.value === "claude-sonnet-4.6: 186809 in (151738 cached), 2848 out"));
});

test("Copilot: failures, the person's own calls, sub-agents, compaction, unknown events", () => {
  const event = (type: string, data: Fields): Fields => ({ type, data, id: type, timestamp: "2026-01-01T00:00:00Z", parentId: null });
  const [main, agent] = read("copilot-cli", [
    event("session.start", { sessionId: "s", selectedModel: "m" }), event("user.message", { content: "go", attachments: [{ type: "file", path: "x" }] }), event("assistant.reasoning", { content: "hm" }),
    event("assistant.message", { content: "look", toolRequests: [{ toolCallId: "a", name: "task", arguments: { p: 1 } }, { toolCallId: "b", name: "bash", arguments: "{oops" }], reasoningOpaque: "x" }),
    event("subagent.started", { toolCallId: "a", agentName: "helper" }), event("assistant.message", { content: "inside", parentToolCallId: "a", reasoningOpaque: "x" }), event("tool.execution_complete", { toolCallId: "a", success: true, result: { content: "ok" } }),
    event("tool.execution_complete", { toolCallId: "b", success: false, error: { message: "denied" } }), event("tool.user_requested", { toolCallId: "c", toolName: "bash", arguments: { command: "ls" } }), event("tool.execution_complete", { toolCallId: "c", success: true, result: { content: "x" } }),
    event("session.compaction_complete", { summaryContent: "short" }), event("session.error", { message: "quota" }), event("user.brand_new", {}), event("abort", { reason: "user" }), event("system.brand_new", {}),
  ]);
  assert.deepEqual(main?.steps.map(outline), [
    "user: text, (file)", "assistant: reasoning, text, tool_call task, tool_call bash", "tool: tool_result", "tool: tool_result!", "user [user_tool]: tool_call bash", "tool: tool_result", "system [meta compaction]: text", "system [meta]: text", "system [meta]: text",
  ]);
  assert.deepEqual(texts(main).slice(1), ["hm|look|p: 1|{oops", "ok", "denied", "command: ls", "x", "short", "quota", "user"]);
  assert.deepEqual(codes(main), ["unparsed-arguments", "unknown-record-type"]);
  assert.deepEqual([main.outcome?.error, main.model], ["quota", "m"]);
  assert.deepEqual([agent?.id, agent?.title, agent?.linkStep, agent?.steps.map(outline)], ["events.jsonl>a", "Sub-agent helper", 1, ["assistant [sidechain]: text, (reasoning hidden)"]]);
});

test("OpenClaw: the history that a run began with, then events; three sub-agents at their calls", async (t) => {
  const path = sharedFile(t, "trajectories/other-agents/openclaw-telemetry.jsonl");
  if (!path) return;
  const [main, ...agents] = loadAll(await openShared(path));
  assert.ok(main);
  // By hand: line 37 carries 16 messages; behind it, three times a routed message, a call of sessions_yield, its end and a message
  // that was sent, then a scheduled task: 13 steps.
  assert.equal(main.steps.length, 29);
  assert.deepEqual(main.steps[1]?.places, [{ line: 37, pointer: "/messages/1" }]);
  assert.deepEqual(main.steps[1]?.tokens, { input: 42063, cachedInput: 0, output: 50 });
  assert.equal(main.steps[1]?.time, "2026-06-23T18:22:33.055Z");
  assert.deepEqual(main.steps.slice(16).map(outline), [...Array.from({ length: 3 }, () => ["user [meta]: text", "assistant: tool_call sessions_yield", "tool: tool_result", "assistant: text"]).flat(), "user [meta]: text"]);
  assert.deepEqual(main.warnings.map(({ code, line }) => [code, line]), [["result-text-missing", 40]]);
  // Step 9 spawns West, Central and East; West ran three commands, the others one each.
  assert.deepEqual(agents.map((agent) => [agent.linkStep, agent.steps.length, agent.steps.filter((step) => step.role === "tool").length]), [[9, 7, 3], [9, 3, 1], [9, 3, 1]]);
  assert.ok(agents.every((agent) => agent.parentId === main.id && agent.steps.every((step) => step.flags?.includes("sidechain"))));
  assert.ok(agents[0]?.title?.startsWith("Sub-agent: Check the current weather and short-term forecast"));
});

test("OpenClaw: calls side by side, failures, events that the history lacks", () => {
  const at = { sessionKey: "agent:main:main", agentId: "main" };
  const [found] = read("openclaw", [
    { type: "message.in", channel: "c", content: "go", timestamp: 1782238951000 }, { type: "tool.start", toolName: "lost", params: {}, ...at }, { type: "agent.start", prompt: "next", ...at, messages: [{ role: "user", content: "go" }, { role: "odd", content: "x" }] },
    { type: "tool.start", toolName: "f", params: { a: 1 }, ...at }, { type: "tool.start", toolName: "g", params: { b: 2 }, ...at }, { type: "tool.end", toolName: "f", success: false, error: "no", ...at }, { type: "tool.end", toolName: "g", success: true, result: { r: 1 }, ...at },
    { type: "message.out", channel: "c", content: "done", success: false },
  ]);
  assert.deepEqual(found?.steps.map(outline), ["user: text", "system [meta]: text", "user: text", "assistant: tool_call f, tool_call g", "tool: tool_result!", "tool: tool_result", "assistant: text"]);
  assert.deepEqual(texts(found).slice(3), ["a: 1|b: 2", "no", '{"r":1}', "done"]);
  assert.deepEqual(codes(found), ["unknown-role", "event-not-in-history", "message-not-sent"]);
});
