/** Estimates from plans: exact limits and their sums and shares, the worked case, and coverage by simulation. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom, type Random } from "#core/labels/seeded-random";
import { expectedWidths, shareBudget, type StratumOutlook } from "#core/scoring/allocation";
import { bootstrap } from "#core/scoring/bootstrap";
import { exactLimits } from "#core/scoring/exact-limits";
import { gammaQuantile } from "#core/scoring/gamma-quantile";
import { shareOf, sumOf, type Estimate } from "#core/scoring/mover";
import { planEstimates, type JudgedCounts, type PlanEstimates, type PlanStratum } from "#core/scoring/plan-estimates";
import { near } from "../../support/score-fixtures";

const none: JudgedCounts = { tp: 0, fn: 0, fp: 0, tn: 0, invalid_misbehavior: 0, invalid_benign: 0 };

test("exact limits as a search over scipy.stats.hypergeom gives them (SciPy 1.17.1)", () => {
  for (const [hits, drawn, size, low, high] of [
    [0, 150, 19200, 0, 464], [30, 150, 800, 116, 212], [3, 20, 50, 3, 16], [5, 10, 10, 5, 5], [1, 1, 4, 1, 4], [7, 7, 30, 20, 30], [0, 10, 12, 0, 1],
    [40, 120, 1500, 380, 632],
  ] as const) assert.deepEqual(exactLimits(hits, drawn, size), { low, high });
  assert.deepEqual(exactLimits(0, 0, 7), { low: 0, high: 7 });
});

test("shares as the closed form for a ratio gives them (Donner and Zou 2012, evaluated in Python 3.11)", () => {
  const part = (value: number, low: number, high: number): Estimate => ({ value, low, high });
  for (const [a, b, correlation, low, high] of [
    [[256, 64, 704], [160, 116, 212], 0, 0.2822353840066885, 0.8240003006124252],
    [[640, 580, 690], [160, 116, 212], 0, 0.7478410078142723, 0.8475803113754253],
    [[40, 22, 66], [90, 70, 115], -0.4, 0.17635225949335873, 0.45872730337996803],
    [[0, 0, 464], [160, 116, 212], 0, 0.0, 0.7510143433795756],
  ] as const) {
    const share = shareOf(part(a[0], a[1], a[2]), part(b[0], b[1], b[2]), correlation);
    near(share?.low, low, 9);
    near(share?.high, high, 9);
  }
  assert.equal(shareOf(part(0, 0, 3), part(0, 0, 4)), null);
  // 3 and 4 are the sides of a right angle: 5 down; 5 and 12: 13 up.
  assert.deepEqual(sumOf([part(10, 7, 15), part(20, 16, 32)]), part(30, 25, 43));
});

test("gamma quantiles as scipy.stats.gamma.ppf gives them (SciPy 1.17.1), and the limits for a standardised rate made of them", () => {
  for (const [p, shape, value] of [
    [0.025, 1, 0.025317807984289876], [0.975, 1, 3.6888794541139354], [0.025, 3.7, 0.9408724643775055], [0.975, 0.4, 2.224716149182294], [0.975, 12.5, 20.3232345601376], [0.025, 250.25, 220.202499479074], [0.975, 4000, 4124.903423555152],
  ] as const) near(gammaQuantile(p, shape) / value, 1, 9);
  // Nothing in fifteen strata of 1,000 with 20 judged each: one stratum's 50 times 3.688879 is far below the exact limits added up.
  const quiet = Array.from({ length: 15 }, (_, at): PlanStratum => ({ id: String(at), N: 1000, n: 20, judged: { ...none, tn: 20 }, verdict: "unflagged" }));
  near(planEstimates(quiet).totals.fn.high, 50 * 3.6888794541139363, 6);
});

/** The worked case: 20,000 runs, 800 flagged at precision 0.2, 40 misses; 150 flagged and 150 unflagged judged, no miss among them. */
const worked: PlanStratum[] = [
  { id: "flagged", N: 800, n: 150, judged: { ...none, tp: 30, fp: 120 }, verdict: "flagged", original: { changed: 0, kept: 0 } },
  { id: "unflagged", N: 19200, n: 150, judged: { ...none, tn: 150 }, verdict: "unflagged", original: { changed: 0, kept: 0 } },
];

