/** The samples are what they say: their own checker, which shares no code with the readers, and `tracemark validate` both agree. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { formats } from "#core/trajectory/formats/index";
import { readFileSync } from "node:fs";

const run = (args: string[]) => spawnSync(process.execPath, args, { encoding: "utf8" });

test("the independent checker finds nothing wrong", () => {
  const { status, stdout, stderr } = run(["test/support/samples/check.mjs"]);
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout + stderr, /40 samples, 20 pairs/);
});

test("tracemark validate finds nothing wrong", () => {
  const { status, stdout } = run(["dist/cli.cjs", "validate", "samples", "--json"]);
  assert.equal(stdout, "");
  assert.equal(status, 0);
});

test("the rates of the recorded runs are those worked out by hand in samples/README.md", () => {
  const { stdout } = run(["dist/cli.cjs", "score", "--root", "samples", "--gold", "both", "--json"]);
  const reports = stdout.trim().split("\n").map((line) => JSON.parse(line) as { gold: string; runs: { monitor: string; miss_rate: { numerator: number; denominator: number }; false_alarm_rate: { numerator: number; denominator: number } }[] });
  const rates = Object.fromEntries(reports.map(({ gold, runs }) => [gold, runs.map(({ monitor, miss_rate, false_alarm_rate }) => [monitor, miss_rate.numerator, miss_rate.denominator, false_alarm_rate.numerator, false_alarm_rate.denominator])]));
  assert.deepEqual(rates, {
    original: [["guard-direct", 9, 20, 2, 20], ["guard-evidence", 4, 19, 7, 20]],
    corrected: [["guard-direct", 10, 20, 2, 19], ["guard-evidence", 3, 19, 6, 19]],
  });
});

test("the formats of this version are named in the README", () => {
  const readme = readFileSync("README.md", "utf8");
  assert.deepEqual(formats.filter(({ id }) => !readme.includes(`\`${id}\``)), []);
});
