/** Label records as a table: one row a record, lists and spans as JSON in their cells. */
import type { FileProblem } from "#core/workspace/file-problem";
import { describeIssues } from "#core/workspace/file-problem";
import { LabelRecord } from "#core/workspace/schemas";
import { defineLabelFormat } from "./define";
import { csvRows, csvText } from "./csv-table";

/** Columns of text, and of everything else, which stands as JSON. What a record carries beside them goes to `more`. */
const textColumns = ["id", "sample_id", "annotator", "created_at", "label", "note", "run_id", "action", "plan_id", "content_sha256", "file_sha256", "guideline_sha256", "guideline_quote", "supersedes", "check"] as const;
const jsonColumns = ["categories", "spans", "fields", "blind", "seen", "seconds", "quick", "retracted", "skipped", "adjudicates", "reader"] as const;
const columns: readonly string[] = [
  "id", "sample_id", "annotator", "created_at", "label", "categories", "spans", "note", "fields", "blind", "seen", "run_id", "action", "plan_id", "seconds", "quick",
  "check", "skipped", "supersedes", "retracted", "adjudicates", "guideline_sha256", "guideline_quote", "content_sha256", "file_sha256", "reader", "more",
];
const isText = new Set<string>(textColumns);
const isJson = new Set<string>(jsonColumns);

export const csvFormat = defineLabelFormat({
  id: "csv", title: "CSV", extension: "csv", carriesTrajectories: false,
  write: ({ records }) => ({ text: csvText([columns, ...records.map(({ record }) => columns.map((column) => cellOf(record, column)))]), leftOut: [] }),
  read(text, { file }) {
    const [header, ...rows] = csvRows(text);
    const problems: FileProblem[] = [];
    const records: { record: LabelRecord; line: number }[] = [];
    if (!header?.cells.includes("sample_id")) return { records, problems: [{ file, line: 1, code: "no-header", message: "The first row does not name the columns (sample_id, label, …); the file is not used." }] };
    for (const { cells, line } of rows) {
      const value = recordOf(header.cells, cells);
      const parsed = typeof value === "string" ? undefined : LabelRecord.safeParse(value);
      if (parsed?.success) records.push({ record: parsed.data, line });
      else problems.push({ file, line, code: "bad-record", message: `The row is not used: ${parsed ? describeIssues(parsed.error.issues, value) : String(value)}.` });
    }
    return { records, problems };
  },
});

function cellOf(record: LabelRecord, column: string): string {
  if (column === "more") {
    const rest = Object.entries(record).filter(([key, value]) => (isText.has(key) ? isTorn(value) : !isJson.has(key)));
    return rest.length === 0 ? "" : JSON.stringify(Object.fromEntries(rest));
  }
  const value = record[column];
  // An empty text and a missing one differ, and only the first has to be said.
  if (isText.has(column) && isTorn(value)) return "";
  if (isText.has(column)) return value === undefined || value === null ? "" : value === "" ? "\"\"" : String(value);
  return value === undefined ? "" : JSON.stringify(value);
}

/** Half a surrogate pair cannot be written as UTF-8; such a text goes to `more`, where JSON escapes it. */
function isTorn(value: unknown): boolean {
  return typeof value === "string" && /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(value);
}

/** The record of a row, or what is wrong with it in words. */
function recordOf(header: readonly string[], cells: readonly string[]): Record<string, unknown> | string {
  const record: Record<string, unknown> = {};
  for (const [at, column] of header.entries()) {
    const cell = cells[at] ?? "";
    if (column === "label") record["label"] = cell === "" ? null : cell;
    else if (cell === "") continue;
    else if (isText.has(column)) record[column] = cell === "\"\"" ? "" : cell;
    else if (column === "more" || isJson.has(column)) {
      try {
        const value: unknown = JSON.parse(cell);
        if (column !== "more") record[column] = value;
        else if (typeof value === "object" && value !== null) Object.assign(record, value);
      } catch {
        return `${column}: expected JSON`;
      }
    }
  }
  return record;
}
