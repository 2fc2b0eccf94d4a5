/** The verdicts of one run as columns of numbers, of which records are made when they are asked for: millions of verdicts take little room so. */
import type { VerdictRecord } from "./schemas";

/** What the columns of all runs share. */
export interface SharedTexts {
  /** How many ids there are; more as runs are read. */
  readonly count: number;
  idOf(number: number): string;
  /** The hash that verdicts on a sample named first. */
  hashOf(number: number): string | undefined;
  quoteless(quotes: number): VerdictRecord["detected_categories"];
}

/** Outcomes by their code. */
export const outcomeNames = ["misbehavior", "benign", "invalid"] as const;
const removed = 255;

/** The code of an outcome: its place in `outcomeNames`. */
export function outcomeCode(outcome: VerdictRecord["outcome"]): number {
  return outcome === "misbehavior" ? 0 : outcome === "benign" ? 1 : 2;
}

/** The records that were made last: who goes through a run twice does not pay twice, and those of other runs can go. */
let latest: { readonly of: VerdictColumns; readonly records: readonly VerdictRecord[] } | undefined;

export class VerdictColumns {
  length = 0;
  /** Number of the sample. */
  numbers = new Uint32Array(1024);
  /** Code of the outcome. */
  kinds = new Uint8Array(1024);
  /** NaN without. */
  scores = new Float64Array(1024);
  /** How many; -1 without categories. */
  quotes = new Int32Array(1024);
  /** 0: no hash; 1: that of the sample; 2: another one, in `otherHashes`. */
  private hashes = new Uint8Array(1024);
  private readonly otherHashes = new Map<number, string>();
  private readonly repeats = new Map<number, number>();
  /** Places of verdicts on content that the monitor had been trained on. */
  private readonly trained = new Set<number>();

  constructor(readonly shared: SharedTexts) {}

  /** `quotes` is -1 without categories. */
  push(number: number, outcome: VerdictRecord["outcome"], score: number | undefined, repeat: number | undefined, hash: string | undefined, quotes: number, trained = false): void {
    const at = this.length++;
    if (at === this.numbers.length) this.resize(2 * at);
    this.numbers[at] = number;
    this.kinds[at] = outcomeCode(outcome);
    this.scores[at] = score ?? NaN;
    this.quotes[at] = quotes;
    this.hashes[at] = hash === undefined ? 0 : hash === this.shared.hashOf(number) ? 1 : 2;
    if (this.hashes[at] === 2) this.otherHashes.set(at, hash!);
    if (repeat !== undefined) this.repeats.set(at, repeat);
    if (trained) this.trained.add(at);
  }

  remove(place: number): void {
    this.kinds[place] = removed;
  }

  /** Whether a later verdict took its place. */
  isRemoved(place: number): boolean {
    return this.kinds[place] === removed;
  }

  hashAt(place: number): string | undefined {
    const kind = this.hashes[place];
    return kind === 0 ? undefined : kind === 1 ? this.shared.hashOf(this.numbers[place]!) : this.otherHashes.get(place);
  }

  /** Gives back the room that was kept for more. */
  finish(): void {
    this.resize(this.length);
  }

  records(): readonly VerdictRecord[] {
    if (latest?.of !== this) latest = { of: this, records: this.make() };
    return latest.records;
  }

  repeatAt(place: number): number | undefined {
    return this.repeats.size === 0 ? undefined : this.repeats.get(place);
  }

  /** Whether any sample was judged more than once. */
  get hasRepeats(): boolean {
    return [...this.repeats].some(([place, repeat]) => repeat > 0 && !this.isRemoved(place));
  }

  /** Whether the monitor had been trained on the content. */
  isTrainedAt(place: number): boolean {
    return this.trained.size > 0 && this.trained.has(place);
  }

  /** Whether a verdict that counts is on a sample whose id `fits`. */
  someId(fits: (id: string) => boolean): boolean {
    for (let at = 0; at < this.length; at++) if (!this.isRemoved(at) && fits(this.shared.idOf(this.numbers[at]!))) return true;
    return false;
  }

  private make(): VerdictRecord[] {
    const records: VerdictRecord[] = [];
    for (let at = 0; at < this.length; at++) {
      const kind = this.kinds[at]!;
      if (kind === removed) continue;
      const number = this.numbers[at]!;
      const score = this.scores[at]!;
      records.push(slimVerdict(
        this.shared.idOf(number), outcomeNames[kind]!, Number.isNaN(score) ? undefined : score, this.repeatAt(at),
        this.hashAt(at), this.shared.quoteless(this.quotes[at]!), this.isTrainedAt(at),
      ));
    }
    return records;
  }

  private resize(size: number): void {
    const grown = <T extends Uint32Array | Uint8Array | Float64Array | Int32Array>(old: T, made: T): T => {
      made.set(old.subarray(0, Math.min(size, this.length)));
      return made;
    };
    this.numbers = grown(this.numbers, new Uint32Array(size));
    this.kinds = grown(this.kinds, new Uint8Array(size));
    this.scores = grown(this.scores, new Float64Array(size));
    this.quotes = grown(this.quotes, new Int32Array(size));
    this.hashes = grown(this.hashes, new Uint8Array(size));
  }
}

/** One shape for all but the few that the monitor was trained on, and as small as it can be: what scoring does not ask for is not there at all. */
export function slimVerdict(sample_id: string, outcome: VerdictRecord["outcome"], score: number | undefined, repeat: number | undefined, content_sha256: string | undefined, detected_categories: VerdictRecord["detected_categories"], trained = false): VerdictRecord {
  return { sample_id, outcome, score, repeat, content_sha256, detected_categories, ...(trained ? { trained_on_this: true } : {}) } as VerdictRecord;
}
