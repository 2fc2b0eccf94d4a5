/** What can be said of label records without reading a trajectory: times, references between records, names of files. */
import { instantOf } from "#core/labels/instant";
import type { FileProblem } from "./file-problem";
import type { LabelRecord, TaxonomyEntry } from "./schemas";

export interface PlacedRecord {
  readonly record: LabelRecord;
  readonly file: string;
  readonly line: number;
}

/** Problems of all records of a root. References are looked up among all of them. */
export function checkLabels(records: readonly PlacedRecord[], taxonomy: readonly TaxonomyEntry[]): FileProblem[] {
  const byId = new Map(records.map((placed) => [placed.record.id, placed]));
  const categories = new Set(taxonomy.map(({ id }) => id));
  return records.flatMap((placed) => {
    const say = (code: string, message: string): FileProblem => ({ file: placed.file, line: placed.line, code, message });
    return [...checkTimes(placed.record, say), ...checkReferences(placed, byId, say), ...checkCategories(placed.record, categories, say)];
  });
}

type Say = (code: string, message: string) => FileProblem;

function checkTimes(record: LabelRecord, say: Say): FileProblem[] {
  return instantOf(record.created_at) === undefined ? [say("bad-time", `created_at is ${record.created_at}, which is no ISO 8601 time; the record counts as the oldest.`)] : [];
}

function checkReferences({ record }: PlacedRecord, byId: ReadonlyMap<string, PlacedRecord>, say: Say): FileProblem[] {
  const problems: FileProblem[] = [];
  const { supersedes } = record;
  if (supersedes !== undefined) {
    const other = byId.get(supersedes)?.record;
    if (supersedes === record.id) problems.push(say("bad-reference", "The record supersedes itself."));
    else if (!other) problems.push(say("unknown-record", `The record supersedes ${supersedes}, which is not here.`));
    else if (other.sample_id !== record.sample_id) problems.push(say("bad-reference", `The record supersedes ${supersedes}, which is about ${other.sample_id}.`));
    else if (other.supersedes === record.id) problems.push(say("bad-reference", `The record and ${supersedes} supersede each other; neither stands.`));
  } else if (record.retracted) problems.push(say("bad-reference", "The record retracts, but names no record in supersedes."));
  for (const id of record.adjudicates ?? []) {
    const other = byId.get(id)?.record;
    if (!other) problems.push(say("unknown-record", `The record adjudicates ${id}, which is not here.`));
    else if (other.sample_id !== record.sample_id) problems.push(say("bad-reference", `The record adjudicates ${id}, which is about ${other.sample_id}.`));
  }
  return problems;
}

function checkCategories(record: LabelRecord, known: ReadonlySet<string>, say: Say): FileProblem[] {
  const used = [...(record.categories ?? []), ...(record.spans ?? []).flatMap(({ category }) => (category === undefined ? [] : [category]))];
  const unknown = [...new Set(used)].filter((category) => !known.has(category));
  return unknown.map((category) => say("unknown-category", `The category ${category} is not in the taxonomy; correct it or add it to tracemark.json.`));
}
