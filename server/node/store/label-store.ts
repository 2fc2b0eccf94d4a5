/** The labels of one root: every `labels/*.jsonl` read, each annotator's file appended to. Extension host and command line share it. */
import { hostname } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isPlainRecord } from "#core/labels/plain-record";
import type { IdSource } from "#core/labels/record-id";
import { annotatorSlug } from "#core/labels/slug";
import { describeIssues, type FileProblem } from "#core/workspace/file-problem";
import { LabelRecord } from "#core/workspace/schemas";
import { appendLine, flushFile } from "./append-line";
import { nodeDisk, type Disk } from "./disk";
import { GrowingFile } from "./growing-file";
import { LabelIndex, type StoredRecord } from "./label-index";
import { takeLock, type HeldLock } from "./lock-file";
import { StoreFailure, writeFailure } from "./store-failure";

/** Milliseconds since 1970. */
export interface Clock {
  now(): number;
}

export interface LabelStoreOptions {
  readonly disk?: Disk;
  /** How long to wait for a lock before a segment of its own is used. */
  readonly lockWaitMs?: number;
  /** Name of the folder in problems; default `labels`. */
  readonly shown?: string;
}

/** What became of a record that was to be written. */
export type AppendOutcome = "added" | "already" | StoreFailure;

interface Ready {
  /** Its position in the list that was given. */
  readonly at: number;
  readonly record: LabelRecord;
  readonly line: string;
}

export class LabelStore {
  private readonly files = new Map<string, GrowingFile<LabelRecord>>();
  private index = new LabelIndex();
  /** How much of each file the index holds. */
  private readonly indexed = new Map<string, { readonly generation: number; readonly ended: number }>();
  private lastStampMs = -Infinity;
  private folderProblems: FileProblem[] = [];
  private readonly listeners = new Set<() => void>();
  private queue: Promise<unknown> = Promise.resolve();
  private readonly writer: string;
  private readonly disk: Disk;
  private readonly shown: string;

