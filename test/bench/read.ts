/** How long a 20 MB SWE-agent-like file takes from bytes to a checked trajectory, against JSON.parse on the same text. */
import { MemorySource } from "#node/file-source";
import { openFile } from "#core/trajectory/open";
import { sweAgentFile } from "./generate";

export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: "ratio" | "ms" | "MB" | "nodes";
  readonly target: number;
  readonly met: boolean;
  readonly detail?: string;
}

const megabytes = 20;
const blocks = 6;
const perBlock = 3;

/**
 * Blocks of both are timed in turn, so that a busy machine slows both; the medians are compared. The first of a block is
 * not counted: it pays for the garbage that the block before it left.
 */
export function run(): BenchRow[] {
  const text = sweAgentFile(megabytes << 20);
  const bytes = new TextEncoder().encode(text);
  const parse: number[] = [];
  const read: number[] = [];
  let steps = 0;
  for (let block = 0; block < blocks; block++) {
    parse.push(...timedBlock(() => JSON.parse(text) as unknown));
    read.push(...timedBlock(() => {
      steps = openFile(new MemorySource("bench.traj", bytes)).load(0).steps.length;
    }));
  }
  const [bare, whole] = [median(parse), median(read)];
  const ratio = whole / bare;
  return [{
    name: "read-20mb-swe-agent", value: Number(ratio.toFixed(3)), unit: "ratio", target: 2.5, met: ratio <= 2.5,
    detail: `${(bytes.length / 1e6).toFixed(1)} MB, ${steps} steps: ${whole.toFixed(0)} ms against ${bare.toFixed(0)} ms for JSON.parse`,
  }];
}

function timedBlock(work: () => unknown): number[] {
  return Array.from({ length: perBlock }, () => timed(work)).slice(1);
}

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
