/** The monitors of a root as they stand on disk: configuration, prompt templates and guidelines, read and checked. */
import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { kindOf, listMonitors, reservedIdProblem } from "#core/monitors/index";
import type { Monitor } from "#core/monitors/define";
import { insidePath } from "#core/workspace/config";
import type { WorkspaceSettings } from "#core/workspace/config";
import type { FileProblem } from "#core/workspace/file-problem";
import type { MonitorInfo } from "#protocol/lsp";
import { isInside } from "./file-source";
import { isLoopback, originOf } from "./models/origin";

export interface LoadedMonitors {
  readonly monitors: readonly Monitor[];
  /** Text of the guidelines that `tracemark.json` names. */
  readonly guidelines: string | undefined;
  readonly problems: readonly FileProblem[];
  /** Ids that cannot run because of a file, with a sentence. */
  readonly brokenById: ReadonlyMap<string, string>;
}

const config = "tracemark.json";
/** A prompt or guideline beyond this is a mistake, not a text. */
const largestText = 1 << 20;

/** Reads what the monitors of `root` (absolute) need. Nothing rejects: what cannot be read is a problem, and its monitor says so. */
export async function loadMonitors(root: string, settings: WorkspaceSettings): Promise<LoadedMonitors> {
  const problems: FileProblem[] = [];
  const templates = new Map<string, string>();
  const brokenById = new Map<string, string>();
  for (const [id, monitor] of Object.entries(settings.config?.monitors ?? {})) {
    if (monitor.prompt === undefined) continue;
    const text = await readInside(root, monitor.prompt);
    if ("text" in text) templates.set(id, text.text);
    else {
      brokenById.set(id, `its prompt ${monitor.prompt} ${text.problem}`);
      problems.push({ file: config, code: "monitor-prompt", message: `Monitor ${id}: the prompt ${monitor.prompt} ${text.problem}.` });
    }
  }
  const reserved = reservedIdProblem(settings.config);
  if (reserved) problems.push({ file: config, code: "reserved-monitor", message: `${reserved}.` });
  const guidelines = await readGuidelines(root, settings, problems);
  return { monitors: listMonitors(settings.config, templates), guidelines, problems, brokenById };
}

async function readGuidelines(root: string, settings: WorkspaceSettings, problems: FileProblem[]): Promise<string | undefined> {
  const path = settings.config?.guidelines;
  if (path === undefined) return undefined;
  const read = await readInside(root, path);
  if ("text" in read) return read.text;
  problems.push({ file: config, code: "guidelines", message: `The guidelines ${path} ${read.problem}.` });
  return undefined;
}

/** The text of a file of the root. One that leaves it, by its path or by a link, is not read: a workspace names files, it does not choose among the user's. */
async function readInside(root: string, path: string): Promise<{ text: string } | { problem: string }> {
  const inside = insidePath(path);
  if (inside === undefined || inside === "") return { problem: "does not lie in the folder of the workspace; copy it there" };
  try {
    const real = await realpath(join(root, inside));
    if (!isInside(await realpath(root), real)) return { problem: "leads out of the folder of the workspace; copy it there" };
    const text = await readFile(real, "utf8");
    return text.length > largestText ? { problem: "is longer than a megabyte; shorten it" } : { text };
  } catch (error) {
    return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code ?? "error"}); check the path` };
  }
}

/** A monitor as pickers and lists show it. `local` means that no text leaves this machine. */
export function monitorInfo(monitor: Monitor, broken?: string): MonitorInfo {
  const kind = kindOf(monitor);
  const origin = kind.needs.network && monitor.config.base_url !== undefined ? originOf(monitor.config.base_url) : undefined;
  const problem = broken ?? kind.problem(monitor);
  const prompting = kind.prompting(monitor, undefined);
  return {
    id: monitor.id, title: kind.needs.model ? `${monitor.id} (${prompting})` : monitor.id, kind: monitor.kind, prompting,
    ...(monitor.config.model === undefined ? {} : { model: monitor.config.model }),
    local: !kind.needs.network || (origin !== undefined && isLoopback(origin)),
    ...(origin === undefined ? {} : { origin }), ...(problem === undefined ? {} : { problem }),
  };
}
