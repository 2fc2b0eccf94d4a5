/** Converts between the two ways of counting characters: UTF-16 code units in memory, Unicode code points on disk. */

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** The surrogate pairs of one text, found once; a lone surrogate is a code point of its own. */
export class CodePoints {
  /** UTF-16 offsets of the second halves of all pairs, ascending. */
  private readonly second: Int32Array;

  constructor(private readonly text: string) {
    const second: number[] = [];
    PAIR.lastIndex = 0;
    for (let match = PAIR.exec(text); match !== null; match = PAIR.exec(text)) second.push(match.index + 1);
    this.second = Int32Array.from(second);
  }

  /** How many code points the text has. */
  get length(): number {
    return this.text.length - this.second.length;
  }

  /** Code points before the UTF-16 `offset` (0 to the text's length); inside a pair, the pair counts as before. */
  fromUtf16(offset: number): number {
    return offset - this.count((i) => this.second[i]! < offset);
  }

  /** The UTF-16 offset before which `codePoints` code points stand (0 to `length`); never inside a pair. */
  toUtf16(codePoints: number): number {
    return codePoints + this.count((i) => this.second[i]! - i <= codePoints);
  }

  /** How many pairs, from the first, fulfil a condition that fails for all after the first failure. */
  private count(holds: (i: number) => boolean): number {
    let low = 0;
    let high = this.second.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
