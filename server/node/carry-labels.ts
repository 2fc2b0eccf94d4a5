/** Labels of logs that were made anew: carried over to them in new records, spans and all but, unless asked for, the decision. */
import { carryRecord, type CarriedLabel } from "#core/labels/carry-over";
import { isStale, standingByAnnotator } from "#core/labels/standing";
import type { Step } from "#core/trajectory/model";
import type { Sample } from "#core/workspace/manifest";
import type { LabelRecord } from "#core/workspace/schemas";
import type { Workspace } from "./workspace";

export interface CarryOffer {
  readonly record: LabelRecord;
  /** The content that the log has now. */
  readonly contentSha256: string;
  readonly carried: CarriedLabel;
}

export interface CarryWish {
  /** Whose labels: nobody's but one's own are repeated. */
  readonly annotator: string;
  /** Former versions of logs by their content hash. */
  readonly before?: ReadonlyMap<string, readonly Step[]> | undefined;
  readonly onProgress?: (done: number, total: number) => void;
}

/** The annotator's standing records that were made on other content than their sample has now. Reads the samples that have any. */
export async function findCarries(workspace: Workspace, { annotator, before, onProgress }: CarryWish): Promise<CarryOffer[]> {
  const labelled = workspace.samples.flatMap((sample) => {
    const record = standingByAnnotator(workspace.labels.recordsOf(sample.id)).get(annotator);
    return record && record.retracted !== true && record.content_sha256 !== undefined ? [{ sample, record }] : [];
  });
  const offers: CarryOffer[] = [];
  for (const [done, { sample, record }] of labelled.entries()) {
    onProgress?.(done, labelled.length);
    const contentSha256 = await workspace.trajectories.contentSha256(sample);
    if (contentSha256 === undefined || !isStale(record, contentSha256)) continue;
    const steps = await stepsOf(workspace, sample);
    if (steps) offers.push({ record, contentSha256, carried: carryRecord(record, steps, before?.get(record.content_sha256 ?? "")) });
  }
  return offers;
}

async function stepsOf(workspace: Workspace, sample: Sample): Promise<readonly Step[] | undefined> {
  return (await workspace.trajectories.read(sample)).trajectory?.steps;
}

/** The new record of an offer, in its author's name. Without `keepLabel` it holds no decision. */
export function carriedRecord({ record, contentSha256, carried }: CarryOffer, stamp: Pick<LabelRecord, "id" | "created_at">, keepLabel: boolean): LabelRecord {
  const { guideline_sha256, fields, plan_id, adjudicates } = record;
  const label = keepLabel ? carried.label : null;
  return {
    ...stamp, sample_id: record.sample_id, content_sha256: contentSha256, annotator: record.annotator, label,
    ...(carried.categories.length > 0 ? { categories: [...carried.categories] } : {}), ...(carried.spans.length > 0 ? { spans: [...carried.spans] } : {}),
    ...(carried.note === "" ? {} : { note: carried.note }), ...(fields === undefined ? {} : { fields }),
    blind: record.blind, seen: record.seen, action: "relabel", supersedes: record.id,
    ...(plan_id === undefined ? {} : { plan_id }), ...(adjudicates === undefined ? {} : { adjudicates }),
    ...(label === null || guideline_sha256 === undefined ? {} : { guideline_sha256 }),
    ...(carried.orphaned.length > 0 ? { orphaned_spans: [...carried.orphaned] } : {}),
  };
}
