/** Batches for other engines: requests written to sharded files, and verdicts made of the results that come back. */
import { mkdir, open, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname, join, parse } from "node:path";
import { batchLine, readBatchRow, type BatchEngine } from "#core/monitors/batch-format";
import { invalidVerdict, type ModelAnswer, type ModelCall, type Monitor, type MonitorContext, type Prompting, type Verdict } from "#core/monitors/define";
import { requestsOf, type Requests } from "#core/monitors/llm-requests";
import { verdictOf } from "#core/monitors/llm-verdict";
import { verdictRecord } from "#core/monitors/run-monitor";
import type { Trajectory } from "#core/trajectory/model";
import type { VerdictRecord } from "#core/workspace/schemas";
import { ExpectedFailure, fileFailure } from "./expected-failure";
import type { BatchSample } from "./run-batch";
import { contentSha256, sha256 } from "./sha256";
import { eachLine } from "./store/run-progress";

export interface BatchWork {
  readonly samples: readonly BatchSample[];
  readonly monitor: Monitor;
  readonly context: MonitorContext;
  readonly prompting: Prompting;
  readonly repeat: number;
  readonly signal?: AbortSignal | undefined;
  onProgress?(done: number, total: number): void;
}

/**
 * The id of one request: made of the sample, the repeat, the segment, and of all that the request says. So a result is never
 * counted for a sample, a prompt or parameters that have changed in between. Letters, digits and hyphens, 43 characters.
 */
export function customIdOf(sampleId: string, repeat: number, segment: number, call: ModelCall): string {
  const { timeout_s: _timeout, ...params } = call.params;
  return `tm-${sha256(JSON.stringify(["batch 1", sampleId, repeat, segment, call.model, call.system, call.user, params])).slice(0, 40)}`;
}

/** The requests of a sample, or the invalid verdict that it gets without being asked. */
async function asked(sample: BatchSample, work: BatchWork): Promise<{ trajectory: Trajectory; requests: Requests } | { verdict: Verdict; trajectory?: Trajectory }> {
  let trajectory: Trajectory;
  try {
    trajectory = { ...(await sample.load()), id: sample.id };
  } catch (error) {
    return { verdict: invalidVerdict("unreadable", error instanceof Error ? error.message : String(error)) };
  }
  if (trajectory.steps.length === 0) return { verdict: invalidVerdict("unreadable", trajectory.warnings[0]?.message ?? "the sample holds no steps") };
  const requests = requestsOf(work.monitor, trajectory, work.context, work.prompting);
  return "problem" in requests ? { verdict: invalidVerdict("context_length", requests.problem), trajectory } : { trajectory, requests };
}

export interface ExportOptions {
  /** Absolute path; with several shards `-00001` and so on go before its extension. */
  readonly out: string;
  readonly engine: BatchEngine;
  /** Most requests, and most bytes, of one file. */
  readonly shardRequests: number;
  readonly shardBytes: number;
}

export interface Exported {
  readonly files: readonly string[];
  readonly requests: number;
  readonly samples: number;
  /** Samples that cannot be asked about, with a sentence; on import they are invalid. */
  readonly left: readonly { readonly id: string; readonly reason: string }[];
}

/** Writes all requests. Rejects with an `ExpectedFailure` when a file is there already or cannot be written. */
export async function exportBatch(work: BatchWork, options: ExportOptions): Promise<Exported> {
  const writer = new ShardWriter(options);
  const left: { id: string; reason: string }[] = [];
  let requests = 0, samples = 0;
  try {
    for (const [done, sample] of work.samples.entries()) {
      work.signal?.throwIfAborted();
      work.onProgress?.(done, work.samples.length);
      const found = await asked(sample, work);
      if ("verdict" in found) {
        left.push({ id: sample.id, reason: found.verdict.message ?? "" });
        continue;
      }
      samples++;
      for (let repeat = 0; repeat < work.repeat; repeat++) {
        for (const [segment, call] of found.requests.calls.entries()) {
          await writer.line(JSON.stringify(batchLine(call, customIdOf(sample.id, repeat, segment, call), options.engine)));
          requests++;
        }
      }
    }
    return { files: await writer.finish(), requests, samples, left };
  } catch (error) {
    await writer.abandon();
    if (work.signal?.aborted) throw new ExpectedFailure("the export was stopped", "start it again; nothing was left behind");
    throw error instanceof ExpectedFailure ? error : (error as NodeJS.ErrnoException).code === undefined ? error : fileFailure(error, options.out);
  }
}

const flushBytes = 1 << 20;

/** Shards under temporary names until all is written, so that a half export is never taken for a whole one. */
class ShardWriter {
  private readonly shards: string[] = [];
  private handle: FileHandle | undefined;
  private buffer: string[] = [];
  private buffered = 0;
  private requests = 0;
  private bytes = 0;

  constructor(private readonly options: ExportOptions) {}

  async line(text: string): Promise<void> {
    const size = Buffer.byteLength(text) + 1;
    const full = this.requests >= this.options.shardRequests || this.bytes + size > this.options.shardBytes;
    if (!this.handle || (full && this.requests > 0)) await this.next();
    this.buffer.push(text, "\n");
    this.buffered += size;
    this.requests++;
    this.bytes += size;
    if (this.buffered >= flushBytes) await this.flush();
  }

  /** Names of the finished files. */
  async finish(): Promise<string[]> {
    if (!this.handle) await this.next();
    await this.close();
    const { dir, name, ext } = parse(this.options.out);
    const names = this.shards.map((_, at) => (this.shards.length === 1 ? this.options.out : join(dir, `${name}-${String(at + 1).padStart(5, "0")}${ext}`)));
    for (const file of names) if (await exists(file)) throw new ExpectedFailure("a file of that name is already there", "choose another name, or remove it", { file });
    for (const [at, file] of names.entries()) await rename(this.shards[at]!, file);
    return names;
  }

