/** Takes what scoring needs out of the bytes of a plain verdict line, without making a string or an object of the rest. Whatever is not plain is left to the JSON parser. */
import type { VerdictOutcome } from "./schemas";

/** What was found; the same object for every line, since there are millions. Offsets are of bytes, ends exclusive. */
export interface ScannedVerdict {
  idStart: number;
  idEnd: number;
  hashStart: number;
  /** 0 where the line names no content. */
  hashEnd: number;
  outcome: VerdictOutcome;
  score: number | undefined;
  repeat: number | undefined;
  /** -1 without categories. */
  quotes: number;
  /** Whether the monitor had been trained on the content. */
  trained: boolean;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const space = 0x20;

const asciiBytes = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** Names that are expected at a place, each with the bit that says it came. */
class Keys {
  private readonly patterns: readonly Uint8Array[];
  /** Number of the key that stood at each place in the object before: most lines repeat it. */
  private readonly order: number[] = [];
  /** Behind the colon (and a space) of the key that was matched last. */
  end = 0;

  constructor(names: readonly string[]) {
    this.patterns = names.map((name) => asciiBytes(`"${name}":`));
  }

  /** The number of the key at `at`; -1 for one that is not among the names, -2 where no plain key stands. */
  match(bytes: Uint8Array, at: number, place: number): number {
    const expected = this.order[place];
    if (expected !== undefined && this.isAt(bytes, at, this.patterns[expected]!)) return expected;
    for (let key = 0; key < this.patterns.length; key++) {
      if (!this.isAt(bytes, at, this.patterns[key]!)) continue;
      this.order[place] = key;
      return key;
    }
    const end = plainStringEnd(bytes, at);
    // What would reach into an object's ancestry is not for a quick way.
    if (end < 0 || bytes[end] !== colon || matches(bytes, at, proto)) return -2;
    this.end = bytes[end + 1] === space ? end + 2 : end + 1;
    return -1;
  }

  private isAt(bytes: Uint8Array, at: number, pattern: Uint8Array): boolean {
    if (!matches(bytes, at, pattern)) return false;
    const end = at + pattern.length;
    this.end = bytes[end] === space ? end + 1 : end;
    return true;
  }
}

const proto = asciiBytes('"__proto__"');
const words = { type: asciiBytes('"verdict"'), misbehavior: asciiBytes('"misbehavior"'), benign: asciiBytes('"benign"'), invalid: asciiBytes('"invalid"'), true: asciiBytes("true"), false: asciiBytes("false"), null: asciiBytes("null") };

/** The keys of a verdict by number; those that it has to have come first, those whose value is any text last. */
enum Key { type, sample_id, outcome, detected_categories, latency_ms, attempts, score, usage, cached, repeat, trained_on_this, content_sha256, reason, created_at, fingerprint, finish_reason, model_returned }
/** Their names: an enum that is no constant one has its numbers as keys too. */
export const verdictKeys: readonly string[] = Object.keys(Key).filter((name) => Number.isNaN(Number(name)));
const required = (1 << 6) - 1;

/** Reads one line after the other. `bytes` are UTF-8. Methods answer where what they read ends, -1 where it is not plain. */
export class VerdictScanner {
  readonly found: ScannedVerdict = { idStart: 0, idEnd: 0, hashStart: 0, hashEnd: 0, outcome: "benign", score: undefined, repeat: undefined, quotes: -1, trained: false };
  private readonly keys = new Keys(verdictKeys);
  private readonly categoryKeys = new Keys(["category", "description", "evidence", "severity"]);
  private readonly usageKeys = new Keys(["input_tokens", "output_tokens", "cost_usd"]);

  /**
   * The end of the line that begins at `start` (the offset of its line feed), if it is one JSON object that the schema would take as it is, written without needless white space, its id and hash in
   * ASCII without escapes, and ends before `limit`. It is quickest where a 0 stands at `limit`, so that nothing behind the last byte is asked for. Then `found` holds it. -1 says nothing. A verdict that contradicts itself is never plain.
   */
  scan(bytes: Uint8Array, start: number, limit: number): number {
    const { found, keys } = this;
    found.hashEnd = 0;
    found.score = undefined;
    found.repeat = undefined;
    found.quotes = -1;
    found.trained = false;
    if (bytes[start] !== 0x7b) return -1;
    let at = start + 1;
    let seen = 0;
    for (let place = 0; ; place++) {
      const key = keys.match(bytes, at, place);
      if (key === -2) return -1;
      // A key that comes twice is no plain line.
      if (key >= 0 && (seen & (1 << key)) !== 0) return -1;
      if (key >= 0) seen |= 1 << key;
      at = this.field(key, bytes, keys.end);
      if (at < 0) return -1;
      const next = bytes[at++];
      if (next === 0x7d) break;
      if (next !== comma) return -1;
      if (bytes[at] === space) at++;
    }
    if (at >= limit || bytes[at] !== 0x0a || (seen & required) !== required) return -1;
    // What contradicts itself, and what has to say why, is told with its words.
    const agrees = found.outcome === "benign" ? found.quotes < 0 : found.outcome === "misbehavior" || (seen & (1 << Key.reason)) !== 0;
    return agrees ? at : -1;
  }

