/** Writes a whole file so that a reader sees the old one or the new one, and a crash leaves one of the two. */
import { open, realpath, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ExpectedFailure } from "../expected-failure";
import { nodeDisk } from "./disk";
import { writeFailure, type WriteStage } from "./store-failure";

let made = 0;

/**
 * Resolves once the text is on disk under `path` (absolute). A link is followed, permissions are kept. `check` runs last, before the new
 * file takes the place of the old one; what it throws is thrown, and the old file stays. Otherwise rejects with a `StoreFailure`.
 */
export async function replaceFile(path: string, text: string, check?: () => Promise<void>): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const draft = join(dirname(target), `.${basename(target)}.${process.pid}.${++made}.tmp`);
  let stage: WriteStage = "open";
  try {
    await nodeDisk.makeFolder(dirname(target));
    const mode = await stat(target).then((facts) => facts.mode & 0o777, () => 0o666);
    const handle = await open(draft, "wx", mode);
    try {
      stage = "write";
      await handle.writeFile(text, "utf8");
      stage = "flush";
      await handle.sync();
    } finally {
      stage = stage === "flush" ? "close" : stage;
      await handle.close();
    }
    await check?.();
    await rename(draft, target);
    await nodeDisk.syncFolder(dirname(target));
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw error instanceof ExpectedFailure ? error : writeFailure(error, path, stage);
  }
}
