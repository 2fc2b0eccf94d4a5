// Runs test folders one after the other with node --test and closes with one line for all of them.
// Arguments: names of folders below test/ (default: all that hold tests), or words a file's path must contain.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const rooms = ["unit", "meta", "lsp", "webview", "vscode"];
const asked = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const chosenRooms = asked.filter((word) => rooms.includes(word));
const words = asked.filter((word) => !rooms.includes(word));
const run = (command, args) => spawnSync(command, args, { stdio: "inherit" }).status === 0;

rmSync("out/test", { recursive: true, force: true });
if (!process.argv.includes("--no-build") && !run(process.execPath, ["esbuild.mjs"])) process.exit(1);
const filter = [...chosenRooms.map((room) => join("test", room) + "/"), ...words];
if (!run(process.execPath, ["esbuild.mjs", "--tests", ...filter])) process.exit(1);

function files(folder, found = []) {
  if (!existsSync(folder)) return found;
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) files(path, found);
    else if (name.endsWith(".test.mjs")) found.push(path);
  }
  return found;
}

// What the browser and editor tests need is fetched ahead, where its progress shows.
if (["webview", "vscode"].some((room) => files(join("out", "test", room)).length > 0) && !run(process.execPath, ["test/support/vscode/setup.mjs", ...(files(join("out", "test", "vscode")).length > 0 ? [] : ["chromium"])])) process.exit(1);

const sum = { passed: 0, failed: 0, skipped: 0 };

/** Runs test files and counts; `failures` is what to print of those that failed. */
function runFiles(list, concurrency) {
  const result = spawnSync(process.execPath, ["--test", "--test-reporter=tap", ...concurrency, ...list], { encoding: "utf8", maxBuffer: 1 << 28 });
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failures = [];
  for (const [, name, count] of result.stdout.matchAll(/^# (pass|fail|skipped|cancelled) (\d+)$/gm)) {
    if (name === "pass") counts.passed += +count;
    else if (name === "skipped") counts.skipped += +count;
    else counts.failed += +count;
  }
  if (result.status !== 0) {
    failures.push(result.stdout.split("\n").filter((line) => /^\s*not ok|^\s+(error|expected|actual|stack|location|code):|^\s+at |^\s+[+-] /.test(line)).slice(0, 200).join("\n"));
    if (counts.failed === 0) {
      counts.failed = 1;
      failures.push(result.stdout.slice(-2000), result.stderr.slice(-2000));
    }
  }
  const skips = result.stdout.split("\n").filter((line) => /^\s*ok .*# SKIP/.test(line)).map((line) => line.trim());
  return { counts, failures, skips };
}

/** A browser or an editor can lose its way on a busy machine: such a file is run up to twice more, and that is said. */
function runInBrowser(file) {
  for (let again = 2; ; again--) {
    const result = runFiles([file], ["--test-concurrency=1"]);
    if (result.counts.failed === 0 || again === 0) return result;
    console.log(`${result.failures.join("\n")}\n# ${file} failed and is run once more`);
  }
}

for (const room of rooms) {
  const list = files(join("out", "test", room));
  if (list.length === 0) continue;
  console.log(`\n# ${room}: ${list.length} files`);
  const inBrowser = room === "webview" || room === "vscode";
  // The language server's tests start servers of their own: one file at a time.
  const results = inBrowser ? list.map(runInBrowser) : [runFiles(list, room === "lsp" ? ["--test-concurrency=1"] : [])];
  for (const { counts, failures, skips } of results) {
    for (const name of Object.keys(sum)) sum[name] += counts[name];
    for (const line of [...skips, ...failures]) console.log(line);
  }
}
console.log(`\n${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exit(sum.failed === 0 && sum.passed > 0 ? 0 : 1);