  private field(key: number, bytes: Uint8Array, at: number): number {
    const { found } = this;
    switch (key) {
      case Key.type: return wordEnd(bytes, at, words.type);
      case Key.sample_id: {
        const end = plainStringEnd(bytes, at);
        found.idStart = at + 1;
        found.idEnd = end - 1;
        return end;
      }
      case Key.content_sha256: {
        const end = plainStringEnd(bytes, at);
        found.hashStart = at + 1;
        found.hashEnd = end - 1;
        return end;
      }
      case Key.outcome: return this.outcome(bytes, at);
      case Key.score: {
        const end = numberEnd(bytes, at);
        const score = end < 0 ? -1 : numberAt(bytes, at, end);
        if (!(score >= 0 && score <= 1)) return -1;
        found.score = score;
        return end;
      }
      case Key.repeat: {
        const end = numberEnd(bytes, at);
        if (end >= 0) found.repeat = numberAt(bytes, at, end);
        return end;
      }
      case Key.latency_ms: case Key.attempts: return numberEnd(bytes, at);
      case Key.cached: return flagEnd(bytes, at);
      case Key.trained_on_this:
        found.trained = bytes[at] === words.true[0];
        return flagEnd(bytes, at);
      case Key.detected_categories: return this.categories(bytes, at);
      case Key.usage: return this.usage(bytes, at);
      case Key.reason: case Key.created_at: case Key.fingerprint: case Key.finish_reason: case Key.model_returned: return stringEnd(bytes, at);
      default: return valueEnd(bytes, at, 0);
    }
  }

  private outcome(bytes: Uint8Array, at: number): number {
    const first = bytes[at + 1];
    const outcome = first === words.benign[1] ? "benign" : first === words.misbehavior[1] ? "misbehavior" : "invalid";
    this.found.outcome = outcome;
    return wordEnd(bytes, at, words[outcome]);
  }

  /** `[]`, or categories with their quotes counted. */
  private categories(bytes: Uint8Array, start: number): number {
    if (bytes[start] !== 0x5b) return -1;
    let at = start + 1;
    if (bytes[at] === 0x5d) return at + 1;
    this.found.quotes = 0;
    for (;;) {
      at = this.category(bytes, at);
      if (at < 0) return -1;
      const next = bytes[at++];
      if (next === 0x5d) return at;
      if (next !== comma) return -1;
      if (bytes[at] === space) at++;
    }
  }

  private category(bytes: Uint8Array, start: number): number {
    if (bytes[start] !== 0x7b) return -1;
    const { categoryKeys } = this;
    let at = start + 1;
    let seen = 0;
    for (let place = 0; ; place++) {
      const key = categoryKeys.match(bytes, at, place);
      if (key === -2 || (key >= 0 && (seen & (1 << key)) !== 0)) return -1;
      if (key >= 0) seen |= 1 << key;
      at = key === 2 ? this.strings(bytes, categoryKeys.end) : key < 0 ? valueEnd(bytes, categoryKeys.end, 0) : stringEnd(bytes, categoryKeys.end);
      if (at < 0) return -1;
      const next = bytes[at++];
      if (next === 0x7d) return (seen & 7) === 7 ? at : -1;
      if (next !== comma) return -1;
      if (bytes[at] === space) at++;
    }
  }

  private strings(bytes: Uint8Array, start: number): number {
    if (bytes[start] !== 0x5b) return -1;
    let at = start + 1;
    if (bytes[at] === 0x5d) return at + 1;
    for (;;) {
      at = stringEnd(bytes, at);
      if (at < 0) return -1;
      this.found.quotes++;
      const next = bytes[at++];
      if (next === 0x5d) return at;
      if (next !== comma) return -1;
      if (bytes[at] === space) at++;
    }
  }

  private usage(bytes: Uint8Array, start: number): number {
    if (bytes[start] !== 0x7b) return -1;
    const { usageKeys } = this;
    let at = start + 1;
    let seen = 0;
    for (let place = 0; ; place++) {
      const key = usageKeys.match(bytes, at, place);
      if (key < 0 || (seen & (1 << key)) !== 0) return -1;
      seen |= 1 << key;
      at = numberEnd(bytes, usageKeys.end);
      if (at < 0) return -1;
      const next = bytes[at++];
      if (next === 0x7d) return (seen & 3) === 3 ? at : -1;
      if (next !== comma) return -1;
      if (bytes[at] === space) at++;
    }
  }
}

function matches(bytes: Uint8Array, at: number, word: Uint8Array): boolean {
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) return false;
  return true;
}

