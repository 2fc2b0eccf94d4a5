/**
 * A JSON parser for what JSON.parse refuses or spoils: NaN and infinities, integers past 2^53, repeated keys, raw
 * control characters, trailing commas, and, when asked to recover, a text that is cut off or damaged half way.
 */
import { RawNumber } from "./document";
import type { Json, JsonObject } from "./document";
import { skipSpace, skipString } from "./walk";

export interface Note {
  readonly code: string;
  readonly message: string;
  /** UTF-16 offset in the text. */
  readonly offset: number;
}

export type TolerantResult = { value: Json; notes: Note[] } | { problem: string; offset: number };

/** Thrown and caught inside this file only. */
class Stop {
  constructor(readonly message: string, readonly offset: number) {}
}

interface Frame {
  readonly list: Json[] | undefined;
  readonly object: JsonObject | undefined;
  key: string;
  keyAt: number;
}

const bare = /-?(?:NaN|Infinity|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|true|false|null/y;
const maxNotes = 50;

/**
 * Parses `text`. With `recover` there always is a value: at the first fault the open brackets are closed, the value that
 * was being read is dropped, and a note with code `json-cut` says where. Without it the first fault is the answer.
 * Never recurses, so that nesting of any depth is safe.
 */
export function parseTolerant(text: string, recover = false): TolerantResult {
  const parser = new TolerantParser(text);
  try {
    parser.run();
  } catch (thrown) {
    if (!(thrown instanceof Stop)) throw thrown;
    if (!recover) return { problem: thrown.message, offset: thrown.offset };
    parser.note("json-cut", thrown.message, thrown.offset);
  }
  return { value: parser.root ?? null, notes: parser.notes };
}

class TolerantParser {
  root: Json | undefined;
  readonly notes: Note[] = [];
  private at = 0;
  private readonly stack: Frame[] = [];

  constructor(private readonly text: string) {}

  note(code: string, message: string, offset: number): void {
    if (this.notes.length < maxNotes || code === "json-cut") this.notes.push({ code, message, offset });
  }

  run(): void {
    this.space();
    this.value();
    while (this.stack.length > 0) {
      this.space();
      const frame = this.stack.at(-1)!;
      const closing = frame.list ? "]" : "}";
      const next = this.text[this.at];
      if (next === closing) {
        this.at++;
        this.stack.pop();
        continue;
      }
      if (next !== ",") throw this.fault(`expected "," or "${closing}"`);
      const comma = this.at++;
      this.space();
      if (this.text[this.at] === closing) {
        this.note("trailing-comma", "a comma stands before a closing bracket", comma);
        continue;
      }
      if (frame.object) this.key(frame);
      this.value();
    }
    this.space();
    if (this.at < this.text.length) throw new Stop("text after the end of the JSON value", this.at);
  }

  private space(): void {
    this.at = skipSpace(this.text, this.at);
  }

  private fault(expected: string): Stop {
    if (this.at >= this.text.length) return new Stop("the JSON ends in the middle", this.text.length);
    return new Stop(`${expected}, found ${JSON.stringify(this.text.slice(this.at, this.at + 12))}`, this.at);
  }

  /** Reads a member's key and colon into `frame`. */
  private key(frame: Frame): void {
    if (this.text[this.at] !== '"') throw this.fault("expected a quoted key");
    frame.keyAt = this.at;
    frame.key = this.string();
    this.space();
    if (this.text[this.at] !== ":") throw this.fault('expected ":"');
    this.at++;
    this.space();
  }

  /** Reads a scalar whole, or opens a container and reads up to its first value. */
  private value(): void {
    for (;;) {
      const start = this.text[this.at];
      if (start !== "{" && start !== "[") {
        this.store(start === '"' ? this.string() : this.scalar());
        return;
      }
      this.at++;
      const frame: Frame = start === "[" ? { list: [], object: undefined, key: "", keyAt: 0 } : { list: undefined, object: {}, key: "", keyAt: 0 };
      this.store((frame.list ?? frame.object)!);
      this.stack.push(frame);
      this.space();
      if (this.text[this.at] === (frame.list ? "]" : "}")) return;
      if (frame.object) this.key(frame);
    }
  }

  private store(value: Json): void {
    const frame = this.stack.at(-1);
    if (!frame) this.root = value;
    else if (frame.list) frame.list.push(value);
    else {
      const object = frame.object!;
      if (Object.hasOwn(object, frame.key)) {
        this.note("duplicate-key", `the key ${JSON.stringify(frame.key)} stands twice in one object; the last one counts`, frame.keyAt);
      }
      setMember(object, frame.key, value);
    }
  }

  private scalar(): Json {
    bare.lastIndex = this.at;
    const found = bare.exec(this.text)?.[0];
    if (found === undefined) throw this.fault("expected a value");
    const end = this.at + found.length;
    // A number that touches the end of a cut text may have lost digits.
    if (end >= this.text.length && this.stack.length > 0) throw new Stop("the JSON ends in the middle", this.text.length);
    this.at = end;
    if (found === "true") return true;
    if (found === "false") return false;
    if (found === "null") return null;
    return toNumber(found);
  }

  private string(): string {
    const start = this.at;
    const end = skipString(this.text, start);
    if (end >= this.text.length && !closes(this.text, start, end)) throw new Stop("the JSON ends inside a string", this.text.length);
    this.at = end;
    const inner = this.text.slice(start + 1, end - 1);
    // eslint-disable-next-line no-control-regex
    const raw = /[\u0000-\u001f]/.test(inner);
    if (raw) this.note("control-character", "a control character stands unescaped in a string", start);
    if (!inner.includes("\\")) return inner;
    if (!raw) {
      try {
        return JSON.parse(this.text.slice(start, end)) as string;
      } catch {
        this.note("bad-escape", "an escape in a string is not valid JSON and was kept as written", start);
      }
    }
    return unescapeLoosely(inner);
  }
}

/** True when the string from `start` to the end of the text really has its closing quote. */
function closes(text: string, start: number, end: number): boolean {
  if (end - start < 2 || text[end - 1] !== '"') return false;
  let before = end - 2;
  while (before > start && text[before] === "\\") before--;
  return (end - 1 - before) % 2 === 1;
}

const escapes: Record<string, string> = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Decodes valid escapes and leaves the others as they stand. */
function unescapeLoosely(inner: string): string {
  return inner.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (whole, hex: string | undefined, single: string | undefined) => {
    if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16));
    return escapes[single!] ?? whole;
  });
}

/** A double where it holds the number, else its source: integers past 2^53. */
function toNumber(source: string): number | RawNumber {
  const value = Number(source);
  return /^-?\d+$/.test(source) && !Number.isSafeInteger(value) ? new RawNumber(source) : value;
}

/** Sets an own member even for the name `__proto__`. */
export function setMember(object: JsonObject, key: string, value: Json): void {
  if (key === "__proto__") Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}
