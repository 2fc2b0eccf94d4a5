/** The review queue: rows filtered, grouped, sorted and counted, quick enough for tens of thousands while one types. */
import { queueCells, queueStates, suspicionOf, type QueueRow } from "./queue-row";

/** What rows can be filtered and grouped by. */
export const queueFacets = ["state", "plan", "run", "verdict", "cell", "gold", "category", "task", "annotator", "disagreement", "status"] as const;
export type QueueFacet = (typeof queueFacets)[number];

export interface QueueFilter {
  /** For each facet the values that stay; a facet that is not named keeps all. Rows without a value have the value "". */
  readonly facets?: Partial<Readonly<Record<QueueFacet, readonly string[]>>> | undefined;
  /** Only these samples. */
  readonly ids?: readonly string[] | undefined;
  /** Words that must all occur, in any case, in id, title, category, task, pair or notes. */
  readonly text?: string | undefined;
  readonly needsAdjudication?: boolean | undefined;
  readonly judgeAgain?: boolean | undefined;
}

export type QueueSort = "plan" | "suspicion" | "length" | "random" | "id";

export interface QueueSorting {
  readonly by: QueueSort;
  /** Default: false, which puts what is most suspicious, longest, first. */
  readonly reverse?: boolean | undefined;
  /** For `random`. */
  readonly seed?: number | undefined;
}

export interface QueueGroup {
  readonly value: string;
  readonly rows: readonly QueueRow[];
  readonly done: number;
}

/** Values of a facet and how many rows have each. */
export type FacetCounts = ReadonlyMap<string, number>;

interface Column {
  /** For each row the position of its values in `values`. */
  readonly codes: Uint32Array;
  /** Distinct lists of values, as they occur. */
  readonly values: (readonly string[])[];
  readonly codeOf: Map<string, number>;
}

export class QueueTable {
  private readonly rowList: QueueRow[];
  private readonly position = new Map<string, number>();
  private readonly columns: Readonly<Record<QueueFacet, Column>>;

  constructor(rows: readonly QueueRow[]) {
    this.rowList = [...rows];
    for (const [at, { id }] of this.rowList.entries()) this.position.set(id, at);
    this.columns = Object.fromEntries(queueFacets.map((facet) => [facet, newColumn(rows.length)])) as unknown as Record<QueueFacet, Column>;
    for (const [at, row] of this.rowList.entries()) this.encode(at, row);
  }

  get rows(): readonly QueueRow[] {
    return this.rowList;
  }

  row(id: string): QueueRow | undefined {
    const at = this.position.get(id);
    return at === undefined ? undefined : this.rowList[at];
  }

  /** Puts a new state of a row in its place; answers false for a sample that is not in the table. */
  update(row: QueueRow): boolean {
    const at = this.position.get(row.id);
    if (at === undefined) return false;
    this.rowList[at] = row;
    this.encode(at, row);
    return true;
  }

  /**
   * The rows that pass, in the order in which they were given. `keep` is the row that is being judged: it stays where it is
   * although the filter has lost it, and `kept` then says so.
   */
  select(filter: QueueFilter, keep?: string): { rows: QueueRow[]; kept: boolean } {
    let chosen = this.byFacets(filter);
    const words = (filter.text ?? "").toLowerCase().split(/\s+/).filter((word) => word !== "");
    if (words.length > 0) chosen = chosen.filter((at) => words.every((word) => this.rowList[at]?.search.includes(word)));
    if (filter.ids) {
      const wanted = new Set(filter.ids.map((id) => this.position.get(id)));
      chosen = chosen.filter((at) => wanted.has(at));
    }
    if (filter.needsAdjudication === true) chosen = chosen.filter((at) => this.rowList[at]?.needsAdjudication);
    if (filter.judgeAgain === true) chosen = chosen.filter((at) => this.rowList[at]?.judgeAgain);
    const keptAt = keep === undefined ? undefined : this.position.get(keep);
    const kept = keptAt !== undefined && !chosen.includes(keptAt);
    if (kept) {
      const before = chosen.findIndex((at) => at > keptAt);
      const inserted = [...chosen];
      inserted.splice(before < 0 ? inserted.length : before, 0, keptAt);
      return { rows: inserted.map((at) => this.rowList[at] as QueueRow), kept };
    }
    const rows = new Array<QueueRow>(chosen.length);
    for (let i = 0; i < chosen.length; i++) rows[i] = this.rowList[chosen[i] as number] as QueueRow;
    return { rows, kept };
  }

  /** How many rows of the whole table have each value of a facet. */
  count(facet: QueueFacet): FacetCounts {
    const { codes, values } = this.columns[facet];
    const byCode = new Uint32Array(values.length);
    for (let at = 0; at < codes.length; at++) byCode[codes[at] as number]!++;
    const counts = new Map<string, number>();
    for (const [code, list] of values.entries()) {
      const count = byCode[code] ?? 0;
      if (count > 0) for (const value of list) counts.set(value, (counts.get(value) ?? 0) + count);
    }
    return counts;
  }

