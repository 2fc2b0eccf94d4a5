/** Folders for the time of one test: copies of the samples with monitors added, and files of any bytes. */
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** An empty folder that goes when the test ends. */
export function scratchFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "tracemark-lsp-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A copy of samples/ whose `tracemark.json` has `monitors` beside its own. */
export function samplesCopy(t: TestContext, monitors: Record<string, object> = {}): string {
  const folder = scratchFolder(t);
  cpSync("samples", folder, { recursive: true });
  const config = JSON.parse(readFileSync(join(folder, "tracemark.json"), "utf8")) as { monitors: object };
  writeFileSync(join(folder, "tracemark.json"), JSON.stringify({ ...config, monitors: { ...config.monitors, ...monitors } }, null, 2));
  return folder;
}

/** Writes `content` to `name` in `folder` and returns its path. */
export function scratchFile(folder: string, name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** The lines of the run files that the editor wrote below `root`, by file name. */
export function editorRuns(root: string): Record<string, Record<string, unknown>[]> {
  const folder = join(root, "runs");
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder).filter((name) => name.startsWith("editor-"));
  return Object.fromEntries(names.map((name) => [
    name, readFileSync(join(folder, name), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>),
  ]));
}
