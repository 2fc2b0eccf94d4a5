/** What a guard learned on one kind of sample is worth on another: rates by what it was trained on and what it is tested on. */
import { parseCsv } from "./matrix-csv";

/** Known rates of one guard on one slice, whatever they come from. */
export interface MatrixEntry {
  /** What it was trained on; the untrained base has none. */
  readonly trained_on: readonly string[];
  readonly tested_on: string;
  readonly miss_rate: number | null;
  readonly false_alarm_rate: number | null;
  /** Tells rows apart that were trained on the same. */
  readonly run_id?: string | undefined;
}

export interface MatrixCell {
  readonly tested_on: string;
  readonly miss_rate: number | null;
  readonly false_alarm_rate: number | null;
  readonly youden_j: number | null;
  /** The slice is one that the guard was trained on. */
  readonly in_distribution: boolean;
  /** Against the untrained base on the same slice; left out for the base itself, and without one. */
  readonly change?: { readonly miss_rate: number | null; readonly false_alarm_rate: number | null; readonly youden_j: number | null };
}

export interface MatrixRow {
  /** Empty for the untrained base. */
  readonly trained_on: readonly string[];
  readonly run_id?: string;
  readonly cells: readonly MatrixCell[];
}

export interface GeneralisationMatrix {
  readonly tested_on: readonly string[];
  readonly rows: readonly MatrixRow[];
}

/**
 * The matrix, rows in the order in which they first come, the base first. A slice is in distribution when `trained_on` names it,
 * its category or its task, or the same without a remark in brackets; `all` means every slice that some other row is named after.
 */
export function generalisationMatrix(entries: readonly MatrixEntry[]): GeneralisationMatrix {
  const slices = [...new Set(entries.map(({ tested_on }) => tested_on))];
  const named = new Set(entries.flatMap(({ trained_on }) => trained_on.map(normal)));
  const rows = new Map<string, { first: MatrixEntry; bySlice: Map<string, MatrixEntry> }>();
  for (const entry of entries) {
    const key = JSON.stringify([entry.trained_on, entry.run_id ?? null]);
    const row = rows.get(key) ?? { first: entry, bySlice: new Map<string, MatrixEntry>() };
    row.bySlice.set(entry.tested_on, entry);
    rows.set(key, row);
  }
  const bases = [...rows.values()].filter(({ first }) => first.trained_on.length === 0);
  // With several untrained guards none of them is the base of another.
  const base = bases.length === 1 ? bases[0]?.bySlice : undefined;
  const ordered = [...bases, ...[...rows.values()].filter(({ first }) => first.trained_on.length > 0)];
  return {
    tested_on: slices,
    rows: ordered.map(({ first, bySlice }) => ({
      trained_on: first.trained_on, ...(first.run_id === undefined ? {} : { run_id: first.run_id }),
      cells: slices.map((slice) => cellOf(slice, bySlice.get(slice), first.trained_on, named, first.trained_on.length > 0 ? base?.get(slice) : undefined)),
    })),
  };
}

function cellOf(slice: string, entry: MatrixEntry | undefined, trainedOn: readonly string[], named: ReadonlySet<string>, base: MatrixEntry | undefined): MatrixCell {
  const [miss, alarm] = [entry?.miss_rate ?? null, entry?.false_alarm_rate ?? null];
  const minus = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a - b);
  return {
    tested_on: slice, miss_rate: miss, false_alarm_rate: alarm, youden_j: youden(miss, alarm), in_distribution: isTrainedOn(slice, trainedOn, named),
    ...(base ? { change: { miss_rate: minus(miss, base.miss_rate), false_alarm_rate: minus(alarm, base.false_alarm_rate), youden_j: minus(youden(miss, alarm), youden(base.miss_rate, base.false_alarm_rate)) } } : {}),
  };
}

function youden(miss: number | null, alarm: number | null): number | null {
  return miss === null || alarm === null ? null : 1 - miss - alarm;
}

/** Whether `trainedOn` names a slice (`category/task`), as for `generalisationMatrix`; `named`, as `normal` has them, are those that `all` stands for. */
export function isTrainedOn(slice: string, trainedOn: readonly string[], named: Pick<ReadonlySet<string>, "has">): boolean {
  const [category, task] = normal(slice).split("/");
  return trainedOn.map(normal).some((name) => name === normal(slice) || name === category || name === task || (name === "all" && named.has(normal(slice))));
}

/** In lower case, without a remark in brackets at its end and without spaces around the stroke. */
function normal(name: string): string {
  return name.replace(/\s*\([^()]*\)\s*$/, "").replace(/\s*\/\s*/g, "/").trim().toLowerCase();
}

/**
 * Published rates as entries: a CSV with the columns `trained_on`, `tested_on`, `metric` (MR or FAR) and `value`; `base` is the
 * untrained guard. Lines that cannot be used are problems, with their line from 1.
 */
export function readMatrixCsv(text: string): { entries: MatrixEntry[]; problems: { line: number; message: string }[] } {
  const [header, ...lines] = parseCsv(text);
  const columns = ["trained_on", "tested_on", "metric", "value"].map((name) => header?.fields.indexOf(name) ?? -1);
  if (columns.includes(-1)) return { entries: [], problems: [{ line: 1, message: "The columns trained_on, tested_on, metric and value are needed." }] };
  const found = new Map<string, { trained_on: string[]; tested_on: string; miss_rate: number | null; false_alarm_rate: number | null }>();
  const problems: { line: number; message: string }[] = [];
  for (const { fields, line } of lines) {
    const [trained = "", tested = "", metric = "", text_ = ""] = columns.map((at) => (fields[at] ?? "").trim());
    const value = text_ === "" ? NaN : Number(text_);
    const key = metric.toUpperCase() === "MR" ? "miss_rate" : metric.toUpperCase() === "FAR" ? "false_alarm_rate" : undefined;
    if (key === undefined || !(value >= 0 && value <= 1) || trained === "" || tested === "") {
      problems.push({ line, message: "The line is not used: it needs two names, MR or FAR, and a share from 0 to 1." });
      continue;
    }
    const id = JSON.stringify([trained, tested]);
    const entry = found.get(id) ?? { trained_on: trained === "base" ? [] : [trained], tested_on: tested, miss_rate: null, false_alarm_rate: null };
    entry[key] = value;
    found.set(id, entry);
  }
  return { entries: [...found.values()], problems };
}