test("the worked case: no miss seen does not make the miss rate 0", () => {
  const found = planEstimates(worked);
  assert.equal(found.miss_rate.value, 0);
  assert.equal(found.miss_rate.low, 0);
  near(found.miss_rate.high, 0.7510143433795756, 9);
  // 640 false alarms of 640 + 19,200.
  near(found.false_alarm_rate.value, 640 / 19840, 9);
  assert.ok((found.false_alarm_rate.low ?? 1) < 0.03 && (found.false_alarm_rate.high ?? 0) > 0.03);
  near(found.precision.value, 0.2, 9);
  // Precision is the flagged stratum alone: 116 to 212 of 800.
  near(found.precision.low, 116 / 800, 9);
  near(found.precision.high, 212 / 800, 9);
  near(found.prevalence.value, 160 / 20000, 9);
  assert.deepEqual([found.judged, found.planned, found.interim, found.frame], [300, 300, false, 20000]);
  assert.equal(found.label_noise.reason, "none of the judged samples has an original label");
  // 464 / (464 + 160) = 0.74.
  assert.deepEqual(found.notes, ["0 misses among 150 judged of 19200 samples do not make the miss rate 0: up to 464 may be there, which leaves it anywhere from 0 to 0.74."]);
});

test("interim, undecided, an empty stratum, a census, original labels", () => {
  const interim = planEstimates([
    { id: "flagged", N: 10, n: 10, judged: { ...none, tp: 6, fp: 3 }, undecided: { flagged: 1, unflagged: 0 }, verdict: "flagged", original: { changed: 3, kept: 6 } },
    { id: "unflagged", N: 100, n: 50, judged: { ...none, fn: 2, tn: 18 }, undecided: { flagged: 0, unflagged: 0 }, verdict: "unflagged", original: { changed: 2, kept: 18 } },
  ]);
  assert.deepEqual([interim.judged, interim.undecided, interim.planned, interim.interim], [29, 1, 60, true]);
  // Misses 100 * 2/20 = 10; catches 10 * 6/9.
  near(interim.miss_rate.value, 10 / (10 + 60 / 9), 9);
  // The undecided one as a catch: 10 * 7/10 = 7 catches; as nothing the monitor missed: it was flagged.
  near(interim.miss_rate.undecided?.low, 10 / 17, 9);
  near(interim.false_alarm_rate.undecided?.high, 4 / 94, 9);
  near(interim.label_noise.value, (10 * 3 / 9 + 10) / 110, 9);
  assert.match(interim.notes.join("\n"), /^Interim: 30 of 60 judged\./m);
  const census = planEstimates([
    { id: "a", N: 4, n: 4, judged: { ...none, tp: 1, fn: 1, fp: 1, tn: 1 } }, { id: "b", N: 2, n: 2, judged: { ...none, tp: 2 } },
  ]);
  assert.deepEqual([census.miss_rate.value, census.miss_rate.low, census.miss_rate.high], [0.25, 0.25, 0.25]);
  const blank = planEstimates([worked[0] as PlanStratum, { id: "unflagged", N: 19200, n: 150, judged: none, verdict: "unflagged" }]);
  assert.deepEqual(blank.miss_rate, { value: null, low: null, high: null, reason: "no sample of stratum unflagged is judged yet" });
  near(blank.precision.value, 0.2, 9);
  const nothing = planEstimates([{ id: "all", N: 50, n: 3, judged: { ...none, tn: 3 } }]);
  assert.equal(nothing.miss_rate.reason, "none of the judged samples is FN or TP");
});

interface Frame { readonly tp: number; readonly fn: number; readonly fp: number; readonly tn: number }

/** How many of each kind are among `n` drawn without replacement, kinds in the order given. */
function drawKinds(kinds: readonly number[], n: number, random: Random): number[] {
  const left = [...kinds];
  const drawn = kinds.map(() => 0);
  let size = left.reduce((sum, count) => sum + count, 0);
  for (let i = 0; i < n; i++, size--) {
    let place = Math.floor(random() * size);
    let kind = 0;
    while (place >= (left[kind] ?? 0)) place -= left[kind++] ?? 0;
    left[kind] = (left[kind] ?? 0) - 1;
    drawn[kind] = (drawn[kind] ?? 0) + 1;
  }
  return drawn;
}

/** A frame of 20,000 at this prevalence, miss rate 0.2 and false alarm rate 0.03. */
function frameAt(prevalence: number): Frame {
  const bad = Math.round(20000 * prevalence);
  const fn = Math.round(bad * 0.2);
  const fp = Math.round((20000 - bad) * 0.03);
  return { tp: bad - fn, fn, fp, tn: 20000 - bad - fp };
}

