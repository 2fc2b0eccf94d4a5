/** ShareGPT, tau-bench and tau2-bench: values read off the recorded files by eye, and shapes that those files do not have. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Trajectory } from "#core/trajectory/model";
import { sharedFile } from "../../support/shared";
import { countPairs, loadAll, openShared, openText, outline } from "./reading";

const detail = (trajectory: Trajectory | undefined, name: string): string | undefined => trajectory?.outcome?.details?.find((row) => row.name === name)?.value;
const row = (trajectory: Trajectory | undefined, name: string): string | undefined => trajectory?.metadata.find((one) => one.name === name)?.value;
const sum = (all: readonly Trajectory[], count: (trajectory: Trajectory) => number): number => all.reduce((total, one) => total + count(one), 0);

test("ShareGPT: calls and results as turns, paired by order", async (t) => {
  const path = sharedFile(t, "trajectories/sharegpt/glaive_toolcall_en-first-150.json");
  if (!path) return;
  const all = loadAll(await openShared(path));
  // INDEX.md: 150 records, 1010 turns; 108 of them function_call, each answered by the next turn.
  assert.equal(all.length, 150);
  assert.equal(sum(all, (one) => one.steps.length), 1010);
  assert.equal(sum(all, countPairs), 108);
  assert.deepEqual(all[0]?.steps.map(outline), [
    "user: text", "assistant: text", "user: text", "assistant: tool_call search_recipes", "tool: tool_result", "assistant: text", "user: text", "assistant: text",
  ]);
  assert.equal(all[0].steps[3]?.parts[0]?.text, 'ingredients: ["chicken", "bell peppers", "rice"]');
  assert.equal(row(all[0], "tools"), "search_recipes");
  assert.deepEqual([all[0].id, all[0].title], ["sharegpt/glaive_toolcall_en-first-150.json#0", "Hi, I have some ingredients and I want to cook something. Can you help me find a recipe?"]);
  assert.equal(sum(all, (one) => one.warnings.length), 0);
});

test("ShareGPT: ids of records, and no record lost", async (t) => {
  const path = sharedFile(t, "trajectories/sharegpt/fastchat-dummy_conversation.json");
  if (!path) return;
  const all = loadAll(await openShared(path));
  assert.deepEqual([all.length, sum(all, (one) => one.steps.length), all[1]?.id], [500, 2000, "sharegpt/fastchat-dummy_conversation.json#identity_1"]);
  assert.equal(all[0]?.steps[1]?.parts[0]?.text, "I am Vicuna, a language model trained by researchers from Large Model Systems Organization (LMSYS).");
});

test("ShareGPT: tags in the text, several calls and results, a preference, what does not parse", () => {
  const record = {
    system: "S", tools: JSON.stringify([{ type: "function", function: { name: "f" } }]), safe: false,
    conversations: [
      { from: "human", value: "do both" },
      { from: "gpt", value: '<think>plan</think>First.\n<tool_call>\n{"name": "f", "arguments": {"n": 1.0}}\n</tool_call><tool_call>{\'name\': \'f\',}</tool_call>' },
      { from: "tool", value: "<tool_response>\none\n</tool_response>\n<tool_response>\ntwo\n</tool_response>" },
      { from: "function_call", value: '[{"name": "f", "arguments": "{\\"n\\": 2}"}, {"name": "g", "arguments": {}}]' },
      { from: "observation", value: { a: 1 } },
      { from: "observation", value: "b" },
      { from: "narrator", value: "meanwhile" },
    ],
    chosen: { from: "gpt", value: "good" }, rejected: { from: "gpt", value: "bad" },
  };
  const [chosen, rejected] = loadAll(openText("one.json", JSON.stringify([record])));
  assert.deepEqual([chosen?.id, rejected?.id], ["one.json#0/chosen", "one.json#0/rejected"]);
  assert.deepEqual(chosen?.steps.map(outline), [
    "system: text", "user: text", "assistant: reasoning, text, tool_call f, tool_call", "tool: tool_result", "tool: tool_result", "assistant: tool_call f, tool_call g", "tool: tool_result", "tool: tool_result", "system: text", "assistant: text",
  ]);
  assert.deepEqual(chosen.steps[2]?.parts.map((part) => part.text), ["plan", "First.\n", "n: 1.0", "{'name': 'f',}"]);
  assert.deepEqual([chosen.steps[3]?.parts[0]?.text, chosen.steps[4]?.parts[0]?.text, chosen.steps[6]?.parts[0]?.text], ["one", "two", '{"a":1}']);
  assert.deepEqual([chosen.steps[8]?.name, chosen.steps[9]?.parts[0]?.text, rejected?.steps[9]?.parts[0]?.text], ["narrator", "good", "bad"]);
  assert.deepEqual(chosen.warnings.map((one) => one.code), ["unparsed-call", "value-not-text", "unknown-role"]);
  assert.match(detail(rejected, "preference") ?? "", /^rejected \(against the other answer, no verdict on this one\)/);
  assert.deepEqual([chosen.label, chosen.labelMeaning], ["misbehavior", "safe: false"]);
});

test("tau-bench: ids that are all the same are paired by order, the hidden instruction is no step", async (t) => {
  const path = sharedFile(t, "trajectories/tau-bench/tb_airline-single-run.json");
  if (!path) return;
  const [run] = loadAll(await openShared(path));
  // By hand: 42 messages; messages 4, 6, 10, 14, 16, 18, 20, 22, 28, 30, 32 and 38 call one tool each, all with the id "0".
  assert.equal(run?.steps.length, 42);
  assert.deepEqual(run.steps.filter((step) => step.parts.some((part) => part.kind === "tool_call")).map((step) => step.index), [4, 6, 10, 14, 16, 18, 20, 22, 28, 30, 32, 38]);
  assert.equal(countPairs(run), 12);
  assert.deepEqual(run.steps[4]?.parts[1], { kind: "tool_call", toolName: "get_user_details", callId: "0", text: "user_id: mia_li_3668", args: [{ key: "user_id", text: "mia_li_3668" }] });
  assert.equal(run.steps[29]?.parts[0]?.text, "Error: not enough seats on flight HAT213");
  assert.deepEqual([run.outcome?.success, detail(run, "reward"), run.label, run.task], [false, "0", undefined, " Hi, I'd like to book a flight from New York to Seattle on May 20th."]);
  assert.match(row(run, "the simulated user's instruction, hidden from the agent") ?? "", /^You are mia_li_3668\. You want to fly from New York to Seattle/);
  assert.ok(run.steps.every((step) => step.parts.every((part) => !part.text.includes("You are mia_li_3668. You want to fly"))));
  assert.deepEqual([run.warnings, run.id], [[], "tau-bench/tb_airline-single-run.json"]);
});

test("tau-bench: 200 runs, told apart by task and trial", async (t) => {
  const path = sharedFile(t, "trajectories/large/tau-bench-gpt-4o-airline.json");
  if (!path) return;
  const all = loadAll(await openShared(path));
  assert.deepEqual([all.length, sum(all, (one) => one.steps.length), sum(all, countPairs)], [200, 5308, 1164]);
  assert.equal(all.filter((one) => one.outcome?.success === true).length, 84);
  assert.equal(new Set(all.map((one) => one.id)).size, 200);
  assert.equal(all[0]?.id, "large/tau-bench-gpt-4o-airline.json#0/0");
});

test("tau-bench: a run that failed says why", () => {
  const [run] = loadAll(openText("runs.json", JSON.stringify([{ task_id: 3, trial: 1, reward: 0, info: { error: "rate limit", traceback: "File x" }, traj: [] }])));
  assert.deepEqual([run?.id, run?.outcome?.error, run?.warnings.map((one) => one.code)], ["runs.json#3/1", "rate limit\nFile x", ["no-talk"]]);
});

test("tau2-bench: both sides act; what the user does is marked as the user's", async (t) => {
  const path = sharedFile(t, "trajectories/tau2-bench/telecom-gpt-4o-2025-08-first-sims.json");
  if (!path) return;
  const all = loadAll(await openShared(path));
  // INDEX.md: 4 simulations, 169 messages; each begins with the policy.
  assert.deepEqual(all.map((one) => one.steps.length), [45, 51, 47, 30]);
  const [first, second, , last] = all;
  // By hand, simulation 0: six messages of the user call tools, ten results are the user's; five of the agent's, five results.
  const marked = (role: string): number => first!.steps.filter((step) => step.role === role && step.flags?.includes("user_tool")).length;
  assert.deepEqual([marked("user"), marked("tool"), marked("assistant"), first!.steps.filter((step) => step.role === "tool").length], [6, 10, 0, 15]);
  assert.deepEqual(second?.steps.slice(8, 13).map(outline), ["tool: tool_result", "assistant: tool_call enable_roaming, tool_call get_data_usage", "tool: tool_result", "tool: tool_result", "assistant: text"]);
  assert.deepEqual([second.steps[9]?.parts[1]?.callId, second.steps[11]?.parts[0]?.callId, second.steps[10]?.parts[0]?.text], ["call_cCCNIAOza7Gu4io5agrAU41a", "call_cCCNIAOza7Gu4io5agrAU41a", "Roaming enabled successfully"]);
  assert.deepEqual([second.steps[2]?.tokens, second.steps[2]?.costUsd], [{ input: 2434, output: 45 }, 0.003495]);
  assert.ok(first!.steps[0]?.parts[0]?.text.startsWith("<main_policy>\n# Telecom Agent Policy"));
  assert.deepEqual([first!.outcome?.success, last?.outcome?.success, first!.outcome?.status], [false, true, "user_stop"]);
  assert.match(detail(last, "reward breakdown") ?? "", /"ENV_ASSERTION": 1\.0/);
  assert.match(row(first, "the simulated user's scenario, hidden from the agent") ?? "", /reason_for_call: You mobile data is not working properly/);
  assert.ok(all.every((one) => one.warnings.length === 0));
});

test("tau2-bench: results that failed, among 50 simulations", async (t) => {
  const path = sharedFile(t, "trajectories/large/tau2-azure-airline-full.json");
  if (!path) return;
  const all = loadAll(await openShared(path));
  // 1068 messages and 50 times the policy; eleven messages say error: true.
  assert.deepEqual([all.length, sum(all, (one) => one.steps.length)], [50, 1118]);
  assert.equal(sum(all, (one) => one.steps.filter((step) => step.parts.some((part) => part.isError)).length), 11);
});

test("tau2-bench: a voice run is stretches of speech; the policy is in the file beside it", async (t) => {
  const path = sharedFile(t, "trajectories/tau2-bench/voice-experiment-simulations-49b22f0c.json");
  if (!path) return;
  const [run] = loadAll(await openShared(path));
  // By hand: of 973 ticks the user speaks in 11 stretches, the agent in 15, and four asides of the user have words.
  const spoken = run!.steps.filter((step) => step.extras?.some((extra) => extra.type === "speech"));
  assert.deepEqual([spoken.filter((step) => step.role === "user").length, spoken.filter((step) => step.role === "assistant").length, run!.steps.length], [11, 15, 31]);
  assert.ok(run!.steps[0]?.parts[0]?.text.startsWith("# Retail agent policy\n"));
  assert.match(run!.steps[0]?.places[0]?.file ?? "", /voice-experiment-results\.json$/);
  assert.equal(run!.steps[1]?.extras?.[0]?.raw, '{"first_tick":26,"last_tick":81}');
  assert.deepEqual(run!.steps[1]?.places.map((place) => place.pointer), ["/ticks/26/user_chunk", "/ticks/81/user_chunk"]);
  assert.deepEqual(run!.steps.filter((step) => step.flags?.includes("meta")).map((step) => step.parts[0]?.text).sort(), [".[cough][cough][cough]", ".[sniffle][sniffle][sniffle]", "Give me a moment.", "I'll be right with you."]);
  assert.deepEqual(run!.warnings.map((one) => one.code), ["words-not-recorded"]);
  assert.equal(run!.model, "openai:gpt-realtime-2");
});

test("tau2-bench: metadata without simulations gives no trajectory, and says where they are", async (t) => {
  const path = sharedFile(t, "trajectories/tau2-bench/voice-experiment-results.json");
  if (!path) return;
  const file = await openShared(path);
  assert.deepEqual([file.ids, file.format?.id], [[], "tau2-bench"]);
  assert.deepEqual(file.warnings().map((one) => one.code), ["no-simulations"]);
  assert.match(file.warnings()[0]!.message, /simulations\//);
});

test("tau2-bench: ticks with words, calls and results; results that come grouped", () => {
  const say = (role: string, content: string | null) => ({ role, content, contains_speech: content !== null });
  const ticks = [
    { tick_id: 0, timestamp: "2026-01-01T00:00:00", user_chunk: say("user", "Cancel "), agent_chunk: say("assistant", null) },
    { tick_id: 1, timestamp: "2026-01-01T00:00:01", user_chunk: say("user", "it."), agent_chunk: say("assistant", null) },
    {
      tick_id: 2, timestamp: "2026-01-01T00:00:02", user_chunk: say("user", null), agent_chunk: say("assistant", "Wait."),
      agent_tool_calls: [{ id: "c", name: "cancel", arguments: { order: "#1" }, requestor: "assistant" }], agent_tool_results: [{ id: "c", role: "tool", content: "done", requestor: "assistant", error: true }],
    },
  ];
  const [run] = loadAll(openText("sim.json", JSON.stringify({ id: "s", task_id: "1", ticks, termination_reason: "agent_stop" })));
  assert.deepEqual(run?.steps.map(outline), ["user: text", "assistant: text", "assistant: tool_call cancel", "tool: tool_result!"]);
  assert.deepEqual([run.steps[0]?.parts[0]?.text, run.steps[2]?.places[0]?.pointer], ["Cancel it.", "/ticks/2/agent_tool_calls"]);
  assert.deepEqual(run.warnings.map((one) => one.code), ["policy-not-found"]);
  const grouped = [{ role: "assistant", content: null, tool_calls: [{ id: "a", name: "f", arguments: {} }, { id: "b", name: "g", arguments: {} }] }, { role: "tool", tool_messages: [{ id: "b", role: "tool", content: "B" }, { id: "a", role: "tool", content: "A" }] }];
  const [text] = loadAll(openText("sims.json", JSON.stringify({ info: { environment_info: { policy: "P" } }, tasks: [], simulations: [{ id: "x", task_id: "1", messages: grouped, reward_info: { reward: 1 } }] })));
  assert.deepEqual(text?.steps.map((step) => step.parts.map((part) => part.text)), [["P"], ["", ""], ["B"], ["A"]]);
  assert.deepEqual([text.warnings, text.steps[3]?.places[0]?.pointer, text.outcome?.success], [[], "/simulations/0/messages/1/tool_messages/1", true]);
});
