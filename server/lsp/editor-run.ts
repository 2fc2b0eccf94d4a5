/** Runs made by hand in the editor: one file for each monitor, prompt and parameters, growing by a line a verdict. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RunHeader, VerdictRecord } from "#core/workspace/schemas";
import { sha256 } from "#node/sha256";
import { RunWriter } from "#node/store/run-writer";

/**
 * Appends a verdict to the run file in `folder` that belongs to `header`, made with the first verdict. Resolves with the
 * header that stands in the file, once the line is flushed to disk.
 * @throws StoreFailure when the folder cannot be written
 */
export async function appendEditorVerdict(folder: string, header: RunHeader, prompt: string, verdict: VerdictRecord): Promise<RunHeader> {
  const { run_id: _id, created_at: _at, ...identity } = header;
  const run: RunHeader = { ...header, run_id: `editor-${slug(header.monitor)}-${sha256(JSON.stringify(identity)).slice(0, 8)}` };
  const path = join(folder, `${run.run_id}.jsonl`);
  const writer = existsSync(path) ? await RunWriter.resume(path) : await RunWriter.create(folder, run, prompt);
  try {
    await writer.append(verdict);
    return writer.header;
  } finally {
    await writer.close();
  }
}

function slug(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9._-]+/g, "-").slice(0, 64);
}
