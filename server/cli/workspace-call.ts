/** What the verbs that work on a whole root share: finding it, loading it, and telling what is wrong in it. */
import { resolve } from "node:path";
import type { FileProblem } from "#core/workspace/file-problem";
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
    return await Workspace.load(rootAbove(folder), { ...options, onProgress: (done, total) => progress.update(done, total) });
  } finally {
    progress.end();
  }
}

/** Prints problems on standard error, one line each, the first ones in full. */
export function tellProblems(io: Io, problems: readonly FileProblem[]): void {
  for (const problem of problems.slice(0, toldAtMost)) io.note(`warning: ${problemLine(problem)}`);
  if (problems.length > toldAtMost) io.note(`warning: ${problems.length - toldAtMost} more problems; see tracemark validate`);
}

export function problemLine({ file, line, code, message }: FileProblem): string {
  return printable(`${file}${line === undefined ? "" : `:${line}`}: ${message.replace(/\s*[\r\n]+\s*/g, " ")} [${code}]`);
}
