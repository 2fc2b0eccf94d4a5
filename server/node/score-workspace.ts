/** Scores a workspace: gathers what the pure score needs, reading trajectories only where a record has to be checked against one. */
import { matchQuote } from "#core/evidence/match-quote";
import { isInBenchmark } from "#core/pairs/pair-status";
import type { EvidenceCounts, ScoreReport } from "#core/scoring/report";
import { score } from "#core/scoring/score";
import type { ScoreInput, ScoreOptions, ScoreRun, ScoreSample } from "#core/scoring/score-input";
import { triedBefore } from "#core/scoring/tried-before";
import { countOverturned } from "#core/scoring/scored-samples";
import type { Trajectory } from "#core/trajectory/model";
import { askedSamples } from "#core/workspace/asked-samples";
import type { Sample } from "#core/workspace/manifest";
import type { RunFile } from "#core/workspace/run-file";
import type { LabelRecord, VerdictRecord } from "#core/workspace/schemas";
import type { LockedRecords } from "./lock";
import { filterOf } from "./run-plan";
import { selectSamples } from "./select-samples";
import { sha256 } from "./sha256";
import type { Workspace } from "./workspace";

export interface ScoreWorkspaceOptions {
  /** Ids of the runs to score; default all. The others still tell how people chose what they judged. */
  readonly runs?: readonly string[] | undefined;
  /**
   * `check` reads the files of samples whose labels or verdicts name a `content_sha256`, to tell what is stale; `trust` reads
   * none and takes every record as made on the content that is there.
   */
  readonly content?: "check" | "trust" | undefined;
  /** Whether the quotes of verdicts are looked for. Needs their trajectories. */
  readonly evidence?: boolean | undefined;
  readonly split?: string | undefined;
  /** Labels, runs and plans in place of those that are in the workspace now. */
  readonly asOf?: LockedRecords | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Samples read, of how many. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** How quotes were found, by content and quote, so that scoring again after one label is quick. Keep it as long as the workspace. */
export type EvidenceCache = Map<string, EvidenceCounts>;

/** Everything `score` needs from a workspace. Rejects only on abort; samples that cannot be read are told in `unread`. */
export async function scoreInput(workspace: Workspace, options: ScoreWorkspaceOptions = {}, cache: EvidenceCache = new Map()): Promise<{ input: ScoreInput; unread: string[] }> {
  const { labels, runs: all, plans } = options.asOf ?? { labels: workspace.labels.all(), runs: workspace.runs, plans: workspace.plans };
  const runs = options.runs ? all.filter(({ header }) => options.runs?.includes(header.run_id)) : all;
  // Where nobody judged anything, no run chose it.
  const unscored = labels.length === 0 ? [] : all.filter((run) => !runs.includes(run));
  const scored = workspace.samples.filter(isInBenchmark);
  const within = scored.filter(({ split }) => options.split === undefined || split === options.split);
  const wanted = samplesToRead(labels, within, runs, unscored, options);
  const hashes = new Map<string, string>();
  const evidence = new Map<string, EvidenceCounts>();
  const unread: string[] = [];
  for (const [done, { sample, quoting }] of wanted.entries()) {
    options.signal?.throwIfAborted();
    options.onProgress?.(done, wanted.length);
    const hash = await workspace.trajectories.contentSha256(sample);
    if (hash === undefined) unread.push(sample.id);
    else {
      hashes.set(sample.id, hash);
      await locateAll(workspace, sample, hash, quoting, cache, evidence);
    }
    // Reading is synchronous; others must get their turn.
    if (done % 20 === 19) await new Promise((resolve) => setImmediate(resolve));
  }
  options.onProgress?.(wanted.length, wanted.length);
  // All runs count, whichever are asked for.
  const tried = triedBefore(all, (id) => workspace.sample(id)?.split === "test");
  const input: ScoreInput = {
    samples: scored.map((sample): ScoreSample => ({
      id: sample.id, label: sample.label, category: sample.category, task: sample.task, group: sample.group, split: sample.split,
      source: sample.manifest?.record.source, pairId: sample.pairId,
      contentSha256: options.content === "trust" ? undefined : hashes.get(sample.id),
    })),
    ...leftOutOf(workspace.samples),
    labels,
    runs: await scoreRuns(workspace, runs, tried),
    ...(unscored.length === 0 ? {} : { unscored: unscored.map(unscoredRun) }),
    overturn: workspace.settings.overturn,
    plans,
    // Where none was looked for, millions of keys need not be made.
    ...(evidence.size === 0 ? {} : { evidence: (runId: string, verdict: VerdictRecord) => evidence.get(evidenceKey(runId, verdict)) }),
  };
  return { input, unread };
}

function leftOutOf(samples: readonly Sample[]): Pick<ScoreInput, "leftOut"> {
  const leftOut = samples.flatMap(({ id, status, split }) => (isInBenchmark({ status }) ? [] : [{ id, status: status ?? "", split }]));
  return leftOut.length === 0 ? {} : { leftOut };
}

/** One after the other, and with verdicts that are made when they are asked for: of many runs they do not fit together. */
async function scoreRuns(workspace: Workspace, runs: readonly RunFile[], tried: ReadonlyMap<string, number>): Promise<ScoreRun[]> {
  const found: ScoreRun[] = [];
  for (const run of runs) {
    const asked = await askedOf(workspace, run);
    found.push({ header: run.header, asked, columns: run.columns, triedBefore: tried.get(run.header.run_id), get verdicts() { return run.verdicts; } });
  }
  return found;
}

/** Nobody asks what it is missing. */
function unscoredRun(run: RunFile): ScoreRun {
  return { header: run.header, asked: new Set(), columns: run.columns, get verdicts() { return run.verdicts; } };
}

async function askedOf(workspace: Workspace, run: RunFile): Promise<ScoreRun["asked"]> {
  const { header } = run;
  if (!header.samples) return "all";
  const answered = run.verdicts.map(({ sample_id }) => sample_id);
  const asked = askedSamples(header, workspace.samples, answered, sha256);
  if (asked !== "unknown" || header.samples["patterns"] === undefined) return asked;
  // Paths in a filter were given from some folder; ids and paths from the root fit from the root.
  const selected = await selectSamples(workspace, filterOf(header), workspace.root, true).catch(() => []);
  return askedSamples(header, workspace.samples, answered, sha256, selected.map(({ id }) => id));
}

/** Both reports of a workspace at once, original first, and how many samples people gave another label than the original one. */
export async function scoreBoth(workspace: Workspace, options: ScoreWorkspaceOptions & Omit<ScoreOptions, "gold"> = {}, cache?: EvidenceCache): Promise<{ original: ScoreReport; corrected: ScoreReport; corrections: number; unread: string[] }> {
  const { input, unread } = await scoreInput(workspace, options, cache);
  const corrections = countOverturned(input, { ...options, gold: "corrected" });
  return { original: score(input, { ...options, gold: "original" }), corrected: score(input, { ...options, gold: "corrected" }), corrections, unread };
}

interface Wanted {
  readonly sample: Sample;
  readonly quoting: readonly { readonly runId: string; readonly verdict: VerdictRecord }[];
}

/** Samples that have to be read, file by file. Of runs that are not scored no quotes are looked for. */
function samplesToRead(labels: readonly LabelRecord[], samples: readonly Sample[], runs: readonly RunFile[], unscored: readonly RunFile[], options: ScoreWorkspaceOptions): Wanted[] {
  const hashed = new Set<string>();
  const quoting = new Map<string, { runId: string; verdict: VerdictRecord }[]>();
  if (options.content !== "trust") {
    for (const record of labels) if (record.content_sha256 !== undefined) hashed.add(record.sample_id);
  }
  for (const run of options.content === "trust" && !options.evidence ? [] : runs) {
    for (const verdict of run.verdicts) {
      if (options.content !== "trust" && verdict.content_sha256 !== undefined) hashed.add(verdict.sample_id);
      if (!options.evidence || !verdict.detected_categories.some(({ evidence }) => evidence.length > 0)) continue;
      const own = quoting.get(verdict.sample_id) ?? [];
      own.push({ runId: run.header.run_id, verdict });
      quoting.set(verdict.sample_id, own);
    }
  }
  for (const { verdicts } of options.content === "trust" ? [] : unscored) {
    for (const { sample_id, content_sha256 } of verdicts) if (content_sha256 !== undefined) hashed.add(sample_id);
  }
  return samples
    .filter(({ id }) => hashed.has(id) || quoting.has(id))
    .map((sample) => ({ sample, quoting: quoting.get(sample.id) ?? [] }))
    .sort((a, b) => (a.sample.source.file < b.sample.source.file ? -1 : a.sample.source.file > b.sample.source.file ? 1 : 0));
}

function evidenceKey(runId: string, verdict: VerdictRecord): string {
  return JSON.stringify([runId, verdict.sample_id, verdict.repeat ?? 0]);
}

async function locateAll(workspace: Workspace, sample: Sample, hash: string, quoting: Wanted["quoting"], cache: EvidenceCache, evidence: Map<string, EvidenceCounts>): Promise<void> {
  let trajectory: Trajectory | undefined;
  for (const { runId, verdict } of quoting) {
    const quotes = verdict.detected_categories.flatMap((category) => category.evidence);
    const key = sha256(JSON.stringify([hash, quotes]));
    let counts = cache.get(key);
    if (!counts) {
      trajectory ??= (await workspace.trajectories.read(sample)).trajectory;
      counts = countQuotes(trajectory, quotes);
      cache.set(key, counts);
    }
    evidence.set(evidenceKey(runId, verdict), counts);
  }
}

/** How each quote is found in a trajectory, counted by status. */
export function countQuotes(trajectory: Trajectory, quotes: readonly string[]): EvidenceCounts {
  const parts = trajectory.steps.flatMap((step) => step.parts);
  const counts = { quotes: quotes.length, exact: 0, near: 0, ambiguous: 0, absent: 0 };
  for (const quote of quotes) counts[matchQuote(parts, quote).status]++;
  return counts;
}
