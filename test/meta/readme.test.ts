/** README against the schemas: every parameter of a monitor, every option of a run, and all that a run file holds is named. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import type { MonitorContext } from "#core/monitors/define";
import { listMonitors, rulesMonitor } from "#core/monitors/index";
import { judge, judgePair, verdictRecord } from "#core/monitors/run-monitor";
import { MonitorConfig, OwnRule, RunHeader, VerdictRecord } from "#core/workspace/schemas";
import { builtInTaxonomy } from "#core/workspace/taxonomy";
import { plannedHeader } from "#node/run-plan";
import { sha256 } from "#node/sha256";
import { batchVerb } from "../../server/cli/verbs/batch";
import { runVerb } from "../../server/cli/verbs/run";
import { aTrajectory } from "../support/benchmarks/build-trajectory";

const readme = readFileSync("README.md", "utf8");
const chapter = readme.slice(readme.indexOf("\n## Monitors"), readme.indexOf("\n## Evidence"));
/** The words of all code in the chapter: in single back quotes and in blocks. */
const code = new Set([...chapter.matchAll(/```[\s\S]*?```|`[^`\n]+`/g)].flatMap(([span]) => span.match(/[A-Za-z_][\w-]*/g) ?? []));

/** Keys of an object schema, those of objects inside it too. */
function keysOf(schema: unknown): string[] {
  const { innerType, shape = {} } = (schema as { _zod: { def: { innerType?: unknown; shape?: Record<string, unknown> } } })._zod.def;
  return innerType === undefined ? Object.entries(shape).flatMap(([key, inner]) => [key, ...keysOf(inner)]) : keysOf(innerType);
}

const missing = (names: readonly string[]): string[] => [...new Set(names)].filter((name) => !code.has(name));

test("every parameter of a monitor is named", () => {
  const keys = [...keysOf(MonitorConfig), ...keysOf(OwnRule), "thinking_tokens"];
  assert.ok(keys.length > 35 && keys.includes("context_tokens") && keys.includes("trained_on"));
  assert.deepEqual(missing(keys), []);
});

/** A model that gives all that an answer can come with. */
const generous = (text: string): MonitorContext["model"] => ({
  complete: async () => ({ text, reasoning: "t", suspicion: 0.9, finishReason: "stop", modelReturned: "m", fingerprint: "f", servedBy: { vendor: "v" }, usage: { inputTokens: 1, outputTokens: 1 }, cached: true, attempts: 1, latencyMs: 1 }),
});
const context: MonitorContext = { sha256, now: () => 0, taxonomy: builtInTaxonomy, reasoning: true, guidelines: "g", seed: 1, examplesSha256: () => "e", programs: { run: async () => ({ text: "no", latencyMs: 1 }) } };
const endpoint = { kind: "llm", provider: "openai-compatible", base_url: "http://127.0.0.1:9/v1", model: "m", price: { input_per_million: 1, output_per_million: 1 }, examples: { count: 1 } } as const;
const monitors = listMonitors({ monitors: {
  cut: { ...endpoint, prompting: "direct", params: { context_tokens: 2500, max_tokens: 100 }, trained_on: ["a/b"] }, far: { ...endpoint, base_url: "http://127.0.0.2:9/v1", reasoning: false },
  pairs: { ...endpoint, prompting: "contrastive" }, py: { kind: "command", program: "true" }, panel: { kind: "vote", of: ["far", "cut"] },
} });
const long = aTrajectory([["user", "Task."], ...Array.from({ length: 12 }, (_, at): ["assistant", string] => ["assistant", `rm -rf / ${at}. ${"word ".repeat(200)}`])], { id: "s" });

/** The keys of the headers and verdict lines that monitors of every kind write. */
async function writtenKeys(): Promise<{ header: string[]; verdict: string[] }> {
  const plan = { runId: "r", createdAt: "c", version: "1", sampleIds: ["s"], filter: { split: "dev" }, repeat: 2, caps: { tokens: 1 } };
  const headers = monitors.map((one) => plannedHeader(one, context, plan).header);
  const told = { ...context, model: generous('{"misbehavior_detected": true, "score": 7}') }, pair = [long, { ...long, id: "t" }] as const;
  const verdicts = [
    ...(await Promise.all(monitors.filter(({ id }) => id !== "pairs").map((one) => judge(one, long, told)))), await judge(monitors[2]!, long, { ...told, model: generous('{"misbehavior_detected": true, "score": 0.5}') }),
    ...(await judgePair(monitors.find(({ id }) => id === "pairs")!, pair, { ...context, model: generous('{"misbehaving_record": "first"}') })), await judge(rulesMonitor, aTrajectory([["user", "Is 7 prime?"], ["assistant", "What an amazing question! Yes."]]), context),
  ].map((one) => verdictRecord(one, { sampleId: "s", contentSha256: "h", createdAt: "c", repeat: 0 }));
  const keys = (all: readonly object[]): string[] => [...new Set(all.flatMap((one) => Object.keys(one)))];
  return { header: keys(headers), verdict: keys(verdicts) };
}

test("all that a run file holds is named", async () => {
  const written = await writtenKeys();
  // An imported batch says so in its header.
  const keys = [...keysOf(RunHeader), ...written.header, "source", ...keysOf(VerdictRecord), ...written.verdict].filter((key) => !["type", "filter", "count", "sha256"].includes(key));
  for (const key of ["endpoint_origins", "prompting_asked", "examples", "seed", "program", "rule", "members", "caps", "repeats"]) assert.ok(written.header.includes(key), key);
  for (const key of ["message", "warnings", "weak_signals", "thinking", "segments", "votes", "score_from", "score_told", "served_by", "shown_as", "compared_with"]) assert.ok(written.verdict.includes(key), key);
  assert.deepEqual(missing(keys), []);
});

test("every option of the command line's runs and batches is named", () => {
  const options = [runVerb, batchVerb].flatMap((verb) => verb.options.map(({ flags }) => flags.split(" ")[0]!));
  assert.ok(options.length > 15 && options.includes("--count-tokens"));
  assert.deepEqual([...new Set(options)].filter((option) => !readme.includes(option)), []);
});
