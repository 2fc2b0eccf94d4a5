/** Runs made by hand in the editor: one file for each monitor, prompt and parameters, growing by a line a verdict. */
import { join } from "node:path";
import type { RunHeader, VerdictRecord } from "#core/workspace/schemas";
import { sha256 } from "#node/sha256";
import { RunWriter } from "#node/store/run-writer";
import { StoreFailure } from "#node/store/store-failure";

export class EditorRuns {
  private last: Promise<unknown> = Promise.resolve();

  /**
   * Appends a verdict to the run file in `folder` that belongs to `header`, made with the first verdict. Resolves with the
   * header that stands in the file, once the line is flushed to disk. Two views may run at once: one writes after the other.
   * @throws StoreFailure when the folder cannot be written
   */
  append(folder: string, header: RunHeader, prompt: string, verdict: VerdictRecord): Promise<RunHeader> {
    const written = this.last.then(() => write(folder, header, prompt, verdict));
    this.last = written.catch(() => undefined);
    return written;
  }
}

async function write(folder: string, header: RunHeader, prompt: string, verdict: VerdictRecord): Promise<RunHeader> {
  const { run_id: _id, created_at: _at, ...identity } = header;
  const run: RunHeader = { ...header, run_id: `editor-${slug(header.monitor)}-${sha256(JSON.stringify(identity)).slice(0, 8)}` };
  const writer = await begunOrNew(folder, run, prompt);
  try {
    await writer.append(verdict);
    return writer.header;
  } finally {
    await writer.close();
  }
}

async function begunOrNew(folder: string, run: RunHeader, prompt: string): Promise<RunWriter> {
  try {
    return await RunWriter.create(folder, run, prompt);
  } catch (error) {
    if (error instanceof StoreFailure && error.code === "exists") return RunWriter.resume(join(folder, `${run.run_id}.jsonl`));
    throw error;
  }
}

function slug(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9._-]+/g, "-").slice(0, 64);
}
