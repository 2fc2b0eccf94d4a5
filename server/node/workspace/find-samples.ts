/** Looks for files below a root: those that the patterns of `tracemark.json` name, or every one that may be a trajectory. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { formats } from "#core/trajectory/formats/index";
import type { FileProblem } from "#core/workspace/file-problem";
import { globMatcher, isGlob } from "#core/workspace/glob";
import { insidePath, type WorkspaceSettings } from "#core/workspace/config";

/** Files looked at before a search without patterns stops. */
export const searchLimit = 5_000;

export interface FoundFiles {
  /** Paths from the root with `/`, sorted. */
  readonly files: readonly string[];
  /** Those of them that were named letter by letter: any reader may read them. */
  readonly named: ReadonlySet<string>;
  readonly problems: readonly FileProblem[];
}

export interface FindOptions {
  /** Further paths (from the root) to leave out, as the editor's excluded files. */
  readonly isExcluded?: ((path: string) => boolean) | undefined;
  readonly limit?: number | undefined;
}

const endings = new Set([".json", ".jsonl", ".eval", ".traj", ".gz", ...formats.flatMap(({ extensions }) => extensions)]);

/** Whether a file of this name may hold trajectories. */
export function mayBeTrajectory(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name !== "tracemark.json" && [...endings].some((ending) => name.endsWith(ending));
}

/** The files of a root, by its patterns or by search. Folders that cannot be read are problems. */
export async function findFiles(root: string, settings: WorkspaceSettings, options: FindOptions = {}): Promise<FoundFiles> {
  const problems: FileProblem[] = [];
  if (settings.samples === undefined) {
    const limit = options.limit ?? searchLimit;
    const files = await walk(root, settings, { ...options, limit: limit + 1, isWanted: mayBeTrajectory }, problems);
    if (files.length > limit) {
      problems.push({ file: ".", code: "search-stopped", message: `More than ${limit} files may hold trajectories; only the first ${limit} are samples. Name those you mean in tracemark.json ("samples").` });
    }
    return { files: files.slice(0, limit).sort(), named: new Set(), problems };
  }
  const named = new Set<string>();
  const found = new Set<string>();
  const patterns: { pattern: string; matches: (path: string) => boolean; hits: number }[] = [];
  for (const entry of settings.samples) {
    const path = insidePath(entry);
    if (path === undefined) problems.push({ file: "tracemark.json", code: "outside-root", message: `"samples": ${entry} does not lie below the folder of this file; copy it there.` });
    else if (isGlob(path)) patterns.push({ pattern: entry, matches: globMatcher(path), hits: 0 });
    else if (path === "" || path.endsWith("/") || (await isFolder(join(root, path)))) patterns.push({ pattern: entry, matches: globMatcher(path === "" ? "**" : `${path}/**`), hits: 0 });
    else named.add(path);
  }
  if (patterns.length > 0) {
    for (const file of await walk(root, settings, { ...options, isWanted: mayBeTrajectory }, problems)) {
      for (const pattern of patterns) {
        if (!pattern.matches(file)) continue;
        pattern.hits++;
        found.add(file);
      }
    }
  }
  for (const { pattern, hits } of patterns) {
    if (hits === 0) problems.push({ file: "tracemark.json", code: "no-match", message: `"samples": no file fits ${pattern}.` });
  }
  return { files: [...new Set([...named, ...found])].sort(), named, problems };
}

async function isFolder(path: string): Promise<boolean> {
  return readdir(path).then(() => true, () => false);
}

interface WalkOptions extends FindOptions {
  readonly isWanted: (path: string) => boolean;
}

/**
 * Files below the root in breadth order, so that a limit cuts the deepest. Left out: labels, runs, plans, dot folders,
 * node_modules, roots of their own, and links (they may lead out of the root, or round in circles).
 */
async function walk(root: string, settings: WorkspaceSettings, { isExcluded, limit = Infinity, isWanted }: WalkOptions, problems: FileProblem[]): Promise<string[]> {
  const skipped = new Set([settings.labels, settings.runs, settings.plans]);
  const files: string[] = [];
  const folders = [""];
  for (let at = 0; at < folders.length && files.length < limit; at++) {
    const folder = folders[at] ?? "";
    let entries;
    try {
      entries = await readdir(join(root, folder), { withFileTypes: true });
    } catch (error) {
      problems.push({ file: folder === "" ? "." : folder, code: "unreadable", message: `The folder cannot be read (${(error as NodeJS.ErrnoException).code ?? "error"}); what is in it is not looked at.` });
      continue;
    }
    if (folder !== "" && entries.some(({ name }) => name === "tracemark.json")) continue;
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (isExcluded?.(path)) continue;
      if (entry.isDirectory()) {
        if (!entry.name.startsWith(".") && entry.name !== "node_modules" && !skipped.has(path)) folders.push(path);
      } else if (entry.isFile() && isWanted(path)) files.push(path);
    }
  }
  return files;
}
