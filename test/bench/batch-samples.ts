/** The made samples that runs and batches are measured with, and how memory is measured. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Monitor, MonitorContext } from "#core/monitors/define";
import type { Trajectory } from "#core/trajectory/model";
import type { RunHeader } from "#core/workspace/schemas";
import { builtInTaxonomy } from "#core/workspace/taxonomy";
import type { BatchSample } from "#node/run-batch";
import { sha256 } from "#node/sha256";

function trajectory(at: number): Trajectory {
  const words = `Answer ${at}. `.repeat(60);
  return {
    id: `s${at}`, format: "bench", reader: { id: "bench", version: 1 }, metadata: [], warnings: [],
    steps: [{ index: 0, role: "user", places: [], parts: [{ kind: "text", text: `Task ${at}.` }] }, { index: 1, role: "assistant", places: [], parts: [{ kind: "text", text: words }] }],
  };
}

export function samples(count: number): BatchSample[] {
  return Array.from({ length: count }, (_, at) => ({ id: `s${at}`, load: () => trajectory(at) }));
}

export const context: MonitorContext = { sha256, now: () => performance.now(), taxonomy: builtInTaxonomy, reasoning: true };
export const monitorAt = (baseUrl: string): Monitor => ({ id: "guard", kind: "llm", config: { kind: "llm", model: "m", base_url: baseUrl } });
export const header = (id: string): RunHeader => ({ type: "run", run_id: id, monitor: "guard", kind: "llm", prompting: "evidence", params: {}, prompt_sha256: "x", view: { reasoning: true }, created_at: "2026-01-01T00:00:00Z", tracemark_version: "1" });

let collect: (() => void) | undefined;

/** What is alive on the heap, in MB: counted after a collection, without which the number is that of garbage. */
export function liveHeapMb(): number {
  if (!collect) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
  return process.memoryUsage().heapUsed / 1e6;
}

/** How much more is alive in the second half of the looks than in the first: the highest of each against each other. */
export function growthOf(live: readonly number[]): number {
  const half = Math.floor(live.length / 2);
  return Math.max(...live.slice(half)) / Math.max(...live.slice(0, half));
}

export const liveText = (live: readonly number[]): string => `${live.map((one) => one.toFixed(0)).join(" ")} MB alive`;
