/** What `score` and `report` share: the workspace of a call, read so that it can be scored, as it is or as a lock file says it was. */
import { resolve } from "node:path";
import type { DetailsInput } from "#core/scoring/details";
import { ExpectedFailure } from "#node/expected-failure";
import { lockedRecords, type LockFile } from "#node/lock";
import { scoreInput } from "#node/score-workspace";
import { spanOverlaps } from "#node/span-overlaps";
import type { Workspace } from "#node/workspace";
import type { VerbCall } from "./define";
import { listOption } from "./option-values";
import { progressLine } from "./progress";
import { loadWorkspace, requireSplit, tellProblems } from "./workspace-call";

export interface ScoreCall {
  readonly workspace: Workspace;
  readonly input: DetailsInput;
}

/** Reads everything, telling problems and progress. With `ratesOnly` of verdicts only what rates need is kept. Rejects with an `ExpectedFailure` where there is nothing to score. */
export async function readForScore(call: VerbCall, options: { readonly split: string | undefined; readonly evidence: boolean; readonly trust: boolean; readonly lock?: LockFile | undefined; readonly ratesOnly?: boolean | undefined }): Promise<ScoreCall> {
  const workspace = await loadWorkspace(call, options.ratesOnly ? { verdicts: options.evidence ? "quotes" : "counts" } : {});
  tellProblems(call.io, workspace.problems);
  if (workspace.samples.length === 0) throw new ExpectedFailure("there are no samples", "name them in tracemark.json, or go to the folder that holds them", { file: workspace.root });
  requireSplit(workspace, options.split);
  const asOf = options.lock ? await lockedRecords(workspace, options.lock) : undefined;
  const known = (asOf ?? workspace).runs.map(({ header }) => header.run_id);
  const runs = runsAsked(call, known, workspace.settings.runs);
  const progress = progressLine(call.io, "reading samples");
  const { input, unread } = await scoreInput(workspace, {
    runs, split: options.split, content: options.trust ? "trust" : "check", evidence: options.evidence, asOf,
    onProgress: (done, total) => progress.update(done, total),
  }).finally(() => progress.end());
  for (const id of unread.slice(0, 10)) call.io.note(`warning: sample ${id} cannot be read; whether its records are stale is not known`);
  if (unread.length > 10) call.io.note(`warning: ${unread.length - 10} more samples cannot be read`);
  return { workspace, input: options.evidence ? { ...input, overlap: await spanOverlaps(workspace, input) } : input };
}

function runsAsked(call: VerbCall, known: readonly string[], file: string): string[] | undefined {
  const asked = listOption(call, "run");
  const unknown = asked?.find((id) => !known.includes(id));
  if (unknown === undefined) return asked;
  const choice = known.length === 0 ? "there are no runs; run a monitor first" : `choose from ${known.slice(0, 8).join(", ")}${known.length > 8 ? ", …" : ""}`;
  throw new ExpectedFailure(`no run has the id ${unknown}`, choice, { file });
}

/** A path of a call, taken from its folder. */
export function pathOf(call: VerbCall, path: string): string {
  return resolve(call.io.cwd, path);
}
