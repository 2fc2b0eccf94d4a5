/** What was revealed to the person, sample by sample: a label given later cannot be called blind. Remembered for the workspace. */
import type { Memento } from "vscode";
import type { LabelRecord, Seen } from "#core/workspace/schemas";

const key = "tracemark.seen";

export class SightLog {
  private readonly seenByKey: Map<string, Set<Seen>>;

  /** `annotator` answers who sits at the machine now: what one person saw another one did not. */
  constructor(private readonly memento: Memento, private readonly annotator: () => string | undefined) {
    this.seenByKey = new Map(Object.entries(memento.get<Record<string, Seen[]>>(key, {})).map(([id, seen]) => [id, new Set(seen)]));
  }

  /** Notes that `seen` stood before the person's eyes. */
  note(root: string, sampleId: string, seen: readonly Seen[]): void {
    const id = this.keyOf(root, sampleId);
    const before = this.seenByKey.get(id) ?? new Set<Seen>();
    if (seen.every((one) => before.has(one))) return;
    this.seenByKey.set(id, new Set([...before, ...seen]));
    void this.memento.update(key, Object.fromEntries([...this.seenByKey].map(([one, all]) => [one, [...all]])));
  }

  /** What was seen of a sample, here or by what the person's own records say. */
  of(root: string, sampleId: string, own: readonly Pick<LabelRecord, "seen">[]): Set<Seen> {
    return new Set([...(this.seenByKey.get(this.keyOf(root, sampleId)) ?? []), ...(this.seenByKey.get(keyFor(root, sampleId, "")) ?? []), ...own.flatMap(({ seen }) => seen)]);
  }

  private keyOf(root: string, sampleId: string): string {
    return keyFor(root, sampleId, this.annotator() ?? "");
  }
}

/** What was seen before a name was given counts for whoever gives one. */
function keyFor(root: string, sampleId: string, annotator: string): string {
  return JSON.stringify([root, sampleId, annotator]);
}
