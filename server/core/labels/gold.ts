/** Gold: what a benchmark scores against once people have spoken (adjudication, votes, else the original label). */
import type { GoldLabel } from "#core/trajectory/model";
import type { LabelRecord } from "#core/workspace/schemas";
import { instantOf } from "./instant";
import { byAnnotator, isCheck, isStale, newestStanding, supersededIds } from "./standing";

export type GoldStatus =
  | "adjudicated" | "unanimous" | "majority" | "single" | "contested" | "undecided" | "original" | "unlabelled";

/** What it takes to overturn an original label: any majority of votes, two agreeing votes, or only an adjudication. */
export type OverturnPolicy = "any" | "two" | "adjudicated";

export interface Gold {
  /** Null when undecided or unlabelled. A contested sample has its original label, if any. */
  readonly label: GoldLabel | null;
  readonly status: GoldStatus;
  readonly votes: { readonly misbehavior: number; readonly benign: number };
  /** Standing `unsure` and `cannot_judge` that are not stale. */
  readonly undecidedVoices: number;
  /** Annotators whose standing record was made on other content. */
  readonly stale: number;
  /** Id of the adjudication that decided, and whether a record it names was superseded since. */
  readonly adjudication?: string;
  readonly reopened?: true;
  /** Annotators who changed their label after something was revealed: their earlier one votes, the change asks for adjudication. */
  readonly changedAfterReveal: readonly string[];
  /** The votes would overturn the original label, but the policy asks for more. */
  readonly held?: true;
  /** Gold differs from an original label that was there. */
  readonly overturned: boolean;
}

export interface GoldInput {
  /** All records of this one sample (after any filter by `blind`). */
  readonly records: readonly LabelRecord[];
  readonly original?: GoldLabel | undefined;
  /** `content_sha256` of the sample as it is now; undefined where it is not known, then nothing counts as stale. */
  readonly contentSha256?: string | undefined;
  readonly overturn?: OverturnPolicy | undefined;
}

/** The gold of one sample. Pure; the order of `records` does not matter. */
export function resolveGold(given: GoldInput): Gold {
  const { original } = given;
  // Repeats and known items measure annotators; they are never gold.
  const input = given.records.some(isCheck) ? { ...given, records: given.records.filter((record) => !isCheck(record)) } : given;
  const superseded = supersededIds(input.records);
  const tally = tallyVotes(input, superseded);
  const base = { votes: tally.votes, undecidedVoices: tally.undecided, stale: tally.stale, changedAfterReveal: tally.changed };
  const settle = (label: GoldLabel | null, status: GoldStatus, more: Partial<Gold> = {}): Gold => ({
    ...base, label, status, overturned: original !== undefined && label !== null && label !== original, ...more,
  });

  const adjudication = newestAdjudication(input, superseded);
  if (adjudication) {
    const mark = { adjudication: adjudication.id, ...(isReopened(adjudication, input.records) ? { reopened: true as const } : {}) };
    return isGoldLabel(adjudication.label) ? settle(adjudication.label, "adjudicated", mark) : settle(null, "undecided", mark);
  }
  const { misbehavior, benign } = tally.votes;
  const total = misbehavior + benign;
  if (total === 0) {
    if (tally.undecided > 0) return settle(null, "undecided");
    return original === undefined ? settle(null, "unlabelled") : settle(original, "original");
  }
  if (misbehavior === benign) return settle(original ?? null, "contested");
  const voted: GoldLabel = misbehavior > benign ? "misbehavior" : "benign";
  const status = total === 1 ? "single" : misbehavior === 0 || benign === 0 ? "unanimous" : "majority";
  const needed = input.overturn === "adjudicated" ? Infinity : input.overturn === "two" ? 2 : 1;
  if (original !== undefined && voted !== original && Math.max(misbehavior, benign) < needed) return settle(original, status, { held: true });
  return settle(voted, status);
}

/** Whether a label is one that a monitor can be scored against. */
export function isGoldLabel(label: LabelRecord["label"] | undefined): label is GoldLabel {
  return label === "misbehavior" || label === "benign";
}

