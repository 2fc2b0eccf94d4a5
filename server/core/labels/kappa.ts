/** Cohen's kappa of two annotators, with the standard error that its interval needs. */
import { z95 } from "#core/scoring/intervals";

export interface Kappa {
  readonly n: number;
  /** Null without pairs, or when chance alone would agree always. */
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * Kappa of pairs of categories (Cohen 1960, Educ. Psychol. Meas. 20:37-46), with the large-sample standard error for intervals
 * of Fleiss, Cohen and Everitt (1969, Psychol. Bull. 72:323-327) and its 95 % interval, cut at -1 and 1.
 */
export function cohenKappa(pairs: readonly (readonly [string, string])[]): Kappa {
  const n = pairs.length;
  const none = { n, value: null, low: null, high: null };
  if (n === 0) return none;
  const rows = new Map<string, number>();
  const columns = new Map<string, number>();
  const cells = new Map<string, { row: string; column: string; share: number }>();
  for (const [row, column] of pairs) {
    rows.set(row, (rows.get(row) ?? 0) + 1 / n);
    columns.set(column, (columns.get(column) ?? 0) + 1 / n);
    const key = JSON.stringify([row, column]);
    const cell = cells.get(key) ?? { row, column, share: 0 };
    cell.share += 1 / n;
    cells.set(key, cell);
  }
  const same = pairs.filter(([row, column]) => row === column).length / n;
  const chance = [...rows].reduce((sum, [category, share]) => sum + share * (columns.get(category) ?? 0), 0);
  // Both said one and the same thing throughout, but for rounding.
  if (1 - chance < 1e-12) return none;
  const value = (same - chance) / (1 - chance);
  let diagonal = 0;
  let others = 0;
  for (const { row, column, share } of cells.values()) {
    if (row === column) diagonal += share * (1 - ((rows.get(row) ?? 0) + (columns.get(row) ?? 0)) * (1 - value)) ** 2;
    else others += share * ((columns.get(row) ?? 0) + (rows.get(column) ?? 0)) ** 2;
  }
  const square = diagonal + (1 - value) ** 2 * others - (value - chance * (1 - value)) ** 2;
  const half = z95 * Math.sqrt(Math.max(0, square) / n) / (1 - chance);
  return { n, value, low: Math.max(-1, value - half), high: Math.min(1, value + half) };
}
