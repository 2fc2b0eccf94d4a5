/** Miss rate at a false alarm rate that one is ready to pay, and the other way round, at a threshold that is chosen on other samples than it is reported on. */
import type { Cluster } from "./clustered";
import { operatingPoints, type CurvePoint } from "./curves";
import { GroupCounter } from "./group-counter";
import { makeRate, type Rate } from "./rate";
import { listOf, type ScoredList, type ScoredVerdict } from "./scored-list";

export interface BudgetPoint {
  readonly budget_of: "false_alarm_rate" | "miss_rate";
  readonly budget: number;
  /** Scores that are not below it are flagged. Null: nothing is. */
  readonly threshold: number | null;
  readonly chosen_on: string;
  readonly reported_on: string;
  /** The threshold was chosen on the samples that it is reported on, which flatters it. */
  readonly optimistic?: true;
  readonly miss_rate: Rate;
  readonly false_alarm_rate: Rate;
}

export const defaultBudgets = [0.01, 0.05, 0.1] as const;

/**
 * For each budget of each rate the threshold that keeps it and makes the other rate smallest, chosen on split `dev` and
 * reported on `test` where both hold scores of both classes. Nothing of the test split, its pairs and its groups ever chooses: where
 * there is no such dev, it is chosen and reported on what is not held for testing, which is said. Among
 * thresholds that do alike the highest. Empty where a class has no scores that may choose.
 */
export function pointsAtBudgets(scored: ScoredList | readonly ScoredVerdict[], budgets: readonly number[] = defaultBudgets): BudgetPoint[] {
  const list = listOf(scored);
  const [free, dev, test] = [list.only("free", "dev"), list.only("dev"), list.only("test")];
  const apart = hasBoth(dev) && hasBoth(test);
  const [chosenOn, reportedOn] = apart ? [dev, test] : [free, free];
  const all = free.length === list.length ? "all" : "all but test";
  const points = operatingPoints(chosenOn);
  if (points.length === 0) return [];
  return (["false_alarm_rate", "miss_rate"] as const).flatMap((budgetOf) =>
    budgets.map((budget): BudgetPoint => {
      const { threshold } = choose(points, budgetOf, budget);
      return {
        budget_of: budgetOf, budget, threshold, chosen_on: apart ? "dev" : all, reported_on: apart ? "test" : all,
        ...(apart ? {} : { optimistic: true as const }), ...ratesAt(reportedOn, threshold),
      };
    }));
}

function choose(points: readonly CurvePoint[], budgetOf: BudgetPoint["budget_of"], budget: number): CurvePoint {
  const other = budgetOf === "miss_rate" ? "false_alarm_rate" : "miss_rate";
  // Points come from the highest threshold down, so the first of equals is the highest.
  const fitting = points.filter((point) => point[budgetOf] <= budget + 1e-12);
  return fitting.reduce((best, point) => (point[other] < best[other] ? point : best), fitting[0] as CurvePoint);
}

function hasBoth({ length, positives }: ScoredList): boolean {
  return positives > 0 && positives < length;
}

/** Both rates of flagging every score that is not below `threshold`. */
export function ratesAt(scored: ScoredList | readonly ScoredVerdict[], threshold: number | null): { miss_rate: Rate; false_alarm_rate: Rate } {
  const list = listOf(scored);
  const rate = (positive: boolean): Rate => {
    const clusters = clustersOf(list, threshold, positive);
    const total = (of: (cluster: Cluster) => number): number => clusters.reduce((sum, cluster) => sum + (cluster.groups ?? 1) * of(cluster), 0);
    return makeRate({
      numerator: total(({ hits }) => hits), denominator: total(({ size }) => size), invalid: 0, clusters,
      reason: `no score on a sample whose gold is ${positive ? "misbehavior" : "benign"}`,
    });
  };
  return { miss_rate: rate(true), false_alarm_rate: rate(false) };
}

/** Groups by how many samples of the class they hold and how many of them the threshold judges wrongly. */
function clustersOf({ scores, isPositive, groups, groupCount, length }: ScoredList, threshold: number | null, positive: boolean): Cluster[] {
  const counter = new GroupCounter(2, length, groupCount);
  for (let at = 0; at < length; at++) {
    if ((isPositive[at] === 1) !== positive) continue;
    counter.add(groups[at]!, 0);
    if ((threshold !== null && scores[at]! >= threshold) !== positive) counter.add(groups[at]!, 1);
  }
  return counter.types().map(({ counts: [size = 0, hits = 0], groups: alike }) => ({ size, hits, groups: alike }));
}
