/** Gives the samples of a plan to annotators: with a stated overlap, each in an order of their own, with unmarked repeats slipped in. */
import type { PlanItem } from "#core/workspace/schemas";
import type { Drawn } from "./plan-draw";
import { randomBelow, seededRandom, shuffled, type Random } from "./seeded-random";

export interface AssignOptions {
  readonly seed: number;
  /** Names; without any, the plan has one order that everybody shares. */
  readonly annotators?: readonly string[] | undefined;
  /** Share of the samples (0 to 1) that more than one annotator judges. */
  readonly overlap?: number | undefined;
  /** How many annotators judge a sample of the overlap; default 2. */
  readonly raters?: number | undefined;
  /** Share of each annotator's samples that come again; default 0.05. */
  readonly repeats?: number | undefined;
  /** Samples whose gold is settled, to slip in; each annotator gets those that are not in the plan for them already. */
  readonly known?: readonly string[] | undefined;
  /**
   * How far apart members of a group stand: `usual` keeps some twenty items between them, `half` half of the list (for halves
   * of pairs, so that the second is not judged with the first in mind).
   */
  readonly apart?: "usual" | "half" | undefined;
}

/** A repeat stands at least so many items behind the item that it repeats. */
export const repeatDistance = 50;

/** Halves of a pair stand so far apart where the plan is long enough. */
const groupDistance = 20;

/** The lines of a plan: the first annotator's in their order, then the next one's. */
export function assignItems(drawn: readonly Drawn[], options: AssignOptions): PlanItem[] {
  const annotators = options.annotators ?? [];
  if (annotators.length === 0) return orderFor(drawn, undefined, options);
  const shares = share(drawn, annotators, options);
  return annotators.flatMap((annotator, at) => orderFor(shares[at] ?? [], annotator, options));
}

/** Who judges what: the overlap goes round all sets of annotators, the rest to whoever has least. */
function share(drawn: readonly Drawn[], annotators: readonly string[], options: AssignOptions): Drawn[][] {
  const random = seededRandom(options.seed, "assign");
  const raters = Math.min(annotators.length, options.raters ?? 2);
  const common = annotators.length > 1 ? Math.round((options.overlap ?? 0) * drawn.length) : 0;
  const shares: Drawn[][] = annotators.map(() => []);
  const together = new Map<string, number>();
  for (const [at, one] of shuffled(drawn, random).entries()) {
    for (const who of chooseRaters(at < common ? raters : 1, shares, together, random)) shares[who]?.push(one);
  }
  return shares;
}

/** The annotators with least to do; among equals those who have shared fewest samples, then by lot. */
function chooseRaters(count: number, shares: readonly Drawn[][], together: Map<string, number>, random: Random): number[] {
  const chosen: number[] = [];
  const met = (a: number, b: number): string => `${Math.min(a, b)}:${Math.max(a, b)}`;
  const lots = shares.map(() => random());
  const cost = (who: number): readonly number[] => [
    shares[who]?.length ?? 0, chosen.reduce((sum, other) => sum + (together.get(met(who, other)) ?? 0), 0), lots[who] ?? 0,
  ];
  while (chosen.length < count) {
    const free = shares.map((_, who) => who).filter((who) => !chosen.includes(who));
    const [best] = free.sort((a, b) => compareLists(cost(a), cost(b)));
    if (best === undefined) break;
    for (const other of chosen) together.set(met(best, other), (together.get(met(best, other)) ?? 0) + 1);
    chosen.push(best);
  }
  return chosen;
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) if (value !== b[at]) return value - (b[at] ?? 0);
  return 0;
}