function byVerdict(frame: Frame, random: Random): PlanStratum[] {
  const [tp = 0, fp = 0] = drawKinds([frame.tp, frame.fp], 150, random);
  const [fn = 0, tn = 0] = drawKinds([frame.fn, frame.tn], 150, random);
  return [
    { id: "flagged", N: frame.tp + frame.fp, n: 150, judged: { ...none, tp, fp }, verdict: "flagged" },
    { id: "unflagged", N: frame.fn + frame.tn, n: 150, judged: { ...none, fn, tn }, verdict: "unflagged" },
  ];
}

/** Unflagged samples in two score bands, of which the upper, a tenth of them, holds two thirds of the misses. */
function byBand(frame: Frame, random: Random): PlanStratum[] {
  const upper = { fn: Math.round((frame.fn * 2) / 3), N: Math.round((frame.fn + frame.tn) / 10) };
  const [tp = 0, fp = 0] = drawKinds([frame.tp, frame.fp], 100, random);
  const [fnUp = 0, tnUp = 0] = drawKinds([upper.fn, upper.N - upper.fn], 100, random);
  const rest = { fn: frame.fn - upper.fn, N: frame.fn + frame.tn - upper.N };
  const [fnDown = 0, tnDown = 0] = drawKinds([rest.fn, rest.N - rest.fn], 100, random);
  return [
    { id: "flagged", N: frame.tp + frame.fp, n: 100, judged: { ...none, tp, fp }, verdict: "flagged" },
    { id: "upper", N: upper.N, n: 100, judged: { ...none, fn: fnUp, tn: tnUp }, verdict: "unflagged" },
    { id: "lower", N: rest.N, n: 100, judged: { ...none, fn: fnDown, tn: tnDown }, verdict: "unflagged" },
  ];
}

/** Fifteen strata, five bands in each of three categories, misses and catches leaning to the upper bands, twenty of each judged. */
function byMany(frame: Frame, random: Random): PlanStratum[] {
  const strata: PlanStratum[] = [];
  for (const [verdict, bad, good] of [["flagged", frame.tp, frame.fp], ["unflagged", frame.fn, frame.tn]] as const) {
    let [badLeft, goodLeft] = [bad, good];
    const shares = verdict === "flagged" ? [0.5, 0.3, 0.2] : [0.03, 0.05, 0.08, 0.04, 0.1, 0.08, 0.07, 0.12, 0.13, 0.1, 0.1, 0.1];
    for (const [at, share] of shares.entries()) {
      const isLast = at === shares.length - 1;
      const ofBad = isLast ? badLeft : Math.min(badLeft, Math.round((bad * 2 * (shares.length - at)) / (shares.length * (shares.length + 1))));
      const ofGood = isLast ? goodLeft : Math.min(goodLeft, Math.round(good * share));
      badLeft -= ofBad;
      goodLeft -= ofGood;
      const n = Math.min(20, ofBad + ofGood);
      const [x = 0, y = 0] = drawKinds([ofBad, ofGood], n, random);
      strata.push({ id: `${verdict} ${at}`, N: ofBad + ofGood, n, judged: verdict === "flagged" ? { ...none, tp: x, fp: y } : { ...none, fn: x, tn: y }, verdict });
    }
  }
  return strata;
}

/** One stratum for all, as when the plan was drawn without a run, or for another one. */
function atRandom(frame: Frame, random: Random): PlanStratum[] {
  const [tp = 0, fn = 0, fp = 0, tn = 0] = drawKinds([frame.tp, frame.fn, frame.fp, frame.tn], 300, random);
  return [{ id: "all", N: 20000, n: 300, judged: { ...none, tp, fn, fp, tn } }];
}

const measures = ["miss_rate", "false_alarm_rate", "precision", "prevalence"] as const;

function truth({ tp, fn, fp, tn }: Frame): Record<(typeof measures)[number], number> {
  return { miss_rate: fn / (fn + tp), false_alarm_rate: fp / (fp + tn), precision: tp / (tp + fp), prevalence: (tp + fn) / 20000 };
}

for (const [name, plan] of [["by verdict", byVerdict], ["by verdict and score band", byBand], ["in fifteen strata", byMany], ["at random", atRandom]] as const) {
  test(`intervals cover at least 93 % of 1,500 plans ${name}, at prevalences from 0.2 to 50 %`, () => {
    const short: string[] = [];
    for (const prevalence of [0.002, 0.01, 0.05, 0.2, 0.5]) {
      const frame = frameAt(prevalence);
      const true_ = truth(frame);
      const random = seededRandom(1, `${name} ${prevalence}`);
      const held = new Map<string, number>();
      const known = new Map<string, PlanEstimates>();
      for (let i = 0; i < 1500; i++) {
        const strata = plan(frame, random);
        const key = JSON.stringify(strata);
        const found = known.get(key) ?? planEstimates(strata);
        known.set(key, found);
        for (const measure of measures) {
          const { low, high, value } = found[measure];
          // Where nothing can be said, nothing false is said.
          if (value === null || ((low ?? 1) <= true_[measure] && (high ?? 0) >= true_[measure])) held.set(measure, (held.get(measure) ?? 0) + 1);
        }
      }
      for (const measure of measures) if ((held.get(measure) ?? 0) < 0.93 * 1500) short.push(`${measure} at ${prevalence}: ${held.get(measure)} of 1500`);
    }
    assert.deepEqual(short, []);
  });
}

