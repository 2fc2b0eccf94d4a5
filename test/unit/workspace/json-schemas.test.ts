/** The published schemas: words and starts for the monitors of `tracemark.json`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonSchemas } from "#core/workspace/json-schemas";
import { monitorKeyDocs, monitorSnippets } from "#core/workspace/monitor-docs";
import { MonitorConfig } from "#core/workspace/schemas";

interface Schema {
  readonly properties?: Record<string, Schema>;
  readonly additionalProperties?: Schema;
  readonly description?: string;
  readonly defaultSnippets?: readonly unknown[];
  readonly enum?: readonly string[];
}

const monitor = (jsonSchemas()["tracemark"] as Schema).properties!["monitors"]!.additionalProperties!;

/** Keys as `monitorKeyDocs` names them; what stands in lists is documented by its list. */
function keysOf({ properties = {} }: Schema, above = ""): [string, string | undefined][] {
  return Object.entries(properties).flatMap(([key, schema]) => [[`${above}${key}`, schema.description] as [string, string | undefined], ...keysOf(schema, `${above}${key}.`)]);
}

test("every setting of a monitor has words in the schema, and no words stand for a setting that is gone", () => {
  const found = keysOf(monitor);
  assert.deepEqual(found.filter(([, words]) => words === undefined).map(([key]) => key), []);
  assert.deepEqual(Object.keys(monitorKeyDocs).sort(), found.map(([key]) => key).sort());
});

test("kinds and providers are completed, and each start is a monitor", () => {
  assert.deepEqual(monitor.properties!["provider"]!.enum, ["openai-compatible", "anthropic", "google", "vscode-lm"]);
  assert.deepEqual(monitor.properties!["kind"]!.enum, ["llm", "rules", "command", "recorded", "vote", "linear"]);
  assert.equal(monitor.defaultSnippets!.length, monitorSnippets.length);
  for (const { body } of monitorSnippets) {
    const filled = JSON.parse(JSON.stringify(body).replace(/"\^\$\{\d+:(\d+)\}"/g, "$1")) as unknown;
    assert.ok(MonitorConfig.safeParse(filled).success, JSON.stringify(body));
  }
});
