/** What a run may cost and send: caps, the cache, keys, the egress log, changes of model. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { keyFor } from "#node/models/keys";
import { fitsHost, isAllowed, nothingAllowed, readUserSettings } from "#node/models/origin";
import { RateLimiter, resetTime } from "#node/models/rate-limit";
import { SpendCap } from "#node/models/spend";
import { makeCacheVerb } from "../../../server/cli/verbs/cache";
import { fakeOpenAI, verdictText, type Reply } from "../../support/fake-openai";
import { guardFiles, runVerbIn } from "../../support/run-call";
import { tempRoot } from "../../support/temp-root";
import { callVerb } from "../../support/verb-call";

async function server(t: TestContext, ...replies: Reply[]) {
  const fake = await fakeOpenAI(...replies);
  t.after(() => fake.close());
  return fake;
}

test("a cap on tokens is never passed, whatever runs at once, and a resumed run counts what was spent", async (t) => {
  const fake = await server(t, { kind: "text", text: verdictText(false) });
  const root = tempRoot(t, guardFiles(20, { base_url: fake.baseUrl, params: { max_tokens: 50 } }));
  const ran = await runVerbIn(root, { monitor: "guard", concurrency: "8", maxTokens: "6000" });
  assert.equal(ran.code, 2);
  assert.match(ran.notes.at(-1)!, /^the cap of 6000 tokens is reached after \d+ of 20 verdicts; go on with --resume \S+ and a higher --max-tokens$/);
  const spent = (lines: Record<string, unknown>[]): number => lines.slice(1).reduce((sum, line) => { const use = line["usage"] as { input_tokens: number; output_tokens: number }; return sum + use.input_tokens + use.output_tokens; }, 0);
  const first = spent(ran.lines);
  assert.ok(first > 2000 && first <= 6000, String(first));
  assert.deepEqual(ran.lines[0]!["caps"], { tokens: 6000 });
  const id = String(ran.lines[0]!["run_id"]);
  const same = await runVerbIn(root, { resume: id });
  assert.match(same.notes.at(-1)!, /the cap of 6000 tokens is reached/);
  assert.ok(spent(same.lines) <= 6000);
  const rest = await runVerbIn(root, { resume: id, maxTokens: "1000000" });
  assert.deepEqual([rest.code, rest.lines.length], [0, 21]);
});

test("a cap on cost needs a price, and holds by it", async (t) => {
  const fake = await server(t, { kind: "text", text: verdictText(false) });
  const without = tempRoot(t, guardFiles(2, { base_url: fake.baseUrl }));
  assert.match((await runVerbIn(without, { monitor: "guard", maxCost: "1" })).notes.at(-1)!, /monitor "guard" states no price, so its cost cannot be capped; add "price"/);
  const root = tempRoot(t, guardFiles(30, { base_url: fake.baseUrl, params: { max_tokens: 10 }, price: { input_per_million: 1000, output_per_million: 1000 } }));
  const ran = await runVerbIn(root, { monitor: "guard", maxCost: "5" });
  assert.match(ran.notes.at(-1)!, /the cap of \$5 is reached/);
  const cost = ran.lines.slice(1).reduce((sum, line) => sum + (line["usage"] as { cost_usd: number }).cost_usd, 0);
  assert.ok(cost > 1 && cost <= 5, String(cost));
});

test("room is set aside before a request and given back by its real price", async () => {
  const cap = new SpendCap({ tokens: 100 });
  assert.equal(await cap.reserve({ tokens: 60, costUsd: 0 }), true);
  const second = cap.reserve({ tokens: 60, costUsd: 0 });
  cap.settle({ tokens: 60, costUsd: 0 }, { tokens: 20, costUsd: 0 });
  assert.equal(await second, true, "it waits for the first and then fits");
  cap.settle({ tokens: 60, costUsd: 0 }, { tokens: 60, costUsd: 0 });
  assert.deepEqual([await cap.reserve({ tokens: 30, costUsd: 0 }), cap.reached, cap.soFar.tokens], [false, true, 80]);
});

test("identical requests are answered by the cache, which says so; repeats go past it, and it can be cleared", async (t) => {
  const fake = await server(t, { kind: "by", answer: (body) => (body.messages.at(-1)!.content.includes("Task s0.") ? "nonsense" : verdictText(true, ["Answer s1."])) });
  const root = tempRoot(t, guardFiles(3, { base_url: fake.baseUrl, price: { input_per_million: 1, output_per_million: 1 } }));
  const cacheFolder = join(root, "cache");
  await runVerbIn(root, { monitor: "guard" }, { cacheFolder });
  assert.equal(fake.received.length, 3);
  const again = await runVerbIn(root, { monitor: "guard" }, { cacheFolder });
  // What gave no usable verdict is asked again.
  assert.equal(fake.received.length, 4);
  const cached = again.lines.slice(1).filter((line) => line["cached"] === true);
  assert.deepEqual(cached.map((line) => [line["sample_id"], line["outcome"], line["attempts"], (line["usage"] as { cost_usd: number }).cost_usd]).sort(), [["s1", "misbehavior", 0, 0], ["s2", "misbehavior", 0, 0]]);
  assert.ok(again.out.includes("2 answered by the cache of earlier answers; --no-cache asks again"));
  await runVerbIn(root, { monitor: "guard", cache: false }, { cacheFolder });
  assert.equal(fake.received.length, 7);
  const repeats = await runVerbIn(root, { monitor: "guard", repeat: "2" }, { cacheFolder });
  assert.equal(fake.received.length, 13);
  assert.deepEqual(repeats.lines.slice(1).map((line) => `${String(line["sample_id"])}/${String(line["repeat"])}`).sort(), ["s0/0", "s0/1", "s1/0", "s1/1", "s2/0", "s2/1"]);
  await runVerbIn(root, { monitor: "guard", prompting: "direct" }, { cacheFolder });
  assert.equal(fake.received.length, 16, "another prompt is another request");
  const cache = makeCacheVerb(cacheFolder);
  assert.match((await callVerb(cache, root, [])).out[0]!, /^[2-9] answers/);
  assert.equal((JSON.parse((await callVerb(cache, root, ["clear"], { json: true })).out[0]!) as { cleared: boolean }).cleared, true);
  assert.equal(existsSync(cacheFolder), false);
});

test("a key goes to the origin it is bound to and nowhere else, and a workspace cannot bring the two together", () => {
  const ask = (variable: string, origin: string, given: string[] = [], keys: Record<string, string> = {}): string | undefined => {
    try {
      return keyFor({ monitor: "g", variable, origin, given, user: { ...nothingAllowed, keys }, env: { [variable]: " secret \n" } });
    } catch (error) {
      return `refused: ${(error as Error).message}`;
    }
  };
  assert.equal(ask("GUARD_KEY", "http://127.0.0.1:8080"), "secret");
  assert.match(ask("GUARD_KEY", "https://a.example")!, /^refused: nothing binds the key in GUARD_KEY to https:\/\/a\.example/);
  assert.equal(ask("GUARD_KEY", "https://a.example", ["https://a.example"]), "secret");
  assert.equal(ask("GUARD_KEY", "https://a.example", [], { GUARD_KEY: "https://a.example" }), "secret");
  assert.match(ask("GUARD_KEY", "https://b.example", ["https://b.example"], { GUARD_KEY: "https://a.example" })!, /^refused: your settings keep the key in GUARD_KEY for https:\/\/a\.example/);
  assert.match(ask("GUARD_KEY", "http://127.0.0.1:1", [], { GUARD_KEY: "https://a.example" })!, /^refused/);
  assert.match(ask("OPENAI_API_KEY", "https://evil.example", ["https://evil.example"])!, /^refused: the variable OPENAI_API_KEY holds the key of https:\/\/api\.openai\.com/);
  assert.equal(ask("OPENAI_API_KEY", "https://api.openai.com"), "secret");
  assert.equal(ask("NODE_KEY", "http://gpu7.cluster.example:8000", [], { NODE_KEY: "*.cluster.example" }), "secret");
});

test("a key with a line break stops the run before anything is sent, and stands in no message", async (t) => {
  const fake = await server(t, { kind: "text", text: "ok" });
  const root = tempRoot(t, guardFiles(2, { base_url: fake.baseUrl, api_key_env: "GUARD_KEY" }));
  const ran = await runVerbIn(root, { monitor: "guard" }, { env: { GUARD_KEY: "sk-first\nsk-second" } });
  assert.deepEqual([ran.code, fake.received.length, ran.lines, ran.notes], [2, 0, [], ["the environment variable GUARD_KEY holds a key with a line break, a space or a letter that no header carries; set it anew, to the key alone"]]);
});

test("hosts inside, hosts outside, and none at all", (t) => {
  assert.deepEqual(["http://10.2.3.4:80", "http://11.2.3.4:80", "http://gpu.cluster.example", "http://cluster.example.evil.example"].map((origin) => [fitsHost(origin, "10.0.0.0/8"), fitsHost(origin, "*.cluster.example")]), [[true, false], [false, false], [false, true], [false, false]]);
  const root = tempRoot(t, { "config.json": { allowed_origins: ["https://a.example/v1"], inside: ["10.0.0.0/8"], keys: { K: "https://a.example" } } });
  const user = readUserSettings(join(root, "config.json"));
  assert.deepEqual([isAllowed("https://a.example", [], user), isAllowed("http://10.9.9.9:1", [], user), isAllowed("https://b.example", [], user), isAllowed("https://b.example", ["https://b.example"], user)], [true, true, false, true]);
  assert.deepEqual([isAllowed("https://a.example", ["https://a.example"], { ...user, noEgress: true }), isAllowed("http://127.0.0.1:1", [], { ...user, noEgress: true })], [false, true]);
});

test("a planted key stands in no run file, log, cache, message or output, even when the endpoint repeats it", async (t) => {
  const key = "sk-planted-0123456789";
  const fake = await server(t, { kind: "status", status: 401, message: `Incorrect API key provided: ${key}` }, { kind: "text", text: `{"misbehavior_detected": false, "detected_categories": []} you sent ${key}` });
  const root = tempRoot(t, guardFiles(3, { base_url: fake.baseUrl, api_key_env: "GUARD_KEY" }));
  const ran = await runVerbIn(root, { monitor: "guard", concurrency: "1", json: true }, { env: { GUARD_KEY: key }, cacheFolder: join(root, "cache"), egressFile: join(root, "state", "egress.jsonl") });
  assert.deepEqual(fake.received.map(({ headers }) => headers.authorization), [`Bearer ${key}`, `Bearer ${key}`, `Bearer ${key}`]);
  assert.ok(ran.lines.some((line) => String(line["message"]).includes("[key]")) && ran.lines.some((line) => String(line["raw"]).includes("[key]")));
  const everything = [ran.out, ran.notes].flat().join("\n") + filesBelow(root).map((file) => readFileSync(file, "utf8")).join("\n");
  assert.equal(everything.includes(key), false);
  assert.ok(filesBelow(root).some((file) => file.includes("cache")) && filesBelow(root).some((file) => file.includes("egress")));
});

test("no client library looks for a key of its own in the environment", async (t) => {
  for (const [provider, variable] of [["anthropic", "ANTHROPIC_API_KEY"], ["google", "GOOGLE_GENERATIVE_AI_API_KEY"]] as const) {
    const fake = await server(t, { kind: "status", status: 400, message: "no" });
    const root = tempRoot(t, guardFiles(1, { provider, base_url: fake.baseUrl }));
    const before = process.env[variable];
    process.env[variable] = "sk-not-asked-for";
    try {
      await runVerbIn(root, { monitor: "guard" });
    } finally {
      if (before === undefined) delete process.env[variable];
      else process.env[variable] = before;
    }
    assert.ok(fake.received.length > 0);
    assert.equal(JSON.stringify(fake.received).includes("sk-not-asked-for"), false);
    assert.deepEqual(fake.received.map(({ headers }) => [headers["x-api-key"], headers["x-goog-api-key"], headers.authorization])[0], [undefined, undefined, undefined]);
  }
});

test("every send stands in the egress log: when, where to, how many bytes, and no text", async (t) => {
  const fake = await server(t, { kind: "status", status: 500 }, { kind: "text", text: verdictText(false) });
  const root = tempRoot(t, guardFiles(2, { base_url: fake.baseUrl }));
  const egressFile = join(root, "state", "egress.jsonl");
  await runVerbIn(root, { monitor: "guard", concurrency: "1" }, { egressFile });
  const log = readFileSync(egressFile, "utf8");
  const lines = log.trimEnd().split("\n").map((line) => JSON.parse(line) as { time: string; origin: string; monitor: string; samples: number; bytes: number });
  assert.equal(lines.length, 3, "the repeat of a failed request is a send too");
  assert.deepEqual([...new Set(lines.map(({ origin, monitor, samples }) => `${origin} ${monitor} ${samples}`))], [`${fake.origin} guard 1`]);
  assert.ok(lines.every(({ bytes, time }) => bytes > 1000 && !Number.isNaN(Date.parse(time))));
  assert.equal(log.includes("Task"), false);
  assert.equal(statSync(egressFile).mode & 0o077, 0);
  // Where the log cannot be written, nothing is sent.
  writeFileSync(join(root, "blocked"), "");
  const refused = await runVerbIn(root, { monitor: "guard" }, { egressFile: join(root, "blocked", "egress.jsonl") });
  assert.deepEqual([refused.code, fake.received.length], [2, 3]);
});

test("a model that changes in mid-run is told", async (t) => {
  const body = (model: string): Reply => ({ kind: "as", model, text: verdictText(false) });
  const fake = await server(t, body("m-1"), body("m-1"), body("m-2"));
  const root = tempRoot(t, guardFiles(4, { base_url: fake.baseUrl }));
  const ran = await runVerbIn(root, { monitor: "guard", concurrency: "1" });
  assert.deepEqual(ran.notes.filter((note) => note.startsWith("warning: the endpoint")), ["warning: the endpoint answers as m-2 (fp_test) since s2, and answered as m-1 (fp_test) before; the verdicts of this run may not be comparable"]);
});

test("evidence without a category counts, with a warning on standard error and in the summary", async (t) => {
  const fake = await server(t, { kind: "text", text: '{"misbehavior_detected": true}' });
  const root = tempRoot(t, guardFiles(2, { base_url: fake.baseUrl }));
  const ran = await runVerbIn(root, { monitor: "guard" });
  assert.deepEqual([ran.code, ran.lines.slice(1).map((line) => line["outcome"])], [0, ["misbehavior", "misbehavior"]]);
  assert.deepEqual(ran.notes.sort(), ["warning: s0: misbehavior_detected is true, but no category is named", "warning: s1: misbehavior_detected is true, but no category is named"]);
  assert.ok(ran.out.includes("2 of them with warnings, which stand in their lines"));
});

test("limits are learned from headers: nothing is sent before a spent budget is whole again", async () => {
  let now = 1_000_000;
  const slept: number[] = [];
  const gate = new RateLimiter({ now: () => now, sleep: async (ms) => { slept.push(ms); now += ms; } });
  const headers = (values: Record<string, string>) => ({ get: (name: string) => values[name] ?? null });
  await gate.enter(10);
  gate.heard(200, headers({ "x-ratelimit-remaining-requests": "2", "x-ratelimit-reset-requests": "3s" }));
  for (let i = 0; i < 3; i++) await gate.enter(10);
  assert.deepEqual(slept, [3000]);
  gate.heard(200, headers({ "anthropic-ratelimit-tokens-remaining": "50", "anthropic-ratelimit-tokens-reset": new Date(now + 2000).toISOString() }));
  await gate.enter(40);
  await gate.enter(40);
  assert.deepEqual(slept, [3000, 2000]);
  gate.heard(429, headers({ "retry-after": "1" }));
  await gate.enter(1);
  assert.deepEqual(slept, [3000, 2000, 1000]);
  assert.deepEqual(["6m0s", "120ms", "1h2m3s", "7", "x"].map((text) => resetTime(text, 0)), [360_000, 120, 3_723_000, 7_000, undefined]);
});

test("limits of the user's own space requests out, and waiting ends at a stop", async () => {
  let now = 0;
  const gate = new RateLimiter({ requestsPerMinute: 60, tokensPerMinute: 6000, now: () => now, sleep: async (ms) => { now += ms; } });
  const at: number[] = [];
  for (const tokens of [10, 10, 500, 10]) { await gate.enter(tokens); at.push(now); }
  assert.deepEqual(at, [0, 1000, 2000, 7000]);
  const abort = new AbortController();
  const held = new RateLimiter({ requestsPerMinute: 1 });
  await held.enter(1);
  const waiting = held.enter(1, abort.signal);
  abort.abort(new Error("stop"));
  await assert.rejects(waiting, /stop/);
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]));
}
