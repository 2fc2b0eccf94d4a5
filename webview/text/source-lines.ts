/** Line bookkeeping between a recorded text, the text a Markdown parser works on (line ends made equal), and its tokens. */

/** UTF-16 offsets, in the recorded text, of the first unit of each line; lines end with LF, CRLF or a lone CR. */
export function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n?|\n/g)) starts.push(match.index + match[0].length);
  return starts;
}

/** A token's lines: first, and one past the last. */
export type LineMap = readonly [number, number] | null;

export class SourceLines {
  /** The text with every line end as LF, and NUL as the parser replaces it (one unit for one unit). */
  readonly normalised: string;
  private readonly starts: readonly number[];

  constructor(text: string, private readonly textStarts: readonly number[]) {
    this.normalised = text.replace(/\r\n?/g, "\n");
    this.starts = this.normalised === text ? textStarts : lineStartsOf(this.normalised);
  }

  /** An offset of the normalised text as an offset of the recorded one. */
  toText(offset: number): number {
    if (this.starts === this.textStarts) return offset;
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return this.textStarts[low]! + offset - this.starts[low]!;
  }

  private lineEnd(line: number): number {
    return line + 1 < this.starts.length ? this.starts[line + 1]! - 1 : this.normalised.length;
  }

  private line(line: number): string {
    return this.normalised.slice(this.starts[line] ?? this.normalised.length, this.lineEnd(line));
  }

  /** The recorded range of a token's lines, line ends at its end left out. */
  rangeOf(map: readonly [number, number]): { start: number; end: number } {
    const last = Math.max(map[0], map[1] - 1);
    return { start: this.toText(this.starts[map[0]] ?? this.normalised.length), end: this.toText(this.lineEnd(Math.min(last, this.starts.length - 1))) };
  }

  plain(map: LineMap): { kind: "plain"; start: number; end: number } | undefined {
    return map ? { kind: "plain", ...this.rangeOf(map) } : undefined;
  }

  /**
   * Where an inline token's content stands: a function from its offsets to the recorded text's, or undefined when some line
   * of it is not found as it is. A content line is the rest of its source line after indentation and markers.
   */
  contentPlaces(map: LineMap, content: string): ((at: number) => number) | undefined {
    if (!map) return undefined;
    const lines = content.split("\n");
    const places: { at: number; offset: number }[] = [];
    let at = 0;
    for (let i = 0; i < lines.length; i++) {
      const wanted = lines[i]!;
      const line = this.line(map[0] + i);
      // The parser trims the block's ends; inside, trailing spaces stay.
      const found = line.lastIndexOf(wanted);
      if (found < 0) return undefined;
      places.push({ at, offset: this.starts[map[0] + i]! + found });
      at += wanted.length + 1;
    }
    return (offset) => {
      let place = places[0]!;
      for (const next of places) if (next.at <= offset) place = next;
      return this.toText(place.offset + offset - place.at);
    };
  }

  /** The normalised offset of `content` in its one line, at or after `from` (a normalised offset). */
  findInLine(map: LineMap, content: string, from: number): number | undefined {
    if (!map) return undefined;
    const start = this.starts[map[0]] ?? 0;
    const found = this.normalised.indexOf(content, Math.max(start, from));
    return found >= 0 && found + content.length <= this.lineEnd(map[0]) ? found : undefined;
  }

  /** The recorded ranges of a code block's lines, without their line ends, or undefined when one is not the rest of its source line. */
  codeLines(map: LineMap, content: string, isFence: boolean): { start: number; end: number }[] | undefined {
    if (!map) return undefined;
    const first = map[0] + (isFence ? 1 : 0);
    const lines = content === "" ? [] : content.replace(/\n$/, "").split("\n");
    const ranges: { start: number; end: number }[] = [];
    for (let i = 0; i < lines.length; i++) {
      const wanted = lines[i]!;
      if (first + i >= this.starts.length || !this.line(first + i).endsWith(wanted)) return undefined;
      const end = this.lineEnd(first + i);
      ranges.push({ start: this.toText(end - wanted.length), end: this.toText(end) });
    }
    return ranges;
  }
}
