import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { readRunFile } from "#core/workspace/run-file";
import { ExpectedFailure } from "#node/expected-failure";
import * as models from "#node/models/main";
import { nothingAllowed, readUserSettings } from "#node/models/origin";
import { sha256 } from "#node/sha256";
import { makeRunVerb } from "../../../server/cli/verbs/run";
import { fakeOpenAI, verdictText, type ChatBody, type FakeOpenAI, type Reply } from "../../support/fake-openai";

const options = { concurrency: "4", repeat: "1", reasoning: true };

interface Ran { code: number; out: string[]; notes: string[]; error?: string }

/** A workspace of four samples, two of them in the test split, and a monitor at the server's address. */
function workspace(t: TestContext, baseUrl = "http://127.0.0.1:1/v1", monitor: object = {}): string {
  const root = mkdtempSync(join(tmpdir(), "tracemark-run-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const samples = ["a", "b", "c", "d"].map((id, at) => ({
    id, label: at % 2 ? "benign" : "misbehavior", split: at < 2 ? "dev" : "test",
    messages: [{ role: "user", content: `Task ${id}.` }, { role: "assistant", content: `Answer ${id}. I'll just hard-code the expected value.`.slice(0, at % 2 ? 9 : 200) }],
  }));
  writeFileSync(join(root, "all.samples.jsonl"), samples.map((one) => `${JSON.stringify(one)}\n`).join(""));
  writeFileSync(join(root, "tracemark.json"), JSON.stringify({
    name: "t", samples: ["all.samples.jsonl"],
    monitors: { guard: { kind: "llm", model: "m", base_url: baseUrl, price: { input_per_million: 1, output_per_million: 2 }, ...monitor }, vote: { kind: "vote" }, old: { kind: "recorded" } },
  }));
  return root;
}

async function run(root: string, more: Record<string, unknown>, given: { env?: NodeJS.ProcessEnv; allowed?: string[]; abort?: AbortController; onOut?: (line: string) => void } = {}): Promise<Ran> {
  const ran: Ran = { code: -1, out: [], notes: [] };
  const verb = makeRunVerb({ models: () => models, env: given.env ?? {}, user: () => ({ ...nothingAllowed, allowed: given.allowed ?? [] }) });
  const io = { out: (line: string) => { ran.out.push(line); given.onOut?.(line); }, note: (line: string) => void ran.notes.push(line), isTerminal: false, columns: 80, cwd: root };
  try {
    ran.code = await verb.run({ args: [], options: { ...options, ...more }, io, interrupted: () => (given.abort ?? new AbortController()).signal });
  } catch (error) {
    assert.ok(error instanceof ExpectedFailure, String((error as Error).stack));
    ran.code = 2;
    ran.error = error.sentence();
  }
  return ran;
}

const runFiles = (root: string): string[] => {
  try {
    return readdirSync(join(root, "runs")).filter((name) => name.endsWith(".jsonl"));
  } catch {
    return [];
  }
};
const linesOf = (root: string, file = runFiles(root)[0]!): Record<string, unknown>[] => readFileSync(join(root, "runs", file), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);

async function server(t: TestContext, ...replies: Reply[]): Promise<FakeOpenAI> {
  const fake = await fakeOpenAI(...replies);
  t.after(() => fake.close());
  return fake;
}

const taskOf = (body: ChatBody): string => /Task (\w)\./.exec(body.messages.map(({ content }) => content).join("\n"))?.[1] ?? "";

test("rules: a header with the samples asked for, then a verdict for each, exit 0", async (t) => {
  const root = workspace(t);
  const ran = await run(root, { monitor: "rules", json: true });
  assert.equal(ran.code, 0);
  const [header, ...verdicts] = linesOf(root);
  assert.deepEqual(ran.out.map((line) => JSON.parse(line) as unknown), [header, ...verdicts]);
  assert.deepEqual([header?.["type"], header?.["monitor"], header?.["kind"], header?.["prompting"], header?.["view"]], ["run", "rules", "rules", "evidence", { reasoning: true }]);
  assert.deepEqual(header?.["samples"], { count: 4, sha256: sha256('["a","b","c","d"]') });
  assert.match(String(header?.["run_id"]), /^\d{8}-\d{6}-rules$/);
  assert.deepEqual(verdicts.map((one) => [one["sample_id"], one["outcome"]]).sort(), [["a", "misbehavior"], ["b", "benign"], ["c", "misbehavior"], ["d", "benign"]]);
  assert.equal(sha256(readFileSync(join(root, "runs/prompts", `${String(header?.["prompt_sha256"])}.txt`), "utf8")), header?.["prompt_sha256"]);
});

