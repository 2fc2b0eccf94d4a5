/** The verdicts of one run, joined with the samples they are about, as columns of numbers: a report goes over millions of them several times. */
import { isStale } from "#core/labels/standing";
import type { VerdictOutcome, VerdictRecord } from "#core/workspace/schemas";
import { outcomeCode, outcomeNames, type SharedTexts, type VerdictColumns } from "#core/workspace/verdict-columns";
import type { ScoreRun } from "./score-input";
import type { ScoredSample, ScoredSamples } from "./scored-samples";

export interface RunEntry {
  readonly scored: ScoredSample;
  readonly verdict: VerdictRecord;
}

/** Equally long; an entry is one place in all of them. */
interface EntryColumns {
  /** Index of the sample. */
  readonly samples: Uint32Array;
  /** As in `outcomeNames`. */
  readonly outcomes: Uint8Array;
  /** NaN without. */
  readonly scores: Float64Array;
  /** Number of quotes; -1 without categories. */
  readonly quotes: Int32Array;
  /** Place among the verdicts of the run. */
  readonly places: Uint32Array;
  /** Number of the draw, by place here, where the verdict names one. */
  readonly repeats: Map<number, number>;
  /** Places here of verdicts on what the monitor had been trained on. */
  readonly trained: Set<number>;
}

/** Entries of a run, or some of them. Objects are made only when they are asked for. */
export class Entries implements Iterable<RunEntry> {
  readonly length: number;

  constructor(readonly columns: EntryColumns, readonly scored: ScoredSamples, private readonly run: Pick<ScoreRun, "verdicts">, /** Places in the columns. */ readonly order: Uint32Array) {
    this.length = order.length;
  }

  outcome(at: number): VerdictOutcome {
    return outcomeNames[this.columns.outcomes[this.order[at]!]!]!;
  }

  /** Index of the sample. */
  index(at: number): number {
    return this.columns.samples[this.order[at]!]!;
  }

  sample(at: number): ScoredSample {
    return this.scored.list[this.index(at)]!;
  }

  verdict(at: number): VerdictRecord {
    return this.run.verdicts[this.columns.places[this.order[at]!]!]!;
  }

  score(at: number): number | undefined {
    const score = this.columns.scores[this.order[at]!]!;
    return Number.isNaN(score) ? undefined : score;
  }

  /** Number of the draw, from 0; undefined where the verdict names none. */
  repeat(at: number): number | undefined {
    const { repeats } = this.columns;
    return repeats.size === 0 ? undefined : repeats.get(this.order[at]!);
  }

  /** Whether the monitor had been trained on the sample, as its verdict says. */
  isTrainedOn(at: number): boolean {
    const { trained } = this.columns;
    return trained.size > 0 && trained.has(this.order[at]!);
  }

  entry(at: number): RunEntry {
    return { scored: this.sample(at), verdict: this.verdict(at) };
  }

  *[Symbol.iterator](): Iterator<RunEntry> {
    for (let at = 0; at < this.length; at++) yield this.entry(at);
  }

  /** Of each sample the entry with the lowest number of its draw. */
  first(): Entries {
    if (this.columns.repeats.size === 0) return this;
    const first = new Map<number, number>();
    for (let at = 0; at < this.length; at++) {
      const known = first.get(this.index(at));
      if (known === undefined || (this.repeat(at) ?? 0) < (this.repeat(known) ?? 0)) first.set(this.index(at), at);
    }
    return new Entries(this.columns, this.scored, this.run, Uint32Array.from([...first.values()].sort((a, b) => a - b), (at) => this.order[at]!));
  }

  /** How many verdicts each sample with gold has, by its index. */
  drawsBySample(): Map<number, number> {
    const { gold } = this.scored.columns;
    const draws = new Map<number, number>();
    for (let at = 0; at < this.length; at++) {
      const index = this.index(at);
      if (gold[index] !== 2) draws.set(index, (draws.get(index) ?? 0) + 1);
    }
    return draws;
  }

  /** The numbers of all draws, ascending. */
  draws(): number[] {
    const found = new Set<number>();
    if (this.columns.repeats.size === 0) return this.length === 0 ? [] : [0];
    for (let at = 0; at < this.length; at++) found.add(this.repeat(at) ?? 0);
    return [...found].sort((a, b) => a - b);
  }

