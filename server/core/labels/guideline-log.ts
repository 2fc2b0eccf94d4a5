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
  /** Versions between the two that labels were given under, since nobody marked the edits that led to them. */
  covers: z.optional(z.array(z.string())),
});
export type GuidelineChange = z.infer<typeof GuidelineChange>;

/** The log's path, given that of the guidelines: `guidelines.md` has `guidelines.changes.jsonl`. */
export function guidelineLogPath(guidelines: string): string {
  return `${guidelines.replace(/\.(md|markdown)$/i, "")}.changes.jsonl`;
}

/** Whether the last edit has not been marked yet: labels stand under another version, and the log does not lead to this one. */
export function isUnmarked(log: readonly GuidelineChange[], current: string, labelledUnder: Iterable<string>): boolean {
  if (log.at(-1)?.sha256 === current) return false;
  for (const sha256 of labelledUnder) if (sha256 !== current) return true;
  return false;
}

/** The versions that labels were given under and that a mark made now speaks for too: the log knows none of them. */
export function versionsCovered(log: readonly GuidelineChange[], current: string, labelledUnder: Iterable<string>): string[] {
  const known = new Set(log.flatMap(({ sha256, previous, covers = [] }) => [sha256, ...(previous === undefined ? [] : [previous]), ...covers]));
  return [...new Set(labelledUnder)].filter((sha256) => sha256 !== current && !known.has(sha256)).sort();
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
  const left = log.findIndex((change) => change.previous === sha256 || change.covers?.includes(sha256));
  return left >= 0 ? log.slice(left) : [];
}

function concerns({ categories: named = [] }: LabelRecord, changed: readonly string[] | undefined): boolean {
  return changed === undefined || named.length === 0 || named.some((category) => changed.includes(category));
}
