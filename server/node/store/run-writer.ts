/** Writes a run file: header first, then verdicts as they come, each on disk before it is acknowledged. */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describeIssues, type FileProblem } from "#core/workspace/file-problem";
import { RunHeader, VerdictRecord } from "#core/workspace/schemas";
import { appendLine } from "./append-line";
import { nodeDisk, type Disk } from "./disk";
import { takeLock, type HeldLock } from "./lock-file";
import { readRunProgress, type RunProgress } from "./run-progress";
import { StoreFailure, writeFailure } from "./store-failure";

interface Waiting {
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** One run being written. Holds the file's lock until `close`, so that two processes never continue the same run. */
export class RunWriter {
  private waiting: Waiting[] = [];
  private writing: Promise<void> | undefined;
  /** The folder is there once the header is: a run whose folder goes away ends with an error, and not in a file without a header. */
  private readonly appending: Disk;

  private constructor(
    readonly path: string, readonly header: RunHeader, private readonly lock: HeldLock | undefined, disk: Disk,
    /** What the file held when it was resumed. */
    readonly before: RunProgress | undefined, readonly problems: readonly FileProblem[],
  ) {
    this.appending = { ...disk, makeFolder: async () => undefined };
  }

  /**
   * Starts `RUNS/RUN_ID.jsonl` and writes its header; `prompt` goes to `RUNS/prompts/SHA.txt`. Rejects with a `StoreFailure`
   * when the run is there already or cannot be written.
   */
  static async create(runsFolder: string, header: RunHeader, prompt?: string, disk: Disk = nodeDisk): Promise<RunWriter> {
    if (!/^[A-Za-z0-9._-]{1,128}$/.test(header.run_id) || header.run_id.startsWith(".")) {
      throw new StoreFailure("bad-record", `the run id ${JSON.stringify(header.run_id)} cannot be a file name`, "use letters, digits, dot, underscore and hyphen");
    }
    const path = join(runsFolder, `${header.run_id}.jsonl`);
    try {
      await mkdir(runsFolder, { recursive: true });
      if (prompt !== undefined) await keepPrompt(runsFolder, header.prompt_sha256, prompt);
    } catch (error) {
      throw writeFailure(error, runsFolder, "open");
    }
    const lock = await lockRun(path, disk);
    try {
      if ((await disk.facts(path).catch(() => undefined))?.size) {
        throw new StoreFailure("exists", "there is a run of this id already", "continue it or choose another id", { file: path });
      }
      await appendLine(path, lineOf(RunHeader, header), disk);
    } catch (error) {
      await lock?.release();
      throw error;
    }
    return new RunWriter(path, header, lock, disk, undefined, []);
  }

  /** Opens a run to add verdicts; nothing that is there changes. Rejects with a `StoreFailure` when it is no run file or is being written. */
  static async resume(path: string, disk: Disk = nodeDisk): Promise<RunWriter> {
    const lock = await lockRun(path, disk);
    try {
      const read = await readRunProgress(path);
      if (!read.header) throw new StoreFailure("bad-record", read.problems[0]?.message ?? "this is no run file", "name another run", { file: path, line: 1 });
      return new RunWriter(path, read.header, lock, disk, read, read.problems);
    } catch (error) {
      await lock?.release();
      throw writeFailure(error, path, "open");
    }
  }

  /** Appends verdicts, all in one write; resolves when they are on disk. Those that arrive while others are being flushed share the next write. */
  append(...verdicts: readonly VerdictRecord[]): Promise<void> {
    let line: string;
    try {
      line = verdicts.map((verdict) => lineOf(VerdictRecord, verdict)).join("\n");
    } catch (error) {
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ line, resolve, reject });
      this.writing ??= this.drain().finally(() => (this.writing = undefined));
    });
  }

  async close(): Promise<void> {
    await this.writing;
    await this.lock?.release();
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      try {
        await appendLine(this.path, batch.map(({ line }) => line).join("\n"), this.appending);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  }
}

async function lockRun(path: string, disk: Disk): Promise<HeldLock | undefined> {
  const result = await takeLock(path, { disk, waitMs: 1_000 });
  if ("held" in result) return result.held;
  // Where no lock can be made at all the run is still worth writing; what cannot be written will say so itself.
  if (result.refused === "impossible") return undefined;
  const who = result.holder.pid === undefined ? "another process" : `process ${result.holder.pid} on ${result.holder.host ?? "another machine"}`;
  throw new StoreFailure("locked", `this run is being written by ${who}`, "wait until it is done, or stop it", { file: path });
}

function lineOf(schema: typeof RunHeader | typeof VerdictRecord, value: unknown): string {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new StoreFailure("bad-record", `the line cannot be written: ${describeIssues(parsed.error.issues, value)}`, "this is a fault of the monitor; report it");
  return JSON.stringify(value);
}

/** Prompts are kept by hash and never change, so one that is there is the same one. */
async function keepPrompt(runsFolder: string, sha256: string, prompt: string): Promise<void> {
  const path = join(runsFolder, "prompts", `${sha256}.txt`);
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, prompt);
  await rename(temporary, path);
}
