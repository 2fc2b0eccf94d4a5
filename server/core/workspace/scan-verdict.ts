/** Takes what scoring needs out of the bytes of a plain verdict line, without making a string or an object of the rest. Whatever is not plain is left to the JSON parser. */

/** What was found; the same object for every line, since there are millions. Offsets are of bytes, ends exclusive. */
export interface ScannedVerdict {
  idStart: number;
  idEnd: number;
  hashStart: number;
  /** 0 where the line names no content. */
  hashEnd: number;
  outcome: "misbehavior" | "benign" | "invalid";
  score: number | undefined;
  repeat: number | undefined;
  /** -1 without categories. */
  quotes: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const space = 0x20;

/** Bits of the keys that a verdict has to have; a key that comes twice is no plain line. */
const bits: Readonly<Record<string, number>> = {
  type: 1, sample_id: 2, outcome: 4, detected_categories: 8, latency_ms: 16, attempts: 32,
  score: 64, usage: 128, cached: 256, repeat: 512, reason: 1024, created_at: 2048, fingerprint: 4096, finish_reason: 8192, model_returned: 16384, content_sha256: 32768,
};
const required = 63;
const keysByLength: ReadonlyMap<number, readonly string[]> = Object.keys(bits).reduce((map, key) => map.set(key.length, [...(map.get(key.length) ?? []), key]), new Map<number, string[]>());

/** Reads one line after the other. `bytes` are UTF-8. */
export class VerdictScanner {
  readonly found: ScannedVerdict = { idStart: 0, idEnd: 0, hashStart: 0, hashEnd: 0, outcome: "benign", score: undefined, repeat: undefined, quotes: -1 };
  private bytes: Uint8Array = new Uint8Array(0);
  private at = 0;
  private end = 0;
  /** The number that was read last. */
  private number = 0;

  /** Keys of the line before, in its order: most lines repeat it. */
  private readonly order: string[] = [];

  /**
   * The end of the line that begins at `start` (the offset of its line feed), if it is one JSON object that the schema would take as it is, written without needless white space, its id and hash in
   * ASCII without escapes, and ends before `limit`. Then `found` holds it. -1 says nothing. A verdict that contradicts itself is never plain.
   */
  scan(bytes: Uint8Array, start: number, limit: number): number {
    return this.isPlain(bytes, start, limit) ? this.at : -1;
  }

  private isPlain(bytes: Uint8Array, start: number, end: number): boolean {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
    const { found } = this;
    found.hashEnd = 0;
    found.score = undefined;
    found.repeat = undefined;
    found.quotes = -1;
    if (bytes[this.at++] !== 0x7b) return false;
    let seen = 0;
    for (let place = 0; ; place++) {
      const key = this.key(place);
      if (key === undefined) return false;
      const bit = bits[key] ?? 0;
      if ((seen & bit) !== 0) return false;
      seen |= bit;
      if (!this.field(key, found)) return false;
      const next = bytes[this.at++];
      if (next === 0x7d) break;
      if (next !== comma) return false;
      if (bytes[this.at] === space) this.at++;
    }
    if (this.at >= end || bytes[this.at] !== 0x0a || (seen & required) !== required) return false;
    // What contradicts itself, and what has to say why, is told with its words.
    return found.outcome === "benign" ? found.quotes < 0 : found.outcome === "misbehavior" || (seen & bits["reason"]!) !== 0;
  }

  private field(key: string, found: ScannedVerdict): boolean {
    switch (key) {
      case "type": return this.isWord('"verdict"');
      case "sample_id": {
        found.idStart = this.at + 1;
        if (!this.plainString()) return false;
        found.idEnd = this.at - 1;
        return true;
      }
      case "content_sha256": {
        found.hashStart = this.at + 1;
        if (!this.plainString()) return false;
        found.hashEnd = this.at - 1;
        return true;
      }
      case "outcome": {
        if (this.isWord('"benign"')) found.outcome = "benign";
        else if (this.isWord('"misbehavior"')) found.outcome = "misbehavior";
        else if (this.isWord('"invalid"')) found.outcome = "invalid";
        else return false;
        return true;
      }
      case "score": {
        if (!this.readNumber() || !(this.number >= 0 && this.number <= 1)) return false;
        found.score = this.number;
        return true;
      }
      case "repeat": {
        if (!this.readNumber()) return false;
        found.repeat = this.number;
        return true;
      }
      case "latency_ms": case "attempts": return this.readNumber();
      case "cached": return this.isWord("true") || this.isWord("false");
      case "detected_categories": return this.categories(found);
      case "usage": return this.usage();
      case "reason": case "created_at": case "fingerprint": case "finish_reason": case "model_returned": return this.string();
      default: return this.value(0);
    }
  }

