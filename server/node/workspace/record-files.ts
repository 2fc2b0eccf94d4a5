/** The files of one kind in a folder of a root (runs, plans), each read again only when it changed. */
import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FileProblem } from "#core/workspace/file-problem";
import { nodeDisk } from "../store/disk";

interface RecordFile {
  /** Path from the root. */
  readonly file: string;
  readonly header: { readonly created_at: string };
}

/** Takes the lines of a file, one after the other. */
export interface LineReader {
  /** Takes the line that begins at `start` out of its bytes and answers where its line feed stands, before `limit` (where a 0 stands); -1 if it cannot: then the line is pushed as text. */
  scan(bytes: Uint8Array, start: number, limit: number): number;
  push(line: string, ended: boolean): void;
}

export interface RecordKind<T extends RecordFile> {
  /** What one is called in messages. */
  readonly word: string;
  idOf(record: T): string;
  read(text: string, file: string): { readonly record: T | undefined; readonly problems: readonly FileProblem[] };
  /** Reads one line by line, where files may be large. */
  byLine?(file: string): LineReader & { finish(): { readonly record: T | undefined; readonly problems: readonly FileProblem[] } };
  /** What else is wrong with one. */
  check?(record: T): readonly FileProblem[];
}

interface CachedFile<T> {
  readonly stamp: string;
  readonly record: T | undefined;
  readonly problems: readonly FileProblem[];
}

export class RecordFiles<T extends RecordFile> {
  private readonly cache = new Map<string, CachedFile<T>>();

  /** `shown` is the folder's path from the root. */
  constructor(private readonly root: string, private readonly shown: string, private readonly kind: RecordKind<T>) {}

  /** All of them, oldest first by `created_at` and then id; of two files with the same id the one named after it counts, else the first by name. */
  async load(): Promise<{ records: readonly T[]; problems: readonly FileProblem[] }> {
    const { word, idOf, check } = this.kind;
    const problems: FileProblem[] = [];
    const byId = new Map<string, T>();
    let names: string[] = [];
    try {
      names = (await nodeDisk.list(join(this.root, this.shown))).filter((name) => name.endsWith(".jsonl"));
    } catch (error) {
      problems.push({ file: this.shown, code: "unreadable", message: `The folder cannot be read (${(error as NodeJS.ErrnoException).code ?? "error"}).` });
    }
    for (const name of names) {
      const { record, problems: own } = await this.read(`${this.shown}/${name}`);
      problems.push(...own);
      if (!record) continue;
      const id = idOf(record);
      const taken = byId.get(id);
      // A copy under another name does not take the place of its original.
      const [kept, left] = taken && record.file !== `${this.shown}/${id}.jsonl` ? [taken, record] : [record, taken];
      if (left) problems.push({ file: left.file, line: 1, code: "duplicate-id", message: `The ${word} ${id} is in ${kept.file} already; this file is not used.` });
      byId.set(id, kept);
      problems.push(...(check?.(record) ?? []));
    }
    const records = [...byId.values()].sort((a, b) => compare(a.header.created_at, b.header.created_at) || compare(idOf(a), idOf(b)));
    return { records, problems };
  }

  private async readWhole(path: string, file: string): Promise<Omit<CachedFile<T>, "stamp">> {
    const reader = this.kind.byLine?.(file);
    if (!reader) return this.kind.read(await readFile(path, "utf8"), file);
    await readLines(path, reader);
    return reader.finish();
  }

  private async read(file: string): Promise<CachedFile<T>> {
    try {
      const path = join(this.root, file);
      const { size, mtimeMs, ino } = await stat(path);
      const stamp = `${size}:${mtimeMs}:${ino}`;
      const known = this.cache.get(file);
      if (known?.stamp === stamp) return known;
      const entry = { stamp, ...(await this.readWhole(path, file)) };
      this.cache.set(file, entry);
      return entry;
    } catch (error) {
      return { stamp: "", record: undefined, problems: [{ file, code: "unreadable", message: `The file cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}).` }] };
    }
  }
}

const pieceBytes = 4 << 20;

/**
 * Tells the lines of a file, without their ends; `ended` is false for a last one without an end. Lines are decoded one by one: a
 * single character beyond ASCII would make all of a longer text take twice the room, and the time.
 */
async function readLines(path: string, reader: LineReader): Promise<void> {
  const handle = await open(path, "r");
  try {
    let piece = Buffer.alloc(pieceBytes);
    // Bytes at the front of the piece that begin a line whose end was not read yet.
    let held = 0;
    for (;;) {
      if (held + 1 >= piece.length) piece = Buffer.concat([piece], 2 * piece.length);
      const { bytesRead } = await handle.read(piece, held, piece.length - held - 1);
      if (bytesRead === 0) break;
      const limit = held + bytesRead;
      // A byte that no line holds, so that whoever goes through one stops there without asking at every byte.
      piece[limit] = 0;
      let from = 0;
      for (;;) {
        let end = reader.scan(piece, from, limit);
        if (end < 0) {
          end = piece.subarray(0, limit).indexOf(10, from);
          if (end < 0) break;
          reader.push(piece.toString("utf8", from, end), true);
        }
        from = end + 1;
      }
      piece.copyWithin(0, from, limit);
      held = limit - from;
    }
    if (held > 0) reader.push(piece.toString("utf8", 0, held), false);
  } finally {
    await handle.close();
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
