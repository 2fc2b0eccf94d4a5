/** A parsed JSON text together with what JSON.parse forgets: raw number text, member order, positions. */

/** A number that a double cannot hold as recorded (integers past 2^53), kept as its source text. */
export class RawNumber {
  constructor(readonly source: string) {}
}

/** JSON as readers see it. NaN and infinities are real doubles; unsafe integers are `RawNumber`. */
export type Json = null | boolean | number | string | RawNumber | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface JsonDocument {
  readonly value: Json;
  /** Set when NaN/Infinity or unsafe integers forced the slow path, duplicates were seen, and so on. */
  readonly notes: readonly { code: string; message: string; offset: number }[];
  /**
   * Members of `object` (found by identity inside `value`) in recorded order, each with the text of its value exactly
   * as recorded. Undefined when `object` is not part of this document.
   */
  rawMembers(object: JsonObject): readonly { key: string; raw: string }[] | undefined;
  /** The recorded text of the value itself, found by identity for objects and arrays. */
  rawOf(value: Json): string | undefined;
  /** From now on the text is not held but read again by `text` where it is asked for; a document may have no use for that. */
  letGo?(text: () => string): void;
  /** UTF-16 offsets of the value at an RFC 6901 pointer in the document's text, or undefined. */
  locate(pointer: string): { start: number; end: number } | undefined;
}
