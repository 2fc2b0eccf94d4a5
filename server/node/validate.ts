/** Checks files and folders: trajectories, manifests, pairs, labels, runs, plans, `tracemark.json`. */
import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { FileProblem } from "#core/workspace/file-problem";
import { fileFailure } from "./expected-failure";
import { openPath, pathFromRoot, rootOf } from "./open";
import { nodeDisk } from "./store/disk";
import { checkRoot } from "./validate/check-root";
import { kindOfFile } from "./validate/kinds";
import { rootAbove } from "./root";
import { Workspace } from "./workspace";

export interface ValidateOptions {
  /** Folder that paths start from, and root where no `tracemark.json` says otherwise. Absolute. */
  readonly cwd: string;
  readonly root?: string | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface Validated {
  /** `file` is the path from `cwd` with `/`. */
  readonly problems: FileProblem[];
  /** Trajectories that were read. */
  readonly read: number;
}

/** Enough of a file for the keys of its first line. */
const startBytes = 64 * 1024;

interface RootPaths {
  /** Paths from the root; a folder ends in `/`, the root itself is the empty text. */
  readonly paths: string[];
  readonly labels: string[];
  readonly runs: string[];
}

/** Checks what is at `paths`. Rejects with an `ExpectedFailure` when a path is not there or cannot be read. */
export async function validatePaths(paths: readonly string[], options: ValidateOptions): Promise<Validated> {
  const problems: FileProblem[] = [];
  let read = 0;
  const roots = new Map<string, RootPaths>();
  for (const given of paths) {
    const path = resolve(options.cwd, given);
    const facts = await stat(path).catch((error: unknown) => Promise.reject(fileFailure(error, given)));
    if (facts.isDirectory()) addPath(roots, rootAbove(path), path, true);
    else if (await isTrajectory(path, options, roots)) {
      problems.push(...(await checkTrajectoryFile(path, given, options)));
      read++;
    }
  }
  for (const [root, { paths: within, labels, runs }] of roots) {
    const workspace = await Workspace.load(root, { onProgress: options.onProgress });
    const checked = await checkRoot(workspace, {
      includes: (file) => within.some((path) => path === "" || path === file || (path.endsWith("/") && file.startsWith(path))),
      moreLabels: labels, moreRuns: runs, onProgress: options.onProgress,
    });
    read += checked.read;
    problems.push(...checked.problems.map((problem) => ({ ...problem, file: pathFromRoot(options.cwd, join(root, problem.file)) || "." })));
  }
  return { problems: sorted(problems), read };
}

/** Sorts a file to its root unless it is a trajectory, which stands alone. */
async function isTrajectory(path: string, options: ValidateOptions, roots: Map<string, RootPaths>): Promise<boolean> {
  const root = rootFor(path, options);
  const { settings } = await Workspace.load(root, { samples: [] });
  const start = (await nodeDisk.readBytes(path, 0, startBytes)).toString("utf8");
  const file = pathFromRoot(root, path);
  const kind = kindOfFile(file, settings, start);
  if (kind === "trajectory") return true;
  const entry = addPath(roots, root, path, false);
  const folder = file.slice(0, Math.max(0, file.lastIndexOf("/")));
  if (kind === "labels" && folder !== settings.labels) entry.labels.push(file);
  if (kind === "run" && folder !== settings.runs) entry.runs.push(file);
  return false;
}

/** The root of a file; a labels or runs folder itself is no root when it lies in the folder that the paths start from. */
function rootFor(path: string, options: ValidateOptions): string {
  const root = rootOf(path, options.root ?? options.cwd);
  return ["labels", "runs", "plans"].includes(basename(root)) && root === dirname(path) ? dirname(root) : root;
}

function addPath(roots: Map<string, RootPaths>, root: string, path: string, isFolder: boolean): RootPaths {
  const entry = roots.get(root) ?? { paths: [], labels: [], runs: [] };
  roots.set(root, entry);
  const file = pathFromRoot(root, path);
  entry.paths.push(isFolder && file !== "" ? `${file}/` : file);
  return entry;
}

/** What a reader has to say of one file. */
async function checkTrajectoryFile(path: string, given: string, options: ValidateOptions): Promise<FileProblem[]> {
  const opened = await openPath(path, { root: options.root ?? options.cwd, shownAs: given });
  const file = pathFromRoot(options.cwd, path);
  const { heads } = opened.file.opened;
  const problems: FileProblem[] = [];
  for (let index = 0; index < heads.length; index++) {
    const trajectory = opened.file.load(index);
    const name = heads.length > 1 ? `${trajectory.id}: ` : "";
    problems.push(...trajectory.warnings.map(({ code, message, line }) => ({ file, line, code, message: `${name}${message}` })));
  }
  problems.push(...opened.file.warnings().map(({ code, message, line }) => ({ file, line, code, message })));
  if (heads.length === 0 && problems.length === 0) problems.push({ file, code: "no-trajectory", message: "No trajectory was found in the file." });
  return problems;
}

/** By file and line; the same thing said twice is said once. */
function sorted(problems: readonly FileProblem[]): FileProblem[] {
  const unique = new Map(problems.map((problem) => [JSON.stringify([problem.file, problem.line, problem.code, problem.message]), problem]));
  return [...unique.values()].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : (a.line ?? 0) - (b.line ?? 0)));
}

