/** Claude Code: replies spread over records, the tree of records, sub-agents, variants, damage. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Trajectory } from "#core/trajectory/model";
import { sharedFile } from "../../support/shared";
import { countPairs, loadAll, openShared, openText, outline } from "./reading";

type Fields = Record<string, unknown>;

/** One line of a session file. */
function line(type: string, uuid: string, parentUuid: string | null, message: unknown, more: Fields = {}): string {
  return JSON.stringify({ type, uuid, parentUuid, sessionId: "s1", isSidechain: false, timestamp: "2026-01-01T00:00:00Z", message, ...more });
}
const user = (uuid: string, parent: string | null, content: unknown, more: Fields = {}): string => line("user", uuid, parent, { role: "user", content }, more);
const reply = (uuid: string, parent: string | null, id: string, content: unknown[], more: Fields = {}): string => line("assistant", uuid, parent, { id, role: "assistant", model: "m", content }, more);
const text = (said: string): Fields => ({ type: "text", text: said });
const call = (id: string, name: string, input: Fields): Fields => ({ type: "tool_use", id, name, input });
const result = (id: string, content: unknown): Fields => ({ type: "tool_result", tool_use_id: id, content });

function read(...lines: string[]): Trajectory[] {
  const file = openText("session.jsonl", `${lines.join("\n")}\n`);
  assert.equal(file.format?.id, "claude-code");
  return loadAll(file);
}
const said = (trajectory: Trajectory | undefined): string[] => trajectory?.steps.map((step) => step.parts.map((part) => part.text).join("|")) ?? [];
const codes = (trajectory: Trajectory | undefined): string[] => trajectory?.warnings.map((warning) => warning.code) ?? [];

test("one reply on many lines is one step, its usage counted once", async (t) => {
  const path = sharedFile(t, "trajectories/hard/04-one-reply-many-lines.jsonl");
  if (!path) return;
  // By hand: lines 2, 3, 5 and 7 share message id msg_A; r1 answers t1 between them, r2 answers t2. The usages say output 1, 1, 1,
  // 212, input 2 and 5000 from the cache: the last one counts, and input is everything that was sent, 5002.
  const [trajectory] = loadAll(await openShared(path));
  assert.deepEqual(trajectory?.steps.map(outline), [
    "user: text", "assistant: reasoning, tool_call Bash, tool_call Bash, text", "tool: tool_result", "tool: tool_result!",
  ]);
  const step = trajectory.steps[1];
  assert.deepEqual(step?.parts.map((part) => part.text), ["I will run both checks at once.", "command: make lint", "command: make test", "Lint passes, one test fails."]);
  assert.deepEqual(step?.tokens, { input: 5002, cachedInput: 5000, output: 212 });
  assert.deepEqual(step?.places, [{ line: 2 }, { line: 3 }, { line: 5 }, { line: 7 }]);
  assert.deepEqual(trajectory.steps.slice(2).map((tool) => [tool.parts[0]?.callId, tool.parts[0]?.text]), [["t1", "lint ok"], ["t2", "1 failed"]]);
  assert.deepEqual(trajectory.warnings, []);
});

test("known hard inputs: a cut last line, a bad line in the middle, raw line separators", async (t) => {
  const paths = ["01-truncated-last-line", "02-bad-line-in-middle", "03-line-separator-in-string"].map((name) => sharedFile(t, `trajectories/hard/${name}.jsonl`));
  const [cut, bad, separators] = await Promise.all(paths.map(async (path) => (path ? loadAll(await openShared(path))[0] : undefined)));
  if (!cut || !bad || !separators) return;
  assert.deepEqual([said(cut), cut.warnings.map(({ code, line: at }) => [code, at])], [["List the two largest files.", "Looking."], [["damaged-line", 3]]]);
  // Line 3 is damaged, line 4 blank; physical numbers behind them stay right.
  assert.deepEqual(bad.steps.map((step) => step.places[0]?.line), [1, 2, 5, 6]);
  assert.deepEqual(bad.warnings.map(({ code, line: at }) => [code, at]), [["damaged-line", 3]]);
  assert.deepEqual(said(separators), ["first half\u2028second half\u2029third part\u0085fourth part", "I see one message with odd separators."]);
});

