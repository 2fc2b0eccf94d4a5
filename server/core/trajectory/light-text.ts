/** Long texts of a very large file's steps are not kept in memory: they are read again from their line when somebody asks for them. */
import { RawNumber, type Json, type JsonDocument, type JsonObject } from "#core/json/document";
import { parseJson } from "#core/json/text-document";
import type { Part, Step } from "./model";
import { NumberColumn } from "./number-column";

/**
 * Values of a file's lines by physical line number, parsed again where they are not at hand. Undefined for a line without
 * JSON, and for one that is not the one any more that was read first.
 */
export interface LineValues {
  lineValue(line: number): Json | undefined;
}

/** The same with the whole document of a line. */
export interface LineDocuments extends LineValues {
  lineJson(line: number): JsonDocument | undefined;
}

/** Texts of fewer UTF-16 units stay: reading them again would cost more than it saves. */
export const shortText = 160;

/** A number of 31 bits that differs between two texts in all likelihood (FNV-1a over UTF-16 units): enough against accidents. */
function printOf(text: string): number {
  let print = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) print = Math.imul(print ^ text.charCodeAt(i), 0x01000193);
  return print >>> 1;
}

/** The same of bytes. */
export function printOfBytes(bytes: Uint8Array): number {
  let print = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) print = Math.imul(print ^ bytes[i]!, 0x01000193);
  return print >>> 1;
}

/** The text that was let go of, or nothing where the file was written anew under us: it will be opened again soon. */
function sameText(found: string | undefined, length: number, print: number): string {
  return found !== undefined && found.length === length && printOf(found) === print ? found : "";
}

const origin = Symbol("place of the text among those of its file");
type LightPart = Part & { [origin]?: number };

/**
 * Where the texts of one file stand that are not held, as columns: there may be a million of them. A text is the `nth` of at
 * least `shortText` units among the values of its line, in the order of the file; below zero the `-1 - nth`th of those inside
 * texts that are JSON themselves. Its length and print tell it from another one that was written over it.
 */
class LightTexts {
  private readonly lines = new NumberColumn();
  private readonly nths = new NumberColumn();
  private readonly lengths = new NumberColumn();
  private readonly prints = new NumberColumn();
  /** One descriptor for all parts, so that they share their shape. */
  readonly accessor: PropertyDescriptor & ThisType<LightPart>;

  constructor(private readonly source: LineValues) {
    // Inside the accessor `this` is the part.
    const textAt = (at: number) => this.textAt(at);
    this.accessor = {
      enumerable: true,
      configurable: true,
      get() {
        return textAt(this[origin]!);
      },
      set(value: string) {
        Object.defineProperty(this, "text", { value, writable: true, enumerable: true, configurable: true });
      },
    };
  }

  add(line: number, nth: number, text: string): number {
    this.lines.push(line);
    // The column has no sign: those below zero are the odd ones.
    this.nths.push(nth < 0 ? (-1 - nth) * 2 + 1 : nth * 2);
    this.lengths.push(text.length);
    this.prints.push(printOf(text));
    return this.lines.length - 1;
  }

  lengthAt(at: number): number {
    return this.lengths.at(at);
  }

  textAt(at: number): string {
    const code = this.nths.at(at);
    const nth = code % 2 === 1 ? -1 - (code - 1) / 2 : code / 2;
    return sameText(nthText(this.source.lineValue(this.lines.at(at)), nth), this.lengths.at(at), this.prints.at(at));
  }
}

const textsOf = new WeakMap<LineValues, LightTexts>();
const textsByAccessor = new WeakMap<() => unknown, LightTexts>();

function lightTexts(source: LineValues): LightTexts {
  const known = textsOf.get(source);
  if (known) return known;
  const made = new LightTexts(source);
  textsOf.set(source, made);
  textsByAccessor.set(made.accessor.get!, made);
  return made;
}

/**
 * Lets go of the long texts of a step that stand in the file word for word: such a part is put in the place of the one that
 * holds its text, and its `text` goes on to give it.
 */
export function lighten(step: Pick<Step, "parts" | "places">, source: LineValues): void {
  // A list that was filled one by one has room for more: here they take what they need.
  step.parts = step.parts.slice();
  if (step.places.length > 1) step.places = step.places.slice();
  step.parts.forEach((part, at) => {
    // Readers know calls by their objects.
    if (part.kind === "tool_call" || part.text.length < shortText) return;
    for (const { line, file, entry } of step.places) {
      if (line === undefined || file !== undefined || entry !== undefined) continue;
      const nth = findText(source.lineValue(line), part.text);
      if (nth === undefined) continue;
      const texts = lightTexts(source);
      step.parts[at] = lightPart(part, texts, texts.add(line, nth, part.text));
      return;
    }
  });
}

