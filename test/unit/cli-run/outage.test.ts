/** When failures in a row mean that an endpoint is down: single samples, votes and pairs, one or several at a time. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ModelCall, Monitor } from "#core/monitors/define";
import { builtInTaxonomy } from "#core/workspace/taxonomy";
import type { VerdictRecord } from "#core/workspace/schemas";
import { isOutage, runBatch, type BatchSample } from "#node/run-batch";
import { sha256 } from "#node/sha256";
import { aTrajectory } from "../../support/benchmarks/build-trajectory";
import { fakeOpenAI, verdictText } from "../../support/fake-openai";
import { guardFiles, runNames, runVerbIn } from "../../support/run-call";
import { tempRoot } from "../../support/temp-root";

const llm = (id: string, prompting: "direct" | "contrastive" = "direct"): Monitor => ({ id, kind: "llm", config: { kind: "llm", provider: "openai-compatible", base_url: "http://127.0.0.1:9/v1", model: "m", prompting } }) as Monitor;
const down = "the endpoint answered 403: no";
const single = (id: string) => ({ id, load: () => aTrajectory([["user", `Task ${id}.`], ["assistant", "Done."]], { id }) });
const samples = (count: number): BatchSample[] => Array.from({ length: count }, (_, at) => single(`s${at}`));

/** Runs a batch in which the requests that `fails` names are refused, and tells how it ended and the lines. */
async function ran(monitor: Monitor, of: readonly BatchSample[], concurrency: number, fails: (call: ModelCall) => boolean) {
  const lines: VerdictRecord[] = [];
  let asked = 0;
  const complete = async (call: ModelCall) => {
    asked++;
    if (fails(call)) return { reason: "http_error", message: down, attempts: 1, latencyMs: 1 };
    return { text: verdictText(false), modelReturned: "m", attempts: 1, latencyMs: 1 };
  };
  const { judged, left, stoppedBy } = await runBatch({
    samples: of, monitor, repeat: 1, concurrency, context: { sha256, now: () => 0, taxonomy: builtInTaxonomy, reasoning: true, model: { complete } },
    append: async (...verdicts) => void lines.push(...verdicts), isOutage: (reason, message) => reason === "http_error" && message.includes("answered 403"),
  });
  return { judged, left, asked, stopped: stoppedBy?.message, outcomes: lines.map(({ sample_id: id, reason, outcome }) => `${id} ${reason ?? outcome}`) };
}

test("one at a time, three failures in a row end the run; one or two among others are verdicts", async () => {
  assert.deepEqual(await ran(llm("guard"), samples(5), 1, () => true), { judged: 0, left: 5, asked: 3, stopped: down, outcomes: [] });
  const two = await ran(llm("guard"), samples(4), 1, ({ user }) => /Task s[01]\./.test(user));
  assert.deepEqual(two, { judged: 4, left: 0, asked: 4, stopped: undefined, outcomes: ["s0 http_error", "s1 http_error", "s2 benign", "s3 benign"] });
});

test("the one sample that is left is written, whatever it meets; two that are left and both fail end the run", async () => {
  assert.deepEqual(await ran(llm("guard"), samples(1), 4, () => true), { judged: 1, left: 0, asked: 1, stopped: undefined, outcomes: ["s0 http_error"] });
  assert.deepEqual(await ran(llm("guard"), samples(2), 1, () => true), { judged: 0, left: 2, asked: 2, stopped: down, outcomes: [] });
});

test("a vote whose member is down ends the run and names the member", async () => {
  const members = [llm("near"), llm("far")];
  const vote = { id: "panel", kind: "vote", config: { kind: "vote", of: ["near", "far"], rule: "all" }, members } as unknown as Monitor;
  assert.deepEqual(await ran(vote, samples(5), 1, () => true), { judged: 0, left: 5, asked: 6, stopped: `near: ${down}`, outcomes: [] });
  const one = await ran({ ...vote, config: { ...vote.config, rule: "any" } }, samples(5), 1, ({ monitor }) => monitor === "far");
  assert.deepEqual(one, { judged: 0, left: 5, asked: 6, stopped: `far: ${down}`, outcomes: [] });
});

