/** What a trajectory format is to the rest of the house: how it is recognised and how it is read, without any I/O of its own. */
import type { JsonDocument } from "#core/json/document";
import type { LineDocuments } from "./light-text";
import type { GoldLabel, Trajectory, Warning } from "./model";

/** The entries of a zip. `read` returns the unpacked bytes and throws a `DataProblem` with a sentence when it cannot. */
export interface Archive {
  readonly entries: readonly { readonly name: string; readonly size: number }[];
  read(name: string): Uint8Array;
}

/**
 * Bytes of one file behind a port; core itself does no I/O. `path` uses `/` and is only for ids and messages.
 * `bytes` is synchronous (offsets in bytes, end exclusive). `glance` is the same for who is done with the bytes before the
 * next call of either: they may be written over then, so that a large file is read through without garbage. `sibling` finds a file inside the same folder tree by
 * relative path and answers undefined for anything that leaves it or is not there.
 */
export interface Source {
  readonly path: string;
  readonly size: number;
  bytes(start?: number, end?: number): Uint8Array;
  glance?(start: number, end: number): Uint8Array;
  readonly archive?: Archive | undefined;
  sibling(relative: string): Source | undefined;
}

export type DocumentKind = "json" | "jsonl" | "zip" | "text" | "binary" | "empty";

/** One physical line of a JSONL file that held something: 1-based line number, parsed value, or the problem. */
export interface LineRecord {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** Undefined when the line did not parse, or is not the one any more that was parsed first. */
  readonly json?: JsonDocument | undefined;
  readonly problem?: string | undefined;
}

/** The filled lines of a file in order; one is made anew where it is asked for, what was parsed of it is the document's to keep. */
export interface LineRecords extends Iterable<LineRecord> {
  readonly length: number;
  at(index: number): LineRecord | undefined;
  /** The one of that physical number. */
  ofLine(line: number): LineRecord | undefined;
}

/** A file, decoded as far as asked and no further; everything is cached, so that sniffing and reading parse once. */
export interface SourceDocument {
  readonly source: Source;
  readonly kind: DocumentKind;
  /** The whole file as one JSON document (kind `json`). */
  json(): JsonDocument;
  /** Non-blank lines (kind `jsonl`). Lines are split at 0x0A only. */
  lines(): LineRecords;
  /** The first ones of them, `limit` at the most: keeps sniffing cheap. */
  firstLines(limit: number): readonly LineRecord[];
  /** Decoded text of the file, for text formats and for messages. */
  text(): string;
  /** The values of single lines, of a file that is too large to be kept in memory; undefined for any other. */
  readonly light?: LineDocuments | undefined;
  /** Problems of the bytes themselves: BOM of another encoding, invalid UTF-8, truncated tail. */
  readonly warnings: readonly Warning[];
}

/** One trajectory of a file before it is read. `recordId` is undefined in a file that holds just one by its format. */
export interface TrajectoryHead {
  readonly recordId?: string | undefined;
  readonly title?: string | undefined;
  readonly label?: GoldLabel | undefined;
  readonly line?: number | undefined;
  readonly uuid?: string | undefined;
  /** A record that gives no trajectory still is a head, with its reason. */
  readonly problem?: Warning | undefined;
  /** For child trajectories: index of the parent's head. */
  readonly parent?: number | undefined;
  /** Manifest records carry the sample fields of their line. */
  readonly sample?: Record<string, unknown> | undefined;
}

/** A file opened by a reader. `load` never throws on data: damaged records give what could be read, and warnings. */
export interface OpenedFile {
  readonly heads: readonly TrajectoryHead[];
  readonly warnings: readonly Warning[];
  /**
   * Reads one trajectory. `id` is left to the caller (contract: sample ids): it comes back as "". `format` and `reader`
   * are left empty too, except by a reader that passes on what another one has read.
   */
  load(index: number): Trajectory;
}

export interface FormatDefinition {
  readonly id: string;
  readonly title: string;
  /** Raised when the same bytes give other parts than before. */
  readonly version: number;
  /** File name endings usual for the format, for the documentation and the manifest. */
  readonly extensions: readonly string[];
  /** One sentence each for the README's table. */
  readonly keeps: string;
  readonly drops: string;
  /** How sure it is that the document is of this format, 0 (no) to 1. Content only, never the name alone. */
  sniff(document: SourceDocument): number;
  open(document: SourceDocument, tools: ReaderTools): OpenedFile;
}

/** What readers are given that lead to other files of any format: manifests. */
export interface ReaderTools {
  /** Opens another file by its content. Never throws on data. */
  openSource(source: Source): { readonly opened: OpenedFile; load(index: number): Trajectory; warnings(): readonly Warning[] };
}

/** Declares a format; exists so that a definition is type-checked where it stands. */
export function defineFormat(definition: FormatDefinition): FormatDefinition {
  return definition;
}
