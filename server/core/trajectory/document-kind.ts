/** Tells from a file's bytes what it is made of: JSON, JSON Lines, a zip, other text, or nothing that can be read. */
import { parseJsonBytes } from "#core/json/piece-document";
import { isSpace } from "./line-index";
import type { LineIndex, LineSpan } from "./line-index";
import type { DocumentKind, Source } from "./reader";

const probeLines = 20;
const headBytes = 65536;
const mostLineBytes = 4 << 20;

const magic: readonly { name: string; bytes: readonly number[] }[] = [
  { name: "gzip-compressed", bytes: [0x1f, 0x8b] },
  { name: "zstd-compressed", bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: "bzip2-compressed", bytes: [0x42, 0x5a, 0x68] },
  { name: "xz-compressed", bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a] },
  { name: "an SQLite database", bytes: [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65] },
  { name: "a PDF", bytes: [0x25, 0x50, 0x44, 0x46] },
  { name: "a PNG image", bytes: [0x89, 0x50, 0x4e, 0x47] },
  { name: "a Parquet file", bytes: [0x50, 0x41, 0x52, 0x31] },
];

/** `name` says what a binary file seems to be. */
export interface KindFound {
  readonly kind: DocumentKind;
  readonly name?: string | undefined;
}

/** Kind by the first bytes alone, or undefined where the content has to be looked at as text. */
export function kindByMagic(head: Uint8Array, size: number): KindFound | undefined {
  if (size === 0) return { kind: "empty" };
  const starts = (bytes: readonly number[]) => bytes.every((byte, i) => head[i] === byte);
  if (starts([0x50, 0x4b, 3, 4]) || starts([0x50, 0x4b, 5, 6])) return { kind: "zip" };
  const known = magic.find((entry) => starts(entry.bytes));
  if (known) return { kind: "binary", name: known.name };
  let zeros = 0;
  let control = 0;
  for (const byte of head) {
    if (byte === 0) zeros++;
    else if (byte < 9 || (byte > 13 && byte < 27) || byte === 127) control++;
  }
  if (zeros * 1000 > head.length) return { kind: "binary", name: zeros * 3 > head.length ? "UTF-16 without a byte order mark, or binary" : undefined };
  return control * 10 > head.length ? { kind: "binary" } : undefined;
}

/** Kind of a text in UTF-8: one JSON value, lines of JSON, or something else. `index` begins behind the byte order mark. */
export function kindOfText(source: Source, index: LineIndex): DocumentKind {
  const count = index.upTo(2);
  if (count === 0) return "empty";
  const first = index.span(0);
  const opening = firstByte(source, first);
  const looksJson = opening === 123 || opening === 91;
  // One line is both a JSON file and a JSONL file of one record; only here does the name decide, between these two.
  if (looksJson && count === 1) return /\.(jsonl|ndjson)$/i.test(source.path) ? "jsonl" : "json";
  if (looksJson && isWhole(source, first)) return "jsonl";
  if (first.end - first.start > 2 && mostlyRecords(source, index)) return "jsonl";
  return looksJson ? "json" : "text";
}

/** Are at least half of the lines behind the first one records of their own? Then the first line is a damaged record. */
function mostlyRecords(source: Source, index: LineIndex): boolean {
  const probed: LineSpan[] = [];
  const count = index.upTo(probeLines + 1);
  for (let at = 1; at < Math.min(count, probeLines + 1); at++) probed.push(index.span(at));
  const whole = probed.filter((span) => firstByte(source, span) === 123 && source.bytes(span.start, span.start + 1)[0] === 123 && isWhole(source, span));
  return whole.length > 0 && whole.length * 2 >= probed.length;
}

function firstByte(source: Source, span: LineSpan): number | undefined {
  return source.bytes(span.start, Math.min(span.end, span.start + 256)).find((byte) => !isSpace(byte));
}

/** Does the line hold one complete object or list? A line of many megabytes is judged by its brackets alone. */
function isWhole(source: Source, span: LineSpan): boolean {
  const last = source.bytes(span.end - 1, span.end)[0];
  if (last !== 125 && last !== 93) return false;
  if (span.end - span.start > mostLineBytes) return true;
  const bytes = source.bytes(span.start, span.end);
  return parseJsonBytes(bytes, 0, bytes.length).document !== undefined;
}

/** How much of a file `kindByMagic` wants to see. */
export const magicBytes = headBytes;
