/** How often label stores were seen to change, so that what is made of their records knows when it is old. */
import type { LabelStore } from "#node/store/label-store";

const changesOf = new WeakMap<LabelStore, { count: number }>();

/** Counts from the first call on. */
export function labelChanges(store: LabelStore): number {
  let changes = changesOf.get(store);
  if (!changes) {
    const counted = (changes = { count: 0 });
    changesOf.set(store, counted);
    store.onDidChange(() => counted.count++);
  }
  return changes.count;
}
