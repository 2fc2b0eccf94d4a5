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
const rounds = 7;

/** Both are timed in turn, so that a busy machine slows both; the medians are compared. */
export function run(): BenchRow[] {
  const text = sweAgentFile(megabytes << 20);
  const bytes = new TextEncoder().encode(text);
  const parse: number[] = [];
  const read: number[] = [];
  let steps = 0;
  for (let round = 0; round < rounds; round++) {
    parse.push(timed(() => JSON.parse(text) as unknown));
    read.push(timed(() => {
      steps = openFile(new MemorySource("bench.traj", bytes)).load(0).steps.length;
    }));
  }
  // The first round of each warms up.
  const [bare, whole] = [median(parse.slice(1)), median(read.slice(1))];
  const ratio = whole / bare;
  return [{
    name: "read-20mb-swe-agent", value: Number(ratio.toFixed(3)), unit: "ratio", target: 2.5, met: ratio <= 2.5,
    detail: `${(bytes.length / 1e6).toFixed(1)} MB, ${steps} steps: ${whole.toFixed(0)} ms against ${bare.toFixed(0)} ms for JSON.parse`,
  }];
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
