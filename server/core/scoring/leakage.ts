/** What of a run's score rests on samples that its monitor had been trained on: there it shows what it remembers, not how well it guards. */
import { heldForTest } from "#core/training/held-for-test";
import { sliceOf } from "#core/training/slices";
import { isTrainedOn } from "./generalisation";
import type { Metrics } from "./report";
import type { Entries } from "./run-entries";
import type { ScoreRun, ScoreSample } from "./score-input";

export interface Leakage {
  /**
   * `verdicts`: the run's verdicts say which samples its monitor was trained on. `slices`: the run says only of what slices these
   * were, so that whatever lies in one and is not held for testing may be among them.
   */
  readonly told_by: "verdicts" | "slices";
  /** Samples with gold and a verdict, and those of them that it was trained on, or may have been. */
  readonly of: number;
  readonly trained_on: number;
  /** Further ones that share a pair or a group with these. */
  readonly related: number;
  /** The numbers over all the rest. */
  readonly others: Pick<Metrics, "n" | "tp" | "fn" | "fp" | "tn" | "invalid" | "miss_rate" | "false_alarm_rate" | "balanced_accuracy" | "youden_j">;
}

/** Undefined where the run was trained on none of the samples that it is scored on, as far as it says. `measured` works out the numbers of some of its entries. */
export function leakageOf(run: ScoreRun, entries: Entries, samples: readonly ScoreSample[], measured: (entries: Entries) => Metrics): Leakage | undefined {
  const isSlicesOnly = entries.columns.trained.size === 0;
  if (isSlicesOnly && (run.header.kind === "linear" || (run.header.trained_on ?? []).length === 0)) return undefined;
  const { list, columns: { gold } } = entries.scored;
  const scored = new Set<number>();
  const trained = new Set<number>();
  for (let at = 0; at < entries.length; at++) {
    const index = entries.index(at);
    if (gold[index] !== 2) scored.add(index);
    if (entries.isTrainedOn(at)) trained.add(index);
  }
  // A linear guard says of each verdict whether it was trained on the sample.
  if (isSlicesOnly) for (const index of ofSlices(run, entries, samples, scored)) trained.add(index);
  const known = [...trained].filter((index) => scored.has(index)).length;
  if (known === 0) return undefined;
  const kin = kinOf(list, trained);
  const { n, tp, fn, fp, tn, invalid, miss_rate, false_alarm_rate, balanced_accuracy, youden_j } = measured(entries.ofSamples((index) => !kin.has(index)));
  return {
    told_by: isSlicesOnly ? "slices" : "verdicts", of: scored.size, trained_on: known, related: [...scored].filter((index) => kin.has(index)).length - known,
    others: { n, tp, fn, fp, tn, invalid, miss_rate, false_alarm_rate, balanced_accuracy, youden_j },
  };
}

/** Of `scored`, indexes of the samples that lie in a slice which the run was trained on and are not held for testing. */
function ofSlices({ header }: ScoreRun, { scored: { list } }: Entries, samples: readonly ScoreSample[], scored: ReadonlySet<number>): number[] {
  const { trained_on: trainedOn = [] } = header;
  if (trainedOn.length === 0) return [];
  const held = heldForTest(samples);
  const all = { has: () => true };
  return [...scored].filter((index) => !held.has(list[index]!.sample.id) && isTrainedOn(sliceOf(list[index]!.sample), trainedOn, all));
}

/** Those samples and whatever shares a pair or a group with them, by index; passed on as for the test split. */
function kinOf(list: Entries["scored"]["list"], trained: ReadonlySet<number>): ReadonlySet<number> {
  const kin = heldForTest(list.map(({ sample: { id, pairId, group }, index }) => ({ id, pairId, group, ...(trained.has(index) ? { split: "test" } : {}) })));
  return new Set(list.filter(({ sample }) => kin.has(sample.id)).map(({ index }) => index));
}
