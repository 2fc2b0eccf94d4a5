/** A root and everything in it: settings, samples, runs, labels, and a way to the trajectories. Loaded again at will; caches stay. */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { defaultSettings, readConfig, type WorkspaceSettings } from "#core/workspace/config";
import type { FileProblem } from "#core/workspace/file-problem";
import type { Sample } from "#core/workspace/manifest";
import type { PlanFile } from "#core/workspace/plan-file";
import type { Kept } from "#core/workspace/plain-verdict";
import type { RunFile } from "#core/workspace/run-file";
import { LabelStore } from "./store/label-store";
import { systemClock, systemIds } from "./store/system-ids";
import { planFiles } from "./workspace/load-plans";
import { runFiles } from "./workspace/load-runs";
import type { RecordFiles } from "./workspace/record-files";
import { loadSamples, type LoadSamplesOptions } from "./workspace/load-samples";
import { TrajectoryFiles } from "./workspace/trajectory-files";

export interface WorkspaceOptions extends LoadSamplesOptions {
  /** Patterns or manifests, from the root, in place of those of `tracemark.json`. */
  readonly samples?: readonly string[] | undefined;
  /** What is kept of verdicts; default all. Who only scores needs less, and millions of them fit then. */
  readonly verdicts?: Kept | undefined;
}

export class Workspace {
  settings: WorkspaceSettings = defaultSettings;
  samples: readonly Sample[] = [];
  runs: readonly RunFile[] = [];
  plans: readonly PlanFile[] = [];
  /** Manifests read, paths from the root. */
  manifests: readonly string[] = [];
  readonly trajectories: TrajectoryFiles;
  private sampleById = new Map<string, Sample>();
  private samplesByFile = new Map<string, Sample[]>();
  private ownProblems: FileProblem[] = [];
  private store: LabelStore | undefined;
  private runFiles: RecordFiles<RunFile> | undefined;
  private planFiles: RecordFiles<PlanFile> | undefined;

  /** How many files have been looked into, of how many, while samples are sought for the first time. */
  reading: { readonly done: number; readonly total: number } | undefined = { done: 0, total: 0 };
  private readonly started: Promise<void>;
  private start: () => void = () => undefined;

  private constructor(readonly root: string, private readonly options: WorkspaceOptions) {
    this.trajectories = new TrajectoryFiles(root);
    this.started = new Promise((resolve) => (this.start = resolve));
  }

  /** Loads the root (absolute path). What is wrong in it are `problems`; only an abort rejects. */
  static async load(root: string, options: WorkspaceOptions = {}): Promise<Workspace> {
    const workspace = new Workspace(resolve(root), options);
    await workspace.refresh();
    return workspace;
  }

  /** The root at once, and when all of it is read. `begun` says when labels, runs and plans are there, and the first samples. */
  static begin(root: string, options: WorkspaceOptions = {}): { readonly workspace: Workspace; readonly begun: Promise<void>; readonly whole: Promise<void> } {
    const workspace = new Workspace(resolve(root), options);
    const whole = workspace.refresh();
    return { workspace, begun: Promise.race([workspace.started, whole]), whole };
  }

  /** Everything that is wrong with the files of the root, labels included. */
  get problems(): readonly FileProblem[] {
    return [...this.ownProblems, ...(this.store?.problems ?? [])];
  }

  /** The label store of the root's labels folder. */
  get labels(): LabelStore {
    if (!this.store) throw new Error("a workspace is used before it is loaded");
    return this.store;
  }

  get runsFolder(): string {
    return join(this.root, this.settings.runs);
  }

  get plansFolder(): string {
    return join(this.root, this.settings.plans);
  }

  /** Reads everything again; unchanged files come from caches. */
  async refresh(): Promise<void> {
    const problems: FileProblem[] = [];
    const settings = await this.readSettings(problems);
    this.settings = settings;
    const loaded = await loadSamples(this.root, settings, this.trajectories, this.reading ? { ...this.options, ...(await this.firstReading()) } : this.options);
    this.reading = undefined;
    this.samples = loaded.samples;
    this.manifests = loaded.manifests;
    this.sampleById = new Map(loaded.samples.map((sample) => [sample.id, sample]));
    this.samplesByFile = new Map();
    for (const sample of loaded.samples) {
      const own = this.samplesByFile.get(sample.source.file);
      if (own) own.push(sample);
      else this.samplesByFile.set(sample.source.file, [sample]);
    }
    this.ownProblems = [...problems, ...loaded.problems];
    await this.refreshRuns();
    await this.refreshPlans();
    await this.refreshLabels();
  }

  /** Samples come in one after the other, to be listed with their labels: these are read before them. */
  private async firstReading(): Promise<Pick<LoadSamplesOptions, "onProgress" | "onSamples">> {
    await Promise.all([this.refreshRuns(), this.refreshPlans(), this.refreshLabels()]);
    return {
      onProgress: (done, total) => {
        this.reading = { done, total };
        this.options.onProgress?.(done, total);
      },
      onSamples: (samples) => {
        this.samples = samples;
        this.start();
      },
    };
  }

  /** Reads runs alone again. */
  async refreshRuns(): Promise<void> {
    this.runFiles ??= runFiles(this.root, this.settings.runs, this.options.verdicts, this.samples.map(({ id }) => id));
    const { records, problems } = await this.runFiles.load();
    this.runs = records;
    const folder = `${this.settings.runs}/`;
    this.ownProblems = [...this.ownProblems.filter(({ file }) => !file.startsWith(folder)), ...problems];
  }

  /** Reads plans alone again. */
  async refreshPlans(): Promise<void> {
    this.planFiles ??= planFiles(this.root, this.settings.plans);
    const { records, problems } = await this.planFiles.load();
    this.plans = records;
    const folder = `${this.settings.plans}/`;
    this.ownProblems = [...this.ownProblems.filter(({ file }) => !file.startsWith(folder)), ...problems];
  }

  /** Reads labels alone again. */
  async refreshLabels(): Promise<void> {
    if (this.store) await this.store.refresh();
    else this.store = await LabelStore.open(join(this.root, this.settings.labels), systemClock, systemIds(), { shown: this.settings.labels });
  }

  sample(id: string): Sample | undefined {
    return this.sampleById.get(id);
  }

  /** The sample that a record of a file is: `file` from the root with `/`, its position and its own id in the file. */
  sampleAt(file: string, index: number, recordId?: string): Sample | undefined {
    return this.samplesByFile.get(file)?.find(({ source: { record } }) => (typeof record === "string" ? record === recordId : (record ?? 0) === index));
  }

  private async readSettings(problems: FileProblem[]): Promise<WorkspaceSettings> {
    let settings = defaultSettings;
    try {
      const read = readConfig(await readFile(join(this.root, "tracemark.json"), "utf8"), "tracemark.json");
      settings = read.settings;
      problems.push(...read.problems);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
        problems.push({ file: "tracemark.json", code: "unreadable", message: `The file cannot be read (${(error as NodeJS.ErrnoException).code ?? "error"}); defaults are used.` });
      }
    }
    return this.options.samples ? { ...settings, samples: this.options.samples } : settings;
  }
}
