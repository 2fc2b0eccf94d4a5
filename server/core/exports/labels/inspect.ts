/** Labels as edits of scores in Inspect logs: the arguments of its `edit_score`, one call a line. */
import { instantOf } from "#core/labels/instant";
import { standingByAnnotator } from "#core/labels/standing";
import * as z from "zod/mini";
import { describeIssues, type FileProblem } from "#core/workspace/file-problem";
import { readJsonLines } from "#core/workspace/json-lines";
import { LabelRecord } from "#core/workspace/schemas";
import { defineLabelFormat, type ExportSample } from "./define";

const EditLine = z.looseObject({ sample_id: z.union([z.string(), z.number()]), edit: z.looseObject({ metadata: z.looseObject({ tracemark: z.unknown() }) }) });

/**
 * A line is `{log, sample_id, epoch, uuid, score_name, edit}`; `edit` is a ScoreEdit with value, explanation, metadata and
 * provenance. Each annotator has a score of their own, so that nobody's label replaces another's. What stands is exported: no
 * drafts, no retractions, and of changed labels the last.
 */
export const inspectFormat = defineLabelFormat({
  id: "inspect", title: "Inspect score edits", extension: "jsonl", carriesTrajectories: false,
  write({ records, samples }) {
    const bySample = new Map<string, LabelRecord[]>();
    for (const { record } of records) bySample.set(record.sample_id, [...(bySample.get(record.sample_id) ?? []), record]);
    const lines: string[] = [];
    let elsewhere = 0;
    for (const [id, own] of bySample) {
      const sample = samples.get(id);
      const standing = [...standingByAnnotator(own).values()].filter((record) => record.retracted !== true && record.label !== null);
      if (sample?.inspect) for (const record of standing) lines.push(`${JSON.stringify(editOf(sample, record))}\n`);
      else if (standing.length > 0) elsewhere++;
    }
    return { text: lines.join(""), leftOut: elsewhere > 0 ? [`${elsewhere} samples that are not of an Inspect log`] : [] };
  },
  read(text, { file }) {
    const { lines, problems: bad } = readJsonLines(text, EditLine, file);
    const problems: FileProblem[] = [...bad];
    const records: { record: LabelRecord; line: number }[] = [];
    for (const { value, line } of lines) {
      const inside = value.edit.metadata.tracemark;
      const parsed = LabelRecord.safeParse(inside);
      if (parsed.success) records.push({ record: parsed.data, line });
      else problems.push({ file, line, code: "bad-record", message: `The edit is not used: ${describeIssues(parsed.error.issues, inside)}.` });
    }
    return { records, problems };
  },
});

function editOf({ file, inspect }: ExportSample, record: LabelRecord): Record<string, unknown> {
  const time = instantOf(record.created_at);
  return {
    log: file, sample_id: inspect?.id, epoch: inspect?.epoch, ...(inspect?.uuid === undefined ? {} : { uuid: inspect.uuid }),
    score_name: `tracemark_${record.annotator}`,
    edit: {
      value: record.label, answer: "UNCHANGED",
      explanation: record.note ?? (record.categories?.length ? record.categories.join(", ") : "UNCHANGED"),
      metadata: { tracemark: record },
      provenance: {
        timestamp: new Date(time ?? 0).toISOString(), author: record.annotator,
        reason: record.adjudicates ? "adjudication" : "label", metadata: { record_id: record.id },
      },
    },
  };
}
