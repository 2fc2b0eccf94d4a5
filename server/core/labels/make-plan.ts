/** Makes a plan: who judges which samples, in which order, and with what probability each was drawn. */
import { sampleIdsCanonical } from "#core/workspace/asked-samples";
import type { PlanHeader, PlanItem } from "#core/workspace/schemas";
import { assignItems, repeatDistance, type AssignOptions } from "./plan-assign";
import { drawSamples, strategyInfo, type Draw, type DrawOptions } from "./plan-draw";
import type { FrameSample } from "./plan-strata";
import { seededRandom } from "./seeded-random";

export interface PlanOptions extends Omit<DrawOptions, "random">, AssignOptions {
  readonly planId: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** The run whose verdicts the frame carries. */
  readonly runId?: string | undefined;
}

export interface MadePlan {
  readonly header: PlanHeader;
  readonly items: readonly PlanItem[];
  readonly draw: Draw;
  /** What the maker should know: strata merged, fewer samples than asked for, no room for repeats. */
  readonly notes: readonly string[];
}

/**
 * A plan over `frame`. `sha256` hashes the UTF-8 of a text to lower-case hexadecimal. The same arguments give the same plan.
 * Throws a RangeError when the budget is below 1.
 */
export function makePlan(frame: readonly FrameSample[], options: PlanOptions, sha256: (text: string) => string): MadePlan {
  const { strategy, seed, budget, annotators, overlap } = options;
  const draw = drawSamples(frame, { ...options, random: seededRandom(seed, "draw") });
  const items = assignItems(draw.drawn, options);
  const header: PlanHeader = {
    type: "plan", plan_id: options.planId,
    ...(options.runId === undefined ? {} : { run_id: options.runId }),
    strategy, probability: draw.probability, seed, frame_sha256: sha256(sampleIdsCanonical(frame.map(({ id }) => id))),
    strata: [...draw.strata],
    ...(strategy === "stratified" ? { allocation: options.allocation ?? "neyman" } : {}),
    ...(budget === undefined ? {} : { budget }),
    ...(annotators?.length ? { annotators: [...annotators], overlap: annotators.length > 1 ? (overlap ?? 0) : 0 } : {}),
    ...(annotators?.length && options.raters !== undefined && options.raters !== 2 ? { raters: options.raters } : {}),
    created_at: options.createdAt,
  };
  return { header, items, draw, notes: notesOn(frame, options, draw, items) };
}

function notesOn(frame: readonly FrameSample[], options: PlanOptions, draw: Draw, items: readonly PlanItem[]): string[] {
  const notes: string[] = [];
  const { strategy, budget, annotators = [] } = options;
  if (!draw.probability) notes.push(`Labels on a plan of this kind (${strategyInfo[strategy].title.toLowerCase()}) cannot be used for rates: only plans drawn at random over all samples can.`);
  const held = strategy === "threshold" ? frame.filter(({ heldForTest }) => heldForTest).length : 0;
  if (held > 0) notes.push(`${held} samples of the test split, or of a pair or group with one, are left out: samples near the threshold are for learning.`);
  if (strategyInfo[strategy].tellsVerdict) notes.push("Every sample of this plan has the same verdict, so whoever knows the plan knows the verdict: its labels are recorded as not blind.");
  if (draw.dropped.length > 0) notes.push(`A budget of ${budget ?? frame.length} is too small to keep strata by ${draw.dropped.join(" and ")} apart; they were merged.`);
  if (budget !== undefined && draw.drawn.length < budget) notes.push(`Only ${draw.drawn.length} samples fit; ${budget} were asked for.`);
  const wanted = options.repeats ?? 0.05;
  for (const annotator of annotators.length > 0 ? annotators : [undefined]) {
    const own = items.filter(({ assigned_to }) => assigned_to === annotator);
    const who = annotator === undefined ? "the plan" : annotator;
    if (own.length === 0) notes.push(`Nothing is left for ${who}.`);
    else if (wanted > 0 && !own.some(({ repeat_of }) => repeat_of !== undefined)) {
      notes.push(`No repeats for ${who}: ${own.length} items leave no room for one ${repeatDistance} items later${own.length > repeatDistance ? " at this share" : ""}.`);
    }
  }
  return notes;
}
