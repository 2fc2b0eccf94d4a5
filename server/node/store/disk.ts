/** The few operations of the file system that stores need, behind a port, so that every failure can be played in tests. */
import { constants } from "node:fs";
import { mkdir, open, readdir, readFile, stat, statfs, unlink, utimes } from "node:fs/promises";
import { dirname } from "node:path";

export interface FileFacts {
  readonly size: number;
  readonly mtimeMs: number;
  /** Identity of the file behind the name; changes when it is replaced. */
  readonly ino: number;
}

/** A file opened for appending. */
export interface AppendFile {
  facts(): Promise<FileFacts>;
  /** Bytes from `start` to `end` (exclusive), fewer at the end of the file. */
  read(start: number, end: number): Promise<Buffer>;
  /** One write at the end of the file; answers how many bytes were taken. */
  write(bytes: Uint8Array): Promise<number>;
  truncate(size: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Paths are absolute. Everything rejects with the errors of `node:fs`. */
export interface Disk {
  openForAppend(path: string): Promise<AppendFile>;
  /** Creates the file with this text; EEXIST when it is there. */
  createExclusive(path: string, text: string): Promise<void>;
  readText(path: string): Promise<string>;
  readBytes(path: string, start: number, end: number): Promise<Buffer>;
  facts(path: string): Promise<FileFacts>;
  /** Names in a folder; empty when the folder is not there. */
  list(folder: string): Promise<string[]>;
  makeFolder(folder: string): Promise<void>;
  /** Makes the creation of a file lasting; does nothing where folders cannot be flushed. */
  syncFolder(folder: string): Promise<void>;
  remove(path: string): Promise<void>;
  touch(path: string, ms: number): Promise<void>;
  /** Whether the folder lies on a file system of the network, or one whose locks cannot be trusted across machines. */
  isRemote(folder: string): Promise<boolean>;
}

export const nodeDisk: Disk = {
  async openForAppend(path) {
    const handle = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o666);
    return {
      async facts() {
        const { size, mtimeMs, ino } = await handle.stat();
        return { size, mtimeMs, ino };
      },
      read: (start, end) => readRange(handle, start, end),
      write: async (bytes) => (await handle.write(bytes)).bytesWritten,
      truncate: (size) => handle.truncate(size),
      sync: () => handle.sync(),
      close: () => handle.close(),
    };
  },
  async createExclusive(path, text) {
    const handle = await open(path, "wx");
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
  },
  readText: (path) => readFile(path, "utf8"),
  async readBytes(path, start, end) {
    const handle = await open(path, "r");
    try {
      return await readRange(handle, start, end);
    } finally {
      await handle.close();
    }
  },
  async facts(path) {
    const { size, mtimeMs, ino } = await stat(path);
    return { size, mtimeMs, ino };
  },
  async list(folder) {
    try {
      return (await readdir(folder)).sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  },
  async makeFolder(folder) {
    await mkdir(folder, { recursive: true });
  },
  async syncFolder(folder) {
    try {
      const handle = await open(folder, "r");
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    } catch {
      // Windows opens no folders, some file systems flush none; the file itself is flushed all the same.
    }
  },
  remove: (path) => unlink(path),
  touch: (path, ms) => utimes(path, ms / 1000, ms / 1000),
  isRemote: isRemoteFolder,
};

type Handle = Awaited<ReturnType<typeof open>>;

async function readRange(handle: Handle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.max(0, end - start));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** Magic numbers of `statfs` on Linux: NFS, SMB and CIFS in three forms, AFS, Coda, Ceph, Lustre, GPFS, 9p, FUSE (sshfs and its kind). */
const remoteTypes = new Set([0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x5346414f, 0x73757245, 0x00c36400, 0x0bd00bd0, 0x47504653, 0x01021997, 0x65735546]);

async function isRemoteFolder(folder: string): Promise<boolean> {
  if (/^(\\\\|\/\/)/.test(folder)) return true;
  if (process.platform !== "linux") return false;
  for (let path = folder; ; path = dirname(path)) {
    try {
      return remoteTypes.has((await statfs(path)).type >>> 0);
    } catch {
      // The folder is not made yet: its parent tells.
      if (dirname(path) === path) return false;
    }
  }
}
