/** Intervals of sums and shares out of the intervals of their parts, lopsided where those are (method of variance estimates recovery). */

/** An estimate with limits on both sides of it. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Sum of independent parts: squared distances to the limits add up, on each side (Zou and Donner 2008, Stat. Med. 27:1693-1702). */
export function sumOf(parts: readonly Estimate[]): Estimate {
  const value = parts.reduce((sum, part) => sum + part.value, 0);
  const down = Math.sqrt(parts.reduce((sum, part) => sum + (part.value - part.low) ** 2, 0));
  const up = Math.sqrt(parts.reduce((sum, part) => sum + (part.high - part.value) ** 2, 0));
  return { value, low: value - down, high: value + up };
}

/**
 * The share a / (a + b) of two estimates that are not negative, correlated by `correlation`: the p at which the interval of
 * (1 - p) a - p b, made as in `sumOf`, touches 0 (Donner and Zou 2012, Stat. Methods Med. Res. 21:347-359; a share in place
 * of their ratio, so that no division by 0 arises). Null where both values are 0.
 */
export function shareOf(a: Estimate, b: Estimate, correlation = 0): Estimate | null {
  if (!(a.value + b.value > 0)) return null;
  const value = a.value / (a.value + b.value);
  const gap = (p: number, ofA: number, ofB: number): number =>
    Math.sqrt(Math.max(0, ((1 - p) * ofA) ** 2 + (p * ofB) ** 2 - 2 * p * (1 - p) * correlation * ofA * ofB));
  const difference = (p: number): number => (1 - p) * a.value - p * b.value;
  return {
    value,
    low: root(0, value, (p) => difference(p) - gap(p, a.value - a.low, b.high - b.value)),
    high: root(1, value, (p) => -difference(p) - gap(p, a.high - a.value, b.value - b.low)),
  };
}

/** Where `f` falls below 0 between `outer`, at which it is not negative, and `inner`. */
function root(outer: number, inner: number, f: (p: number) => number): number {
  let [from, to] = [outer, inner];
  for (let i = 0; i < 60; i++) {
    const middle = (from + to) / 2;
    if (f(middle) >= 0) from = middle;
    else to = middle;
  }
  return from;
}
