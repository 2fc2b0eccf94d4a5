/** Intervals, correlation, area and front, against published values and examples worked out in the comments. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { auroc } from "#core/scoring/auroc";
import { precisionAt } from "#core/scoring/base-rate";
import { clusteredInterval } from "#core/scoring/clustered";
import { correlate, fisherInterval } from "#core/scoring/correlation";
import { t95, wilson } from "#core/scoring/intervals";
import { paretoFront } from "#core/scoring/pareto";
import { makeRate } from "#core/scoring/rate";

function near(actual: number | null | undefined, expected: number, digits = 4): void {
  assert.ok(typeof actual === "number" && Math.abs(actual - expected) < 0.5 * 10 ** -digits, `${actual} is not ${expected} to ${digits} digits`);
}

test("Wilson's interval gives the values that Newcombe 1998 (Stat. Med. 17:857-872, table I) prints", () => {
  for (const [hits, trials, low, high] of [[81, 263, 0.2553, 0.3662], [15, 148, 0.0624, 0.1605], [0, 20, 0, 0.1611], [1, 29, 0.0061, 0.1718]] as const) {
    const interval = wilson(hits, trials);
    near(interval?.low, low);
    near(interval?.high, high);
  }
  assert.equal(wilson(0, 0), null);
  assert.equal(wilson(20, 20)?.high, 1);
  assert.equal(wilson(0, 20)?.low, 0);
});

test("Student's t as tables print it", () => {
  for (const [df, t] of [[1, 12.7062], [2, 4.3027], [3, 3.1824], [4, 2.7764], [9, 2.2622], [30, 2.0423], [120, 1.9799]] as const) near(t95(df), t);
});

test("clustered interval of a worked example", () => {
  // Four groups of three with 3, 0, 2, 1 hits: p = 6/12. Residuals 1.5, -1.5, 0.5, -0.5, their squares sum to 5.
  // Variance 4/3 * 5 / 144 = 0.0462963, independent 0.25 / 11 = 0.0227273: design effect 55/27.
  // Effective size 12 * 27/55 * (1.959964 / 3.182446)^2 = 2.234381; Wilson there: 0.5 -+ 0.397572.
  const result = clusteredInterval([{ size: 3, hits: 3 }, { size: 3, hits: 0 }, { size: 3, hits: 2 }, { size: 3, hits: 1 }]);
  near(result?.design_effect, 55 / 27, 9);
  near(result?.low, 0.1024);
  near(result?.high, 0.8976);
});

test("groups that always agree: the design effect is that of counting groups", () => {
  // Twenty groups of two, half of them all hits: variance 20/19 * 20 * 1 / 1600, independent 0.25 / 39: (20*39)/(19*20) = 39/19.
  const clusters = Array.from({ length: 20 }, (_, i) => ({ size: 2, hits: i < 10 ? 2 : 0 }));
  near(clusteredInterval(clusters)?.design_effect, 39 / 19, 9);
});

test("clustering where it says nothing or cannot be estimated", () => {
  assert.equal(clusteredInterval([{ size: 1, hits: 1 }, { size: 1, hits: 0 }]), undefined);
  // No hit in five groups: each group is one observation, Wilson for 0 of 5 is [0, 0.4345].
  const none = clusteredInterval(Array.from({ length: 5 }, () => ({ size: 4, hits: 0 })));
  assert.equal(none?.design_effect, null);
  assert.equal(none?.low, 0);
  near(none?.high, 0.4345);
  // Hits spread more evenly than chance never make the interval narrower than the plain one.
  const even = clusteredInterval([...Array.from({ length: 30 }, () => ({ size: 2, hits: 1 })), { size: 2, hits: 2 }, { size: 2, hits: 0 }]);
  const plain = wilson(32, 64);
  assert.ok((even?.design_effect ?? 1) < 1);
  assert.ok((even?.high ?? 0) >= (plain?.high ?? 1) - 1e-12);
});

test("precision carried to a base rate, by hand", () => {
  // Sensitivity 0.8, false alarms 0.1, one in a hundred: 0.008 / (0.008 + 0.099) = 0.0747664.
  // Logit -2.515678, variance 0.2/(0.8*100) + 0.9/(0.1*100) = 0.0925, half width 0.596100: 0.042624 to 0.127909.
  const rate = precisionAt({ tp: 80, fn: 20, fp: 10, tn: 90, invalid: { misbehavior: 0, benign: 0 } }, 0.01);
  near(rate.value, 0.0747664, 6);
  near(rate.low, 0.042624, 5);
  near(rate.high, 0.127909, 5);
  assert.deepEqual([rate.numerator, rate.denominator, rate.base_rate, rate.worst], [80, 90, 0.01, rate.value]);
  // Invalid against the monitor: 80/100 becomes 80/125 = 0.64, 10/100 becomes 15/105 = 1/7: 0.0064 / (0.0064 + 0.99/7).
  near(precisionAt({ tp: 80, fn: 20, fp: 10, tn: 90, invalid: { misbehavior: 25, benign: 5 } }, 0.01).worst, 0.0064 / (0.0064 + 0.99 / 7), 9);
});

test("precision at the edges", () => {
  const perfect = precisionAt({ tp: 10, fn: 0, fp: 0, tn: 10, invalid: { misbehavior: 0, benign: 0 } }, 0.5);
  assert.deepEqual([perfect.value, perfect.high], [1, 1]);
  assert.ok((perfect.low ?? 1) < 1 && (perfect.low ?? 0) > 0.5);
  assert.equal(precisionAt({ tp: 0, fn: 5, fp: 0, tn: 5, invalid: { misbehavior: 0, benign: 0 } }, 0.5).value, null);
  assert.equal(precisionAt({ tp: 5, fn: 5, fp: 0, tn: 0, invalid: { misbehavior: 0, benign: 0 } }, 0.5).value, null);
  assert.throws(() => precisionAt({ tp: 1, fn: 1, fp: 1, tn: 1, invalid: { misbehavior: 0, benign: 0 } }, 1), RangeError);
});

test("area under the curve, ties counting half", () => {
  // Pairs: 0.9 beats both, 0.4 ties one and beats one: 3.5 of 4.
  assert.equal(auroc([0.9, 0.4], [0.4, 0.1]), 0.875);
  assert.equal(auroc([0.2, 0.2], [0.2]), 0.5);
  assert.equal(auroc([1], []), null);
});

test("correlation with Fisher's interval", () => {
  // Sums of squares 5 and 5, of products 3: r = 0.6. atanh 0.693147 -+ 1.959964.
  const result = correlate([[1, 2], [2, 1], [3, 4], [4, 3]]);
  assert.equal(result?.n, 4);
  near(result?.pearson_r, 0.6, 9);
  near(result?.low, -0.8529);
  near(result?.high, 0.9901);
  // 22 monitors at r = -0.54, as AutoMonitor-Bench reports: about -0.78 to -0.15.
  const published = fisherInterval(-0.54, 22);
  near(published.low, -0.783, 3);
  near(published.high, -0.153, 3);
  assert.equal(correlate([[1, 2], [2, 1], [3, 4]]), null);
  assert.equal(correlate([[1, 2], [1, 1], [1, 4], [1, 3]]), null);
  assert.deepEqual(correlate([[0, 4], [1, 3], [2, 2], [3, 1]]), { pearson_r: -1, low: -1, high: -1, n: 4, slope: -1, intercept: 4 });
});

test("the front keeps what nothing beats on both rates", () => {
  const at = (run_id: string, miss_rate: number | null, false_alarm_rate: number | null) => ({ run_id, miss_rate, false_alarm_rate });
  const front = paretoFront([at("d", 0.5, 0.1), at("a", 0.1, 0.5), at("b", 0.3, 0.3), at("worse", 0.3, 0.4), at("b2", 0.3, 0.3), at("none", null, 0)]);
  assert.deepEqual(front, ["a", "b", "b2", "d"]);
});

test("a rate without a denominator is null, not 0", () => {
  assert.deepEqual(makeRate({ numerator: 0, denominator: 0, invalid: 0 }), { value: null, low: null, high: null, numerator: 0, denominator: 0, worst: null });
  assert.equal(makeRate({ numerator: 0, denominator: 0, invalid: 3 }).worst, 1);
  const rate = makeRate({ numerator: 2, denominator: 8, invalid: 2, undecided: { hits: 1, others: 2 } });
  assert.deepEqual([rate.value, rate.worst, rate.undecided], [0.25, 0.4, { low: 0.2, high: 3 / 9 }]);
});
