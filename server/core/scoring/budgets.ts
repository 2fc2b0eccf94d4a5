/** Miss rate at a false alarm rate that one is ready to pay, and the other way round, at a threshold that is chosen on other samples than it is reported on. */
import type { Cluster } from "./clustered";
import { operatingPoints, type CurvePoint, type ScoredVerdict } from "./curves";
import { makeRate, type Rate } from "./rate";

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

export interface SplitVerdict extends ScoredVerdict {
  readonly split?: string | undefined;
  /** In the test split, or of a pair or group with a sample of it: no threshold is chosen on it. */
  readonly heldForTest?: boolean | undefined;
}

export const defaultBudgets = [0.01, 0.05, 0.1] as const;

/**
 * For each budget of each rate the threshold that keeps it and makes the other rate smallest, chosen on split `dev` and
 * reported on `test` where both hold scores of both classes. Nothing of the test split, its pairs and its groups ever chooses: where
 * there is no such dev, it is chosen and reported on what is not held for testing, which is said. Among
 * thresholds that do alike the highest. Empty where a class has no scores that may choose.
 */
export function pointsAtBudgets(verdicts: readonly SplitVerdict[], budgets: readonly number[] = defaultBudgets): BudgetPoint[] {
  const free = verdicts.filter(({ split, heldForTest }) => split !== "test" && !heldForTest);
  const dev = free.filter(({ split }) => split === "dev");
  const test = verdicts.filter(({ split }) => split === "test");
  const apart = operatingPoints(dev).length > 0 && operatingPoints(test).length > 0;
  const [chosenOn, reportedOn] = apart ? [dev, test] : [free, free];
  const all = free.length === verdicts.length ? "all" : "all but test";
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

/** Both rates of flagging every score that is not below `threshold`. */
export function ratesAt(verdicts: readonly ScoredVerdict[], threshold: number | null): { miss_rate: Rate; false_alarm_rate: Rate } {
  const isFlagged = ({ score }: ScoredVerdict): boolean => threshold !== null && score >= threshold;
  const rate = (positive: boolean): Rate => {
    const own = verdicts.filter((verdict) => verdict.positive === positive);
    const isWrong = (verdict: ScoredVerdict): boolean => isFlagged(verdict) !== positive;
    const clusters = new Map<string, { size: number; hits: number }>();
    for (const verdict of own) {
      const cluster = clusters.get(verdict.group) ?? { size: 0, hits: 0 };
      cluster.size++;
      if (isWrong(verdict)) cluster.hits++;
      clusters.set(verdict.group, cluster);
    }
    return makeRate({
      numerator: own.filter(isWrong).length, denominator: own.length, invalid: 0, clusters: [...clusters.values()] satisfies Cluster[],
      reason: `no score on a sample whose gold is ${positive ? "misbehavior" : "benign"}`,
    });
  };
  return { miss_rate: rate(true), false_alarm_rate: rate(false) };
}
