/** Gemini CLI: both layouts of a chat, replaced and taken back messages, checkpoints, replies of the API. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Trajectory } from "#core/trajectory/model";
import { sharedFile } from "../../support/shared";
import { countPairs, loadAll, openShared, openText, outline } from "./reading";

function read(path: string, text: string): Trajectory[] {
  const file = openText(path, text);
  assert.equal(file.format?.id, "gemini-cli");
  return loadAll(file);
}
const texts = (trajectory: Trajectory | undefined): string[] => trajectory?.steps.map((step) => step.parts.map((part) => part.text).join("|")) ?? [];
const codes = (trajectory: Trajectory | undefined): string[] => trajectory?.warnings.map((warning) => warning.code) ?? [];
const header = { sessionId: "s", projectHash: "p", startTime: "2026-01-01T00:00:00Z" };
const message = (id: string, type: string, content: unknown, more: object = {}): object => ({ id, timestamp: "2026-01-01T00:00:01Z", type, content, ...more });
const jsonl = (...values: unknown[]): string => values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join("\n");

test("a JSONL chat: the last version of a message counts, each result is a step", async (t) => {
  const path = sharedFile(t, "trajectories/gemini-cli/init-session-2026-04.jsonl");
  if (!path) return;
  const [found] = loadAll(await openShared(path));
  assert.ok(found);
  // By hand: 28 lines: the header, 11 patches, 16 message lines with 11 ids; five replies were written again with their calls:
  // 5 + 3 + 1 + 1 + 2. So 3 user steps, 6 replies, 12 results, 2 notices.
  assert.deepEqual(["system", "user", "assistant", "tool"].map((role) => found.steps.filter((step) => step.role === role).length), [2, 3, 6, 12]);
  assert.equal(countPairs(found), 12);
  assert.equal(found.metadata.find((row) => row.name === "earlier versions of messages")?.value, "5");
  const reply = found.steps[2];
  assert.deepEqual(reply?.places, [{ line: 8 }]);
  assert.deepEqual(reply.tokens, { input: 13906, cachedInput: 0, output: 185, reasoning: 306 });
  assert.ok(reply.parts[0]?.text.startsWith("Initiating File Generation: I'm now focused on generating the `GEMINI.md` file"));
  assert.deepEqual(reply.parts.slice(1).map((part) => part.callId), ["b5qo7ls5", "aao1q07o", "fkoen8u1", "celsd0yz", "hfq6e93w"]);
  assert.equal(reply.parts[2]?.text, "file_path: README.md");
  assert.deepEqual([found.steps[4]?.parts[0]?.callId, [...(found.steps[4]?.parts[0]?.text ?? "")].length, found.steps[4]?.places], ["aao1q07o", 10519, [{ line: 8, pointer: "/toolCalls/1" }]]);
  // `/init` was typed; the prompt it stands for was sent. Line 18 goes on without a person.
  assert.equal(found.title, "/init");
  assert.ok(found.task?.startsWith("\nYou are an AI agent that brings the power of Gemini"));
  assert.deepEqual(found.steps.filter((step) => step.role === "user").map((step) => step.flags?.join() ?? ""), ["", "meta", ""]);
  assert.deepEqual(found.warnings, []);
});

test("a chat in one object: thoughts one by one, calls, results", async (t) => {
  const path = sharedFile(t, "trajectories/gemini-cli/readme-session-2026-03.json");
  if (!path) return;
  const [found] = loadAll(await openShared(path));
  // By hand: a request; a reply with one thought and 3 calls; one with 36 thoughts and 4 calls; a last one with 2 thoughts.
  assert.deepEqual(found?.steps.map((step) => [step.role, step.parts.filter((part) => part.kind === "reasoning").length, step.parts.filter((part) => part.kind === "tool_call").length]), [
    ["user", 0, 0], ["assistant", 1, 3], ["tool", 0, 0], ["tool", 0, 0], ["tool", 0, 0], ["assistant", 36, 4], ["tool", 0, 0], ["tool", 0, 0], ["tool", 0, 0], ["tool", 0, 0], ["assistant", 2, 0],
  ]);
  assert.deepEqual(found.steps[5]?.tokens, { input: 20960, cachedInput: 11834, output: 8960, reasoning: 10849 });
  assert.deepEqual(found.warnings, []);
});

test("small files: notices are meta, a call without a result says so, an API reply ends with its call", async (t) => {
  const paths = ["agentsview-system_messages", "agentsview-tool_calls", "api-response-tool-call-gemini3", "hello-2025-10"].map((name) => sharedFile(t, `trajectories/gemini-cli/${name}.json`));
  const [notices, call, api, hello] = await Promise.all(paths.map(async (path) => (path ? loadAll(await openShared(path))[0] : undefined)));
  if (!notices || !call || !api || !hello) return;
  assert.deepEqual(notices.steps.map((step) => [outline(step), step.name]), [["system [meta]: text", "info"], ["system [meta]: text", "error"], ["system [meta]: text", "warning"]]);
  assert.deepEqual([call.steps.map(outline), texts(call)[1], codes(call)], [["user: text", "assistant: reasoning, text, tool_call read_file"], "Planning: I need to read the file first.|Let me read it.|file_path: main.go", ["call-without-result"]]);
  assert.deepEqual([api.steps.map(outline), texts(api), api.outcome?.status, api.steps[0]?.tokens, codes(api)], [["assistant: tool_call weather, (reasoning hidden)"], ["location: San Francisco"], "STOP", { input: 29, output: 15, reasoning: 1801 }, []]);
  assert.deepEqual([texts(hello)[1], hello.uuid], ["Okay, I've created the file `/app/hello.txt` with the content \"Hello, world!\".", "cdd63974-c2a3-4f1c-931d-cce1db22ec03"]);
});

test("errors and cancelled calls; extra parts of a result are kept", () => {
  const [found] = read("c.json", JSON.stringify({ ...header, messages: [message("1", "user", "go"), message("2", "gemini", "", { toolCalls: [
    { id: "a", name: "f", args: { n: 1 }, status: "error", result: [{ functionResponse: { id: "a", name: "f", response: { error: "no such file" } } }] },
    { id: "b", name: "g", args: {}, status: "cancelled", result: [{ functionResponse: { id: "b", name: "g", response: { output: "stopped" } } }] },
    { id: "c", name: "h", args: {}, status: "success", result: [{ functionResponse: { id: "c", name: "h", response: { rows: [1] } } }, { inlineData: { mimeType: "image/png", data: "AA" } }] },
  ] }), message("3", "brand_new", "x"), 7] }));
  assert.deepEqual(found?.steps.map(outline), ["user: text", "assistant: tool_call f, tool_call g, tool_call h", "tool: tool_result!", "tool: tool_result!", "tool: tool_result, (inlineData)", "system [meta]: text"]);
  assert.deepEqual(texts(found).slice(2, 5), ["no such file", "stopped", '{"rows":[1]}']);
  assert.equal(found.steps[4]?.extras?.[0]?.mediaType, "image/png");
  assert.deepEqual(codes(found), ["bad-record", "unknown-message-type"]);
});

test("a chat that went back keeps what was taken back as a child; a damaged header costs only itself", () => {
  const [main, back] = read("c.jsonl", jsonl(header, message("1", "user", "one"), message("2", "gemini", "1"), message("3", "user", "two"), message("4", "gemini", "2"), { $rewindTo: "3" }, message("5", "user", "three")));
  assert.deepEqual([texts(main), codes(main)], [["one", "1", "three"], []]);
  assert.deepEqual(back?.steps.map((step) => [step.parts[0]?.text, step.flags?.join()]), [["two", "abandoned"], ["2", "abandoned"]]);
  assert.deepEqual([back.id, back.parentId, back.linkStep], ["c.jsonl>rewound-1", "c.jsonl", 1]);
  const [damaged] = read("c.jsonl", jsonl('{"sessionId":"s","projec', message("1", "user", "one"), { $set: { sessionId: "late" } }, message("2", "gemini", "1")));
  assert.deepEqual([texts(damaged), damaged?.uuid, damaged?.warnings.map(({ code, line }) => [code, line])], [["one", "1"], "late", [["damaged-line", 1]]]);
});

test("going back to a message that is nowhere takes all back; a message may come again under the same id", () => {
  const [main, back] = read("c.jsonl", jsonl(header, message("1", "user", "one"), { $rewindTo: "zz" }, message("1", "user", "again"), message("2", "gemini", "a")));
  assert.deepEqual([texts(main), texts(back), codes(main)], [["again", "a"], ["one"], ["unknown-target"]]);
});

test("a history written down as a whole adds what stands nowhere else; results and calls stay single", () => {
  const call = { id: "c", name: "f", args: { a: 1 }, status: "success", result: [{ functionResponse: { id: "c", name: "f", response: { output: "full" } } }, { functionResponse: { id: "d", name: "f", response: { output: "other" } } }] };
  const [found] = read("c.jsonl", jsonl(
    header, { $set: { messages: [message("0", "user", [{ text: "frame" }])] } }, message("1", "user", "go"), message("2", "gemini", "", { toolCalls: [call] }),
    { $set: { messages: [message("1", "user", "masked"), message("2", "gemini", [{ functionCall: { id: "c", name: "f", args: { a: 1 } } }]), message("3", "user", [{ functionResponse: { id: "c", name: "f", response: { output: "masked" } } }]), message("4", "user", [{ text: "summary" }])] } },
    message("5", "gemini", [{ text: "done" }, { functionCall: { id: "e", name: "g", args: {} } }], { toolCalls: [{ id: "e", name: "g", args: {}, result: [{ functionResponse: { id: "e", response: { output: "x" } } }] }] }),
  ));
  assert.deepEqual(found?.steps.map(outline), ["user [meta synthetic]: text", "user: text", "assistant: tool_call f", "tool: tool_result", "user [meta synthetic]: text", "assistant: text, tool_call g", "tool: tool_result"]);
  assert.deepEqual(texts(found), ["frame", "go", "a: 1", "full", "summary", "done|", "x"]);
  assert.deepEqual([found.task, codes(found)], ["go", []]);
});

test("checkpoints and the log of prompts", () => {
  const [turns] = read("checkpoint.json", JSON.stringify([
    { role: "user", parts: [{ text: "go" }] }, { role: "model", parts: [{ text: "hm", thought: true }, { text: "look" }, { functionCall: { name: "f", args: { a: 1 } } }] }, { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "out" } } }] },
    { role: "model", parts: [{ executableCode: { language: "PYTHON", code: "1+1" } }, { brandNew: 1 }] },
  ]));
  assert.deepEqual(turns?.steps.map(outline), ["user: text", "assistant: reasoning, text, tool_call f", "tool: tool_result", "assistant: tool_call code_execution, (brandNew)"]);
  const [prompts] = read("logs.json", JSON.stringify([{ sessionId: "s", messageId: 0, type: "user", message: "one", timestamp: "2026-01-01T00:00:00Z" }]));
  assert.deepEqual(texts(prompts), ["one"]);
});