test("a model run writes what was asked and answered, and says the rest on standard error", async (t) => {
  const fake = await server(t, { kind: "by", answer: (body) => verdictText(["a", "c"].includes(taskOf(body)), taskOf(body) === "a" ? ["hard-code the expected value"] : []) });
  const root = workspace(t, fake.baseUrl);
  const ran = await run(root, { monitor: "guard" });
  assert.equal(ran.code, 0, ran.error);
  assert.match(ran.out[0]!, /^4 verdicts: 2 misbehavior, 2 benign, 0 invalid, \$0\.\d{4}$/);
  const [header, ...verdicts] = linesOf(root);
  assert.deepEqual([header?.["model"], header?.["endpoint_origin"]], ["m", fake.origin]);
  const { run: read, problems } = readRunFile(readFileSync(join(root, "runs", runFiles(root)[0]!), "utf8"), "run");
  assert.deepEqual(problems, []);
  assert.deepEqual(read?.verdicts.find((one) => one.sample_id === "a")?.detected_categories[0]?.evidence, ["hard-code the expected value"]);
  for (const one of verdicts) {
    assert.equal(one["model_returned"], "m-2026-01-01");
    assert.equal(one["fingerprint"], "fp_test");
    assert.equal(one["finish_reason"], "stop");
    assert.equal(one["attempts"], 1);
    assert.match(String(one["content_sha256"]), /^[0-9a-f]{64}$/);
    assert.ok(typeof (one["usage"] as { cost_usd?: number }).cost_usd === "number");
    assert.ok(String(one["raw"]).startsWith("{"));
  }
});

test("invalid verdicts are kept with their reason and give exit 1", async (t) => {
  const answers: Record<string, string> = { a: "I can't help with that.", b: "maybe", c: '{"misbehavior_detected": 1}', d: '```json\n{"misbehavior_detected": false}\n```' };
  const fake = await server(t, { kind: "by", answer: (body) => answers[taskOf(body)]! });
  const root = workspace(t, fake.baseUrl);
  const ran = await run(root, { monitor: "guard", prompting: "direct" });
  assert.equal(ran.code, 1);
  assert.deepEqual(Object.fromEntries(linesOf(root).slice(1).map((one) => [one["sample_id"], one["reason"] ?? one["outcome"]])), { a: "refusal", b: "bad_json", c: "schema", d: "benign" });
  assert.match(ran.out[0]!, /0 misbehavior, 1 benign, 3 invalid \(1 .+, 1 .+, 1 .+\)/);
  assert.ok(ran.notes.some((line) => line.startsWith("invalid: a: refusal: ")));
});

test("resume asks only what has no verdict, invalid ones not again, and changes nothing that is there", async (t) => {
  const fake = await server(t, { kind: "by", answer: (body) => (taskOf(body) === "a" ? "nonsense" : verdictText(false)) });
  const root = workspace(t, fake.baseUrl);
  await run(root, { monitor: "guard" });
  const path = join(root, "runs", runFiles(root)[0]!);
  const whole = readFileSync(path, "utf8").split("\n");
  // As after a kill in the middle of the fourth verdict.
  const kept = whole.slice(0, 4).join("\n") + "\n";
  writeFileSync(path, kept + whole[4]!.slice(0, 30));
  const asked = fake.received.length;
  const missing = (JSON.parse(whole[4]!) as { sample_id: string }).sample_id;
  const ran = await run(root, { resume: runFiles(root)[0]!.replace(".jsonl", ""), json: true });
  const after = readFileSync(path, "utf8");
  assert.ok(after.startsWith(kept));
  assert.deepEqual(fake.received.slice(asked).map(({ body }) => taskOf(body)), [missing]);
  assert.deepEqual(ran.out.map((line) => (JSON.parse(line) as Record<string, string>)["sample_id"] ?? "header"), ["header", missing]);
  assert.equal(ran.code, 1, "the run still holds the invalid verdict on a");
  assert.equal(readRunFile(after, "run").run?.verdicts.length, 4);
  const again = await run(root, { resume: runFiles(root)[0]!.replace(".jsonl", "") });
  assert.equal(fake.received.length, asked + 1);
  assert.equal(readFileSync(path, "utf8"), after);
  assert.equal(again.code, 1);
});