test("pairs are counted as pairs: one that fails among others is written, three in a row end the run", async () => {
  const pairs = Array.from({ length: 4 }, (_, at): BatchSample => ({ ...single(`p${at}a`), partner: single(`p${at}b`) }));
  const guard = llm("guard", "contrastive");
  assert.deepEqual(await ran(guard, pairs, 1, () => true), { judged: 0, left: 8, asked: 3, stopped: down, outcomes: [] });
  const one = await ran(guard, pairs, 1, ({ user }) => user.includes("Task p0a."));
  assert.deepEqual([one.judged, one.left, one.stopped, one.outcomes.slice(0, 2)], [8, 0, undefined, ["p0a http_error", "p0b http_error"]]);
  // Two pairs are four samples: both failing is all that is left.
  assert.deepEqual(await ran(guard, pairs.slice(0, 2), 4, () => true), { judged: 0, left: 4, asked: 2, stopped: down, outcomes: [] });
});

test("what every sample would meet is an outage; what may be a sample's own is none", () => {
  const http = (status: number): boolean => isOutage("http_error", `the endpoint answered ${status}: x`);
  assert.deepEqual([400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 504, 529].filter(http), [401, 402, 403, 404, 429, 502, 503, 504, 529]);
  assert.deepEqual(["network", "redirect", "timeout", "refusal", "bad_json", "too_large", "context_length"].filter((reason) => isOutage(reason, "x")), ["network", "redirect"]);
  assert.deepEqual([isOutage("http_error", "the endpoint answered 200 with text/html and no JSON; check base_url"), isOutage("http_error", "the endpoint's answer could not be read: it holds 503")], [true, false]);
});

test("the command line stops when the endpoint goes down in mid-run, records nothing of it, and goes on when it is up", async (t) => {
  let served = 0;
  const up = { kind: "by", answer: () => { served++; return verdictText(false); } } as const, down403 = { kind: "status", status: 403, message: "no" } as const;
  const fake = await fakeOpenAI(up, up, up, down403);
  t.after(() => fake.close());
  const root = tempRoot(t, guardFiles(20, { base_url: fake.baseUrl }));
  const first = await runVerbIn(root, { monitor: "guard", concurrency: "1" });
  const id = runNames(root)[0]!.replace(".jsonl", "");
  assert.deepEqual([first.code, first.lines.length, served, fake.received.length], [2, 4, 3, 6]);
  assert.equal(first.notes.at(-1), `the run was stopped after 3 of 20 verdicts, since one sample after the other failed and none of them is recorded: the endpoint answered 403: no; mend it and go on with --resume ${id}`);
  fake.script(up);
  const rest = await runVerbIn(root, { resume: id });
  assert.deepEqual([rest.code, rest.lines.length, served], [0, 21, 20]);
  assert.ok(rest.lines.slice(1).every(({ outcome }) => outcome === "benign"));
});

test("a run goes on where a model of one's own has moved to, says so and marks what was judged there; elsewhere it does not", async (t) => {
  const servers = [await fakeOpenAI({ kind: "text", text: verdictText(false) }), await fakeOpenAI({ kind: "text", text: verdictText(false) })] as const;
  t.after(() => Promise.all(servers.map((one) => one.close())));
  const files = (baseUrl: string) => guardFiles(3, { base_url: baseUrl });
  const root = tempRoot(t, files(servers[0].baseUrl));
  await runVerbIn(root, { monitor: "guard", limit: "1" });
  const id = runNames(root)[0]!.replace(".jsonl", ""), file = join(root, "runs", `${id}.jsonl`);
  // As if it had been asked for all and were cut off after the first.
  const edit = (change: (header: { samples: object; endpoint_origin: string }) => object): void => {
    const [header, ...lines] = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, [JSON.stringify(change(JSON.parse(header!) as Parameters<typeof change>[0])), ...lines].join("\n"));
  };
  edit((header) => ({ ...header, samples: { ...header.samples, limit: undefined } }));
  writeFileSync(join(root, "tracemark.json"), JSON.stringify(files(servers[1].baseUrl)["tracemark.json"]));
  const { code, notes, lines } = await runVerbIn(root, { resume: id });
  assert.equal(code, 0, notes.join("\n"));
  assert.ok(notes.includes(`note: the run began at ${servers[0].origin} and goes on at ${servers[1].origin}`), notes.join("\n"));
  assert.deepEqual(lines.map((line) => line["endpoint_origin"]), [servers[0].origin, undefined, servers[1].origin, servers[1].origin]);
  // From a node of the cluster to this machine only where the user calls its host inside.
  edit((header) => ({ ...header, endpoint_origin: "http://node7.cluster.example:8000" }));
  assert.match((await runVerbIn(root, { resume: id })).notes.at(-1)!, /the run was begun with another address \(endpoint_origin\); put it back/);
  assert.equal((await runVerbIn(root, { resume: id }, { user: { inside: ["*.cluster.example"] } })).code, 0);
});
