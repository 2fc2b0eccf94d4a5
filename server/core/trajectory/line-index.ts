/** Where the lines of a file begin and end, found by the byte 0x0A alone and no further than asked. */
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

/** Reads on in chunks; `upTo(n)` makes sure that `n` filled lines are known, or all there are. A file may have millions of them: `make` makes what is held of each. */
export class LineIndex<Held extends LineSpan = LineSpan> {
  readonly spans: Held[] = [];
  private line = 1;
  private lineStart: number;
  private position: number;
  private done = false;

  /** `start` is where the first line begins: behind a byte order mark. */
  constructor(private readonly source: Source, start: number, private readonly make: (line: number, start: number, end: number, terminated: boolean) => Held) {
    this.lineStart = start;
    this.position = start;
  }

  upTo(count: number): readonly Held[] {
    while (!this.done && this.spans.length < count) this.readChunk();
    return this.spans;
  }

  private readChunk(): void {
    const base = this.position;
    const chunk = this.source.bytes(base, Math.min(base + chunkBytes, this.source.size));
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
    const bytes = start >= base ? chunk.subarray(start - base, end - base) : this.source.bytes(start, end);
    let last = bytes.length;
    while (last > 0 && isSpace(bytes[last - 1]!)) last--;
    if (last > 0) this.spans.push(this.make(this.line, start, start + last, terminated));
    this.line++;
    this.lineStart = end + 1;
  }
}

export function isSpace(byte: number): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9;
}
