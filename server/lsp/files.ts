/** Opened files and the trajectories last read from them: a cache that can be thrown away at any moment. */
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Trajectory, Warning } from "#core/trajectory/model";
import type { SampleRecord } from "#core/workspace/schemas";
import { ExpectedFailure } from "#node/expected-failure";
import { openingBytes, openPath, type PathOpened } from "#node/open";
import { contentSha256, sha256 } from "#node/sha256";
import type { DocumentRef, TrajectoryItem } from "#protocol/lsp";
import { quotable, type QuotableTrajectory } from "./locate-quotes";

/** Trajectories kept in memory, over all files. */
const keptTrajectories = 4;
/** Files below this size are read at once: nobody notices. */
const wholeBelow = 16 << 20;
/** What a view is given to draw the first records of a long file before the rest is read. */
const drawingMs = 1500;

export interface ReadTrajectory {
  readonly trajectory: Trajectory;
  readonly isCut: boolean;
  readonly contentSha256: string;
  readonly fileSha256: string;
  readonly sample: SampleRecord | undefined;
  /** Parts with their normalised forms, for evidence. */
  readonly quotable: QuotableTrajectory;
}

export interface OpenedEntry {
  readonly opened: PathOpened;
  readonly format: { readonly id: string; readonly title: string };
  readonly warnings: readonly Warning[];
  /** Only the first steps of its trajectory have been read so far. */
  readonly isCut: boolean;
  /** Empty while only the beginning of the file has been read. */
  readonly fileSha256: string;
}

/** Where a manifest of the workspace names a file's trajectory: the sample's record, by path from the root and record id. */
export interface SampleLookup {
  sampleOf(root: string, relativePath: string, recordId: string | undefined, index: number): Promise<SampleRecord | undefined>;
}

export class Files {
  private readonly entryByUri = new Map<string, { stamp: string; entry: Promise<OpenedEntry> }>();
  /** Documents that were read whole and have not been closed since: reading them anew never takes steps away for a while. */
  private readonly readWhole = new Set<string>();
  private readonly recent = new Map<string, Promise<ReadTrajectory>>();

  /** `onGrown` is told when a long file, of which the first records were answered at once, has been read whole. */
  constructor(private readonly samples: SampleLookup, private readonly limitBytes: () => number, private readonly onGrown: (uri: string) => void = () => undefined) {}

  /** Opens a document, or answers from the cache while the file is the same. Rejects with an `ExpectedFailure` when it cannot be read. */
  async open(ref: DocumentRef): Promise<OpenedEntry> {
    const stamp = stampOf(ref);
    const known = this.entryByUri.get(ref.uri);
    if (known?.stamp === stamp) return known.entry;
    this.forget(ref.uri);
    const entry = this.read(ref);
    this.entryByUri.set(ref.uri, { stamp, entry });
    entry.catch(() => this.entryByUri.delete(ref.uri));
    return entry;
  }

  private async read(ref: DocumentRef): Promise<OpenedEntry> {
    const path = ref.path ?? (ref.uri.startsWith("file:") ? fileURLToPath(ref.uri) : new URL(ref.uri).pathname);
    if (ref.path) {
      const { size } = statOf(path);
      if (size > this.limitBytes()) {
        throw new ExpectedFailure(`the file has ${Math.round(size / 1048576)} MB, more than the limit`, "raise the setting tracemark.server.maxFileSizeMB", { file: path });
      }
    }
    const options = { root: ref.root, format: ref.format };
    const opened = await openPath(path, ref.base64 === undefined ? { ...options, ...(statOf(path).size < wholeBelow ? {} : { firstBytes: openingBytes, beginnings: !this.readWhole.has(ref.uri) }) } : { ...options, bytes: Buffer.from(ref.base64, "base64") });
    if (opened.isPartial) this.completeSoon(ref);
    else this.readWhole.add(ref.uri);
    const entry = entryOf(opened);
    if (opened.file.opened.heads.length === 0) {
      const first = entry.warnings[0];
      // What a warning advises beyond its first half is said for the command line.
      const what = first?.message.split("; ")[0] ?? "no trajectory was found in this file";
      throw new ExpectedFailure(what, "open it with the text editor", { file: opened.relativePath, line: first?.line });
    }
    return entry;
  }

  /** Like `open`, also where no trajectory was found: for choosing another reader. */
  async openAnyway(ref: DocumentRef): Promise<Pick<OpenedEntry, "opened" | "format">> {
    try {
      return await this.open(ref);
    } catch (error) {
      if (!(error instanceof ExpectedFailure) || ref.path === undefined || statOf(ref.path).size > this.limitBytes()) throw error;
      return entryOf(await openPath(ref.path, { root: ref.root, format: ref.format }));
    }
  }

  /** Reads all of a file whose first records are on their way to the view, once there was time to draw them. */
  private completeSoon(ref: DocumentRef): void {
    const stamp = stampOf(ref);
    setTimeout(() => {
      const known = this.entryByUri.get(ref.uri);
      if (known?.stamp === stamp) void known.entry.then((entry) => (entry.opened.isPartial ? this.complete(ref, stamp, entry) : entry)).catch(() => undefined);
    }, drawingMs).unref();
  }

