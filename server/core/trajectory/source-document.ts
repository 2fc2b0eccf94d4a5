/** A file decoded no further than asked: what it is made of, its JSON or its lines, and what was wrong with its bytes. */
import { decodeUtf16, decodeUtf8, byteOrderMark, encodeUtf8, lineOfByte, lineOfOffset } from "#core/json/decode";
import type { Json, JsonDocument } from "#core/json/document";
import { parseJsonBytes } from "#core/json/piece-document";
import { usualCuts } from "#core/json/scan";
import { parseJson } from "#core/json/text-document";
import { kindByMagic, kindOfText, magicBytes } from "./document-kind";
import type { KindFound } from "./document-kind";
import { printOfBytes, thin, type LineDocuments } from "./light-text";
import { LineIndex } from "./line-index";
import type { Warning } from "./model";
import { NumberColumn } from "./number-column";
import type { DocumentKind, LineRecord, LineRecords, Source, SourceDocument } from "./reader";

/** Up to this size the parsed lines of a file are all kept; of larger files only the last few. */
const keepAllBytes = 64 << 20;
const keptLines = 16;
/** Short lines that are kept: a reader lets go of a step's texts some steps later, and looks at its lines then. */
const keptShortLines = 64;
const keptBytes = 4 << 20;
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
  readonly index: LineIndex;
  /** Prints of the lines that were read, one more than they are: 0 is none. */
  private readonly prints = new NumberColumn();
  private readonly parsed = new Map<number, ParsedLine>();
  private parsedBytes = 0;
  private readonly start: number;
  private document: JsonDocument | undefined;

  constructor(source: Source) {
    const head = source.bytes(0, Math.min(source.size, magicBytes));
    const mark = byteOrderMark(head);
    const inner = mark.encoding === "utf-8" ? source : this.transcode(source, mark.encoding, mark.length);
    this.start = inner === source ? mark.length : 0;
    this.source = inner;
    this.index = new LineIndex(inner, this.start);
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
    return this.lines().ofLine(line)?.json;
  }

  json(): JsonDocument {
    if (this.document) return this.document;
    if (this.kind !== "json") return this.kind === "jsonl" ? (this.firstLines(1)[0]?.json ?? empty) : empty;
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

  lines(): LineRecords {
    if (this.kind !== "jsonl") return listed(this.firstLines(1));
    return new Lines(this, this.index.upTo(Infinity));
  }

  firstLines(limit: number): readonly LineRecord[] {
    if (this.kind === "json" && limit > 0) return [{ line: 1, start: this.start, end: this.source.size, json: this.json() }];
    if (this.kind !== "jsonl") return [];
    return Array.from({ length: Math.min(limit, this.index.upTo(limit)) }, (_, at) => new Line(this, at));
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

  /** What line `at` of the index holds; of a large file the last few are kept. */
  parse(at: number): ParsedLine {
    const known = this.parsed.get(at);
    if (known) return known;
    const start = this.index.startOf(at);
    const end = this.index.endOf(at);
    const bytes = this.lineBytes(start, end);
    if (!this.isAsBefore(at, bytes)) return { problem: "it was changed after it had been read; open the file again" };
    const result = parseJsonBytes(bytes, 0, bytes.length);
    const line = this.index.lineOf(at);
    if (result.invalidAt !== undefined) this.warnOnce(invalidBytes(line));
    for (const note of result.document?.notes ?? []) this.warnOnce({ code: note.code, message: `${sentence(note.message)} (line ${line})`, line });
    const isCut = !this.index.isTerminated(at);
    const parsed = result.document ? { json: result.document } : { problem: isCut ? `${result.problem}; the line has no end, its writer was stopped or is still at work` : result.problem };
    this.parsed.set(at, parsed);
    if (this.source.size <= keepAllBytes) return parsed;
    this.parsedBytes += bytes.length;
    while (this.parsed.size > keptShortLines || (this.parsed.size > keptLines && this.parsedBytes > keptBytes)) this.forgetOldest();
    return parsed;
  }

  /** A document of pieces goes on looking at its bytes, a smaller one is done with them at once. */
  private lineBytes(start: number, end: number): Uint8Array {
    return (end - start < usualCuts.split ? this.source.glance?.(start, end) : undefined) ?? this.source.bytes(start, end);
  }

  /** Lets go of what was parsed, also where a reader goes on holding the document. */
  private forgetOldest(): void {
    const [at, { json }] = this.parsed.entries().next().value!;
    this.parsed.delete(at);
    this.parsedBytes -= this.index.endOf(at) - this.index.startOf(at);
    if (!json?.letGo) return;
    thin(json.value, () => this.parse(at).json?.value);
    json.letGo(() => decodeUtf8(this.lineBytes(this.index.startOf(at), this.index.endOf(at))).text);
  }

  /** What was read of a line is taken for a part of its record: another one in its place must not come to stand beside it. */
  private isAsBefore(at: number, bytes: Uint8Array): boolean {
    if (!this.light) return true;
    const print = printOfBytes(bytes) + 1;
    const before = this.prints.at(at);
    if (before === 0) this.prints.set(at, print);
    return before === 0 || before === print;
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

interface ParsedLine { readonly json?: JsonDocument | undefined; readonly problem?: string | undefined }

/** One line of a JSONL file; parsed when first asked. */
class Line implements LineRecord {
  constructor(private readonly owner: FileDocument, private readonly index: number) {}

  get line(): number {
    return this.owner.index.lineOf(this.index);
  }

  get start(): number {
    return this.owner.index.startOf(this.index);
  }

  get end(): number {
    return this.owner.index.endOf(this.index);
  }

  get json(): JsonDocument | undefined {
    return this.owner.parse(this.index).json;
  }

  get problem(): string | undefined {
    return this.owner.parse(this.index).problem;
  }
}

/** All lines of the index, none of them held. */
class Lines implements LineRecords {
  constructor(private readonly owner: FileDocument, readonly length: number) {}

  at(index: number): LineRecord | undefined {
    return index >= 0 && index < this.length ? new Line(this.owner, index) : undefined;
  }

  ofLine(line: number): LineRecord | undefined {
    return this.at(this.owner.index.indexOf(line));
  }

  *[Symbol.iterator](): Iterator<LineRecord> {
    for (let index = 0; index < this.length; index++) yield new Line(this.owner, index);
  }
}

function listed(lines: readonly LineRecord[]): LineRecords {
  return { length: lines.length, at: (index) => lines[index], ofLine: (line) => lines.find((one) => one.line === line), [Symbol.iterator]: () => lines[Symbol.iterator]() };
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
