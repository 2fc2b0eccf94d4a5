/** McNemar, Holm, the bootstrap and the comparison of two runs, against SciPy, NumPy and worked examples. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom, shuffled } from "#core/labels/seeded-random";
import { drawBinomial } from "#core/scoring/binomial-draw";
import { bootstrap, quantile } from "#core/scoring/bootstrap";
import { GroupCounter } from "#core/scoring/group-counter";
import { compareRuns } from "#core/scoring/compare";
import { holm } from "#core/scoring/holm";
import { logChoose, logFactorial } from "#core/scoring/log-gamma";
import { mcnemarExact } from "#core/scoring/mcnemar";
import type { ScoreInput } from "#core/scoring/score-input";
import { near, run, sample, verdict } from "../../support/score-fixtures";

test("exact McNemar gives what scipy.stats.binomtest(min, b + c, 0.5).pvalue gives (SciPy 1.17.1)", () => {
  for (const [b, c, p] of [
    [1, 6, 0.125], [8, 15, 0.21003961563110352], [0, 5, 0.0625], [25, 40, 0.08168153394154003], [3, 3, 1],
    [400, 520, 8.549170923883781e-05], [2, 30, 2.4633482098579407e-07], [70000, 71000, 0.007803291911820128], [0, 0, 1],
  ] as const) {
    const found = mcnemarExact(b, c);
    assert.ok(Math.abs(found - p) <= p * 1e-8, `${b}, ${c}: ${found} is not ${p}`);
    assert.equal(mcnemarExact(c, b), found);
  }
});

test("logarithms of factorials as scipy.special.gammaln(n + 1) gives them (SciPy 1.17.1)", () => {
  for (const [n, value] of [[0, 0], [5, 4.787491742782046], [170, 706.5730622457875], [255, 1161.7121011184006], [256, 1167.2572785628804], [1000, 5912.128178488164], [153581, 1680487.641584318]] as const) {
    assert.ok(Math.abs(logFactorial(n) - value) <= Math.max(1e-12, value * 1e-14), `${n}: ${logFactorial(n)}`);
  }
  near(Math.exp(logChoose(10, 3)), 120, 9);
  assert.equal(logChoose(3, 4), -Infinity);
});

test("Holm's adjusted p values, by hand", () => {
  // Sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1: 0.02, 0.03, 0.06, 0.04, the last raised to the one before it.
  assert.deepEqual(holm([0.01, 0.04, 0.03, 0.005]).map((p) => p.toFixed(6)), ["0.030000", "0.060000", "0.060000", "0.020000"]);
  assert.deepEqual(holm([0.6, 0.7]), [1, 1]);
  assert.deepEqual(holm([]), []);
});

test("binomial draws have the mean and variance of the distribution, by inversion and by rejection", () => {
  for (const [n, p] of [[20, 0.1], [200, 0.03], [40, 0.5], [500, 0.7], [100_000, 0.02]] as const) {
    const random = seededRandom(5, `${n} ${p}`);
    const draws = Array.from({ length: 20_000 }, () => drawBinomial(n, p, random));
    const mean = draws.reduce((sum, draw) => sum + draw, 0) / draws.length;
    const variance = draws.reduce((sum, draw) => sum + (draw - mean) ** 2, 0) / (draws.length - 1);
    // Four standard errors of each; that of a variance is about variance * sqrt(2 / draws).
    assert.ok(Math.abs(mean - n * p) < 4 * Math.sqrt((n * p * (1 - p)) / draws.length), `mean of ${n}, ${p}: ${mean}`);
    assert.ok(Math.abs(variance / (n * p * (1 - p)) - 1) < 4 * Math.sqrt(2 / draws.length) * 1.2, `variance of ${n}, ${p}: ${variance}`);
    assert.ok(draws.every((draw) => Number.isInteger(draw) && draw >= 0 && draw <= n));
  }
});

test("quantiles interpolate as numpy.percentile does by default (NumPy 2.4.6)", () => {
  // numpy.percentile([1, 2, 4, 8], [2.5, 50, 97.5]) = 1.075, 3, 7.7
  const values = [1, 2, 4, 8];
  near(quantile(values, 0.025), 1.075, 9);
  near(quantile(values, 0.5), 3, 9);
  near(quantile(values, 0.975), 7.7, 9);
});

/** Groups by what is wrong in them: class sizes and wrong verdicts of A and B, how many such groups. */
const kinds = [
  { m: [["A"]], b: [[]], groups: 12 }, { m: [["A", "B"]], b: [[]], groups: 0 }, { m: [["B"]], b: [[]], groups: 4 }, { m: [[]], b: [["B"]], groups: 9 },
  { m: [[]], b: [["A"]], groups: 3 }, { m: [[]], b: [[]], groups: 30 }, { m: [["A"], ["A", "B"]], b: [], groups: 6 },
];