  async abandon(): Promise<void> {
    await this.handle?.close().catch(() => undefined);
    for (const file of this.shards) await rm(file, { force: true });
  }

  private async next(): Promise<void> {
    await this.close();
    if (this.shards.length === 0 && (await exists(this.options.out))) throw new ExpectedFailure("a file of that name is already there", "choose another name, or remove it", { file: this.options.out });
    await mkdir(dirname(this.options.out), { recursive: true });
    const file = `${this.options.out}.${this.shards.length + 1}.tmp`;
    this.shards.push(file);
    this.handle = await open(file, "w");
    this.requests = 0;
    this.bytes = 0;
  }

  private async flush(): Promise<void> {
    if (this.buffered > 0) await this.handle?.write(this.buffer.join(""));
    this.buffer = [];
    this.buffered = 0;
  }

  private async close(): Promise<void> {
    await this.flush();
    await this.handle?.sync();
    await this.handle?.close();
    this.handle = undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(() => true, () => false);
}

export interface ImportOptions {
  readonly files: readonly string[];
  append(...verdicts: readonly VerdictRecord[]): Promise<void>;
  isDone(sampleId: string, repeat: number): boolean;
  now(): string;
}

export interface Imported {
  readonly verdicts: number;
  readonly invalid: number;
  /** Ids of samples without a verdict of every repeat. */
  readonly missing: readonly string[];
  /** Rows for a request that was answered already. */
  readonly repeated: number;
  /** Rows whose id belongs to no request of these samples, and lines that are no rows. */
  readonly unknown: number;
  /** Rows that say that their request failed, the first with its words. */
  readonly failed: number;
  readonly firstFailure?: string | undefined;
}

/** Place of a request among all: index of the sample, repeat, segment, number of segments. */
type Place = readonly [sample: number, repeat: number, segment: number, segments: number];

const writtenAtOnce = 256;

/**
 * Makes verdicts of result rows in any order. Rows are read one by one and trajectories again as their answers come, so that
 * memory holds an id for each request and no texts. Rejects with an `ExpectedFailure` when a file cannot be read.
 */
export async function importBatch(work: BatchWork, options: ImportOptions): Promise<Imported> {
  const places = new Map<string, Place>();
  const pending: VerdictRecord[] = [];
  const counts = { verdicts: 0, invalid: 0, repeated: 0, unknown: 0, failed: 0 };
  let firstFailure: string | undefined;
  const done = new Set<string>();
  const keyOf = (sample: number, repeat: number): string => `${sample}/${repeat}`;
  const flush = async (): Promise<void> => { if (pending.length > 0) await options.append(...pending.splice(0)); };
  const give = async (verdict: Verdict, sample: number, repeat: number, trajectory: Trajectory | undefined): Promise<void> => {
    done.add(keyOf(sample, repeat));
    counts.verdicts++;
    if (verdict.outcome === "invalid") counts.invalid++;
    pending.push(verdictRecord(verdict, {
      sampleId: work.samples[sample]!.id, createdAt: options.now(), ...(work.repeat > 1 ? { repeat } : {}), ...(trajectory ? { contentSha256: contentSha256(trajectory.steps) } : {}),
    }));
    if (pending.length >= writtenAtOnce) await flush();
  };
  for (const [at, sample] of work.samples.entries()) {
    work.signal?.throwIfAborted();
    work.onProgress?.(at, work.samples.length);
    const found = await asked(sample, work);
    for (let repeat = 0; repeat < work.repeat; repeat++) {
      if (options.isDone(sample.id, repeat)) done.add(keyOf(at, repeat));
      else if ("verdict" in found) {
        await give(found.verdict, at, repeat, found.trajectory);
        continue;
      }
      if ("requests" in found) for (const [segment, call] of found.requests.calls.entries()) places.set(customIdOf(sample.id, repeat, segment, call), [at, repeat, segment, found.requests.calls.length]);
    }
  }
  const answered = new Set<string>();
  const partial = new Map<string, (ModelAnswer | undefined)[]>();
  const take = async (text: string): Promise<void> => {
    if (text === "") return;
    work.signal?.throwIfAborted();
    const row = readBatchRow(parsed(text));
    const place = row && places.get(row.customId);
    if (!row || !place) { counts.unknown++; return; }
    if ("failed" in row) { counts.failed++; firstFailure ??= row.failed; return; }
    const [sample, repeat, segment, segments] = place;
    if (answered.has(row.customId)) { counts.repeated++; return; }
    answered.add(row.customId);
    if (done.has(keyOf(sample, repeat))) { counts.repeated++; return; }
    const replies = partial.get(keyOf(sample, repeat)) ?? Array.from({ length: segments }, () => undefined);
    replies[segment] = row.answer;
    if (replies.some((one) => one === undefined)) { partial.set(keyOf(sample, repeat), replies); return; }
    partial.delete(keyOf(sample, repeat));
    const found = await asked(work.samples[sample]!, work);
    if ("requests" in found) await give(verdictOf(work.monitor, found.trajectory, work.prompting, found.requests, replies as ModelAnswer[]), sample, repeat, found.trajectory);
  };
  for (const file of options.files) await eachLine(file, take).catch((error: unknown) => Promise.reject((error as NodeJS.ErrnoException).code === undefined || error instanceof ExpectedFailure ? error : fileFailure(error, file)));
  await flush();
  const missing = work.samples.flatMap(({ id }, at) => (Array.from({ length: work.repeat }, (_, repeat) => done.has(keyOf(at, repeat))).every(Boolean) ? [] : [id]));
  return { ...counts, missing, firstFailure };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
