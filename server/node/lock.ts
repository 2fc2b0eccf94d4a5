/** A lock file: every label, run, plan, manifest and guideline by its hash, so that numbers can be had again after labels have grown. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { readJsonLines } from "#core/workspace/json-lines";
import { readPlanFile, type PlanFile } from "#core/workspace/plan-file";
import { readRunFile, type RunFile } from "#core/workspace/run-file";
import { LabelRecord } from "#core/workspace/schemas";
import { ExpectedFailure, fileFailure } from "./expected-failure";
import { sha256 } from "./sha256";
import { nodeDisk } from "./store/disk";
import type { Workspace } from "./workspace";

export const LockFile = z.looseObject({
  type: z.literal("lock"), tracemark_version: z.string(),
  /** Options of the score that `score_sha256` is the hash of: that of the lines which `score --gold both --json` prints. */
  options: z.looseObject({}), score_sha256: z.string(),
  /** `grows`: lines may have been added behind the first `bytes`. */
  files: z.array(z.looseObject({ path: z.string(), bytes: z.int(), sha256: z.string(), grows: z.boolean() })),
});
export type LockFile = z.infer<typeof LockFile>;
export type LockedFile = LockFile["files"][number];

/** Labels, runs and plans as they were. */
export interface LockedRecords {
  readonly labels: readonly LabelRecord[];
  readonly runs: readonly RunFile[];
  readonly plans: readonly PlanFile[];
}

/** All files of a root that its numbers come from, but for the trajectories, whose content labels and verdicts name themselves; and `more`, by their paths from the root. */
export async function lockedFiles(workspace: Workspace, more: readonly string[] = []): Promise<LockedFile[]> {
  const { settings, root } = workspace;
  const lines = async (folder: string, end = ".jsonl"): Promise<string[]> =>
    (await nodeDisk.list(join(root, folder)).catch(() => [])).filter((name) => name.endsWith(end)).map((name) => `${folder}/${name}`);
  const growing = [...(await lines(settings.labels)), ...(await lines(settings.runs)), ...(await lines(settings.plans))].map((path) => ({ path, grows: true }));
  const fixed = [...(settings.config ? ["tracemark.json"] : []), ...workspace.manifests, ...(settings.config?.guidelines === undefined ? [] : [settings.config.guidelines]), ...(await lines(`${settings.runs}/prompts`, ".txt")), ...more].map((path) => ({ path, grows: false }));
  const found: LockedFile[] = [];
  for (const { path, grows } of [...new Map([...growing, ...fixed].map((file) => [file.path, file])).values()].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const bytes = await readFile(join(root, path)).catch(() => undefined);
    if (bytes) found.push({ path, bytes: bytes.length, sha256: sha256(bytes), grows });
  }
  return found;
}

/** Reads a lock file. Rejects with an `ExpectedFailure` when it cannot be used. */
export async function readLock(path: string, shown: string): Promise<LockFile> {
  const text = await readFile(path, "utf8").catch((error: unknown) => Promise.reject(fileFailure(error, shown)));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const parsed = LockFile.safeParse(value);
  if (!parsed.success) throw new ExpectedFailure("this is no lock file", "make one with tracemark report --freeze FILE", { file: shown });
  return parsed.data;
}

/**
 * What the locked files held. Rejects with an `ExpectedFailure` that names the first file which is gone, or which was changed
 * otherwise than by adding lines.
 */
export async function lockedRecords(workspace: Workspace, lock: LockFile): Promise<LockedRecords> {
  const { labels: labelFolder, runs: runFolder, plans: planFolder } = workspace.settings;
  const labels = new Map<string, LabelRecord>();
  const runs = new Map<string, RunFile>();
  const plans = new Map<string, PlanFile>();
  for (const file of lock.files) {
    const whole = await readFile(join(workspace.root, file.path)).catch((error: unknown) => Promise.reject(fileFailure(error, file.path)));
    const bytes = file.grows ? whole.subarray(0, file.bytes) : whole;
    if (sha256(bytes) !== file.sha256) {
      throw new ExpectedFailure(file.grows ? "the lines that were locked have been changed" : "the file has been changed since it was locked", "take it back to what it was, or freeze again", { file: file.path });
    }
    const text = bytes.toString("utf8");
    if (file.path.startsWith(`${labelFolder}/`)) for (const { value } of readJsonLines(text, LabelRecord, file.path).lines) if (!labels.has(value.id)) labels.set(value.id, value);
    const run = file.grows && file.path.startsWith(`${runFolder}/`) ? readRunFile(text, file.path).run : undefined;
    if (run && !runs.has(run.header.run_id)) runs.set(run.header.run_id, run);
    const plan = file.path.startsWith(`${planFolder}/`) ? readPlanFile(text, file.path).plan : undefined;
    if (plan && !plans.has(plan.header.plan_id)) plans.set(plan.header.plan_id, plan);
  }
  const byTime = <T extends { readonly header: { readonly created_at: string } }>(items: Iterable<T>, id: (item: T) => string): T[] =>
    [...items].sort((a, b) => (a.header.created_at < b.header.created_at ? -1 : a.header.created_at > b.header.created_at ? 1 : id(a) < id(b) ? -1 : 1));
  return { labels: [...labels.values()], runs: byTime(runs.values(), ({ header }) => header.run_id), plans: byTime(plans.values(), ({ header }) => header.plan_id) };
}