function orderFor(own: readonly Drawn[], annotator: string | undefined, options: AssignOptions): PlanItem[] {
  const random = seededRandom(options.seed, `order of ${annotator ?? ""}`);
  const assigned = annotator === undefined ? {} : { assigned_to: annotator };
  const mixed = shuffled(own, random);
  const order = (options.apart === "half" ? splitGroups(mixed) : spreadGroups(mixed)).map(({ sample, stratum, inclusionProb }): PlanItem => ({
    sample_id: sample.id, stratum, ...(inclusionProb === undefined ? {} : { inclusion_prob: inclusionProb }), ...assigned,
  }));
  const withKnown = insertKnown(order, options.known ?? [], assigned, random);
  return insertRepeats(withKnown, options.repeats ?? 0.05, assigned, random);
}

/** Moves members of a group apart: each waits until `groupDistance` others have passed, as far as there are others. */
function spreadGroups(order: readonly Drawn[]): Drawn[] {
  const out: Drawn[] = [];
  const lastAt = new Map<string, number>();
  let waiting: Drawn[] = [];
  const place = (one: Drawn): void => {
    lastAt.set(one.sample.group, out.length);
    out.push(one);
  };
  const isFree = ({ sample }: Drawn): boolean => out.length - (lastAt.get(sample.group) ?? -Infinity) > groupDistance;
  for (const one of order) {
    const ready = waiting.find(isFree);
    if (ready) {
      waiting = waiting.filter((other) => other !== ready);
      place(ready);
    }
    if (isFree(one)) place(one);
    else waiting.push(one);
  }
  // What still waits found too few others behind its group: it goes to the end that is further from it.
  for (const one of waiting) {
    const places = out.flatMap(({ sample }, at) => (sample.group === one.sample.group ? [at] : []));
    const fromStart = Math.min(...places);
    const fromEnd = out.length - 1 - Math.max(...places);
    if (fromStart > fromEnd) out.unshift(one);
    else out.push(one);
  }
  return out;
}

/**
 * Puts the first member of each group into the first half of the list and the second one as far behind it as there are items in
 * a half: no order lets two members of every group stand further apart. Which member comes first is as random as `order` is.
 */
function splitGroups(order: readonly Drawn[]): Drawn[] {
  const members = new Map<string, Drawn[]>();
  for (const one of order) members.set(one.sample.group, [...(members.get(one.sample.group) ?? []), one]);
  const groups = [...members.values()];
  const paired = groups.filter((own) => own.length > 1);
  const single = groups.filter((own) => own.length === 1).flat();
  return [...paired.flatMap(([first]) => first ?? []), ...single, ...paired.flatMap(([, ...rest]) => rest)];
}

function insertKnown(order: readonly PlanItem[], known: readonly string[], assigned: Pick<PlanItem, "assigned_to">, random: Random): PlanItem[] {
  const there = new Set(order.map(({ sample_id }) => sample_id));
  const out = [...order];
  for (const sample_id of known) {
    if (!there.has(sample_id)) out.splice(randomBelow(random, out.length + 1), 0, { sample_id, known: true, ...assigned });
  }
  return out;
}

/** Repeats a share of the items, each at a random place at least `repeatDistance` items later. None where the order is too short. */
function insertRepeats(order: readonly PlanItem[], share: number, assigned: Pick<PlanItem, "assigned_to">, random: Random): PlanItem[] {
  const early = order.flatMap((item, at) => (at + repeatDistance <= order.length && item.known !== true ? [{ item, at }] : []));
  const wanted = Math.min(early.length, Math.round(share * order.length));
  const behind = new Map<number, PlanItem[]>();
  for (const { item, at } of shuffled(early, random).slice(0, wanted)) {
    // Behind this item of the plain order; what other repeats put between only adds to the distance.
    const after = at + repeatDistance - 1 + randomBelow(random, order.length - (at + repeatDistance - 1));
    const repeat: PlanItem = { sample_id: item.sample_id, repeat_of: item.sample_id, ...assigned };
    behind.set(after, [...(behind.get(after) ?? []), repeat]);
  }
  return order.flatMap((item, at) => [item, ...(behind.get(at) ?? [])]);
}
