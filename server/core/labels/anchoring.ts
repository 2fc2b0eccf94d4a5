/** How much more often people agree with a monitor whose verdict they saw than with one they did not: anchoring, made visible. */
import { wilson } from "#core/scoring/intervals";
import type { LabelRecord, VerdictRecord } from "#core/workspace/schemas";
import type { Estimate } from "./alpha";
import { isDecision, isGoldLabel } from "./gold";
import { compareByTime } from "./instant";
import { byAnnotator, isCheck, isStale, supersededIds } from "./standing";

export interface AnchoringRun {
  readonly runId: string;
  readonly verdicts: readonly Pick<VerdictRecord, "sample_id" | "outcome" | "content_sha256">[];
}

export interface Anchoring {
  readonly run_id: string;
  /** Share of labels that say what the monitor said; `n` counts labels. */
  readonly blind: Estimate;
  readonly shown: Estimate;
  /** Shown minus blind; null where one of the two has no labels. */
  readonly gap: { readonly value: number; readonly low: number; readonly high: number } | null;
}

/**
 * Agreement with each run by what the labeller had seen. Each person counts once for a sample, with their first decision that
 * nothing of their own had replaced before: *blind* when nothing was shown, *shown* when the verdict or its evidence was.
 * Labels on other content, unsure, adjudications and checks do not count. The gap's interval is Newcombe's hybrid of Wilson's
 * (1998, Stat. Med. 17:873-890, method 10).
 */
export function anchoring(records: readonly LabelRecord[], runs: readonly AnchoringRun[], contentOf: (sampleId: string) => string | undefined = () => undefined): Anchoring[] {
  const first = firstDecisions(records, contentOf);
  return runs.map(({ runId, verdicts }): Anchoring => {
    const tally = { blind: { same: 0, n: 0 }, shown: { same: 0, n: 0 } };
    for (const { sample_id, outcome, content_sha256 } of verdicts) {
      if (outcome === "invalid" || isStale({ content_sha256 }, contentOf(sample_id))) continue;
      for (const record of first.get(sample_id) ?? []) {
        const group = groupOf(record, runId);
        if (!group) continue;
        tally[group].n++;
        if (record.label === outcome) tally[group].same++;
      }
    }
    const [blind, shown] = [share(tally.blind), share(tally.shown)];
    return { run_id: runId, blind, shown, gap: newcombe(shown, blind) };
  });
}

/** A verdict that was shown is that of the run the record names. */
function groupOf({ seen, run_id, blind }: LabelRecord, runId: string): "blind" | "shown" | undefined {
  if (seen.length === 0) return blind ? "blind" : undefined;
  const sawVerdict = seen.includes("verdict") || seen.includes("evidence");
  return sawVerdict && (run_id === undefined || run_id === runId) ? "shown" : undefined;
}

function firstDecisions(records: readonly LabelRecord[], contentOf: (sampleId: string) => string | undefined): Map<string, LabelRecord[]> {
  const bySample = new Map<string, LabelRecord[]>();
  for (const record of records) {
    const own = bySample.get(record.sample_id);
    if (own) own.push(record);
    else bySample.set(record.sample_id, [record]);
  }
  const first = new Map<string, LabelRecord[]>();
  for (const [id, all] of bySample) {
    const current = all.filter((record) => !isCheck(record) && record.adjudicates === undefined && !isStale(record, contentOf(id)));
    const retracted = supersededIds(current.filter((record) => record.retracted === true));
    const own = [...byAnnotator(current).values()].flatMap((mine) => {
      const decided = mine.filter((record) => isDecision(record) && isGoldLabel(record.label) && !retracted.has(record.id)).sort(compareByTime);
      return decided[0] ? [decided[0]] : [];
    });
    if (own.length > 0) first.set(id, own);
  }
  return first;
}

function share({ same, n }: { readonly same: number; readonly n: number }): Estimate {
  const interval = wilson(same, n);
  return { value: n === 0 ? null : same / n, low: interval?.low ?? null, high: interval?.high ?? null, n };
}

/** The interval of a difference of two independent proportions, a minus b. */
export function newcombe(a: Estimate, b: Estimate): { value: number; low: number; high: number } | null {
  if (a.value === null || b.value === null || a.low === null || a.high === null || b.low === null || b.high === null) return null;
  const value = a.value - b.value;
  return {
    value,
    low: Math.max(-1, value - Math.hypot(a.value - a.low, b.high - b.value)),
    high: Math.min(1, value + Math.hypot(a.high - a.value, b.value - b.low)),
  };
}