function pairedInput(): ScoreInput {
  const samples = [];
  const [ofA, ofB] = [[] as ReturnType<typeof verdict>[], [] as ReturnType<typeof verdict>[]];
  let group = 0;
  for (const { m, b, groups } of kinds) {
    for (let i = 0; i < groups; i++) {
      group++;
      for (const [of, wrongs] of [["misbehavior", m], ["benign", b]] as const) {
        for (const [at, wrong] of wrongs.entries()) {
          const id = `g${group}-${of}-${at}`;
          samples.push(sample(id, of, { group: `g${group}` }));
          const other = of === "misbehavior" ? "benign" : "misbehavior";
          ofA.push(verdict(id, (wrong as string[]).includes("A") ? other : of));
          ofB.push(verdict(id, (wrong as string[]).includes("B") ? other : of));
        }
      }
    }
  }
  return { samples, labels: [], runs: [run("a", ofA), run("b", ofB)] };
}

test("a comparison of two runs: counts by hand, p by SciPy, intervals by a plain loop over groups in NumPy", () => {
  const input = pairedInput();
  const [result] = compareRuns(input, input.runs, { gold: "original", seed: 1 });
  assert.ok(result);
  // Misbehavior: 12 + 6 only A, 4 only B, 6 both, 42 neither. Benign: 9 only B, 3 only A, 46 neither.
  assert.deepEqual([result.n, result.groups], [128, 64]);
  assert.deepEqual({ ...result.misbehavior, p: 0 }, { both_right: 42, only_a_wrong: 18, only_b_wrong: 4, both_wrong: 6, p: 0 });
  assert.deepEqual({ ...result.benign, p: 0 }, { both_right: 46, only_a_wrong: 3, only_b_wrong: 9, both_wrong: 0, p: 0 });
  // binomtest(4, 22, .5) = 18204 / 2^22 and binomtest(3, 12, .5) = 598 / 4096.
  near(result.misbehavior.p, (2 * (1 + 22 + 231 + 1540 + 7315)) / 2 ** 22, 9);
  near(result.benign.p, (2 * (1 + 12 + 66 + 220)) / 2 ** 12, 9);
  assert.equal(result.discordant.length, 34);
  near(result.difference.miss_rate.value, -14 / 70, 9);
  near(result.difference.false_alarm_rate.value, 6 / 58, 9);
  // 200,000 resamples of the 64 groups (NumPy 2.4.6, default_rng(7)) gave [-0.3143, -0.0833] and [-0.0159, 0.2203]; 2,000 are good to 0.02.
  const { miss_rate, false_alarm_rate } = result.difference;
  for (const [found, expected] of [[miss_rate.low, -0.3143], [miss_rate.high, -0.0833], [false_alarm_rate.low, -0.0159], [false_alarm_rate.high, 0.2203]] as const) {
    assert.ok(Math.abs((found ?? 9) - expected) < 0.02, `${found} is not about ${expected}`);
  }
});

test("the same seed gives the same bytes, another one does not; order and names of samples do not matter", () => {
  const input = pairedInput();
  const numbers = (from: ScoreInput, seed: number): string => JSON.stringify(compareRuns(from, from.runs, { gold: "original", seed }).map((one) => ({ ...one, discordant: one.discordant.length })));
  assert.equal(numbers(input, 3), numbers(input, 3));
  assert.notEqual(numbers(input, 3), numbers(input, 4));
  const random = seededRandom(11);
  const renamed = (id: string): string => `x${[...id].reverse().join("")}`;
  const mixed: ScoreInput = {
    samples: shuffled(input.samples, random).map((one) => ({ ...one, id: renamed(one.id), group: renamed(one.group) })), labels: [],
    runs: input.runs.map((one) => ({ ...one, verdicts: shuffled(one.verdicts, random).map((each) => ({ ...each, sample_id: renamed(each.sample_id) })) })),
  };
  assert.equal(numbers(mixed, 3), numbers(input, 3));
});

