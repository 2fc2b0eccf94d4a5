/**
 * Reads zip archives whose entries are stored, deflated or Zstandard-compressed (method 93, as in Inspect's logs). An own
 * reader of the central directory: the usual libraries refuse method 93 or unpack at half the speed. Entry names are only
 * ever compared, never used as paths.
 */
import { inflateRawSync } from "node:zlib";
import { ZSTDDecoder } from "zstddec";
import { DataProblem } from "#core/trajectory/data-problem";
import type { Archive } from "#core/trajectory/reader";

/** Largest unpacked entry, in bytes; beyond it an archive is taken for a bomb. */
export const largestEntry = 512 * 1024 * 1024;
/** All entries of an archive together may unpack to this many bytes, or to `usualRatio` times the file's size where that is more. */
const largestTotal = 4 * 1024 ** 3;
const usualRatio = 100;
const mostEntries = 1_000_000;

interface Entry {
  readonly name: string;
  readonly size: number;
  readonly packed: number;
  readonly method: number;
  readonly encrypted: boolean;
  readonly offset: number;
}

/** What the reader needs of a file: its size, and any range of it. */
export interface ByteRange {
  readonly size: number;
  bytes(start: number, end: number): Uint8Array;
}

const zstd = new ZSTDDecoder();
let zstdReady: Promise<void> | undefined;
let zstdLoaded = false;

/** Loads the Zstandard decoder; entries of method 93 can be read once it has resolved. */
export function prepareZstd(): Promise<void> {
  zstdReady ??= zstd.init().then(() => {
    zstdLoaded = true;
  });
  return zstdReady;
}

/** Lists the archive's directory and loads what its entries need. Rejects with a `DataProblem` when the file is no complete zip. */
export async function openZip(file: ByteRange, limit = largestEntry): Promise<Archive> {
  const archive = listZip(file, limit);
  if (archive.needsZstd) await prepareZstd();
  return archive;
}

