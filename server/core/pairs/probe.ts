/** A small probe that tries to tell the halves of pairs apart by surface features alone; where it can, the set teaches the wrong thing. */
import { shuffled, type Random } from "#core/labels/seeded-random";
import type { Features } from "./surface";

export interface ProbePair {
  readonly id: string;
  readonly misbehavior: Features;
  readonly benign: Features;
}

export interface ProbeResult {
  readonly pairs: number;
  /** Share of held-out pairs whose halves the probe told apart rightly; a tie counts half. */
  readonly accuracy: number;
  /** Of the permutation test: share of relabellings that did as well or better, the real one counted in. */
  readonly p: number;
  /** What it goes by, the strongest first: `more` where the misbehavior half has more of it. */
  readonly features: readonly { readonly name: string; readonly more: boolean; readonly share: number }[];
}

export interface ProbeOptions {
  readonly random: Random;
  readonly folds?: number;
  readonly permutations?: number;
}

/** Fewer pairs than this cannot show anything. */
export const fewestPairs = 10;

/** Features that the probe may use at once. */
const keptFeatures = 30;

/**
 * Trains on the differences within pairs (diagonal linear discriminant on the features with the largest t) and tests on pairs
 * that were held out, so that no pair is on both sides of a fold. The permutation test swaps the labels within pairs (Ojala and
 * Garriga 2010, J. Mach. Learn. Res. 11:1833-1863). Undefined below `fewestPairs`.
 */
export function probePairs(pairs: readonly ProbePair[], options: ProbeOptions): ProbeResult | undefined {
  const { random, folds = 5, permutations = 199 } = options;
  if (pairs.length < fewestPairs) return undefined;
  const table = tableOf([...pairs].sort((a, b) => (a.id < b.id ? -1 : 1)));
  const foldOf = new Uint8Array(pairs.length);
  for (const [place, at] of shuffled([...foldOf.keys()], random).entries()) foldOf[at] = place % folds;
  const real = new Int8Array(pairs.length).fill(1);
  const accuracy = crossValidate(table, foldOf, folds, real);
  let asGood = 1;
  for (let round = 0; round < permutations; round++) {
    const signs = Int8Array.from(real, () => (random() < 0.5 ? 1 : -1));
    if (crossValidate(table, foldOf, folds, signs) >= accuracy - 1e-12) asGood++;
  }
  return { pairs: pairs.length, accuracy, p: asGood / (permutations + 1), features: strongest(table, real) };
}

/** Differences, misbehavior minus benign, sparse by pair. */
interface Table {
  readonly names: readonly string[];
  readonly rows: readonly { readonly at: Uint32Array; readonly values: Float64Array }[];
}

function tableOf(pairs: readonly ProbePair[]): Table {
  const seenIn = new Map<string, number>();
  const differences = pairs.map(({ misbehavior, benign }) => {
    const row = new Map<string, number>();
    for (const [name, value] of misbehavior) row.set(name, value - (benign.get(name) ?? 0));
    for (const [name, value] of benign) if (!misbehavior.has(name)) row.set(name, -value);
    for (const [name, value] of row) {
      if (value === 0) row.delete(name);
      else seenIn.set(name, (seenIn.get(name) ?? 0) + 1);
    }
    return row;
  });
  // What differs in fewer than four pairs can only be chance.
  const names = [...seenIn].filter(([, count]) => count >= 4).map(([name]) => name).sort();
  const columnOf = new Map(names.map((name, at) => [name, at]));
  const rows = differences.map((row) => {
    const kept = [...row].flatMap(([name, value]): [number, number][] => {
      const at = columnOf.get(name);
      return at === undefined ? [] : [[at, value]];
    });
    return { at: Uint32Array.from(kept, ([at]) => at), values: Float64Array.from(kept, ([, value]) => value) };
  });
  return { names, rows };
}

function crossValidate(table: Table, foldOf: Uint8Array, folds: number, signs: Int8Array): number {
  let right = 0;
  for (let fold = 0; fold < folds; fold++) {
    const weights = train(table, signs, (at) => foldOf[at] !== fold);
    for (const [at, row] of table.rows.entries()) {
      if (foldOf[at] !== fold) continue;
      let score = 0;
      for (let i = 0; i < row.at.length; i++) score += (weights.get(row.at[i] as number) ?? 0) * (row.values[i] as number);
      score *= signs[at] as number;
      right += score > 0 ? 1 : score === 0 ? 0.5 : 0;
    }
  }
  return right / table.rows.length;
}

/** Column to weight, for the columns with the largest t. */
function train(table: Table, signs: Int8Array, uses: (row: number) => boolean): Map<number, number> {
  return new Map(ranked(table, signs, uses).slice(0, keptFeatures).map(({ column, mean, variance }) => [column, mean / (variance + 1e-9)]));
}

function ranked(table: Table, signs: Int8Array, uses: (row: number) => boolean): { column: number; mean: number; variance: number; t: number }[] {
  const sums = new Float64Array(table.names.length);
  const squares = new Float64Array(table.names.length);
  let n = 0;
  for (const [at, row] of table.rows.entries()) {
    if (!uses(at)) continue;
    n++;
    const sign = signs[at] as number;
    for (let i = 0; i < row.at.length; i++) {
      const [column, value] = [row.at[i] as number, (row.values[i] as number) * sign];
      sums[column] = (sums[column] as number) + value;
      squares[column] = (squares[column] as number) + value * value;
    }
  }
  const out = [];
  for (let column = 0; column < sums.length; column++) {
    const mean = (sums[column] as number) / n;
    const meanSquare = (squares[column] as number) / n;
    if (meanSquare === 0) continue;
    // Shrunk towards the mean square, so that a feature seen a few times with one sign does not look certain.
    const variance = Math.max(0, meanSquare - mean * mean) + meanSquare / Math.sqrt(n);
    out.push({ column, mean, variance, t: Math.abs(mean) / Math.sqrt(variance / n) });
  }
  return out.sort((a, b) => b.t - a.t || a.column - b.column);
}

/** The features that lean furthest over all pairs, with the share of differing pairs that lean that way. */
function strongest(table: Table, signs: Int8Array): ProbeResult["features"] {
  return ranked(table, signs, () => true).slice(0, 3).map(({ column, mean }) => {
    let differing = 0;
    let leaning = 0;
    for (const row of table.rows) {
      const i = row.at.indexOf(column);
      if (i < 0) continue;
      differing++;
      if (Math.sign(row.values[i] as number) === Math.sign(mean)) leaning++;
    }
    return { name: table.names[column] ?? "", more: mean > 0, share: leaning / differing };
  });
}
