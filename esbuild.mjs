// Every bundle of the project, in one file. `--production` minifies, `--watch` rebuilds,
// `--tests [path…]` also bundles test files (all, or those whose path contains one of the words given).
import { build, context } from "esbuild";
import { readdirSync, readFileSync, writeFileSync, mkdirSync, chmodSync } from "node:fs";
import { join, resolve } from "node:path";
import { viewBundle } from "./webview/bundle.mjs";
import { pathToFileURL } from "node:url";

const args = process.argv.slice(2);
const production = args.includes("--production");
const watch = args.includes("--watch");
const testsAt = args.indexOf("--tests");
const testWords = testsAt >= 0 ? args.slice(testsAt + 1).filter((word) => !word.startsWith("--")) : [];
const only = args.find((word) => word.startsWith("--only="))?.slice(7).split(",");
const { version } = JSON.parse(readFileSync("package.json", "utf8"));

const shared = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : "linked",
  metafile: true,
  logLevel: "warning",
  legalComments: "none",
  loader: { ".md": "text" },
  define: { __VERSION__: JSON.stringify(version) },
};
const node = { ...shared, platform: "node", format: "cjs", target: "node20", mainFields: ["module", "main"], conditions: ["module", "import"] };

/** Client libraries bring zod's messages in fifty languages, 260 kB of them; only English ones could ever be shown. */
const englishOnly = {
  name: "english-only",
  setup: (builder) => builder.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.c?js$/ }, () => ({ contents: 'export { default as en } from "./en.js";', loader: "js" })),
};

/** The product's bundles: name (as in dist/meta/NAME.json) to esbuild options. */
export const bundles = {
  extension: { ...node, entryPoints: ["extension/main.ts"], outfile: "dist/extension.cjs", external: ["vscode"] },
  server: { ...node, entryPoints: ["server/lsp/main.ts"], outfile: "dist/server.cjs" },
  "score-parts": { ...node, entryPoints: ["server/lsp/score-parts/main.ts"], outfile: "dist/score-parts.cjs" },
  cli: { ...node, entryPoints: ["server/cli/main.ts"], outfile: "dist/cli.cjs", banner: { js: "#!/usr/bin/env node" } },
  models: { ...node, entryPoints: ["server/node/models/main.ts"], outfile: "dist/models.cjs", plugins: [englishOnly] },
  webview: { ...shared, ...viewBundle, entryPoints: ["webview/main.tsx"], outfile: "dist/webview.js" },
  score: { ...shared, ...viewBundle, entryPoints: ["webview/score/main.tsx"], outfile: "dist/score.js" },
  pair: { ...shared, ...viewBundle, entryPoints: ["webview/pair/main.tsx"], outfile: "dist/pair.js" },
};

function testFiles(folder, found = []) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) testFiles(path, found);
    else if (/\.test\.tsx?$/.test(entry.name)) found.push(path);
  }
  return found;
}

/** Test bundles: packages stay outside (except the project's own `#` names), so that a test file stays small. */
function testOptions() {
  const files = testFiles("test").filter((file) => testWords.length === 0 || testWords.some((word) => file.includes(word)));
  const { dependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const packages = Object.keys({ ...dependencies, ...devDependencies });
  return {
    ...shared, entryPoints: files, outdir: "out", outbase: ".", platform: "node", format: "esm", target: "node20",
    outExtension: { ".js": ".mjs" }, external: packages.flatMap((name) => [name, `${name}/*`]), jsx: "automatic", jsxImportSource: "preact", sourcemap: "inline",
  };
}

async function run(name, options) {
  if (watch) {
    const watching = await context(options);
    await watching.watch();
    return;
  }
  const result = await build(options);
  if (name !== "tests") {
    mkdirSync("dist/meta", { recursive: true });
    writeFileSync(`dist/meta/${name}.json`, JSON.stringify(result.metafile));
  }
  if (name === "cli") chmodSync("dist/cli.cjs", 0o755);
}

if (testsAt >= 0) await run("tests", testOptions());
else {
  const entries = Object.entries(bundles).filter(([name]) => !only || only.includes(name));
  await Promise.all(entries.map(([name, options]) => run(name, options)));
}
if (watch) console.log("watching");
else if (testsAt < 0 && !only) await writeJsonSchemas();

/** dist/schemas/NAME.schema.json, from the zod schemas. */
async function writeJsonSchemas() {
  const outfile = "dist/meta/json-schemas.mjs";
  await build({ ...node, format: "esm", entryPoints: ["server/core/workspace/json-schemas.ts"], outfile, metafile: false, sourcemap: false });
  const { jsonSchemas } = await import(pathToFileURL(resolve(outfile)).href);
  mkdirSync("dist/schemas", { recursive: true });
  for (const [name, schema] of Object.entries(jsonSchemas())) writeFileSync(`dist/schemas/${name}.schema.json`, `${JSON.stringify(schema, null, 1)}\n`);
}
