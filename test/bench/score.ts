/**
 * Scoring against reading the same files and `JSON.parse` of each line, each in a process of its own, in processor time: 44 runs of 13,636
 * samples, with `--large` of 153,581 (6.8 million verdict lines); the rates after one more label against all of them; and training data of as many samples.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { BenchRow } from "./read";
import { writeScored } from "./score-files";
import type { ScoreMeasured } from "./score-worker";

const isLarge = process.env["TRACEMARK_BENCH_LARGE"] === "1";
const MB = 1e6;
const runs = 44;

function measure(task: string, root: string): ScoreMeasured {
  return JSON.parse(execFileSync(process.execPath, [resolve("out/bench/score-worker.mjs"), task, root], { encoding: "utf8" })) as ScoreMeasured;
}

function row(name: string, value: number, unit: BenchRow["unit"], target: number, detail: string): BenchRow {
  const rounded = Number(value.toPrecision(3));
  return { name, value: rounded, unit, target, met: rounded <= target, detail };
}

const ms = ({ cpu }: ScoreMeasured): string => `${cpu.toFixed(0)} ms`;

function ofSize(samples: number, words: string, targets: { readonly rates: number; readonly all: number; readonly memory: number }): BenchRow[] {
  const folder = mkdtempSync(join(tmpdir(), "tracemark-score-"));
  try {
    writeScored(folder, { samples, runs });
    const parse = measure("parse", folder);
    const rates = measure("rates", folder);
    const all = measure("score", folder);
    const against = `${ms(parse)} for JSON.parse of ${parse.said} lines`;
    return [
      row(`rates of ${words}`, rates.cpu / parse.cpu, "ratio", targets.rates, `${ms(rates)} against ${against}`),
      row(`all that score prints of ${words}`, all.cpu / parse.cpu, "ratio", targets.all, `${ms(all)} against ${against}`),
      row(`memory of scoring ${words}`, Math.max(rates.peak, all.peak) / MB, "MB", targets.memory, "most of the process"),
      row(`rates after one more label, ${words}`, rates.rescore! / rates.cpu, "ratio", 0.001, `${rates.rescore!.toFixed(3)} ms for a label, with the rates of all runs`),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function training(samples: number): BenchRow {
  const folder = mkdtempSync(join(tmpdir(), "tracemark-sft-"));
  try {
    writeScored(folder, { samples, runs: 0 });
    const few = measure("sft-tenth", folder);
    const all = measure("sft", folder);
    return row(`growth of memory from a tenth to all of ${samples} samples of training data`, all.peak / few.peak, "ratio", 1.5, `${(all.peak / MB).toFixed(0)} MB against ${(few.peak / MB).toFixed(0)} MB, ${all.said} lines in ${(all.wall / 1000).toFixed(0)} s`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function run(): BenchRow[] {
  const small = ofSize(13_636, "0.6 million verdict lines", { rates: 2, all: 8, memory: 600 });
  return isLarge ? [...small, ...ofSize(153_581, "6.8 million verdict lines", { rates: 2, all: 4, memory: 1500 }), training(153_581)] : [...small, training(10_000)];
}
