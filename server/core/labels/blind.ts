/** What a person who judges blind may not get to see is taken out here, before anything is sent to a view. */
import type { Trajectory } from "#core/trajectory/model";
import type { LabelRecord, PlanHeader, Seen } from "#core/workspace/schemas";
import { classWord } from "./class-words";
import { strategyInfo, type Strategy } from "./plan-draw";

/** What stands in place of a sample's id and file name: they may tell the class, and so may the order of files. */
export function blindAlias(at: number): string {
  return `Item ${at + 1}`;
}

/** Everything of a trajectory but its steps, as views get it; `sample` is its manifest line. */
export type BlindHeader = Omit<Trajectory, "steps"> & { readonly sample?: { readonly id: string; readonly category?: string | undefined; readonly task?: string | undefined } | undefined };

/**
 * A header without what tells: the original label, what the benchmark itself says of the result, names and ids, the manifest
 * line. How the run ended and its final answer stay, since they are part of what is judged.
 */
export function blindHeader<T extends BlindHeader>(header: T, alias: string): T {
  const { label: _label, labelMeaning: _meaning, uuid: _uuid, parentId: _parent, outcome, title, sample, ...rest } = header;
  const { success: _success, details: _details, ...end } = outcome ?? {};
  return {
    ...rest, id: alias, metadata: [], warnings: [],
    ...(title === undefined || classWord(title) !== undefined ? {} : { title }),
    ...(outcome ? { outcome: end } : {}),
    ...(sample ? { sample: { id: alias, ...(sample.category === undefined ? {} : { category: sample.category }), ...(sample.task === undefined ? {} : { task: sample.task }) } } : {}),
  } as unknown as T;
}

/** Whether labels on a plan may be called blind at all: not where being in the plan tells the verdict. */
export function canBeBlind(header: Pick<PlanHeader, "strategy">): boolean {
  const info = strategyInfo[header.strategy as Strategy] as (typeof strategyInfo)[Strategy] | undefined;
  return info?.tellsVerdict !== true;
}

/**
 * Whether a sample of a queue that shows verdicts is to be judged blind first: a share (0 to 1) of all, fixed by seed and id,
 * so that the choice does not hang on what was judged before.
 */
export function isBlindFirst(seed: number, sampleId: string, share: number): boolean {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = 0; at < sampleId.length; at++) hash = Math.imul(hash ^ sampleId.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000 < share;
}

export interface Sight {
  /** The queue withholds verdicts and labels for this sample. */
  readonly blind: boolean;
  /** Whether the plan allows to call it blind. */
  readonly plan?: Pick<PlanHeader, "strategy"> | undefined;
  /** What has been revealed so far for this sample, or stood there from the start. */
  readonly shown: Iterable<Seen>;
}

/**
 * `blind` and `seen` of a record. A label is blind only where nothing was shown at all and the plan itself tells nothing; in a
 * plan of flagged samples alone the verdict counts as seen.
 */
export function sightFields({ blind, plan, shown }: Sight): Pick<LabelRecord, "blind" | "seen"> {
  const seen = new Set(shown);
  if (plan && !canBeBlind(plan)) seen.add("verdict");
  const order: readonly Seen[] = ["verdict", "evidence", "original", "others", "gold"];
  return { blind: blind && seen.size === 0, seen: order.filter((one) => seen.has(one)) };
}

/** `seconds` and `quick` of a record: focused time, to a tenth, and whether it was under `quickBelow` seconds (0 turns that off). */
export function timeFields(focusedMs: number, quickBelow = 2): Pick<LabelRecord, "seconds" | "quick"> {
  const seconds = Math.max(0, Math.round(focusedMs / 100) / 10);
  return { seconds, ...(focusedMs < quickBelow * 1000 ? { quick: true } : {}) };
}

/** Counts time while the sample is drawn and the view has the focus. `now` gives milliseconds that never run back. */
export class FocusClock {
  private counted = 0;
  private since: number | undefined;

  constructor(private readonly now: () => number) {}

  setFocused(focused: boolean): void {
    const at = this.now();
    if (this.since !== undefined) this.counted += Math.max(0, at - this.since);
    this.since = focused ? at : undefined;
  }

  /** Starts anew for another sample, with the focus as it is. */
  restart(): void {
    this.counted = 0;
    if (this.since !== undefined) this.since = this.now();
  }

  /** Milliseconds of focus so far. */
  get elapsed(): number {
    return this.counted + (this.since === undefined ? 0 : Math.max(0, this.now() - this.since));
  }
}
