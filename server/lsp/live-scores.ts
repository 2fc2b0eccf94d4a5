/** Miss rate and false alarm rate of the runs of open roots, kept up to date label by label: the numbers of `score` on the corrected gold. */
import { isDecision } from "#core/labels/gold";
import { LiveRates, type LiveCounts, type LiveRunRates } from "#core/labels/live-rates";
import { isStale, standingByAnnotator } from "#core/labels/standing";
import { isInBenchmark } from "#core/pairs/pair-status";
import { whyNoHeadline, whyNoHeadlineForAll } from "#core/scoring/live-headline";
import type { OverturnPolicy } from "#core/labels/gold";
import type { Sample } from "#core/workspace/manifest";
import type { RunFile } from "#core/workspace/run-file";
import type { VerdictRecord } from "#core/workspace/schemas";
import type { Workspace } from "#node/workspace";

/** Files may have changed under the numbers; whether they did is looked at again after this time. */
const checkMs = 15_000;

interface Kept {
  readonly samples: readonly Sample[];
  readonly runs: readonly RunFile[];
  readonly overturn: OverturnPolicy;
  /** Contents of samples of which a record or verdict names one. */
  readonly hashes: Map<string, string | undefined>;
  /** The very objects that the rates are made of. */
  readonly byId: ReadonlyMap<string, { contentSha256?: string | undefined }>;
  readonly live: LiveRates;
  readonly original: LiveRates;
  /** How many records each sample had when its gold was resolved. */
  readonly recordCounts: Map<string, number>;
  checkedAt: number;
}

export interface LiveScore {
  readonly run: RunFile;
  readonly rates: LiveRunRates;
  readonly original: LiveRunRates;
  readonly counts: LiveCounts;
  /** Why the corrected rates are no headline; undefined where they are. */
  readonly chosen?: string | undefined;
  /** Whether a sample is one of those that the rates are made of. */
  readonly isScored: (id: string) => boolean;
}

export class LiveScores {
  private readonly keptByRoot = new Map<string, Promise<Kept>>();

  /** The rates of a run, the newest where none is named; undefined where there is none. Labels and runs are taken as they were read last. */
  async score(workspace: Workspace, runId: string | undefined, now: number): Promise<LiveScore | undefined> {
    const at = runId === undefined ? workspace.runs.length - 1 : workspace.runs.findIndex(({ header }) => header.run_id === runId);
    const run = workspace.runs[at];
    if (!run) return undefined;
    const kept = await this.upToDate(workspace, now);
    const [rates, original] = [kept.live.rates()[at], kept.original.rates()[at]];
    return rates && original && { run, rates, original, counts: kept.live.counts, chosen: chosenBy(workspace, kept)(at), isScored: (id) => kept.byId.has(id) };
  }

  /** All runs, in their order, where their rates have been worked out before; reads nothing. */
  async known(workspace: Workspace): Promise<readonly LiveScore[] | undefined> {
    const kept = await this.keptByRoot.get(workspace.root)?.catch(() => undefined);
    if (!kept || !isFor(kept, workspace)) return undefined;
    await follow(workspace, kept);
    return scoresOf(workspace, kept);
  }

  /** The same without a look at any file: all records and verdicts are taken as made on the content that is there. */
  unread(workspace: Workspace): LiveScore[] {
    return scoresOf(workspace, makeOf(workspace, new Map(), 0));
  }

  private async upToDate(workspace: Workspace, now: number): Promise<Kept> {
    const before = await this.keptByRoot.get(workspace.root)?.catch(() => undefined);
    const isUsable = before !== undefined && isFor(before, workspace) && (now - before.checkedAt < checkMs || (await hasSameContent(workspace, before, now)));
    if (isUsable) {
      await follow(workspace, before);
      return before;
    }
    const making = make(workspace, now);
    this.keptByRoot.set(workspace.root, making);
    return making;
  }
}

function isFor(kept: Kept, { samples, runs, settings }: Workspace): boolean {
  return kept.samples === samples && kept.overturn === settings.overturn && kept.runs.length === runs.length && kept.runs.every((run, at) => run === runs[at]);
}

async function hasSameContent(workspace: Workspace, kept: Kept, now: number): Promise<boolean> {
  const hashes = await hashesOf(workspace);
  if (hashes.size !== kept.hashes.size || [...hashes].some(([id, hash]) => kept.hashes.get(id) !== hash)) return false;
  kept.checkedAt = now;
  return true;
}

