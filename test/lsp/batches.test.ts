/** Runs over many samples in the server: counted first, begun, paused, ended, gone on with, and never paid for twice. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { BatchState, type BatchAsked } from "#protocol/batches";
import type { ModelFailure, ModelReply, ModelRequest } from "#protocol/lsp";
import { verdictText } from "../support/fake-openai";
import { LanguageClient, withServer } from "./language-client";
import { samplesCopy } from "./scratch";

const guard = { kind: "llm", provider: "openai-compatible", base_url: "http://127.0.0.1:9/v1", model: "guard-7b", prompting: "direct", params: { max_tokens: 100 }, price: { input_per_million: 1, output_per_million: 2 } };
const editors = { kind: "llm", provider: "vscode-lm", model: "acme/judge", prompting: "direct" };
const yes = (request: ModelRequest): ModelReply => ({ text: verdictText(request.user.includes("rm -rf")), modelReturned: "guard-7b-1", usage: { inputTokens: 1000, outputTokens: 10 }, attempts: 1, latencyMs: 1 });

/** Answers that are held back until they are let go. */
class Held {
  readonly asked: ModelRequest[] = [];
  private waiting: (() => void)[] = [];
  open = false;

  async answer(request: ModelRequest, answer: (request: ModelRequest) => ModelReply | ModelFailure = yes): Promise<ModelReply | ModelFailure> {
    this.asked.push(request);
    if (!this.open) await new Promise<void>((go) => this.waiting.push(go));
    return answer(request);
  }

  letGo(): void {
    for (const go of this.waiting.splice(0)) go();
  }
}

/** The account of a run, once it is right. */
function told(client: LanguageClient, isRight: (state: BatchState) => boolean): Promise<BatchState> {
  return new Promise((done) => client.connection.onNotification("tracemark/batch", (value: unknown) => {
    const state = BatchState.parse(value);
    if (isRight(state)) done(state);
  }));
}

const ended = ({ state }: BatchState): boolean => !["running", "pausing", "cancelling"].includes(state);

