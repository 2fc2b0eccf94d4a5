/** The rows of a transcript in pieces of some hundred steps each: where one step changes, one piece is made anew and not all of a long list. */
import type { Row, RowSequence } from "./rows";

/** Steps in a piece. */
const pieceSteps = 256;

/** Rows of steps that follow each other in reading order. */
interface Piece {
  readonly rows: readonly Row[];
  /** Index of each step's first row within the piece; before the first one only cards. */
  readonly first: readonly number[];
}

/** `removed` rows of the list before, from its row `at` on, gave way to `added` ones. */
export interface Splice { readonly at: number; readonly removed: number; readonly added: number }

export class RowList implements RowSequence {
  /** Index of the first row of each piece, and the number of all rows. */
  private readonly starts: Int32Array;

  private constructor(private readonly pieces: readonly Piece[]) {
    this.starts = new Int32Array(pieces.length + 1);
    pieces.forEach(({ rows }, n) => (this.starts[n + 1] = this.starts[n]! + rows.length));
  }

  /** The rows of `steps` steps by their place in reading order, `ahead` before all of them. */
  static of(steps: number, rowsOf: (place: number) => readonly Row[], ahead: readonly Row[]): RowList {
    const pieces: Piece[] = [];
    for (let from = 0; from < steps || from === 0; from += pieceSteps) {
      pieces.push(piece(from === 0 ? ahead : [], Math.min(pieceSteps, steps - from), (n) => rowsOf(from + n)));
    }
    return new RowList(pieces);
  }

  get length(): number {
    return this.starts[this.pieces.length]!;
  }

  at(index: number): Row | undefined {
    if (!(index >= 0 && index < this.length)) return undefined;
    let low = 0;
    for (let high = this.pieces.length - 1; low < high; ) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle]! <= index) low = middle;
      else high = middle - 1;
    }
    return this.pieces[low]!.rows[index - this.starts[low]!];
  }

  /** Index of the first row of the step at a place. */
  firstOf(place: number): number {
    return this.starts[Math.floor(place / pieceSteps)]! + this.pieces[Math.floor(place / pieceSteps)]!.first[place % pieceSteps]!;
  }

  /** Index of the first row that is so, or -1. */
  findIndex(is: (row: Row) => boolean): number {
    for (const [n, { rows }] of this.pieces.entries()) {
      const found = rows.findIndex(is);
      if (found >= 0) return this.starts[n]! + found;
    }
    return -1;
  }

  *[Symbol.iterator](): Iterator<Row> {
    for (const { rows } of this.pieces) yield* rows;
  }

  /** The list with other rows for the steps at `places`, which ascend, and where it differs. */
  with(places: readonly number[], rowsOf: (place: number) => readonly Row[]): { list: RowList; splices: Splice[] } {
    const pieces = this.pieces.slice();
    const splices: Splice[] = [];
    for (let next = 0; next < places.length; ) {
      const number = Math.floor(places[next]! / pieceSteps);
      const { rows, first } = pieces[number]!;
      const own = (n: number): readonly Row[] => rows.slice(first[n], first[n + 1] ?? rows.length);
      pieces[number] = piece(rows.slice(0, first[0]), first.length, (n) => {
        if (places[next] !== number * pieceSteps + n) return own(n);
        const now = rowsOf(places[next++]!);
        splices.push({ at: this.starts[number]! + first[n]!, removed: own(n).length, added: now.length });
        return now;
      });
    }
    return { list: new RowList(pieces), splices };
  }
}

function piece(ahead: readonly Row[], steps: number, rowsOf: (n: number) => readonly Row[]): Piece {
  const rows = [...ahead];
  const first: number[] = [];
  for (let n = 0; n < steps; n++) {
    first.push(rows.length);
    for (const row of rowsOf(n)) rows.push(row);
  }
  return { rows, first };
}
