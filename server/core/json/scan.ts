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

export interface ByteScan {
  readonly members: number;
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

/** Sizes at which parsing by pieces was fastest: small enough for the young generation, large enough to be few. */
export const usualCuts: CutSizes = { split: 256 * 1024, group: 64 * 1024, depth: 4 };

/** Scans UTF-8 JSON between `start` and `end` (white space around it allowed). */
export function scanBytes(bytes: Uint8Array, start: number, end: number, cuts: CutSizes = usualCuts): ByteScan {
  const open: OpenContainer[] = [];
  const odd: number[] = [];
  let members = 0;
  let depth = 0;
  let root: BigContainer | undefined;
  for (let i = start; i < end; i++) {
    const code = bytes[i]!;
    if (code === 34) {
      // The loop over a string, spelt out: this is where nearly all bytes are.
      for (i++; i < end; i++) {
        const inner = bytes[i]!;
        if (inner === 34) break;
        if (inner === 92) i++;
      }
    } else if (code === 58) members++;
    else if (code === 44) {
      const top = open[depth - 1];
      if (top) comma(top, i, cuts);
    } else if (code === 123 || code === 91) {
      if (root) return { members, odd, root: undefined };
      if (depth++ < cuts.depth) open.push({ isArray: code === 91, start: i, end: i, parts: [], group: i + 1, lastComma: i });
    } else if (code === 125 || code === 93) {
      if (depth === 0) return { members, odd, root: undefined };
      const closed = open[--depth];
      if (closed) {
        if (closed.isArray !== (code === 93)) return { members, odd, root: undefined };
        open.pop();
        close(closed, i);
        if (depth === 0) root = closed;
        else if (closed.end - closed.start >= cuts.split) adopt(open[depth - 1]!, closed);
      }
    } else if (code === 78 || code === 73) odd.push(i);
    else if (code >= 48 && code <= 57) {
      const from = i;
      while (i + 1 < end && isDigit(bytes[i + 1]!)) i++;
      const to = i + 1;
      if (to - from >= 16 && isUnsafe(bytes[from - 1] ?? 0, bytes[to] ?? 0, () => String.fromCharCode(...bytes.subarray(from, Math.min(to, from + 17))))) odd.push(from);
    }
  }
  return { members, odd, root: depth === 0 ? root : undefined };
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