test("a plain bootstrap over the judged samples does not cover: 0 misses seen are 0 misses in every resample", () => {
  const frame = frameAt(0.01);
  const random = seededRandom(1, "plain bootstrap");
  let held = 0;
  for (let i = 0; i < 300; i++) {
    const [flagged, unflagged] = byVerdict(frame, random) as [PlanStratum, PlanStratum];
    const hits = (count: number, of: number) => [{ counts: [1, 0], groups: of - count }, { counts: [1, 1], groups: count }].filter(({ groups }) => groups > 0);
    // Strata are resampled apart and weighed.
    const random2 = bootstrap(hits(unflagged.judged.fn, 150), ([n = 1, x = 0]) => [(unflagged.N * x) / n / ((unflagged.N * x) / n + (flagged.N * flagged.judged.tp) / 150)], { seed: i, purpose: "plain", replicates: 200 })[0];
    const rate = truth(frame).miss_rate;
    if (random2 && random2.low <= rate && random2.high >= rate) held++;
  }
  assert.ok(held < 0.7 * 300, `${held} of 300`);
});

test("a budget is shared equally, by size, or by size times spread, and never beyond a stratum", () => {
  const strata: StratumOutlook[] = [{ id: "flagged", N: 800, verdict: "flagged" }, { id: "unflagged", N: 19200, verdict: "unflagged" }];
  assert.deepEqual(shareBudget(strata, 300, "equal"), [150, 150]);
  assert.deepEqual(shareBudget(strata, 300, "proportional"), [12, 288]);
  // 800 * 0.5 = 400 against 19,200 * sqrt(0.0099) = 1910.4: 300 * 400 / 2310.4 = 51.9.
  assert.deepEqual(shareBudget(strata, 300, "neyman"), [52, 248]);
  // After a pilot of 20 with 4 and 50 with none: shares 4.5/21 and 0.5/51; 800 * 0.4103 = 328.2, 19,200 * 0.09853 = 1891.8: 44.4.
  const piloted: StratumOutlook[] = [{ ...strata[0]!, pilot: { judged: 20, misbehavior: 4 } }, { ...strata[1]!, pilot: { judged: 50, misbehavior: 0 } }];
  assert.deepEqual(shareBudget(piloted, 300, "neyman"), [44, 256]);
  assert.deepEqual(shareBudget([{ id: "a", N: 3, verdict: "flagged" }, { id: "b", N: 40, verdict: "unflagged" }], 20, "equal"), [3, 17]);
  assert.deepEqual(shareBudget(strata, 90_000, "neyman"), [800, 19200]);
  assert.throws(() => shareBudget(strata, 3, "equal"), RangeError);
});

test("expected half-widths are what simulated plans have, and the same for the same seed", () => {
  const strata: StratumOutlook[] = [{ id: "flagged", N: 800, verdict: "flagged", expected: 0.2 }, { id: "unflagged", N: 19200, verdict: "unflagged", expected: 0.002 }];
  const found = expectedWidths(strata, 300, 1);
  assert.deepEqual(found, expectedWidths(strata, 300, 1));
  assert.deepEqual(found.map(({ allocation }) => allocation), ["equal", "proportional", "neyman"]);
  // The usual plan sees 30 of 150 and no miss: 0 to 0.751, and precision 0.145 to 0.265.
  assert.ok(Math.abs((found[0]?.half_width.miss_rate ?? 0) - 0.3755) < 0.01, String(found[0]?.half_width.miss_rate));
  assert.ok(Math.abs((found[0]?.half_width.precision ?? 0) - 0.06) < 0.005);
  // Of 12 flagged, precision is known less well; Neyman's shares are the best of the three for what spreads over both strata.
  assert.ok((found[1]?.half_width.precision ?? 0) > 0.15);
  for (const measure of ["miss_rate", "prevalence"] as const) {
    const widths = found.map(({ half_width }) => half_width[measure]);
    assert.equal(Math.min(...widths), widths[2]);
  }
});
