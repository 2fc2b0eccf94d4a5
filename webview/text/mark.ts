/** A highlighted stretch of a part, whatever it comes from, ready to draw. */
import type { EvidenceStatus } from "#protocol/lsp";

export type MarkLayer = "evidence" | "own" | "side" | "hit";

/** `start` and `end` are UTF-16 offsets in the text of part `part` (its position) of step `step`. */
export interface Mark {
  /** Unique among all marks of the view. */
  readonly id: string;
  /** The finding, the span or the hit it is a piece of. */
  readonly ref: string;
  readonly layer: MarkLayer;
  readonly status?: EvidenceStatus | undefined;
  /** A further class of the drawn mark. */
  readonly variant?: string | undefined;
  readonly step: number;
  readonly part: number;
  readonly start: number;
  readonly end: number;
  /** Index into the theme's chart colours, -1 for the plain foreground. */
  readonly hue: number;
  /** Letters that say the category beside its colour. */
  readonly tag: string;
  readonly current: boolean;
  /** Sentence for a tooltip and for assistive technology. */
  readonly title: string;
}

/** The key of a part in maps. */
export const partKey = (step: number, part: number): string => `${step}.${part}`;

/**
 * A level for each mark so that marks which overlap are on different ones: the first free level in order of start.
 * Underlines of different levels lie below each other.
 */
export function levels(marks: readonly Mark[]): Map<string, number> {
  const byId = new Map<string, number>();
  const ends: number[] = [];
  for (const mark of [...marks].filter((m) => m.layer !== "hit").sort((a, b) => a.start - b.start || b.end - a.end)) {
    let level = ends.findIndex((end) => end <= mark.start);
    if (level < 0) level = ends.length;
    ends[level] = mark.end;
    byId.set(mark.id, level);
  }
  return byId;
}