test("texts stay as recorded: lone surrogates, control bytes, CRLF, markup", () => {
  const recorded = "\udcb2 \ud83d \u001b[31mred\u001b[0m nul\u0000 \u202egnp \r\n<b>x</b> \ud83d\ude80";
  const [main] = read(user("u1", null, recorded), reply("a1", "u1", "m1", [call("t1", "Bash", { command: recorded, 10: "ten", 2: "two" })]), user("r1", "a1", [result("t1", recorded)]));
  assert.equal(main?.steps[0]?.parts[0]?.text, recorded);
  assert.equal(main.steps[1]?.parts[0]?.args?.find((arg) => arg.key === "command")?.text, recorded);
  assert.equal(main.steps[2]?.parts[0]?.text, recorded);
  const [ordered] = read(user("u1", null, "go"), reply("a1", "u1", "m1", [call("t1", "F", { b: 1, a: 2 })]).replace('"b":1', '"10":1.0').replace('"a":2', '"2":[1, 2]'));
  assert.equal(ordered?.steps[1]?.parts[0]?.text, "10: 1.0\n2: [1, 2]");
});

test("a real session: replies by message id, the results of each, a repeated record", async (t) => {
  const path = sharedFile(t, "trajectories/claude-code/go-version-session.jsonl");
  if (!path) return;
  const [trajectory] = loadAll(await openShared(path));
  // By hand, from the file: 42 assistant records carry 32 message ids (24 once, 6 twice, 2 three times). 44 user records: 32 hold one
  // tool_result each (line 49 is line 48 once more), 12 are texts. Line 85, a file-history-delta, makes the 87th and no step.
  assert.equal(trajectory?.steps.filter((step) => step.role === "assistant").length, 32);
  assert.equal(trajectory.steps.filter((step) => step.role === "tool").length, 32);
  assert.equal(trajectory.steps.filter((step) => step.role === "user").length, 12);
  assert.equal(countPairs(trajectory), 31);
  assert.deepEqual(trajectory.warnings.map(({ code, line: at }) => [code, at]), [["repeated-result", 49]]);
  // Lines 51 to 53 and 82 to 84 are the program's own: a caveat (isMeta), a command, its output.
  assert.deepEqual(trajectory.steps.filter((step) => step.flags?.includes("meta")).map((step) => step.places[0]?.line), [51, 52, 53, 82, 83, 84]);
  // Lines 9 to 11 are one reply that reads two files at once; lines 12 and 13 are the results.
  const parallel = trajectory.steps.find((step) => step.places[0]?.line === 9);
  assert.equal(parallel && outline(parallel), "assistant: reasoning, tool_call Read, tool_call Read");
  assert.deepEqual(parallel?.places.map((place) => place.line), [9, 10, 11]);
  assert.match(trajectory.task ?? "", /^幫我檢查一下 go\.mod/);
  assert.equal(trajectory.metadata.find((row) => row.name === "records without steps")?.value, "file-history-delta × 1");
});

test("a rewound branch is a child that begins after the step it shares", () => {
  const [main, branch, ...rest] = read(
    user("u1", null, "first"), reply("a1", "u1", "m1", [text("answer")]),
    user("u2", "a1", "wrong turn"), reply("a2", "u2", "m2", [text("left behind"), call("t0", "Bash", { command: "rm x" })]), user("r2", "a2", [result("t0", "gone")]),
    user("u3", "a1", "right turn"), reply("a3", "u3", "m3", [text("kept")]), user("u4", "a3", "thanks"), reply("a4", "u4", "m4", [text("done")]),
  );
  assert.deepEqual(said(main), ["first", "answer", "right turn", "kept", "thanks", "done"]);
  assert.deepEqual(branch?.steps.map(outline), ["user [abandoned]: text", "assistant [abandoned]: text, tool_call Bash", "tool [abandoned]: tool_result"]);
  assert.equal(branch.id, "session.jsonl>branch-u2");
  assert.equal(branch.parentId, "session.jsonl");
  assert.equal(branch.linkStep, 1);
  assert.deepEqual(rest, []);
  assert.deepEqual(codes(main), []);
});

