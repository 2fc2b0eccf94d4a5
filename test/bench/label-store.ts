/** A store of 100,000 labels: opening it against parsing its lines, and one label more with its rates against opening. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LiveRates } from "#core/labels/live-rates";
import { createIdSource } from "#core/labels/record-id";
import { seededRandom } from "#core/labels/seeded-random";
import type { LabelRecord } from "#core/workspace/schemas";
import { LabelStore } from "#node/store/label-store";
import { systemClock, systemIds } from "#node/store/system-ids";
import type { BenchRow } from "./read";

const records = 100_000;
const samples = 40_000;
const annotators = ["Ada", "Bob", "Cy"];
const rounds = 5;
const added = 60;

/** Writes the label files of three people who judged most samples together. */
function writeLabels(folder: string): void {
  const random = seededRandom(1, "labels of the bench");
  let ms = Date.UTC(2026, 0, 1);
  const ids = createIdSource(() => (ms += 1000), (length) => Uint8Array.from({ length }, () => Math.floor(random() * 256)));
  for (const [who, annotator] of annotators.entries()) {
    const lines: string[] = [];
    for (let n = who; n < records; n += annotators.length) {
      const misbehaves = random() < 0.4;
      const record: LabelRecord = {
        id: ids.next(), sample_id: `bench/run-${Math.floor(n / annotators.length) % samples}.traj`, annotator, created_at: new Date(ms).toISOString(), label: misbehaves ? "misbehavior" : "benign",
        content_sha256: "c98b1dae0dd4908181eba2c27b7d004bc88ec0c565c19d2524f99a7a246123fc", blind: true, seen: [], action: "decide", plan_id: "plan-2026-01-01-abcdef", seconds: Math.floor(random() * 900) / 10,
        ...(misbehaves ? {
          categories: ["specification_gaming"], note: "It writes the expected values into the function and says that the tests pass.",
          spans: [{ step: 3, part: "tool_call", part_index: 0, start: 120, end: 160, exact: "if n == 7: return 42  # the expected value", prefix: "def split(total, persons):\n    ", suffix: "\n    return total // persons\n", category: "specification_gaming", origin: "own" as const }],
        } : {}),
      };
      lines.push(JSON.stringify(record));
    }
    writeFileSync(join(folder, `${annotator.toLowerCase()}.jsonl`), `${lines.join("\n")}\n`);
  }
}

/** From bytes on disk to values that are kept, as whoever opens a store keeps them. */
function parseLines(folder: string): LabelRecord[] {
  const values: LabelRecord[] = [];
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), "utf8");
    for (let at = 0; at < text.length; ) {
      const end = text.indexOf("\n", at);
      values.push(JSON.parse(text.slice(at, end)) as LabelRecord);
      at = end + 1;
    }
  }
  return values;
}

const open = (folder: string): Promise<LabelStore> => LabelStore.open(folder, systemClock, systemIds());

export async function run(): Promise<BenchRow[]> {
  const root = mkdtempSync(join(tmpdir(), "tracemark-bench-"));
  const folder = join(root, "labels");
  mkdirSync(folder);
  try {
    writeLabels(folder);
    const parse: number[] = [];
    const opens: number[] = [];
    // In turn, so that a busy machine slows both.
    for (let round = 0; round < rounds; round++) {
      parse.push(await timed(() => parseLines(folder)));
      opens.push(await timed(() => open(folder)));
    }
    const store = await open(folder);
    const adding = await addOne(store);
    const [bare, whole, one] = [median(parse), median(opens), median(adding)];
    const slowest = [...adding].sort((a, b) => a - b)[Math.floor(adding.length * 0.95)] ?? 0;
    const row = (name: string, value: number, unit: BenchRow["unit"], target: number, detail: string): BenchRow => ({ name, value: Number(value.toPrecision(4)), unit, target, met: value <= target, detail });
    return [
      row("open 100,000 labels", whole / bare, "ratio", 3, `${whole.toFixed(0)} ms against ${bare.toFixed(0)} ms to parse the lines`),
      row("add a label and rescore", one / whole, "ratio", 0.01, `${one.toFixed(2)} ms (flushed to disk, gold and rates of two runs renewed) against ${whole.toFixed(0)} ms to open`),
      row("label on disk and rescored, 95 %", slowest, "ms", 150, `${added} labels, one after the other`),
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function addOne(store: LabelStore): Promise<number[]> {
  const ids = Array.from({ length: samples }, (_, n) => `bench/run-${n}.traj`);
  const verdicts = (every: number) => ids.map((sample_id, n) => ({ sample_id, outcome: n % every === 0 ? ("misbehavior" as const) : ("benign" as const) }));
  const live = new LiveRates({ samples: ids.map((id, n) => ({ id, label: n % 2 === 0 ? "misbehavior" : "benign" })), runs: [{ runId: "a", verdicts: verdicts(2) }, { runId: "b", verdicts: verdicts(3) }], recordsOf: (id) => store.recordsOf(id) });
  const times: number[] = [];
  for (let n = 0; n < added; n++) {
    const sample_id = ids[(n * 677) % samples] ?? "";
    times.push(await timed(async () => {
      await store.append({ ...store.stamp("Ada"), sample_id, annotator: "Ada", label: n % 2 === 0 ? "benign" : "misbehavior", blind: true, seen: [] });
      live.update(sample_id);
      live.rates();
    }));
  }
  return times;
}

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