  private constructor(readonly folder: string, private readonly clock: Clock, private readonly ids: IdSource, private readonly options: LabelStoreOptions) {
    this.disk = options.disk ?? nodeDisk;
    this.shown = options.shown ?? "labels";
    const host = hostname().toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 24);
    this.writer = `${host}-${ids.next().slice(-12).toLowerCase()}`;
  }

  /** Opens the folder (absolute path; it need not be there yet) and reads it. */
  static async open(folder: string, clock: Clock, ids: IdSource, options: LabelStoreOptions = {}): Promise<LabelStore> {
    const store = new LabelStore(folder, clock, ids, options);
    await store.refresh();
    return store;
  }

  /**
   * Id and time of a new record; the id sorts behind all that this store gave before. The time never runs back, and with
   * `annotator` it lies behind that person's newest record, also when the clock has jumped back: what was said last stands.
   */
  stamp(annotator?: string): { id: string; created_at: string } {
    const now = this.clock.now();
    const newest = annotator === undefined ? undefined : this.index.newestTime(annotator);
    this.lastStampMs = Math.max(now, this.lastStampMs, newest === undefined || newest < now ? -Infinity : Math.floor(newest) + 1);
    return { id: this.ids.next(), created_at: new Date(this.lastStampMs).toISOString() };
  }

  /**
   * Writes a record to its annotator's file. Resolves only when it is on disk; rejects with a `StoreFailure` otherwise, and
   * may then be called again with the same record: a record that is there already is not written twice. `raw` is the line to
   * write where it should be kept as it came.
   */
  async append(record: LabelRecord, raw?: string): Promise<void> {
    const [outcome] = await this.appendAll([{ record, raw }]);
    if (outcome instanceof StoreFailure) throw outcome;
  }

  /**
   * Writes many records, each annotator's in one go; answers for each, in order, whether it was added, was there already, or
   * why it was refused. Resolves when everything that was added is on disk.
   */
  appendAll(items: readonly { readonly record: LabelRecord; readonly raw?: string | undefined }[]): Promise<readonly AppendOutcome[]> {
    const turn = this.queue.then(() => this.writeAll(items));
    this.queue = turn.catch(() => undefined);
    return turn;
  }

  /** All records of a sample, oldest first. */
  recordsOf(sampleId: string): readonly LabelRecord[] {
    return this.index.recordsOf(sampleId);
  }

  /** The annotator's standing record; may be a retraction, which means *no label*. */
  standing(annotator: string, sampleId: string): LabelRecord | undefined {
    return this.index.standing(annotator, sampleId);
  }

  record(id: string): LabelRecord | undefined {
    return this.index.byId.get(id)?.record;
  }

  all(): readonly LabelRecord[] {
    return [...this.index.byId.values()].map(({ record }) => record);
  }

  /** All records with the line they came from. */
  stored(): readonly StoredRecord[] {
    return [...this.index.byId.values()];
  }

  /** What is wrong with the files as they were read last. */
  get problems(): readonly FileProblem[] {
    return [...this.folderProblems, ...[...this.files.values()].flatMap((file) => file.problems), ...this.index.problems];
  }

  onDidChange(listener: () => void): { dispose(): void } {
    this.listeners.add(listener);
    return { dispose: () => void this.listeners.delete(listener) };
  }

  /** Reads what others wrote since; answers whether anything changed. Never rejects: what cannot be read is a problem. */
  refresh(): Promise<boolean> {
    const turn = this.queue.then(() => this.reread());
    this.queue = turn.catch(() => undefined);
    return turn;
  }

  private async reread(): Promise<boolean> {
    const problemsBefore = this.folderProblems.length;
    this.folderProblems = [];
    let changed = false;
    // What was read before stays when the folder is out of reach for a moment.
    let names = [...this.files.keys()];
    try {
      names = (await this.disk.list(this.folder)).filter((name) => name.endsWith(".jsonl"));
    } catch (error) {
      this.folderProblems.push({ file: this.shown, code: "unreadable", message: sentenceOf(error, this.shown, names.length > 0) });
    }
    for (const name of [...this.files.keys()]) if (!names.includes(name)) changed = this.files.delete(name) || changed;
    for (const name of names) changed = (await this.readFile(name)) || changed;
    changed ||= problemsBefore !== this.folderProblems.length;
    if (changed) this.reindex();
    return changed;
  }

  private async readFile(name: string): Promise<boolean> {
    const known = this.files.get(name);
    const shown = `${this.shown}/${name}`;
    const file = known ?? new GrowingFile<LabelRecord>(join(this.folder, name), shown, LabelRecord, this.disk, isPlainRecord);
    try {
      const changed = await file.refresh();
      this.files.set(name, file);
      return changed;
    } catch (error) {
      this.folderProblems.push({ file: shown, code: "unreadable", message: sentenceOf(error, shown, known !== undefined) });
      return false;
    }
  }

  private reindex(): void {
    if (!this.extendIndex()) this.rebuildIndex();
    for (const listener of [...this.listeners]) listener();
  }

  /** Adds what files have grown by; answers false where more has changed than that. */
  private extendIndex(): boolean {
    if (this.indexed.size !== this.files.size || this.index.problems.length > 0) return false;
    const grown: { name: string; file: GrowingFile<LabelRecord>; from: number }[] = [];
    for (const [name, file] of this.files) {
      const known = this.indexed.get(name);
      // A record at the end of a file without its line end may be ended, or cut off, later.
      if (!known || known.generation !== file.generation || file.tailLines.length > 0) return false;
      if (known.ended < file.endedCount) grown.push({ name, file, from: known.ended });
    }
    for (const { name, file, from } of grown) {
      for (const line of file.endedFrom(from)) if (!this.index.add(file.shown, line)) return false;
      this.indexed.set(name, { generation: file.generation, ended: file.endedCount });
    }
    return true;
  }

  private rebuildIndex(): void {
    this.index = new LabelIndex();
    this.indexed.clear();
    for (const name of [...this.files.keys()].sort()) {
      const file = this.files.get(name);
      if (!file) continue;
      for (const line of file.endedFrom(0)) this.index.add(file.shown, line);
      for (const line of file.tailLines) this.index.add(file.shown, line);
      // One with an open end is never extended, but read anew.
      this.indexed.set(name, { generation: file.tailLines.length > 0 ? -1 : file.generation, ended: file.endedCount });
    }
  }

  private async writeAll(items: readonly { readonly record: LabelRecord; readonly raw?: string | undefined }[]): Promise<AppendOutcome[]> {
    const outcomes: AppendOutcome[] = [];
    const byAnnotator = new Map<string, Ready[]>();
    for (const [at, { record, raw }] of items.entries()) {
      try {
        const ready = { at, record, line: checkedLine(record, raw) };
        const own = byAnnotator.get(record.annotator);
        if (own) own.push(ready);
        else byAnnotator.set(record.annotator, [ready]);
      } catch (error) {
        outcomes[at] = failureOf(error, this.folder);
      }
    }
    for (const [annotator, ready] of byAnnotator) {
      try {
        await this.write(annotator, ready, outcomes);
      } catch (error) {
        for (const { at } of ready) outcomes[at] ??= failureOf(error, this.folder);
      }
    }
    return outcomes;
  }

  /** Writes one annotator's records; rejects when none of those without an outcome yet is sure to be on disk. */
  private async write(annotator: string, ready: readonly Ready[], outcomes: AppendOutcome[]): Promise<void> {
    const slug = slugFor(annotator);
    const { name, lock } = await this.claim(slug);
    try {
      await this.reread();
      this.checkHolder(slug, annotator);
      const fresh = new Map<string, Ready>();
      const flushed = new Set<string>();
      for (const item of ready) {
        const there = this.index.byId.get(item.record.id);
        const line = there?.raw ?? fresh.get(item.record.id)?.line;
        if (line === undefined) fresh.set(item.record.id, item);
        else if (!isDeepStrictEqual(JSON.parse(line), JSON.parse(item.line))) outcomes[item.at] = conflict(item.record.id, there);
        else {
          // It may have been written by an attempt that failed at flush: only now is it sure to be on disk.
          if (there && !flushed.has(there.file)) await flushFile(join(this.folder, there.file.slice(this.shown.length + 1)), this.disk);
          if (there) flushed.add(there.file);
          if (there) outcomes[item.at] = "already";
        }
      }
      if (fresh.size > 0) await appendLine(join(this.folder, name), [...fresh.values()].map(({ line }) => line).join("\n"), this.disk);
      for (const { at } of fresh.values()) outcomes[at] = "added";
      for (const { at } of ready) outcomes[at] ??= "already";
      if (fresh.size > 0) await this.reread();
    } finally {
      await lock?.release();
    }
  }

  /** The file to append to, with its lock; a segment of this writer's own where no lock is to be had. */
  private async claim(slug: string): Promise<{ name: string; lock?: HeldLock }> {
    const main = `${slug}.jsonl`;
    const segment = { name: `${slug}.${this.writer}.jsonl` };
    try {
      await this.disk.makeFolder(this.folder);
    } catch (error) {
      throw writeFailure(error, this.folder, "open");
    }
    if (await this.disk.isRemote(this.folder)) return segment;
    const result = await takeLock(join(this.folder, main), {
      disk: this.disk, ...(this.options.lockWaitMs === undefined ? {} : { waitMs: this.options.lockWaitMs }),
    });
    return "held" in result ? { name: main, lock: result.held } : segment;
  }

  /** A slug belongs to the first name that used it. */
  private checkHolder(slug: string, annotator: string): void {
    const main = this.files.get(`${slug}.jsonl`);
    const first = (main?.endedFrom(0)[0] ?? main?.tailLines[0])?.value.annotator;
    if (first === annotator) return;
    const other = first ?? this.index.annotators().find((name) => name !== annotator && slugOrNothing(name) === slug);
    if (other === undefined) return;
    throw new StoreFailure("slug-taken", `labels of "${other}" are kept in ${slug}.jsonl, which is also the file of "${annotator}"`, "choose another annotator name", { file: `${this.shown}/${slug}.jsonl` });
  }
}

