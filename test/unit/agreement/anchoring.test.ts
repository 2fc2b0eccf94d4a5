/** Agreement with the monitor, blind and shown. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { anchoring, newcombe } from "#core/labels/anchoring";
import { wilson } from "#core/scoring/intervals";
import type { LabelRecord } from "#core/workspace/schemas";

test("the gap's interval: the example of Newcombe 1998, 56 of 70 against 48 of 80: 0.0524 to 0.3339", () => {
  const estimate = (count: number, n: number) => ({ value: count / n, ...(wilson(count, n) ?? { low: 0, high: 0 }), n });
  const gap = newcombe(estimate(56, 70), estimate(48, 80));
  assert.deepEqual([gap?.value.toFixed(4), gap?.low.toFixed(4), gap?.high.toFixed(4)], ["0.2000", "0.0524", "0.3339"]);
  assert.equal(newcombe(estimate(1, 2), { value: null, low: null, high: null, n: 0 }), null);
});

test("each person counts once for a sample, with the first decision that was not taken back", () => {
  let serial = 0;
  const record = (sample_id: string, annotator: string, label: LabelRecord["label"], more: Partial<LabelRecord> = {}): LabelRecord =>
    ({ id: `r${++serial}`, sample_id, annotator, created_at: new Date(Date.UTC(2026, 0, 1) + serial * 1000).toISOString(), label, blind: true, seen: [], ...more });
  const shown = { blind: false, seen: ["verdict" as const], run_id: "r" };
  const taken = record("c", "Ada", "misbehavior");
  const records = [
    // Blind against the monitor, then with it: the first counts.
    record("a", "Ada", "benign"), record("a", "Ada", "misbehavior", shown), record("a", "Bob", "misbehavior", shown),
    record("b", "Ada", "misbehavior"), record("b", "Bob", "benign", { ...shown, run_id: "other" }), record("b", "Cy", "unsure"),
    taken, record("c", "Ada", null, { supersedes: taken.id, retracted: true }), record("c", "Ada", "benign"),
    record("a", "Dan", "misbehavior", { adjudicates: ["r1"], seen: ["others"], blind: false }), record("a", "Eve", "misbehavior", { check: "repeat" }), record("d", "Ada", "misbehavior"),
  ];
  const verdicts = ["a", "b", "c"].map((sample_id) => ({ sample_id, outcome: "misbehavior" as const }));
  const [found] = anchoring(records, [{ runId: "r", verdicts: [...verdicts, { sample_id: "d", outcome: "invalid" }] }]);
  assert.deepEqual([found?.blind.value, found?.blind.n, found?.shown.value, found?.shown.n], [1 / 3, 3, 1, 1]);
  assert.equal(found?.gap?.value.toFixed(6), "0.666667");
});
