/** A file decoded no further than asked: what it is made of, its JSON or its lines, and what was wrong with its bytes. */
import { decodeUtf16, decodeUtf8, byteOrderMark, encodeUtf8, lineOfByte, lineOfOffset } from "#core/json/decode";
import type { Json, JsonDocument } from "#core/json/document";
import { parseJsonBytes } from "#core/json/piece-document";
import { parseJson } from "#core/json/text-document";
import { kindByMagic, kindOfText, magicBytes } from "./document-kind";
import type { KindFound } from "./document-kind";
import { printOfBytes, thin, type LineDocuments } from "./light-text";
import { LineIndex } from "./line-index";
import type { Warning } from "./model";
import type { DocumentKind, LineRecord, Source, SourceDocument } from "./reader";

/** Up to this size the parsed lines of a file are all kept; of larger files only the last few. */
const keepAllBytes = 64 << 20;
const keptLines = 16;
/** Longest text that a JavaScript engine holds is a little more than this. */
const longestText = 500 << 20;

/** SWE-agent records the whole prompt again with every step: most of its large files, and read by nobody. */
const repeatedPrompts = { list: "trajectory", keys: ["query", "messages"] };

const empty = parseJson("null").document!;

/** Looks at `source`; reads its first bytes only. Never throws on data. */
export function openDocument(source: Source): SourceDocument {
  return new FileDocument(source);
}

class FileDocument implements SourceDocument {
  readonly source: Source;
  readonly kind: DocumentKind;
  private readonly found: Warning[] = [];
  private readonly index: LineIndex<Line>;
  private readonly start: number;
  private document: JsonDocument | undefined;
  private recent: Line[] = [];

  constructor(source: Source) {
    const head = source.bytes(0, Math.min(source.size, magicBytes));
    const mark = byteOrderMark(head);
    const inner = mark.encoding === "utf-8" ? source : this.transcode(source, mark.encoding, mark.length);
    this.start = inner === source ? mark.length : 0;
    this.source = inner;
    this.index = new LineIndex(inner, this.start, (line, start, end, terminated) => new Line(this, line, start, end, terminated));
    const kind: KindFound = kindByMagic(inner === source ? head : inner.bytes(0, Math.min(inner.size, magicBytes)), inner.size)
      ?? { kind: kindOfText(inner, this.index) };
    this.kind = kind.kind;
    if (kind.kind === "binary") this.found.push(binaryWarning(kind.name));
    if (kind.kind === "empty") this.found.push({ code: "empty-file", message: "The file is empty." });
  }

  get warnings(): readonly Warning[] {
    return this.found;
  }

  get light(): LineDocuments | undefined {
    return this.kind === "jsonl" && this.source.size > keepAllBytes ? this : undefined;
  }

  lineValue(line: number): Json | undefined {
    return this.lineJson(line)?.value;
  }

  lineJson(line: number): JsonDocument | undefined {
    const records = this.lines();
    let low = 0;
    let high = records.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (records[middle]!.line < line) low = middle + 1;
      else high = middle;
    }
    const record = records[low];
    return record?.line === line ? record.json : undefined;
  }

  json(): JsonDocument {
    if (this.document) return this.document;
    if (this.kind !== "json") return this.kind === "jsonl" ? (this.lines(1)[0]?.json ?? empty) : empty;
    const bytes = this.source.bytes();
    try {
      const result = parseJsonBytes(bytes, this.start, bytes.length, { recover: true, skip: repeatedPrompts });
      this.document = result.document ?? empty;
      if (result.invalidAt !== undefined) this.found.push(invalidBytes(lineOfByte(bytes, result.invalidAt)));
    } catch {
      this.document = empty;
      this.found.push({ code: "too-large", message: `The file is damaged, and at ${bytes.length} bytes too large to be repaired; split it or mend its JSON.` });
    }
    this.found.push(...this.noteWarnings(this.document, bytes));
    return this.document;
  }

  lines(limit = Infinity): readonly LineRecord[] {
    if (this.kind !== "jsonl" && this.kind !== "json") return [];
    if (this.kind === "json") return [{ line: 1, start: this.start, end: this.source.size, json: this.json() }];
    const lines = this.index.upTo(limit);
    return limit < lines.length ? lines.slice(0, limit) : lines;
  }

  text(): string {
    const bytes = this.source.bytes();
    if (bytes.length > longestText) {
      this.warnOnce({ code: "too-large", message: "The file is too large to be shown as one text; its first part is shown." });
    }
    const decoded = decodeUtf8(bytes.subarray(this.start, Math.min(bytes.length, longestText)));
    if (decoded.invalidAt !== undefined) this.warnOnce(invalidBytes(lineOfByte(bytes, this.start + decoded.invalidAt)));
    return decoded.text;
  }

  warnOnce(warning: Warning): void {
    if (!this.found.some((known) => known.code === warning.code && known.line === warning.line)) this.found.push(warning);
  }

  /** Keeps the parsed lines of a large file few. */
  keep(line: Line): void {
    if (this.source.size <= keepAllBytes) return;
    this.recent.push(line);
    if (this.recent.length > keptLines) this.recent.shift()!.forget();
  }

  private transcode(source: Source, encoding: "utf-16le" | "utf-16be", mark: number): Source {
    const bytes = encodeUtf8(decodeUtf16(source.bytes().subarray(mark), encoding));
    this.found.push({ code: "utf-16", message: `The file is ${encoding.toUpperCase()}; it was decoded.` });
    return {
      path: source.path, size: bytes.length, archive: undefined,
      bytes: (start = 0, end = bytes.length) => bytes.subarray(start, end),
      sibling: (relative) => source.sibling(relative),
    };
  }

  private noteWarnings(document: JsonDocument, bytes: Uint8Array): Warning[] {
    if (document.notes.length === 0) return [];
    const text = decodeUtf8(bytes.subarray(this.start)).text;
    return document.notes.map((note) => {
      const line = lineOfOffset(text, note.offset);
      if (note.code !== "json-cut") return { code: note.code, message: `${sentence(note.message)} (line ${line})`, line };
      const byte = this.start + encodeUtf8(text.slice(0, note.offset)).length;
      const cut = note.offset >= text.trimEnd().length;
      return {
        code: cut ? "truncated-json" : "damaged-json", line,
        message: `${sentence(note.message)} at line ${line}, byte ${byte}; what stands before it was read${cut ? "" : `, ${bytes.length - byte} bytes behind it were not`}.`,
      };
    });
  }
}