/** Whether a standing record says something of the sample: not a retraction, and with a decision. */
export function isDecision(record: LabelRecord): boolean {
  return record.retracted !== true && record.label !== null;
}

/** The newest adjudication with a decision that is neither superseded, retracted nor stale. */
function newestAdjudication(input: GoldInput, superseded: ReadonlySet<string>): LabelRecord | undefined {
  const candidates = input.records.filter(
    (record) => record.adjudicates !== undefined && isDecision(record) && !isStale(record, input.contentSha256),
  );
  return newestStanding(candidates, superseded);
}

/** Whether a record that the adjudication names was superseded, by anything but the adjudication itself. */
function isReopened(adjudication: LabelRecord, records: readonly LabelRecord[]): boolean {
  const named = new Set(adjudication.adjudicates);
  return records.some((record) => record.id !== adjudication.id && record.supersedes !== undefined && named.has(record.supersedes));
}

interface Tally {
  readonly votes: { misbehavior: number; benign: number };
  undecided: number;
  stale: number;
  readonly changed: string[];
}

function tallyVotes(input: GoldInput, superseded: ReadonlySet<string>): Tally {
  const tally: Tally = { votes: { misbehavior: 0, benign: 0 }, undecided: 0, stale: 0, changed: [] };
  for (const { annotator, counted, changed, stale } of voicesOf(input, superseded)) {
    if (stale) {
      tally.stale++;
      continue;
    }
    if (changed) tally.changed.push(annotator);
    if (isGoldLabel(counted.label)) tally.votes[counted.label]++;
    else tally.undecided++;
  }
  return tally;
}

/** What one annotator says of a sample. */
export interface Voice {
  readonly annotator: string;
  /** The decision that counts: the standing one, or the last one before something was revealed. */
  readonly counted: LabelRecord;
  readonly standing: LabelRecord;
  /** The label was changed after something was revealed. */
  readonly changed: boolean;
  /** Made on other content: `counted` is then the standing record and does not vote. */
  readonly stale: boolean;
}

/** The annotators with a standing decision on one sample, in order of first appearance. Adjudications and checks are no voices. */
export function voicesOf(input: Pick<GoldInput, "records" | "contentSha256">, superseded: ReadonlySet<string> = supersededIds(input.records)): Voice[] {
  const voices: Voice[] = [];
  for (const [annotator, all] of byAnnotator(input.records)) {
    const own = all.filter((record) => !isCheck(record));
    const standing = newestStanding(own, superseded);
    // Adjudications decide, they do not vote; one that is retracted or stale revives no earlier vote of its author.
    if (!standing || !isDecision(standing) || standing.adjudicates !== undefined) continue;
    const stale = isStale(standing, input.contentSha256);
    const counted = (stale ? undefined : lastBeforeReveal(own, input.contentSha256)) ?? standing;
    voices.push({ annotator, counted, standing, changed: counted.label !== standing.label, stale });
  }
  return voices;
}

/**
 * The annotator's last decision from before anything was revealed to them (`seen` empty, older than their first record
 * with something seen). Undefined when nothing was revealed, or nothing usable was decided before it.
 */
function lastBeforeReveal(own: readonly LabelRecord[], contentSha256: string | undefined): LabelRecord | undefined {
  const revealed = own.filter((record) => record.seen.length > 0);
  if (revealed.length === 0) return undefined;
  const reveal = Math.min(...revealed.map((record) => instantOf(record.created_at) ?? -Infinity));
  const early = own.filter((record) => record.adjudicates === undefined && record.seen.length === 0 && (instantOf(record.created_at) ?? -Infinity) <= reveal);
  // Later records supersede these by design, so only what was superseded at that time counts here. A draft without a decision is no label.
  const last = newestStanding(early.filter((record) => record.label !== null || record.retracted === true), supersededIds(early));
  return last && isDecision(last) && !isStale(last, contentSha256) ? last : undefined;
}
