/** The runs of a root, each file read again only when it changed. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FileProblem } from "#core/workspace/file-problem";
import { readRunFile, type RunFile } from "#core/workspace/run-file";
import { nodeDisk } from "../store/disk";

interface CachedRun {
  readonly stamp: string;
  readonly run: RunFile | undefined;
  readonly problems: readonly FileProblem[];
}

export class RunFiles {
  private readonly cache = new Map<string, CachedRun>();

  /** `shown` is the folder's path from the root. */
  constructor(private readonly root: string, private readonly shown: string) {}

  /** All runs, oldest first by `created_at` and then id; of two files with the same run id the first by name counts. */
  async load(): Promise<{ runs: readonly RunFile[]; problems: readonly FileProblem[] }> {
    const problems: FileProblem[] = [];
    const byId = new Map<string, RunFile>();
    let names: string[] = [];
    try {
      names = (await nodeDisk.list(join(this.root, this.shown))).filter((name) => name.endsWith(".jsonl"));
    } catch (error) {
      problems.push({ file: this.shown, code: "unreadable", message: `The folder cannot be read (${(error as NodeJS.ErrnoException).code ?? "error"}).` });
    }
    for (const name of names) {
      const { run, problems: own } = await this.read(`${this.shown}/${name}`);
      problems.push(...own);
      if (!run) continue;
      const taken = byId.get(run.header.run_id);
      if (taken) problems.push({ file: run.file, line: 1, code: "duplicate-id", message: `The run ${run.header.run_id} is in ${taken.file} already; this file is not used.` });
      else byId.set(run.header.run_id, run);
    }
    const runs = [...byId.values()].sort((a, b) => compare(a.header.created_at, b.header.created_at) || compare(a.header.run_id, b.header.run_id));
    return { runs, problems };
  }

  private async read(file: string): Promise<CachedRun> {
    try {
      const path = join(this.root, file);
      const { size, mtimeMs, ino } = await stat(path);
      const stamp = `${size}:${mtimeMs}:${ino}`;
      const known = this.cache.get(file);
      if (known?.stamp === stamp) return known;
      const entry = { stamp, ...readRunFile(await readFile(path, "utf8"), file) };
      this.cache.set(file, entry);
      return entry;
    } catch (error) {
      return { stamp: "", run: undefined, problems: [{ file, code: "unreadable", message: `The file cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}).` }] };
    }
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
