/**
 * Finds the white space of JSON that means nothing: what stands beside `{ } [ ] : ,` between JSON tokens. JSON is known
 * by its grammar, not by its look, so that `[ "$a" = "$b" ]` or `1, 000` in prose keep their spaces.
 */

import { TextEditor } from "./mapped-text";
import type { MappedText, Range } from "./mapped-text";

// One token that is no string, or white space, from where the expression stands.
const TOKEN = /\s+|[{}[\]:,]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;

/** What may come next in an object, an array, or a piece cut out of the middle of either. */
type Expect = "key" | "key-or-end" | "colon" | "value" | "value-or-end" | "comma-or-end" | "anything";

interface Frame {
  readonly kind: "{" | "[" | "fragment";
  expect: Expect;
  /** White space that is dropped if this frame turns out to be JSON. */
  readonly spaces: Range[];
}

/** The text without the white space between the tokens of the JSON that stands in it. */
export function dropJsonSpace(below: MappedText): MappedText {
  return drop(below, jsonSpaces(below.text));
}

/** The same for a quote, which may be cut out of the middle of JSON: inside a string, or between two members. */
export function dropJsonSpaceInQuote(below: MappedText): MappedText {
  const { text } = below;
  const spaces = fragmentSpaces(text, 0) ?? spacesFromWithinString(text);
  return spaces === undefined ? dropJsonSpace(below) : drop(below, spaces);
}

function drop(below: MappedText, spaces: readonly Range[]): MappedText {
  const editor = new TextEditor(below);
  for (const space of spaces) editor.replace(space.start, space.end - space.start, "");
  return editor.finish();
}

/** White space inside every balanced, or at the text's end cut off, JSON object or array; linear in the length. */
function jsonSpaces(text: string): Range[] {
  const found: Range[] = [];
  const opening = /[{[]/g;
  let from = 0;
  for (;;) {
    opening.lastIndex = from;
    const match = opening.exec(text);
    if (match === null) break;
    from = readFrames(text, match.index, [], found);
  }
  for (const space of memberSpaces(text)) found.push(space);
  found.sort((a, b) => a.start - b.start);
  return found.filter((space, i) => i === 0 || space.start !== found[i - 1]!.start);
}

// A key that no code could be mistaken for: `join(": ")` has none.
const KEY = '"[\\w$@./ -]{1,60}"';
// The space around the colon of a member, and around the comma before one, where the brackets themselves are not there.
const MEMBER_SPACE = new RegExp(`(?<=${KEY})\\s*:\\s*(?=["{[\\d]|-\\d|true\\b|false\\b|null\\b)|(?<=["}\\]\\del])\\s*,\\s*(?=${KEY}\\s*:)`, "g");
const HAS_MEMBER = new RegExp(`${KEY}\\s*:`);

/** White space of members that stand outside any whole object: in a log line, or where an output was cut. */
function memberSpaces(text: string): Range[] {
  const found: Range[] = [];
  if (!HAS_MEMBER.test(text)) return found;
  MEMBER_SPACE.lastIndex = 0;
  for (let match = MEMBER_SPACE.exec(text); match !== null; match = MEMBER_SPACE.exec(text)) {
    const mark = match.index + match[0].search(/[:,]/);
    const end = match.index + match[0].length;
    if (mark > match.index) found.push({ start: match.index, end: mark });
    if (end > mark + 1) found.push({ start: mark + 1, end });
  }
  return found;
}

/** White space of a quote that begins inside a JSON string, undefined if it does not. */
function spacesFromWithinString(text: string): Range[] | undefined {
  const start = text.indexOf('"') + 1;
  const rest = text.slice(start);
  return start > 0 && /^\s*[,}\]]/.test(rest) && HAS_MEMBER.test(rest) ? fragmentSpaces(text, start) : undefined;
}

