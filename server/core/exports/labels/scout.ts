/** Gold as a validation set of Inspect Scout: a row for each transcript, true for misbehavior and false for benign. */
import type { FileProblem } from "#core/workspace/file-problem";
import type { LabelRecord } from "#core/workspace/schemas";
import { csvRows, csvText } from "./csv-table";
import { defineLabelFormat, type ExportSample } from "./define";

const columns = ["id", "target", "split", "sample_id", "gold_status", "decided_at"] as const;
const settled = new Set(["adjudicated", "unanimous", "majority", "single", "original"]);

/**
 * Scout reads `id`, `target` and `split` and leaves other columns alone. `id` is the sample's uuid, which is Scout's transcript
 * id; samples without one cannot be named. No row for what is unsure or contested.
 */
export const scoutFormat = defineLabelFormat({
  id: "scout", title: "Scout validation set", extension: "csv", carriesTrajectories: false,
  write({ samples }) {
    const all = [...samples.values()];
    const decided = all.filter(({ gold }) => gold.label !== null && settled.has(gold.status));
    const named = decided.filter(({ inspect }) => inspect?.uuid !== undefined && !inspect.uuid.includes(","));
    const open = all.filter(({ gold }) => gold.status === "contested" || gold.status === "undecided").length;
    const leftOut = [
      ...(open > 0 ? [`${open} samples whose gold is contested or undecided`] : []),
      ...(decided.length > named.length ? [`${decided.length - named.length} samples without a uuid of Inspect, which Scout knows transcripts by`] : []),
    ];
    return { text: csvText([columns, ...named.map(rowOf)]), leftOut };
  },
  read(text, { file, annotator, sha256 }) {
    const [header, ...rows] = csvRows(text);
    const problems: FileProblem[] = [];
    const records: { record: LabelRecord; line: number }[] = [];
    if (!header?.cells.includes("target")) return { records, problems: [{ file, line: 1, code: "no-header", message: "The first row names no column target; the file is not used." }] };
    for (const { cells, line } of rows) {
      const cell = (name: string): string => cells[header.cells.indexOf(name)] ?? "";
      const say = (message: string): void => void problems.push({ file, line, code: "bad-record", message: `The row is not used: ${message}.` });
      const label = /^(true|1)$/i.test(cell("target")) ? "misbehavior" : /^(false|0)$/i.test(cell("target")) ? "benign" : undefined;
      if (cell("sample_id") === "") say("it has no sample_id; only sets that Tracemark wrote name the sample");
      else if (label === undefined) say(`target: expected true or false, not ${cell("target").slice(0, 40)}`);
      else if (annotator === undefined) say("a validation set names nobody; say whose labels these are (--annotator)");
      else records.push({ line, record: { id: `scout-${sha256(JSON.stringify([annotator, cell("sample_id"), label, cell("decided_at")])).slice(0, 24)}`, sample_id: cell("sample_id"), annotator, created_at: cell("decided_at") || "1970-01-01T00:00:00Z", label, blind: false, seen: [] } });
    }
    return { records, problems };
  },
});

function rowOf({ id, inspect, gold, split, decidedAt }: ExportSample): string[] {
  return [inspect?.uuid ?? "", gold.label === "misbehavior" ? "true" : "false", split ?? "", id, gold.status, decidedAt ?? ""];
}
