/** Zip archives written by hand, whole or lying about themselves. */
import { deflateRawSync } from "node:zlib";

/** `size` is what the directory says instead of the truth, `isPacked` that `data` is compressed already; `flags` 1 means encrypted. */
export interface ZipEntry { name: string; data: Uint8Array; method: number; isPacked?: boolean; size?: number; flags?: number }

/** A zip of the entries; `wide` writes sizes and offsets into zip64 fields. */
export function makeZip(entries: readonly ZipEntry[], wide = false): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, data, method, isPacked, size, flags = 0 } of entries) {
    const packed = method === 8 && !isPacked ? deflateRawSync(data) : Buffer.from(data);
    const title = Buffer.from(name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(title.length, 26);
    parts.push(local, title, packed);
    const extra = Buffer.alloc(wide ? 28 : 0);
    const full = size ?? data.length;
    if (wide) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      [full, packed.length, at].forEach((value, i) => extra.writeBigUInt64LE(BigInt(value), 4 + 8 * i));
    }
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(flags, 8);
    record.writeUInt16LE(method, 10);
    record.writeUInt32LE(wide ? 0xffffffff : packed.length, 20);
    record.writeUInt32LE(wide ? 0xffffffff : full, 24);
    record.writeUInt16LE(title.length, 28);
    record.writeUInt16LE(extra.length, 30);
    record.writeUInt32LE(wide ? 0xffffffff : at, 42);
    directory.push(record, title, extra);
    at += 30 + title.length + packed.length;
  }
  const central = Buffer.concat(directory);
  const tail: Buffer[] = [];
  if (wide) {
    const end = Buffer.alloc(56);
    end.writeUInt32LE(0x06064b50, 0);
    end.writeBigUInt64LE(BigInt(entries.length), 32);
    end.writeBigUInt64LE(BigInt(central.length), 40);
    end.writeBigUInt64LE(BigInt(at), 48);
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x07064b50, 0);
    locator.writeBigUInt64LE(BigInt(at + central.length), 8);
    tail.push(end, locator);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(wide ? 0xffff : entries.length, 10);
  end.writeUInt32LE(wide ? 0xffffffff : central.length, 12);
  end.writeUInt32LE(wide ? 0xffffffff : at, 16);
  return Buffer.concat([...parts, central, ...tail, end]);
}
