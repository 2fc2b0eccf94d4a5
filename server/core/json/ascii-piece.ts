/**
 * Turns a stretch of UTF-8 JSON into an ASCII text that parses to the same value: characters beyond ASCII become \u escapes.
 * A text of one byte a character stays below the size from which engines allocate outside their usual pages, which is what
 * made decoding large files slow.
 */
import { decodeUtf8, sequenceLength } from "./decode";
import type { ByteRange } from "./scan";

/** `invalid`: some bytes are no UTF-8; each became U+FFFD. */
export interface AsciiPiece {
  readonly text: string;
  readonly invalid: boolean;
}

/** Makes pieces one after the other in buffers that are used again. */
export class AsciiPieces {
  private buffer = new Uint8Array(128 * 1024);
  private escaped = new Uint8Array(0);

  /** `skipped` are ranges of the file, ascending, for which `null` is put. */
  constructor(private readonly bytes: Uint8Array, private readonly skipped: readonly ByteRange[] = []) {}

  /** The bytes from `from` to `to` between brackets of its own; undefined when an escape in it is broken. */
  wrapped(from: number, to: number, isArray: boolean): AsciiPiece | undefined {
    const most = to - from + 2;
    // Room to spare, so that the last word can be looked at whole.
    if (this.buffer.length < most + 8) this.buffer = new Uint8Array((most + 11) & ~3);
    const { buffer, bytes } = this;
    let length = 1;
    let at = from;
    for (let n = this.firstSkipped(from); n < this.skipped.length && this.skipped[n]!.from < to; n++) {
      const range = this.skipped[n]!;
      buffer.set(bytes.subarray(at, range.from), length);
      length += range.from - at;
      buffer.set(nullBytes, length);
      length += nullBytes.length;
      at = range.to;
    }
    buffer.set(bytes.subarray(at, to), length);
    length += to - at;
    buffer[0] = isArray ? 91 : 123;
    buffer[length++] = isArray ? 93 : 125;
    buffer.fill(0, length, length + 4);
    const first = nextBeyond(buffer, 0, length);
    return first >= length ? { text: decodeUtf8(buffer.subarray(0, length)).text, invalid: false } : this.escape(length, first);
  }

  private firstSkipped(from: number): number {
    let low = 0;
    let high = this.skipped.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.skipped[middle]!.from < from) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Copies the first `length` bytes of the buffer, stretches of ASCII whole and everything beyond escaped. `first` is where
   * the first byte beyond ASCII stands.
   */
  private escape(length: number, first: number): AsciiPiece | undefined {
    const { buffer } = this;
    if (this.escaped.length < length * 6) this.escaped = new Uint8Array(length * 6);
    const out = this.escaped;
    let invalid = false;
    let to = 0;
    let copied = 0;
    for (let at = first; at < length; at = nextBeyond(buffer, copied, length)) {
      out.set(buffer.subarray(copied, at), to);
      to += at - copied;
      // Behind an open backslash the escape would change its meaning; the text is damaged there.
      if (isEscaped(buffer, at)) return undefined;
      const size = sequenceLength(buffer, at);
      if (size === 0) invalid = true;
      to = writeEscape(out, to, size === 0 ? 0xfffd : codePoint(buffer, at, size));
      copied = at + Math.max(1, size);
    }
    out.set(buffer.subarray(copied, length), to);
    return { text: decodeUtf8(out.subarray(0, to + length - copied)).text, invalid };
  }
}

/** Index of the first byte beyond ASCII at or after `from`, or `length`. Looks at four bytes at once; the buffer has room behind `length`. */
function nextBeyond(buffer: Uint8Array, from: number, length: number): number {
  let i = from;
  for (; i & 3; i++) if (i >= length || buffer[i]! > 127) return Math.min(i, length);
  const words = new Int32Array(buffer.buffer, 0, buffer.length >> 2);
  let word = i >> 2;
  const last = (length + 3) >> 2;
  while (word < last && !(words[word]! & 0x80808080)) word++;
  for (i = word << 2; i < length; i++) if (buffer[i]! > 127) return i;
  return length;
}

const nullBytes = new Uint8Array([110, 117, 108, 108]);

function isEscaped(buffer: Uint8Array, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && buffer[before] === 92) before--;
  return ((at - before) & 1) === 0;
}

function codePoint(buffer: Uint8Array, at: number, size: number): number {
  const rest = (n: number) => buffer[at + n]! & 63;
  const first = buffer[at]!;
  if (size === 2) return ((first & 31) << 6) | rest(1);
  if (size === 3) return ((first & 15) << 12) | (rest(1) << 6) | rest(2);
  return ((first & 7) << 18) | (rest(1) << 12) | (rest(2) << 6) | rest(3);
}

const hexDigits = [..."0123456789abcdef"].map((digit) => digit.charCodeAt(0));

function writeEscape(out: Uint8Array, at: number, point: number): number {
  if (point > 0xffff) {
    const offset = point - 0x10000;
    return writeEscape(out, writeEscape(out, at, 0xd800 | (offset >> 10)), 0xdc00 | (offset & 0x3ff));
  }
  out[at] = 92;
  out[at + 1] = 117;
  for (let digit = 0; digit < 4; digit++) out[at + 2 + digit] = hexDigits[(point >> (12 - 4 * digit)) & 15]!;
  return at + 6;
}
