/** The roots that documents lie in, loaded when first asked for and read again when something in them changed. */
import { statSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Monitor } from "#core/monitors/define";
import type { Warning } from "#core/trajectory/model";
import { defaultSettings, type WorkspaceSettings } from "#core/workspace/config";
import { MonitorConfig, type RunHeader, type SampleRecord, type VerdictRecord } from "#core/workspace/schemas";
import { loadMonitors, type LoadedMonitors } from "#node/monitors";
import type { EvidenceCache } from "#node/score-workspace";
import { Workspace } from "#node/workspace";
import type { ServerSettings } from "#protocol/lsp";
import type { SampleLookup } from "./files";

/** A verdict on a sample, with the run it stands in. */
export interface RecordedVerdict {
  readonly run: RunHeader;
  readonly verdict: VerdictRecord;
}

interface Loaded {
  readonly workspace: Workspace;
  readonly evidence: EvidenceCache;
  /** Sizes and times of the configuration, manifests and folders as they were when read. */
  stamp: string;
}

export class Workspaces implements SampleLookup {
  private readonly loadedByRoot = new Map<string, Promise<Loaded>>();
  /** Roots that are being read for the first time. */
  private readonly beginningByRoot = new Map<string, { readonly workspace: Workspace; readonly begun: Promise<void> }>();

  constructor(private readonly settings: () => ServerSettings) {}

  forget(root: string): void {
    this.loadedByRoot.delete(root);
  }

  /** A root, with everything that changed on disk read again. */
  async of(root: string): Promise<Loaded> {
    let pending = this.loadedByRoot.get(root);
    if (!pending) {
      const { workspace, begun, whole } = Workspace.begin(root);
      this.beginningByRoot.set(root, { workspace, begun });
      pending = whole.finally(() => this.beginningByRoot.delete(root)).then(() => ({ workspace, evidence: new Map(), stamp: stampOf(workspace) }));
      this.loadedByRoot.set(root, pending);
      pending.catch(() => this.loadedByRoot.delete(root));
      return pending;
    }
    const loaded = await pending;
    const stamp = stampOf(loaded.workspace);
    if (stamp !== loaded.stamp) {
      loaded.stamp = stamp;
      await loaded.workspace.refresh();
      loaded.stamp = stampOf(loaded.workspace);
    }
    return loaded;
  }

  /** A root to be listed: while it is read for the first time, with the samples found so far (`reading` says how far that is). */
  async soFar(root: string): Promise<Workspace> {
    const all = this.of(root);
    all.catch(() => undefined);
    const beginning = this.beginningByRoot.get(root);
    if (!beginning) return (await all).workspace;
    await beginning.begun;
    return beginning.workspace;
  }

  async settingsOf(root: string | undefined): Promise<WorkspaceSettings> {
    return root === undefined ? defaultSettings : (await this.of(root)).workspace.settings;
  }

  async runsFolder(root: string | undefined): Promise<string | undefined> {
    return root === undefined ? undefined : (await this.of(root)).workspace.runsFolder;
  }

  async sampleOf(root: string, relativePath: string, recordId: string | undefined, index: number): Promise<SampleRecord | undefined> {
    const { workspace } = await this.of(root);
    return workspace.sampleAt(relativePath, index, recordId)?.manifest?.record;
  }

  /** All recorded verdicts on a sample that count, oldest run first. */
  async verdictsOf(root: string, sampleId: string): Promise<RecordedVerdict[]> {
    const { workspace } = await this.of(root);
    await workspace.refreshRuns();
    const found = workspace.runs.flatMap(({ header, verdicts }) => verdicts.filter((verdict) => verdict.sample_id === sampleId).map((verdict) => ({ run: header, verdict })));
    const time = ({ run, verdict }: RecordedVerdict) => verdict.created_at ?? run.created_at;
    return found.sort((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0));
  }

  /**
   * Monitors of a root and of the user's settings; `rules` is always first. The workspace's win where ids clash, and a vote
   * of the user's may name monitors of either.
   */
  async monitorsOf(root: string | undefined): Promise<{ monitors: readonly Monitor[]; loaded: LoadedMonitors; warnings: readonly Warning[] }> {
    const settings = await this.settingsOf(root);
    const warnings: Warning[] = [];
    const own: Record<string, MonitorConfig> = {};
    for (const [id, value] of Object.entries(this.settings().monitors)) {
      const parsed = MonitorConfig.safeParse(value);
      if (parsed.success) own[id] = parsed.data;
      else warnings.push({ code: "bad-monitor", message: `The setting tracemark.monitors.configured: ${id} is not a monitor; it is not offered.` });
    }
    const monitors = { ...settings.config?.monitors, ...Object.fromEntries(Object.entries(own).filter(([id]) => settings.config?.monitors?.[id] === undefined)) };
    const loaded = await loadMonitors(root ?? "", { ...settings, config: { name: "", samples: [], ...settings.config, monitors } });
    return { monitors: loaded.monitors, loaded, warnings: [...loaded.problems.map(({ code, message }) => ({ code, message })), ...warnings] };
  }
}

/** Cheap to make: a stat of the configuration, of each manifest and of the sample folder itself. */
function stampOf(workspace: Workspace): string {
  const files = [join(workspace.root, "tracemark.json"), ...workspace.manifests.map((path) => join(workspace.root, path))];
  return files.map(statStamp).join("|") + topNames(workspace.root);
}

function statStamp(path: string): string {
  try {
    const { size, mtimeMs } = statSync(path);
    return `${size}:${mtimeMs}`;
  } catch {
    return "none";
  }
}

/** Names directly in the root: a new file or folder there means looking for samples again. */
function topNames(root: string): string {
  try {
    return readdirSync(root).join("/");
  } catch {
    return "";
  }
}
