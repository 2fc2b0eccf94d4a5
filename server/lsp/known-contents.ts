/** The contents of samples that somebody labelled, known without holding a list up: what takes longer is read behind it. */
import type { Sample } from "#core/workspace/manifest";
import type { LabelStore } from "#node/store/label-store";
import type { Workspace } from "#node/workspace";
import { labelChanges } from "./label-changes";

/** A list waits this long for contents that are not known yet; most of the time files were read before and this is plenty. */
const patienceMs = 250;
/** Files may have changed since; whether they did is looked at again after this time. */
const checkMs = 3_000;
/** Looking again takes at most one part in so many of the time, however many files there are. */
const restFactor = 20;
/** Reading is synchronous; others get their turn after so many samples. */
const atOnce = 20;

interface Kept {
  readonly hashes: Map<string, string | undefined>;
  /** Goes up whenever a content is found to be another. */
  version: number;
  samples: readonly Sample[];
  labels: LabelStore;
  /** Labels as they were when it was seen which samples they name a content of. */
  labelsSeen: number;
  /** Milliseconds, as `now` of the question after which was looked; and how long that took. */
  checkedAt: number;
  tookMs: number;
  work: Work | undefined;
}

interface Work {
  /** Samples that were never read come first; there are so many of them. */
  readonly unread: number;
  done: number;
  readonly ended: Promise<void>;
}

export interface Contents {
  /** `content_sha256` by sample id, for samples of which a label names one; undefined where the sample cannot be read. */
  readonly hashes: ReadonlyMap<string, string | undefined>;
  readonly version: number;
  /** Samples read for the first time so far, of how many; undefined when all are known. */
  readonly reading: { readonly done: number; readonly total: number } | undefined;
}

export class KnownContents {
  private readonly keptByRoot = new Map<string, Kept>();

  /** What is known after a short while, or with `isPatient` when all is. Labels are taken as they were read last. `now` in milliseconds. */
  async of(workspace: Workspace, now: number, isPatient = false): Promise<Contents> {
    const kept = this.keptOf(workspace);
    const count = labelChanges(workspace.labels);
    const isOld = kept.samples !== workspace.samples || kept.labels !== workspace.labels || now - kept.checkedAt >= Math.max(checkMs, restFactor * kept.tookMs);
    if (!kept.work && (isOld || kept.labelsSeen !== count)) {
      Object.assign(kept, { samples: workspace.samples, labels: workspace.labels, labelsSeen: count, ...(isOld ? { checkedAt: now } : {}) });
      kept.work = begin(workspace, kept, isOld);
    }
    if (kept.work) await (isPatient ? kept.work.ended : Promise.race([kept.work.ended, pause(patienceMs)]));
    const { work } = kept;
    return { hashes: kept.hashes, version: kept.version, reading: work && work.done < work.unread ? { done: work.done, total: work.unread } : undefined };
  }

  /** A file of the root is known to have changed: the next question looks again. */
  lookAgain(root: string): void {
    const kept = this.keptByRoot.get(root);
    if (kept) kept.checkedAt = -Infinity;
  }

  private keptOf({ root, samples, labels }: Workspace): Kept {
    let kept = this.keptByRoot.get(root);
    if (!kept) {
      kept = { hashes: new Map(), version: 0, samples, labels, labelsSeen: -1, checkedAt: -Infinity, tookMs: 0, work: undefined };
      this.keptByRoot.set(root, kept);
    }
    return kept;
  }
}

/** Samples of which a label names the content, those not read yet first; `isAgain` looks at the others again. Undefined when there are none. */
function begin(workspace: Workspace, kept: Kept, isAgain: boolean): Work | undefined {
  const named = new Set(workspace.labels.all().flatMap(({ sample_id, content_sha256 }) => (content_sha256 === undefined ? [] : [sample_id])));
  const unread = [...named].filter((id) => !kept.hashes.has(id));
  const ids = isAgain ? [...unread, ...[...named].filter((id) => kept.hashes.has(id))] : unread;
  if (ids.length === 0) return undefined;
  const run = async (): Promise<void> => {
    // The list that asked is not kept waiting for the first of them.
    await Promise.resolve();
    const began = performance.now();
    for (const [at, id] of ids.entries()) {
      const sample = workspace.sample(id);
      const hash = sample && (await workspace.trajectories.contentSha256(sample));
      if (!kept.hashes.has(id) || kept.hashes.get(id) !== hash) kept.version++;
      kept.hashes.set(id, hash);
      work.done = at + 1;
      if (work.done % atOnce === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    if (unread.length === 0) kept.tookMs = performance.now() - began;
  };
  const work: Work = { unread: unread.length, done: 0, ended: run().finally(() => (kept.work = undefined)) };
  work.ended.catch(() => undefined);
  return work;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
