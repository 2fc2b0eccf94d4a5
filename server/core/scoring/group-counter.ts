/** Counts for each group of samples, without an object a group: what clustered intervals and bootstraps are made of. */
import type { GroupType } from "./bootstrap";

export class GroupCounter {
  /** Groups that were counted. */
  size = 0;
  /** Slot of each group plus 1; 0 where it has none yet. */
  private readonly slots: Uint32Array | Map<number, number>;
  private readonly counts: Uint32Array;

  /** `width` is how many counts a group has, `most` how many of them are counted at most, `groups` how many groups there are. */
  constructor(private readonly width: number, most: number, groups: number) {
    this.counts = new Uint32Array(Math.min(most, groups) * width);
    // A table is much quicker, but not worth its room for a small slice of many groups.
    this.slots = groups <= 16 * most ? new Uint32Array(groups) : new Map();
  }

  /** One more at `place` of the group's counts. */
  add(group: number, place: number): void {
    let slot = (this.slots instanceof Map ? this.slots.get(group) : this.slots[group]) ?? 0;
    if (slot === 0) {
      slot = ++this.size;
      if (this.slots instanceof Map) this.slots.set(group, slot);
      else this.slots[group] = slot;
    }
    this.counts[(slot - 1) * this.width + place]!++;
  }

  /** The distinct counts in ascending order, so that the order of samples does not show. */
  types(): GroupType[] {
    const { width, counts } = this;
    const used = this.size * width;
    let most = 0;
    for (let at = 0; at < used; at++) most = Math.max(most, counts[at]!);
    // The counts as digits of one number. Groups of thousands come few at a time: words do for them.
    const base = most + 1;
    const isPacked = base ** width <= Number.MAX_SAFE_INTEGER;
    const byKey = new Map<number | string, { counts: readonly number[]; groups: number }>();
    for (let at = 0; at < used; at += width) {
      let key: number | string = 0;
      if (isPacked) for (let i = at; i < at + width; i++) key = (key as number) * base + counts[i]!;
      else key = counts.subarray(at, at + width).join(" ");
      const known = byKey.get(key);
      if (known) known.groups++;
      else byKey.set(key, { counts: [...counts.subarray(at, at + width)], groups: 1 });
    }
    return [...byKey.values()].sort((x, y) => difference(x.counts, y.counts));
  }
}

function difference(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) if (value !== b[at]) return value - (b[at] ?? 0);
  return 0;
}