/** Like `openZip`, at once; the caller has seen to `prepareZstd`. Throws a `DataProblem` when the file is no complete zip. */
export function listZip(file: ByteRange, limit = largestEntry): Archive & { readonly needsZstd: boolean } {
  const entries = listEntries(file);
  const total = entries.reduce((sum, entry) => sum + entry.size, 0);
  const most = Math.max(largestTotal, usualRatio * file.size);
  if (total > most) throw new DataProblem(`The archive's entries unpack to ${total} bytes together; the limit for a file of ${file.size} bytes is ${most}.`);
  const byName = new Map<string, Entry>();
  for (const entry of entries) byName.set(entry.name, entry);
  return {
    entries: entries.map(({ name, size }) => ({ name, size })),
    needsZstd: entries.some((entry) => entry.method === 93),
    read(name) {
      const entry = byName.get(name);
      if (!entry) throw new DataProblem(`The archive has no entry ${name}.`);
      return unpack(file, entry, limit);
    },
  };
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function broken(what: string): DataProblem {
  return new DataProblem(`The zip archive is damaged or cut off: ${what}.`);
}

interface Directory { count: number; start: number; length: number }

/** Finds the end record (its comment may be up to 65,535 bytes long), and the zip64 one where it says so. */
function findDirectory(file: ByteRange): Directory {
  const tailStart = Math.max(0, file.size - 65_557);
  const tail = file.bytes(tailStart, file.size);
  const data = view(tail);
  for (let at = tail.length - 22; at >= 0; at--) {
    if (data.getUint32(at, true) !== 0x06054b50) continue;
    const found = { count: data.getUint16(at + 10, true), length: data.getUint32(at + 12, true), start: data.getUint32(at + 16, true) };
    if (found.count === 0xffff || found.start === 0xffffffff || found.length === 0xffffffff) return zip64Directory(file, tailStart + at) ?? found;
    return found;
  }
  throw broken("its directory is missing");
}

function zip64Directory(file: ByteRange, endRecord: number): Directory | undefined {
  if (endRecord < 20) return undefined;
  const locator = view(file.bytes(endRecord - 20, endRecord));
  if (locator.getUint32(0, true) !== 0x07064b50) return undefined;
  const at = Number(locator.getBigUint64(8, true));
  if (at + 56 > file.size) throw broken("its zip64 directory is missing");
  const record = view(file.bytes(at, at + 56));
  if (record.getUint32(0, true) !== 0x06064b50) throw broken("its zip64 directory is missing");
  return { count: Number(record.getBigUint64(32, true)), length: Number(record.getBigUint64(40, true)), start: Number(record.getBigUint64(48, true)) };
}

function listEntries(file: ByteRange): Entry[] {
  const { count, start, length } = findDirectory(file);
  if (start + length > file.size || count > mostEntries) throw broken("its directory does not fit into the file");
  const bytes = file.bytes(start, start + length);
  const data = view(bytes);
  const names = new TextDecoder();
  const entries: Entry[] = [];
  for (let at = 0, n = 0; n < count; n++) {
    if (at + 46 > bytes.length || data.getUint32(at, true) !== 0x02014b50) throw broken("its directory ends early");
    const nameLength = data.getUint16(at + 28, true);
    const extraLength = data.getUint16(at + 30, true);
    const next = at + 46 + nameLength + extraLength + data.getUint16(at + 32, true);
    if (next > bytes.length) throw broken("its directory ends early");
    const name = names.decode(bytes.subarray(at + 46, at + 46 + nameLength));
    const sizes = wideSizes(data, at, at + 46 + nameLength, extraLength);
    const entry = { name, method: data.getUint16(at + 10, true), encrypted: (data.getUint16(at + 8, true) & 1) === 1, ...sizes };
    if (!name.endsWith("/")) entries.push(entry);
    at = next;
  }
  return entries;
}

/** Sizes and offset of a directory record at `at`, taken from its zip64 extra field (id 1) where they do not fit. */
function wideSizes(data: DataView, at: number, extra: number, extraLength: number): { packed: number; size: number; offset: number } {
  let packed = data.getUint32(at + 20, true);
  let size = data.getUint32(at + 24, true);
  let offset = data.getUint32(at + 42, true);
  for (let field = extra; field + 4 <= extra + extraLength; ) {
    const id = data.getUint16(field, true);
    const end = Math.min(field + 4 + data.getUint16(field + 2, true), extra + extraLength);
    let value = field + 4;
    const take = (old: number) => {
      if (old !== 0xffffffff || value + 8 > end) return old;
      value += 8;
      return Number(data.getBigUint64(value - 8, true));
    };
    if (id === 1) {
      size = take(size);
      packed = take(packed);
      offset = take(offset);
    }
    field = end;
  }
  return { packed, size, offset };
}

function unpack(file: ByteRange, entry: Entry, limit: number): Uint8Array {
  if (entry.size > limit) throw new DataProblem(`The entry ${entry.name} unpacks to ${entry.size} bytes; the limit is ${limit}.`);
  if (entry.encrypted) throw new DataProblem(`The entry ${entry.name} is encrypted; unpack the archive with its password first.`);
  if (entry.offset + 30 > file.size) throw broken(`the entry ${entry.name} is missing`);
  const head = view(file.bytes(entry.offset, entry.offset + 30));
  if (head.getUint32(0, true) !== 0x04034b50) throw broken(`the entry ${entry.name} is missing`);
  const start = entry.offset + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  if (start + entry.packed > file.size) throw broken(`the entry ${entry.name} is cut off`);
  const packed = file.bytes(start, start + entry.packed);
  const bytes = decompress(packed, entry);
  // Several decoders stop early without a word; only the size in the directory tells.
  if (bytes.length !== entry.size) throw broken(`the entry ${entry.name} unpacks to ${bytes.length} bytes instead of ${entry.size}`);
  return bytes;
}

function decompress(packed: Uint8Array, entry: Entry): Uint8Array {
  try {
    if (entry.method === 0) return packed.slice();
    if (entry.method === 8) return entry.size === 0 ? new Uint8Array() : inflateRawSync(packed, { maxOutputLength: entry.size });
    // The size must be given: without it members made of several frames come out wrong.
    if (entry.method === 93 && zstdLoaded) return entry.size === 0 ? new Uint8Array() : zstd.decode(packed, entry.size);
  } catch (error) {
    throw broken(`the entry ${entry.name} does not unpack (${(error as Error).message})`);
  }
  throw new DataProblem(`The entry ${entry.name} is compressed by method ${entry.method}; only 0, 8 and 93 are read.`);
}
