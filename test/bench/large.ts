/**
 * Large files: a data set and a session of JSON Lines, and one document, at 100 MB, with `--large` also at 1 GB.
 * Every figure is a ratio of two measurements of this run, in processor time, each in a process of its own.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { writeAgentLog, writeDataSet, writeDocument, writeSession } from "./large-files";
import type { Measured } from "./large-worker";
import type { BenchRow } from "./read";

const MB = 1e6;
const isLarge = process.env["TRACEMARK_BENCH_LARGE"] === "1";

function measure(task: string, file: string): Measured {
  return JSON.parse(execFileSync(process.execPath, ["--max-old-space-size=12000", resolve("out/bench/large-worker.mjs"), task, file], { encoding: "utf8" })) as Measured;
}

/** The middle one of three by processor time; one is enough for what takes long. */
function middle(task: string, file: string): Measured {
  const times = statSync(file).size > 200 * MB ? 1 : 3;
  return Array.from({ length: times }, () => measure(task, file)).sort((a, b) => a.cpu - b.cpu)[times >> 1]!;
}

const rounded = (value: number) => Number(value.toPrecision(3));

function ratio(name: string, value: number, target: number, detail: string): BenchRow {
  return { name, value: rounded(value), unit: "ratio", target, met: value <= target, detail };
}

function skipped(name: string, target: number): BenchRow {
  return { name, value: 0, unit: "ratio", target, met: true, detail: "skipped: --large makes and reads files of 1 GB, which takes minutes" };
}

const ms = (measured: Measured) => `${measured.cpu.toFixed(0)} ms`;

class Folder {
  readonly path = mkdtempSync(join(tmpdir(), "tracemark-large-"));

  /** Makes a file, lets it be measured, and removes it: never more than one is on the disk. */
  with<T>(name: string, bytes: number, write: (file: string, bytes: number) => void, work: (file: string) => T): T {
    const file = join(this.path, name);
    write(file, bytes);
    try {
      return work(file);
    } finally {
      rmSync(file);
    }
  }
}

const writers = { "data set": writeDataSet, session: writeSession, "Claude Code log": writeAgentLog };

interface Lines { readonly rows: BenchRow[]; readonly all: Measured }

function lines(folder: Folder, kind: keyof typeof writers, label: string, bytes: number): Lines {
  return folder.with("lines.jsonl", bytes, writers[kind], (file) => {
    const parse = middle("parse-lines", file);
    const all = middle("read-all", file);
    const first = middle("first-screen", file);
    const rows = [ratio(`first screen of a ${kind}, ${label}`, first.cpu / parse.cpu, 0.2, `${ms(first)} against ${ms(parse)} for JSON.parse over ${parse.count} lines`)];
    const around = middle("look-around", file);
    rows.push(ratio(`memory of a ${kind}, ${label}`, around.peak / bytes, 0.6, `${(around.peak / MB).toFixed(0)} MB at most`));
    return { rows, all };
  });
}

function document(folder: Folder, label: string, bytes: number): { rows: BenchRow[]; all: Measured } {
  return folder.with("one.json", bytes, writeDocument, (file) => {
    const all = middle("read-all", file);
    const rows = [ratio(`memory of one document, ${label}`, all.peak / bytes, 4, `${(all.peak / MB).toFixed(0)} MB at most, ${all.count} steps`)];
    // JSON.parse cannot take a text beyond the longest string.
    if (bytes < 500 * MB) {
      const parse = middle("parse-document", file);
      rows.unshift(ratio(`one document, ${label}`, all.cpu / parse.cpu, 2, `${ms(all)} against ${ms(parse)} for JSON.parse of the same file`));
    }
    if (label === "100 MB") {
      const find = middle("find", file);
      const scan = middle("scan", file);
      rows.push(ratio("find over 100 MB", find.cpu / scan.cpu, 2, `${find.count} found in ${ms(find)} against ${ms(scan)} for Buffer.indexOf and decoding`));
    }
    return { rows, all };
  });
}

export function run(): BenchRow[] {
  const folder = new Folder();
  try {
    const rows: BenchRow[] = [];
    const small = lines(folder, "data set", "100 MB", 100 * MB);
    const session = lines(folder, "session", "100 MB", 100 * MB);
    const log = lines(folder, "Claude Code log", "100 MB", 100 * MB);
    const one = document(folder, "100 MB", 100 * MB);
    rows.push(...small.rows.filter((row) => !/memory/.test(row.name)), ...session.rows.filter((row) => !/memory/.test(row.name)), ...log.rows.filter((row) => !/memory/.test(row.name)), ...one.rows);
    const names = ["first screen of a data set, 1 GB", "memory of a data set, 1 GB", "growth of a data set from 100 MB to 1 GB"];
    if (!isLarge) return [...rows, ...names.map((name, at) => skipped(name, [0.2, 0.6, 12][at]!))];
    const large = lines(folder, "data set", "1 GB", 1000 * MB);
    const long = lines(folder, "session", "1 GB", 1000 * MB);
    const whole = document(folder, "600 MB", 600 * MB);
    const growth = (name: string, a: Measured, b: Measured, target: number) => ratio(`growth of ${name}`, b.cpu / a.cpu, target, `${ms(b)} against ${ms(a)}`);
    rows.push(...large.rows, ...long.rows, ...whole.rows, growth("a data set from 100 MB to 1 GB", small.all, large.all, 12), growth("a session from 100 MB to 1 GB", session.all, long.all, 12), growth("one document from 100 MB to 600 MB", one.all, whole.all, 7.2));
    return rows;
  } finally {
    rmSync(folder.path, { recursive: true, force: true });
  }
}
