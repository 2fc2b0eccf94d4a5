/** The walls of the house: which room may import what, followed transitively and without `import type`. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import test from "node:test";

const rooms: Record<string, { rooms: string[]; packages: RegExp }> = {
  "server/core": { rooms: ["server/core"], packages: /^(zod\/mini|diff|approx-string-match)$/ },
  "server/protocol": { rooms: ["server/core", "server/protocol"], packages: /^zod\/mini$/ },
  "server/node": { rooms: ["server/core", "server/protocol", "server/node"], packages: /^(node:.*|zod\/mini|zstddec|undici|re2js|ai|@ai-sdk\/.*|diff)$/ },
  "server/lsp": { rooms: ["server/core", "server/protocol", "server/node", "server/lsp"], packages: /^(node:.*|zod\/mini|vscode-languageserver(\/.*|-textdocument)?)$/ },
  "server/cli": { rooms: ["server/core", "server/protocol", "server/node", "server/cli"], packages: /^(node:.*|zod\/mini|commander)$/ },
  extension: { rooms: ["server/core", "server/protocol", "server/node", "extension"], packages: /^(node:.*|zod\/mini|vscode|vscode-languageclient(\/.*)?)$/ },
  webview: { rooms: ["server/core", "server/protocol", "webview"], packages: /^(zod\/mini|preact(\/.*)?|@tanstack\/virtual-core|markdown-it|diff|@vscode\/webview-ui-toolkit|@vscode\/codicons\/.*)$/ },
};
/** Only these may know the UI kit. */
const toolkit = "@vscode/webview-ui-toolkit";

function sources(folder: string, found: string[] = []): string[] {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) sources(path, found);
    else if (/\.tsx?$/.test(name) && !name.endsWith(".d.ts")) found.push(path);
  }
  return found;
}

/** Specifiers of value imports and re-exports; `import type` and `export type` leave no trace at run time. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const found: string[] = [];
  for (const match of text.matchAll(/(?:^|\n)\s*(?:import|export)\s+(?!type\b)(?:[^"';]*?\sfrom\s+)?["']([^"']+)["']/g)) found.push(match[1] ?? "");
  for (const match of text.matchAll(/\bimport\(\s*["']([^"']+)["']\s*\)/g)) if (!/typeof\s*$/.test(text.slice(0, match.index))) found.push(match[1] ?? "");
  return found;
}

function resolveImport(file: string, specifier: string): string | undefined {
  let base: string;
  if (specifier.startsWith("#")) base = join("server", specifier.slice(1));
  else if (specifier.startsWith(".")) base = normalize(join(dirname(file), specifier));
  else return undefined;
  return [base, `${base}.ts`, `${base}.tsx`, join(base, "index.ts")].find((path) => existsSync(path) && statSync(path).isFile());
}

for (const [room, allowed] of Object.entries(rooms)) {
  test(`${room} imports only what its walls allow`, () => {
    const files = sources(room);
    assert.ok(files.length > 0, `${room} holds no source`);
    const wrong: string[] = [];
    for (const file of files) {
      for (const specifier of importsOf(file)) {
        if (/\.(css|md|ttf)$/.test(specifier) && !specifier.startsWith("@")) continue;
        if (specifier.startsWith(".") || specifier.startsWith("#")) {
          const target = resolveImport(file, specifier);
          if (!target) wrong.push(`${file}: ${specifier} does not resolve`);
          else if (!allowed.rooms.some((name) => !relative(name, target).startsWith(".."))) wrong.push(`${file}: ${specifier}`);
        } else if (!allowed.packages.test(specifier)) wrong.push(`${file}: ${specifier}`);
        if (specifier === toolkit && !file.startsWith(join("webview", "ui"))) wrong.push(`${file}: only webview/ui may import the toolkit`);
      }
    }
    assert.deepEqual(wrong, []);
  });
}

test("the extension never imports the language server's sources", () => {
  const wrong = sources("extension").flatMap((file) => importsOf(file).filter((name) => /server\/(lsp|cli)/.test(resolveImport(file, name) ?? "")).map((name) => `${file}: ${name}`));
  assert.deepEqual(wrong, []);
});

test("core reads no clock, draws no random number and touches no platform", () => {
  const wrong: string[] = [];
  for (const file of sources("server/core")) {
    const code = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "").replace(/(["'`])(?:\\.|(?!\1)[^\\\n])*\1/g, '""');
    for (const word of ["Date.now(", "new Date()", "Math.random(", "process.", "require(", "setTimeout(", "console."]) if (code.includes(word)) wrong.push(`${file}: ${word}`);
  }
  assert.deepEqual(wrong, []);
});

test("product files stay below 450 lines", () => {
  const long = Object.keys(rooms).flatMap((room) => sources(room)).filter((file) => readFileSync(file, "utf8").split("\n").length > 450);
  assert.deepEqual(long, []);
});
