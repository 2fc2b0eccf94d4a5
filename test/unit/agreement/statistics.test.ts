/** Agreement statistics against published worked examples. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bootstrapInterval, nominalAlpha } from "#core/labels/alpha";
import { cohenKappa } from "#core/labels/kappa";
import { seededRandom } from "#core/labels/seeded-random";
import { spanF1 } from "#core/labels/span-overlap";
import type { Span } from "#core/workspace/schemas";

/** Pairs of a table of counts: rows are one annotator, columns the other. */
const pairsOf = (table: number[][]): [string, string][] =>
  table.flatMap((row, i) => row.flatMap((count, j) => Array.from({ length: count }, (): [string, string] => [String(i), String(j)])));
const near = (value: number | null, wanted: number, digits: number): void => assert.equal(value?.toFixed(digits), wanted.toFixed(digits));

test("kappa: the diagnoses of Fleiss, Levin and Paik (2003, Statistical Methods for Rates and Proportions, table 18.1): 0.68, interval of standard error 0.087", () => {
  const kappa = cohenKappa(pairsOf([[75, 1, 4], [5, 4, 1], [0, 0, 10]]));
  assert.equal(kappa.n, 100);
  near(kappa.value, 0.68, 2);
  // The book rounds kappa to 0.68 before it goes on to 0.087; unrounded it is 0.0877.
  assert.ok(Math.abs(((kappa.high ?? 0) - (kappa.low ?? 0)) / 2 / 1.959964 - 0.087) < 0.001);
});

test("kappa: the example that SAS PROC FREQ prints for the table 0 4 1, 0 8 0, 0 1 5: 0.4842, limits 0.2137 and 0.7547", () => {
  const kappa = cohenKappa(pairsOf([[0, 4, 1], [0, 8, 0], [0, 1, 5]]));
  near(kappa.value, 0.4842, 4);
  near(kappa.low, 0.2137, 4);
  near(kappa.high, 0.7547, 4);
});

test("kappa: the grant example of two readers (20, 5, 10, 15): 0.4; and the prevalence paradox of Feinstein and Cicchetti (1990)", () => {
  near(cohenKappa(pairsOf([[20, 5], [10, 15]])).value, 0.4, 10);
  // J. Clin. Epidemiol. 43:543-549: both tables agree on 85 of 100; kappa is 0.70 with balanced and 0.32 with skewed totals.
  near(cohenKappa(pairsOf([[40, 9], [6, 45]])).value, 0.7, 2);
  near(cohenKappa(pairsOf([[80, 10], [5, 5]])).value, 0.32, 2);
});

test("kappa is null without pairs, and when both only ever say one thing", () => {
  assert.deepEqual(cohenKappa([]), { n: 0, value: null, low: null, high: null });
  assert.deepEqual(cohenKappa([["a", "a"], ["a", "a"]]), { n: 2, value: null, low: null, high: null });
  assert.equal(cohenKappa([["a", "b"], ["a", "b"]]).value, 0);
});

test("alpha: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, sections A, B and C: 0.095, 0.692, 0.743", () => {
  const units = (...rows: string[]): string[][] => Array.from({ length: rows[0]?.split(" ").length ?? 0 }, (_, at) => rows.map((row) => row.split(" ")[at] ?? ".").filter((value) => value !== "."));
  near(nominalAlpha(units("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0")), 0.095, 3);
  near(nominalAlpha(units("a a b b d c c c e d d a", "b a b b b c c c e d d d")), 0.692, 3);
  near(nominalAlpha(units("1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 .")), 0.743, 3);
  assert.equal(nominalAlpha([["a"], []]), null);
  assert.equal(nominalAlpha([["a", "a"], ["a", "a"]]), null);
});

test("the bootstrap of a mean has the width of the normal interval, and the same seed gives the same one", () => {
  const values = Array.from({ length: 100 }, (_, n) => n % 2);
  const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;
  const { low, high } = bootstrapInterval(values, mean, seededRandom(1), 2000);
  assert.ok(Math.abs((low ?? 0) - 0.402) < 0.02 && Math.abs((high ?? 0) - 0.598) < 0.02, `${low} ${high}`);
  assert.deepEqual(bootstrapInterval(values, mean, seededRandom(1), 2000), { low, high });
  assert.deepEqual(bootstrapInterval([1], mean, seededRandom(1)), { low: null, high: null });
});

test("span F1 counts covered code points once, part by part", () => {
  const span = (start: number, end: number, step = 0): Span => ({ step, part: "text", part_index: 0, start, end, exact: "", prefix: "", suffix: "" });
  // 0-10 and 5-15: 5 in common, 2*5/20.
  near(spanF1([span(0, 10)], [span(5, 15)]), 0.5, 10);
  // 0-10 covered twice counts once: 10 against 10, all in common.
  near(spanF1([span(0, 8), span(4, 10)], [span(0, 10)]), 1, 10);
  near(spanF1([span(0, 10), span(20, 30)], [span(5, 25)]), 0.5, 10);
  assert.equal(spanF1([span(0, 10)], [span(0, 10, 1)]), 0);
  assert.equal(spanF1([span(0, 10)], []), 0);
  assert.equal(spanF1([], []), null);
});
