/** Values read off the recorded files by eye, one file of each format, and the known hard inputs as their list expects them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Trajectory } from "#core/trajectory/model";
import { contentSha256 } from "#node/sha256";
import { sharedFile } from "../../support/shared";
import { loadAll, openShared, outline } from "../formats/reading";

async function read(t: Parameters<typeof sharedFile>[0], path: string): Promise<Trajectory[] | undefined> {
  const full = sharedFile(t, `trajectories/${path}`);
  return full === undefined ? undefined : loadAll(await openShared(full));
}

const text = (trajectory: Trajectory, step: number, part = 0) => trajectory.steps[step]!.parts[part]!.text;

test("the contract's example hashes as the contract says", () => {
  const steps = [
    { role: "user" as const, parts: [{ kind: "text" as const, text: "hi" }] },
    { role: "assistant" as const, parts: [{ kind: "tool_call" as const, toolName: "bash", text: "command: ls" }] },
  ];
  assert.equal(contentSha256(steps), "c98b1dae0dd4908181eba2c27b7d004bc88ec0c565c19d2524f99a7a246123fc");
});

test("SWE-agent 0.x: demonstration flagged, thought without its command, last observation from the trajectory", async (t) => {
  const [found] = (await read(t, "swe-agent/test-repo-i1.traj")) ?? [];
  if (!found) return;
  assert.equal(found.steps.length, 13);
  assert.equal(outline(found.steps[1]!), "user [demonstration]: text");
  assert.equal(outline(found.steps[3]!), "assistant: text, tool_call find_file");
  assert.ok(text(found, 3).startsWith("The issue indicates that there is a syntax error in the `missing_colon.py` file"));
  assert.ok(!text(found, 3).includes("```"));
  assert.equal(text(found, 3, 1), 'command: find_file "missing_colon.py"\n');
  assert.ok(text(found, 4).endsWith("\n\n(Open file: n/a)\n(Current directory: /example-owner__swe-agent-test-repo)\nbash-$"));
  assert.equal(outline(found.steps[11]!), "assistant: text, tool_call submit");
  assert.ok(text(found, 12).startsWith("\ndiff --git a/tests/missing_colon.py b/tests/missing_colon.py\nindex 20edef5"));
  assert.deepEqual(found.steps[12]!.places, [{ pointer: "/trajectory/4/observation" }]);
  assert.equal(found.outcome?.status, "submitted");
  assert.ok(found.metadata.some((row) => row.name === "cost (USD)" && row.value === "0.53839"));
  assert.equal(found.title, "SyntaxError: invalid syntax");
  assert.deepEqual(found.warnings, []);
});

test("SWE-agent 1.x: calls by name and id with their arguments, results by id", async (t) => {
  const [found] = (await read(t, "swe-agent/marshmallow-1867-function-calling-from-source.traj")) ?? [];
  if (!found) return;
  assert.equal(found.steps.length, 28);
  assert.deepEqual(found.steps[4]!.parts[1], {
    kind: "tool_call", toolName: "open", callId: "call_m6a0mcd6137L21vgVmR0DQaU", text: "path: setup.py", args: [{ key: "path", text: "setup.py" }],
  });
  assert.equal(found.steps[5]!.parts[0]!.callId, "call_m6a0mcd6137L21vgVmR0DQaU");
  assert.ok(text(found, 5).startsWith("[File: setup.py (94 lines total)]\r\n1:import re\r\n"));
  assert.equal(text(found, 26, 1), "");
});

test("mini-swe-agent 1: commands from the one fenced block, outputs as results, usage and time from the reply", async (t) => {
  const [found] = (await read(t, "mini-swe-agent/v1-text-actions-hello.traj.json")) ?? [];
  if (!found) return;
  assert.deepEqual(found.steps.map((step) => step.role), ["system", "user", "assistant", "tool", "assistant", "tool", "assistant", "tool"]);
  assert.ok(text(found, 2).startsWith("THOUGHT: To create a file called hello.txt"));
  assert.equal(text(found, 2, 1), 'command: echo "Hello, world!" > hello.txt');
  assert.equal(text(found, 3), "<returncode>0</returncode>\n<output>\n</output>");
  assert.equal(text(found, 7), "");
  assert.deepEqual(found.steps[2]!.tokens, { input: 752, cachedInput: 0, output: 69 });
  assert.equal(found.steps[2]!.time, "2025-10-10T06:35:27.000Z");
  assert.equal(found.steps[2]!.model, "claude-3-5-sonnet-20241022");
  assert.equal(found.outcome?.status, "Submitted");
});

test("mini-swe-agent 2: calls by id, cost and cached tokens; the exit message is the outcome", async (t) => {
  const [found] = (await read(t, "mini-swe-agent/v2-toolcalls-sqlfluff-2419.traj.json")) ?? [];
  const [failed] = (await read(t, "mini-swe-agent/v2-short-fail-pvlib-1154.traj.json")) ?? [];
  if (!found || !failed) return;
  assert.equal(found.steps.filter((step) => step.role === "assistant").length, 43);
  assert.equal(found.steps.filter((step) => step.role === "tool").length, 42);
  assert.deepEqual(found.steps[2]!.tokens, { input: 1540, cachedInput: 1536, output: 85 });
  assert.equal(found.steps[2]!.costUsd, 0.000079828);
  assert.equal(text(found, 2, 1), 'command: find . -type f -name "*.py" | grep -i "l060" | head -20');
  assert.ok(found.outcome?.submission?.startsWith("diff --git a/src/sqlfluff/rules/L060.py"));
  assert.deepEqual(found.warnings, []);
  assert.equal(failed.steps.length, 2);
  assert.deepEqual(failed.outcome, { status: "Timeout", error: "litellm.Timeout: Timeout Error: DeepseekException - litellm.Timeout: Connection timed out after 600.0 seconds." });
});

test("ATIF: calls with results behind them, usage, children through links and the continuation", async (t) => {
  const [hello] = (await read(t, "atif/openhands_hello-world.trajectory.json")) ?? [];
  const linked = await read(t, "atif/terminus_2_summarization.trajectory.json");
  const continued = await read(t, "atif/terminus_2_linear-history.trajectory.json");
  if (!hello || !linked || !continued) return;
  assert.equal(outline(hello.steps[4]!), "assistant: text, tool_call str_replace_editor");
  assert.equal(text(hello, 4, 1), "command: create\npath: /app/hello.txt\nfile_text: Hello, world!\nsecurity_risk: LOW");
  assert.deepEqual(hello.steps[5]!.parts, [{ kind: "tool_result", text: "File created successfully at: /app/hello.txt", callId: "call_fake_1" }]);
  assert.deepEqual([hello.steps[4]!.tokens, hello.steps[4]!.costUsd], [{ input: 100, output: 50 }, 0.00075]);
  assert.deepEqual(hello.warnings.map((warning) => warning.code), ["call-without-result"]);
  const parent = "atif/terminus_2_summarization.trajectory.json";
  assert.deepEqual(linked.map((one) => one.id), [parent, `${parent}>test-session-context-summarization-summarization-1-summary`, `${parent}>test-session-context-summarization-summarization-1-questions`]);
  // The link stands in the fifth step of the file, behind three calls with their results.
  assert.deepEqual(linked.map((one) => [one.parentId, one.linkStep]), [[undefined, undefined], [parent, 7], [parent, 7]]);
  assert.deepEqual(linked[0]!.warnings.map((warning) => warning.message), ["The trajectory trajectory.summarization-1-answers.json that this one refers to is not beside the file."]);
  assert.ok(linked[1]!.steps.slice(0, 5).every((step) => step.flags?.includes("copied_context")));
  assert.equal(continued[1]!.id, "atif/terminus_2_linear-history.trajectory.json>trajectory.cont-1");
  assert.deepEqual(continued[0]!.steps.at(-1)!.flags, ["compaction"]);
});

test("chat: reasoning, calls, usage of a reply; parts in a dialect", async (t) => {
  const [deepseek] = (await read(t, "openai-chat/deepseek-tool-call-response.json")) ?? [];
  const dialect = await read(t, "openai-chat/reason_tool_use_demo_50.jsonl");
  if (!deepseek || !dialect) return;
  assert.equal(outline(deepseek.steps[0]!), "assistant: reasoning, tool_call weather");
  assert.equal(text(deepseek, 0, 1), "location: San Francisco");
  assert.deepEqual(deepseek.steps[0]!.tokens, { input: 339, cachedInput: 320, output: 92, reasoning: 48 });
  assert.equal(deepseek.outcome?.status, "tool_calls");
  assert.deepEqual(deepseek.warnings, []);
  assert.equal(dialect.length, 50);
  assert.equal(text(dialect[1]!, 2, 1), "title: Inception");
  assert.ok(text(dialect[1]!, 3).startsWith('[{"title": "Inception", "director": "Christopher Nolan"'));
});

test("single turns: instruction with input, replies whose prompts are elsewhere", async (t) => {
  const alpaca = await read(t, "qa-pairs/alpaca_en_demo-first-150.json");
  const answers = await read(t, "qa-pairs/mt_bench-gpt-4-reference.jsonl");
  if (!alpaca || !answers) return;
  assert.equal(alpaca.length, 150);
  assert.equal(text(alpaca[0]!, 0), "Describe a process of making crepes.");
  assert.ok(text(alpaca[0]!, 1).startsWith("Making crepes is an easy and delicious process!"));
  assert.deepEqual(answers[0]!.steps.map((step) => step.role), ["assistant", "assistant"]);
  assert.equal(answers[0]!.id, "qa-pairs/mt_bench-gpt-4-reference.jsonl#101");
});

test("hard 5: lone surrogates stay, the proper pair is one character", async (t) => {
  const [found] = (await read(t, "hard/05-lone-surrogate.jsonl")) ?? [];
  if (!found) return;
  assert.equal(text(found, 1), "raw byte was \udcb2 and half an emoji \ud83d end");
  assert.equal([...text(found, 2)][6], "🚀");
});

test("hard 6: NaN and infinities are shown as such, the words in the text stay", async (t) => {
  const [found] = (await read(t, "hard/06-nan-infinity.json")) ?? [];
  if (!found) return;
  assert.equal(text(found, 0), 'the words NaN and Infinity, and "value": NaN inside a string, must survive');
  assert.deepEqual(found.outcome?.details, [{ name: "scores.mse.value", value: "NaN" }, { name: "scores.lo.value", value: "-Infinity" }, { name: "scores.hi.value", value: "Infinity" }]);
});

test("hard 7: every shape of content and arguments is shown or kept, the bad record is marked", async (t) => {
  const [first, second, third] = (await read(t, "hard/07-mixed-content-shapes.jsonl")) ?? [];
  if (!first || !second || !third) return;
  assert.deepEqual(first.steps.map((step) => step.parts.map((part) => part.text)), [["plain string"], ["x: 1"], ["one", "two"], ["a single part, not a list"], [], [], []]);
  assert.deepEqual(first.steps[6]!.extras, [{ type: "brand_new_part", raw: '{"type":"brand_new_part","payload":{"k":1}}' }, { type: "text", raw: '{"type":"text"}' }]);
  assert.deepEqual(first.steps[2]!.extras?.map((extra) => [extra.type, extra.mediaType]), [["image", "image/png"]]);
  assert.deepEqual(second.steps[0]!.parts.slice(1).map((part) => [part.toolName, part.text, part.args?.length]), [["sql", '"SELECT 1"', undefined], ["g", "{oops", undefined], ["h", "already: object", 1], ["i", "", 0]]);
  assert.deepEqual(second.warnings.filter((warning) => warning.code === "unparsed-arguments").map((warning) => warning.line), [2, 2]);
  assert.deepEqual(third.steps, []);
  assert.deepEqual(third.warnings.map((warning) => [warning.code, warning.line]), [["bad-record", 3]]);
});

test("hard 8: a byte order mark and CRLF cost nothing; CRLF inside a string stays", async (t) => {
  const found = await read(t, "hard/08-bom-crlf.jsonl");
  if (!found) return;
  assert.equal(found.length, 2);
  assert.equal(text(found[0]!, 1), "line one\r\nline two");
});

test("hard 11: control bytes, markup and bidi marks are data, unchanged", async (t) => {
  const [found] = (await read(t, "hard/11-ansi-and-control.json")) ?? [];
  if (!found) return;
  assert.ok(text(found, 1).startsWith("\u001b[31mFAILED\u001b[0m 1 of 3\r\n 10%\r 55%\r100%\r\nbell\u0007 nul\u0000 back\bspace \u001b[2J"));
  assert.ok(text(found, 1).endsWith("\u202egnp.exe\u202c"));
  assert.equal(text(found, 2), "<script>alert(1)</script> & <b>not bold</b>");
});
