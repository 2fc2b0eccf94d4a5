/** Carrying a label over to a log that was made anew: what can be offered, and the ops of the person who takes it. */
import { carryRecord } from "#core/labels/carry-over";
import { spanFromDisk } from "#core/labels/record";
import type { Op } from "#core/labels/state";
import type { Span } from "#core/workspace/schemas";
import type { Step } from "#core/trajectory/model";
import type { ServerClient } from "../client/server-client";
import type { Target } from "../editor/document";
import type { SampleState } from "../editor/sample-state";

/** Steps that one request brings. */
const stepsAtOnce = 200;

/** Sets what carrying the standing record over would give; nothing where it was made on this version of the log. */
export async function offerCarry(client: ServerClient, target: Target, sample: SampleState): Promise<void> {
  const { standing, header } = sample;
  sample.carry = undefined;
  if (!standing || !sample.isStale) return;
  const steps: Step[] = [];
  for (let from = 0; from < header.stepCount; from += stepsAtOnce) {
    const answer = await client.request("tracemark/steps", { ...target, from, to: Math.min(from + stepsAtOnce, header.stepCount) });
    steps.push(...answer.steps);
  }
  const carry = carryRecord(standing, steps);
  const used = new Set(carry.spans.map(({ step }) => step));
  sample.remember(steps.filter(({ index }) => used.has(index)));
  sample.carry = carry;
}

/**
 * The ops that put the spans where they stand now, and the spans that stand nowhere. Categories and note stay; the decision is
 * not carried, since it was made on other content and is the person's to make again.
 */
export function carriedOps(sample: SampleState): { readonly ops: readonly Op[]; readonly orphans: readonly Span[] } {
  const { carry, revision, standing } = sample;
  if (!carry || !standing) return { ops: [], orphans: sample.orphans };
  const orphans = [...carry.orphaned];
  // Those of the record alone: a span that was marked on this version meanwhile stays.
  const ops: Op[] = sample.state.spans.filter(({ id }) => id.startsWith(`${standing.id}/`)).map(({ id }) => ({ type: "span/remove", id }));
  for (const [at, span] of carry.spans.entries()) {
    const found = spanFromDisk(span, `carried-${revision}-${at}`, (index) => sample.step(index));
    if (found) ops.push({ type: "span/add", span: found.span });
    else orphans.push(span);
  }
  return { ops, orphans };
}