  /** Those of the samples whose index `fits` takes. */
  ofSamples(fits: (index: number) => boolean): Entries {
    return new Entries(this.columns, this.scored, this.run, this.order.filter((place) => fits(this.columns.samples[place]!)));
  }

  /** Those that `fits` takes. */
  filter(fits: (entry: RunEntry) => boolean): RunEntry[] {
    const found: RunEntry[] = [];
    for (const entry of this) if (fits(entry)) found.push(entry);
    return found;
  }

  /** One list for each number that `numbers` (by the index of the sample) gives to entries; `size` is how many numbers there are. */
  split(numbers: Uint32Array, size: number): Entries[] {
    const { order, columns: { samples } } = this;
    const ends = new Uint32Array(size + 1);
    for (let at = 0; at < order.length; at++) ends[numbers[samples[order[at]!]!]! + 1]!++;
    for (let at = 0; at < size; at++) ends[at + 1]! += ends[at]!;
    const sorted = new Uint32Array(order.length);
    const next = ends.slice();
    for (let at = 0; at < order.length; at++) sorted[next[numbers[samples[order[at]!]!]!]!++] = order[at]!;
    return Array.from({ length: size }, (_, at) => new Entries(this.columns, this.scored, this.run, sorted.subarray(ends[at], ends[at + 1])));
  }
}

export interface RunEntries {
  /** Verdicts on the content as it is now, of samples within the split. */
  readonly current: Entries;
  /** Samples whose verdict was made on other content. */
  readonly stale: readonly ScoredSample[];
  /** Samples with gold that were asked for and have no verdict line at all. */
  readonly missing: readonly ScoredSample[];
  /** Verdicts of samples that are not here, or not in the split. */
  readonly stray: number;
  /** Set when the run names a number of samples but which ones cannot be told: how many of them have no verdict line. */
  readonly unaccounted?: number;
}

/** Sorts a run's verdicts by what they can be used for. */
export function joinRun(run: ScoreRun, samples: ScoredSamples): RunEntries {
  const join = new Join(samples, run.columns?.length ?? run.verdicts.length);
  if (run.columns) join.addColumns(run.columns);
  else for (const [place, verdict] of run.verdicts.entries()) join.addRecord(verdict, place);
  const missing: ScoredSample[] = [];
  if (run.asked !== "unknown") {
    for (const scored of samples.list) {
      if (join.answered[scored.index] !== 0 || scored.gold === null) continue;
      if (run.asked === "all" || run.asked.has(scored.sample.id)) missing.push(scored);
    }
  }
  const unaccounted = run.asked === "unknown" ? Math.max(0, (run.header.samples?.count ?? 0) - new Set(run.verdicts.map(({ sample_id }) => sample_id)).size) : 0;
  return { current: join.entries(run), stale: [...join.stale], missing, stray: join.stray, ...(unaccounted > 0 ? { unaccounted } : {}) };
}

/** Columns as they grow. */
class Join {
  readonly stale = new Set<ScoredSample>();
  /** 1 for samples with a verdict line, by index. */
  readonly answered: Uint8Array;
  stray = 0;
  private readonly columns: EntryColumns;
  private length = 0;

  constructor(private readonly scored: ScoredSamples, size: number) {
    this.answered = new Uint8Array(scored.list.length);
    this.columns = { samples: new Uint32Array(size), outcomes: new Uint8Array(size), scores: new Float64Array(size), quotes: new Int32Array(size), places: new Uint32Array(size), repeats: new Map(), trained: new Set() };
  }

  addRecord(verdict: VerdictRecord, place: number): void {
    const { byId, leftOut } = this.scored;
    const scored = byId.get(verdict.sample_id);
    if (!scored) {
      this.stray += leftOut.has(verdict.sample_id) ? 0 : 1;
      return;
    }
    this.answered[scored.index] = 1;
    if (isStale(verdict, scored.sample.contentSha256)) this.stale.add(scored);
    else {
      const { detected_categories: found } = verdict;
      this.push(scored.index, outcomeCode(verdict.outcome), verdict.score ?? NaN, found.length === 0 ? -1 : found.reduce((sum, { evidence }) => sum + evidence.length, 0), place, verdict.repeat, verdict.trained_on_this);
    }
  }

