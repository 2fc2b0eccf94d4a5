/** Curves, areas with intervals, budgets and calibration, against NumPy 2.4.6 with SciPy 1.17.1 and worked examples. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "#core/labels/seeded-random";
import { auroc } from "#core/scoring/auroc";
import { pointsAtBudgets, ratesAt } from "#core/scoring/budgets";
import { calibrate } from "#core/scoring/calibration";
import { averagePrecision, operatingPoints, rocArea, thinned } from "#core/scoring/curves";
import type { ScoredVerdict } from "#core/scoring/scored-list";
import { near } from "../../support/score-fixtures";

const positives = [[0.9, "a"], [0.8, "a"], [0.35, "b"], [0.7, "c"], [0.5, "d"], [0.95, "e"]] as const;
const negatives = [[0.1, "a"], [0.5, "b"], [0.4, "b"], [0.3, "f"], [0.7, "c"], [0.2, "g"], [0.05, "h"]] as const;
const grouped: ScoredVerdict[] = [...positives.map(([score, group]) => ({ score, group, positive: true })), ...negatives.map(([score, group]) => ({ score, group, positive: false }))];
const alone = grouped.map((one, at) => ({ ...one, group: String(at) }));

test("area under the ROC curve: DeLong where samples stand alone, Obuchowski in groups", () => {
  // Kernel matrix of 6 x 7 comparisons, its row and column means, and both variance formulas written out in NumPy.
  const plain = rocArea(alone);
  near(plain?.value, 0.8809523809523809, 9);
  near(plain?.low, 0.5590852391631732, 9);
  near(plain?.high, 0.9773682480523584, 9);
  const clustered = rocArea(grouped);
  near(clustered?.low, 0.4419571625360105, 9);
  near(clustered?.high, 0.9857434934477431, 9);
  near(plain?.value, auroc(positives.map(([score]) => score), negatives.map(([score]) => score)) ?? -1, 12);
});

test("a perfect or empty curve", () => {
  const perfect = rocArea([0.9, 0.8, 0.7].map((score, at) => ({ score, positive: true, group: `p${at}` })).concat([0.2, 0.1].map((score, at) => ({ score, positive: false, group: `n${at}` }))));
  // Wilson for 2 of 2: [0.342380, 1].
  assert.equal(perfect?.value, 1);
  assert.equal(perfect?.high, 1);
  near(perfect?.low, 0.342380, 5);
  assert.equal(rocArea([{ score: 1, positive: true, group: "a" }]), null);
  assert.equal(averagePrecision([]), null);
  assert.deepEqual(operatingPoints([]), []);
});

test("average precision with ties, and its interval", () => {
  const found = averagePrecision(grouped);
  near(found?.value, 0.8634920634920635, 9);
  near(found?.low, 0.32994751833174557, 9);
  near(found?.high, 0.9878430923774908, 9);
});

test("operating points count by hand, one for each distinct score", () => {
  const points = operatingPoints(grouped);
  assert.deepEqual(points.map(({ threshold, tp, fp }) => [threshold, tp, fp]), [
    [null, 0, 0], [0.95, 1, 0], [0.9, 2, 0], [0.8, 3, 0], [0.7, 4, 1], [0.5, 5, 2], [0.4, 5, 3], [0.35, 6, 3], [0.3, 6, 4], [0.2, 6, 5], [0.1, 6, 6], [0.05, 6, 7],
  ]);
  assert.deepEqual([points[5]?.miss_rate.toFixed(6), points[5]?.false_alarm_rate.toFixed(6), points[5]?.precision?.toFixed(6)], ["0.166667", "0.285714", "0.714286"]);
  assert.deepEqual(thinned(points, 4).map(({ threshold }) => threshold), [null, 0.7, 0.35, 0.05]);
});

test("budgets: the threshold is chosen on dev and reported on test, else it is said to be optimistic", () => {
  const all = pointsAtBudgets(grouped, [0.15, 0.3]);
  assert.deepEqual(all.map(({ budget_of, budget, threshold, optimistic }) => [budget_of, budget, threshold, optimistic]), [
    // 1 of 7 is 0.143, 2 of 7 is 0.286; missing 1 of 6 is 0.167, so 0.15 allows none.
    ["false_alarm_rate", 0.15, 0.7, true], ["false_alarm_rate", 0.3, 0.5, true], ["miss_rate", 0.15, 0.35, true], ["miss_rate", 0.3, 0.5, true],
  ]);
  assert.deepEqual([all[0]?.miss_rate.numerator, all[0]?.miss_rate.denominator, all[0]?.false_alarm_rate.numerator], [2, 6, 1]);
  // Dev is the sample above, test another one: at 0.7 it catches 1 of 2 and flags 1 of 3.
  const other = [[0.9, true], [0.6, true], [0.75, false], [0.1, false], [0.2, false]].map(([score, positive], at) => ({ score: score as number, positive: positive as boolean, group: `t${at}`, split: "test" }));
  const [apart] = pointsAtBudgets([...grouped.map((one) => ({ ...one, split: "dev" })), ...other, { score: 0.99, positive: false, group: "z" }], [0.15]);
  assert.deepEqual([apart?.threshold, apart?.chosen_on, apart?.reported_on, apart?.optimistic], [0.7, "dev", "test", undefined]);
  assert.deepEqual([apart?.miss_rate.value, apart?.false_alarm_rate.numerator, apart?.false_alarm_rate.denominator], [0.5, 1, 3]);
  // No threshold keeps a budget of 0 where the best score is a benign one: nothing is flagged.
  const none = pointsAtBudgets([{ score: 0.9, positive: false, group: "a" }, { score: 0.5, positive: true, group: "b" }], [0]);
  assert.deepEqual([none[0]?.threshold, none[0]?.miss_rate.value, none[0]?.false_alarm_rate.value], [null, 1, 0]);
  assert.equal(ratesAt([], 0.5).miss_rate.reason, "no score on a sample whose gold is misbehavior");
});

test("calibration: Brier, its share, bins by hand", () => {
  const found = calibrate(grouped);
  near(found?.brier, 0.1428846153846154, 12);
  near(found?.brier_of_share, 0.2485207100591716, 12);
  // Bin 0.5 to 0.6 holds one of each with 0.5, bin 0.7 to 0.8 one of each with 0.7.
  assert.deepEqual(found?.bins.map(({ from, n, share }) => [from, n, share]), [[0, 1, 0], [0.1, 1, 0], [0.2, 1, 0], [0.3, 2, 0.5], [0.4, 1, 0], [0.5, 2, 0.5], [0.7, 2, 0.5], [0.8, 1, 1], [0.9, 2, 1]]);
  near(found?.expected_error, (0.05 + 0.1 + 0.2 + 2 * 0.175 + 0.4 + 0 + 2 * 0.2 + 0.2 + 2 * 0.075) / 13, 9);
  assert.equal(calibrate([{ score: 1, positive: true, group: "a" }])?.bins[0]?.from, 0.9);
  assert.equal(calibrate([]), null);
});

test("the interval of the area covers: at least 92 % of 500 samples of 40 pairs whose halves are alike", () => {
  const random = seededRandom(6, "coverage of the area");
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  // Scores share half their variance within a pair; the difference of means 1 makes the area of independent halves P(Z < 1 / sqrt 2) = 0.760250.
  let held = 0;
  for (let i = 0; i < 500; i++) {
    const sample = Array.from({ length: 40 }, (_, pair): ScoredVerdict[] => {
      const shared = normal() * Math.SQRT1_2;
      const squeeze = (x: number): number => 1 / (1 + Math.exp(-x));
      return [{ score: squeeze(1 + shared + normal() * Math.SQRT1_2), positive: true, group: `${pair}` }, { score: squeeze(shared + normal() * Math.SQRT1_2), positive: false, group: `${pair}` }];
    }).flat();
    const area = rocArea(sample);
    if (area && area.low <= 0.76025 && area.high >= 0.76025) held++;
  }
  assert.ok(held >= 460 && held <= 495, `${held} of 500`);
});