test("results of parallel calls fork the tree and stay in the talk", () => {
  const [main, ...rest] = read(
    user("u1", null, "go"), reply("a1", "u1", "m1", [call("t1", "A", {})]), reply("a2", "a1", "m1", [call("t2", "B", {})]),
    user("r1", "a1", [result("t1", "one")]), user("r2", "a2", [result("t2", "two")]), reply("a3", "r2", "m2", [text("done")]),
  );
  assert.deepEqual(main?.steps.map(outline), ["user: text", "assistant: tool_call A, tool_call B", "tool: tool_result", "tool: tool_result", "assistant: text"]);
  assert.deepEqual(rest, []);
});

test("a reply that only a system record stands beside is not hidden", () => {
  const system = JSON.stringify({ type: "system", subtype: "turn_duration", uuid: "s1", parentUuid: "u1", sessionId: "s1", durationMs: 5 });
  const [main, ...rest] = read(user("u1", null, "hi"), reply("a1", "u1", "m1", [text("hello")]), system, user("u2", "s1", "more"), reply("a2", "u2", "m2", [text("yes")]));
  assert.deepEqual(said(main), ["hi", "hello", "more", "yes"]);
  assert.deepEqual(rest, []);
  assert.equal(main?.metadata.find((row) => row.name === "records without steps")?.value, "system/turn_duration × 1");
});

test("a compaction is bridged by logicalParentUuid; the records above it stay", () => {
  const boundary = (logicalParentUuid: string): string => JSON.stringify({ type: "system", subtype: "compact_boundary", uuid: "b", parentUuid: null, logicalParentUuid, sessionId: "s1", content: "Conversation compacted" });
  const lines = (logical: string): string[] => [
    user("u1", null, "one"), reply("a1", "u1", "m1", [text("two")]), boundary(logical), user("c1", "b", "summary", { isCompactSummary: true }), reply("a2", "c1", "m2", [text("three")]),
  ];
  const [bridged] = read(...lines("a1"));
  assert.deepEqual(bridged?.steps.map(outline), ["user: text", "assistant: text", "system [meta compaction]: text", "user [compaction]: text", "assistant: text"]);
  assert.deepEqual(codes(bridged), []);
  assert.equal(bridged.task, "one");
  const [broken] = read(...lines("nowhere"));
  assert.deepEqual(said(broken), ["one", "two", "Conversation compacted", "summary", "three"]);
  assert.deepEqual(codes(broken), ["file-order"]);
});

test("a circle, and a path that leaves out most records, fall back to file order and say so", () => {
  const [circle] = read(user("u1", "a1", "one"), reply("a1", "u1", "m1", [text("two")]));
  assert.deepEqual(said(circle), ["one", "two"]);
  assert.match(circle?.warnings[0]?.message ?? "", /circular at (?:u1|a1)/);
  const [short] = read(user("u1", null, "one"), reply("a1", "u1", "m1", [text("two")]), user("u2", "a1", "three"), user("u9", null, "four"));
  assert.deepEqual(said(short), ["one", "two", "three", "four"]);
  assert.match(short?.warnings[0]?.message ?? "", /leaves out 3 of 4 records/);
});