/** The content of samples of which a record or verdict names one, as `score` reads it; from the cache while files are the same. */
async function hashesOf(workspace: Workspace): Promise<Map<string, string | undefined>> {
  const named = new Set(workspace.labels.all().flatMap(({ sample_id, content_sha256 }) => (content_sha256 === undefined ? [] : [sample_id])));
  for (const { verdicts } of workspace.runs) for (const { sample_id, content_sha256 } of verdicts) if (content_sha256 !== undefined) named.add(sample_id);
  const hashes = new Map<string, string | undefined>();
  for (const sample of workspace.samples) {
    if (!named.has(sample.id)) continue;
    hashes.set(sample.id, await workspace.trajectories.contentSha256(sample));
    // Reading is synchronous; others must get their turn.
    if (hashes.size % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return hashes;
}

async function make(workspace: Workspace, now: number): Promise<Kept> {
  return makeOf(workspace, await hashesOf(workspace), now);
}

function makeOf(workspace: Workspace, hashes: Map<string, string | undefined>, now: number): Kept {
  const { samples: all, runs, settings: { overturn } } = workspace;
  const samples = all.filter(isInBenchmark).map(({ id, label }) => ({ id, label, contentSha256: hashes.get(id) }));
  const verdicts = runs.map(({ header, verdicts: own }) => ({ runId: header.run_id, verdicts: own }));
  const recordsOf = (id: string) => workspace.labels.recordsOf(id);
  return {
    samples: all, runs, overturn, hashes, byId: new Map(samples.map((sample) => [sample.id, sample])), checkedAt: now, recordCounts: new Map(samples.map(({ id }) => [id, recordsOf(id).length])),
    live: new LiveRates({ samples, runs: verdicts, overturn, recordsOf }), original: new LiveRates({ samples, runs: verdicts, recordsOf: () => [] }),
  };
}

function scoresOf(workspace: Workspace, kept: Kept): LiveScore[] {
  const [live, original, { counts }, why] = [kept.live.rates(), kept.original.rates(), kept.live, chosenBy(workspace, kept)];
  return kept.runs.map((run, at): LiveScore => ({ run, rates: live[at]!, original: original[at]!, counts, chosen: why(at), isScored: (id) => kept.byId.has(id) }));
}

/** Takes in what was said since. The first record that names a content has its sample read; no verdict on it named one. */
async function follow(workspace: Workspace, { live, recordCounts, hashes, byId }: Kept): Promise<void> {
  for (const [id, count] of recordCounts) {
    const records = workspace.labels.recordsOf(id);
    if (records.length === count) continue;
    recordCounts.set(id, records.length);
    const known = byId.get(id);
    const found = workspace.sample(id);
    if (known && found && !hashes.has(id) && records.some(({ content_sha256 }) => content_sha256 !== undefined)) {
      hashes.set(id, (known.contentSha256 = await workspace.trajectories.contentSha256(found)));
    }
    live.update(id);
  }
}

/** Why the corrected rates of a run are no headline, for each; what people decided is looked up once for all runs. Of several draws of a run the first counts. */
function chosenBy(workspace: Workspace, { runs, samples, recordCounts, hashes }: Kept): (at: number) => string | undefined {
  const decisions = new Map([...recordCounts].filter(([, count]) => count > 0).map(([id]) => [
    id, [...standingByAnnotator(workspace.labels.recordsOf(id)).values()].filter((record) => isDecision(record) && !isStale(record, hashes.get(id))),
  ]));
  const allDecisions = [...decisions.values()].flat();
  const selectionOf = (run: RunFile) => ({
    runId: run.header.run_id, verdicts: firstDraws(run.verdicts).filter((verdict) => recordCounts.has(verdict.sample_id) && !isStale(verdict, hashes.get(verdict.sample_id))),
    labelOf: (id: string) => workspace.sample(id)?.label, decisionsOf: (id: string) => decisions.get(id) ?? [], allDecisions,
  });
  // Where every sample has an original label nothing of it can have been chosen.
  const isOpen = samples.some(({ label }) => label === undefined);
  const forAll = isOpen ? whyNoHeadlineForAll(runs.map(selectionOf)) : undefined;
  return (at) => whyNoHeadline(selectionOf(runs[at]!)) ?? forAll;
}

function firstDraws(verdicts: readonly VerdictRecord[]): readonly VerdictRecord[] {
  if (!verdicts.some(({ repeat }) => repeat)) return verdicts;
  const first = new Map<string, VerdictRecord>();
  for (const verdict of verdicts) {
    const known = first.get(verdict.sample_id);
    if (!known || (verdict.repeat ?? 0) < (known.repeat ?? 0)) first.set(verdict.sample_id, verdict);
  }
  return [...first.values()];
}
