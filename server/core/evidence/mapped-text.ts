/**
 * A text made from another by a list of edits, with the way back: any range of the new text can be told in offsets of
 * the text it was made from, and on down to the recorded one. All offsets are UTF-16 code units.
 */

/** A range of UTF-16 offsets, end exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A text whose ranges can be traced back to the recorded text below it. */
export interface MappedText {
  readonly text: string;
  /**
   * The smallest recorded range that holds every character of `start..end` (end exclusive, at least one character).
   * What was dropped just outside the range (a mark, a space) stays outside.
   */
  toSource(start: number, end: number): Range;
}

/** The recorded text itself: every range stands for itself. */
export function recordedText(text: string): MappedText {
  return { text, toSource: (start, end) => ({ start, end }) };
}

/**
 * Collects edits over one text, left to right, and makes the mapped text of them. Edits that keep the length cost no
 * map entry, so a text with many single line feeds or curly quotes keeps a small map.
 */
export class TextEditor {
  private readonly chunks: string[] = [];
  private readonly at: number[] = [];
  private readonly length: number[] = [];
  private readonly sourceAt: number[] = [];
  private readonly sourceLength: number[] = [];
  private copied = 0;
  private written = 0;

  constructor(private readonly below: MappedText) {}

  /** Replaces `length` code units at `at` (not before the end of the last edit); `length` 0 inserts. */
  replace(at: number, length: number, replacement: string): void {
    if (at > this.copied) {
      this.chunks.push(this.below.text.slice(this.copied, at));
      this.written += at - this.copied;
    }
    if (length !== replacement.length) {
      this.at.push(this.written);
      this.length.push(replacement.length);
      this.sourceAt.push(at);
      this.sourceLength.push(length);
    }
    if (replacement !== "") this.chunks.push(replacement);
    this.written += replacement.length;
    this.copied = at + length;
  }

  /** The edited text; the very same object as below when there was no edit, so that callers can tell. */
  finish(): MappedText {
    if (this.copied === 0 && this.chunks.length === 0 && this.at.length === 0) return this.below;
    this.chunks.push(this.below.text.slice(this.copied));
    const text = this.chunks.join("");
    return new EditedText(text, this.below, {
      at: Int32Array.from(this.at),
      length: Int32Array.from(this.length),
      sourceAt: Int32Array.from(this.sourceAt),
      sourceLength: Int32Array.from(this.sourceLength),
    });
  }
}

/** The edits that change a length, in order: place and length in the new text, place and length in the text below. */
interface EditTable {
  readonly at: Int32Array;
  readonly length: Int32Array;
  readonly sourceAt: Int32Array;
  readonly sourceLength: Int32Array;
}

class EditedText implements MappedText {
  constructor(
    readonly text: string,
    private readonly below: MappedText,
    private readonly edits: EditTable,
  ) {}

  toSource(start: number, end: number): Range {
    const from = this.charStart(start);
    const to = Math.max(from, this.charEnd(end - 1));
    return this.below.toSource(from, to);
  }

  /** Index of the last edit that begins at or before `offset`, -1 if none. */
  private editBefore(offset: number): number {
    const { at } = this.edits;
    let low = 0;
    let high = at.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (at[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Where the character at `offset` begins in the text below. */
  private charStart(offset: number): number {
    const i = this.editBefore(offset);
    if (i < 0) return offset;
    const into = offset - this.edits.at[i]!;
    const source = this.edits.sourceAt[i]!;
    if (into < this.edits.length[i]!) return source;
    return source + this.edits.sourceLength[i]! + into - this.edits.length[i]!;
  }

  /** Where the character at `offset` ends in the text below. */
  private charEnd(offset: number): number {
    const i = this.editBefore(offset);
    if (i < 0) return offset + 1;
    const into = offset - this.edits.at[i]!;
    const after = this.edits.sourceAt[i]! + this.edits.sourceLength[i]!;
    if (into < this.edits.length[i]!) return after;
    return after + into - this.edits.length[i]! + 1;
  }
}
