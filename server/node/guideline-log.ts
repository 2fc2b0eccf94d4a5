/** The log of a workspace's guidelines: read, and added to when somebody says what an edit meant. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { GuidelineChange, guidelineLogPath, isUnmarked, versionsCovered } from "#core/labels/guideline-log";
import { insidePath, type WorkspaceSettings } from "#core/workspace/config";
import type { FileProblem } from "#core/workspace/file-problem";
import type { LabelRecord } from "#core/workspace/schemas";
import { readJsonLines } from "#core/workspace/json-lines";
import { ExpectedFailure } from "./expected-failure";
import { sha256 } from "./sha256";
import { appendLine } from "./store/append-line";
import { nodeDisk } from "./store/disk";
import { takeLock } from "./store/lock-file";
import { StoreFailure } from "./store/store-failure";

/** What is needed of a workspace: where it is, which file it names, and its labels. */
export interface GuidelineRoot {
  readonly root: string;
  readonly settings: Pick<WorkspaceSettings, "config">;
  readonly labels: { all(): readonly LabelRecord[] };
}

export interface GuidelineState {
  /** Path from the root. */
  readonly file: string;
  /** Of the file's bytes as they are now: what labels carry. */
  readonly sha256: string;
  readonly log: readonly GuidelineChange[];
  readonly problems: readonly FileProblem[];
  /** The file was edited since the last label or mark, and nobody has said what the edit meant. */
  readonly unmarked: boolean;
}

/** The state of the guidelines; undefined where the workspace names none, or the file is not there. */
export async function readGuidelineState(workspace: GuidelineRoot): Promise<GuidelineState | undefined> {
  const named = workspace.settings.config?.guidelines;
  const file = named === undefined ? undefined : insidePath(named);
  if (file === undefined) return undefined;
  const bytes = await readFile(join(workspace.root, file)).catch(() => undefined);
  if (!bytes) return undefined;
  const current = sha256(bytes);
  const shown = guidelineLogPath(file);
  const text = await readFile(join(workspace.root, shown), "utf8").catch(() => "");
  const { lines, problems } = readJsonLines(text, GuidelineChange, shown);
  const log = lines.map(({ value }) => value);
  return { file, sha256: current, log, problems, unmarked: isUnmarked(log, current, labelledUnder(workspace)) };
}

/** Every version that a label names. */
function labelledUnder({ labels }: GuidelineRoot): Set<string> {
  return new Set(labels.all().flatMap(({ guideline_sha256 }) => guideline_sha256 ?? []));
}

/**
 * Adds what the edit to the guidelines as they are now meant; resolves when it is on disk. Rejects with an `ExpectedFailure`
 * when there are no guidelines, nothing has changed since the last mark, or the log cannot be written.
 */
export async function markGuidelineChange(workspace: GuidelineRoot, mark: Pick<GuidelineChange, "change" | "categories" | "by" | "note">, at: string): Promise<GuidelineChange> {
  const state = await readGuidelineState(workspace);
  if (!state) throw new ExpectedFailure("the workspace has no guidelines", "name a Markdown file in tracemark.json (\"guidelines\")");
  const path = join(workspace.root, guidelineLogPath(state.file));
  const lock = await takeLock(path, { disk: nodeDisk, waitMs: 2_000 });
  if ("refused" in lock && lock.refused === "in-use") throw new StoreFailure("locked", "the log of the guidelines is being written by another process", "try again", { file: path });
  try {
    // Somebody may have marked the same edit meanwhile.
    const { log, sha256: current } = (await readGuidelineState(workspace)) ?? state;
    const last = log.at(-1);
    if (last?.sha256 === current) throw new ExpectedFailure(`this version was marked already, as ${last.change === "meaning" ? "a change of meaning" : "a minor change"} by ${last.by}`, "edit the guidelines first", { file: state.file });
    const previous = last?.sha256 ?? newestLabelled(workspace, current);
    const { change, categories, by, note } = mark;
    const covers = versionsCovered(log, current, labelledUnder(workspace)).filter((version) => version !== previous);
    const line: GuidelineChange = {
      sha256: current, ...(previous === undefined ? {} : { previous }), change,
      ...(categories?.length ? { categories } : {}), by, at, ...(note ? { note } : {}), ...(covers.length > 0 ? { covers } : {}),
    };
    await appendLine(path, JSON.stringify(line), nodeDisk);
    return line;
  } finally {
    if ("held" in lock) await lock.held.release();
  }
}

/** The version of the newest label that was given under another one: where a log that begins now begins. */
function newestLabelled(workspace: GuidelineRoot, current: string): string | undefined {
  const under = workspace.labels.all().filter(({ guideline_sha256 }) => guideline_sha256 !== undefined && guideline_sha256 !== current);
  return under.sort((a, b) => (a.created_at < b.created_at ? 1 : -1))[0]?.guideline_sha256;
}
