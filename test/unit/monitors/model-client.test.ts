import assert from "node:assert/strict";
import { test } from "node:test";
import { complete } from "#node/models/complete";
import { createServer } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { retryAfter, waitBefore } from "#node/models/backoff";
import { proxyFetch } from "#node/models/proxy";
import { isLoopback, originOf, requireAllowed } from "#node/models/origin";
import type { ModelRequest } from "#protocol/lsp";
import { fakeOpenAI, verdictText } from "../../support/fake-openai";
import type { Reply } from "../../support/fake-openai";

let models = 0;
const requestTo = (baseUrl: string, params: Record<string, unknown> = {}): ModelRequest => ({
  monitor: "guard", provider: "openai-compatible", model: `m${models++}`, baseUrl, system: "be fair", user: "judge", params,
  schema: { type: "object", properties: { misbehavior_detected: { type: "boolean" } } },
});

/** Runs one completion against a scripted server and tells what was waited for. */
async function ask(replies: Reply[], params: Record<string, unknown> = {}, apiKey?: string) {
  const server = await fakeOpenAI(...replies);
  const waits: number[] = [];
  const result = await complete(requestTo(server.baseUrl, params), { apiKey, wait: async (ms) => { waits.push(ms); }, random: () => 0 });
  await server.close();
  return { result, waits, received: server.received };
}

test("an answer comes with usage, model, fingerprint and finish reason", async () => {
  const { result, received } = await ask([{ kind: "text", text: verdictText(true) }], { temperature: 0, max_tokens: 50, seed: 7, top_p: 0.5, reasoning_effort: "low" }, "k-123");
  assert.ok("text" in result);
  assert.equal(result.text, '{"misbehavior_detected":true,"detected_categories":[]}');
  assert.equal(result.finishReason, "stop");
  assert.equal(result.fingerprint, "fp_test");
  assert.match(result.modelReturned ?? "", /^m\d+-2026-01-01$/);
  assert.deepEqual(result.usage, { inputTokens: 3, outputTokens: 7 });
  assert.equal(result.attempts, 1);
  const { body, headers, path } = received[0]!;
  assert.equal(path, "/v1/chat/completions");
  assert.equal(headers.authorization, "Bearer k-123");
  assert.deepEqual(body.messages, [{ role: "system", content: "be fair" }, { role: "user", content: "judge" }]);
  assert.equal(body["temperature"], 0);
  assert.equal(body["max_tokens"], 50);
  assert.equal(body["seed"], 7);
  assert.equal(body["top_p"], 0.5);
  assert.equal(body["reasoning_effort"], "low");
  assert.equal(body.response_format?.type, "json_schema");
});

test("without a key no authorization header is sent", async () => {
  const { received } = await ask([{ kind: "text", text: "{}" }]);
  assert.equal(received[0]!.headers.authorization, undefined);
});

test("429 is asked again after the time that Retry-After names", async () => {
  const { result, waits } = await ask([{ kind: "status", status: 429, headers: { "retry-after": "2" } }, { kind: "text", text: "ok" }]);
  assert.ok("text" in result);
  assert.equal(result.attempts, 2);
  assert.deepEqual(waits, [2000]);
});

test("three 500s and then an answer take four attempts, waiting longer each time", async () => {
  const { result, waits } = await ask([{ kind: "status", status: 500 }, { kind: "status", status: 502 }, { kind: "status", status: 503 }, { kind: "text", text: "ok" }]);
  assert.ok("text" in result);
  assert.equal(result.attempts, 4);
  assert.deepEqual(waits, [250, 500, 1000]);
});

test("dropped and half-sent answers are asked again", async () => {
  const { result } = await ask([{ kind: "drop" }, { kind: "half" }, { kind: "drop" }, { kind: "text", text: "ok" }]);
  assert.ok("text" in result, JSON.stringify(result));
  assert.equal(result.attempts, 4);
});

test("an endpoint that stays busy is given up after seven attempts", async () => {
  const { result, waits } = await ask([{ kind: "status", status: 429, message: "slow down" }]);
  assert.ok("reason" in result);
  assert.equal(result.reason, "http_error");
  assert.match(result.message, /429: slow down/);
  assert.equal(result.attempts, 7);
  assert.equal(waits.length, 6);
});

test("who asks to be left alone for longer than is waited is not asked again, and says for how long", async () => {
  const { result, waits } = await ask([{ kind: "status", status: 429, message: "daily quota", headers: { "retry-after": "3600" } }]);
  assert.ok("reason" in result);
  assert.deepEqual([result.message, result.attempts, waits], ["the endpoint answered 429: daily quota (it asks to be left alone for 60 min)", 1, []]);
});

