/** A folder of many trajectories, one a file: when its first rows are there, when all of them, and when after a look that finds nothing changed. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Workspace } from "#node/workspace";
import { randomFrom } from "../support/fuzz/random";
import { listing, prose } from "./generate";
import type { BenchRow } from "./read";

const count = process.env["TRACEMARK_BENCH_LARGE"] === "1" ? 10_000 : 2_000;

function writeRuns(root: string): string[] {
  const random = randomFrom(21);
  return Array.from({ length: count }, (_, n) => {
    const folder = join(root, `set-${n % 40}`);
    if (n < 40) mkdirSync(folder);
    const messages: object[] = [{ role: "user", content: prose(random, 30) }];
    for (let turn = 0; turn < 12; turn++) {
      const id = `call_${turn}`;
      messages.push({ role: "assistant", content: prose(random, 20), tool_calls: [{ id, type: "function", function: { name: "bash", arguments: JSON.stringify({ command: prose(random, 4) }) } }] }, { role: "tool", tool_call_id: id, content: listing(random, 20) });
    }
    const file = join(folder, `run-${n}.json`);
    writeFileSync(file, JSON.stringify({ id: `r${n}`, messages }));
    return file;
  });
}

export async function run(): Promise<BenchRow[]> {
  const root = mkdtempSync(join(tmpdir(), "tracemark-folder-"));
  try {
    const files = writeRuns(root);
    const parse = await spent(() => {
      for (const file of files) JSON.parse(readFileSync(file, "utf8"));
    });
    const before = process.cpuUsage();
    const { workspace, begun, whole } = Workspace.begin(root);
    const start = performance.now();
    const first = begun.then(() => performance.now() - start);
    await whole;
    const all = milliseconds(process.cpuUsage(before));
    if (workspace.samples.length !== count) throw new Error(`${workspace.samples.length} samples of ${count} files`);
    const again = await spent(() => workspace.refresh());
    const row = (name: string, value: number, unit: BenchRow["unit"], target: number, detail: string): BenchRow => ({ name, value: Number(value.toPrecision(3)), unit, target, met: value <= target, detail });
    const size = count.toLocaleString("en");
    return [
      row(`first rows of a folder of ${size} files`, await first, "ms", 1000, "with labels and runs of the folder read before"),
      row(`all rows of a folder of ${size} files`, all / parse, "ratio", 15, `${all.toFixed(0)} ms against ${parse.toFixed(0)} ms for JSON.parse of each`),
      row(`a folder of ${size} files looked through again`, again / all, "ratio", 0.25, `${again.toFixed(0)} ms where nothing has changed`),
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Processor time in ms, which a busy machine does not stretch. */
async function spent(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return milliseconds(process.cpuUsage(before));
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}
