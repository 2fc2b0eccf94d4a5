/** A JSON document made from a text that is held whole: messages, lines of JSONL, small files, arguments in a string. */
import type { Json, JsonDocument, JsonObject } from "./document";
import { RawNumber } from "./document";
import { RawIndex } from "./raw-index";
import { scanText } from "./scan";
import { parseTolerant } from "./tolerant";
import type { Note } from "./tolerant";
import { findPointer } from "./walk";

/** A document, or why there is none and at which UTF-16 offset. */
export type JsonResult = { readonly document: JsonDocument; readonly problem?: undefined } | { readonly document?: undefined; readonly problem: string; readonly offset: number };

/**
 * Parses a JSON text (no byte order mark). Never throws. With `recover` there always is a document: what stands before
 * the first fault, and a note `json-cut`.
 */
export function parseJson(text: string, options: { recover?: boolean } = {}): JsonResult {
  const scan = scanText(text);
  if (!scan.needsTolerant) {
    try {
      const value = JSON.parse(text) as Json;
      const notes = scan.members === countMembers(value) ? [] : duplicateNotes(text);
      return { document: new TextDocument(text, value, notes) };
    } catch {
      // The tolerant parser below reads it or says what is wrong.
    }
  }
  const result = parseTolerant(text, options.recover);
  if ("problem" in result) return result;
  return { document: new TextDocument(text, result.value, result.notes) };
}

/** The notes on repeated keys of a text that JSON.parse took. */
export function duplicateNotes(text: string): Note[] {
  const result = parseTolerant(text, true);
  return "notes" in result ? result.notes.filter((note) => note.code === "duplicate-key") : [];
}

/** Number of members of all objects in `value`. Iterative: nesting may be deep. */
export function countMembers(value: Json): number {
  if (typeof value !== "object" || value === null) return 0;
  const stack: object[] = [value];
  let count = 0;
  for (let top = stack.pop(); top; top = stack.pop()) {
    if (Array.isArray(top)) {
      for (const item of top as Json[]) if (typeof item === "object" && item !== null) stack.push(item);
    } else if (!(top instanceof RawNumber)) {
      for (const key in top) {
        count++;
        const item = (top as JsonObject)[key];
        if (typeof item === "object" && item !== null) stack.push(item);
      }
    }
  }
  return count;
}

/** JSON of a scalar as recorded, where that can be told from the value alone: not for numbers. */
export function rawScalar(value: Json): string | undefined {
  if (value instanceof RawNumber) return value.source;
  return value === null || typeof value === "boolean" || typeof value === "string" ? JSON.stringify(value) : undefined;
}

class TextDocument implements JsonDocument {
  private held: RawIndex | undefined;
  private isLight = false;
  private text: () => string;

  constructor(text: string, readonly value: Json, readonly notes: readonly Note[]) {
    this.text = () => text;
  }

  letGo(text: () => string): void {
    this.text = text;
    this.held = undefined;
    this.isLight = true;
  }

  rawMembers(object: JsonObject) {
    return this.index().members(object);
  }

  rawOf(value: Json) {
    return typeof value === "object" && value !== null && !(value instanceof RawNumber) ? this.index().raw(value) : rawScalar(value);
  }

  locate(pointer: string) {
    return findPointer(this.text(), pointer);
  }

  /** Of a document that is not to hold its text the index, which holds it, is made for each question. */
  private index(): RawIndex {
    const index = this.held ?? new RawIndex([{ text: this.text, value: this.value }]);
    if (!this.isLight) this.held = index;
    return index;
  }
}
