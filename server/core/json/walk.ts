/** Moving over JSON text that has been parsed before: skipping values, listing members, pairing text with parsed objects. */
import { isObject } from "./access";
import type { Json, JsonObject } from "./document";

const isSpace = (code: number) => code === 32 || code === 10 || code === 13 || code === 9;

/** Index of the first character at or after `at` that is not JSON white space. */
export function skipSpace(text: string, at: number): number {
  let i = at;
  while (i < text.length && isSpace(text.charCodeAt(i))) i++;
  return i;
}

/** Index just behind the string whose opening quote stands at `at`; the end of the text when it is not closed. */
export function skipString(text: string, at: number): number {
  let quote = at;
  for (;;) {
    quote = text.indexOf('"', quote + 1);
    if (quote < 0) return text.length;
    let before = quote - 1;
    while (before > at && text.charCodeAt(before) === 92) before--;
    if ((quote - before) % 2 === 1) return quote + 1;
  }
}

/** Index just behind the value that starts at `at` (no white space before it). Depth is counted, never recursed. */
export function skipValue(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === 34) return skipString(text, at);
  if (first !== 123 && first !== 91) return skipBare(text, at);
  let depth = 0;
  for (let i = at; i < text.length; ) {
    const code = text.charCodeAt(i);
    if (code === 34) {
      i = skipString(text, i);
      continue;
    }
    i++;
    if (code === 123 || code === 91) depth++;
    else if ((code === 125 || code === 93) && --depth === 0) return i;
  }
  return text.length;
}

function skipBare(text: string, at: number): number {
  let i = at;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 44 || code === 125 || code === 93 || code === 58 || isSpace(code)) break;
  }
  return i === at ? at + 1 : i;
}

/** The decoded string between `start` and `end` (its quotes included). A string that does not decode comes back bare. */
export function decodeString(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  if (!inner.includes("\\")) return inner;
  try {
    return JSON.parse(text.slice(start, end)) as string;
  } catch {
    return inner;
  }
}

/** One member of an object in a text: decoded key, and where its value stands (UTF-16 offsets). */
export interface MemberPlace {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/** Members of the object whose `{` stands at `at`, in recorded order, repeated keys included. */
export function listMembers(text: string, at: number): MemberPlace[] {
  const members: MemberPlace[] = [];
  let i = skipSpace(text, at + 1);
  while (i < text.length && text.charCodeAt(i) === 34) {
    const keyEnd = skipString(text, i);
    const key = decodeString(text, i, keyEnd);
    const colon = skipSpace(text, keyEnd);
    if (text.charCodeAt(colon) !== 58) break;
    const start = skipSpace(text, colon + 1);
    if (start >= text.length) break;
    const end = skipValue(text, start);
    members.push({ key, start, end });
    i = skipSpace(text, end);
    if (text.charCodeAt(i) !== 44) break;
    i = skipSpace(text, i + 1);
  }
  return members;
}

/** Start and end of element `index` of the array whose `[` stands at `at`. */
export function findElement(text: string, at: number, index: number): { start: number; end: number } | undefined {
  let i = skipSpace(text, at + 1);
  for (let n = 0; i < text.length && text.charCodeAt(i) !== 93; n++) {
    const end = skipValue(text, i);
    if (n === index) return { start: i, end };
    i = skipSpace(text, end);
    if (text.charCodeAt(i) !== 44) return undefined;
    i = skipSpace(text, i + 1);
  }
  return undefined;
}

/** Offsets of the value at an RFC 6901 pointer, starting from the value at `at`; the last of repeated keys counts. */
export function findPointer(text: string, pointer: string, at = 0): { start: number; end: number } | undefined {
  const start = skipSpace(text, at);
  if (start >= text.length) return undefined;
  let place = { start, end: -1 };
  if (pointer !== "" && !pointer.startsWith("/")) return undefined;
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replace(/~1/g, "/").replace(/~0/g, "~");
    const open = text.charCodeAt(place.start);
    let found: { start: number; end: number } | undefined;
    if (open === 123) found = listMembers(text, place.start).filter((member) => member.key === key).at(-1);
    else if (open === 91 && /^(0|[1-9]\d*)$/.test(key)) found = findElement(text, place.start, Number(key));
    if (!found) return undefined;
    place = { start: found.start, end: found.end };
  }
  return place.end >= 0 ? place : { start: place.start, end: skipValue(text, place.start) };
}

interface Frame {
  readonly value: Json | undefined;
  readonly isArray: boolean;
  index: number;
}

/**
 * Walks the text and the value parsed from it side by side and reports every object and array of the value with the
 * offset of its opening bracket and the key it stands under ("" in an array). With repeated keys the last report counts.
 */
export function pairObjects(text: string, at: number, value: Json, report: (object: Json, start: number, key: string) => void): void {
  const stack: Frame[] = [];
  let current: Json | undefined = value;
  let key = "";
  let i = skipSpace(text, at);
  for (;;) {
    const code = text.charCodeAt(i);
    if (code === 123 || code === 91) {
      const isArray = code === 91;
      const fits = isArray ? Array.isArray(current) : isObject(current);
      if (fits) report(current as Json, i, key);
      stack.push({ value: fits ? current : undefined, isArray, index: 0 });
      i++;
    } else i = i < text.length ? skipValue(text, i) : i;
    // Behind a value, or just inside a bracket: go on to the next value, closing what closes on the way.
    for (;;) {
      const frame = stack.at(-1);
      i = skipSpace(text, i);
      if (!frame || i >= text.length) return;
      const next = text.charCodeAt(i);
      if (next === 125 || next === 93) {
        stack.pop();
        i++;
        continue;
      }
      if (next === 44) {
        frame.index++;
        i++;
        continue;
      }
      if (frame.isArray) {
        current = (frame.value as Json[] | undefined)?.[frame.index];
        key = "";
        break;
      }
      if (text.charCodeAt(i) !== 34) return;
      const keyEnd = skipString(text, i);
      key = decodeString(text, i, keyEnd);
      const owner = frame.value as JsonObject | undefined;
      current = owner && Object.hasOwn(owner, key) ? owner[key] : undefined;
      i = skipSpace(text, keyEnd);
      if (text.charCodeAt(i) === 58) i = skipSpace(text, i + 1);
      break;
    }
    if (i >= text.length) return;
  }
}
