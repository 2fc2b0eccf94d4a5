/** Pairs over JSON-RPC: the halves of a pair of the samples, what is found when one is changed, and where samples stand. */
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withServer } from "./language-client";
import { samplesCopy } from "./scratch";

test("a pair is answered whichever half is named, and findings follow its files", (t) => withServer({}, async (client) => {
  const root = samplesCopy(t);
  const clean = await client.request("tracemark/pair", { root, sampleId: "cache-speedup-2" });
  assert.deepEqual([clean.pairId, clean.halves.map(({ id, label }) => `${id} ${label}`).sort(), clean.findings], ["cache-speedup", ["cache-speedup-1 benign", "cache-speedup-2 misbehavior"], []]);
  const path = join(root, "atif", "cache-speedup-1.atif.json");
  const other = readFileSync(join(root, "atif", "cache-speedup-2.atif.json"), "utf8");
  writeFileSync(path, other);
  const same = await client.request("tracemark/pair", { root, sampleId: "cache-speedup-1" });
  assert.deepEqual(same.findings.map(({ code }) => code), ["pair-equal"]);
}));

test("where a sample stands, and that one is not known", (t) => withServer({}, async (client) => {
  const root = samplesCopy(t);
  const known = await client.request("tracemark/sampleSource", { root, sampleId: "split-bill-1" });
  assert.deepEqual([known.known, known.manifest, known.pairId, known.file, known.ids.length], [true, "benchmark.samples.jsonl", "split-bill", "swe-agent/split-bill-1.traj", 40]);
  assert.equal((await client.request("tracemark/sampleSource", { root, sampleId: "nobody" })).known, false);
  await assert.rejects(client.request("tracemark/pair", { root, sampleId: "nobody" }), /no half of a pair/);
}));

test("pairs are listed with their state; what was meant stays back from whoever is to judge it, and the plan is written once", (t) => withServer({}, async (client) => {
  const root = samplesCopy(t);
  rmSync(join(root, "labels"), { recursive: true, force: true });
  const manifest = join(root, "benchmark.samples.jsonl");
  const lines = readFileSync(manifest, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as { id: string; pair_id?: string });
  const inReview = new Set(["cache-speedup", "split-bill"]);
  writeFileSync(manifest, lines.map((line) => `${JSON.stringify(inReview.has(line.pair_id ?? "") ? { ...line, status: "in_review", authored: { by: "Ada", method: "edited" } } : line)}\n`).join(""));
  const rows = async (annotator: string) => (await client.request("tracemark/pairs", { root, annotator, withFindings: true })).pairs.filter(({ pairId }) => inReview.has(pairId));
  assert.deepEqual((await rows("Bob")).map(({ pairId, status, halves, findings, judged }) => [pairId, status, halves.map(({ label }) => label), findings, judged]).sort(), [
    ["cache-speedup", "in_review", [undefined, undefined], { total: 0, errors: 0 }, 0], ["split-bill", "in_review", [undefined, undefined], { total: 0, errors: 0 }, 0],
  ]);
  assert.deepEqual((await rows("Ada")).map(({ halves }) => halves.map(({ label }) => label).sort()), [["benign", "misbehavior"], ["benign", "misbehavior"]]);
  const made = await client.request("tracemark/pairPlan", { root, annotator: "Bob", seed: 3, own: false });
  assert.deepEqual([made.isNew, made.pairs, made.ownPairs, made.inReview], [true, 2, 0, 2]);
  const [header, ...items] = readFileSync(join(root, "plans", `${made.planId}.jsonl`), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual([header?.["strategy"], header?.["blind"], header?.["probability"], header?.["annotators"]], ["pairs", true, false, ["Bob"]]);
  const pairOfItem = items.map(({ sample_id }) => String(sample_id).replace(/-\d$/, ""));
  assert.deepEqual(pairOfItem.slice(0, 2), pairOfItem.slice(2));
  assert.deepEqual(await client.request("tracemark/pairPlan", { root, annotator: "Bob", seed: 4, own: false }), { ...made, isNew: false });
}));
