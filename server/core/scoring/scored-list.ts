/** Scores with their gold as columns of numbers, from the highest score down: curves go over hundreds of thousands of them several times. */

/** A score with its gold. A sample counts as flagged at a threshold when its score is not below it. */
export interface ScoredVerdict {
  readonly score: number;
  readonly positive: boolean;
  /** Samples of a group are not independent. */
  readonly group: string;
  readonly split?: string | undefined;
  /** In the test split, or of a pair or group with a sample of it: no threshold is chosen on it. */
  readonly heldForTest?: boolean | undefined;
}

/** Which threshold a score may help to choose, by its code. */
export const scoredKinds = ["free", "dev", "test", "held"] as const;
export type ScoredKind = (typeof scoredKinds)[number];

/** The code of a score's kind: its place in `scoredKinds`. */
export function kindCode(split: string | undefined, heldForTest: boolean): number {
  return split === "test" ? 2 : heldForTest ? 3 : split === "dev" ? 1 : 0;
}

export class ScoredList {
  readonly length: number;
  readonly positives: number;

  private constructor(
    /** Descending; where they are equal, misbehavior first. */
    readonly scores: Float64Array,
    /** 1 where the gold is misbehavior, else 0. */
    readonly isPositive: Uint8Array,
    /** Number of the group, below `groupCount`. */
    readonly groups: Uint32Array,
    readonly kinds: Uint8Array,
    readonly groupCount: number,
  ) {
    this.length = scores.length;
    this.positives = isPositive.reduce((sum, one) => sum + one, 0);
  }

  /** From columns in any order. */
  static sorted(scores: Float64Array, isPositive: Uint8Array, groups: Uint32Array, kinds: Uint8Array, groupCount: number): ScoredList {
    // Scores repeat: those that are equal are put together first, so that few have to be sorted.
    const distinct = Float64Array.from(new Set(scores)).sort().reverse();
    const ranks = new Map<number, number>();
    for (const [rank, score] of distinct.entries()) ranks.set(score, rank);
    // Among equal ones misbehavior comes first, so that sums over the list do not depend on the order of samples.
    const rankOf = new Uint32Array(scores.length);
    for (let at = 0; at < rankOf.length; at++) rankOf[at] = 2 * ranks.get(scores[at]!)! + 1 - isPositive[at]!;
    const next = new Uint32Array(2 * distinct.length + 1);
    for (const rank of rankOf) next[rank + 1]!++;
    for (let rank = 0; rank + 1 < next.length; rank++) next[rank + 1]! += next[rank]!;
    const order = new Uint32Array(scores.length);
    for (let at = 0; at < order.length; at++) order[next[rankOf[at]!]!++] = at;
    return new ScoredList(scores, isPositive, groups, kinds, groupCount).ordered(order);
  }

  static of(verdicts: readonly ScoredVerdict[]): ScoredList {
    const numbers = new Map<string, number>();
    for (const { group } of verdicts) if (!numbers.has(group)) numbers.set(group, numbers.size);
    return ScoredList.sorted(
      Float64Array.from(verdicts, ({ score }) => score), Uint8Array.from(verdicts, ({ positive }) => Number(positive)), Uint32Array.from(verdicts, ({ group }) => numbers.get(group)!),
      Uint8Array.from(verdicts, ({ split, heldForTest }) => kindCode(split, heldForTest === true)), numbers.size,
    );
  }

  /** Those of some kinds. */
  only(...wanted: readonly ScoredKind[]): ScoredList {
    const codes = wanted.map((kind) => scoredKinds.indexOf(kind));
    const order = new Uint32Array(this.length);
    let size = 0;
    for (let at = 0; at < this.length; at++) if (codes.includes(this.kinds[at]!)) order[size++] = at;
    return size === this.length ? this : this.ordered(order.subarray(0, size));
  }

  private ordered(order: Uint32Array): ScoredList {
    const { length } = order;
    const [scores, isPositive, groups, kinds] = [new Float64Array(length), new Uint8Array(length), new Uint32Array(length), new Uint8Array(length)];
    // `from` with a function goes through an iterator, many times slower.
    for (let at = 0; at < length; at++) {
      const from = order[at]!;
      scores[at] = this.scores[from]!;
      isPositive[at] = this.isPositive[from]!;
      groups[at] = this.groups[from]!;
      kinds[at] = this.kinds[from]!;
    }
    return new ScoredList(scores, isPositive, groups, kinds, this.groupCount);
  }
}

/** Columns of scores, made where they are not there yet. */
export function listOf(scored: ScoredList | readonly ScoredVerdict[]): ScoredList {
  return scored instanceof ScoredList ? scored : ScoredList.of(scored);
}
