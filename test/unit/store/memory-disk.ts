/** A disk in memory whose every operation can be made to fail. */
import type { AppendFile, Disk, FileFacts } from "#node/store/disk";

export type Fault = { operation: string; code: string; path?: RegExp; times?: number };

function errno(code: string): Error {
  return Object.assign(new Error(code), { code });
}

interface Entry {
  bytes: Buffer;
  mtimeMs: number;
  ino: number;
}

export class MemoryDisk implements Disk {
  readonly entries = new Map<string, Entry>();
  readonly log: string[] = [];
  faults: Fault[] = [];
  remote = false;
  /** Bytes that a write takes at most, as a disk that fills up. */
  room = Infinity;
  private ticks = 0;

  text(path: string): string {
    return this.entries.get(path)?.bytes.toString("utf8") ?? "";
  }

  put(path: string, text: string): void {
    this.entries.set(path, { bytes: Buffer.from(text), mtimeMs: ++this.ticks, ino: ++this.ticks });
  }

  private act(operation: string, path: string): void {
    this.log.push(`${operation} ${path.slice(path.lastIndexOf("/") + 1)}`);
    const fault = this.faults.find((candidate) => candidate.operation === operation && (candidate.path?.test(path) ?? true) && (candidate.times ?? 1) > 0);
    if (!fault) return;
    fault.times = (fault.times ?? 1) - 1;
    throw errno(fault.code);
  }

  private entry(path: string): Entry {
    const entry = this.entries.get(path);
    if (!entry) throw errno("ENOENT");
    return entry;
  }

  async openForAppend(path: string): Promise<AppendFile> {
    this.act("open", path);
    if (!this.entries.has(path)) this.put(path, "");
    const entry = this.entry(path);
    const grow = (bytes: Uint8Array): void => {
      entry.bytes = Buffer.concat([entry.bytes, bytes]);
      entry.mtimeMs = ++this.ticks;
    };
    return {
      facts: async () => ({ size: entry.bytes.length, mtimeMs: entry.mtimeMs, ino: entry.ino }),
      read: async (start, end) => entry.bytes.subarray(start, end),
      write: async (bytes) => {
        const taken = Math.min(bytes.length, this.room);
        grow(bytes.subarray(0, taken));
        this.act("write", path);
        return taken;
      },
      truncate: async (size) => {
        this.act("truncate", path);
        entry.bytes = entry.bytes.subarray(0, size);
        entry.mtimeMs = ++this.ticks;
      },
      sync: async () => this.act("sync", path),
      close: async () => this.act("close", path),
    };
  }

  async createExclusive(path: string, text: string): Promise<void> {
    this.act("create", path);
    if (this.entries.has(path)) throw errno("EEXIST");
    this.entries.set(path, { bytes: Buffer.from(text), mtimeMs: Date.now(), ino: ++this.ticks });
  }

  async readText(path: string): Promise<string> {
    return this.entry(path).bytes.toString("utf8");
  }

  async readBytes(path: string, start: number, end: number): Promise<Buffer> {
    this.act("read", path);
    return this.entry(path).bytes.subarray(start, end);
  }

  async facts(path: string): Promise<FileFacts> {
    const { bytes, mtimeMs, ino } = this.entry(path);
    return { size: bytes.length, mtimeMs, ino };
  }

  async list(folder: string): Promise<string[]> {
    this.act("list", folder);
    return [...this.entries.keys()].filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1)).sort();
  }

  async makeFolder(folder: string): Promise<void> {
    this.act("mkdir", folder);
  }

  async syncFolder(): Promise<void> {}

  async remove(path: string): Promise<void> {
    this.entries.delete(path);
  }

  async touch(path: string, ms: number): Promise<void> {
    this.entry(path).mtimeMs = ms;
  }

  async isRemote(): Promise<boolean> {
    return this.remote;
  }
}