/** One line of a JSONL file; parsed when first asked. */
class Line implements LineRecord {
  private parsed: { json?: JsonDocument; problem?: string } | undefined;
  /** Print of the bytes that were parsed first, where they are read more than once. */
  private print: number | undefined;

  constructor(private readonly owner: FileDocument, readonly line: number, readonly start: number, readonly end: number, readonly terminated: boolean) {}

  get json(): JsonDocument | undefined {
    return this.parse().json;
  }

  get problem(): string | undefined {
    return this.parse().problem;
  }

  /** Lets go of what was parsed, also where a reader goes on holding the document. */
  forget(): void {
    const { json } = this.parsed ?? {};
    this.parsed = undefined;
    if (!json?.letGo) return;
    thin(json.value, () => this.json?.value);
    json.letGo(() => decodeUtf8(this.owner.source.bytes(this.start, this.end)).text);
  }

  private parse(): { json?: JsonDocument; problem?: string } {
    if (this.parsed) return this.parsed;
    const bytes = this.owner.source.bytes(this.start, this.end);
    if (!this.isAsBefore(bytes)) return { problem: "it was changed after it had been read; open the file again" };
    const result = parseJsonBytes(bytes, 0, bytes.length);
    if (result.invalidAt !== undefined) this.owner.warnOnce(invalidBytes(this.line));
    for (const note of result.document?.notes ?? []) {
      this.owner.warnOnce({ code: note.code, message: `${sentence(note.message)} (line ${this.line})`, line: this.line });
    }
    this.parsed = result.document ? { json: result.document } : { problem: this.describe(result.problem) };
    this.owner.keep(this);
    return this.parsed;
  }

  /** What was read of a line is taken for a part of its record: another one in its place must not come to stand beside it. */
  private isAsBefore(bytes: Uint8Array): boolean {
    if (!this.owner.light) return true;
    const print = printOfBytes(bytes);
    this.print ??= print;
    return this.print === print;
  }

  private describe(problem: string): string {
    return this.terminated ? problem : `${problem}; the line has no end, its writer was stopped or is still at work`;
  }
}

/** The warning for a line that did not parse: it costs that line only. */
export function damagedLine(record: LineRecord): Warning {
  const bytes = record.end - record.start;
  return { code: "damaged-line", line: record.line, message: `Line ${record.line} could not be read: ${record.problem ?? "no JSON"} (${bytes} bytes).` };
}

function invalidBytes(line: number): Warning {
  return { code: "invalid-utf-8", line, message: `Line ${line} holds bytes that are no UTF-8; they are shown as U+FFFD.` };
}

function binaryWarning(name: string | undefined): Warning {
  const what = name ? `The file is ${name}` : "The file is binary";
  return { code: "binary-file", message: /compressed/.test(what) ? `${what}; unpack it first.` : `${what}, not a trajectory.` };
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
