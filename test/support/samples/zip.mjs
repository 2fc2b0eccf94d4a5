// The small part of ZIP that the sample tools need: checksums, deflate, and reading entries back.
import { deflateRawSync, inflateRawSync } from "node:zlib";

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  return c >>> 0;
});

/** CRC-32 as ZIP uses it (Node 20 has no crc32 of its own before 20.15). */
export function crc32Of(bytes) {
  let c = 0xffffffff;
  for (const b of bytes) c = (TABLE[(c ^ b) & 0xff] ^ (c >>> 8)) >>> 0;
  return (c ^ 0xffffffff) >>> 0;
}

/** Raw deflate without the zlib header, as ZIP method 8 wants it. */
export function deflateRaw(bytes) {
  return deflateRawSync(bytes, { level: 9 });
}

/** Reads a ZIP through its central directory. Returns [name, bytes] in directory order; throws on a wrong checksum. */
export function unzip(bytes) {
  const end = bytes.lastIndexOf("PK\x05\x06", undefined, "latin1");
  if (end < 0) throw new Error("no end of central directory");
  const out = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let n = bytes.readUInt16LE(end + 10); n > 0; n--) {
    const [method, crc, packed] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 16), bytes.readUInt32LE(at + 20)];
    const [nameLength, extra, comment] = [28, 30, 32].map((k) => bytes.readUInt16LE(at + k));
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const raw = bytes.subarray(start, start + packed);
    const data = method === 8 ? inflateRawSync(raw) : raw;
    if (crc32Of(data) !== crc) throw new Error(`${name}: wrong checksum`);
    out.push([name, data]);
    at += 46 + nameLength + extra + comment;
  }
  return out;
}
