/** The records of a file, whatever holds them: lines of JSONL, the elements of a list, or the one object itself. */
import type { Json, JsonDocument } from "#core/json/document";
import { isObject, scalarText } from "#core/json/access";
import type { Place, Warning } from "../model";
import type { SourceDocument, TrajectoryHead } from "../reader";
import { damagedLine } from "../source-document";

/** One record. `value` is undefined on a line that did not parse; `pointer` leads to it inside `document`. */
export interface FileRecord {
  readonly index: number;
  readonly document: JsonDocument | undefined;
  readonly value: Json | undefined;
  readonly line: number | undefined;
  readonly pointer: string;
  readonly problem: Warning | undefined;
}

/** `container` is true where the shape of the file (lines, a list) says that it may hold many. */
export interface FileRecords {
  readonly container: boolean;
  readonly count: number;
  /** Cheap to call again: lines are cached by the document. */
  at(index: number): FileRecord | undefined;
}

/** The records of a JSON or JSONL document; other kinds have none. `limit` keeps sniffing cheap. */
export function recordsOf(document: SourceDocument, limit = Infinity): FileRecords {
  if (document.kind === "jsonl") return lineRecords(document, limit);
  if (document.kind !== "json") return { container: false, count: 0, at: () => undefined };
  const json = document.json();
  const value = json.value;
  if (!Array.isArray(value)) return { container: false, count: 1, at: (index) => (index === 0 ? record(json, value, 0, "") : undefined) };
  return { container: true, count: Math.min(value.length, limit), at: (index) => (index < value.length ? record(json, value[index], index, `/${index}`) : undefined) };
}

/** Values of one JSON document as records: the items of a list inside it, or rows made from it. */
export function recordsFrom(document: JsonDocument, values: readonly Json[], pointerOf: (index: number) => string): FileRecords {
  return { container: true, count: values.length, at: (index) => (index < values.length ? record(document, values[index], index, pointerOf(index)) : undefined) };
}

function record(document: JsonDocument, value: Json | undefined, index: number, pointer: string): FileRecord {
  return { index, document, value, line: undefined, pointer, problem: undefined };
}

function lineRecords(document: SourceDocument, limit: number): FileRecords {
  const lines = limit === Infinity ? document.lines() : document.firstLines(limit);
  const at = (index: number): FileRecord | undefined => {
    const line = lines.at(index);
    if (!line) return undefined;
    const json = line.json;
    return { index, document: json, value: json?.value, line: line.line, pointer: "", problem: json ? undefined : damagedLine(line) };
  };
  return { container: true, count: lines.length, at };
}

/** Does at least one of the first records that parsed pass the test, and at least half of them? */
export function mostRecords(document: SourceDocument, test: (value: Json) => boolean, look = 8): boolean {
  const records = recordsOf(document, look);
  let parsed = 0;
  let passed = 0;
  for (let i = 0; i < Math.min(records.count, look); i++) {
    const value = records.at(i)?.value;
    if (value === undefined) continue;
    parsed++;
    if (test(value)) passed++;
  }
  return passed > 0 && passed * 2 >= parsed;
}

/** Keys under which records of data sets carry an id of their own, the first one found counts. */
const idKeys = ["id", "custom_id", "sample_id", "question_id", "record_id", "uuid"];

/** The record's own id as text, else its index. */
export function recordIdOf(value: Json | undefined, index: number): string {
  if (isObject(value)) {
    for (const key of idKeys) {
      const id = scalarText(value[key]);
      if (id !== undefined && id !== "" && typeof value[key] !== "boolean") return id;
    }
  }
  return String(index);
}

/** Where a record stands, or something inside it. */
export function placeIn(record: FileRecord, pointer = ""): Place {
  const place: Place = { pointer: record.pointer + pointer };
  if (record.line !== undefined) place.line = record.line;
  return place;
}

/** Head of a record that gives no trajectory. */
export function problemHead(record: FileRecord, problem: Warning): TrajectoryHead {
  return { recordId: recordIdOf(record.value, record.index), line: record.line, problem };
}
