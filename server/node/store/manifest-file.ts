/** Changes manifests and other small text files: under a lock, atomically, and never over what somebody else wrote meanwhile. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { decodeUtf8, lineOfByte } from "#core/json/decode";
import { ExpectedFailure } from "../expected-failure";
import { nodeDisk } from "./disk";
import { takeLock } from "./lock-file";
import { replaceFile } from "./replace-file";

/** The bytes of a file; none where it is not there. */
async function bytesOf(path: string): Promise<Buffer> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? Buffer.alloc(0) : Promise.reject(error)));
}

/** @throws ExpectedFailure where the file is not UTF-8, since writing it again would change other lines than those meant */
function textOf(bytes: Buffer, path: string): string {
  const { text, invalidAt } = decodeUtf8(bytes);
  if (invalidAt === undefined && Buffer.from(text, "utf8").equals(bytes)) return text;
  const line = invalidAt === undefined ? 1 : lineOfByte(bytes, invalidAt);
  throw new ExpectedFailure("the file is not UTF-8, and writing it would change what cannot be read", "save it as UTF-8 first", { file: path, line });
}

/** The text of a file with its byte order mark, if any; empty where it is not there. @throws ExpectedFailure where it is not UTF-8 */
export async function readTextFile(path: string): Promise<string> {
  return textOf(await bytesOf(path), path);
}

export interface TextChange {
  /** Absolute path. */
  readonly path: string;
  /** The text that the change was made from; without it the file may hold anything. */
  readonly seen?: string | undefined;
  readonly change: (text: string) => string;
}

/**
 * Makes changes to files, all or none as far as can be told beforehand: every file is locked, read and compared before the first is
 * written. Lines that a change leaves alone stay as they were, byte for byte.
 * @throws ExpectedFailure where a file is locked, is not UTF-8, or is not what was seen; StoreFailure where it cannot be written
 */
export async function changeTextFiles(changes: readonly TextChange[]): Promise<void> {
  const held: { release(): Promise<void> }[] = [];
  try {
    // In one order, so that two writers of the same files do not wait for each other.
    const ordered = [...changes].sort((a, b) => (a.path < b.path ? -1 : 1));
    for (const { path } of ordered) {
      const lock = await takeLock(path, { disk: nodeDisk });
      if ("held" in lock) held.push(lock.held);
      else if (lock.refused === "in-use") throw new ExpectedFailure("the file is being written by another program, so nothing was changed", "try again", { file: path });
    }
    const ready: { path: string; before: string; after: string }[] = [];
    for (const { path, seen, change } of ordered) {
      const before = await readTextFile(path);
      if (seen !== undefined && before !== seen) throw changedMeanwhile(path);
      ready.push({ path, before, after: change(before) });
    }
    for (const { path, before, after } of ready) if (after !== before) await replaceFile(path, after, async () => {
      // Editors do not know our lock.
      if ((await readTextFile(path)) !== before) throw changedMeanwhile(path);
    });
  } finally {
    for (const lock of held) await lock.release();
  }
}

function changedMeanwhile(path: string): ExpectedFailure {
  return new ExpectedFailure(`${basename(path)} was changed by another program meanwhile, so nothing was written`, "look at it again, and repeat what you did", { file: path });
}
