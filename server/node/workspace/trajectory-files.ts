/** Reads the trajectories of samples, with what can be known of them again without reading kept by size and time of their file. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Trajectory } from "#core/trajectory/model";
import type { Sample } from "#core/workspace/manifest";
import { ExpectedFailure, fileFailure } from "../expected-failure";
import { openPath, type PathOpened } from "../open";
import { contentSha256 } from "../sha256";

export interface SampleContent {
  readonly trajectory: Trajectory;
  readonly contentSha256: string;
  /** Of the file's bytes; read and hashed only when it is asked for, since a manifest may be large. */
  readonly fileSha256: string;
}

interface Opened {
  readonly stamp: string;
  readonly opened: Promise<PathOpened>;
}

/** Files kept open at once; samples are asked for file by file. */
const keptFiles = 4;

export class TrajectoryFiles {
  private readonly openedByFile = new Map<string, Opened>();
  private readonly listedByFile = new Map<string, { stamp: string; value: unknown }>();
  private readonly hashBySample = new Map<string, { stamp: string; sha256: string }>();

  constructor(readonly root: string) {}

  /** Opens a file (path from the root with `/`), or answers from what is open. Rejects with an `ExpectedFailure`. */
  async open(file: string): Promise<PathOpened> {
    return this.openAt(file, await this.stampOf(file));
  }

  private openAt(file: string, stamp: string): Promise<PathOpened> {
    const known = this.openedByFile.get(file);
    if (known) this.openedByFile.delete(file);
    const entry = known?.stamp === stamp ? known : { stamp, opened: openPath(join(this.root, file), { root: this.root, shownAs: file }) };
    this.openedByFile.set(file, entry);
    for (const oldest of this.openedByFile.keys()) {
      if (this.openedByFile.size <= keptFiles) break;
      this.openedByFile.delete(oldest);
    }
    entry.opened.catch(() => this.openedByFile.delete(file));
    return entry.opened;
  }

  /**
   * What `make` takes from an opened file, kept while the file is the same: a folder that is looked through again opens only
   * the files that have changed. Rejects as `open` does. One `make` for all calls of an instance.
   */
  async listed<T>(file: string, make: (opened: PathOpened) => T): Promise<T> {
    const stamp = await this.stampOf(file);
    const known = this.listedByFile.get(file);
    if (known?.stamp === stamp) return known.value as T;
    const value = make(await this.openAt(file, stamp));
    this.listedByFile.set(file, { stamp, value });
    return value;
  }

  /** The trajectory of a sample, under the sample's id. Rejects with an `ExpectedFailure` that names its file. */
  async read(sample: Sample): Promise<SampleContent> {
    const { file } = sample.source;
    // Before it is read: what changes meanwhile is of another stamp.
    const stamp = await this.stampOf(file);
    const opened = await this.open(file);
    const trajectory = { ...opened.file.load(indexOf(sample, opened)), id: sample.id, ...(sample.label === undefined ? {} : { label: sample.label }) };
    const sha256 = contentSha256(trajectory.steps);
    // What holds nothing was damaged or is being written: that says nothing of the content that records were made on.
    if (trajectory.steps.length > 0) this.hashBySample.set(keyOf(sample), { stamp, sha256 });
    return { trajectory, contentSha256: sha256, get fileSha256() { return opened.fileSha256(); } };
  }

  /** `content_sha256` of a sample, from the cache while its file is the same. Undefined when the sample cannot be read or holds no steps. */
  async contentSha256(sample: Sample): Promise<string | undefined> {
    try {
      const known = this.hashBySample.get(keyOf(sample));
      if (known && known.stamp === (await this.stampOf(sample.source.file))) return known.sha256;
      const { trajectory, contentSha256: sha256 } = await this.read(sample);
      return trajectory.steps.length > 0 ? sha256 : undefined;
    } catch {
      return undefined;
    }
  }

  private async stampOf(file: string): Promise<string> {
    try {
      const { size, mtimeMs, ino } = await stat(join(this.root, file));
      return `${size}:${mtimeMs}:${ino}`;
    } catch (error) {
      throw fileFailure(error, file);
    }
  }
}

function keyOf({ source }: Sample): string {
  return JSON.stringify([source.file, source.record ?? null]);
}

const indexes = new WeakMap<PathOpened, Map<unknown, number>>();

/** Positions of a manifest's records by the ids of their samples, made once: a search for each of many samples would take their number squared. */
function indexById(opened: PathOpened): Map<unknown, number> {
  let index = indexes.get(opened);
  if (!index) {
    index = new Map();
    for (const [at, head] of opened.file.opened.heads.entries()) if (head.sample && !index.has(head.sample["id"])) index.set(head.sample["id"], at);
    indexes.set(opened, index);
  }
  return index;
}

/** The position of a sample's record among the trajectories of its file. */
function indexOf(sample: Sample, opened: PathOpened): number {
  const { record, file } = sample.source;
  const { heads } = opened.file.opened;
  if (sample.manifest?.file === file) {
    const at = indexById(opened).get(sample.id);
    if (at !== undefined) return at;
  }
  if (heads.length === 0) {
    const [first] = opened.file.warnings();
    throw new ExpectedFailure(first?.message ?? "no trajectory is in the file", "check the file", { file, line: first?.line });
  }
  if (record === undefined) return 0;
  const at = typeof record === "number" ? record : heads.findIndex(({ recordId }) => recordId === record);
  if (at >= 0 && at < heads.length) return at;
  const what = typeof record === "number" ? `a record ${record}, counted from 0` : `a record with the id ${record}`;
  throw new ExpectedFailure(`the file has no such record as ${what}`, `it holds ${heads.length}`, { file });
}