  /** The same without a record of any verdict. */
  addColumns(columns: VerdictColumns): void {
    const { list, leftOut } = this.scored;
    const { shared, numbers, kinds, scores, quotes } = columns;
    const indexes = indexesOf(shared, this.scored);
    let place = -1;
    for (let at = 0; at < columns.length; at++) {
      if (columns.isRemoved(at)) continue;
      place++;
      const index = indexes[numbers[at]!]!;
      if (index < 0) {
        this.stray += leftOut.has(shared.idOf(numbers[at]!)) ? 0 : 1;
        continue;
      }
      this.answered[index] = 1;
      const { contentSha256 } = list[index]!.sample;
      if (contentSha256 !== undefined && isStale({ content_sha256: columns.hashAt(at) }, contentSha256)) this.stale.add(list[index]!);
      else this.push(index, kinds[at]!, scores[at]!, quotes[at]!, place, columns.repeatAt(at), columns.isTrainedAt(at));
    }
  }

  entries(run: ScoreRun): Entries {
    const order = new Uint32Array(this.length);
    for (let at = 0; at < order.length; at++) order[at] = at;
    return new Entries(this.columns, this.scored, run, order);
  }

  private push(sample: number, outcome: number, score: number, quotes: number, place: number, repeat: number | undefined, trained: boolean | undefined): void {
    const { columns } = this;
    const at = this.length++;
    columns.samples[at] = sample;
    columns.outcomes[at] = outcome;
    columns.scores[at] = score;
    columns.quotes[at] = quotes;
    columns.places[at] = place;
    if (repeat !== undefined) columns.repeats.set(at, repeat);
    if (trained) columns.trained.add(at);
  }
}

/** Codes of `firstOutcomes` beside those of outcomes. */
export const staleVerdict = 3;
export const noVerdict = 255;

/** What the verdict with the lowest repeat number says of each sample, by index: the code of its outcome, `staleVerdict` where it was made on other content, or `noVerdict`. */
export function firstOutcomes(run: ScoreRun, samples: ScoredSamples): Uint8Array {
  const first = new Uint8Array(samples.list.length).fill(noVerdict);
  const repeats = new Map<number, number>();
  const take = (index: number, outcome: number, hash: string | undefined, repeat = 0): void => {
    if (first[index] !== noVerdict && repeat >= (repeats.get(index) ?? 0)) return;
    first[index] = isStale({ content_sha256: hash }, samples.list[index]!.sample.contentSha256) ? staleVerdict : outcome;
    if (repeat > 0 || repeats.size > 0) repeats.set(index, repeat);
  };
  const { columns } = run;
  if (columns) {
    const indexes = indexesOf(columns.shared, samples);
    for (let at = 0; at < columns.length; at++) {
      const index = indexes[columns.numbers[at]!]!;
      if (index >= 0 && !columns.isRemoved(at)) take(index, columns.kinds[at]!, columns.hashAt(at), columns.repeatAt(at));
    }
  } else {
    for (const { sample_id, outcome, content_sha256, repeat } of run.verdicts) {
      const index = samples.byId.get(sample_id)?.index;
      if (index !== undefined) take(index, outcomeCode(outcome), content_sha256, repeat);
    }
  }
  return first;
}

const numbered = new WeakMap<ScoredSamples, WeakMap<SharedTexts, Int32Array>>();

/** The index of the sample of each number that the columns of all runs use, -1 where it is not here. The same for every run. */
function indexesOf(shared: SharedTexts, scored: ScoredSamples): Int32Array {
  let known = numbered.get(scored);
  if (!known) numbered.set(scored, (known = new WeakMap()));
  let indexes = known.get(shared);
  // Ids are added as runs are read.
  if (indexes?.length !== shared.count) known.set(shared, (indexes = Int32Array.from({ length: shared.count }, (_, number) => scored.byId.get(shared.idOf(number))?.index ?? -1)));
  return indexes;
}
