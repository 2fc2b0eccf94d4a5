/** README against the schemas: every parameter of a monitor, every option of a run, and all that a run file holds is named. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { MonitorConfig, OwnRule, RunHeader, VerdictRecord } from "#core/workspace/schemas";

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

test("all that a run file holds is named", () => {
  // Keys that the schemas keep without naming them: how a run was asked for, and what some kinds of monitors add.
  const header = ["provider", "examples", "seed", "program", "rule", "members", "prompting_asked", "caps", "repeats", "source", "endpoint_origins"];
  const verdict = ["message", "warnings", "weak_signals", "thinking", "segments", "votes", "score_from", "score_told", "served_by", "shown_as", "compared_with"];
  const keys = [...keysOf(RunHeader), ...header, ...keysOf(VerdictRecord), ...verdict].filter((key) => !["type", "filter", "count", "sha256"].includes(key));
  assert.ok(keys.includes("guideline_sha256") && keys.includes("cost_usd"));
  assert.deepEqual(missing(keys), []);
});

test("every option of the command line's runs and batches is named", () => {
  const options = ["run", "batch"].flatMap((verb) => [...readFileSync(`server/cli/verbs/${verb}.ts`, "utf8").matchAll(/flags: "--([\w-]+)/g)].map(([, name]) => `--${name}`));
  assert.ok(options.length > 15);
  assert.deepEqual([...new Set(options)].filter((option) => !readme.includes(option)), []);
});
