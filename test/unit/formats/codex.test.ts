/** Codex: twin records, replies of many items, wrapped outputs, tokens, roll-backs, older and newer layouts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Trajectory } from "#core/trajectory/model";
import { sharedFile } from "../../support/shared";
import { countPairs, loadAll, openShared, openText, outline } from "./reading";

type Fields = Record<string, unknown>;
const line = (type: string, payload: Fields): string => JSON.stringify({ timestamp: "2026-01-01T00:00:00Z", type, payload });
const item = (payload: Fields): string => line("response_item", payload);
const event = (payload: Fields): string => line("event_msg", payload);
const said = (role: string, text: string): string => item({ type: "message", role, content: [{ type: role === "user" ? "input_text" : "output_text", text }] });
const call = (id: string, name: string, args: unknown): string => item({ type: "function_call", name, arguments: typeof args === "string" ? args : JSON.stringify(args), call_id: id });
const output = (id: string, value: unknown): string => item({ type: "function_call_output", call_id: id, output: value });
const count = (input: number, total: number): string => event({ type: "token_count", info: { total_token_usage: { input_tokens: total }, last_token_usage: { input_tokens: input, cached_input_tokens: 1, output_tokens: 2, reasoning_output_tokens: 1 } } });

function read(...lines: string[]): Trajectory[] {
  const file = openText("rollout.jsonl", `${lines.join("\n")}\n`);
  assert.equal(file.format?.id, "codex");
  return loadAll(file);
}
const texts = (trajectory: Trajectory | undefined): string[] => trajectory?.steps.map((step) => step.parts.map((part) => part.text).join("|")) ?? [];
const codes = (trajectory: Trajectory | undefined): string[] => trajectory?.warnings.map((warning) => warning.code) ?? [];

test("a recorded session: replies of reasoning, text and call; the two events without an item are orphans", async (t) => {
  const path = sharedFile(t, "trajectories/codex/go-version-rollout.jsonl");
  if (!path) return;
  const [found, ...rest] = loadAll(await openShared(path));
  assert.ok(found);
  assert.deepEqual(rest, []);
  // By hand: 18 function calls and one custom call, each followed by its output; reasoning and message stand ahead of the call in
  // the same reply. Lines 2 and 3 are the user's, line 2 only the environment. Lines 109 and 110 are patches without a call.
  assert.equal(found.steps.length, 42);
  assert.deepEqual([...new Set(found.steps.map((step) => step.role))].map((role) => [role, found.steps.filter((step) => step.role === role).length]), [["user", 2], ["assistant", 19], ["tool", 21]]);
  assert.equal(countPairs(found), 19);
  assert.deepEqual(found.steps.map((step) => step.flags?.join()).filter(Boolean), ["meta", "orphan", "orphan"]);
  assert.deepEqual(found.warnings.map(({ code, line: at }) => [code, at]), [["result-without-call", 109], ["result-without-call", 110]]);
  // Lines 15 to 18: hidden reasoning, a text, `ls -la`, and its output out of the JSON around it.
  const [reply, result] = found.steps.slice(4, 6);
  assert.deepEqual(reply?.places, [{ line: 15 }, { line: 16 }, { line: 17 }]);
  assert.equal(reply.reasoningHidden, true);
  assert.equal(reply.parts[0]?.text, "Scanning the repo for go.mod, Python version references, and TODO.md before making changes.");
  assert.deepEqual(reply.parts[1], { kind: "tool_call", text: 'command: ["bash","-lc","ls -la"]', toolName: "shell", callId: "call_pEqHamKTEvL6ofrtlsNEi8dt", args: [{ key: "command", raw: '["bash","-lc","ls -la"]' }] });
  assert.equal(result?.parts[0]?.text.length, 1195);
  assert.ok(result.parts[0]?.text.startsWith("total 124\ndrwxrwxr-x 11 team team"));
  // Line 14 counts 5822 in, none of it cached; the sums are the totals of line 104: 270530 in, 12551 out.
  assert.deepEqual(reply.tokens, { input: 5822, cachedInput: 0, output: 244, reasoning: 192 });
  assert.equal(found.steps.reduce((sum, step) => sum + (step.tokens?.input ?? 0), 0), 270530);
  assert.equal(found.steps.reduce((sum, step) => sum + (step.tokens?.output ?? 0), 0), 12551);
  assert.equal(found.model, "aide-gpt-5");
  assert.equal(found.uuid, "01996135-afde-7911-97f0-d863511eca56");
  // The request without what the editor put around it.
  assert.ok(found.task?.startsWith("幫我檢查一下 go.mod 裡面"));
  // Lines 107 and 108: free text to a custom tool, its plain output; line 110 failed.
  assert.equal(found.steps[38]?.parts.at(-1)?.text, "await tools.apply_patch(patchText);");
  assert.deepEqual([found.steps[40]?.parts[0]?.isError, found.steps[41]?.parts[0]?.isError, found.steps[41]?.parts[0]?.text], [undefined, true, "Failed to apply patch: context mismatch\n"]);
});

test("hard 9: twins are paired one to one, a real repetition survives, context is not the user's", async (t) => {
  const path = sharedFile(t, "trajectories/hard/09-codex-twin-records.jsonl");
  if (!path) return;
  const [found] = loadAll(await openShared(path));
  assert.deepEqual(found?.steps.map((step) => [step.role, step.flags?.join() ?? "", step.parts[0]?.text.split("\n")[0]]), [
    ["user", "meta", "<environment_context>"], ["user", "", "hi"], ["assistant", "", "Hello. What shall I do?"], ["user", "", "hi"], ["assistant", "", "Hello again."],
  ]);
  assert.equal(found.task, "hi");
  assert.deepEqual(found.warnings, []);
});

test("arguments that are an object, and calls that nothing answers", async (t) => {
  const path = sharedFile(t, "trajectories/codex/agentsview-fc_stdin.jsonl");
  if (!path) return;
  const [found] = loadAll(await openShared(path));
  assert.deepEqual(found?.steps.map(outline), ["user: text", "assistant: tool_call write_stdin"]);
  assert.equal(found.steps[1]?.parts[0]?.text, "chars: yes\n\nsession_id: sess-42");
  assert.deepEqual(codes(found), ["call-without-result"]);
});

test("an event without a twin is kept, a twin farther off is found, another side's words are no twin", () => {
  const [found] = read(
    line("session_meta", { id: "s" }), event({ type: "user_message", message: "go" }), event({ type: "agent_reasoning", text: "hm" }), event({ type: "agent_message", message: "go" }),
    count(5, 5), item({ type: "reasoning", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "x" }), said("assistant", "go"), event({ type: "agent_message", message: "only here" }),
  );
  assert.deepEqual(found?.steps.map(outline), ["user: text", "assistant: reasoning, text, text"]);
  assert.deepEqual(texts(found), ["go", "hm|go|only here"]);
});

test("counts of tokens ahead of the reply and behind it; the same total again is none", () => {
  const ahead = read(said("user", "a"), count(5, 5), said("assistant", "x"), said("user", "b"), count(7, 12), count(7, 12), said("assistant", "y"))[0];
  const behind = read(said("user", "a"), said("assistant", "x"), count(5, 5), count(5, 5), said("user", "b"), said("assistant", "y"), count(7, 12))[0];
  for (const found of [ahead, behind]) assert.deepEqual(found?.steps.map((step) => step.tokens?.input), [undefined, 5, undefined, 7]);
});

test("outputs: wrapped in JSON text or an object, lists of parts, exit codes; JSON that is no wrapping stays", () => {
  const [found] = read(
    said("user", "a"), call("1", "shell", { command: ["ls"] }), output("1", '{"output":"no such file\\n","metadata":{"exit_code":2,"duration_seconds":0.1}}'), call("2", "f", "{oops"), output("2", '{"output":"x","more":1}'),
    call("3", "f", ""), output("3", { content: "bad", success: false }), call("4", "f", {}), output("4", [{ type: "input_text", text: "t" }, { type: "input_image", image_url: "data:image/png;base64,AA" }]),
    call("5", "f", {}), output("5", "Exit code: 1\nWall time: 0.1 seconds\nOutput:\nno"), call("6", "f", {}), output("6", "Exit code: 0\nOutput:\nyes"),
  );
  const results = found?.steps.filter((step) => step.role === "tool").map((step) => [step.parts[0]?.text, step.parts[0]?.isError ?? false]);
  assert.deepEqual(results, [["no such file\n", true], ['{"output":"x","more":1}', false], ["bad", true], ["t", false], ["Exit code: 1\nWall time: 0.1 seconds\nOutput:\nno", true], ["Exit code: 0\nOutput:\nyes", false]]);
  assert.deepEqual(found?.steps[8]?.extras?.map((extra) => [extra.type, extra.mediaType]), [["input_image", "image/png"]]);
  assert.deepEqual(codes(found), ["unparsed-arguments"]);
});

test("commands and patches recorded as events only; the end of a known call marks its result", () => {
  const [found] = read(
    said("user", "a"), event({ type: "exec_command_begin", call_id: "e", command: ["ls"], cwd: "/x" }), event({ type: "exec_command_end", call_id: "e", aggregated_output: "out", exit_code: 1 }),
    call("k", "shell", { command: "x" }), output("k", "r"), event({ type: "exec_command_end", call_id: "k", stdout: "r", exit_code: 3 }), event({ type: "turn_aborted", reason: "interrupted" }),
  );
  assert.deepEqual(found?.steps.map(outline), ["user: text", "assistant: tool_call exec_command", "tool: tool_result exec_command!", "assistant: tool_call shell", "tool: tool_result!", "system [meta]: text"]);
  assert.equal(found.steps[1]?.parts[0]?.text, 'command: ["ls"]\ncwd: /x');
  assert.deepEqual([found.steps[5]?.name, texts(found)[5]], ["turn_aborted", "interrupted"]);
  assert.deepEqual(codes(found), []);
});

test("rolled back turns are a child; what came later goes on where they began", () => {
  const [main, back] = read(
    said("user", "one"), said("assistant", "1"), event({ type: "user_message", message: "two" }), said("user", "two"), said("assistant", "2"), event({ type: "thread_rolled_back", num_turns: 1 }), said("user", "three"), said("assistant", "3"),
  );
  assert.deepEqual(texts(main), ["one", "1", "three", "3"]);
  assert.deepEqual(back?.steps.map((step) => [step.parts[0]?.text, step.flags?.join()]), [["two", "abandoned"], ["2", "abandoned"]]);
  assert.deepEqual([back.id, back.parentId, back.linkStep], ["rollout.jsonl>rolled-back-1", "rollout.jsonl", 1]);
});

test("compaction, developer messages, hosted tools, unknown items and records", () => {
  const [found] = read(
    line("session_meta", { id: "s", base_instructions: { text: "be good" }, source: { subagent: "review" } }), said("developer", "rules"), said("user", "# AGENTS.md instructions for /x\nyes"), said("user", "go"),
    item({ type: "web_search_call", status: "completed", action: { type: "search", query: "q" } }), item({ type: "brand_new", a: 1 }), line("compacted", { message: "so far", replacement_history: [{ type: "message", role: "user", content: [] }] }),
    line("world_state", { x: 1 }), said("assistant", "done"), "{broken",
  );
  assert.deepEqual(found?.steps.map(outline), ["system: text", "system: text", "user [meta]: text", "user: text", "assistant: tool_call web_search, (brand_new)", "system [meta compaction]: text", "assistant: text"]);
  assert.equal(texts(found)[4], "type: search\nquery: q");
  assert.deepEqual(found.warnings.map(({ code, line: at }) => [code, at]), [["damaged-line", 10], ["unknown-item", 6], ["unknown-record-type", 8]]);
  assert.equal(found.metadata.find((row) => row.name === "source")?.value, '{"subagent":"review"}');
});

test("rollouts of mid-2025: a bare header and bare items", () => {
  const [found] = read(
    JSON.stringify({ id: "s", timestamp: "2025-07-01T00:00:00Z", instructions: null, git: {} }), JSON.stringify({ record_type: "state" }), JSON.stringify({ type: "message", role: "user", content: [{ type: "input_text", text: "go" }] }),
    JSON.stringify({ type: "function_call", name: "shell", arguments: '{"command":["ls"]}', call_id: "c" }), JSON.stringify({ type: "function_call_output", call_id: "c", output: "x" }),
  );
  assert.deepEqual(found?.steps.map(outline), ["user: text", "assistant: tool_call shell", "tool: tool_result"]);
  assert.equal(found.uuid, "s");
});

test("the stream of codex exec: items when complete, a call that never ended, counts, an error", () => {
  const event = (type: string, more: Fields): string => JSON.stringify({ type, ...more });
  const [found] = read(
    event("thread.started", { thread_id: "t" }), event("turn.started", {}), event("item.completed", { item: { id: "0", type: "reasoning", text: "hm" } }), event("item.started", { item: { id: "1", type: "command_execution", command: "ls", status: "in_progress" } }),
    event("item.completed", { item: { id: "1", type: "command_execution", command: "ls", aggregated_output: "no\n", exit_code: 2, status: "failed" } }), event("item.completed", { item: { id: "2", type: "mcp_tool_call", server: "s", tool: "t", arguments: { a: 1 }, result: { content: [{ type: "text", text: "r" }] }, status: "completed" } }),
    event("item.completed", { item: { id: "3", type: "agent_message", text: "done" } }), event("turn.completed", { usage: { input_tokens: 9, cached_input_tokens: 3, output_tokens: 4 } }), event("item.started", { item: { id: "4", type: "command_execution", command: "sleep 9" } }),
  );
  assert.deepEqual(found?.steps.map(outline), ["assistant: reasoning, tool_call command_execution", "tool: tool_result!", "assistant: tool_call s.t", "tool: tool_result", "assistant: text", "assistant: tool_call command_execution"]);
  assert.deepEqual(texts(found).slice(0, 4), ["hm|command: ls", "no\n", "a: 1", "r"]);
  assert.deepEqual(found.steps[4]?.tokens, { input: 9, cachedInput: 3, output: 4 });
  assert.deepEqual(codes(found), ["call-without-result"]);
});
