/**
 * Where the rows of the virtual list stand. The library asks for every row's key and height again whenever one row changes;
 * with hundreds of thousands of rows that holds up each frame. Here the heights are kept beside the rows: of new rows only
 * those are asked for that were not there before, and of measured ones only the sum is made again.
 */
import type { VirtualItem, Virtualizer } from "@tanstack/virtual-core";

/** What is asked of a row: rows that stay are the same objects in the next list; a step's rows follow each other. */
export interface HeightRow { readonly key: string; readonly step: number }

/** An array of rows, or what is one to whoever asks for the row at an index. */
export interface HeightRows { readonly length: number; at(index: number): HeightRow | undefined }

type List = Virtualizer<HTMLElement, HTMLElement>;

/** Rows that others were made of, and where they differ: `removed` of them, from row `at` on, gave way to `added` ones. First ones first. */
export interface CameFrom { readonly rows: HeightRows; readonly splices: readonly { readonly at: number; readonly removed: number; readonly added: number }[] }

/** The library's options, with the rows beside them, so that both are those of the same moment. */
interface ListOptions { readonly rows?: HeightRows; readonly cameFrom?: CameFrom | undefined; readonly basis?: unknown; readonly estimateSize: (index: number) => number }

/** What the library keeps for itself and is written here in its place. */
interface Inside {
  getMeasurements: () => VirtualItem[];
  measurementsCache: VirtualItem[];
  _singleLaneMeasurements: { flat: Float64Array; items: VirtualItem[] } | null;
  readonly itemSizeCache: Map<unknown, number>;
}

/**
 * Of the library's options `paddingStart`, `scrollMargin`, `gap`, `lanes`, `enabled` and `initialMeasurementsCache` are not
 * looked at: lists with `rows` are one column that begins at 0. Of its list of items only `length` and numbers can be asked.
 */
export class RowHeights {
  private rows: HeightRows = [];
  private basis: unknown;
  /** Start and height of each row in turn, as the library reads them. */
  private flat = new Float64Array(0);
  /** The array before, written to next: the library still reads the other. */
  private spare = new Float64Array(0);
  /** Rows measured since the sum was made, and the one whose new height is just being taken in. */
  private measured: number[] = [];
  private taking = -1;
  private view: VirtualItem[] = [];

  private constructor(private readonly list: List) {}

  /** Takes over the measurements of `list`, whose options have to hold its `rows`. */
  static install(list: List): void {
    const heights = new RowHeights(list);
    const resize = list.resizeItem;
    list.resizeItem = (index, size) => {
      if (heights.rows !== heights.options.rows) heights.measurements();
      // The library may ask for the measurements before it has written the height down, and again behind that.
      heights.taking = index;
      resize(index, size);
      heights.taking = -1;
      heights.measured.push(index);
    };
    heights.inside.getMeasurements = () => heights.measurements();
  }

  private get inside(): Inside {
    return this.list as unknown as Inside;
  }

  private get options(): ListOptions {
    return this.list.options as unknown as ListOptions;
  }

  private measurements(): VirtualItem[] {
    const from = Math.min(this.takeMeasured(), this.takeRows());
    if (from < Infinity) this.sum(from);
    return this.view;
  }

  /** The first row whose height changed by a measurement. */
  private takeMeasured(): number {
    let from = Infinity;
    for (const index of this.taking < 0 ? this.measured : [...this.measured, this.taking]) {
      const size = this.inside.itemSizeCache.get(this.rows.at(index)?.key);
      if (size === undefined || size === this.flat[index * 2 + 1]) continue;
      this.flat[index * 2 + 1] = size;
      from = Math.min(from, index);
    }
    this.measured = [];
    return from;
  }

  /** Carries the heights of rows that stayed over to a new list of rows; the first row that is another one, or nothing. */
  private takeRows(): number {
    const { rows = [], basis, cameFrom } = this.options;
    if (rows === this.rows && basis === this.basis) return Infinity;
    const next = this.spare.length >= rows.length * 2 ? this.spare : new Float64Array(Math.ceil(rows.length * 2.2));
    const first = basis === this.basis && cameFrom?.rows === this.rows ? this.splice(cameFrom, rows, next) : this.compare(basis === this.basis ? this.rows : [], rows, next);
    [this.spare, this.flat] = [this.flat, next];
    this.rows = rows;
    this.basis = basis;
    return Math.min(first, rows.length);
  }

  private heightOf(row: HeightRow, at: number): number {
    return this.inside.itemSizeCache.get(row.key) ?? this.options.estimateSize(at);
  }

  /** The heights of `rows` where it is known how they came about: what stayed is copied in whole pieces, starts and all. */
  private splice({ splices }: CameFrom, rows: HeightRows, next: Float64Array): number {
    let old = 0;
    let to = 0;
    for (const { at, removed, added } of splices) {
      next.set(this.flat.subarray(old * 2, at * 2), to * 2);
      to += at - old;
      for (const end = to + added; to < end; to++) next[to * 2 + 1] = this.heightOf(rows.at(to)!, to);
      old = at + removed;
    }
    next.set(this.flat.subarray(old * 2, this.rows.length * 2), to * 2);
    return splices[0]?.at ?? rows.length;
  }

  /** The same where only looking at each row tells: those that stayed are the same objects. */
  private compare(before: HeightRows, rows: HeightRows, next: Float64Array): number {
    let first = Infinity;
    for (let at = 0, old = 0; at < rows.length; ) {
      if (rows.at(at) === before.at(old)) {
        next[at * 2 + 1] = this.flat[old * 2 + 1]!;
        at++;
        old++;
        continue;
      }
      first = Math.min(first, at);
      const { step } = rows.at(at)!;
      for (; at < rows.length && rows.at(at)!.step === step; at++) next[at * 2 + 1] = this.heightOf(rows.at(at)!, at);
      while (old < before.length && before.at(old)!.step === step) old++;
    }
    for (let at = 0; at < Math.min(first, rows.length); at++) next[at * 2] = this.flat[at * 2]!;
    return first;
  }

  private sum(from: number): void {
    const { flat, rows } = this;
    let start = from === 0 ? 0 : flat[from * 2 - 2]! + flat[from * 2 - 1]!;
    for (let at = from; at < rows.length; at++) {
      flat[at * 2] = start;
      start += flat[at * 2 + 1]!;
    }
    this.view = itemsOf(rows, flat);
    this.inside.measurementsCache = this.view;
    this.inside._singleLaneMeasurements = { flat, items: this.view };
  }
}

/** The rows as the library's items, each made when it is asked for. */
function itemsOf(rows: HeightRows, flat: Float64Array): VirtualItem[] {
  const item = (index: number): VirtualItem | undefined => {
    const row = Number.isInteger(index) ? rows.at(index) : undefined;
    if (!row) return undefined;
    const [start, size] = [flat[index * 2]!, flat[index * 2 + 1]!];
    return { index, key: row.key, start, size, end: start + size, lane: 0 };
  };
  return new Proxy([], {
    get: (_none, name) => (name === "length" ? rows.length : typeof name === "string" ? item(Number(name)) : undefined),
  });
}