/** Made anew with its accessor from the beginning: engines store an object whose text becomes an accessor later in a far larger form. */
function lightPart(part: Part, texts: LightTexts, at: number): Part {
  // An empty object has room for four members inside.
  const light = {} as LightPart;
  light.kind = part.kind;
  Object.defineProperty(light, "text", texts.accessor);
  Object.defineProperty(light, origin, { value: at });
  if (part.toolName !== undefined) light.toolName = part.toolName;
  if (part.callId !== undefined) light.callId = part.callId;
  if (part.isError !== undefined) light.isError = part.isError;
  if (part.args !== undefined) light.args = part.args;
  return light;
}

/** Length of a part's text in UTF-16 units, without reading it again. */
export function textLength(part: Part): number {
  const from = Object.getOwnPropertyDescriptor(part, "text")?.get;
  const texts = from && textsByAccessor.get(from);
  return texts ? texts.lengthAt((part as LightPart)[origin]!) : part.text.length;
}

/** A copy of a part for a look at its shape: a text that is not at hand stays out of it. */
export function shapeOf(part: Part): Part {
  if ((part as LightPart)[origin] === undefined) return part;
  const { kind, toolName, callId, isError, args } = part;
  return { kind, text: "", toolName, callId, isError, args };
}

function findText(value: Json | undefined, wanted: string): number | undefined {
  let found: number | undefined;
  const look = (sign: 0 | -1) => {
    let nth = -1;
    return (text: string) => {
      nth++;
      if (text.length !== wanted.length || text !== wanted) return false;
      found = sign === 0 ? nth : -1 - nth;
      return true;
    };
  };
  visit(value, look(0));
  if (found === undefined) visitInner(value, look(-1));
  return found;
}

function nthText(value: Json | undefined, wanted: number): string | undefined {
  let nth = -1;
  let found: string | undefined;
  const at = wanted < 0 ? -1 - wanted : wanted;
  (wanted < 0 ? visitInner : visit)(value, (text) => {
    if (++nth !== at) return false;
    found = text;
    return true;
  });
  return found;
}

/** The long texts inside texts that are JSON objects, as agents wrap what a tool gave back. */
function visitInner(value: Json | undefined, look: (text: string) => boolean): void {
  visit(value, (text) => {
    const inner = text.startsWith("{") ? parseJson(text).document?.value : undefined;
    let isFound = false;
    visit(inner, (one) => (isFound = look(one)));
    return isFound;
  });
}

/**
 * Lets go of the long texts under the names of a value's objects, wherever somebody still holds these: `again` gives the
 * value anew when one of them is asked for. Called once for a value.
 */
export function thin(value: Json, again: () => Json | undefined): void {
  let nth = -1;
  const found: { owner: JsonObject; key: string; nth: number; length: number; print: number }[] = [];
  visit(value, (text, owner, key) => {
    nth++;
    if (owner && text.length >= worthThinning) found.push({ owner, key, nth, length: text.length, print: printOf(text) });
    return false;
  });
  for (const { owner, key, nth: at, length, print } of found) {
    Object.defineProperty(owner, key, {
      enumerable: true, configurable: true,
      get: () => sameText(nthText(again(), at), length, print),
      set: (set: Json) => void Object.defineProperty(owner, key, { value: set, writable: true, enumerable: true, configurable: true }),
    });
  }
}

/** Texts of fewer UTF-16 units take less room than the way to read them again. */
const worthThinning = 400;

/**
 * Goes through the long texts of a value, not its keys, until `look` is content; `owner` is set where a text stands under a
 * name. Iterative: nesting may be deep.
 */
function visit(value: Json | undefined, look: (text: string, owner: JsonObject | undefined, key: string) => boolean): void {
  const stack: { value: Json | undefined; owner: JsonObject | undefined; key: string }[] = [{ value, owner: undefined, key: "" }];
  while (stack.length > 0) {
    const { value: top, owner, key } = stack.pop()!;
    if (typeof top === "string") {
      if (top.length >= shortText && look(top, owner, key)) return;
    } else if (Array.isArray(top)) for (let i = top.length - 1; i >= 0; i--) stack.push({ value: top[i], owner: undefined, key: "" });
    else if (typeof top === "object" && top !== null && !(top instanceof RawNumber)) {
      const keys = Object.keys(top);
      for (let i = keys.length - 1; i >= 0; i--) stack.push({ value: top[keys[i]!], owner: top, key: keys[i]! });
    }
  }
}
