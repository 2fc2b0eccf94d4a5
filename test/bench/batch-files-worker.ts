/** A process of its own for one way of a batch: `export FOLDER COUNT` writes the requests, `import FOLDER COUNT` makes verdicts of made results. */
import { createReadStream, createWriteStream, readdirSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { exportBatch, importBatch, type BatchWork } from "#node/batch-files";
import { RunWriter } from "#node/store/run-writer";
import { context, header, liveHeapMb, monitorAt, samples } from "./batch-samples";

export interface BatchMeasured {
  /** Live heap in MB before anything is done, and at each look while it is done. */
  readonly before: number;
  readonly live: readonly number[];
  /** Most memory that the process had, in MB. */
  readonly peak: number;
}

const looks = 20;
const content = '{"misbehavior_detected": false, "score": 0.1, "detected_categories": []}';
const [task, folder, countText] = process.argv.slice(2) as [string, string, string];
const count = Number(countText), every = Math.ceil(count / looks);
const live: number[] = [];
const work: BatchWork = { samples: samples(count), monitor: monitorAt("http://127.0.0.1:1/v1"), context, prompting: "evidence", repeat: 1 };
const before = liveHeapMb();

async function exported(): Promise<void> {
  await exportBatch({ ...work, onProgress: (done) => { if (done % every === every - 1) live.push(liveHeapMb()); } }, { out: join(folder, "q.jsonl"), engine: "openai", shardRequests: 50_000, shardBytes: 180e6 });
}

/** A result row for each request of the export, line by line, so that making them takes no memory of the import's. */
async function makeResults(): Promise<void> {
  for (const name of readdirSync(folder).filter((one) => one.startsWith("q-") || one === "q.jsonl")) {
    const out = createWriteStream(join(folder, name.replace(/^q/, "r")));
    for await (const line of createInterface({ input: createReadStream(join(folder, name)) })) {
      const row = `{"custom_id":${/"custom_id":("[^"]*")/.exec(line)![1]!},"response":{"status_code":200,"body":{"model":"m","choices":[{"message":{"content":${JSON.stringify(content)}},"finish_reason":"stop"}]}},"error":null}\n`;
      if (!out.write(row)) await once(out, "drain");
    }
    await new Promise((done) => out.end(done));
  }
}

async function imported(): Promise<void> {
  const writer = await RunWriter.create(folder, header("batch"));
  let written = 0;
  const result = await importBatch(work, {
    files: readdirSync(folder).filter((one) => one.startsWith("r")).sort().map((one) => join(folder, one)), isDone: () => false, now: () => "2026-01-01T00:00:00Z",
    append: (...lines) => {
      const looked = Math.floor(written / every);
      written += lines.length;
      if (Math.floor(written / every) > looked) live.push(liveHeapMb());
      return writer.append(...lines);
    },
  });
  await writer.close();
  if (result.verdicts !== count || result.missing.length > 0) throw new Error(`imported ${result.verdicts} of ${count}`);
}

if (task === "export") await exported();
else if (task === "results") await makeResults();
else await imported();
console.log(JSON.stringify({ before, live, peak: (process.resourceUsage().maxRSS * 1024) / 1e6 } satisfies BatchMeasured));
