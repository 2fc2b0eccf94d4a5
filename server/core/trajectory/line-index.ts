/** Where the lines of a file begin and end, found by the byte 0x0A alone and no further than asked. */
import { NumberColumn } from "./number-column";
import type { Source } from "./reader";

/** A line that holds more than white space: 1-based physical line number, byte offsets without the line end. */
export interface LineSpan {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** False for a last line without 0x0A behind it. */
  readonly terminated: boolean;
}

const chunkBytes = 1 << 20;

/** Offsets of so many lines stand in one block: a file may have millions, and a list that grows is copied again and again. */
const blockLines = 1 << 13;
interface Offsets { readonly start: Float64Array; readonly end: Float64Array }

/** Reads on in chunks; `upTo(n)` makes sure that `n` filled lines are known, or all there are. */
export class LineIndex {
  /** Physical numbers of the filled lines. */
  private readonly numbers = new NumberColumn();
  private readonly offsets: Offsets[] = [];
  /** A last line without an end; all others have one. */
  private unended = -1;
  private line = 1;
  private lineStart: number;
  private position: number;
  private done = false;

  /** `start` is where the first line begins: behind a byte order mark. */
  constructor(private readonly source: Source, start: number) {
    this.lineStart = start;
    this.position = start;
  }

  /** How many filled lines are known then, `count` or more where there are so many. */
  upTo(count: number): number {
    while (!this.done && this.numbers.length < count) this.readChunk();
    return this.numbers.length;
  }

  /** Line `at` of those that are known. */
  span(at: number): LineSpan {
    return { line: this.lineOf(at), start: this.startOf(at), end: this.endOf(at), terminated: at !== this.unended };
  }

  lineOf(at: number): number {
    return this.numbers.at(at);
  }

  startOf(at: number): number {
    return this.offsets[Math.floor(at / blockLines)]!.start[at % blockLines]!;
  }

  endOf(at: number): number {
    return this.offsets[Math.floor(at / blockLines)]!.end[at % blockLines]!;
  }

  isTerminated(at: number): boolean {
    return at !== this.unended;
  }

  /** Which of the known lines is physical line `line`, or -1. */
  indexOf(line: number): number {
    return this.numbers.indexOf(line);
  }

  private readChunk(): void {
    const base = this.position;
    const to = Math.min(base + chunkBytes, this.source.size);
    const chunk = this.source.glance?.(base, to) ?? this.source.bytes(base, to);
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.push(base + at, true, chunk, base);
      from = at + 1;
    }
    this.position = base + chunk.length;
    if (chunk.length === 0 || this.position >= this.source.size) {
      if (this.lineStart < this.position) this.push(this.position, false, chunk, base);
      this.done = true;
    }
  }

  private push(end: number, terminated: boolean, chunk: Uint8Array, base: number): void {
    const start = this.lineStart;
    const first = Math.max(start, base);
    let last = end;
    while (last > first && isSpace(chunk[last - 1 - base]!)) last--;
    // Nothing but white space in this chunk: how the line ends is to be seen in those before it.
    if (last === first && first > start) last = start + filled(this.source.bytes(start, first));
    if (last > start) this.add(start, last, terminated);
    this.line++;
    this.lineStart = end + 1;
  }

  private add(start: number, end: number, terminated: boolean): void {
    const at = this.numbers.length;
    const place = at % blockLines;
    if (place === 0) this.offsets.push({ start: new Float64Array(blockLines), end: new Float64Array(blockLines) });
    const offsets = this.offsets.at(-1)!;
    this.numbers.push(this.line);
    offsets.start[place] = start;
    offsets.end[place] = end;
    if (!terminated) this.unended = at;
  }
}

/** Length of the bytes without the white space at their end. */
function filled(bytes: Uint8Array): number {
  let last = bytes.length;
  while (last > 0 && isSpace(bytes[last - 1]!)) last--;
  return last;
}

export function isSpace(byte: number): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9;
}
