/** Which label of whom counts for agreement, and what was left out and why. */
import type { GoldLabel } from "#core/trajectory/model";
import type { LabelRecord } from "#core/workspace/schemas";
import { isGoldLabel, voicesOf } from "./gold";
import { compareByTime } from "./instant";
import { isCheck, standingByAnnotator, supersededIds } from "./standing";

export interface AgreementSample {
  readonly id: string;
  readonly contentSha256?: string | undefined;
  /** Settled gold, for known items. */
  readonly gold?: GoldLabel | null | undefined;
}

export interface CountedLabel {
  readonly annotator: string;
  readonly label: GoldLabel;
  readonly record: LabelRecord;
}

export interface CountedSample {
  readonly id: string;
  /** One for each annotator, by name. */
  readonly labels: readonly CountedLabel[];
}

export interface Voices {
  readonly samples: readonly CountedSample[];
  readonly excluded: readonly { readonly reason: string; readonly count: number }[];
  /** Labels on repeats, each with the annotator's own counted label of the same sample. */
  readonly repeats: readonly { readonly annotator: string; readonly first: GoldLabel; readonly again: GoldLabel }[];
  /** Labels on known items, each with the settled gold. */
  readonly known: readonly { readonly annotator: string; readonly gold: GoldLabel; readonly given: GoldLabel }[];
}

/**
 * Each annotator's last decision before anything was revealed, on the content as it is. Adjudications, drafts, unsure and
 * cannot_judge are left out and counted; so is, with `blindOnly`, every record that is not blind.
 */
export function countVoices(samples: readonly AgreementSample[], records: readonly LabelRecord[], blindOnly: boolean): Voices {
  const excluded = new Map<string, number>();
  const leaveOut = (reason: string, count = 1): void => void (count > 0 && excluded.set(reason, (excluded.get(reason) ?? 0) + count));
  const bySample = new Map<string, LabelRecord[]>(samples.map(({ id }) => [id, []]));
  for (const record of records) {
    const own = bySample.get(record.sample_id);
    if (!own) leaveOut("unknown sample");
    else if (blindOnly && !record.blind && record.retracted !== true) leaveOut("not blind");
    else if (record.adjudicates !== undefined) leaveOut("adjudication");
    else own.push(record);
  }
  const repeats: Voices["repeats"][number][] = [];
  const known: Voices["known"][number][] = [];
  const counted = samples.map((sample): CountedSample => {
    const own = bySample.get(sample.id) ?? [];
    const labels = countedLabels(sample, own, leaveOut);
    for (const check of standingChecks(own)) {
      leaveOut(check.check === "repeat" ? "repeat" : "known item");
      if (!isGoldLabel(check.label)) continue;
      const first = labels.find(({ annotator }) => annotator === check.annotator);
      if (check.check === "repeat" && first) repeats.push({ annotator: check.annotator, first: first.label, again: check.label });
      if (check.check === "known" && sample.gold) known.push({ annotator: check.annotator, gold: sample.gold, given: check.label });
    }
    return { id: sample.id, labels };
  });
  leaveOut("only one annotator", counted.filter(({ labels }) => labels.length === 1).length);
  return { samples: counted, repeats, known, excluded: [...excluded].map(([reason, count]) => ({ reason, count })).sort((a, b) => (a.reason < b.reason ? -1 : 1)) };
}

function countedLabels(sample: AgreementSample, records: readonly LabelRecord[], leaveOut: (reason: string) => void): CountedLabel[] {
  for (const record of standingByAnnotator(records).values()) {
    if (record.retracted === true) leaveOut("retracted");
    else if (record.label === null) leaveOut(record.skipped === true ? "skipped" : "no decision");
  }
  const labels: CountedLabel[] = [];
  for (const { annotator, counted, stale } of voicesOf({ records, contentSha256: sample.contentSha256 })) {
    if (stale) leaveOut("stale");
    else if (isGoldLabel(counted.label)) labels.push({ annotator, label: counted.label, record: counted });
    else if (counted.label !== null) leaveOut(counted.label);
  }
  return labels.sort((a, b) => (a.annotator < b.annotator ? -1 : 1));
}

/** The newest check of each annotator and plan that nothing supersedes or takes back. */
function standingChecks(records: readonly LabelRecord[]): LabelRecord[] {
  const checks = records.filter(isCheck);
  if (checks.length === 0) return [];
  const superseded = supersededIds(records);
  const newest = new Map<string, LabelRecord>();
  for (const record of checks.filter(({ id }) => !superseded.has(id))) {
    const key = JSON.stringify([record.annotator, record.check, record.plan_id ?? ""]);
    const other = newest.get(key);
    if (!other || compareByTime(record, other) > 0) newest.set(key, record);
  }
  return [...newest.values()].filter(({ retracted }) => retracted !== true);
}
