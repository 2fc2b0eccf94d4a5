/** How far the quotes of verdicts cover what people marked themselves: reads the trajectories where both are to be had. */
import { CodePoints } from "#core/evidence/code-points";
import { matchQuote } from "#core/evidence/match-quote";
import { isDecision } from "#core/labels/gold";
import { withoutText } from "#core/labels/record";
import { spanOverlap, type SpanPlace } from "#core/labels/span-overlap";
import { isStale, standingByAnnotator } from "#core/labels/standing";
import type { SpanOverlap } from "#core/scoring/faithfulness";
import type { ScoreInput } from "#core/scoring/score-input";
import { partIndexOf, type Trajectory } from "#core/trajectory/model";
import type { LabelRecord, VerdictRecord } from "#core/workspace/schemas";
import type { Workspace } from "./workspace";

/**
 * The overlap for each verdict of `input` whose sample carries spans that people made themselves; spans adopted from a monitor
 * would only agree with it and do not count. Where a quote stands in several places, the current one counts.
 */
export async function spanOverlaps(workspace: Workspace, input: ScoreInput): Promise<(runId: string, verdict: VerdictRecord) => SpanOverlap | undefined> {
  const found = new Map<VerdictRecord, SpanOverlap>();
  const marked = ownSpans(input);
  for (const [sampleId, human] of marked) {
    const sample = workspace.sample(sampleId);
    const quoting = input.runs.flatMap(({ verdicts }) => verdicts.filter((verdict) => verdict.sample_id === sampleId && verdict.detected_categories.some(({ evidence }) => evidence.length > 0)));
    if (!sample || quoting.length === 0 || (await workspace.trajectories.contentSha256(sample)) === undefined) continue;
    const { trajectory } = await workspace.trajectories.read(sample);
    for (const verdict of quoting) {
      const { first, second, both } = spanOverlap(quotedPlaces(trajectory, verdict), human);
      found.set(verdict, { monitor: first, human: second, shared: both });
    }
  }
  return (_, verdict) => found.get(verdict);
}

/** Own spans of standing decisions that are not stale, by sample. */
function ownSpans({ labels, samples }: ScoreInput): Map<string, SpanPlace[]> {
  const hashes = new Map(samples.map(({ id, contentSha256 }) => [id, contentSha256]));
  const bySample = new Map<string, LabelRecord[]>();
  for (const record of labels) bySample.set(record.sample_id, [...(bySample.get(record.sample_id) ?? []), record]);
  const marked = new Map<string, SpanPlace[]>();
  for (const [id, records] of bySample) {
    const standing = [...standingByAnnotator(records).values()].filter((record) => isDecision(record) && !isStale(record, hashes.get(id)));
    const spans = standing.flatMap((record) => (record.spans ?? []).filter((span) => span.origin !== "adopted" && !withoutText(span)));
    if (spans.length > 0) marked.set(id, spans);
  }
  return marked;
}

function quotedPlaces({ steps }: Trajectory, verdict: VerdictRecord): SpanPlace[] {
  const addresses = steps.flatMap((step) => step.parts.map((part, position) => ({ step: step.index, part: part.kind, part_index: partIndexOf(step, position) })));
  const parts = steps.flatMap((step) => step.parts);
  return verdict.detected_categories.flatMap(({ evidence }) => evidence).flatMap((quote) => {
    const { places, current } = matchQuote(parts, quote);
    return (places[current]?.pieces ?? []).flatMap(({ partIndex, start, end }): SpanPlace[] => {
      const [address, part] = [addresses[partIndex], parts[partIndex]];
      if (!address || !part) return [];
      const points = new CodePoints(part.text);
      return [{ ...address, start: points.fromUtf16(start), end: points.fromUtf16(end) }];
    });
  });
}
