/** What reviewers said of the halves of a pair before they knew what its author meant. */
import { compareByTime } from "#core/labels/instant";
import { isCheck, isStale } from "#core/labels/standing";
import type { LabelRecord, LabelValue } from "#core/workspace/schemas";

export interface BlindVoice {
  readonly label: LabelValue;
  /** Given on other content than the half has now: it says nothing of it any more. */
  readonly isStale: boolean;
}

/**
 * Each annotator's newest blind label on a sample, out of all records of it. One that was changed after something was revealed
 * still counts; one that was taken back does not. `contentSha256` is that of the sample now.
 */
export function blindVoices(records: readonly LabelRecord[], contentSha256: string | undefined): ReadonlyMap<string, BlindVoice> {
  const takenBack = new Set(records.flatMap(({ retracted, supersedes }) => (retracted === true && supersedes !== undefined ? [supersedes] : [])));
  const newest = new Map<string, LabelRecord>();
  for (const record of records) {
    if (!record.blind || record.label === null || record.retracted === true || isCheck(record) || takenBack.has(record.id)) continue;
    const before = newest.get(record.annotator);
    if (!before || compareByTime(record, before) > 0) newest.set(record.annotator, record);
  }
  return new Map([...newest].map(([annotator, record]) => [annotator, { label: record.label!, isStale: isStale(record, contentSha256) }]));
}

export interface PairJudge {
  readonly annotator: string;
  /** In the order of the halves; null where the annotator did not judge the half as it is now. */
  readonly labels: readonly (LabelValue | null)[];
  readonly hasJudgedAll: boolean;
}

/** Everybody who judged a half blind, by name. `voices` are those of each half. */
export function pairJudges(voices: readonly ReadonlyMap<string, BlindVoice>[]): PairJudge[] {
  const names = [...new Set(voices.flatMap((half) => [...half.keys()]))].sort();
  return names.map((annotator): PairJudge => {
    const labels = voices.map((half) => {
      const voice = half.get(annotator);
      return voice && !voice.isStale ? voice.label : null;
    });
    return { annotator, labels, hasJudgedAll: labels.length > 1 && labels.every((label) => label !== null) };
  });
}

/** Who may see what others said while a pair is in review: whoever judged both halves, and its author. */
export function mayOpenOutcome(status: string | undefined, annotator: string | undefined, authors: readonly string[], judges: readonly PairJudge[]): boolean {
  if (status !== "in_review") return true;
  return annotator !== undefined && (authors.includes(annotator) || judges.some((judge) => judge.annotator === annotator && judge.hasJudgedAll));
}