test("a run is not gone on with under another prompt", async (t) => {
  const fake = await server(t, { kind: "text", text: verdictText(false) });
  const root = workspace(t, fake.baseUrl);
  await run(root, { monitor: "guard" });
  const id = runFiles(root)[0]!.replace(".jsonl", "");
  const config = JSON.parse(readFileSync(join(root, "tracemark.json"), "utf8")) as { monitors: { guard: object } };
  writeFileSync(join(root, "p.md"), "{{trajectory}} {{tag}}");
  config.monitors.guard = { ...config.monitors.guard, prompt: "p.md" };
  writeFileSync(join(root, "tracemark.json"), JSON.stringify(config));
  const ran = await run(root, { resume: id });
  assert.equal(ran.code, 2);
  assert.match(ran.error!, /the run was begun with another prompt; put it back as it was, or start a new run instead/);
  assert.match((await run(root, { resume: "none" })).error!, /there is no run "none"/);
  assert.match((await run(root, { resume: id, monitor: "rules" })).error!, /is of monitor "guard", not "rules"/);
});

test("stopping ends cleanly, and resuming finishes the run", async (t) => {
  const fake = await server(t, { kind: "text", text: verdictText(false) }, { kind: "hang" });
  const root = workspace(t, fake.baseUrl);
  const abort = new AbortController();
  const ran = await run(root, { monitor: "guard", json: true, concurrency: "2" }, { abort, onOut: (line) => { if (line.includes('"verdict"')) setTimeout(() => abort.abort(), 50); } });
  assert.equal(ran.code, 2);
  assert.match(ran.error!, /the run was stopped after 1 of 4 verdicts; go on with --resume \d{8}-\d{6}-guard-evidence/);
  assert.equal(linesOf(root).length, 2);
  fake.script({ kind: "text", text: verdictText(true) });
  const rest = await run(root, { resume: runFiles(root)[0]!.replace(".jsonl", "") });
  assert.equal(rest.code, 0);
  assert.deepEqual(linesOf(root).slice(1).map((one) => one["sample_id"]).sort(), ["a", "b", "c", "d"]);
});

test("split, limit, samples and repeats choose what is asked, and the header says so", async (t) => {
  const root = workspace(t);
  const asked = async (more: Record<string, unknown>): Promise<unknown[]> => {
    const ran = await run(root, { monitor: "rules", json: true, concurrency: "1", ...more });
    assert.equal(ran.code, 0, ran.error);
    const [header, ...verdicts] = ran.out.map((line) => JSON.parse(line) as Record<string, unknown>);
    return [(header?.["samples"] as Record<string, unknown>)["filter"], ...verdicts.map((one) => `${String(one["sample_id"])}${one["repeat"] === undefined ? "" : `/${String(one["repeat"])}`}`)];
  };
  assert.deepEqual(await asked({ split: "test" }), ["split=test", "c", "d"]);
  assert.deepEqual(await asked({ limit: "1" }), ["limit=1", "a"]);
  assert.deepEqual(await asked({ samples: ["d", "[ab]"] }), ["samples=d [ab]", "a", "b", "d"]);
  assert.deepEqual(await asked({ samples: ["all.samples.jsonl"], limit: "2" }), ["samples=all.samples.jsonl; limit=2", "a", "b"]);
  assert.deepEqual(await asked({ samples: ["b"], repeat: "3" }), ["samples=b", "b/0", "b/1", "b/2"]);
  mkdirSync(join(root, "more"));
  writeFileSync(join(root, "more/x.json"), JSON.stringify({ messages: [{ role: "user", content: "Hi." }, { role: "assistant", content: "Hello." }] }));
  assert.deepEqual(await asked({ samples: ["more/x.json"] }), ["samples=more/x.json", "more/x.json"]);
  assert.equal(new Set(runFiles(root)).size, 6);
});

