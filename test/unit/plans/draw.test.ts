/** Drawing a plan: probabilities, strategies, strata. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makePlan } from "#core/labels/make-plan";
import { drawSamples, thresholdOf, type Strategy } from "#core/labels/plan-draw";
import { expectedPrecision } from "#core/labels/plan-precision";
import { allocate, stratify, type FrameSample } from "#core/labels/plan-strata";
import { seededRandom } from "#core/labels/seeded-random";

const one = (n: number, more: Partial<FrameSample> = {}): FrameSample => ({ id: `s${String(n).padStart(3, "0")}`, group: `s${n}`, gold: null, ...more });
const flag = (score: number) => ({ outcome: "misbehavior" as const, score });
const pass = (score: number) => ({ outcome: "benign" as const, score });
const draw = (frame: FrameSample[], strategy: Strategy, more: object = {}) => drawSamples(frame, { strategy, random: seededRandom(7), ...more });
const ids = (drawn: readonly { sample: FrameSample }[]): string[] => drawn.map(({ sample }) => sample.id).sort();

test("a random draw knows its probability, does not depend on the order of the frame, and every sample comes up alike", () => {
  const frame = Array.from({ length: 20 }, (_, n) => one(n));
  const first = draw(frame, "random", { budget: 5 });
  assert.deepEqual([first.probability, first.strata, first.drawn.length], [true, [{ id: "all", N: 20, n: 5 }], 5]);
  assert.ok(first.drawn.every(({ inclusionProb }) => inclusionProb === 0.25));
  assert.deepEqual(draw([...frame].reverse(), "random", { budget: 5 }), first);
  const counts = new Map<string, number>();
  for (let seed = 0; seed < 2000; seed++) {
    for (const { sample } of drawSamples(frame, { strategy: "random", budget: 5, random: seededRandom(seed) }).drawn) counts.set(sample.id, (counts.get(sample.id) ?? 0) + 1);
  }
  // 2000 draws at 1/4: 500 expected, standard deviation 19.4; five of those.
  for (const sample of frame) assert.ok(Math.abs((counts.get(sample.id) ?? 0) - 500) < 97, `${sample.id} came ${counts.get(sample.id)} times`);
});

test("strata by verdict, score band and category; a budget too small merges them and says so", () => {
  const frame = [
    ...Array.from({ length: 6 }, (_, n) => one(n, { verdict: flag(0.9), category: "a" })), ...Array.from({ length: 4 }, (_, n) => one(10 + n, { verdict: flag(0.5), category: "b" })),
    ...Array.from({ length: 30 }, (_, n) => one(20 + n, { verdict: pass(0.1), category: "a" })), one(60, { verdict: { outcome: "invalid" } }), one(61),
  ];
  const { strata } = stratify(frame, ["verdict", "score", "category"], 42);
  assert.deepEqual(strata.map(({ id, samples }) => [id, samples.length]), [
    ["benign/0.0-0.2/a", 30], ["invalid/no-score/no-category", 1], ["misbehavior/0.4-0.6/b", 4], ["misbehavior/0.8-1.0/a", 6], ["no-verdict/no-score/no-category", 1],
  ]);
  const drawn = draw(frame, "stratified", { budget: 12 });
  assert.equal(drawn.strata.reduce((sum, { n }) => sum + n, 0), 12);
  for (const { stratum, inclusionProb } of drawn.drawn) {
    const own = drawn.strata.find(({ id }) => id === stratum);
    assert.equal(inclusionProb, (own?.n ?? 0) / (own?.N ?? 0));
  }
  assert.deepEqual(draw(frame, "stratified", { budget: 4 }).dropped, ["verdict", "score", "category"]);
});

test("the budget goes by size and spread: Neyman's shares, two at least", () => {
  const known = (count: number, bad: number, from: number): FrameSample[] => Array.from({ length: count }, (_, n) => one(from + n, { gold: n < bad ? "misbehavior" : "benign" }));
  // 99 at 1/2 (spread 0.5: 99.5 of 199 ... 49.5+0.5 of 100) and 99 at 1 of 100 (0.5/100): weights 49.5 to 6.98.
  const strata = [{ id: "a", samples: [...known(49, 49, 0), ...known(50, 0, 100), one(999)] }, { id: "b", samples: known(99, 0, 200) }, { id: "c", samples: [one(400)] }];
  const counts = allocate(strata, 50);
  assert.deepEqual(counts, [43, 6, 1]);
  assert.deepEqual(allocate(strata, 1000), [100, 99, 1]);
});

test("without any gold misses are planned as rare and alarms as right by half, in the draw and in the widths", () => {
  const frame = Array.from({ length: 1000 }, (_, n) => one(n, { verdict: n < 40 ? flag(1) : pass(0) }));
  const { strata } = draw(frame, "stratified", { budget: 30, by: ["verdict"] });
  // 40 * 0.5 = 20 against 960 * sqrt(0.0099) = 95.5: 30 * 20 / 115.5 = 5.2.
  assert.deepEqual(strata.map(({ N, n }) => [N, n]), [[960, 25], [40, 5]]);
  // The formula, with 200 of 1000 drawn: about 20 misbehavior flagged and 9.6 passed, R = 0.32, P = 0.0296: 1.96 sqrt(0.2176 * 0.8 / (200 * 0.0296)) = 0.336.
  const widths = expectedPrecision(frame, draw(frame, "random", { budget: 200 }));
  assert.ok(Math.abs((widths?.miss_rate ?? 0) - 0.336) < 0.06, String(widths?.miss_rate));
});

test("the other strategies pick what their name says, and are not for rates", () => {
  const frame = [
    one(1, { verdict: flag(0.9), gold: "misbehavior" }), one(2, { verdict: flag(0.6), gold: "benign", others: [pass(0.1)] }), one(3, { verdict: pass(0.4), gold: "misbehavior" }),
    one(4, { verdict: pass(0.05), gold: "benign", others: [flag(0.99), { outcome: "invalid" }] }), one(5, { verdict: { outcome: "invalid" } }), one(6),
  ];
  const got = (strategy: Strategy, budget?: number): string[] => ids(draw(frame, strategy, { budget }).drawn);
  assert.deepEqual(got("flagged"), ["s001", "s002"]);
  assert.deepEqual(got("unflagged"), ["s003", "s004"]);
  assert.deepEqual(got("false-alarms"), ["s002"]);
  assert.deepEqual(got("misses"), ["s003"]);
  assert.deepEqual(got("disagreement"), ["s002", "s004"]);
  // Of two even splits the one whose scores lie further apart.
  assert.deepEqual(got("disagreement", 1), ["s004"]);
  assert.equal(thresholdOf(frame), 0.5);
  assert.deepEqual(got("threshold", 2), ["s002", "s003"]);
  for (const strategy of ["flagged", "unflagged", "false-alarms", "misses", "disagreement", "threshold"] as const) {
    const { probability, drawn, strata } = draw(frame, strategy, { budget: 1 });
    assert.equal(probability, false);
    assert.ok(drawn.every(({ inclusionProb }) => inclusionProb === undefined));
    assert.equal(strata.reduce((sum, { N }) => sum + N, 0), 6);
  }
});

test("a threshold between the outcomes is told from the scores", () => {
  assert.equal(thresholdOf([one(1, { verdict: flag(0.3) }), one(2, { verdict: pass(0.1) })]).toFixed(6), "0.200000");
});

test("expected half-width: a simple random draw against the formula by hand", () => {
  // 100 misbehavior, 40 of them missed; 300 benign, none flagged. 80 of 400 drawn, all alike by the seed's luck or not:
  const frame = Array.from({ length: 400 }, (_, n) => one(n, n < 100 ? { gold: "misbehavior", verdict: n < 40 ? pass(0) : flag(1) } : { gold: "benign", verdict: pass(0) }));
  const whole = draw(frame, "random", {});
  assert.deepEqual(expectedPrecision(frame, whole), { miss_rate: 0, false_alarm_rate: 0 });
  const some = expectedPrecision(frame, draw(frame, "random", { budget: 80 }));
  // sqrt(R (1 - R) (1 - f) / (n P)) with R = 0.4, P = 0.25, f = 0.2, n = 80: 0.098; times 1.96: 0.192. The draw's own shares move it.
  assert.ok(some !== null && some.miss_rate !== null && Math.abs(some.miss_rate - 0.192) < 0.05, String(some?.miss_rate));
  assert.equal(expectedPrecision(frame, draw(frame, "flagged", { budget: 8 })), null);
});

test("a plan's header says what was drawn from what, and its id does not tell the strategy's samples apart", () => {
  const frame = Array.from({ length: 4 }, (_, n) => one(n, { verdict: flag(0.9) }));
  const { header, notes } = makePlan(frame, { strategy: "flagged", seed: 3, planId: "p", createdAt: "2026-01-01T00:00:00Z", runId: "r" }, (text) => text);
  assert.deepEqual(header, {
    type: "plan", plan_id: "p", run_id: "r", strategy: "flagged", probability: false, seed: 3, frame_sha256: '["s000","s001","s002","s003"]',
    strata: [{ id: "flagged", N: 4, n: 4 }], created_at: "2026-01-01T00:00:00Z",
  });
  assert.ok(notes.some((note) => note.includes("recorded as not blind")));
});
