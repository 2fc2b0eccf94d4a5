/** From bytes to text: UTF-8 by default, other encodings by their byte order mark, invalid bytes replaced and counted. */

// The decoder that every JavaScript host has; declared here because this room is compiled without any host's types.
declare const TextDecoder: new (label: string, options: { fatal?: boolean; ignoreBOM?: boolean }) => { decode(bytes: Uint8Array): string };
declare const TextEncoder: new () => { encode(text: string): Uint8Array };

export type Encoding = "utf-8" | "utf-16le" | "utf-16be";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** Encoding that the byte order mark at the start names, and the length of the mark in bytes (0: none, UTF-8 assumed). */
export function byteOrderMark(bytes: Uint8Array): { encoding: Encoding; length: number } {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { encoding: "utf-8", length: 3 };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: "utf-16le", length: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: "utf-16be", length: 2 };
  return { encoding: "utf-8", length: 0 };
}

/** UTF-8 to text. `invalidAt` is the byte offset of the first invalid sequence; each one became U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): { text: string; invalidAt?: number } {
  try {
    return { text: strict.decode(bytes) };
  } catch {
    return { text: lenient.decode(bytes), invalidAt: firstInvalid(bytes) };
  }
}

/** UTF-16 without its mark to text; a big-endian text is swapped in a copy. An odd last byte is left out. */
export function decodeUtf16(bytes: Uint8Array, encoding: "utf-16le" | "utf-16be"): string {
  let little = bytes.subarray(0, bytes.length & ~1);
  if (encoding === "utf-16be") {
    little = little.slice();
    for (let i = 0; i < little.length; i += 2) {
      const high = little[i]!;
      little[i] = little[i + 1]!;
      little[i + 1] = high;
    }
  }
  return new TextDecoder("utf-16le", { ignoreBOM: true }).decode(little);
}

/** Text to UTF-8; a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Number of 0x0A bytes before `end`, plus one: the 1-based line of a byte offset. */
export function lineOfByte(bytes: Uint8Array, end: number): number {
  let line = 1;
  const stop = Math.min(end, bytes.length);
  for (let i = 0; i < stop; i++) if (bytes[i] === 10) line++;
  return line;
}

/** The 1-based line of a UTF-16 offset, lines ending at U+000A. */
export function lineOfOffset(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** Length of the well-formed UTF-8 sequence at `i`, or 0 (Unicode standard, table 3-7). */
export function sequenceLength(bytes: Uint8Array, i: number): number {
  const first = bytes[i]!;
  const second = bytes[i + 1] ?? 0;
  const continues = (n: number) => ((bytes[i + n] ?? 0) & 0xc0) === 0x80;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if ((first === 0xe0 && second < 0xa0) || (first === 0xed && second > 0x9f)) return 0;
    return continues(1) && continues(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if ((first === 0xf0 && second < 0x90) || (first === 0xf4 && second > 0x8f)) return 0;
    return continues(1) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

function firstInvalid(bytes: Uint8Array): number {
  let i = 0;
  while (i < bytes.length) {
    const length = sequenceLength(bytes, i);
    if (length === 0) return i;
    i += length;
  }
  return bytes.length;
}
