/** What is shipped: the files of the package, their sizes, third-party notices, schemas, and the table of formats in the README. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test from "node:test";
import { formats } from "#core/trajectory/formats/index";
import { fallback } from "#core/trajectory/formats/fallback";
import { verbs } from "../../server/cli/verbs";
import { bundledPackages } from "../support/notices.mjs";

test("the package holds the product and nothing else", () => {
  const vsce = createRequire(join(process.cwd(), "package.json")).resolve("@vscode/vsce/vsce");
  const files = execFileSync(process.execPath, [vsce, "ls", "--no-dependencies"], { encoding: "utf8" }).trim().split("\n").sort();
  const allowed = /^(package\.json|package\.nls\.json|README\.md|CHANGELOG\.md|LICENSE|THIRD-PARTY-NOTICES|dist\/(extension|server|cli|models|score-parts)\.cjs|dist\/(webview|score|pair)\.(js|css)|dist\/codicon\.ttf|dist\/schemas\/[\w-]+\.schema\.json)$/;
  assert.deepEqual(files.filter((file) => !allowed.test(file)), []);
  for (const file of ["dist/extension.cjs", "dist/server.cjs", "dist/cli.cjs", "dist/models.cjs", "dist/score-parts.cjs", "dist/webview.js", "dist/webview.css", "dist/score.js", "dist/score.css", "dist/pair.js", "dist/pair.css", "dist/codicon.ttf", "dist/schemas/label.schema.json", "THIRD-PARTY-NOTICES", "LICENSE"]) {
    assert.ok(files.includes(file), `${file} is missing`);
  }
  assert.ok(files.length <= 60);
});

test("the notices name every package that is bundled", () => {
  const notices = readFileSync("THIRD-PARTY-NOTICES", "utf8");
  assert.ok(bundledPackages().length > 5);
  assert.deepEqual(bundledPackages().filter((name) => !notices.includes(`\n${name} `)), [], "run: node test/support/notices.mjs");
});

test("bundles hold only what their room may hold", () => {
  const inputs = (name: string): string[] => Object.keys((JSON.parse(readFileSync(`dist/meta/${name}.json`, "utf8")) as { inputs: Record<string, unknown> }).inputs);
  const foreign = (name: string, own: RegExp): string[] => inputs(name).filter((file) => !file.includes("node_modules/") && !own.test(file));
  for (const view of ["webview", "score", "pair"]) {
    assert.deepEqual(foreign(view, /^(webview|server\/core|server\/protocol)\//), []);
    assert.deepEqual(inputs(view).filter((file) => /vscode-language(client|server)|node_modules\/react\//.test(file)), []);
  }
  assert.deepEqual(inputs("webview").filter((file) => file.startsWith("webview/score/")), []);
  assert.deepEqual(inputs("pair").filter((file) => /markdown-it|virtual-core|webview-ui-toolkit/.test(file)), []);
  assert.deepEqual(inputs("score").filter((file) => /markdown-it|virtual-core|^webview\/text\/(draw|markdown|walk|edits)/.test(file)), []);
  assert.deepEqual(foreign("extension", /^(extension|server\/core|server\/protocol|server\/node)\//), []);
  assert.deepEqual(foreign("server", /^server\/(lsp|core|protocol|node)\//), []);
  assert.deepEqual(foreign("cli", /^server\/(cli|core|protocol|node)\//), []);
  assert.deepEqual(inputs("extension").filter((file) => /webview-ui-toolkit|node_modules\/(ai|preact)\//.test(file)), []);
});

test("the published schemas are JSON Schema of the files' own fields", () => {
  const schema = JSON.parse(readFileSync("dist/schemas/label.schema.json", "utf8")) as { properties: Record<string, unknown>; required: string[] };
  assert.deepEqual(schema.required, ["id", "sample_id", "annotator", "created_at", "label", "blind", "seen"]);
  assert.ok(schema.properties["supersedes"]);
  assert.ok(statSync("dist/schemas/tracemark.schema.json").size > 500);
});

test("the README's table of verbs has a line for each verb, and for no other", () => {
  const table = /\| verb \| does \|\n[\s\S]*?\n\n/.exec(readFileSync("README.md", "utf8"))?.[0] ?? "";
  const named = [...table.matchAll(/^\| `([a-z]+)/gm)].map((row) => row[1]!);
  assert.deepEqual([...new Set(named)].sort(), verbs.map(({ name }) => name).sort());
});

/** Rewrites the table with UPDATE_README=1. */
test("the README's table of formats is made from the registry", () => {
  const cell = (text: string): string => text.replace(/\|/g, "\\|").replace(/\s+/g, " ").replace(/\.$/, "");
  const rows = [...formats, fallback].map((format) => `| \`${format.id}\` | ${cell(format.title)}${format.extensions.length ? ` (${format.extensions.map((name) => `\`${name}\``).join(", ")})` : ""} | ${cell(format.keeps)} | ${cell(format.drops)} |`);
  const readme = readFileSync("README.md", "utf8");
  const expected = readme.replace(/(?<=<!-- formats -->\n)[\s\S]*?(?=<!-- \/formats -->)/, `${rows.join("\n")}\n`);
  if (process.env["UPDATE_README"] && existsSync("README.md")) writeFileSync("README.md", expected);
  else assert.equal(readme, expected, "run: UPDATE_README=1 node test/run.mjs meta");
});
