/** OpenTelemetry, TRAIL and LangSmith: values read off the recorded files by eye, then agents, errors and other shapes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Trajectory } from "#core/trajectory/model";
import { contentSha256 } from "#node/sha256";
import { sharedFile } from "../../support/shared";
import { loadAll, openShared, openText, outline } from "./reading";

const row = (trajectory: Trajectory | undefined, name: string): string | undefined => trajectory?.metadata.find((one) => one.name === name)?.value;
const attributes = (values: Record<string, unknown>) => Object.entries(values).map(([key, value]) => ({ key, value: typeof value === "number" ? { intValue: String(value) } : { stringValue: String(value) } }));
const otlp = (...spans: unknown[]): string => JSON.stringify({ resourceSpans: [{ resource: {}, scopeSpans: [{ scope: {}, spans }] }] });
const trace = "0123456789abcdef0123456789abcdef";
const span = (id: number, parent: number | undefined, name: string, values: Record<string, unknown>, more: object = {}) => ({
  traceId: trace, spanId: id.toString(16).padStart(16, "a"), ...(parent === undefined ? {} : { parentSpanId: parent.toString(16).padStart(16, "a") }), name, startTimeUnixNano: `17672256001234567${String(id).padStart(2, "0")}`, attributes: attributes(values), ...more,
});
const messages = (...list: [role: string, content: string][]): string => JSON.stringify(list.map(([role, content]) => ({ role, parts: [{ type: "text", content }] })));

test("the same call in four conventions gives the same talk", async (t) => {
  const names = ["otel_genai_client_span_tool_calls", "otel_genai_deprecated_client_span_tool_calls", "openinference_client_span_tool_calls", "openinference_io_only"];
  const hashes = new Set<string>();
  for (const name of names) {
    const path = sharedFile(t, `trajectories/otel-genai/${name}.json`);
    if (!path) return;
    const [run] = loadAll(await openShared(path));
    assert.deepEqual(run?.steps.map(outline), ["user: text", "assistant: text, tool_call get_weather", "tool: tool_result", "assistant: text"], name);
    assert.deepEqual([run.steps[1]?.parts[1]?.text, run.steps[2]?.parts[0]?.text, run.steps[2]?.parts[0]?.callId], ["location: Paris", "rainy, 57°F", "1234"]);
    assert.equal(run.steps[3]?.parts[0]?.text, "The weather in Paris is currently rainy with a temperature of 57°F.");
    assert.deepEqual([run.steps[3]?.tokens, run.steps[3]?.model, run.warnings, run.id], [{ input: 97, output: 52 }, "gpt-4-0613", [], `otel-genai/${name}.json`]);
    hashes.add(contentSha256(run.steps));
  }
  assert.equal(hashes.size, 1);
});

test("calls that repeat their history: only what is new makes steps", async (t) => {
  const path = sharedFile(t, "trajectories/otel-genai/smol_deep_research_agent.otlp.json");
  if (!path) return;
  const [run, ...others] = loadAll(await openShared(path));
  // By hand: six calls with 1, 4, 1, 4, 6 and 6 messages; the fifth goes on from the fourth, the sixth from the second. What is
  // new: 1+1, 4+1, 1+1, 4+1, 2+1, 2+1. Two of the new ones are the answers before them, told in other words.
  assert.equal(run?.steps.length, 20);
  assert.equal(run.steps.map((step) => step.role[0]).join(""), "ua" + "suaua" + "ua" + "suaua" + "aua" + "aua");
  assert.deepEqual(run.steps.filter((step) => step.flags?.includes("copied_context")).map((step) => step.index), [4, 11, 14, 17]);
  assert.deepEqual([run.steps[1]?.tokens, run.steps[6]?.tokens], [{ input: 941, cachedInput: 0, output: 1202, reasoning: 896 }, { input: 2711, cachedInput: 0, output: 730, reasoning: 576 }]);
  assert.equal(run.steps[13]?.parts[0]?.text, "query: AI 2025 forecasts from Gartner, IDC, Deloitte, McKinsey");
  // base64 "uoqwG/CGgzyYnOKnop7uMQ==" is ba 8a b0 1b f0 86 83 3c 98 9c e2 a7 a2 9e ee 31.
  assert.deepEqual([run.id, others.length, run.steps[1]?.time], ["otel-genai/smol_deep_research_agent.otlp.json#ba8ab01bf086833c989ce2a7a29eee31", 0, "2025-07-02T16:40:39.280Z"]);
  assert.deepEqual(run.warnings.map((one) => one.code), ["call-without-result", "call-without-result"]);
});

test("a retriever is a tool; chains are counted, not shown", async (t) => {
  const path = sharedFile(t, "trajectories/otel-genai/rag_earnings_agent.otlp.json");
  if (!path) return;
  const [run] = loadAll(await openShared(path));
  assert.deepEqual(run?.steps.map(outline), ["assistant: tool_call VectorStoreRetriever", "tool: tool_result VectorStoreRetriever, tool_result VectorStoreRetriever, tool_result VectorStoreRetriever", "user: text", "assistant: text"]);
  assert.equal(run.steps[0]?.parts[0]?.text, "input: what was meta's revenue in Q4 2023");
  assert.deepEqual(run.steps[1]?.parts.map((part) => part.text.length), [750, 750, 750]);
  assert.equal(run.steps[3]?.parts[0]?.text, "Meta Platforms Inc.'s revenue in Q4 2023 was $40.1 billion.");
  // Of 18 spans: 11 chains, 2 of unknown kind, 2 of the exporter's own, 1 of the database.
  assert.deepEqual(row(run, "records without steps")?.split(", ").sort(), ["CHAIN × 11", "UNKNOWN × 2", "chroma × 1", "span × 2"]);
  assert.deepEqual(run.warnings, []);
});

test("Vercel: spans of ten traces; an embedding has no messages and says so", async (t) => {
  const path = sharedFile(t, "trajectories/otel-genai/vercel-ai-v6-all-spans.json");
  if (!path) return;
  const all = loadAll(await openShared(path));
  assert.deepEqual(all.map((one) => one.steps.length), [2, 2, 5, 5, 2, 2, 2, 2, 1, 1]);
  assert.deepEqual(all[2]?.steps.map((step) => [step.role, step.parts[0]?.text]), [["system", "You are a helpful assistant."], ["user", "What is 2 + 2?"], ["assistant", "2 + 2 equals 4."], ["user", "And what is 3 + 3?"], ["assistant", "3 + 3 equals 6."]]);
  assert.deepEqual([all[0]?.steps[1]?.tokens, all[0]?.steps[1]?.time, all[0]?.model], [{ input: 14, output: 20 }, "2026-02-03T15:19:52.242Z", "gpt-4o-mini-2024-07-18"]);
  assert.deepEqual(all.map((one) => one.warnings.map((warning) => warning.code).join()), ["", "", "", "", "", "", "", "", "messages-not-captured", "messages-not-captured"]);
});

test("integers as text, as numbers and in halves; ids in two encodings; a failed tool (known hard input 12)", async (t) => {
  const path = sharedFile(t, "trajectories/hard/12-otlp-int-strings.json");
  if (!path) return;
  const all = loadAll(await openShared(path));
  assert.equal(all.length, 1);
  const run = all[0]!;
  assert.deepEqual(run.steps.map(outline), ["assistant: tool_call f", "tool: tool_result f!", "assistant: (attributes)"]);
  assert.deepEqual([run.steps[1]?.parts[0]?.text, run.steps[1]?.parts[0]?.callId], ["boom", "c1"]);
  assert.deepEqual([run.steps[2]?.tokens, run.steps[2]?.time], [{ input: 25, output: 7 }, "2026-01-01T00:00:00.123Z"]);
  assert.match(run.steps[2]?.extras?.[0]?.raw ?? "", /"demo\.big":9007199254740993,/);
});

test("an agent below an agent is a child, linked at the call it ran for; a tool's own record and the history confirm each other", () => {
  const call = JSON.stringify([{ role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "delegate", arguments: { to: "helper" } }] }]);
  const later = JSON.stringify([...JSON.parse(messages(["user", "do it"])) as unknown[], ...JSON.parse(call) as unknown[], { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "helped" }] }]);
  const file = openText("run.json", otlp(
    span(1, undefined, "invoke_agent main", { "gen_ai.operation.name": "invoke_agent" }),
    span(2, 1, "chat", { "gen_ai.operation.name": "chat", "gen_ai.input.messages": messages(["user", "do it"]), "gen_ai.output.messages": call }),
    span(3, 1, "execute_tool delegate", { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "delegate", "gen_ai.tool.call.id": "c1", "gen_ai.tool.call.result": "helped" }),
    span(4, 3, "invoke_agent helper", { "gen_ai.operation.name": "invoke_agent" }),
    span(5, 4, "chat", { "gen_ai.operation.name": "chat", "gen_ai.input.messages": messages(["user", "help"]), "gen_ai.output.messages": messages(["assistant", "helped"]) }),
    span(6, 1, "chat", { "gen_ai.operation.name": "chat", "gen_ai.input.messages": later, "gen_ai.output.messages": messages(["assistant", "done"]) }),
  ));
  assert.deepEqual(file.ids, [`run.json#${trace}`, `run.json#${trace}>aaaaaaaaaaaaaaa4`]);
  const [main, child] = loadAll(file);
  assert.deepEqual(main?.steps.map(outline), ["user: text", "assistant: tool_call delegate", "tool: tool_result delegate", "assistant: text"]);
  assert.deepEqual(child?.steps.map((step) => step.parts[0]?.text), ["help", "helped"]);
  assert.deepEqual([child?.linkStep, child?.parentId, main.warnings, child?.warnings], [1, `run.json#${trace}`, [], []]);
});

test("the inner of two records of one call counts; a retry and a call that failed are steps", () => {
  const asked = { "gen_ai.operation.name": "chat", "gen_ai.input.messages": messages(["user", "q"]) };
  const [run] = loadAll(openText("run.json", otlp(
    span(1, 99, "framework", { ...asked, "gen_ai.output.messages": messages(["assistant", "a"]) }),
    span(2, 1, "provider", { ...asked, "gen_ai.output.messages": messages(["assistant", "a"]) }),
    span(3, undefined, "retry", { ...asked, "gen_ai.output.messages": messages(["assistant", "b"]) }),
    span(4, undefined, "broken", asked, { status: { code: 2 }, events: [{ name: "exception", attributes: attributes({ "exception.type": "Timeout", "exception.message": "late" }) }] }),
  )));
  assert.deepEqual(run?.steps.map(outline), ["user: text", "assistant: text", "assistant: text", "assistant: (error)"]);
  assert.deepEqual([run.steps[3]?.extras?.[0]?.raw, run.steps[2]?.parts[0]?.text], ['"Timeout: late"', "b"]);
  assert.deepEqual(run.warnings.map((one) => one.code), ["parent-missing"]);
});

test("messages as events, attributes cut off, flat exports with dotted names, traces of one conversation", () => {
  const events = [{ name: "gen_ai.user.message", attributes: attributes({ content: "hi" }) }, { name: "gen_ai.choice", attributes: attributes({ "gen_ai.event.content": '{"message":{"role":"assistant","content":"yo"}}' }) }];
  const [old] = loadAll(openText("run.json", otlp(span(1, undefined, "chat m", { "gen_ai.operation.name": "chat" }, { events }))));
  assert.deepEqual(old?.steps.map((step) => step.parts[0]?.text), ["hi", "yo"]);
  const [cut] = loadAll(openText("run.json", otlp(span(1, undefined, "chat m", { "gen_ai.operation.name": "chat", "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"te' }))));
  assert.equal(cut?.steps[0]?.parts[0]?.text, '[{"role":"user","parts":[{"type":"te');
  const flat = ["a", "b"].map((id) => ({ name: "ChatOpenAI", "context.trace_id": `t${id}`, "context.span_id": id, start_time: `2026-01-0${id === "a" ? 1 : 2}T00:00:00Z`, "attributes.session.id": "talk", "attributes.openinference.span.kind": "LLM", "attributes.llm.input_messages": [{ message: { role: "user", content: `ask ${id}` } }], "attributes.llm.output_messages": [{ message: { role: "assistant", content: id } }] }));
  const file = openText("spans.json", JSON.stringify(flat));
  assert.deepEqual([file.ids, loadAll(file)[0]?.steps.map((step) => step.parts[0]?.text)], [["spans.json#talk"], ["ask a", "a", "ask b", "b"]]);
});

test("TRAIL: errors stand at the step of their span and are no label", () => {
  const inner = { span_id: "cccccccccccccccc", parent_span_id: "aaaaaaaaaaaaaaaa", timestamp: "2025-03-19T16:54:02.000000Z", span_name: "SearchTool", span_attributes: { "openinference.span.kind": "TOOL", "tool.name": "web_search", "input.value": '{"query": "x"}', "output.value": "hit" }, status_code: "Error", status_message: "timeout", child_spans: [] };
  const call = { span_id: "bbbbbbbbbbbbbbbb", timestamp: "2025-03-19T16:54:01.000000Z", span_name: "LiteLLMModel", span_attributes: { "openinference.span.kind": "LLM", "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "q?", "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "a." }, child_spans: [] };
  const tree = { trace_id: trace, spans: [{ span_id: "aaaaaaaaaaaaaaaa", timestamp: "2025-03-19T16:54:00.000000Z", span_name: "main", span_attributes: {}, child_spans: [call, inner] }] };
  const labels = { errors: [{ category: "Tool-related", location: "cccccccccccccccc", evidence: "hit", description: "bad", impact: "HIGH" }], scores: [{ overall: 3.5 }] };
  const [run] = loadAll(openText("trail.jsonl", JSON.stringify({ trace: JSON.stringify(tree), labels: JSON.stringify(labels) })));
  assert.equal(run?.format, "trail");
  assert.deepEqual(run.steps.map(outline), ["user: text", "assistant: text", "assistant: tool_call web_search", "tool: tool_result web_search!, tool_result web_search!"]);
  assert.deepEqual(run.outcome?.details, [{ name: "error at step 2: Tool-related (high)", value: "bad\nhit" }, { name: "overall", value: "3.5" }]);
  assert.equal(run.label, undefined);
});

test("LangSmith: the answer is in the patch, also where the patch leaves its id out", async (t) => {
  const js = sharedFile(t, "trajectories/langsmith/js-wrap-openai-stream.json");
  const py = sharedFile(t, "trajectories/langsmith/py-wrap-openai-reasoning.json");
  if (!js || !py) return;
  const [run] = loadAll(await openShared(js));
  assert.deepEqual(run?.steps.map((step) => [step.role, step.parts[0]?.text, step.time]), [["user", "howdy", undefined], ["assistant", "Howdy! How can I assist you today?", "2024-10-13T07:05:35.809Z"]]);
  assert.deepEqual([run.model, run.outcome?.status, run.steps[1]?.tokens, run.id], ["gpt-4o-mini-2024-07-18", "stop", { input: 9, cachedInput: 0, output: 9, reasoning: 0 }, "langsmith/js-wrap-openai-stream.json#33c08c32-435c-4788-b973-b5bee4a31f87"]);
  const [reasoned] = loadAll(await openShared(py));
  assert.deepEqual([reasoned?.steps[1]?.tokens, reasoned?.steps[1]?.parts[0]?.text.length], [{ input: 43, cachedInput: 0, output: 2497, reasoning: 1408 }, 4039]);
  assert.deepEqual([run.warnings, reasoned?.warnings], [[], []]);
});

test("LangSmith: nested runs of LangChain, tool runs with ids, an agent inside a tool", () => {
  const message = (type: string, kwargs: object) => ({ lc: 1, type: "constructor", id: ["langchain", "schema", "messages", type], kwargs });
  const asked = [message("SystemMessage", { content: "sys" }), message("HumanMessage", { content: "find x" })];
  const called = message("AIMessage", { content: "", tool_calls: [{ name: "search", args: { q: 1 }, id: "c1" }], usage_metadata: { input_tokens: 5, output_tokens: 2 } });
  const sub = { id: "s", dotted_order: "1.3.1", run_type: "chain", name: "research agent", inputs: {}, child_runs: [{ id: "s1", dotted_order: "1.3.1.1", run_type: "llm", name: "L", inputs: { messages: [{ role: "user", content: "sub task" }] }, outputs: { choices: [{ message: { role: "assistant", content: "sub done" } }] } }] };
  const file = openText("runs.json", JSON.stringify([{
    id: "r", trace_id: "r", dotted_order: "1", run_type: "chain", name: "AgentExecutor", inputs: { input: "find x" }, outputs: { output: "x is 1" }, status: "success", child_runs: [
      { id: "l1", dotted_order: "1.2", run_type: "llm", name: "Chat", inputs: { messages: [asked] }, outputs: { generations: [[{ text: "", message: called }]] } },
      { id: "t", dotted_order: "1.3", run_type: "tool", name: "search", inputs: { input: '{"q": 1}' }, outputs: { output: message("ToolMessage", { content: "found 1", tool_call_id: "c1" }) }, child_runs: [sub] },
      { id: "l2", dotted_order: "1.4", run_type: "llm", name: "Chat", inputs: { messages: [[...asked, called, message("ToolMessage", { content: "found 1", tool_call_id: "c1" })]] }, outputs: { generations: [[{ message: message("AIMessage", { content: "x is 1" }) }]] } },
    ],
  }]));
  assert.deepEqual(file.ids, ["runs.json#r", "runs.json#r>s"]);
  const [main, child] = loadAll(file);
  assert.deepEqual(main?.steps.map(outline), ["system: text", "user: text", "assistant: tool_call search", "tool: tool_result search", "assistant: text"]);
  assert.deepEqual([main.steps[2]?.tokens, main.steps[3]?.parts[0]?.text, main.outcome?.status, main.warnings], [{ input: 5, output: 2 }, "found 1", "success", []]);
  assert.deepEqual([child?.steps.map((step) => step.parts[0]?.text), child?.linkStep], [["sub task", "sub done"], 2]);
});

test("instructions as parts, pieces of a stream, inputs that hold more than a text: nothing is lost", () => {
  const system = JSON.stringify([{ type: "text", content: "Be brief." }]);
  const [run] = loadAll(openText("run.json", otlp(span(1, undefined, "chat", { "gen_ai.operation.name": "chat", "gen_ai.system_instructions": system, "gen_ai.input.messages": messages(["user", "q"]), "gen_ai.output.messages": messages(["assistant", "a"]) }))));
  assert.deepEqual(run?.steps.map((step) => [step.role, step.parts[0]?.text]), [["system", "Be brief."], ["user", "q"], ["assistant", "a"]]);
  const chunk = (delta: object) => ({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: null }] });
  const [streamed] = loadAll(openText("runs.json", JSON.stringify([{ id: "r", trace_id: "r", run_type: "llm", name: "L", inputs: { messages: [{ role: "user", content: "q" }] }, outputs: { output: [chunk({ role: "assistant", content: "Hel" }), chunk({ content: "lo" })] } }])));
  assert.deepEqual(streamed?.steps.map((step) => step.parts[0]?.text), ["q", "Hello"]);
  const [plain] = loadAll(openText("run.json", otlp(span(1, undefined, "chain", { "openinference.span.kind": "CHAIN", "input.value": '{"input":"q","context":["c"]}', "output.value": '{"output":"a"}' }))));
  assert.deepEqual([plain?.steps.map((step) => step.parts[0]?.text), plain?.warnings.map((one) => one.code)], [['{"input":"q","context":["c"]}', "a"], ["messages-not-captured"]]);
  const none = openText("run.json", otlp());
  assert.deepEqual([none.ids, none.format?.id, none.warnings().map((one) => one.code)], [[], "otel", ["no-talk"]]);
});

test("an answer whose own call was dropped is the agent's; one told in other words is a copy", () => {
  const chat = (id: number, asked: [string, string][], answer: string) => span(id, undefined, "chat", { "gen_ai.operation.name": "chat", "gen_ai.input.messages": messages(...asked), "gen_ai.output.messages": messages(["assistant", answer]) });
  const [dropped] = loadAll(openText("run.json", otlp(chat(1, [["user", "a"]], "one"), chat(2, [["user", "a"], ["assistant", "one"], ["user", "b"], ["assistant", "two"], ["user", "c"]], "three"))));
  assert.deepEqual(dropped?.steps.map((step) => [step.parts[0]?.text, step.flags ?? []]), [["a", []], ["one", []], ["b", []], ["two", []], ["c", []], ["three", []]]);
  const [retold] = loadAll(openText("run.json", otlp(chat(1, [["user", "a"]], "one"), chat(2, [["user", "a"], ["assistant", "I said: one"], ["user", "b"]], "two"))));
  assert.deepEqual(retold?.steps.map((step) => step.flags ?? []), [[], [], ["copied_context"], [], []]);
});
