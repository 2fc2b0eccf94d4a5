/** Appends a line to a JSON Lines file so that after a crash at any moment it is there whole or not at all. */
import { dirname } from "node:path";
import type { AppendFile, Disk } from "./disk";
import { StoreFailure, writeFailure, type WriteStage } from "./store-failure";

/** How far back a line end is looked for at once. */
const chunk = 64 * 1024;

/**
 * Appends `line` (without its end) in one write and flushes it; resolves when it is on disk. The caller holds the file's lock
 * or owns the file. A last line without its end is cut off first when it is not JSON, and ended when it is. After an error
 * the file is put back to its former size if nobody else has written since. Rejects with a `StoreFailure`. Answers how many
 * bytes of a torn line were cut off.
 */
export async function appendLine(path: string, line: string, disk: Disk): Promise<{ cut: number }> {
  let stage: WriteStage = "open";
  let file: AppendFile | undefined;
  try {
    await disk.makeFolder(dirname(path));
    file = await disk.openForAppend(path);
    const { size } = await file.facts();
    stage = "write";
    const tail = await readTail(file, size);
    const keep = tail.length > 0 && isJson(tail);
    const base = keep ? size : size - tail.length;
    if (base < size) await file.truncate(base);
    const bytes = Buffer.from(`${keep ? "\n" : ""}${line}\n`, "utf8");
    await writeWhole(file, bytes, base, path, () => (stage = "flush"));
    if (base === 0) await disk.syncFolder(dirname(path));
    stage = "close";
    const closing = file;
    file = undefined;
    await closing.close();
    return { cut: size - base };
  } catch (error) {
    await file?.close().catch(() => undefined);
    throw writeFailure(error, path, stage);
  }
}

/** Flushes what is in the file already, for a retry that finds its record there. */
export async function flushFile(path: string, disk: Disk): Promise<void> {
  try {
    const file = await disk.openForAppend(path);
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw writeFailure(error, path, "flush");
  }
}

async function writeWhole(file: AppendFile, bytes: Buffer, base: number, path: string, flushing: () => void): Promise<void> {
  let written = 0;
  try {
    written = await file.write(bytes);
    if (written < bytes.length) {
      throw new StoreFailure("no-space", `the disk or a limit is full: only ${written} of ${bytes.length} bytes could be written`, "free some space, then try again", { file: path }, "write");
    }
    flushing();
    await file.sync();
  } catch (error) {
    // What was not flushed may still appear later; taking it back keeps a retry from standing beside it.
    const { size } = await file.facts().catch(() => ({ size: -1 }));
    if (size > base && size <= base + bytes.length) await file.truncate(base).catch(() => undefined);
    throw error;
  }
}

/** The bytes behind the last line end. */
async function readTail(file: AppendFile, size: number): Promise<Buffer> {
  let tail = Buffer.alloc(0);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - chunk);
    const bytes = await file.read(start, end);
    const at = bytes.lastIndexOf(0x0a);
    tail = Buffer.concat([bytes.subarray(at + 1), tail]);
    if (at >= 0) break;
    end = start;
  }
  return tail;
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}
