/** Which of an annotator's records on a sample stands, by the rule of the label files: newest, not superseded, retractions included. */
import type { LabelRecord } from "#core/workspace/schemas";
import { compareByTime } from "./instant";

/** Ids of the records that some other record names in `supersedes`. */
export function supersededIds(records: readonly LabelRecord[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const record of records) {
    if (record.supersedes !== undefined && record.supersedes !== record.id) ids.add(record.supersedes);
  }
  return ids;
}

/** The newest record of `candidates` that is not in `superseded`; undefined when there is none. May be a retraction. */
export function newestStanding(candidates: readonly LabelRecord[], superseded: ReadonlySet<string>): LabelRecord | undefined {
  let newest: LabelRecord | undefined;
  for (const record of candidates) {
    if (superseded.has(record.id)) continue;
    if (!newest || compareByTime(record, newest) > 0) newest = record;
  }
  return newest;
}

/** Whether a record measures its annotator (a plan's repeat or known item) and so says nothing of the sample. */
export function isCheck(record: { check?: LabelRecord["check"] }): boolean {
  return record.check !== undefined;
}

/**
 * The standing record of each annotator, given all records of one sample. A standing retraction is returned as it is:
 * it means *no label*, and whatever it took back does not come alive again. Checks never stand.
 */
export function standingByAnnotator(records: readonly LabelRecord[]): ReadonlyMap<string, LabelRecord> {
  const superseded = supersededIds(records);
  const standing = new Map<string, LabelRecord>();
  for (const [annotator, own] of byAnnotator(records)) {
    const record = newestStanding(own.filter((one) => !isCheck(one)), superseded);
    if (record) standing.set(annotator, record);
  }
  return standing;
}

/** Groups records by the annotator named in them, in order of first appearance. */
export function byAnnotator(records: readonly LabelRecord[]): ReadonlyMap<string, readonly LabelRecord[]> {
  const groups = new Map<string, LabelRecord[]>();
  for (const record of records) {
    const own = groups.get(record.annotator);
    if (own) own.push(record);
    else groups.set(record.annotator, [record]);
  }
  return groups;
}

/** Whether a record was made on other content than the sample has now. Unknown on either side is not stale. */
export function isStale(record: { content_sha256?: string | undefined }, currentSha256: string | undefined): boolean {
  return record.content_sha256 !== undefined && currentSha256 !== undefined && record.content_sha256 !== currentSha256;
}
