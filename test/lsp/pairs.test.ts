/** Pairs over JSON-RPC: the halves of a pair of the samples, what is found when one is changed, and where samples stand. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
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