function flagEnd(bytes: Uint8Array, at: number): number {
  return wordEnd(bytes, at, bytes[at] === words.true[0] ? words.true : words.false);
}

function wordEnd(bytes: Uint8Array, at: number, word: Uint8Array): number {
  return matches(bytes, at, word) ? at + word.length : -1;
}

/** What a byte is inside a string. 1: printable ASCII; 2: beyond ASCII; the others end it or begin an escape. Behind the last byte stands none of them. */
const inString = Uint8Array.from({ length: 256 }, (_, byte) => (byte === quote || byte === backslash || byte < space ? 0 : byte > 0x7e ? 2 : 1));

/** A string of printable ASCII without escapes. */
function plainStringEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== quote) return -1;
  let i = at + 1;
  while (inString[bytes[i]!] === 1) i++;
  return bytes[i] === quote ? i + 1 : -1;
}

/** Any string. Bytes that are no UTF-8 become replacement characters when they are decoded, so they spoil nothing. */
function stringEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== quote) return -1;
  for (let i = at + 1; ; i++) {
    while (inString[bytes[i]!]! > 0) i++;
    if (bytes[i] === quote) return i + 1;
    if (bytes[i] !== backslash) return -1;
    const escaped = bytes[++i]!;
    if (escaped === 0x75) {
      for (let digit = 0; digit < 4; digit++) if (!isHex(bytes[++i]!)) return -1;
    } else if (!(escaped === quote || escaped === backslash || escaped === 0x2f || escaped === 0x62 || escaped === 0x66 || escaped === 0x6e || escaped === 0x72 || escaped === 0x74)) return -1;
  }
}

/** A number without exponent that `numberAt` can tell exactly: its digits are a whole number that is, and so is the power of ten below it, up to 10 to the 22. */
function numberEnd(bytes: Uint8Array, at: number): number {
  let i = bytes[at] === 0x2d ? at + 1 : at;
  const first = i;
  while (isDigit(bytes[i]!)) i++;
  const whole = i - first;
  if (whole === 0 || (whole > 1 && bytes[first] === 0x30)) return -1;
  let digits = whole;
  if (bytes[i] === 0x2e) {
    const point = i++;
    while (isDigit(bytes[i]!)) i++;
    if (i === point + 1) return -1;
    digits += i - point - 1;
  }
  if (bytes[i] === 0x65 || bytes[i] === 0x45) return -1;
  if (digits > 15 && (i - first > 22 || Math.abs(digitsAt(bytes, first, i)) > Number.MAX_SAFE_INTEGER)) return -1;
  return i;
}

/** The digits of a number as a whole one. */
function digitsAt(bytes: Uint8Array, first: number, end: number): number {
  let value = 0;
  for (let i = first; i < end; i++) if (bytes[i] !== 0x2e) value = value * 10 + (bytes[i]! - 0x30);
  return value;
}

/** The value of a number that `numberEnd` took: a quotient of two whole numbers that are exact. */
function numberAt(bytes: Uint8Array, at: number, end: number): number {
  const negative = bytes[at] === 0x2d;
  const first = negative ? at + 1 : at;
  let scale = 1;
  for (let i = end - 1; i >= first; i--) {
    if (bytes[i] !== 0x2e) continue;
    for (let digit = i + 1; digit < end; digit++) scale *= 10;
    break;
  }
  const value = digitsAt(bytes, first, end) / scale;
  return negative ? -value : value;
}

/** Any value, of a key that the schema does not name. */
function valueEnd(bytes: Uint8Array, start: number, depth: number): number {
  const first = bytes[start]!;
  if (first === quote) return stringEnd(bytes, start);
  if (first !== 0x7b && first !== 0x5b) {
    if (first === words.true[0]) return wordEnd(bytes, start, words.true);
    if (first === words.false[0]) return wordEnd(bytes, start, words.false);
    return first === words.null[0] ? wordEnd(bytes, start, words.null) : numberEnd(bytes, start);
  }
  if (depth > 20) return -1;
  const close = first + 2;
  let at = start + 1;
  if (bytes[at] === close) return at + 1;
  for (;;) {
    if (first === 0x7b) {
      at = stringEnd(bytes, at);
      if (at < 0 || bytes[at++] !== colon) return -1;
      if (bytes[at] === space) at++;
    }
    at = valueEnd(bytes, at, depth + 1);
    if (at < 0) return -1;
    const next = bytes[at++];
    if (next === close) return at;
    if (next !== comma) return -1;
    if (bytes[at] === space) at++;
  }
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isHex(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