  private complete(ref: DocumentRef, stamp: string, { opened }: OpenedEntry): Promise<OpenedEntry> {
    const whole = openPath(opened.path, { root: ref.root, format: ref.format }).then(entryOf);
    this.entryByUri.set(ref.uri, { stamp, entry: whole });
    whole.then(() => {
      this.readWhole.add(ref.uri);
      this.onGrown(ref.uri);
    }, () => this.entryByUri.delete(ref.uri));
    return whole;
  }

  /** The document as `open` gives it, unless its trajectory was cut: then all of it is read first. */
  private async uncut(ref: DocumentRef): Promise<OpenedEntry> {
    const entry = await this.open(ref);
    if (!entry.isCut) return entry;
    const known = this.entryByUri.get(ref.uri);
    // Somebody else may have asked for all of it meanwhile.
    const current = await known?.entry;
    return known && current?.isCut ? this.complete(ref, known.stamp, current) : (current ?? entry);
  }

  close(uri: string): void {
    this.readWhole.delete(uri);
    this.forget(uri);
  }

  forget(uri: string): void {
    this.entryByUri.delete(uri);
    for (const key of this.recent.keys()) if (key.startsWith(`${uri}\n`)) this.recent.delete(key);
  }

  /** The list of trajectories of a document. */
  async items(ref: DocumentRef): Promise<TrajectoryItem[]> {
    const { opened } = await this.open(ref);
    return Promise.all(opened.file.opened.heads.map(async (head, index): Promise<TrajectoryItem> => {
      const sample = await this.sampleAt(ref, opened, index);
      const label = sample?.label ?? head.label;
      return {
        index, id: sample?.id ?? opened.file.ids[index] ?? "",
        // In a list the sample's own id says more than the first line of its task.
        ...titled(sample?.id ?? head.title), ...(label === undefined ? {} : { label }),
        ...(head.parent === undefined ? {} : { parent: head.parent }), ...(head.problem === undefined ? {} : { problem: head.problem }),
        ...(sample ? { sample } : {}),
      };
    }));
  }

  private async sampleAt(ref: DocumentRef, opened: PathOpened, index: number): Promise<SampleRecord | undefined> {
    const head = opened.file.opened.heads[index];
    if (head?.sample) return head.sample as SampleRecord;
    if (!ref.root) return undefined;
    return this.samples.sampleOf(opened.root, opened.relativePath, head?.recordId, index);
  }

  /**
   * Reads one trajectory, with the sample id that counts (a manifest's where one names the file). With `beginning` the first
   * steps of a long one will do, as long as no more has been read: `isCut` then.
   */
  async trajectory(ref: DocumentRef, index: number, beginning = false): Promise<ReadTrajectory> {
    const entry = await (beginning ? this.open(ref) : this.uncut(ref));
    const key = `${ref.uri}\n${index}${entry.isCut ? "\ncut" : ""}`;
    let read = this.recent.get(key);
    if (read) this.recent.delete(key);
    else {
      read = this.load(ref, entry, index);
      read.catch(() => this.recent.delete(key));
    }
    this.recent.set(key, read);
    for (const old of this.recent.keys()) {
      if (this.recent.size <= keptTrajectories) break;
      this.recent.delete(old);
    }
    return read;
  }

  private async load(ref: DocumentRef, entry: OpenedEntry, index: number): Promise<ReadTrajectory> {
    const { opened } = entry;
    const head = opened.file.opened.heads[index];
    if (!head) throw new ExpectedFailure(`there is no trajectory ${index}`, "reopen the file", { file: opened.relativePath });
    const loaded = opened.file.load(index);
    const sample = await this.sampleAt(ref, opened, index);
    const trajectory = sample ? { ...loaded, id: sample.id, ...(sample.label ? { label: sample.label } : {}) } : loaded;
    const own = head.sample?.["path"];
    const bytes = typeof own === "string" ? opened.file.document.source.sibling(own)?.bytes() : undefined;
    return { trajectory, isCut: entry.isCut, contentSha256: contentSha256(trajectory.steps), fileSha256: bytes ? sha256(bytes) : entry.fileSha256, sample, quotable: quotable(trajectory) };
  }
}

function entryOf(opened: PathOpened): OpenedEntry {
  const format = opened.file.format;
  return {
    opened, format: { id: format?.id ?? "unknown", title: format?.title ?? "unknown format" }, isCut: opened.isCut,
    // What is said of a beginning, a call without its result above all, the next lines may answer.
    warnings: opened.isCut ? [] : opened.file.warnings(),
    // Of a large file only when it is asked for.
    get fileSha256() { return opened.isPartial ? "" : opened.fileSha256(); },
  };
}

function titled(title: string | undefined): { title?: string } {
  return title === undefined ? {} : { title };
}

function statOf(path: string): { size: number; mtimeMs: number } {
  try {
    return statSync(path);
  } catch {
    return { size: 0, mtimeMs: 0 };
  }
}

function stampOf(ref: DocumentRef): string {
  if (ref.path === undefined) return `${sha256(Buffer.from(ref.base64 ?? "", "latin1"))}:${ref.format ?? ""}`;
  const { size, mtimeMs } = statOf(ref.path);
  return `${size}:${mtimeMs}:${ref.format ?? ""}`;
}