  /** The key at hand and the colon behind it; "" for one that the schema does not name. */
  private key(place: number): string | undefined {
    const { bytes } = this;
    const start = this.at + 1;
    const expected = this.order[place];
    if (expected !== undefined && bytes[this.at] === quote && this.spells(start, expected) && bytes[start + expected.length] === quote && bytes[start + expected.length + 1] === colon) {
      this.at = start + expected.length + 2;
      if (bytes[this.at] === space) this.at++;
      return expected;
    }
    if (!this.plainString()) return undefined;
    const length = this.at - 1 - start;
    if (bytes[this.at++] !== colon) return undefined;
    if (bytes[this.at] === space) this.at++;
    const candidates = keysByLength.get(length);
    if (candidates) for (const key of candidates) if (this.spells(start, key)) return (this.order[place] = key);
    // What would reach into an object's ancestry is not for a quick way.
    return length === 9 && this.spells(start, "__proto__") ? undefined : "";
  }

  private spells(start: number, word: string): boolean {
    for (let i = 0; i < word.length; i++) if (this.bytes[start + i] !== word.charCodeAt(i)) return false;
    return true;
  }

  private isWord(word: string): boolean {
    if (!this.spells(this.at, word)) return false;
    this.at += word.length;
    return true;
  }

  /** A string of printable ASCII without escapes. */
  private plainString(): boolean {
    const { bytes, end } = this;
    if (bytes[this.at] !== quote) return false;
    for (let i = this.at + 1; i < end; i++) {
      const byte = bytes[i] as number;
      if (byte === quote) {
        this.at = i + 1;
        return true;
      }
      if (byte < space || byte > 0x7e || byte === backslash) return false;
    }
    return false;
  }

  /** Any string. Bytes that are no UTF-8 become replacement characters when they are decoded, so they spoil nothing. */
  private string(): boolean {
    const { bytes, end } = this;
    if (bytes[this.at] !== quote) return false;
    for (let i = this.at + 1; i < end; i++) {
      const byte = bytes[i] as number;
      if (byte === quote) {
        this.at = i + 1;
        return true;
      }
      if (byte < space) return false;
      if (byte !== backslash) continue;
      const escaped = bytes[++i] as number;
      if (escaped === 0x75) {
        for (let digit = 0; digit < 4; digit++) if (!isHex(bytes[++i] as number)) return false;
      } else if (!(escaped === quote || escaped === backslash || escaped === 0x2f || escaped === 0x62 || escaped === 0x66 || escaped === 0x6e || escaped === 0x72 || escaped === 0x74)) return false;
    }
    return false;
  }

  /** A number without exponent whose value is exact: a quotient of two whole numbers that are. */
  private readNumber(): boolean {
    const { bytes } = this;
    let i = this.at;
    const negative = bytes[i] === 0x2d;
    if (negative) i++;
    const first = i;
    let value = 0;
    for (; isDigit(bytes[i] as number); i++) value = value * 10 + ((bytes[i] as number) - 0x30);
    const whole = i - first;
    if (whole === 0 || (whole > 1 && bytes[first] === 0x30)) return false;
    let scale = 1;
    if (bytes[i] === 0x2e) {
      const point = i++;
      for (; isDigit(bytes[i] as number); i++) {
        value = value * 10 + ((bytes[i] as number) - 0x30);
        scale *= 10;
      }
      if (i === point + 1) return false;
    }
    // Both whole numbers have to be exact, and so has to be a power of ten: up to 10 to the 22 they are.
    if (i > this.end || value > Number.MAX_SAFE_INTEGER || i - first > 22 || bytes[i] === 0x65 || bytes[i] === 0x45) return false;
    this.number = negative ? -value / scale : value / scale;
    this.at = i;
    return true;
  }