  /** Column after column, each over what the one before has left. */
  private byFacets({ facets = {} }: QueueFilter): Uint32Array {
    let chosen: Uint32Array | undefined;
    for (const facet of queueFacets) {
      const wanted = facets[facet];
      if (wanted === undefined) continue;
      const { codes, values } = this.columns[facet];
      const passes = Uint8Array.from(values, (list) => (list.some((value) => wanted.includes(value)) ? 1 : 0));
      chosen = narrowed(codes, passes, chosen);
    }
    return chosen ?? Uint32Array.from(this.rowList, (_, at) => at);
  }

  private encode(at: number, row: QueueRow): void {
    for (const facet of queueFacets) {
      const column = this.columns[facet];
      const values = valuesOf(row, facet);
      const key = values.length === 1 ? (values[0] ?? "") : values.join("\u0000");
      let code = column.codeOf.get(key);
      if (code === undefined) {
        code = column.values.length;
        column.values.push(values);
        column.codeOf.set(key, code);
      }
      column.codes[at] = code;
    }
  }
}

function newColumn(rows: number): Column {
  return { codes: new Uint32Array(rows), values: [], codeOf: new Map() };
}

function narrowed(codes: Uint32Array, passes: Uint8Array, within: Uint32Array | undefined): Uint32Array {
  const out = new Uint32Array(within?.length ?? codes.length);
  let count = 0;
  if (within) {
    for (let i = 0; i < within.length; i++) {
      const at = within[i] as number;
      if (passes[codes[at] as number] === 1) out[count++] = at;
    }
  } else {
    for (let at = 0; at < codes.length; at++) if (passes[codes[at] as number] === 1) out[count++] = at;
  }
  return out.subarray(0, count);
}

/** The values of a row; a row without any has the one value "". */
function valuesOf(row: QueueRow, facet: QueueFacet): readonly string[] {
  switch (facet) {
    case "state": return [row.state];
    case "plan": return orNone(row.plans);
    case "run": return [row.run];
    case "verdict": return [row.verdict];
    case "cell": return [row.cell];
    case "gold": return [row.goldStatus];
    case "category": return [row.category];
    case "task": return [row.task];
    case "annotator": return orNone(row.annotators);
    case "disagreement": return orNone(row.disagreement);
    case "status": return [row.status];
  }
}

function orNone(values: readonly string[]): readonly string[] {
  return values.length > 0 ? values : [""];
}

/** Rows in a new order; equal ones stay as they were. */
export function sortRows(rows: readonly QueueRow[], { by, reverse = false, seed = 0 }: QueueSorting): QueueRow[] {
  if (by === "id") return [...rows].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0) * (reverse ? -1 : 1));
  // Keys in an array of their own and positions sorted by them: a tenth of the time of comparing rows.
  const keys = Float64Array.from(rows, (row) => sortKey(row, by, seed));
  const order = Uint32Array.from(rows, (_, at) => at);
  const sign = reverse ? -1 : 1;
  order.sort((a, b) => ((keys[a] as number) - (keys[b] as number)) * sign || a - b);
  return Array.from(order, (at) => rows[at] as QueueRow);
}

function sortKey(row: QueueRow, by: Exclude<QueueSort, "id">, seed: number): number {
  switch (by) {
    case "plan": return row.planAt < 0 ? Number.MAX_SAFE_INTEGER : row.planAt;
    case "suspicion": return -suspicionOf(row);
    case "length": return -row.length;
    case "random": return lot(seed, row.id);
  }
}

/** A number that seed and id fix, so that a random order stays the same when rows come and go (FNV-1a, mixed as MurmurHash3 ends). */
function lot(seed: number, id: string): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Orders in which values of these facets are listed; the others go by name, the missing value last. */
const listed: Partial<Record<QueueFacet, readonly string[]>> = { state: queueStates, cell: queueCells };

/** Rows by the values of a facet. A row with several values is in several groups, so that each group's count is true. */
export function groupRows(rows: readonly QueueRow[], facet: QueueFacet): QueueGroup[] {
  const groups = new Map<string, QueueRow[]>();
  for (const row of rows) {
    for (const value of valuesOf(row, facet)) {
      const own = groups.get(value);
      if (own) own.push(row);
      else groups.set(value, [row]);
    }
  }
  const order = listed[facet];
  const rank = (value: string): number => (value === "" ? Infinity : (order?.indexOf(value) ?? 0));
  return [...groups]
    .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0))
    .map(([value, own]) => ({ value, rows: own, done: own.filter(isDone).length }));
}

/** Whether the person has said what they have to say; unsure is an answer, a skip is none. */
export function isDone({ state }: Pick<QueueRow, "state">): boolean {
  return state === "decided" || state === "unsure" || state === "cannot_judge";
}