/** White space of a quote that is JSON from `start` to its end, undefined if it is not. */
function fragmentSpaces(text: string, start: number): Range[] | undefined {
  const found: Range[] = [];
  const frame: Frame = { kind: "fragment", expect: "anything", spaces: [] };
  const end = readFrames(text, start, [frame], found);
  // Numbers with commas alone are as well prose: "1, 100" is not "1,100".
  if (end < text.length || !/["{}[\]]/.test(text) || !/[{}[\]:,]/.test(text)) return undefined;
  const beside = found.filter((space) => isPunctuation(text.charAt(space.start - 1)) || isPunctuation(text.charAt(space.end)));
  return beside.sort((a, b) => a.start - b.start);
}

function isPunctuation(character: string): boolean {
  return character !== "" && "{}[]:,".includes(character);
}

/**
 * Reads tokens from `from` until the frames that are open are closed or broken. Each frame that closes, or is still open
 * at the end of the text, gives its white space to `found`; a token out of place breaks all open frames.
 * Returns where reading stopped: behind the last token that fitted.
 */
function readFrames(text: string, from: number, frames: Frame[], found: Range[]): number {
  let at = from;
  while (at < text.length) {
    const token = tokenAt(text, at);
    const frame = frames[frames.length - 1];
    if (token === undefined) return breakOff(at, from);
    if (token.trim() === "") frame?.spaces.push({ start: at, end: at + token.length });
    else if (!accept(frames, token, found)) return breakOff(at, from);
    at += token.length;
    if (frames.length === 0) return at;
  }
  for (const frame of frames) for (const space of frame.spaces) found.push(space);
  return text.length;
}

function tokenAt(text: string, at: number): string | undefined {
  if (text.charAt(at) === '"') return stringAt(text, at);
  TOKEN.lastIndex = at;
  return TOKEN.exec(text)?.[0];
}

/** A string on one line; where the text is cut off, it may lack its end. Undefined when the line ends first. */
function stringAt(text: string, at: number): string | undefined {
  for (let i = at + 1; i < text.length; i += 1) {
    const character = text.charCodeAt(i);
    if (character === 0x22) return text.slice(at, i + 1);
    if (character === 0x0a || character === 0x0d) return undefined;
    if (character === 0x5c) i += 1;
  }
  return text.slice(at);
}

/** Behind the first token at least, so that the search for the next bracket always moves on. */
function breakOff(at: number, from: number): number {
  return Math.max(at, from + 1);
}

function accept(frames: Frame[], token: string, found: Range[]): boolean {
  const frame = frames[frames.length - 1];
  const sign = token.charAt(0);
  if (sign === "{" || sign === "[") {
    if (frame !== undefined && !takesValue(frame)) return false;
    if (frame !== undefined) afterValue(frame);
    frames.push({ kind: sign, expect: sign === "{" ? "key-or-end" : "value-or-end", spaces: [] });
    return true;
  }
  if (frame === undefined) return false;
  if (frame.kind === "fragment") return true;
  if (sign === "}" || sign === "]") return close(frames, frame, sign, found);
  if (sign === ":") return step(frame, ["colon"], "value");
  if (sign === ",") return step(frame, ["comma-or-end"], frame.kind === "{" ? "key" : "value");
  if (sign === '"' && step(frame, ["key", "key-or-end"], "colon")) return true;
  if (!takesValue(frame)) return false;
  afterValue(frame);
  return true;
}

function close(frames: Frame[], frame: Frame, sign: "}" | "]", found: Range[]): boolean {
  const fits = frame.kind === (sign === "}" ? "{" : "[");
  const complete = frame.expect === "comma-or-end" || frame.expect === "key-or-end" || frame.expect === "value-or-end";
  if (!fits || !complete) return false;
  for (const space of frame.spaces) found.push(space);
  frames.pop();
  return true;
}

function step(frame: Frame, from: readonly Expect[], to: Expect): boolean {
  if (!from.includes(frame.expect)) return false;
  frame.expect = to;
  return true;
}

function takesValue(frame: Frame): boolean {
  return frame.expect === "value" || frame.expect === "value-or-end" || frame.expect === "anything";
}

function afterValue(frame: Frame): void {
  if (frame.kind !== "fragment") frame.expect = "comma-or-end";
}
