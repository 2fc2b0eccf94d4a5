/** Finds the new ids of labelled logs that were moved, and repeats their labels there. */
import { relinkedRecords, relinkOffers, type RelinkOffer } from "#core/labels/relink";
import type { AppendOutcome } from "./store/label-store";
import { systemIds } from "./store/system-ids";
import type { Workspace } from "./workspace";

/** Offers for the labels of samples that are gone. Reads every sample when there is any such label, else none. */
export async function findRelinks(workspace: Workspace, onProgress?: (done: number, total: number) => void): Promise<RelinkOffer[]> {
  const records = workspace.labels.all();
  const isKnown = (id: string): boolean => workspace.sample(id) !== undefined;
  if (records.every(({ sample_id }) => isKnown(sample_id))) return [];
  const ids = new Map<string, string[]>();
  for (const [done, sample] of workspace.samples.entries()) {
    onProgress?.(done, workspace.samples.length);
    const hash = await workspace.trajectories.contentSha256(sample);
    if (hash !== undefined) ids.set(hash, [...(ids.get(hash) ?? []), sample.id]);
  }
  return relinkOffers(records, isKnown, (sha256) => ids.get(sha256) ?? []);
}

/** Repeats the labels of an offer under the new id, each in its annotator's file. Resolves when all are on disk. */
export function relink(workspace: Workspace, offer: RelinkOffer): Promise<readonly AppendOutcome[]> {
  const ids = systemIds();
  return workspace.labels.appendAll(relinkedRecords(offer, () => ids.next()).map((record) => ({ record })));
}
