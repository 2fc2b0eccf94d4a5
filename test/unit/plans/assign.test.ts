/** Who judges what: overlap, own orders, repeats far enough behind, pairs apart; and how far a plan is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { assignItems } from "#core/labels/plan-assign";
import type { Drawn } from "#core/labels/plan-draw";
import { itemsOf, planProgress } from "#core/labels/plan-progress";
import { resolveGold } from "#core/labels/gold";
import { readPlanFile, writePlanFile } from "#core/workspace/plan-file";
import type { LabelRecord, PlanHeader } from "#core/workspace/schemas";

const drawn = (count: number, groupOf: (n: number) => string = String): Drawn[] =>
  Array.from({ length: count }, (_, n) => ({ sample: { id: `s${n}`, group: groupOf(n), gold: null }, stratum: "all", inclusionProb: 0.5 }));
const header: PlanHeader = { type: "plan", plan_id: "p", strategy: "random", probability: true, seed: 1, frame_sha256: "x", strata: [{ id: "all", N: 4, n: 2 }], annotators: ["Ada", "Bob"], overlap: 0.5, created_at: "2026-01-01T00:00:00Z" };

test("overlap is the stated share, loads are even, every pair of annotators shares alike, orders differ", () => {
  const items = assignItems(drawn(90), { seed: 5, annotators: ["A", "B", "C"], overlap: 0.2, repeats: 0 });
  const by = new Map<string, string[]>();
  for (const { sample_id, assigned_to } of items) by.set(sample_id, [...(by.get(sample_id) ?? []), assigned_to ?? ""]);
  assert.equal(by.size, 90);
  const shared = [...by.values()].filter((names) => names.length === 2);
  assert.equal(shared.length, 18);
  assert.ok([...by.values()].every((names) => names.length <= 2));
  const pairs = new Map<string, number>();
  for (const names of shared) pairs.set([...names].sort().join(""), (pairs.get([...names].sort().join("")) ?? 0) + 1);
  assert.deepEqual([...pairs].sort(), [["AB", 6], ["AC", 6], ["BC", 6]]);
  assert.deepEqual(["A", "B", "C"].map((name) => items.filter(({ assigned_to }) => assigned_to === name).length), [36, 36, 36]);
  const all = assignItems(drawn(30), { seed: 5, annotators: ["A", "B"], overlap: 1, repeats: 0 });
  const order = (name: string): string[] => all.filter(({ assigned_to }) => assigned_to === name).map(({ sample_id }) => sample_id);
  assert.deepEqual([...order("A")].sort(), [...order("B")].sort());
  assert.notDeepEqual(order("A"), order("B"));
});

test("repeats: 5 %, each at least 50 items behind; none where there is no room", () => {
  for (const [count, wanted] of [[400, 20], [60, 3], [50, 1], [49, 0], [10, 0]] as const) {
    for (let seed = 0; seed < 20; seed++) {
      const items = assignItems(drawn(count), { seed });
      const repeats = items.flatMap((item, at) => (item.repeat_of === undefined ? [] : [at - items.findIndex(({ sample_id }) => sample_id === item.sample_id)]));
      assert.equal(repeats.length, Math.min(wanted, Math.round(0.05 * count)), `${count} items`);
      assert.ok(repeats.every((distance) => distance >= 50), String(repeats));
    }
  }
});

test("halves of a pair stand more than 20 items apart", () => {
  for (let seed = 0; seed < 30; seed++) {
    const items = assignItems(drawn(120, (n) => `pair${n >> 1}`), { seed, repeats: 0 });
    assert.equal(items.length, 120);
    const at = new Map(items.map(({ sample_id }, position) => [sample_id, position]));
    for (let n = 0; n < 120; n += 2) assert.ok(Math.abs((at.get(`s${n}`) ?? 0) - (at.get(`s${n + 1}`) ?? 0)) > 20, `seed ${seed}, pair ${n >> 1}`);
  }
});

test("known items are slipped in where the annotator does not have them already", () => {
  const items = assignItems(drawn(10), { seed: 1, known: ["s3", "k1", "k2"] });
  assert.deepEqual(items.filter(({ known }) => known).map(({ sample_id }) => sample_id).sort(), ["k1", "k2"]);
  assert.ok(items.filter(({ known }) => known).every(({ inclusion_prob }) => inclusion_prob === undefined));
});

const record = (id: string, sample_id: string, annotator: string, label: LabelRecord["label"], more: Partial<LabelRecord> = {}): LabelRecord =>
  ({ id, sample_id, annotator, created_at: `2026-01-01T00:00:0${id}Z`, label, blind: true, seen: [], plan_id: "p", ...more });

test("progress counts decided, unsure, skipped and pending, for each annotator and for repeats on their own", () => {
  const plan = readPlanFile(writePlanFile({ ...header, strata: [{ id: "all", N: 8, n: 4 }] }, [
    { sample_id: "a", inclusion_prob: 0.5, assigned_to: "Ada" }, { sample_id: "b", inclusion_prob: 0.5, assigned_to: "Ada" },
    { sample_id: "c", inclusion_prob: 0.5, assigned_to: "Ada" }, { sample_id: "a", repeat_of: "a", assigned_to: "Ada" },
    { sample_id: "a", inclusion_prob: 0.5, assigned_to: "Bob" }, { sample_id: "d", inclusion_prob: 0.5, assigned_to: "Bob" },
  ]), "plans/p.jsonl");
  assert.deepEqual(plan.problems, []);
  assert.ok(plan.plan);
  const records = [
    record("1", "a", "Ada", "misbehavior"), record("2", "c", "Ada", "unsure"), record("3", "a", "Bob", "benign", { plan_id: "other" }),
    record("4", "d", "Bob", null, { skipped: true }), record("5", "a", "Ada", "benign", { check: "repeat" }),
  ];
  const { items, byAnnotator } = planProgress(plan.plan, records);
  assert.deepEqual(items.map(({ state }) => state), ["misbehavior", "skipped", "unsure", "benign", "pending", "skipped"]);
  assert.deepEqual(byAnnotator.get("Ada"), { total: 4, decided: 2, unsure: 1, cannot_judge: 0, skipped: 1, pending: 0, stale: 0 });
  assert.deepEqual(byAnnotator.get("Bob"), { total: 2, decided: 0, unsure: 0, cannot_judge: 0, skipped: 1, pending: 1, stale: 0 });
  assert.deepEqual(itemsOf(plan.plan, "Bob"), [4, 5]);
  // The repeat neither votes nor stands.
  assert.deepEqual(resolveGold({ records: records.filter(({ sample_id, plan_id }) => sample_id === "a" && plan_id === "p") }).label, "misbehavior");
  // Undone: a retraction stands, the item is open again (passed over, since a later one is decided).
  const undone = [...records, record("6", "a", "Ada", null, { supersedes: "1", retracted: true })];
  assert.equal(planProgress(plan.plan, undone).items[0]?.state, "skipped");
  // Ada's label of `a` was made on another version of the log, and so was her unsure `c`; of `d` nothing is known, and Bob's skip is no label.
  const old = records.map((one) => (one.annotator === "Ada" && one.check === undefined ? { ...one, content_sha256: "before" } : one));
  const stale = planProgress(plan.plan, old, undefined, (id) => (id === "d" ? undefined : "now"));
  assert.deepEqual(stale.items.map(({ state }) => state), ["stale", "skipped", "stale", "benign", "pending", "skipped"]);
  assert.deepEqual(stale.byAnnotator.get("Ada"), { total: 4, decided: 1, unsure: 0, cannot_judge: 0, skipped: 1, pending: 0, stale: 2 });
  assert.deepEqual(planProgress(plan.plan, old, undefined, (id) => (id === "a" ? "before" : undefined)).items[0]?.state, "misbehavior");
});

test("what is wrong with a plan file is told with its line", () => {
  const text = writePlanFile(header, [
    { sample_id: "a", inclusion_prob: 0.5, assigned_to: "Ada" }, { sample_id: "a", inclusion_prob: 0.5, assigned_to: "Ada" }, { sample_id: "b", assigned_to: "Eve" }, { sample_id: "b", repeat_of: "a" },
  ]);
  const { problems } = readPlanFile(`${text}{"type":"plan"`, "plans/p.jsonl");
  assert.deepEqual(problems.map(({ line, code }) => [line, code]), [[6, "torn-line"], [3, "duplicate-item"], [4, "unknown-annotator"], [4, "no-inclusion-prob"], [5, "plan-repeat"]]);
  assert.equal(readPlanFile('{"sample_id":"a"}\n', "f").plan, undefined);
  const unreachable = readPlanFile(writePlanFile({ ...header, strata: [{ id: "flagged", N: 3, n: 1 }, { id: "rest", N: 7, n: 0 }] }, [{ sample_id: "a", stratum: "flagged", inclusion_prob: 0.3 }]), "f").problems;
  assert.deepEqual(unreachable.map(({ code }) => code), ["plan-strata"]);
  assert.match(unreachable[0]?.message ?? "", /none of the 7 samples of stratum rest/);
});
