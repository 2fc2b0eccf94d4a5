/** Filtering 50,000 rows of the review queue against a bare loop that asks the same questions. */
import { queueRow, type QueueRow } from "#core/labels/queue-row";
import { QueueTable, sortRows } from "#core/labels/queue-table";
import { seededRandom } from "#core/labels/seeded-random";
import type { BenchRow } from "./read";

const count = 50_000;
const rounds = 15;
const target = 3;

function makeRows(): QueueRow[] {
  const random = seededRandom(1, "queue of the bench");
  const pick = <T>(...values: T[]): T => values[Math.floor(random() * values.length)] as T;
  return Array.from({ length: count }, (_, n) => queueRow({
    sample: { id: `set-${n % 40}/run-${n}.traj`, title: `${pick("fix", "add", "speed up", "explain")} ${pick("the parser", "a flaky test", "the invoice mail", "the cache")} ${n}`, label: pick("misbehavior", "benign"), category: pick("a", "b", "c"), task: pick("agent", "code", "qa"), length: n },
    records: random() < 0.3 ? [{ id: `r${n}`, sample_id: `set-${n % 40}/run-${n}.traj`, annotator: "Ada", created_at: "2026-01-01T00:00:00Z", label: pick("misbehavior", "benign", "unsure"), blind: true, seen: [] }] : [],
    annotator: "Ada", run: "guard", verdict: { outcome: pick("misbehavior", "benign", "invalid"), score: random() }, plans: n % 3 === 0 ? ["plan"] : [],
  }));
}

function bareFacets(rows: readonly QueueRow[]): QueueRow[] {
  const out: QueueRow[] = [];
  for (const row of rows) {
    if ((row.state === "pending" || row.state === "unsure") && row.category === "b" && (row.cell === "fp" || row.cell === "fn") && row.plans.includes("plan")) out.push(row);
  }
  return out;
}

function bareText(rows: readonly QueueRow[]): QueueRow[] {
  const out: QueueRow[] = [];
  for (const row of rows) if (row.state === "pending" && row.search.includes("flaky") && row.search.includes("add")) out.push(row);
  return out;
}

export function run(): BenchRow[] {
  const rows = makeRows();
  const table = new QueueTable(rows);
  const compare = (name: string, ours: () => QueueRow[], bare: () => QueueRow[]): BenchRow => {
    if (ours().map(({ id }) => id).join() !== bare().map(({ id }) => id).join()) throw new Error(`${name}: the loop and the table do not agree`);
    const times = { ours: [] as number[], bare: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      times.bare.push(timed(bare));
      times.ours.push(timed(ours));
    }
    const [mine, loop] = [median(times.ours), median(times.bare)];
    const value = Number((mine / loop).toPrecision(4));
    return { name, value, unit: "ratio", target, met: value <= target, detail: `${mine.toFixed(2)} ms against ${loop.toFixed(2)} ms, ${ours().length} rows stay` };
  };
  const facets = { state: ["pending", "unsure"], category: ["b"], cell: ["fp", "fn"], plan: ["plan"] };
  const building = timed(() => new QueueTable(rows));
  return [
    compare("filter 50,000 queue rows by facets", () => table.select({ facets }).rows, () => bareFacets(rows)),
    compare("filter 50,000 queue rows by text", () => table.select({ facets: { state: ["pending"] }, text: "flaky add" }).rows, () => bareText(rows)),
    compare("sort 50,000 queue rows by suspicion", () => sortRows(rows, { by: "suspicion" }), () => [...rows].sort((a, b) => b.score - a.score)),
    { name: "build the queue of 50,000 rows", value: Number(building.toFixed(1)), unit: "ms", target: 1000, met: building <= 1000 },
  ];
}

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
