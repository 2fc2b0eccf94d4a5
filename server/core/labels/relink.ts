/** Labels of logs that were moved or renamed: found again by their content, and repeated under the new id. */
import type { LabelRecord } from "#core/workspace/schemas";
import { compareByTime } from "./instant";

/** All records of a sample that is gone fit the content of one that is there. */
export interface RelinkOffer {
  readonly from: string;
  readonly to: string;
  /** Oldest first. */
  readonly records: readonly LabelRecord[];
}

/**
 * What can be offered for re-linking. `isKnown` tells ids that are there, `idsOf` the ids of the samples with a content hash.
 * A sample is offered when its records, as far as they name a content, fit exactly one sample, and the same one. Records that
 * were repeated before are not offered again.
 */
export function relinkOffers(records: readonly LabelRecord[], isKnown: (id: string) => boolean, idsOf: (contentSha256: string) => readonly string[]): RelinkOffer[] {
  const done = new Set(records.flatMap(({ relinked_from }) => (relinked_from ? [relinked_from.id] : [])));
  const lost = new Map<string, LabelRecord[]>();
  for (const record of records) {
    if (isKnown(record.sample_id) || done.has(record.id)) continue;
    const own = lost.get(record.sample_id);
    if (own) own.push(record);
    else lost.set(record.sample_id, [record]);
  }
  return [...lost].flatMap(([from, own]): RelinkOffer[] => {
    const targets = new Set(own.flatMap(({ content_sha256 }) => {
      const ids = content_sha256 === undefined ? [] : idsOf(content_sha256);
      return ids.length === 1 ? ids : [];
    }));
    const [to] = targets;
    return targets.size === 1 && to !== undefined ? [{ from, to, records: [...own].sort(compareByTime) }] : [];
  });
}

/**
 * The records under their new id, with their times and authors; what they name among themselves is renamed with them. `nextId`
 * gives new record ids.
 */
export function relinkedRecords({ to, records }: RelinkOffer, nextId: () => string): LabelRecord[] {
  const newIds = new Map(records.map(({ id }) => [id, nextId()]));
  const renamed = (id: string): string => newIds.get(id) ?? id;
  return records.map((record): LabelRecord => ({
    ...record, id: renamed(record.id), sample_id: to,
    ...(record.supersedes === undefined ? {} : { supersedes: renamed(record.supersedes) }),
    ...(record.adjudicates === undefined ? {} : { adjudicates: record.adjudicates.map(renamed) }),
    relinked_from: { id: record.id, sample_id: record.sample_id },
  }));
}
