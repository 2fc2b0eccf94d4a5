/** The manifest against the code: commands, keys, settings and words. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";

interface Manifest {
  engines: { vscode: string };
  devDependencies: Record<string, string>;
  contributes: {
    commands: { command: string; title: string; category?: string }[];
    keybindings: { command: string; key: string; when?: string }[];
    menus: Record<string, { command: string; when?: string }[]>;
    customEditors: { viewType: string; priority: string; selector: { filenamePattern: string }[] }[];
    configuration: { title: string; properties: Record<string, { scope?: string; markdownDescription?: string }> }[];
  };
}
const text = readFileSync("package.json", "utf8");
const manifest = JSON.parse(text) as Manifest;
const words = JSON.parse(readFileSync("package.nls.json", "utf8")) as Record<string, string>;
const commandSources = readdirSync("extension/commands").map((name) => readFileSync(`extension/commands/${name}`, "utf8")).join("\n");
const implemented = new Set([...commandSources.matchAll(/(?:id: |^\s+)"(tracemark\.\w+)"/gm)].map((match) => match[1] ?? ""));
const declared = new Set(manifest.contributes.commands.map((command) => command.command));

test("every declared command is implemented, and the other way round", () => {
  assert.deepEqual([...declared].sort(), [...implemented].sort());
  assert.ok(declared.size > 30);
});

test("every command has a category and every key of the manifest has words", () => {
  for (const command of manifest.contributes.commands) assert.equal(command.category, "Tracemark", command.command);
  const keys = [...text.matchAll(/"%([^%"]+)%"/g)].map((match) => match[1] ?? "");
  assert.deepEqual(keys.filter((key) => !words[key]), []);
  assert.deepEqual(Object.keys(words).filter((key) => !keys.includes(key)), []);
});

test("single keys are muted while typing and while lists or terminals have the focus", () => {
  for (const binding of manifest.contributes.keybindings) {
    assert.ok(declared.has(binding.command), binding.command);
    if (/ctrl|cmd/.test(binding.key)) continue;
    for (const guard of ["tracemark.keysActive", "!inputFocus", "!listFocus", "!terminalFocus"]) assert.ok(binding.when?.includes(guard), `${binding.key}: ${guard}`);
  }
  const keys = manifest.contributes.keybindings.map((binding) => binding.key);
  assert.equal(new Set(keys).size, keys.length, "a key is bound twice");
});

test("only names that are ours are taken by default", () => {
  const byDefault = manifest.contributes.customEditors.filter((editor) => editor.priority === "default").flatMap((editor) => editor.selector.map((entry) => entry.filenamePattern));
  assert.deepEqual(byDefault, ["*.traj", "*.traj.json", "*.trajectory.json", "*.atif.json", "*.samples.jsonl"]);
  const option = manifest.contributes.customEditors.filter((editor) => editor.priority === "option").flatMap((editor) => editor.selector.map((entry) => entry.filenamePattern));
  assert.deepEqual(option, ["*.json", "*.jsonl", "*.eval", "*.atif.json"]);
});

test("settings have a scope, a description and a titled group", () => {
  for (const group of manifest.contributes.configuration) {
    assert.ok(group.title.startsWith("%"));
    for (const [name, setting] of Object.entries(group.properties)) {
      assert.match(name, /^tracemark\.\w+\.\w+$/);
      assert.ok(setting.scope, name);
      assert.ok(setting.markdownDescription, name);
    }
  }
});

test("the floor of VS Code is not below the language client's, and the types are the floor's", () => {
  const client = JSON.parse(readFileSync("node_modules/vscode-languageclient/package.json", "utf8")) as { engines: { vscode: string } };
  const minor = (range: string): number => Number(/1\.(\d+)/.exec(range)?.[1]);
  assert.ok(minor(manifest.engines.vscode) >= minor(client.engines.vscode));
  assert.equal(minor(manifest.devDependencies["@types/vscode"] ?? ""), minor(manifest.engines.vscode));
});
