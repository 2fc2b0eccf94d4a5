/** How far two people marked the same text, in code points. */
import type { Span } from "#core/workspace/schemas";

export type SpanPlace = Pick<Span, "step" | "part" | "part_index" | "start" | "end">;

type Range = [start: number, end: number];

/**
 * F1 of the code points that two lists of spans cover: twice what both cover over the sum of what each covers. A point that
 * spans of one list cover twice counts once. Null when neither list covers anything.
 */
export function spanF1(a: readonly Span[], b: readonly Span[]): number | null {
  const { first, second, both } = spanOverlap(a, b);
  return first + second === 0 ? null : (2 * both) / (first + second);
}

/** Code points that each of two lists of spans covers, and that both do. */
export function spanOverlap(a: readonly SpanPlace[], b: readonly SpanPlace[]): { first: number; second: number; both: number } {
  const left = covered(a);
  const right = covered(b);
  let both = 0;
  for (const [part, ranges] of left) both += common(ranges, right.get(part) ?? []);
  return { first: size(left), second: size(right), both };
}

/** Ranges of each part without overlaps, in order. */
function covered(spans: readonly SpanPlace[]): Map<string, Range[]> {
  const byPart = new Map<string, Range[]>();
  for (const { step, part, part_index, start, end } of spans) {
    if (!(end > start)) continue;
    const key = JSON.stringify([step, part, part_index]);
    byPart.set(key, [...(byPart.get(key) ?? []), [start, end]]);
  }
  for (const [key, ranges] of byPart) {
    const merged: Range[] = [];
    for (const [start, end] of ranges.sort((x, y) => x[0] - y[0])) {
      const last = merged.at(-1);
      if (last && start <= last[1]) last[1] = Math.max(last[1], end);
      else merged.push([start, end]);
    }
    byPart.set(key, merged);
  }
  return byPart;
}

function size(parts: ReadonlyMap<string, readonly Range[]>): number {
  let sum = 0;
  for (const ranges of parts.values()) for (const [start, end] of ranges) sum += end - start;
  return sum;
}

function common(a: readonly Range[], b: readonly Range[]): number {
  let sum = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [one, other] = [a[i] as Range, b[j] as Range];
    sum += Math.max(0, Math.min(one[1], other[1]) - Math.max(one[0], other[0]));
    if (one[1] < other[1]) i++;
    else j++;
  }
  return sum;
}