test("an answer without a choice, or with an error in it, is unreadable and not an endpoint that cannot be reached", async () => {
  for (const [body, said] of [['{"choices": []}', /^the endpoint's answer could not be read: Response did not contain any choices\.?$/], ['{"error": {"message": "provider is overloaded", "code": 502}}', /could not be read: .*\(it says: provider is overloaded\)$/]] as const) {
    const { result } = await ask([{ kind: "body", body }]);
    assert.ok("reason" in result);
    assert.match(result.message, said);
    assert.deepEqual([result.reason, result.attempts], ["http_error", 3]);
  }
});

test("a count of tokens that is none is not taken for one", async () => {
  const { result } = await ask([{ kind: "body", body: JSON.stringify({ choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }], usage: { prompt_tokens: -500, completion_tokens: 1, total_tokens: -499 } }) }]);
  assert.ok("text" in result);
  assert.deepEqual([result.text, result.usage], ["ok", undefined]);
});

test("a key is hidden before a long message is cut in the middle of it, and one that no header carries is never tried", async () => {
  const key = "sk-planted-0123456789";
  const { result } = await ask([{ kind: "status", status: 401, message: `${"x".repeat(290)} ${key}` }], {}, key);
  assert.ok("reason" in result);
  assert.match(result.message, /x \[key\]$/);
  for (const bad of ["sk-abc\ndef", "sk-abc def", "sk-\u00e4bcdef", "sk-abc\u200bdef"]) {
    const tried = await ask([{ kind: "text", text: "ok" }], {}, bad);
    assert.deepEqual([tried.received.length, tried.result], [0, { reason: "configuration", message: "the key holds a line break, a space or a letter that no header carries; set it anew", attempts: 0, latencyMs: 0 }]);
  }
});

test("a context that is too long is said so and not asked again", async () => {
  const { result } = await ask([{ kind: "status", status: 400, code: "context_length_exceeded", message: "This model's maximum context length is 2048 tokens" }]);
  assert.ok("reason" in result);
  assert.equal(result.reason, "context_length");
  assert.equal(result.attempts, 1);
});

test("an endpoint without structured output is asked without it, now and later", async () => {
  const server = await fakeOpenAI({ kind: "no-schema", text: verdictText(false) });
  const request = requestTo(server.baseUrl);
  const first = await complete(request);
  const second = await complete(request);
  await server.close();
  assert.ok("text" in first && "text" in second);
  assert.equal(first.attempts, 2);
  assert.equal(second.attempts, 1);
  assert.deepEqual(server.received.map((one) => one.body.response_format !== undefined), [true, false, false]);
});

test("a refusal that has nothing to do with the schema does not switch it off", async () => {
  const server = await fakeOpenAI({ kind: "status", status: 400, message: "no such model" });
  const request = requestTo(server.baseUrl);
  const first = await complete(request);
  server.script({ kind: "text", text: verdictText(false) });
  await complete(request);
  await server.close();
  assert.ok("reason" in first);
  assert.deepEqual([first.reason, first.attempts], ["http_error", 2]);
  assert.deepEqual(server.received.map((one) => one.body.response_format !== undefined), [true, false, true]);
});

test("parameters that only some endpoints know are passed on, those that make the request are not", async () => {
  const { received } = await ask([{ kind: "text", text: "{}" }], { max_completion_tokens: 9, chat_template_kwargs: { thinking: false }, model: "other", stream: true, context_tokens: 5, timeout_s: 9 });
  const { body } = received[0]!;
  assert.deepEqual([body["max_completion_tokens"], body["chat_template_kwargs"], body["stream"], body["context_tokens"], body["timeout_s"]], [9, { thinking: false }, undefined, undefined, undefined]);
  assert.match(body.model, /^m\d+$/);
});

test("401 is an http_error at once", async () => {
  const { result } = await ask([{ kind: "status", status: 401, message: "bad key" }]);
  assert.ok("reason" in result);
  assert.deepEqual([result.reason, result.attempts], ["http_error", 1]);
});

test("no answer in time is a timeout", async () => {
  const { result } = await ask([{ kind: "hang" }], { timeout_s: 0.2 });
  assert.ok("reason" in result);
  assert.equal(result.reason, "timeout");
});

test("an abort ends the request as cancelled", async () => {
  const server = await fakeOpenAI({ kind: "hang" });
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 50);
  const result = await complete(requestTo(server.baseUrl), { signal: abort.signal });
  await server.close();
  assert.ok("reason" in result);
  assert.equal(result.reason, "cancelled");
});

