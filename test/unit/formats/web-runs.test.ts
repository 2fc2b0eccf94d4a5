/** WebArena-Verified run folders, HAR logs, AgentRewardBench and MALT: by hand, and by the layouts as they are described. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Trajectory } from "#core/trajectory/model";
import { sharedFile } from "../../support/shared";
import { loadAll, openShared, openText, outline } from "./reading";

const detail = (trajectory: Trajectory | undefined, name: string): string | undefined => trajectory?.outcome?.details?.find((row) => row.name === name)?.value;

test("a run folder: pages and data as calls, files of pages folded, the claim against the verdict", async (t) => {
  const path = sharedFile(t, "trajectories/webarena/verified-107-network.har");
  if (!path) return;
  const [run] = loadAll(await openShared(path));
  // By hand, of 359 entries: 1 (redirect), 2, 152, 153, 355 and 356 are pages and data; then the answer of the file beside it.
  assert.deepEqual(run?.steps.map(outline), [...Array.from({ length: 6 }, () => ["assistant: tool_call GET", "tool: tool_result GET"]).flat(), "assistant: text"]);
  assert.deepEqual(run.steps.filter((step) => step.role === "tool").map((step) => step.places[0]?.pointer), [1, 2, 152, 153, 355, 356].map((at) => `/log/entries/${at}/response`));
  assert.equal(run.steps[1]?.parts[0]?.text, "302 Found\ntext/html; charset=UTF-8\nredirected to http://192.168.1.35:7780/admin/admin/dashboard/");
  assert.equal(run.steps[6]?.parts[0]?.text, "url: http://192.168.1.35:7780/admin/customer/index/");
  assert.deepEqual([run.steps[6]?.time, run.steps[12]?.name, run.steps[12]?.places[0]?.file?.endsWith("verified-107-agent_response.json")], ["2025-10-19T14:40:50.338Z", "final answer", true]);
  assert.deepEqual([run.outcome?.status, run.outcome?.success, detail(run, "claim and verdict differ"), detail(run, "score")], ["failure", false, "the agent says SUCCESS, the evaluators say failure", "0"]);
  assert.match(detail(run, "AgentResponseEvaluator") ?? "", /^failure 0\nagent_response\.task_type_mismatch\nExpected retrieve, got navigate\n/);
  assert.deepEqual(run.warnings.map((one) => one.code), ["folded-requests", "bodies-elsewhere"]);
  // INDEX.md: 288 scripts, 9 styles, 8 fonts, 3 + 1 pictures; 44 of the 50 HTML and JSON files lie below /static/.
  assert.match(run.warnings[0]!.message, /^353 requests .*: script × 288, static file × 44, style × 9, font × 8, image × 4\.$/);
  assert.equal(run.title, "Task 107 shopping_admin");
});

test("answer and verdict alone are one step, and say where the rest is", async (t) => {
  const answer = sharedFile(t, "trajectories/webarena/verified-107-agent_response.json");
  const verdict = sharedFile(t, "trajectories/webarena/verified-107-eval_result.json");
  if (!answer || !verdict) return;
  for (const [path, code] of [[answer, "answer-only"], [verdict, "verdict-only"]] as const) {
    const [run] = loadAll(await openShared(path));
    assert.deepEqual([run?.steps.map(outline), run?.warnings.map((one) => one.code), run?.outcome?.success], [["assistant: text"], [code], false]);
    assert.match(run?.steps[0]?.parts[0]?.text ?? "", /"task_type": "NAVIGATE"/);
  }
});

test("HAR: what was sent, what came back, what failed", () => {
  const entry = (request: object, response: object) => ({ startedDateTime: "2026-01-01T00:00:00Z", request: { method: "GET", url: "http://x/", ...request }, response: { status: 200, statusText: "OK", content: {}, ...response } });
  const [run] = loadAll(openText("x.har", JSON.stringify({ log: { entries: [
    entry({ method: "POST", url: "http://x/api?a=1", postData: { mimeType: "application/json", text: '{"q":1}' } }, { status: 500, statusText: "Oops", content: { mimeType: "application/json", text: '{"e":2}' } }),
    entry({ url: "http://x/app.js" }, { content: { mimeType: "text/javascript" } }), { request: 1 },
  ] } })));
  assert.deepEqual(run?.steps.map((step) => step.parts[0]?.text), ["url: http://x/api?a=1\nbody: {\"q\":1}", "500 Oops\napplication/json\n\n{\"e\":2}"]);
  assert.deepEqual([run.steps[1]?.parts[0]?.isError, run.outcome, run.warnings.map((one) => one.code)], [true, undefined, ["bad-record", "folded-requests"]]);
});

test("AgentRewardBench: actions are calls, the next page is their result, the repeated prompt is left out", () => {
  const step = (more: object) => ({ url: "http://x/", axtree: "[1] button", chat_messages: [{ role: "system", content: "p" }], last_action_error: "", ...more });
  const [run] = loadAll(openText("run.json", JSON.stringify({
    benchmark: "b", agent: "A", model: "m", goal: "Buy it", summary_info: { cum_reward: 1, n_steps: 3, terminated: true, err_msg: null },
    steps: [
      step({ num: 0, action: "click('a12', button=\"left\")", reasoning: "There it is.", screenshot_path: "/home/user/0.png" }),
      step({ num: 1, action: "fill('b', 'It\\'s (ok)')\nclick('c')", reasoning: "Two.", last_action_error: "Timeout" }),
      step({ num: 2, action: null, reasoning: null, axtree: "end" }),
    ],
  })));
  assert.equal(run?.format, "agent-reward-bench");
  assert.deepEqual(run.steps.map(outline), ["user: text", "user [meta]: text, (screenshot)", "assistant: reasoning, tool_call click", "tool: tool_result click!", "assistant: reasoning, tool_call action", "tool: tool_result action"]);
  assert.deepEqual(run.steps[2]?.parts[1]?.args, [{ key: "1", text: "a12" }, { key: "button", text: "left" }]);
  assert.deepEqual([run.steps[3]?.parts[0]?.text, run.steps[4]?.parts[1]?.args, run.steps[5]?.parts[0]?.text], ["Timeout\n\nhttp://x/\n\n[1] button", [{ key: "action", text: "fill('b', 'It\\'s (ok)')\nclick('c')" }], "http://x/\n\nend"]);
  assert.deepEqual([run.outcome?.success, run.label, run.warnings.map((one) => one.code)], [true, undefined, ["prompts-left-out"]]);
});

const node = (id: number, parent: number | null, time: number, message: object, metadata = {}) => ({ node_id: id, parent_node_id: parent, branch_id: 0, node_data: { first_called_at: time, message, metadata } });

test("MALT as a graph: the path to the newest message, the other branch as a child, old-style calls", () => {
  const run = {
    run_id: 77, task_id: "t/1", model: "m", labels: ["bypass_constraints", "gives_up"], manually_reviewed: true, run_source: "unprompted", nodes: [
      node(0, null, 1700000000000, { role: "user", content: "solve it", function_call: null }),
      node(1, 0, 1700000001000, { role: "assistant", content: "", function_call: { name: "bash", arguments: '{"command": "ls"}' } }),
      node(2, 1, 1700000002000, { role: "function", name: "bash", content: "a b", function_call: { name: null, arguments: null } }),
      node(3, 0, 1700000003000, { role: "assistant", content: "another try" }),
      node(4, 2, 1700000009000, { role: "assistant", content: "done" }),
    ],
  };
  const file = openText("malt.jsonl", JSON.stringify(run));
  assert.deepEqual(file.ids, ["malt.jsonl#77", "malt.jsonl#77>branch-3"]);
  const [main, other] = loadAll(file);
  assert.deepEqual(main?.steps.map(outline), ["user: text", "assistant: tool_call bash", "tool: tool_result bash", "assistant: text"]);
  assert.deepEqual([main.steps[1]?.parts[0]?.text, main.steps[0]?.time, main.steps[3]?.places[0]?.pointer], ["command: ls", "2023-11-14T22:13:20.000Z", "/nodes/4/node_data/message"]);
  assert.deepEqual([main.label, main.labelMeaning, detail(main, "labels"), detail(main, "reviewed by people")], ["misbehavior", "labels: bypass_constraints, gives_up (reviewed by people)", "bypass_constraints, gives_up", "true"]);
  assert.deepEqual([other?.steps.map(outline), other?.linkStep, other?.label, file.opened.heads[0]?.label], [["assistant [abandoned]: text"], 0, undefined, "misbehavior"]);
  assert.deepEqual([main.warnings, other?.warnings], [[], []]);
});

test("MALT in samples: the last call is the longest path; what its labels say, and what they do not", () => {
  const said = (role: string, content: string, id: number) => ({ role, content, function_call: null, metadata: { node_id: id } });
  const run = (labels: string[], reviewed: boolean) => ({
    run_id: labels.join("-"), task_id: "t", labels, manually_reviewed: reviewed,
    samples: [{ input: [said("user", "q", 0)], output: [[said("assistant", "a", 1)], [said("assistant", "b", 2)]] }, { input: [said("user", "q", 0), said("assistant", "a", 1), { ...said("user", "r", 3), metadata: { node_id: 3, function_call_result: true } }], output: [[said("assistant", "c", 4)]] }],
  });
  const file = openText("malt.json", JSON.stringify([run(["normal"], false), run(["gives_up"], true)]));
  assert.deepEqual(file.ids, ["malt.json#normal", "malt.json#normal>branch-0-1", "malt.json#gives_up", "malt.json#gives_up>branch-0-1"]);
  const [main, other, second] = loadAll(file);
  assert.deepEqual(main?.steps.map((step) => [step.role, step.parts[0]?.text]), [["user", "q"], ["assistant", "a"], ["tool", "r"], ["assistant", "c"]]);
  assert.deepEqual([other?.steps[0]?.parts[0]?.text, other?.linkStep], ["b", 0]);
  assert.deepEqual([main.label, main.labelMeaning, second?.label], ["benign", "labels: normal (not reviewed by people: an assumption)", undefined]);
});

test("MALT: parents in a circle lose no message", () => {
  const all = loadAll(openText("malt.json", JSON.stringify({ labels: [], nodes: [node(0, null, 1, { role: "user", content: "q" }), node(1, 2, 2, { role: "assistant", content: "x" }), node(2, 1, 3, { role: "assistant", content: "y" })] })));
  assert.deepEqual(all.flatMap((one) => one.steps.map((step) => step.parts[0]?.text)).sort(), ["q", "x", "y"]);
  assert.ok(all[0]?.warnings.some((one) => one.code === "broken-tree"));
});