test("what cannot be compared is null with a reason; agreement is no proof of being equal; many comparisons are corrected", () => {
  const samples = [sample("m1", "misbehavior"), sample("m2", "misbehavior"), sample("u", undefined), sample("m3", "misbehavior"), sample("m4", "misbehavior")];
  const a = run("a", [verdict("m1", "misbehavior"), verdict("m2", "benign"), verdict("u", "benign"), verdict("m3", "invalid"), verdict("m4", "benign")]);
  const b = run("b", [verdict("m1", "misbehavior", { repeat: 1 }), verdict("m1", "benign", { repeat: 2 }), verdict("m2", "benign"), verdict("m3", "benign")]);
  const [same, ...rest] = compareRuns({ samples, labels: [], runs: [a, b] }, [a, b], { gold: "original", seed: 1 });
  assert.equal(rest.length, 0);
  assert.deepEqual([same?.n, same?.misbehavior.p, same?.discordant, same?.excluded], [2, 1, [], { only_a: 1, only_b: 0, invalid: 1, stale: 0 }]);
  assert.deepEqual(same?.difference.miss_rate, { value: 0, low: 0, high: 0, at_most: 1 - Math.sqrt(0.025) });
  assert.equal(same?.difference.false_alarm_rate.value, null);
  assert.equal(same?.difference.false_alarm_rate.reason, "no sample whose gold is benign has a valid verdict of both runs");
  const three = compareRuns({ samples, labels: [], runs: [a, b] }, [a, b, a], { gold: "original", seed: 1 });
  assert.deepEqual(three.map(({ a: one, b: two, misbehavior }) => [one, two, misbehavior.p_holm]), [["a", "b", 1], ["a", "a", 1], ["b", "a", 1]]);
  assert.deepEqual(same?.warnings, ["b has several verdicts on a sample; its first draw is compared."]);
});

test("Holm's correction counts the tests that there are: a class without samples is none", () => {
  // Misbehavior alone. a is right on all 7, b and c on none: p = 2 / 2^7 = 1/64 for a against b and a against c, 1 for b against c.
  const samples = Array.from({ length: 7 }, (_, at) => sample(`m${at}`, "misbehavior"));
  const runs = (["misbehavior", "benign", "benign"] as const).map((said, n) => run("abc"[n]!, samples.map(({ id }) => verdict(id, said))));
  const found = compareRuns({ samples, labels: [], runs }, runs, { gold: "original", seed: 1 });
  // Three tests, not six: 3 / 64, then as much, then 1.
  assert.deepEqual(found.map(({ misbehavior, benign }) => [misbehavior.p.toFixed(9), misbehavior.p_holm?.toFixed(9), benign.p_holm]), [["0.015625000", "0.046875000", 1], ["0.015625000", "0.046875000", 1], ["1.000000000", "1.000000000", 1]]);
});

test("a bootstrap interval covers: 95 % of 400 samples of 60 groups of two hold the true rate", () => {
  const random = seededRandom(2, "coverage of the bootstrap");
  let held = 0;
  for (let i = 0; i < 400; i++) {
    // Both members of a group agree with chance 0.6, else each is a hit with chance 0.3.
    const counter = new GroupCounter(2, 120, 60);
    for (let group = 0; group < 60; group++) {
      const [one, two, together] = [random() < 0.3, random() < 0.3, random() < 0.6];
      for (const hit of [one, together ? one : two]) {
        counter.add(group, 0);
        if (hit) counter.add(group, 1);
      }
    }
    const [interval] = bootstrap(counter.types(), ([size = 0, hits = 0]) => [hits / size], { seed: i, purpose: "test", replicates: 500 });
    if (interval && interval.low <= 0.3 && interval.high >= 0.3) held++;
  }
  assert.ok(held >= 365 && held <= 395, `${held} of 400`);
});
