/** Files on disk behind the `Source` port: whole when they are small, range by range when they are large. */
import { closeSync, openSync, readFileSync, readSync, realpathSync, statSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import type { Archive, Source } from "#core/trajectory/reader";
import { listZip } from "./zip";

/** Up to this size a file is read once and kept; above it only the ranges asked for are read. */
const wholeBytes = 64 << 20;
/** Ranges of a large file are mostly asked for one behind the other, line by line: one read serves many of them. */
const windowBytes = 4 << 20;

/** A file below `root` (absolute paths). Opening and reading throw the errors of `node:fs`. */
export class FileSource implements Source {
  readonly path: string;
  readonly size: number;
  archive: Archive | undefined;
  private whole: Uint8Array | undefined;
  private window: { readonly start: number; readonly bytes: Uint8Array } | undefined;
  /** The window of who only glances, always in the same memory. */
  private passing: { start: number; filled: number; readonly memory: Uint8Array } | undefined;

  constructor(private readonly file: string, private readonly root: string) {
    this.path = file.split(sep).join("/");
    const facts = statSync(file);
    if (facts.isDirectory()) throw Object.assign(new Error("is a folder"), { code: "EISDIR" });
    // A small file's size is that of the bytes read, which may have grown since.
    const { size } = facts;
    if (size <= wholeBytes) this.whole = readFileSync(file);
    this.size = this.whole?.length ?? size;
  }

  /** All of a large file is read anew at each call: it is not kept beside what is made of it. */
  bytes(start = 0, end = this.size): Uint8Array {
    if (this.whole) return this.whole.subarray(start, end);
    const to = Math.min(end, this.size);
    if (to - start >= windowBytes) return readRange(this.file, start, to);
    if (!this.window || start < this.window.start || to > this.window.start + this.window.bytes.length) {
      this.window = { start, bytes: readRange(this.file, start, Math.min(this.size, start + windowBytes)) };
    }
    return this.window.bytes.subarray(start - this.window.start, to - this.window.start);
  }

  glance(start: number, end: number): Uint8Array {
    const to = Math.min(end, this.size);
    if (this.whole || to - start > windowBytes) return this.bytes(start, end);
    const passing = (this.passing ??= { start: 0, filled: 0, memory: new Uint8Array(windowBytes) });
    if (start < passing.start || to > passing.start + passing.filled) {
      passing.start = start;
      passing.filled = 0;
      passing.filled = readInto(this.file, passing.memory.subarray(0, Math.min(windowBytes, this.size - start)), start);
    }
    return passing.memory.subarray(start - passing.start, Math.min(to - passing.start, passing.filled));
  }

  sibling(relative: string): Source | undefined {
    return siblingFile(this.file, this.root, relative);
  }
}

/** Bytes that come from elsewhere (an editor's text, an unpacked file) under a path; siblings are looked up on disk if `file` is given. */
export class MemorySource implements Source {
  readonly size: number;
  archive: Archive | undefined;

  constructor(readonly path: string, private readonly content: Uint8Array, private readonly onDisk?: { file: string; root: string }) {
    this.size = content.length;
  }

  bytes(start = 0, end = this.size): Uint8Array {
    return this.content.subarray(start, end);
  }

  sibling(relative: string): Source | undefined {
    return this.onDisk && siblingFile(this.onDisk.file, this.onDisk.root, relative);
  }
}

/** The first lines of a file, up to about `most` bytes: enough for what is seen of a long list at once. */
export class OpeningSource implements Source {
  readonly path: string;
  readonly size: number;

  constructor(private readonly inner: Source, most: number) {
    this.path = inner.path;
    const head = inner.bytes(0, Math.min(inner.size, most));
    this.size = head.lastIndexOf(10) + 1;
  }

  bytes(start = 0, end = this.size): Uint8Array {
    return this.inner.bytes(start, Math.min(end, this.size));
  }

  sibling(relative: string): Source | undefined {
    return this.inner.sibling(relative);
  }
}

/** A file named relative to another; undefined when it leaves `root` (through links too) or cannot be read. */
function siblingFile(file: string, root: string, relative: string): Source | undefined {
  if (relative === "" || relative.includes("\0") || /^([\\/]|[A-Za-z]:|\w+:\/\/)/.test(relative)) return undefined;
  const target = resolve(dirname(file), relative);
  try {
    const real = realpathSync(target);
    if (!isInside(realpathSync(root), real) || !statSync(real).isFile()) return undefined;
    const source = new FileSource(target, root);
    if (startsLikeZip(source)) source.archive = listZip(source);
    return source;
  } catch {
    return undefined;
  }
}

/** Do the first bytes say that this is a zip? */
export function startsLikeZip(source: Source): boolean {
  const head = source.bytes(0, Math.min(4, source.size));
  return head[0] === 0x50 && head[1] === 0x4b && (head[2] === 3 || head[2] === 5);
}

/** Is `path` the folder itself or something below it? Both absolute. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function readRange(file: string, start: number, end: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(Math.max(0, end - start));
  return bytes.subarray(0, readInto(file, bytes, start));
}

/** Fills `bytes` from byte `start` of the file on, and answers how many there were. */
function readInto(file: string, bytes: Uint8Array, start: number): number {
  const handle = openSync(file, "r");
  try {
    let filled = 0;
    while (filled < bytes.length) {
      const read = readSync(handle, bytes, filled, bytes.length - filled, start + filled);
      if (read === 0) break;
      filled += read;
    }
    return filled;
  } finally {
    closeSync(handle);
  }
}
