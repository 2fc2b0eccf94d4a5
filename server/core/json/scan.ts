/**
 * One look over JSON before it is parsed: does it hold NaN, infinities or integers past 2^53 (then the tolerant parser
 * has to read it), how many members has it (so that repeated keys are noticed), and where can a large one be cut in pieces.
 */

const smallestUnsafe = "9007199254740992";

/** What a scan found. `members` counts colons outside strings. */
export interface TextScan {
  readonly members: number;
  readonly needsTolerant: boolean;
}

/** Scans a short text. Strings are skipped with a native search. */
export function scanText(text: string): TextScan {
  let members = 0;
  let needsTolerant = false;
  const n = text.length;
  for (let i = 0; i < n; i++) {
    const code = text.charCodeAt(i);
    if (code === 34) {
      let quote = i;
      for (;;) {
        quote = text.indexOf('"', quote + 1);
        if (quote < 0) return { members, needsTolerant };
        let before = quote - 1;
        while (before > i && text.charCodeAt(before) === 92) before--;
        if ((quote - before) & 1) break;
      }
      i = quote;
    } else if (code === 58) members++;
    else if (code === 78 || code === 73) needsTolerant = true;
    else if (code >= 48 && code <= 57) {
      const start = i;
      while (i + 1 < n && isDigit(text.charCodeAt(i + 1))) i++;
      if (i - start >= 15 && isUnsafe(text.charCodeAt(start - 1), text.charCodeAt(i + 1), () => text.slice(start, i + 1))) needsTolerant = true;
    }
  }
  return { members, needsTolerant };
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Is a run of 16 or more digits an integer that a double cannot hold? `before` and `after` are its neighbours. */
function isUnsafe(before: number, after: number, digits: () => string): boolean {
  // Digits behind a point or in an exponent, or in front of one, belong to a number that is no integer.
  if (before === 46 || before === 43 || before === 69 || before === 101 || after === 46 || after === 69 || after === 101) return false;
  const source = digits();
  return source.length > smallestUnsafe.length || source >= smallestUnsafe;
}

/** A container that is read piece by piece. Offsets are bytes; `start` is its opening bracket, `end` just behind the closing one. */
export interface BigContainer {
  readonly isArray: boolean;
  readonly start: number;
  end: number;
  readonly parts: BigPart[];
}

/** Neighbouring children (with the commas between them), or one child that is itself big (`from` is where its key, if any, begins). */
export interface BigPart {
  readonly from: number;
  readonly to: number;
  readonly child?: BigContainer;
}

/** Lists that are left out: under the root's member `list`, in every element but the first, the members named in `keys`. */
export interface SkipRule {
  readonly list: string;
  readonly keys: readonly string[];
}

export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

export interface ByteScan {
  /** Those inside skipped ranges are not counted. */
  readonly members: number;
  /** Values that a skip rule leaves out, ascending; null stands for them in what is parsed. */
  readonly skipped: readonly ByteRange[];
  /** Byte offsets of NaN, infinities and unsafe integers, ascending. */
  readonly odd: readonly number[];
  /** Undefined where the brackets do not close exactly at the end: the text is cut or damaged. */
  readonly root: BigContainer | undefined;
}

interface OpenContainer extends BigContainer {
  /** Where the group that is being gathered begins; -1 directly behind a big child, until its comma. */
  group: number;
  lastComma: number;
}

export interface CutSizes {
  /** Containers of at least this many bytes are cut into parts. */
  readonly split: number;
  /** Parts of small children are closed at the first comma behind this many bytes. */
  readonly group: number;
  readonly depth: number;
}

/**
 * Sizes at which parsing by pieces was fastest. A group ends behind the record that fills it, and should still be shorter
 * than the 128 KB from which V8 gives a string pages of its own.
 */
export const usualCuts: CutSizes = { split: 256 * 1024, group: 32 * 1024, depth: 4 };

/** Scans UTF-8 JSON between `start` and `end` (white space around it allowed). */
export function scanBytes(bytes: Uint8Array, start: number, end: number, cuts: CutSizes = usualCuts, rule?: SkipRule): ByteScan {
  return new ByteScanner(bytes, cuts, rule).run(start, end);
}

class ByteScanner {
  private readonly open: OpenContainer[] = [];
  private readonly odd: number[] = [];
  private readonly skipped: ByteRange[] = [];
  private members = 0;
  private depth = 0;
  private root: BigContainer | undefined;
  /** Element of the rule's list that is being read; -1 outside the list. */
  private element = -1;
  private skip: { from: number; members: number; odd: number } | undefined;

  constructor(private readonly bytes: Uint8Array, private readonly cuts: CutSizes, private readonly rule: SkipRule | undefined) {}

  run(start: number, end: number): ByteScan {
    const { bytes } = this;
    for (let i = start; i < end; i++) {
      const code = bytes[i]!;
      if (code === 34) i = closingQuote(bytes, i, end);
      else if (code === 58) this.members++;
      else if (code === 44) {
        const top = this.open[this.depth - 1];
        if (top) comma(top, i, this.cuts);
      } else if (code === 123 || code === 91) {
        if (this.root) return this.result(true);
        this.opened(i, code === 91);
      } else if (code === 125 || code === 93) {
        if (!this.closed(i, code === 93)) return this.result(true);
      } else if (code === 78 || code === 73) this.odd.push(i);
      else if (code >= 48 && code <= 57) i = this.number(i, end);
    }
    return this.result(this.depth !== 0);
  }

  private result(damaged: boolean): ByteScan {
    return { members: this.members, odd: this.odd, skipped: this.skipped, root: damaged ? undefined : this.root };
  }

  private opened(at: number, isArray: boolean): void {
    if (this.rule) this.startSkip(at, isArray, this.rule);
    if (this.depth++ < this.cuts.depth) this.open.push({ isArray, start: at, end: at, parts: [], group: at + 1, lastComma: at });
  }

  private startSkip(at: number, isArray: boolean, rule: SkipRule): void {
    if (this.depth === 1) this.element = isArray && keyBefore(this.bytes, at, [rule.list]) ? 0 : -1;
    else if (this.element >= 0 && this.depth === 2) this.element++;
    else if (this.element > 1 && this.depth === 3 && isArray && keyBefore(this.bytes, at, rule.keys)) {
      this.skip = { from: at, members: this.members, odd: this.odd.length };
    }
  }

  /** False where the brackets do not match. */
  private closed(at: number, isArray: boolean): boolean {
    if (this.depth === 0) return false;
    const container = this.open[--this.depth];
    const skipped = this.depth === 3 && this.skip !== undefined;
    if (skipped) this.endSkip(at);
    if (!container) return true;
    if (container.isArray !== isArray) return false;
    this.open.pop();
    close(container, at);
    if (this.depth === 0) this.root = container;
    else if (!skipped && container.end - container.start >= this.cuts.split) adopt(this.open[this.depth - 1]!, container);
    return true;
  }

  private endSkip(at: number): void {
    const { from, members, odd } = this.skip!;
    this.skipped.push({ from, to: at + 1 });
    this.members = members;
    this.odd.length = odd;
    this.skip = undefined;
  }

  private number(from: number, end: number): number {
    const { bytes } = this;
    let i = from;
    while (i + 1 < end && isDigit(bytes[i + 1]!)) i++;
    const to = i + 1;
    const digits = () => String.fromCharCode(...bytes.subarray(from, Math.min(to, from + 17)));
    if (to - from >= 16 && isUnsafe(bytes[from - 1] ?? 0, bytes[to] ?? 0, digits)) this.odd.push(from);
    return i;
  }
}

/** Does one of `keys` stand before the value at `at`, as `"key":` with white space allowed? */
function keyBefore(bytes: Uint8Array, at: number, keys: readonly string[]): boolean {
  let i = at - 1;
  const space = () => {
    while (i >= 0 && (bytes[i] === 32 || bytes[i] === 10 || bytes[i] === 13 || bytes[i] === 9)) i--;
  };
  space();
  if (bytes[i] !== 58) return false;
  i--;
  space();
  if (bytes[i] !== 34) return false;
  return keys.some((key) => {
    const start = i - key.length;
    if (start < 1 || bytes[start - 1] !== 34) return false;
    for (let n = 0; n < key.length; n++) if (bytes[start + n] !== key.charCodeAt(n)) return false;
    return true;
  });
}

/** Short strings are read byte by byte; behind this many a native search is faster. */
const shortString = 24;

/** Index of the quote that closes the string opened at `open`, or `end`. */
function closingQuote(bytes: Uint8Array, open: number, end: number): number {
  const near = Math.min(end, open + shortString);
  let i = open + 1;
  for (; i < near; i++) {
    const code = bytes[i]!;
    if (code === 34) return i;
    if (code === 92) i++;
  }
  for (;;) {
    const quote = bytes.indexOf(34, i);
    if (quote < 0 || quote >= end) return end;
    let before = quote - 1;
    while (before > open && bytes[before] === 92) before--;
    if ((quote - before) & 1) return quote;
    i = quote + 1;
  }
}

function comma(container: OpenContainer, at: number, cuts: CutSizes): void {
  if (container.group < 0) container.group = at + 1;
  else if (at - container.group >= cuts.group) {
    container.parts.push({ from: container.group, to: at });
    container.group = at + 1;
  }
  container.lastComma = at;
}

/** A big child has closed: what was gathered before it becomes a part of its own. */
function adopt(parent: OpenContainer, child: BigContainer): void {
  if (parent.group >= 0 && parent.lastComma >= parent.group) parent.parts.push({ from: parent.group, to: parent.lastComma });
  parent.parts.push({ from: parent.lastComma + 1, to: child.end, child });
  parent.group = -1;
}

function close(container: OpenContainer, at: number): void {
  container.end = at + 1;
  if (container.group >= 0) container.parts.push({ from: container.group, to: at });
}
