/** Real reference files that live beside the checkout; tests that need one are skipped, with the reason printed, where it is missing. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { TestContext } from "node:test";

/** Root of the checkout; tests run from it. */
export const projectRoot = process.cwd();

/** Absolute path of a file below `../shared`, or undefined where it is missing. */
export function sharedPath(relative: string): string | undefined {
  const path = resolve(projectRoot, "..", "shared", relative);
  return existsSync(path) ? path : undefined;
}

/** Like `sharedPath`, but skips the test, naming what is missing. Returns undefined after skipping. */
export function sharedFile(t: TestContext, relative: string): string | undefined {
  const path = sharedPath(relative);
  if (!path) t.skip(`skipped: ../shared/${relative} is not there`);
  return path;
}
