/**
 * Large files: a data set, sessions of three agents and one document, at 100 MB, with `--large` also at 1 GB (`--large=300`: at
 * 300 MB), `--kind=WORD` those alone whose name holds the word.
 * Every figure is a ratio of two measurements of this run, in processor time, each in a process of its own, whose heap grows
 * as the server's does. Memory is the most that such a process ever held by the account of the system, code and buffers and
 * all (50 MB before anything is read), against the size of the file. Garbage is collected after each quarter of growth, so
 * that it hardly depends on how fast the machine is; of files of 100 MB the middle one of three is taken.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { writeAgentLog, writeDataSet, writeDocument, writeRollout, writeSession } from "./large-files";
import type { Measured } from "./large-worker";
import type { BenchRow } from "./read";

const MB = 1e6;
/** Size of the large files in MB, 0 where none are made. */
const largeMB = Number(process.env["TRACEMARK_BENCH_LARGE_MB"] ?? 0);
const kind = process.env["TRACEMARK_BENCH_KIND"] ?? "";

function measure(task: string, file: string): Measured {
  return JSON.parse(execFileSync(process.execPath, ["--max-old-space-size=12000", resolve("out/bench/large-worker.mjs"), task, file], { encoding: "utf8" })) as Measured;
}

/** The middle one of three, by processor time and by memory; one is enough for what takes long. */
function middle(task: string, file: string): Measured {
  const times = statSync(file).size > 200 * MB ? 1 : 3;
  const all = Array.from({ length: times }, () => measure(task, file)).sort((a, b) => a.cpu - b.cpu);
  return { ...all[times >> 1]!, peak: all.map(({ peak }) => peak).sort((a, b) => a - b)[times >> 1]! };
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

const writers = { "data set": writeDataSet, session: writeSession, "Claude Code log": writeAgentLog, "Codex rollout": writeRollout };

interface Read { readonly rows: BenchRow[]; readonly all: Measured }

/** What somebody who looks around makes the server read is all of a session, but little of a data set. */
function lines(folder: Folder, kind: keyof typeof writers, label: string, bytes: number): Read {
  return folder.with("lines.jsonl", bytes, writers[kind], (file) => {
    const parse = middle("parse-lines", file);
    const around = middle("look-around", file);
    const all = kind === "data set" ? middle("read-all", file) : around;
    const first = middle("first-screen", file);
    return { all, rows: [
      ratio(`first screen of a ${kind}, ${label}`, first.cpu / parse.cpu, 0.2, `${ms(first)} against ${ms(parse)} for JSON.parse over ${parse.count} lines`),
      ratio(`memory of a ${kind}, ${label}`, around.peak / bytes, 0.6, `${(around.peak / MB).toFixed(0)} MB at most`),
    ] };
  });
}

function document(folder: Folder, label: string, bytes: number): Read {
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

const labelOf = (size: number) => (size === 1000 ? "1 GB" : `${size} MB`);

/** One kind of file at 100 MB and at the large size, and how the time to read it grows: at the most 1.2 times as much as the size. */
function both(name: string, size: number, read: (label: string, bytes: number) => Read): BenchRow[] {
  const small = read("100 MB", 100 * MB);
  if (size === 0) return small.rows;
  const large = read(labelOf(size), size * MB);
  const growth = ratio(`growth of a ${name} from 100 MB to ${labelOf(size)}`, large.all.cpu / small.all.cpu, rounded((size / 100) * 1.2), `${ms(large.all)} against ${ms(small.all)}`);
  return [...small.rows, ...large.rows, growth];
}

export function run(): BenchRow[] {
  const folder = new Folder();
  try {
    const rows: BenchRow[] = [];
    for (const name of Object.keys(writers) as (keyof typeof writers)[]) {
      if (name.toLowerCase().includes(kind)) rows.push(...both(name, largeMB, (label, bytes) => lines(folder, name, label, bytes)));
    }
    if ("document".includes(kind)) rows.push(...both("document", Math.min(largeMB, 600), (label, bytes) => document(folder, label, bytes)));
    // The targets are those of 1 GB: of 100 MB the memory of a process that does nothing is half of what may be taken, and so is
    // the time that it takes to start and to know an agent's log.
    const kept = rows.filter(({ name }) => !/^(memory of a (?!document)|first screen of a (Codex|Claude)).*, 100 MB$/.test(name));
    const names = ["first screen of a data set, 1 GB", "memory of a data set, 1 GB", "growth of a data set from 100 MB to 1 GB"];
    return largeMB > 0 ? kept : [...kept, ...names.map((name, at) => skipped(name, [0.2, 0.6, 12][at]!))];
  } finally {
    rmSync(folder.path, { recursive: true, force: true });
  }
}
