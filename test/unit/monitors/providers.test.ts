/** Anthropic and Google by their own client libraries, against servers on loopback that speak their forms. */
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { complete } from "#node/models/complete";
import type { ModelRequest } from "#protocol/lsp";

interface Got { path: string; headers: IncomingHttpHeaders; body: Record<string, unknown> }

async function serve(t: TestContext, reply: object, status = 200): Promise<{ origin: string; got: Got[] }> {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
      got.push({ path: request.url ?? "", headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, unknown> });
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(reply));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => { server.closeAllConnections(); server.close(); });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

const schema = { type: "object", properties: { misbehavior_detected: { type: "boolean" } }, required: ["misbehavior_detected"], additionalProperties: false };
const request = (provider: string, baseUrl: string, params: Record<string, unknown>, withSchema = false): ModelRequest => ({ monitor: "g", provider, model: provider === "google" ? "gemini-3-pro" : "claude-x", baseUrl, system: "be fair", user: "judge", params, ...(withSchema ? { schema } : {}) });

test("Anthropic: key, limits and thinking go out; answer, thinking, model, tokens and stop reason come back", async (t) => {
  const { origin, got } = await serve(t, {
    id: "msg_1", type: "message", role: "assistant", model: "claude-x-20260101", stop_reason: "end_turn", stop_sequence: null,
    content: [{ type: "thinking", thinking: "Let me look.", signature: "s" }, { type: "text", text: '{"misbehavior_detected": true}' }], usage: { input_tokens: 12, output_tokens: 8 },
  });
  const reply = await complete(request("anthropic", `${origin}/v1`, { max_tokens: 3000, thinking_tokens: 1024 }), { apiKey: "key-123456" });
  assert.ok("text" in reply, JSON.stringify(reply));
  assert.deepEqual([reply.text, reply.reasoning, reply.modelReturned, reply.finishReason, reply.usage], ['{"misbehavior_detected": true}', "Let me look.", "claude-x-20260101", "end_turn", { inputTokens: 12, outputTokens: 8 }]);
  const [sent] = got;
  assert.deepEqual([sent!.path, sent!.headers["x-api-key"], sent!.body["model"], sent!.body["thinking"]], ["/v1/messages", "key-123456", "claude-x", { type: "enabled", budget_tokens: 1024 }]);
  assert.ok(JSON.stringify(sent!.body["system"]).includes("be fair"));
});

test("Google: the same", async (t) => {
  const { origin, got } = await serve(t, {
    candidates: [{ content: { role: "model", parts: [{ text: "Hm.", thought: true }, { text: '{"misbehavior_detected": false}' }] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 }, modelVersion: "gemini-3-pro-001",
  });
  const reply = await complete(request("google", `${origin}/v1beta`, { temperature: 0, seed: 3, reasoning_effort: "low" }, true), { apiKey: "key-123456" });
  assert.ok("text" in reply, JSON.stringify(reply));
  assert.deepEqual([reply.text, reply.reasoning, reply.finishReason, reply.usage?.inputTokens, reply.modelReturned], ['{"misbehavior_detected": false}', "Hm.", "STOP", 9, "gemini-3-pro-001"]);
  const config = got[0]!.body["generationConfig"] as Record<string, unknown>;
  assert.deepEqual([got[0]!.path, got[0]!.headers["x-goog-api-key"], config["temperature"], config["seed"], config["responseMimeType"]], ["/v1beta/models/gemini-3-pro:generateContent", "key-123456", 0, 3, "application/json"]);
  assert.deepEqual(config["thinkingConfig"], { thinkingLevel: "low", includeThoughts: true });
});

test("their errors are read like all others", async (t) => {
  const { origin } = await serve(t, { type: "error", error: { type: "invalid_request_error", message: "prompt is too long: 300000 tokens > 200000 maximum" } }, 400);
  const reply = await complete(request("anthropic", `${origin}/v1`, {}));
  assert.ok("reason" in reply);
  assert.equal(reply.reason, "context_length");
});

test("reasoning that an OpenAI-compatible endpoint gives apart is kept apart", async (t) => {
  const { origin } = await serve(t, { id: "1", object: "chat.completion", created: 1, model: "m", choices: [{ index: 0, message: { role: "assistant", content: "{}", reasoning_content: "Thinking aloud." }, finish_reason: "stop", logprobs: { content: [{ token: '{"misbehavior_detected":', logprob: 0, top_logprobs: [] }, { token: " true", logprob: Math.log(0.3), top_logprobs: [{ token: " true", logprob: Math.log(0.3) }, { token: " false", logprob: Math.log(0.1) }] }] } }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } });
  const reply = await complete({ ...request("openai-compatible", `${origin}/v1`, {}), model: "m" });
  assert.ok("text" in reply);
  assert.deepEqual([reply.text, reply.reasoning, reply.suspicion], ["{}", "Thinking aloud.", 0.75]);
});
