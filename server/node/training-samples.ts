/** The samples of a workspace that something may be learned from, one after the other, with what was left out and why. */
import { resolveGold, type Gold } from "#core/labels/gold";
import { seededRandom, shuffled } from "#core/labels/seeded-random";
import { isInBenchmark } from "#core/pairs/pair-status";
import { inSlices } from "#core/training/slices";
import { heldForTest, heldWords } from "#core/training/held-for-test";
import type { GoldLabel, Trajectory } from "#core/trajectory/model";
import type { Sample } from "#core/workspace/manifest";
import type { LabelRecord } from "#core/workspace/schemas";
import { ExpectedFailure } from "./expected-failure";
import type { Workspace } from "./workspace";

export interface TrainingSample {
  readonly sample: Sample;
  readonly trajectory: Trajectory;
  readonly contentSha256: string;
  readonly label: GoldLabel;
  readonly gold: Gold;
  readonly records: readonly LabelRecord[];
}

export interface TrainingFilter {
  /** `category/task`, categories, tasks; undefined: all. */
  readonly slices?: readonly string[] | undefined;
  /** Splits to learn from; `none` stands for samples without one. Undefined: all but test. */
  readonly splits?: readonly string[] | undefined;
  /** At most so many, drawn by `seed` whatever their order. */
  readonly limit?: number | undefined;
  readonly seed?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Samples that were left out, by reason in words. */
export class LeftOut {
  private readonly counts = new Map<string, number>();

  add(reason: string, count = 1): void {
    this.counts.set(reason, (this.counts.get(reason) ?? 0) + count);
  }

  list(): { reason: string; count: number }[] {
    return [...this.counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([reason, count]) => ({ reason, count }));
  }
}

/** Refuses what would learn from the test split. */
export function requireNoTest(splits: readonly string[] | undefined): void {
  if (splits?.includes("test")) throw new ExpectedFailure("the test split is for testing alone", "leave it out of --split; nothing is learned from it, its pairs or its groups");
}

/**
 * Reads the samples that may be used, file by file, one at a time: nothing of the test split, of its pairs and groups, and no
 * copy of it. `left` is told of each that is left out. Rejects on abort, and with an `ExpectedFailure` where `splits` names test.
 */
export async function* trainingSamples(workspace: Workspace, filter: TrainingFilter, left: LeftOut): AsyncGenerator<TrainingSample> {
  requireNoTest(filter.splits);
  const held = heldForTest(workspace.samples);
  const usable: Sample[] = [];
  for (const sample of workspace.samples) {
    const reason = held.get(sample.id);
    if (!inSlices(sample, filter.slices)) left.add("of another slice");
    else if (reason !== undefined) left.add(heldWords[reason]);
    else if (filter.splits && !filter.splits.includes(sample.split ?? "none")) left.add("of another split");
    else if (!isInBenchmark(sample)) left.add(`not accepted (${(sample.status ?? "").replace("_", " ")})`);
    else usable.push(sample);
  }
  const wanted = drawn(usable, filter, left);
  // Copies of the pair and group of a test sample tell of it as these do themselves.
  const withheld = workspace.samples.filter(({ id }) => held.has(id));
  const total = wanted.length + withheld.length;
  const contents = await contentsOf(workspace, withheld, filter, total);
  for (const [done, sample] of byFile(wanted).entries()) {
    filter.signal?.throwIfAborted();
    filter.onProgress?.(withheld.length + done, total);
    // Reading is synchronous; a signal must get its turn.
    if (done % 50 === 49) await new Promise((resolve) => setImmediate(resolve));
    const read = await workspace.trajectories.read(sample).catch((error: unknown) => {
      if (!(error instanceof ExpectedFailure)) throw error;
      return undefined;
    });
    if (!read) left.add("not readable");
    else if (read.trajectory.steps.length === 0) left.add("without steps");
    else if (contents.has(read.contentSha256)) left.add("a copy of a test sample");
    else {
      const records = workspace.labels.recordsOf(sample.id);
      const gold = resolveGold({ records, original: sample.label, contentSha256: read.contentSha256, overturn: workspace.settings.overturn });
      if (gold.label === null) left.add(gold.status === "unlabelled" ? "without a label" : gold.status);
      else yield { sample, trajectory: read.trajectory, contentSha256: read.contentSha256, label: gold.label, gold, records };
    }
  }
  filter.onProgress?.(total, total);
}

function drawn(samples: readonly Sample[], { limit, seed = 1 }: TrainingFilter, left: LeftOut): readonly Sample[] {
  if (limit === undefined || samples.length <= limit) return samples;
  left.add("beyond --limit", samples.length - limit);
  const sorted = [...samples].sort((a, b) => (a.id < b.id ? -1 : 1));
  return shuffled(sorted, seededRandom(seed, "training samples")).slice(0, limit);
}

async function contentsOf(workspace: Workspace, samples: readonly Sample[], filter: TrainingFilter, total: number): Promise<Set<string>> {
  const contents = new Set<string>();
  for (const [done, sample] of byFile(samples).entries()) {
    filter.signal?.throwIfAborted();
    filter.onProgress?.(done, total);
    const hash = await workspace.trajectories.contentSha256(sample);
    if (hash !== undefined) contents.add(hash);
    if (done % 50 === 49) await new Promise((resolve) => setImmediate(resolve));
  }
  return contents;
}

/** Sorted by file, so that each is opened once; otherwise in the order of the workspace. */
function byFile(samples: readonly Sample[]): Sample[] {
  return [...samples].sort((a, b) => (a.source.file < b.source.file ? -1 : a.source.file > b.source.file ? 1 : 0));
}
