/** Runs made by hand in the editor: one file for each monitor, prompt and parameters, growing by a line a verdict. */
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { RunHeader, type VerdictRecord } from "#core/workspace/schemas";
import { ExpectedFailure, fileFailure } from "#node/expected-failure";
import { sha256 } from "#node/sha256";

/**
 * Appends a verdict to the run file that belongs to `header`, made with the first verdict. Resolves with the header
 * that stands in the file, once the line is flushed to disk.
 * @throws ExpectedFailure when the folder cannot be written
 */
export async function appendEditorVerdict(folder: string, header: RunHeader, prompt: string, verdict: VerdictRecord): Promise<RunHeader> {
  const { run_id: _id, created_at: _at, ...identity } = header;
  const run: RunHeader = { ...header, run_id: `editor-${slug(header.monitor)}-${sha256(JSON.stringify(identity)).slice(0, 8)}` };
  const path = join(folder, `${run.run_id}.jsonl`);
  try {
    mkdirSync(join(folder, "prompts"), { recursive: true });
    const promptPath = join(folder, "prompts", `${run.prompt_sha256}.txt`);
    if (!existsSync(promptPath)) writeFileSync(promptPath, prompt);
    append(path, JSON.stringify(run), JSON.stringify(verdict));
    return firstHeader(path) ?? run;
  } catch (error) {
    throw error instanceof ExpectedFailure ? error : fileFailure(error, path);
  }
}

function slug(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9._-]+/g, "-");
}

/** One write a line; a torn last line of an earlier kill is cut off first, the header is written when the file is new. */
function append(path: string, header: string, line: string): void {
  const file = openSync(path, "a+");
  try {
    let { size } = fstatSync(file);
    if (size > 0 && lastByte(file, size) !== 0x0a) {
      const text = readFileSync(path);
      size = text.lastIndexOf(0x0a) + 1;
      ftruncateSync(file, size);
    }
    writeSync(file, `${size === 0 ? `${header}\n` : ""}${line}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function lastByte(file: number, size: number): number {
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, size - 1);
  return byte[0] ?? 0;
}

function firstHeader(path: string): RunHeader | undefined {
  const text = readFileSync(path, "utf8");
  const parsed = RunHeader.safeParse(JSON.parse(text.slice(0, text.indexOf("\n"))));
  return parsed.success ? parsed.data : undefined;
}
