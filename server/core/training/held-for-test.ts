/** Which samples may teach nothing, since a guard is to be tested on them: the test split, and whatever depends on it. */

export interface SplitSample {
  readonly id: string;
  readonly split?: string | undefined;
  readonly pairId?: string | undefined;
  readonly group: string;
}

export type HeldReason = "test_split" | "pair_of_test" | "group_of_test";

/** The reasons in words, for counts of what was left out. */
export const heldWords: Readonly<Record<HeldReason, string>> = {
  test_split: "in the test split", pair_of_test: "the other half of a test sample", group_of_test: "in the group of a test sample",
};

/**
 * The samples that are held for testing, with the reason. Dependence is passed on: who shares a pair or a group with a sample
 * that shares one with a test sample is held as well, as `group_of_test`.
 */
export function heldForTest(samples: readonly SplitSample[]): ReadonlyMap<string, HeldReason> {
  const links = new Map<string, SplitSample[]>();
  const link = (key: string, sample: SplitSample): void => {
    const own = links.get(key);
    if (own) own.push(sample);
    else links.set(key, [sample]);
  };
  const keysOf = ({ pairId, group }: SplitSample): string[] => [...(pairId === undefined ? [] : [`pair ${pairId}`]), `group ${group}`];
  for (const sample of samples) for (const key of keysOf(sample)) link(key, sample);
  const held = new Map<string, HeldReason>();
  const queue = samples.filter(({ split }) => split === "test");
  for (const { id } of queue) held.set(id, "test_split");
  // Pairs of test samples first, so that they are called so even where pair and group are one.
  for (const { pairId } of [...queue]) {
    if (pairId === undefined) continue;
    for (const other of links.get(`pair ${pairId}`) ?? []) if (!held.has(other.id)) {
      held.set(other.id, "pair_of_test");
      queue.push(other);
    }
  }
  const visited = new Set<string>();
  for (let at = 0; at < queue.length; at++) {
    for (const key of keysOf(queue[at] as SplitSample)) {
      if (visited.has(key)) continue;
      visited.add(key);
      for (const other of links.get(key) ?? []) if (!held.has(other.id)) {
        held.set(other.id, "group_of_test");
        queue.push(other);
      }
    }
  }
  return held;
}