function checkedLine(record: LabelRecord, raw: string | undefined): string {
  const parsed = LabelRecord.safeParse(record);
  if (!parsed.success) throw new StoreFailure("bad-record", `the record cannot be written: ${describeIssues(parsed.error.issues, record)}`, "correct it");
  const line = raw ?? JSON.stringify(record);
  if (line.includes("\n")) throw new StoreFailure("bad-record", "a record has to stand on one line", "write it without line ends");
  return line;
}

function conflict(id: string, there: StoredRecord | undefined): StoreFailure {
  return new StoreFailure("id-conflict", `record ${id} is there already with other content`, "give the new record another id", there ? { file: there.file, line: there.line } : {});
}

/** Anything but a failure of writing is a bug and goes on its way. */
function failureOf(error: unknown, folder: string): StoreFailure {
  if (error instanceof StoreFailure) return error;
  if (typeof (error as NodeJS.ErrnoException | undefined)?.code === "string") return writeFailure(error, folder, "open");
  throw error;
}

function slugFor(annotator: string): string {
  try {
    return annotatorSlug(annotator);
  } catch {
    throw new StoreFailure("bad-record", "the annotator's name is empty", "set a name");
  }
}

function slugOrNothing(annotator: string): string | undefined {
  try {
    return annotatorSlug(annotator);
  } catch {
    return undefined;
  }
}

function sentenceOf(error: unknown, file: string, known: boolean): string {
  const failure = writeFailure(error, file, "open");
  const code = (error as NodeJS.ErrnoException)?.code ?? failure.message;
  return `It cannot be read (${code}); ${known ? "its labels are shown as they were read before" : "its labels are not counted"}.`;
}
