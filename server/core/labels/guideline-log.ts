/** How the guidelines changed: which edits changed their meaning, and which labels were given before such an edit. */
import * as z from "zod/mini";
import type { LabelRecord } from "#core/workspace/schemas";
import { isDecision } from "./gold";
import { standingByAnnotator } from "./standing";

/** A line of the log that stands beside the guidelines (`NAME.changes.jsonl`), oldest first. */
export const GuidelineChange = z.looseObject({
  /** The hash that labels carry from this edit on, and the one before it. */
  sha256: z.string(), previous: z.optional(z.string()),
  change: z.enum(["minor", "meaning"]),
  /** Categories whose sections changed; left out, all are meant. */
  categories: z.optional(z.array(z.string())),
  by: z.string(), at: z.string(), note: z.optional(z.string()),
});
export type GuidelineChange = z.infer<typeof GuidelineChange>;

/** The log's path, given that of the guidelines: `guidelines.md` has `guidelines.changes.jsonl`. */
export function guidelineLogPath(guidelines: string): string {
  return `${guidelines.replace(/\.(md|markdown)$/i, "")}.changes.jsonl`;
}

/** Whether an edit has not been marked yet: the current hash is neither in the log nor where the log begins. */
export function isUnmarked(log: readonly GuidelineChange[], current: string, labelledUnder: Iterable<string>): boolean {
  const known = new Set(log.flatMap(({ sha256, previous }) => (previous === undefined ? [sha256] : [sha256, previous])));
  if (known.has(current)) return false;
  for (const sha256 of labelledUnder) if (sha256 !== current) return true;
  return false;
}

/** A label that an edit of the guidelines asks to be given again. It goes on counting until it is. */
export interface JudgeAgain {
  readonly sampleId: string;
  readonly annotator: string;
  readonly record: LabelRecord;
  /** The edits since that changed the meaning for this label. */
  readonly changes: readonly GuidelineChange[];
}

/**
 * Standing decisions that were given under guidelines before an edit that changed the meaning: of all categories, or of one
 * that the label names; a label that names none is meant by every edit. Labels under a version that the log does not know, or
 * without one, are left alone: nothing can be said of them.
 */
export function judgeAgain(records: readonly LabelRecord[], log: readonly GuidelineChange[]): JudgeAgain[] {
  const bySample = new Map<string, LabelRecord[]>();
  for (const record of records) {
    const own = bySample.get(record.sample_id);
    if (own) own.push(record);
    else bySample.set(record.sample_id, [record]);
  }
  return [...bySample].flatMap(([sampleId, own]) => [...standingByAnnotator(own)].flatMap(([annotator, record]): JudgeAgain[] => {
    if (!isDecision(record) || record.guideline_sha256 === undefined) return [];
    const changes = changesSince(log, record.guideline_sha256).filter(({ change, categories }) => change === "meaning" && concerns(record, categories));
    return changes.length > 0 ? [{ sampleId, annotator, record, changes }] : [];
  }));
}

/** The edits after the last one that led to this version; those after one that left it, where the log begins behind it. */
function changesSince(log: readonly GuidelineChange[], sha256: string): readonly GuidelineChange[] {
  const reached = log.findLastIndex((change) => change.sha256 === sha256);
  if (reached >= 0) return log.slice(reached + 1);
  const left = log.findIndex((change) => change.previous === sha256);
  return left >= 0 ? log.slice(left) : [];
}

function concerns({ categories: named = [] }: LabelRecord, changed: readonly string[] | undefined): boolean {
  return changed === undefined || named.length === 0 || named.some((category) => changed.includes(category));
}