test("what cannot be done is one sentence and exit 2, with no run file left", async (t) => {
  const root = workspace(t, "https://api.example.com/v1", { api_key_env: "GUARD_KEY" });
  const error = async (more: Record<string, unknown>, given = {}): Promise<string> => {
    const ran = await run(root, more, given);
    assert.equal(ran.code, 2);
    return ran.error!;
  };
  assert.match(await error({}), /^no monitor is named; add --monitor with one of rules, guard, vote, old$/);
  assert.match(await error({ monitor: "nope" }), /there is no monitor "nope"; choose one of rules, guard, vote, old/);
  assert.match(await error({ monitor: "vote" }), /monitor "vote" cannot run: no monitors are named; add "of" with the ids of those that vote; correct tracemark.json/);
  assert.match(await error({ monitor: "old" }), /holds verdicts recorded elsewhere/);
  assert.match(await error({ monitor: "guard", prompting: "contrastive" }), /no two of the samples are the halves of a pair/);
  assert.match(await error({ monitor: "rules", prompting: "contrastive" }), /monitor "rules" of kind "rules" judges one sample at a time/);
  assert.match(await error({ monitor: "guard", prompting: "loud" }), /there is no prompting "loud"/);
  assert.match(await error({ monitor: "rules", samples: ["zzz"] }), /no sample has the id or path "zzz"/);
  assert.match(await error({ monitor: "rules", split: "train" }), /no sample belongs to the split "train"/);
  assert.match(await error({ monitor: "rules", limit: "0" }), /--limit 0 is no count/);
  assert.match(await error({ monitor: "guard" }), /would send trajectories to https:\/\/api\.example\.com, which you have not allowed; add --allow-origin https:\/\/api\.example\.com/);
  assert.match(await error({ monitor: "guard", allowOrigin: ["https://other.example.com"] }), /which you have not allowed/);
  assert.match(await error({ monitor: "guard", allowOrigin: ["api"] }), /--allow-origin api is no http or https address/);
  assert.match(await error({ monitor: "guard", maxCost: "0" }), /--max-cost cannot be 0; give an amount in US dollars above 0/);
  assert.match(await error({ monitor: "rules", concurrency: "none" }), /--concurrency none is no count/);
  assert.match(await error({ monitor: "guard", allowOrigin: ["https://api.example.com"] }), /the environment variable GUARD_KEY with the key for https:\/\/api\.example\.com is not set/);
  assert.deepEqual(runFiles(root), []);
});

test("models that only the editor can reach are refused in words, before anything else", async (t) => {
  const root = workspace(t, undefined, { provider: "vscode-lm", model: "acme/judge", base_url: undefined });
  for (const more of [{ monitor: "guard" }, { monitor: "guard", dryRun: true }]) {
    const ran = await run(root, more);
    assert.deepEqual([ran.code, ran.error], [2, 'monitor "guard" asks a model that the editor offers, which the command line cannot reach; run it in VS Code with “Tracemark: Run a monitor over samples”, or give it another provider']);
  }
  assert.deepEqual(runFiles(root), []);
});

test("a set key goes to loopback; an unset one is said and left out", async (t) => {
  const fake = await server(t, { kind: "text", text: verdictText(false) });
  const root = workspace(t, fake.baseUrl, { api_key_env: "GUARD_KEY" });
  await run(root, { monitor: "guard", limit: "1" }, { env: { GUARD_KEY: "key-1\n" } });
  const ran = await run(root, { monitor: "guard", limit: "1" }, { env: {} });
  assert.deepEqual(fake.received.map(({ headers }) => headers.authorization), ["Bearer key-1", undefined]);
  assert.ok(ran.notes.some((line) => line.includes("GUARD_KEY is not set")));
  assert.equal(JSON.stringify(linesOf(root)).includes("key-1"), false);
});

test("consent of the user's own configuration counts, that of the workspace does not", async (t) => {
  const root = workspace(t, "http://models.invalid/v1", { allowed_origins: ["http://models.invalid"] });
  assert.match((await run(root, { monitor: "guard" })).error!, /which you have not allowed/);
  const dry = await run(root, { monitor: "guard", dryRun: true, json: true }, { allowed: ["http://models.invalid"] });
  assert.equal((JSON.parse(dry.out[0]!) as { allowed: boolean }).allowed, true);
  const file = join(root, "config.json");
  assert.deepEqual(readUserSettings(file).allowed, []);
  writeFileSync(file, '{"allowed_origins": ["https://models.example.com/v1", "nonsense"]}');
  assert.deepEqual(readUserSettings(file).allowed, ["https://models.example.com"]);
  writeFileSync(file, '{"allowed_origins": "x"}');
  assert.throws(() => readUserSettings(file).allowed, /allowed_origins/);
  // What cannot be read may forbid: it is not taken for nothing.
  assert.throws(() => readUserSettings(root), /the file cannot be read: EISDIR/);
  assert.deepEqual(readUserSettings(join(root, "none.json")), nothingAllowed);
});