test("a damaged line costs that line; the chain is joined across it", () => {
  const broken = reply("a1", "u1", "m1", [text("lost")]).slice(0, 90);
  const [main, ...rest] = read(user("u1", null, "one"), broken, user("u2", "a1", "two"), reply("a2", "u2", "m2", [text("three")]));
  assert.deepEqual(said(main), ["one", "two", "three"]);
  assert.deepEqual(main?.warnings.map(({ code, line: at }) => [code, at]), [["damaged-line", 2], ["missing-parent", 3]]);
  assert.deepEqual(rest, []);
});

test("sub-agents inside the file are children, linked by prompt", () => {
  const side = { isSidechain: true };
  const [main, agent] = read(
    user("u1", null, "look"), reply("a1", "u1", "m1", [call("t1", "Task", { description: "find", prompt: "Find it.", subagent_type: "Explore" })]),
    user("x1", null, "Find it.", side), reply("x2", "x1", "n1", [text("found")], side),
    user("r1", "a1", [result("t1", "found")]), reply("a2", "r1", "m2", [text("here")]),
  );
  assert.deepEqual(main?.steps.map(outline), ["user: text", "assistant: tool_call Task", "tool: tool_result", "assistant: text"]);
  assert.deepEqual(agent?.steps.map(outline), ["user [sidechain]: text", "assistant [sidechain]: text"]);
  assert.equal(agent.linkStep, 1);
  assert.equal(agent.id, "session.jsonl>x1");
  assert.equal(agent.title, "Sub-agent Explore: find");
  assert.deepEqual(codes(agent), []);
});

test("a sub-agent's own file is read from beside the session, and its absence is told", async (t) => {
  const path = sharedFile(t, "trajectories/claude-code/scout-agent.jsonl");
  if (!path) return;
  const [main, agent] = loadAll(await openShared(path));
  // By hand: line 3 of the session names agentId atest01 in the result of toolu_task_001, which step 1 called; the file
  // scout-agent-atest01.jsonl holds a prompt, a reply with one call, its result, and a closing reply.
  assert.equal(agent?.linkStep, 1);
  assert.equal(agent.parentId, main?.id);
  assert.deepEqual(agent.steps.map((step) => [step.role, step.places[0]?.entry, step.places[0]?.line]), [
    ["user", "scout-agent-atest01.jsonl", 1], ["assistant", "scout-agent-atest01.jsonl", 2], ["tool", "scout-agent-atest01.jsonl", 3], ["assistant", "scout-agent-atest01.jsonl", 4],
  ]);
  const [alone] = read(
    user("u1", null, "look"), reply("a1", "u1", "m1", [call("t1", "Task", { prompt: "p" })]),
    user("r1", "a1", [result("t1", "ok")], { toolUseResult: { agentId: "../../etc/passwd" } }), reply("a2", "r1", "m2", [text("so")]),
  );
  assert.deepEqual(codes(alone), ["agent-file-missing"]);
});

test("the SDK's stream: system line, sub-agent by parent_tool_use_id, result as outcome", () => {
  const message = (type: string, parent: string | null, content: unknown[], id?: string): string => JSON.stringify({ type, parent_tool_use_id: parent, session_id: "s", message: { ...(id ? { id } : {}), role: type, content } });
  const [main, agent] = read(
    JSON.stringify({ type: "system", subtype: "init", session_id: "s", cwd: "/x", model: "m", tools: [] }),
    message("assistant", null, [call("t1", "Agent", { description: "d", prompt: "p" })], "m1"),
    message("assistant", "t1", [text("inside")], "m2"),
    message("user", null, [result("t1", "ok")]),
    message("assistant", null, [text("end")], "m3"),
    JSON.stringify({ type: "result", subtype: "error_max_turns", is_error: true, session_id: "s", num_turns: 3, total_cost_usd: 0.25 }),
  );
  assert.deepEqual(main?.steps.map(outline), ["assistant: tool_call Agent", "tool: tool_result", "assistant: text"]);
  assert.deepEqual(said(agent), ["inside"]);
  assert.equal(agent?.linkStep, 0);
  assert.deepEqual(main.outcome, { status: "error_max_turns", error: "error_max_turns", details: [{ name: "cost in USD", value: "0.25" }, { name: "turns", value: "3" }] });
});

