/** Looks for files below a root: those that the patterns of `tracemark.json` name, or every one that may be a trajectory. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { formats } from "#core/trajectory/formats/index";
import type { FileProblem } from "#core/workspace/file-problem";
import { globMatcher, isGlob } from "#core/workspace/glob";
import { isManifestName } from "#core/workspace/manifest";
import { insidePath, type WorkspaceSettings } from "#core/workspace/config";

/** Files looked into before a search without patterns stops, and files found by it at all. */
export const searchLimit = 20_000;
const walkLimit = 100_000;

export interface FoundFiles {
  /** Paths from the root with `/`; from a search those in shallow folders first, by patterns sorted. */
  readonly files: readonly string[];
  /** Whether they come from a search, which looks into `searchLimit` of them at most. */
  readonly searched: boolean;
  /** Those of them that were named letter by letter: any reader may read them. */
  readonly named: ReadonlySet<string>;
  readonly problems: readonly FileProblem[];
}

export interface FindOptions {
  /** Further paths (from the root) to leave out, as the editor's excluded files. */
  readonly isExcluded?: ((path: string) => boolean) | undefined;
  /** In place of `searchLimit`. */
  readonly limit?: number | undefined;
}

const endings = new Set([".json", ".jsonl", ".eval", ".traj", ".gz", ...formats.flatMap(({ extensions }) => extensions)]);

/** Whether a file of this name may hold trajectories. */
export function mayBeTrajectory(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name !== "tracemark.json" && [...endings].some((ending) => name.endsWith(ending));
}

/** Endings that other programs use as well: such a name promises nothing. */
const sharedEndings = new Set([".json", ".jsonl", ".gz", ".har"]);

/** Whether the name says that the file is a trajectory (`run.traj`, `log.eval`, `a.atif.json`), packed by gzip or not. */
export function mustBeTrajectory(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.gz$/, "");
  return !isManifestName(name) && [...endings].some((ending) => !sharedEndings.has(ending) && name.endsWith(ending));
}

/** The files of a root, by its patterns or by search. Folders that cannot be read are problems. */
export async function findFiles(root: string, settings: WorkspaceSettings, options: FindOptions = {}): Promise<FoundFiles> {
  const problems: FileProblem[] = [];
  if (settings.samples === undefined) {
    const files = await walk(root, settings, { ...options, isWanted: mayBeTrajectory }, problems);
    return { files, searched: true, named: new Set(), problems };
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
  return { files: [...new Set([...named, ...found])].sort(), searched: false, named, problems };
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
async function walk(root: string, settings: WorkspaceSettings, { isExcluded, isWanted }: WalkOptions, problems: FileProblem[]): Promise<string[]> {
  const skipped = new Set([settings.labels, settings.runs, settings.plans]);
  const files: string[] = [];
  const folders = [""];
  for (let at = 0; at < folders.length && files.length < walkLimit; at++) {
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
