/** How miss rate and false alarm rate go together over monitors. */
import { z95 } from "./intervals";

export interface Correlation {
  readonly pearson_r: number;
  readonly low: number;
  readonly high: number;
  readonly n: number;
  /** Least squares: y = slope x + intercept. */
  readonly slope: number;
  readonly intercept: number;
}

/** Fewer points than this say nothing: Fisher's interval divides by the square root of n - 3. */
const fewest = 4;

/**
 * Pearson's r with Fisher's 95 % interval, tanh(atanh r +- z / sqrt(n - 3)) (Fisher 1921, Metron 1:3-32). Null below four
 * points, or where one of the two does not vary.
 */
export function correlate(points: readonly (readonly [number, number])[]): Correlation | null {
  const n = points.length;
  if (n < fewest) return null;
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / n;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / n;
  let xx = 0;
  let yy = 0;
  let xy = 0;
  for (const [x, y] of points) {
    xx += (x - meanX) ** 2;
    yy += (y - meanY) ** 2;
    xy += (x - meanX) * (y - meanY);
  }
  // Equal values leave a rest of rounding, not of variation.
  if (xx < 1e-24 || yy < 1e-24) return null;
  const r = Math.min(1, Math.max(-1, xy / Math.sqrt(xx * yy)));
  const line = { slope: xy / xx, intercept: meanY - (xy / xx) * meanX };
  if (Math.abs(r) > 1 - 1e-12) return { pearson_r: r, low: r, high: r, n, ...line };
  return { pearson_r: r, ...fisherInterval(r, n), n, ...line };
}

/** Fisher's 95 % interval of a correlation `r` seen on `n` points, for n > 3 and -1 < r < 1. */
export function fisherInterval(r: number, n: number): { low: number; high: number } {
  const half = z95 / Math.sqrt(n - 3);
  return { low: Math.tanh(Math.atanh(r) - half), high: Math.tanh(Math.atanh(r) + half) };
}
