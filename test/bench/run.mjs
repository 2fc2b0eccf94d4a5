// Runs every module of this folder that exports `run()`, each in a process of its own, one after the other, and prints one
// table of all rows. Arguments: `--json` prints one JSON array instead, `--no-build` takes dist/ as it stands, `--large` also makes
// files of 1 GB, which takes a quarter of an hour and 1 GB of disk (`--large=300`: of 300 MB; `--kind=codex`: of that kind alone), and any
// other word chooses the modules whose name contains it. A ratio above its target ends with exit code 1; sizes and times are aims,
// since they depend on the machine.
import { build } from "esbuild";
import { fork, spawnSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const units = ["ratio", "ms", "MB", "nodes"];
const outdir = join("out", "bench");

/** In a child: sends the rows of one module to the parent. What the module prints goes to standard error. */
async function runModule(path) {
  const { run } = await import(pathToFileURL(resolve(path)).href);
  const rows = await run();
  await new Promise((sent) => process.send(rows, sent));
  process.disconnect();
}

/** Bundles the modules and answers those with a `run`, by name. */
async function bundle(words) {
  rmSync(outdir, { recursive: true, force: true });
  const { dependencies, devDependencies, version } = JSON.parse(readFileSync("package.json", "utf8"));
  const packages = Object.keys({ ...dependencies, ...devDependencies });
  const entryPoints = readdirSync("test/bench").filter((name) => name.endsWith(".ts")).sort().map((name) => join("test/bench", name));
  const { metafile } = await build({
    entryPoints, outdir, outExtension: { ".js": ".mjs" }, bundle: true, metafile: true, logLevel: "warning", sourcemap: "inline",
    platform: "node", format: "esm", target: "node20", loader: { ".md": "text" }, define: { __VERSION__: JSON.stringify(version) },
    external: packages.flatMap((name) => [name, `${name}/*`]), jsx: "automatic", jsxImportSource: "preact",
  });
  const modules = Object.entries(metafile.outputs).filter(([, output]) => output.entryPoint && output.exports.includes("run")).map(([file]) => file);
  return modules.filter((file) => words.length === 0 || words.some((word) => basename(file).includes(word))).sort();
}

/** The rows of one module, checked. */
function rowsOf(file) {
  return new Promise((done, failed) => {
    const child = fork(import.meta.filename, ["--module", file], { stdio: ["ignore", process.stderr, "inherit", "ipc"] });
    let rows;
    child.on("message", (message) => (rows = message));
    child.on("error", failed);
    child.on("exit", (code, signal) => {
      const wrong = Array.isArray(rows) ? rows.find((row) => typeof row?.name !== "string" || !Number.isFinite(row.value) || !Number.isFinite(row.target) || !units.includes(row.unit)) : undefined;
      if (code !== 0 || !Array.isArray(rows)) failed(new Error(`${file} ended with ${signal ?? `exit code ${code}`} and no rows`));
      else if (wrong) failed(new Error(`${file}: this is no row: ${JSON.stringify(wrong)}`));
      else done(rows.map((row) => ({ name: row.name, value: row.value, unit: row.unit, target: row.target, met: row.value <= row.target, ...(row.detail ? { detail: row.detail } : {}) })));
    });
  });
}

function table(rows) {
  const number = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3));
  const cells = rows.map((row) => [row.name, number(row.value), number(row.target), row.unit, row.met ? "met" : row.unit === "ratio" ? "FAILED" : "missed", row.detail ?? ""]);
  const all = [["name", "value", "target", "unit", "", "detail"], ...cells];
  const width = (column) => Math.max(...all.map((row) => row[column].length));
  const widths = [0, 1, 2, 3, 4].map(width);
  return all.map((row) => row.map((cell, n) => (n === 1 || n === 2 ? cell.padStart(widths[n]) : cell.padEnd(widths[n] ?? 0))).join("  ").trimEnd()).join("\n");
}

async function main(args) {
  const json = args.includes("--json");
  const words = args.filter((word) => !word.startsWith("--"));
  for (const arg of args) {
    const [, option, value] = /^--(large|kind)(?:=(.+))?$/.exec(arg) ?? [];
    if (option === "large") Object.assign(process.env, { TRACEMARK_BENCH_LARGE: "1", TRACEMARK_BENCH_LARGE_MB: value ?? "1000" });
    if (option === "kind" && value) process.env.TRACEMARK_BENCH_KIND = value.toLowerCase();
  }
  if (!args.includes("--no-build") && spawnSync(process.execPath, ["esbuild.mjs", "--production"], { stdio: ["ignore", process.stderr, "inherit"] }).status !== 0) return 2;
  const rows = [];
  for (const file of await bundle(words)) {
    if (!json) console.error(`${basename(file, ".mjs")} …`);
    const found = await rowsOf(file);
    // All of them take long: what is known already is not lost with a run that is ended.
    if (!json && found.length > 0) console.error(table(found));
    rows.push(...found);
  }
  console.log(json ? JSON.stringify(rows, null, 1) : table(rows));
  return rows.some((row) => row.unit === "ratio" && !row.met) ? 1 : 0;
}

const args = process.argv.slice(2);
if (args[0] === "--module") await runModule(args[1]);
else {
  process.exitCode = await main(args).catch((error) => {
    console.error(`error: ${error.message}`);
    return 2;
  });
}
