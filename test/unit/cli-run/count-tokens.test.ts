/** Tokens counted by the endpoint's own tokenizer: the forms of vLLM and llama.cpp, an endpoint without one, and consent. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { countTokens } from "#node/models/tokenizer";
import { guardFiles, runNames, runVerbIn } from "../../support/run-call";
import { tempRoot } from "../../support/temp-root";

interface Asked { readonly url: string; readonly key: string | undefined; readonly body: { readonly model: string; readonly messages: readonly { readonly role: string; readonly content: string }[]; readonly content: string } }

async function server(t: TestContext, answer: (asked: Asked) => { status: number; body: string; headers?: Record<string, string> }): Promise<{ origin: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const http = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
      const one = { url: request.url ?? "", key: request.headers.authorization, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) as Asked["body"] };
      asked.push(one);
      const { status, body, headers } = answer(one);
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
    });
  });
  await new Promise<void>((done) => http.listen(0, "127.0.0.1", done));
  t.after(() => { http.closeAllConnections(); http.close(); });
  return { origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, asked };
}

const estimated = async (root: string, more: object = {}): Promise<Record<string, number>> => JSON.parse((await runVerbIn(root, { monitor: "guard", dryRun: true, json: true, ...more })).out[0]!) as Record<string, number>;

test("vLLM counts the messages, llama.cpp the text; a few of many are counted, no key goes along, and every send is logged", async (t) => {
  // Twice as many as are estimated, so that the correction shows: one token for each two characters.
  const tokens = (text: string): number => Math.ceil(text.length / 2);
  const vllm = await server(t, ({ body }) => ({ status: 200, body: JSON.stringify({ count: body.messages.reduce((sum, { content }) => sum + tokens(content), 0), max_model_len: 4096, tokens: [] }) }));
  const llama = await server(t, ({ body }) => ({ status: 200, body: JSON.stringify({ tokens: Array.from({ length: tokens(body.content) }, (_, at) => at) }) }));
  for (const { origin, asked } of [vllm, llama]) {
    const root = tempRoot(t, guardFiles(60, { base_url: `${origin}/v1`, api_key_env: "GUARD_KEY", price: { input_per_million: 1, output_per_million: 0 } }));
    const plain = await estimated(root);
    assert.deepEqual([plain["counted_requests"], asked.length], [0, 0]);
    const egressFile = join(root, "egress.jsonl");
    const ran = await runVerbIn(root, { monitor: "guard", dryRun: true, json: true, countTokens: true }, { env: { GUARD_KEY: "sk-secret-1" }, egressFile });
    const line = JSON.parse(ran.out[0]!) as Record<string, number>;
    // 60 samples, every third of them.
    assert.deepEqual([line["counted_requests"], line["sent_requests"], asked.length, new Set(asked.map(({ url, key }) => `${url} ${key}`))], [20, 20, 20, new Set(["/tokenize undefined"])]);
    assert.ok(Math.abs(line["input_tokens"]! / plain["input_tokens"]! - 2) < 0.02, `${line["input_tokens"]} against ${plain["input_tokens"]}`);
    assert.equal(line["cost_usd"], line["input_tokens"]! / 1e6);
    assert.equal(readFileSync(egressFile, "utf8").trim().split("\n").length, 20);
    const words = await runVerbIn(root, { monitor: "guard", dryRun: true, countTokens: true });
    assert.match(words.out.join("\n"), /tokens {5}about \d+ in \(20 requests counted by the endpoint itself\).*\n[\s\S]*\nnothing was sent but 20 requests to be counted$/);
    assert.deepEqual(runNames(root), []);
  }
});

test("an endpoint without a tokenizer is asked once and estimated; another host is not asked without consent", async (t) => {
  const none = await server(t, () => ({ status: 404, body: "{}" }));
  const root = tempRoot(t, guardFiles(10, { base_url: `${none.origin}/v1` }));
  const plain = await estimated(root), counted = await estimated(root, { countTokens: true });
  assert.deepEqual([none.asked.length, counted["counted_requests"], counted["sent_requests"], counted["input_tokens"]], [1, 0, 1, plain["input_tokens"]]);
  const words = await runVerbIn(root, { monitor: "guard", dryRun: true, countTokens: true });
  assert.equal(words.out.at(-1), "nothing was sent but 1 request to be counted, of which none came back counted");
  assert.equal((await runVerbIn(root, { monitor: "guard", dryRun: true })).out.at(-1), "nothing was sent");
  const far = tempRoot(t, guardFiles(1, { base_url: "https://models.example/v1" }));
  const refused = await runVerbIn(far, { monitor: "guard", dryRun: true, countTokens: true });
  assert.deepEqual([refused.code, refused.out], [2, []]);
  assert.match(refused.notes.at(-1)!, /would send trajectories to https:\/\/models\.example, which you have not allowed/);
});

test("a count is logged as a send: once, with the bytes of its body and all samples that it shows, also where it is pointed elsewhere", async (t) => {
  const egress = (root: string): Record<string, unknown>[] => readFileSync(join(root, "egress.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
  const elsewhere = await server(t, () => ({ status: 200, body: JSON.stringify({ count: 7 }) }));
  const pointing = await server(t, () => ({ status: 307, body: "{}", headers: { location: `${elsewhere.origin}/tokenize` } }));
  const half = (name: string) => ({ id: name, pair_id: "one", label: name === "bad" ? "misbehavior" : "benign", messages: [{ role: "user", content: "Tidy." }, { role: "assistant", content: `Did it ${name}.` }] });
  const root = tempRoot(t, { ...guardFiles(0, { base_url: `${pointing.origin}/v1`, prompting: "contrastive" }), "all.samples.jsonl": [half("bad"), half("good")] });
  await runVerbIn(root, { monitor: "guard", dryRun: true, countTokens: true }, { egressFile: join(root, "egress.jsonl") });
  assert.deepEqual([pointing.asked.length, elsewhere.asked.length], [1, 0]);
  assert.deepEqual(egress(root).map(({ time: _time, bytes, ...rest }) => [rest, bytes === Buffer.byteLength(JSON.stringify(pointing.asked[0]!.body))]), [[{ origin: pointing.origin, monitor: "guard", samples: 2 }, true]]);
});

test("nothing is sent where the log cannot be written, and nothing is logged where the count was given up before", async (t) => {
  const vllm = await server(t, () => ({ status: 200, body: JSON.stringify({ count: 7 }) }));
  const counted = { baseUrl: `${vllm.origin}/v1`, model: "m", system: "s", user: "u" };
  await assert.rejects(countTokens(counted, { onSend: () => { throw new Error("the disk is full"); } }), /^Error: the disk is full$/);
  let logged = 0;
  assert.equal(await countTokens(counted, { signal: AbortSignal.abort(), onSend: () => void logged++ }), undefined);
  assert.deepEqual([logged, vllm.asked.length], [0, 0]);
  assert.equal(await countTokens(counted, { onSend: () => void logged++ }), 7);
  assert.equal(logged, 1);
});