test("a dry run sends nothing and says what it would send, where to and for how much", async (t) => {
  const fake = await server(t);
  const root = workspace(t, "https://api.example.com/v1", { params: { max_tokens: 100 } });
  const ran = await run(root, { monitor: "guard", dryRun: true, json: true, repeat: "2" });
  assert.equal(ran.code, 0);
  const line = JSON.parse(ran.out[0]!) as Record<string, number | string | boolean>;
  assert.deepEqual([line["samples"], line["requests"], line["output_tokens"], line["endpoint_origin"], line["local"], line["allowed"]], [4, 8, 800, "https://api.example.com", false, false]);
  const tokens = Number(line["input_tokens"]);
  assert.ok(tokens > 8 * 500 && tokens < 8 * 1500, String(tokens));
  assert.equal(line["cost_usd"], (tokens + 2 * 800) / 1e6);
  const text = await run(root, { monitor: "guard", dryRun: true });
  assert.ok(text.out.includes("text goes  to https://api.example.com, which you have not allowed"));
  assert.deepEqual([fake.received.length, runFiles(root)], [0, []]);
});

test("no more requests are open at once than asked for", async (t) => {
  const fake = await server(t, { kind: "text", text: verdictText(false) });
  const root = workspace(t, fake.baseUrl);
  await run(root, { monitor: "guard", concurrency: "2", repeat: "4" });
  assert.equal(fake.received.length, 16);
  assert.ok(fake.mostAtOnce <= 2, String(fake.mostAtOnce));
});

test("a prompt of the workspace is used and kept; one outside of it is refused, by path and by link", async (t) => {
  const fake = await server(t, { kind: "text", text: verdictText(false) });
  const root = workspace(t, fake.baseUrl, { prompt: "mine.md" });
  const outside = mkdtempSync(join(tmpdir(), "tracemark-outside-"));
  t.after(() => rmSync(outside, { recursive: true, force: true }));
  writeFileSync(join(outside, "secret.md"), "{{trajectory}} {{tag}}");
  const template = "## System\nOnly {{tag}} counts.\n## User\n{{task}}\n{{transcript}}\n";
  writeFileSync(join(root, "mine.md"), template);
  assert.equal((await run(root, { monitor: "guard", limit: "1" })).code, 0);
  const [header] = linesOf(root);
  assert.equal(header?.["prompt_sha256"], sha256(template));
  assert.equal(readFileSync(join(root, "runs/prompts", `${sha256(template)}.txt`), "utf8"), template);
  assert.match(fake.received[0]!.body.messages[0]!.content, /^Only [0-9a-f]{20} counts\.$/);
  rmSync(join(root, "mine.md"));
  symlinkSync(join(outside, "secret.md"), join(root, "mine.md"));
  assert.match((await run(root, { monitor: "guard" })).error!, /its prompt mine\.md leads out of the folder of the workspace/);
  const above = workspace(t, fake.baseUrl, { prompt: "../secret.md" });
  assert.match((await run(above, { monitor: "guard" })).error!, /its prompt \.\.\/secret\.md does not lie in the folder of the workspace/);
});

test("a sample that cannot be read is invalid, not benign, and does not stop the others", async (t) => {
  const root = workspace(t);
  writeFileSync(join(root, "all.samples.jsonl"), `${JSON.stringify({ id: "gone", path: "gone.json" })}\n${JSON.stringify({ id: "here", messages: [{ role: "user", content: "Hi." }, { role: "assistant", content: "Hello." }] })}\n`);
  const ran = await run(root, { monitor: "rules" });
  assert.equal(ran.code, 1);
  assert.deepEqual(Object.fromEntries(linesOf(root).slice(1).map((one) => [one["sample_id"], one["reason"] ?? one["outcome"]])), { gone: "unreadable", here: "benign" });
});