test("what a person wrote while the agent worked is a user step; other attachments are counted", () => {
  const attachment = (uuid: string, parent: string, inner: Fields): string => JSON.stringify({ type: "attachment", uuid, parentUuid: parent, sessionId: "s1", attachment: inner });
  const [main, ...rest] = read(
    user("u1", null, "go"), reply("a1", "u1", "m1", [call("t1", "A", {})]), user("r1", "a1", [result("t1", "ok")]), attachment("q1", "r1", { type: "queued_command", prompt: "faster" }),
    attachment("q2", "q1", { type: "todo_reminder", content: [] }), reply("a2", "q2", "m2", [text("yes")]),
  );
  assert.deepEqual(main?.steps.map(outline), ["user: text", "assistant: tool_call A", "tool: tool_result", "user: text", "assistant: text"]);
  assert.equal(main.steps[3]?.parts[0]?.text, "faster");
  assert.equal(main.metadata.find((row) => row.name === "records without steps")?.value, "attachment × 1");
  assert.deepEqual(rest, []);
});

test("redacted thinking is hidden reasoning; errors of the API are synthetic; numbers stay as written", () => {
  const raw = reply("a1", "u1", "m1", [{ type: "thinking", thinking: "", signature: "x" }, call("t1", "F", { n: "NUMBER" })]).replace('"NUMBER"', "12345678901234567890");
  const [main] = read(user("u1", null, "go"), raw, line("assistant", "a2", "a1", { id: "e", model: "<synthetic>", content: [text("API Error")] }, { isApiErrorMessage: true }));
  assert.equal(main?.steps[1]?.reasoningHidden, true);
  assert.equal(main.steps[1]?.parts[0]?.text, "n: 12345678901234567890");
  assert.deepEqual(main.steps[2]?.flags, ["synthetic"]);
  assert.equal(main.model, "m");
});

test("titles: a custom one first, then a generated one, then a summary of this file", () => {
  const talk = [user("u1", null, "go"), reply("a1", "u1", "m1", [text("ok")])];
  const summary = (words: string, leafUuid: string): string => JSON.stringify({ type: "summary", summary: words, leafUuid });
  assert.equal(read(summary("mine", "a1"), summary("another's", "zz"), ...talk)[0]?.title, "mine");
  assert.equal(read(...talk, JSON.stringify({ type: "ai-title", sessionId: "s1", aiTitle: "made" }), summary("mine", "a1"))[0]?.title, "made");
  assert.equal(read(...talk)[0]?.title, "go");
});

test("what follows a /clear is a conversation of its own; a session that begins with one stays whole", async (t) => {
  const clear = "<command-name>/clear</command-name>\n<command-args></command-args>";
  const [only, ...none] = read(user("u1", null, clear), user("u2", "u1", "go"), reply("a1", "u2", "m1", [text("ok")]), user("u3", "a1", clear));
  assert.deepEqual([only?.steps.length, none.length], [4, 0]);
  const path = sharedFile(t, "trajectories/claude-code/scout-clear-split.jsonl");
  if (!path) return;
  const [before, after] = loadAll(await openShared(path));
  // By hand: lines 1 and 2 are a request and a reply, line 3 the command, lines 4 and 5 a new request and its reply.
  assert.deepEqual(said(before).map((words) => words.split("\n")[0]), ["First conversation message", "I understand. This is the first response.", "<command-name>/clear</command-name>"]);
  assert.deepEqual(said(after), ["Second conversation after clear", "This is a fresh start after the clear command."]);
  assert.deepEqual([after?.parentId, after?.linkStep, after?.title], [before?.id, 2, "Second conversation after clear"]);
});
