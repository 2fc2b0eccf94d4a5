/** What the verbs that work on a whole root share: finding it, loading it, and telling what is wrong in it. */
import { join, resolve } from "node:path";
import type { FileProblem } from "#core/workspace/file-problem";
import { ExpectedFailure } from "#node/expected-failure";
import { rootAbove } from "#node/root";
import { Workspace, type WorkspaceOptions } from "#node/workspace";
import type { Io, VerbCall } from "./define";
import { textOption } from "./define";
import { printable } from "./printable";
import { progressLine } from "./progress";

/** Problems told one by one; the rest is counted. */
const toldAtMost = 20;

/** Loads the root of `--root` or the current folder, with progress while files are looked into. */
export async function loadWorkspace(call: VerbCall, options: WorkspaceOptions = {}): Promise<Workspace> {
  const root = textOption(call, "root");
  const folder = root === undefined ? call.io.cwd : resolve(call.io.cwd, root);
  const progress = progressLine(call.io, "looking for samples");
  try {
    const workspace = await Workspace.load(rootAbove(folder), { ...options, onProgress: (done, total) => progress.update(done, total) });
    requireReadableConfig(workspace);
    return workspace;
  } finally {
    progress.end();
  }
}

/**
 * Refuses to work in a root whose `tracemark.json` is not JSON: with defaults in its place, labels and runs would be looked for,
 * and written, where they do not belong. With `usable` one that has not the expected form is refused too.
 */
export function requireReadableConfig({ root, problems }: Workspace, usable = false): void {
  const codes = ["bad-json", "unreadable", ...(usable ? ["bad-config"] : [])];
  const problem = problems.find(({ file, code }) => file === "tracemark.json" && codes.includes(code));
  if (!problem) return;
  const [what] = problem.message.split(/\. (?:It|The file) is not used/);
  throw new ExpectedFailure(what!, "correct it, then try again", { file: join(root, problem.file), line: problem.line });
}

/** Refuses a split that no sample belongs to: numbers of nothing would look like numbers. */
export function requireSplit({ samples }: Workspace, split: string | undefined): void {
  if (split === undefined || samples.some((sample) => sample.split === split)) return;
  const known = [...new Set(samples.flatMap((sample) => sample.split ?? []))].sort();
  throw new ExpectedFailure(`no sample belongs to the split "${split}"`, known.length === 0 ? "the manifest names no splits; leave --split out" : `choose from ${known.join(", ")}`);
}

/** Prints problems on standard error, one line each, the first ones in full. */
export function tellProblems(io: Io, problems: readonly FileProblem[]): void {
  for (const problem of problems.slice(0, toldAtMost)) io.note(`warning: ${problemLine(problem)}`);
  if (problems.length > toldAtMost) io.note(`warning: ${problems.length - toldAtMost} more problems; see tracemark validate`);
}

export function problemLine({ file, line, code, message }: FileProblem): string {
  return printable(`${file}${line === undefined ? "" : `:${line}`}: ${message.replace(/\s*[\r\n]+\s*/g, " ")} [${code}]`);
}