test("an unreachable endpoint is a network failure that names the cause", async () => {
  const server = await fakeOpenAI();
  await server.close();
  const result = await complete(requestTo(server.baseUrl), { wait: async () => undefined });
  assert.ok("reason" in result);
  assert.equal(result.reason, "network");
  assert.match(result.message, /ECONNREFUSED/);
});

test("a redirect is not followed: neither key nor text reaches another origin", async () => {
  const other = await fakeOpenAI({ kind: "text", text: verdictText(false) });
  for (const status of [301, 302, 307, 308]) {
    const { result } = await ask([{ kind: "redirect", to: `${other.baseUrl}/chat/completions`, status }], {}, "secret-key");
    assert.ok("reason" in result);
    assert.equal(result.reason, "redirect");
    assert.match(result.message, new RegExp(other.origin));
    assert.equal(result.attempts, 1);
  }
  await other.close();
  assert.equal(other.received.length, 0);
});

test("a refusal field and the filter's word are told by the finish reason", async () => {
  const { result } = await ask([{ kind: "text", text: "", refusal: "I can't help with that." }]);
  assert.ok("text" in result);
  assert.equal(result.finishReason, "refusal");
  assert.equal(result.text, "I can't help with that.");
});

test("waits: exponential with jitter, Retry-After in seconds, milliseconds and dates", () => {
  assert.equal(waitBefore(1, undefined, 0), 250);
  assert.equal(waitBefore(1, undefined, 0.998), 500);
  assert.equal(waitBefore(10, undefined, 0), 15_000);
  assert.equal(waitBefore(1, 4000, 0), 4000);
  assert.equal(waitBefore(1, 10_000_000, 0), 300_000);
  assert.equal(retryAfter({ "retry-after": "1.5" }, 0), 1500);
  assert.equal(retryAfter({ "retry-after-ms": "120", "retry-after": "9" }, 0), 120);
  assert.equal(retryAfter({ "retry-after": "Thu, 01 Jan 1970 00:00:05 GMT" }, 2000), 3000);
  assert.equal(retryAfter({ "retry-after": "soon" }, 0), undefined);
  assert.equal(retryAfter(undefined, 0), undefined);
});

test("only this machine is loopback, whatever a name looks like", () => {
  for (const url of ["http://127.0.0.1:8080/v1", "http://localhost/v1", "http://[::1]:1/v1", "http://127.1.2.3"]) assert.equal(isLoopback(originOf(url)!), true, url);
  for (const url of ["http://127.0.0.1.example.com", "http://localhost.example.com", "https://10.0.0.1", "http://0.0.0.0", "http://127.0.0.1@example.com"]) assert.equal(isLoopback(originOf(url)!), false, url);
  assert.equal(originOf("ftp://x"), undefined);
  assert.equal(originOf("no address"), undefined);
});

test("another host needs the user's consent, by origin", () => {
  assert.throws(() => requireAllowed("https://api.example.com/v1", [], "guard"), /would send trajectories to https:\/\/api\.example\.com, which you have not allowed/);
  assert.throws(() => requireAllowed("https://api.example.com:8443/v1", ["https://api.example.com"], "guard"));
  assert.throws(() => requireAllowed("http://api.example.com/v1", ["https://api.example.com"], "guard"));
  assert.equal(requireAllowed("https://api.example.com/v1", ["https://api.example.com/"], "guard"), "https://api.example.com");
  assert.equal(requireAllowed("http://127.0.0.1:9/v1", [], "guard"), "http://127.0.0.1:9");
});

test("a proxy of the environment carries requests to other hosts, never those to this machine", async () => {
  const target = await fakeOpenAI({ kind: "text", text: "hello" });
  const asked: string[] = [];
  const proxy = createServer();
  // A name that only the proxy knows stands for the target.
  proxy.on("connect", (request, client: Socket) => {
    asked.push(request.url ?? "");
    const port = Number(new URL(target.origin).port);
    const upstream = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const through = proxyFetch({ HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
  const far = await complete(requestTo("http://model.invalid/v1"), { fetch: through, wait: async () => undefined });
  const near = await complete(requestTo(target.baseUrl), { fetch: through });
  await target.close();
  proxy.closeAllConnections();
  proxy.close();
  assert.ok("text" in far, JSON.stringify(far));
  assert.equal(far.text, "hello");
  assert.ok("text" in near);
  assert.deepEqual(asked, ["model.invalid:80"]);
  assert.equal(proxyFetch({}), undefined);
});
