/** The review queue over JSON-RPC: groups and counts on the sample benchmark, a row that is kept, plans on disk, and where samples stand. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileRef, withServer } from "./language-client";
import { samplesCopy, scratchFolder } from "./scratch";

const runId = "2026-03-10-guard-evidence";
const look = { filter: {}, sorting: { by: "id" as const }, from: 0, to: 100 };

test("rows fall into the cells that the score view counts, and a label moves one", (t) => withServer({}, async (client) => {
  const root = samplesCopy(t);
  const cells = async (): Promise<Record<string, number>> => {
    const { groups, total } = await client.request("tracemark/queue", { root, annotator: "tester", runId, ...look, groupBy: "cell" });
    assert.equal(total, 40);
    return Object.fromEntries(groups.map(({ value, count }) => [value, count]));
  };
  // As shipped, guard-evidence misses 3 of 19 and cries wolf on 6 of 19 on the corrected gold; one verdict is invalid, one sample undecided.
  assert.deepEqual(await cells(), { tp: 16, fn: 3, fp: 6, tn: 13, invalid: 1, open: 1 });
  appendFileSync(join(root, "labels", "tester.jsonl"), `${JSON.stringify({
    id: "01M0000000000000000000000A", sample_id: "rename-weight-1", annotator: "tester", created_at: "2026-04-01T10:00:00.000Z", label: "misbehavior", blind: true, seen: [],
  })}\n`);
  assert.deepEqual(await cells(), { tp: 17, fn: 3, fp: 5, tn: 13, invalid: 1, open: 1 });
  const states = await client.request("tracemark/queue", { root, annotator: "tester", ...look, groupBy: "state" });
  assert.deepEqual(states.groups, [{ value: "pending", count: 39, done: 0 }, { value: "decided", count: 1, done: 1 }]);
  assert.equal(states.done, 1);
  const { runs } = await client.request("tracemark/runs", { root });
  const run = runs.find((one) => one.runId === runId);
  assert.deepEqual([run?.misses, run?.falseAlarms, run?.invalid, run?.verdicts], [3, 5, 1, 40]);
  assert.equal(run?.missRate, 3 / 20);
  assert.equal(run?.falseAlarmRate, 5 / 18);
}));

test("a filter keeps the row that is being judged, and says so", (t) => withServer({}, async (client) => {
  const root = samplesCopy(t);
  const asked = { root, annotator: "tester", runId, ...look, filter: { text: "split bill", facets: { verdict: ["misbehavior"] } } };
  const plain = await client.request("tracemark/queue", { ...asked, filter: { ...asked.filter, text: "split-bill" } });
  assert.deepEqual([plain.rows.map(({ id }) => id), plain.shown, plain.kept], [["split-bill-1"], 1, false]);
  const kept = await client.request("tracemark/queue", { ...asked, filter: { ...asked.filter, text: "split-bill" }, keep: "webhook-env-1" });
  assert.deepEqual([kept.rows.map(({ id }) => id), kept.kept], [["split-bill-1", "webhook-env-1"], true]);
  const page = await client.request("tracemark/queue", { root, annotator: "tester", ...look, from: 10, to: 13 });
  const all = await client.request("tracemark/queue", { root, annotator: "tester", ...look });
  assert.deepEqual(page.rows.map(({ id }) => id), all.rows.slice(10, 13).map(({ id }) => id));
}));

test("a plan is drawn, written and read back, and each of its samples is found in its file", (t) => withServer({}, async (client) => {
  const root = samplesCopy(t);
  const made = await client.request("tracemark/makePlan", { root, strategy: "random", seed: 7, budget: 10, annotators: ["tester"], blind: true });
  assert.equal(made.items, 10);
  assert.equal(made.probability, true);
  const [header, ...items] = readFileSync(join(root, "plans", `${made.planId}.jsonl`), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual([header?.["strategy"], header?.["seed"], header?.["blind"], header?.["strata"]], ["random", 7, true, [{ id: "all", N: 40, n: 10 }]]);
  assert.deepEqual([...new Set(items.map((item) => item["inclusion_prob"]))], [0.25]);
  // The name says nothing of the kind: whoever judges blind sees it.
  assert.doesNotMatch(made.planId, /random/);
  const ids = items.map((item) => String(item["sample_id"]));
  const { samples } = await client.request("tracemark/sampleRefs", { root, ids: [...ids, "not-there"] });
  assert.deepEqual(samples.map(({ id }) => id), ids);
  for (const { id, path, index } of samples) {
    const { id: read } = await client.request("tracemark/header", { document: fileRef(path, root), index });
    assert.equal(read, id);
  }
  const { plans } = await client.request("tracemark/plans", { root, annotator: "tester" });
  assert.deepEqual(plans.map(({ planId, total, pending, blind }) => [planId, total, pending, blind]), [[made.planId, 10, 10, true]]);
  const dry = await client.request("tracemark/makePlan", { root, strategy: "misses", runId, seed: 1, blind: false, dryRun: true });
  assert.deepEqual([dry.items, dry.probability, dry.file], [3, false, undefined]);
}));

test("live rates are those of a whole score before and after labels, and say when verdicts chose what was judged", (t) => withServer({}, async (client) => {
  const root = samplesCopy(t);
  const both = async () => {
    const { run } = await client.request("tracemark/rates", { root, runId });
    const { corrected, original } = (await client.request("tracemark/score", { root, labels: "all" })) as unknown as Record<string, { runs: { run_id: string; tp: number; fn: number; fp: number; tn: number; miss_rate: { value: number }; false_alarm_rate: { value: number } }[] }>;
    const [now, then] = [corrected, original].map((report) => report?.runs.find(({ run_id }) => run_id === runId));
    assert.deepEqual(
      [run?.tp, run?.fn, run?.fp, run?.tn, run?.missRate, run?.falseAlarmRate, run?.originalMissRate, run?.originalFalseAlarmRate],
      [now?.tp, now?.fn, now?.fp, now?.tn, now?.miss_rate.value, now?.false_alarm_rate.value, then?.miss_rate.value, then?.false_alarm_rate.value]);
    return run;
  };
  assert.deepEqual([(await both())?.fn, (await both())?.fp], [3, 6]);
  const label = (n: number, sample_id: string, more: object) => appendFileSync(join(root, "labels", "tester.jsonl"), `${JSON.stringify({
    id: `01M00000000000000000000${n}`, sample_id, annotator: "tester", created_at: `2026-04-01T10:00:0${n}.000Z`, label: "misbehavior", blind: true, seen: [], ...more,
  })}\n`);
  label(1, "rename-weight-1", {});
  assert.deepEqual([(await both())?.tp, (await both())?.fp], [17, 5]);
  label(2, "rename-weight-1", { content_sha256: "another version" });
  assert.deepEqual([(await both())?.tp, (await both())?.fp], [16, 6]);
  assert.deepEqual(await client.request("tracemark/rates", { root, runId: "none" }), {});
}));

test("labels from before a change of meaning are a group of their own, for the one who gave them", (t) => withServer({}, async (client) => {
  const root = samplesCopy(t);
  const ask = (annotator: string, filter: object = {}) => client.request("tracemark/queue", { root, annotator, ...look, filter });
  const before = await ask("tester");
  assert.deepEqual([before.judgeAgain, before.guidelinesUnmarked], [0, false]);
  const label = (n: number, sample_id: string) => appendFileSync(join(root, "labels", "tester.jsonl"), `${JSON.stringify({
    id: `01M00000000000000000000${n}`, sample_id, annotator: "tester", created_at: `2026-04-01T10:00:0${n}.000Z`, label: "benign", blind: true, seen: [], guideline_sha256: "v1",
  })}\n`);
  label(1, "rename-weight-1");
  label(2, "split-bill-1");
  assert.equal((await ask("tester")).guidelinesUnmarked, true);
  const text = readFileSync(join(root, "guidelines.md"));
  appendFileSync(join(root, "guidelines.changes.jsonl"), `${JSON.stringify({ sha256: createHash("sha256").update(text).digest("hex"), previous: "v1", change: "meaning", by: "Ada", at: "2026-04-02T00:00:00Z" })}\n`);
  const after = await ask("tester", { judgeAgain: true });
  assert.deepEqual([after.judgeAgain, after.guidelinesUnmarked, after.rows.map(({ id }) => id)], [2, false, ["rename-weight-1", "split-bill-1"]]);
  assert.equal((await ask("somebody else")).judgeAgain, 0);
}));

test("a label made on another version of its log is to do again: in the queue and in its plan, until it is given anew", (t) => withServer({}, async (client) => {
  const root = samplesCopy(t);
  const { planId } = await client.request("tracemark/makePlan", { root, strategy: "random", seed: 3, budget: 40, annotators: ["tester"], blind: true });
  const hash = async (id: string): Promise<string> => {
    const { samples: [found] } = await client.request("tracemark/sampleRefs", { root, ids: [id] });
    assert.ok(found);
    return (await client.request("tracemark/header", { document: fileRef(found.path, root), index: found.index })).contentSha256;
  };
  const now = { first: await hash("rename-weight-1"), second: await hash("split-bill-1") };
  const label = (n: number, sample_id: string, content_sha256: string, more: object = {}) => appendFileSync(join(root, "labels", "tester.jsonl"), `${JSON.stringify({
    id: `01M00000000000000000000${n}`, sample_id, annotator: "tester", created_at: `2026-04-01T10:00:0${n}.000Z`, label: "benign", blind: true, seen: [], plan_id: planId, content_sha256, ...more,
  })}\n`);
  label(1, "rename-weight-1", now.first);
  label(2, "split-bill-1", "another version");
  const seen = async () => {
    const { groups, done, reading } = await client.request("tracemark/queue", { root, annotator: "tester", ...look, groupBy: "state" });
    assert.equal(reading, undefined);
    const { plans } = await client.request("tracemark/plans", { root, annotator: "tester" });
    const { decided, stale, pending } = plans.find((plan) => plan.planId === planId) ?? {};
    return { groups: Object.fromEntries(groups.map(({ value, count }) => [value, count])), done, plan: [decided, stale, (pending ?? 0) > 0] };
  };
  assert.deepEqual(await seen(), { groups: { pending: 38, decided: 1, stale: 1 }, done: 1, plan: [1, 1, true] });
  assert.deepEqual(await client.request("tracemark/contents", { root, ids: ["rename-weight-1", "split-bill-1", "webhook-env-1"], wait: true }),
    { contents: { "rename-weight-1": now.first, "split-bill-1": now.second }, isWhole: true });
  label(3, "split-bill-1", now.second, { supersedes: "01M000000000000000000002" });
  assert.deepEqual(await seen(), { groups: { pending: 38, decided: 2 }, done: 2, plan: [2, 0, true] });
  // The log itself is made anew.
  const { samples: [found] } = await client.request("tracemark/sampleRefs", { root, ids: ["split-bill-1"] });
  const path = found?.path ?? "";
  const text = readFileSync(path, "utf8");
  const changed = text.replaceAll("overview of the repository", "look at the folder");
  assert.notEqual(changed, text);
  writeFileSync(path, changed);
  client.notify("tracemark/workspaceChanged", { root });
  assert.deepEqual(await seen(), { groups: { pending: 38, decided: 1, stale: 1 }, done: 1, plan: [1, 1, true] });
}));

test("runs and the status bar hold one rule: where verdicts chose what was judged, the original gold stands", (t) => withServer({}, async (client) => {
  const root = samplesCopy(t);
  const { rows } = await client.request("tracemark/queue", { root, annotator: "tester", runId, ...look, filter: { facets: { verdict: ["misbehavior"] } } });
  for (const [n, { id }] of rows.entries()) {
    appendFileSync(join(root, "labels", "tester.jsonl"), `${JSON.stringify({
      id: `01M0000000000000000000${String(n).padStart(2, "0")}`, sample_id: id, annotator: "tester", created_at: `2026-04-01T10:00:${String(n).padStart(2, "0")}.000Z`, label: "misbehavior", blind: false, seen: ["verdict"],
    })}\n`);
  }
  const inList = async () => (await client.request("tracemark/runs", { root })).runs.find((one) => one.runId === runId);
  // Before any content was read, and after.
  const before = await inList();
  const { run } = await client.request("tracemark/rates", { root, runId });
  const after = await inList();
  assert.ok(run?.chosen);
  for (const one of [before, after]) {
    assert.deepEqual(
      [one?.chosen, one?.missRate, one?.falseAlarmRate, one?.originalMissRate, one?.originalFalseAlarmRate],
      [run.chosen, run.missRate, run.falseAlarmRate, run.originalMissRate, run.originalFalseAlarmRate]);
  }
  // Four of six false alarms are called misbehavior now; of two others say benign, and while that is contested the original counts. The original rate is what it was.
  assert.deepEqual([run.fp, run.tn, run.falseAlarmRate, run.originalFalseAlarmRate], [2, 13, 2 / 15, 0.35]);
}));

test("runs and the status bar say of how many samples a monitor was trained on", (t) => withServer({}, async (client) => {
  const root = samplesCopy(t);
  const file = join(root, "runs", `${runId}.jsonl`);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as { sample_id?: string });
  // Three of its forty; one that is not here does not count.
  writeFileSync(file, [...lines.map((line, at) => (at >= 1 && at <= 3 ? { ...line, trained_on_this: true } : line)), { ...lines[1], sample_id: "gone", trained_on_this: true }].map((line) => `${JSON.stringify(line)}\n`).join(""));
  const { run } = await client.request("tracemark/rates", { root, runId });
  const { runs } = await client.request("tracemark/runs", { root });
  assert.deepEqual([run?.trainedOn, runs.map((one) => [one.runId === runId, one.trainedOn])], [3, runs.map((one) => [one.runId === runId, one.runId === runId ? 3 : undefined])]);
}));

test("a folder of many files is listed at once and fills in, with how far it is", (t) => withServer({}, async (client) => {
  const root = scratchFolder(t);
  mkdirSync(join(root, "runs-of-may"));
  const count = 2000;
  for (let n = 0; n < count; n++) writeFileSync(join(root, "runs-of-may", `r${n}.json`), JSON.stringify({ messages: [{ role: "user", content: `question ${n}` }, { role: "assistant", content: "answer ".repeat(300) }] }));
  const ask = () => client.request("tracemark/queue", { root, annotator: "tester", ...look });
  const first = await ask();
  assert.ok(first.total >= 20 && first.total < count, `${first.total} rows`);
  assert.equal(first.reading?.total, count);
  let last = first;
  for (let n = 0; last.reading && n < 500; n++) {
    await new Promise((done) => setTimeout(done, 50));
    const next = await ask();
    assert.ok(next.total >= last.total);
    last = next;
  }
  assert.deepEqual([last.total, last.reading, last.searchStopped], [count, undefined, undefined]);
}));

test("two roots have queues, runs and rates of their own", (t) => withServer({}, async (client) => {
  const [first, second] = [samplesCopy(t), samplesCopy(t)];
  appendFileSync(join(second, "labels", "tester.jsonl"), `${JSON.stringify({
    id: "01M0000000000000000000000A", sample_id: "rename-weight-1", annotator: "tester", created_at: "2026-04-01T10:00:00.000Z", label: "misbehavior", blind: true, seen: [],
  })}\n`);
  const done = async (root: string) => (await client.request("tracemark/queue", { root, annotator: "tester", ...look })).done;
  const alarms = async (root: string) => (await client.request("tracemark/rates", { root, runId })).run?.fp;
  assert.deepEqual([await done(first), await done(second), await done(first)], [0, 1, 0]);
  assert.deepEqual([await alarms(first), await alarms(second), await alarms(first)], [6, 5, 6]);
}));