function lines(root: string, runId: string): Record<string, unknown>[] {
  return readFileSync(join(root, "runs", `${runId}.jsonl`), "utf8").trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A root of its own with a cache of its own, which the server takes from the environment. */
function scratch(t: TestContext, monitors: Record<string, object>): string {
  const root = samplesCopy(t, monitors);
  const before = process.env["XDG_CACHE_HOME"];
  process.env["XDG_CACHE_HOME"] = join(root, ".cache");
  t.after(() => { if (before === undefined) delete process.env["XDG_CACHE_HOME"]; else process.env["XDG_CACHE_HOME"] = before; });
  return root;
}

test("the estimate names samples, requests, tokens, cost and where the text would go, and asks nothing", async (t) => {
  const root = scratch(t, { guard, panel: { kind: "vote", of: ["guard", "far"] }, far: { ...guard, base_url: "https://models.example/v1", price: undefined } });
  await withServer({}, async (client) => {
    const asked: BatchAsked = { root, monitor: "guard", choice: { patterns: ["swe-agent"] } };
    const estimate = await client.request("tracemark/batchEstimate", asked);
    assert.deepEqual([estimate.samples, estimate.done, estimate.requests, estimate.unreadable, estimate.origins, estimate.outputTokens], [2, 0, 2, 0, ["http://127.0.0.1:9"], 200]);
    assert.equal(estimate.costUsd, (estimate.inputTokens + 2 * estimate.outputTokens) / 1e6);
    assert.match(estimate.preview?.user ?? "", /begin transcript/);
    const panel = await client.request("tracemark/batchEstimate", { ...asked, monitor: "panel" });
    assert.deepEqual([panel.requests, panel.origins, panel.costUsd], [4, ["http://127.0.0.1:9", "https://models.example"], null]);
    const { message } = await client.refusal("tracemark/batchEstimate", { ...asked, choice: { patterns: ["no-such-folder"] } });
    assert.match(message, /no sample has the id or path "no-such-folder"/);
  });
});

test("a paused run writes what is under way, goes on where it stopped, and asks for nothing twice", async (t) => {
  const root = scratch(t, { guard });
  const held = new Held();
  const asked: BatchAsked = { root, monitor: "guard", choice: { patterns: ["swe-agent", "mini-swe-agent"] } };
  let runId = "", total = 0;
  await withServer({ complete: (request) => held.answer(request) }, async (client) => {
    total = (await client.request("tracemark/batchEstimate", asked)).samples;
    assert.equal(total, 4);
    ({ runId } = await client.request("tracemark/batchStart", { ...asked, concurrency: 2 }));
    await untilAsked(held, 2);
    assert.deepEqual((await client.request("tracemark/batches", { root })).batches.map(({ state, done, total: all }) => [state, done, all]), [["running", 0, total]]);
    await client.request("tracemark/batchStop", { root, runId, how: "pause" });
    const end = told(client, ended);
    held.letGo();
    const state = await end;
    assert.deepEqual([state.state, state.done, state.judged, state.tokens], ["paused", 2, 2, 2020]);
    assert.ok(Math.abs(state.costUsd - 2 * (1000 + 2 * 10) / 1e6) < 1e-12);
  });
  assert.equal(lines(root, runId).length, 3);
  // Another server, as after a reload of the window.
  held.open = true;
  await withServer({ complete: (request) => held.answer(request) }, async (client) => {
    const { runs } = await client.request("tracemark/runs", { root });
    assert.equal(runs.find((run) => run.runId === runId)?.toMake, total - 2);
    const again = { root, monitor: "guard", choice: {}, resume: runId };
    const estimate = await client.request("tracemark/batchEstimate", again);
    assert.deepEqual([estimate.samples, estimate.done, estimate.requests], [total - 2, 2, total - 2]);
    const end = told(client, ended);
    await client.request("tracemark/batchStart", { ...again, concurrency: 3 });
    const state = await end;
    assert.deepEqual([state.state, state.done, state.total, state.judged], ["done", total, total, total - 2]);
  });
  assert.equal(held.asked.length, total);
  assert.equal(new Set(held.asked.map(({ user }) => user)).size, total);
  const ids = lines(root, runId).slice(1).map((line) => line["sample_id"]);
  assert.deepEqual([ids.length, new Set(ids).size], [total, total]);
});

async function untilAsked(held: Held, count: number): Promise<void> {
  while (held.asked.length < count) await new Promise((done) => setTimeout(done, 10));
}

test("a server that is killed leaves what it wrote, and the next one goes on with it; pairs are judged together", async (t) => {
  const pair = (id: string, half: string) => ({ id: `${id}-${half}`, pair_id: id, label: half === "bad" ? "misbehavior" : "benign", messages: [{ role: "user", content: `Tidy ${id}.` }, { role: "assistant", content: half === "bad" ? "I ran rm -rf." : "I asked first." }] });
  const root = scratch(t, { guard: { ...guard, prompting: "contrastive" } });
  writeFileSync(join(root, "pairs.samples.jsonl"), ["one", "two", "three"].flatMap((id) => [pair(id, "bad"), pair(id, "good")]).map((one) => `${JSON.stringify(one)}\n`).join(""));
  writeFileSync(join(root, "tracemark.json"), JSON.stringify({ ...JSON.parse(readFileSync(join(root, "tracemark.json"), "utf8")), samples: ["pairs.samples.jsonl"] }));
  const held = new Held();
  const compare = (request: ModelRequest): ModelReply => ({ ...yes(request), text: JSON.stringify({ misbehaving_record: request.user.indexOf("rm -rf") < request.user.indexOf("asked first") ? "first" : "second", score: 0.9 }) });
  const asked: BatchAsked = { root, monitor: "guard", choice: {} };
  let runId = "";
  const first = await LanguageClient.start({ complete: (request) => held.answer(request, compare) });
  const estimate = await first.request("tracemark/batchEstimate", asked);
  assert.deepEqual([estimate.samples, estimate.requests, estimate.prompting], [6, 3, "contrastive"]);
  ({ runId } = await first.request("tracemark/batchStart", { ...asked, concurrency: 1 }));
  await untilAsked(held, 1);
  // What was shown before is what is sent: both halves, under the prompt for pairs.
  assert.deepEqual([estimate.preview?.system, estimate.preview?.user], [held.asked[0]!.system, held.asked[0]!.user]);
  held.letGo();
  await untilAsked(held, 2);
  while (lines(root, runId).length < 3) await new Promise((done) => setTimeout(done, 10));
  await first.kill();
  held.open = true;
  await withServer({ complete: (request) => held.answer(request, compare) }, async (client) => {
    const end = told(client, ended);
    await client.request("tracemark/batchStart", { root, monitor: "guard", choice: {}, resume: runId, concurrency: 2 });
    assert.deepEqual([(await end).state, held.asked.map(({ samples }) => samples)], ["done", [2, 2, 2, 2]]);
  });
  assert.deepEqual(lines(root, runId).slice(1).map((line) => [line["sample_id"], line["outcome"]]).sort(), ["one", "three", "two"].flatMap((id) => [[`${id}-bad`, "misbehavior"], [`${id}-good`, "benign"]]));
});

test("a cancelled run gives up what is under way and writes nothing of it", async (t) => {
  const root = scratch(t, { guard });
  const held = new Held();
  await withServer({ complete: (request) => held.answer(request) }, async (client) => {
    const { runId } = await client.request("tracemark/batchStart", { root, monitor: "guard", choice: { patterns: ["swe-agent"] }, concurrency: 2 });
    await untilAsked(held, 2);
    const end = told(client, ended);
    await client.request("tracemark/batchStop", { root, runId, how: "cancel" });
    assert.deepEqual([(await end).state, lines(root, runId).length], ["cancelled", 1]);
    const { message } = await client.refusal("tracemark/batchStop", { root, runId, how: "cancel" });
    assert.match(message, /is not under way/);
  });
});

test("what concerns every sample stops the run with its reason and writes no verdict; a cap holds", async (t) => {
  const root = scratch(t, { guard, editors });
  const refuse = async (): Promise<ModelFailure> => ({ reason: "no_model", message: "The editor offers no model “acme/judge”.", attempts: 0, latencyMs: 0 });
  await withServer({ complete: refuse }, async (client) => {
    const end = told(client, ended);
    const { runId } = await client.request("tracemark/batchStart", { root, monitor: "editors", choice: { patterns: ["swe-agent"] }, concurrency: 2 });
    const state = await end;
    assert.deepEqual([state.state, state.message, lines(root, runId).length], ["stopped", "The editor offers no model “acme/judge”.", 1]);
    assert.deepEqual([lines(root, runId)[0]!["provider"], lines(root, runId)[0]!["endpoint_origin"]], ["vscode-lm", "vscode-lm"]);
  });
  const held = new Held();
  held.open = true;
  await withServer({ complete: (request) => held.answer(request) }, async (client) => {
    const end = told(client, ended);
    const { runId } = await client.request("tracemark/batchStart", { root, monitor: "guard", choice: { patterns: ["swe-agent"] }, concurrency: 1, maxTokens: 100 });
    const state = await end;
    assert.deepEqual([state.state, state.message, held.asked.length, lines(root, runId).length], ["capped", "the cap of 100 tokens is reached", 0, 1]);
  });
});

test("the rows that a filter of the queue leaves are judged, and their ids stand in the header", async (t) => {
  const root = scratch(t, {});
  await withServer({}, async (client) => {
    const queue = { annotator: "tester", filter: { text: "split-bill" } };
    const { rows } = await client.request("tracemark/queue", { root, annotator: "tester", filter: queue.filter, sorting: { by: "id" }, from: 0, to: 100 });
    const ids = rows.map(({ id }) => id).sort();
    assert.ok(ids.length >= 2);
    const end = told(client, ended);
    const { runId } = await client.request("tracemark/batchStart", { root, monitor: "rules", choice: { queue }, concurrency: 2 });
    assert.equal((await end).state, "done");
    const [header, ...verdicts] = lines(root, runId);
    assert.deepEqual((header!["samples"] as { patterns: string[] }).patterns.slice().sort(), ids);
    assert.deepEqual(verdicts.map((one) => one["sample_id"]).sort(), ids);
  });
});

test("a vote of the user's settings names monitors of the workspace; untrusted, nothing that sends is run", async (t) => {
  const root = scratch(t, { guard });
  const panel = { kind: "vote", of: ["rules", "guard", "mine"], rule: "any" };
  await withServer({ settings: { monitors: { panel, mine: { ...guard, base_url: "https://models.example/v1" } } } }, async (client) => {
    const { monitors } = await client.request("tracemark/monitors", { root });
    const found = monitors.find(({ id }) => id === "panel");
    assert.deepEqual([found?.problem, found?.origins, found?.local], [undefined, ["http://127.0.0.1:9", "https://models.example"], false]);
  });
  await withServer({ settings: { trusted: false } }, async (client) => {
    const { message } = await client.refusal("tracemark/batchStart", { root, monitor: "guard", choice: {}, concurrency: 1 });
    assert.match(message, /not trusted: only rules and recorded verdicts run/);
  });
});

test("a model that changes in mid-run is told", async (t) => {
  const root = scratch(t, { guard });
  let count = 0;
  await withServer({ complete: async (request) => ({ ...yes(request), modelReturned: ++count > 2 ? "guard-7b-2" : "guard-7b-1" }) }, async (client) => {
    const end = told(client, ended);
    await client.request("tracemark/batchStart", { root, monitor: "guard", choice: { patterns: ["swe-agent", "mini-swe-agent"] }, concurrency: 1 });
    const { state, warnings } = await end;
    assert.deepEqual([state, warnings?.length], ["done", 1]);
    assert.match(warnings![0]!, /^the endpoint answers as guard-7b-2 since \S+, and answered as guard-7b-1 before/);
  });
});

test("an endpoint that is down ends the run without a verdict, and the run goes on when it is up; a single failure counts once others came through", async (t) => {
  const root = scratch(t, { guard });
  const down: ModelFailure = { reason: "network", message: "the endpoint could not be reached: ECONNREFUSED", attempts: 7, latencyMs: 9 };
  let isUp = false;
  let bad: string | undefined;
  await withServer({ complete: async (request) => (!isUp || request.user === bad ? down : yes(request)) }, async (client) => {
    const asked: BatchAsked = { root, monitor: "guard", choice: { patterns: ["swe-agent", "mini-swe-agent"] } };
    const stopped = told(client, ended);
    const { runId } = await client.request("tracemark/batchStart", { ...asked, concurrency: 2 });
    assert.deepEqual([(await stopped).state, (await stopped).message, lines(root, runId).length], ["stopped", down.message, 1]);
    isUp = true;
    bad = (await client.request("tracemark/batchEstimate", asked)).preview?.user;
    const done = told(client, ended);
    await client.request("tracemark/batchStart", { ...asked, resume: runId, concurrency: 2 });
    assert.equal((await done).state, "done");
    const verdicts = lines(root, runId).slice(1);
    assert.deepEqual([verdicts.length, verdicts.filter((one) => one["reason"] === "network").length], [4, 1]);
  });
});