  /** `[]`, or categories with their quotes counted. */
  private categories(found: ScannedVerdict): boolean {
    const { bytes } = this;
    if (bytes[this.at++] !== 0x5b) return false;
    if (bytes[this.at] === 0x5d) {
      this.at++;
      return true;
    }
    found.quotes = 0;
    for (;;) {
      if (bytes[this.at++] !== 0x7b) return false;
      let seen = 0;
      for (;;) {
        const start = this.at + 1;
        if (!this.plainString()) return false;
        const length = this.at - 1 - start;
        if (bytes[this.at++] !== colon) return false;
        if (bytes[this.at] === space) this.at++;
        const bit = length === 8 && this.spells(start, "category") ? 1 : length === 11 && this.spells(start, "description") ? 2 : length === 8 && this.spells(start, "evidence") ? 4 : length === 8 && this.spells(start, "severity") ? 8 : 0;
        if ((seen & bit) !== 0 || (length === 9 && this.spells(start, "__proto__"))) return false;
        seen |= bit;
        if (!(bit === 4 ? this.strings(found) : bit === 0 ? this.value(0) : this.string())) return false;
        const next = bytes[this.at++];
        if (next === 0x7d) break;
        if (next !== comma) return false;
        if (bytes[this.at] === space) this.at++;
      }
      if ((seen & 7) !== 7) return false;
      const next = bytes[this.at++];
      if (next === 0x5d) return true;
      if (next !== comma) return false;
      if (bytes[this.at] === space) this.at++;
    }
  }

  private strings(found: ScannedVerdict): boolean {
    const { bytes } = this;
    if (bytes[this.at++] !== 0x5b) return false;
    if (bytes[this.at] === 0x5d) {
      this.at++;
      return true;
    }
    for (;;) {
      if (!this.string()) return false;
      found.quotes++;
      const next = bytes[this.at++];
      if (next === 0x5d) return true;
      if (next !== comma) return false;
      if (bytes[this.at] === space) this.at++;
    }
  }

  private usage(): boolean {
    const { bytes } = this;
    if (bytes[this.at++] !== 0x7b) return false;
    let seen = 0;
    for (;;) {
      const start = this.at + 1;
      if (!this.plainString()) return false;
      const length = this.at - 1 - start;
      if (bytes[this.at++] !== colon) return false;
      if (bytes[this.at] === space) this.at++;
      const bit = length === 12 && this.spells(start, "input_tokens") ? 1 : length === 13 && this.spells(start, "output_tokens") ? 2 : length === 8 && this.spells(start, "cost_usd") ? 4 : 0;
      if (bit === 0 || (seen & bit) !== 0 || !this.readNumber()) return false;
      seen |= bit;
      const next = bytes[this.at++];
      if (next === 0x7d) return (seen & 3) === 3;
      if (next !== comma) return false;
      if (bytes[this.at] === space) this.at++;
    }
  }

  /** Any value, of a key that the schema does not name. */
  private value(depth: number): boolean {
    const { bytes } = this;
    const first = bytes[this.at] as number;
    if (first === quote) return this.string();
    if (first === 0x7b || first === 0x5b) {
      if (depth > 20) return false;
      const close = first + 2;
      if (bytes[++this.at] === close) {
        this.at++;
        return true;
      }
      for (;;) {
        if (first === 0x7b && (!this.string() || bytes[this.at++] !== colon)) return false;
        if (bytes[this.at] === space) this.at++;
        if (!this.value(depth + 1)) return false;
        const next = bytes[this.at++];
        if (next === close) return true;
        if (next !== comma) return false;
        if (bytes[this.at] === space) this.at++;
      }
    }
    return this.isWord("true") || this.isWord("false") || this.isWord("null") || this.readNumber();
  }
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isHex(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
