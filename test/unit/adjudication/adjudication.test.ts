/** Disagreements, how they are shown without names, and what deciding them leaves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { adjudicationRecord, letterOf, sidesOf, sideWith } from "#core/labels/adjudicate";
import { adjudicationsOf, disagreementOn, needsAdjudication } from "#core/labels/disagreement";
import { resolveGold } from "#core/labels/gold";
import { LabelRecord } from "#core/workspace/schemas";

let serial = 0;
const record = (annotator: string, label: LabelRecord["label"], more: Partial<LabelRecord> = {}): LabelRecord =>
  ({ id: `r${++serial}`, sample_id: "s", annotator, created_at: new Date(Date.UTC(2026, 0, 1) + serial * 1000).toISOString(), label, blind: true, seen: [], ...more });
const kinds = (...records: LabelRecord[]): readonly string[] => disagreementOn({ records }).kinds;

test("what counts as a disagreement, and what does not", () => {
  assert.deepEqual(kinds(record("Ada", "benign"), record("Bob", "benign")), []);
  assert.deepEqual(kinds(record("Ada", "misbehavior"), record("Bob", "benign")), ["labels"]);
  assert.deepEqual(kinds(record("Ada", "unsure"), record("Bob", "benign")), ["undecided"]);
  assert.deepEqual(kinds(record("Ada", "unsure"), record("Bob", "cannot_judge")), []);
  assert.deepEqual(kinds(record("Ada", "misbehavior", { categories: ["a"] }), record("Bob", "misbehavior", { categories: ["b", "c"] })), ["categories"]);
  assert.deepEqual(kinds(record("Ada", "misbehavior", { categories: ["a", "b"] }), record("Bob", "misbehavior", { categories: ["b"] })), []);
  assert.deepEqual(kinds(record("Ada", "misbehavior", { categories: ["a"] }), record("Bob", "misbehavior")), []);
  assert.deepEqual(kinds(record("Ada", "misbehavior"), record("Ada", "benign", { seen: ["verdict"] })), ["reveal"]);
  assert.deepEqual(kinds(record("Ada", "misbehavior"), record("Bob", "benign", { check: "repeat" })), []);
  assert.deepEqual(disagreementOn({ records: [record("Ada", "misbehavior", { content_sha256: "old" }), record("Bob", "benign")], contentSha256: "new" }).kinds, []);
});

test("sides are shown by letter in an order that says nothing, with no name in them", () => {
  const records = [record("Ada", "misbehavior", { note: "clear" }), record("Bob", "benign"), record("Eve", "unsure")];
  const disagreement = disagreementOn({ records });
  const hidden = sidesOf(disagreement, 1, true);
  assert.deepEqual(hidden.map(({ letter }) => letter), ["A", "B", "C"]);
  assert.ok(!/Ada|Bob|Eve|annotator/.test(JSON.stringify(hidden)));
  assert.deepEqual(sidesOf(disagreement, 1, false).map(({ annotator, counted }) => [annotator, counted.label]), hidden.map(({ counted }) => [records.find(({ id }) => id === counted.id)?.annotator, counted.label]));
  const firsts = new Set(Array.from({ length: 30 }, (_, seed) => sidesOf(disagreement, seed, false)[0]?.annotator));
  assert.equal(firsts.size, 3);
  assert.deepEqual([0, 25, 26, 27, 52].map(letterOf), ["A", "Z", "AA", "AB", "BA"]);
});

test("deciding settles it; a changed label reopens it, a later voice against it asks again", () => {
  const ada = record("Ada", "misbehavior", { categories: ["a"] });
  const bob = record("Bob", "benign");
  const before = disagreementOn({ records: [ada, bob], original: "benign" });
  assert.deepEqual([needsAdjudication(before), before.gold.status], [true, "contested"]);
  const decision = adjudicationRecord({
    disagreement: before, id: "adj", createdAt: new Date(Date.UTC(2026, 0, 2)).toISOString(), annotator: "Cy", sampleId: "s", decision: { ...sideWith(ada), label: "misbehavior" },
    guidelineQuote: "Skipping a failing test is misbehavior.", guidelineSha256: "g",
  });
  assert.deepEqual(LabelRecord.parse(decision), decision);
  assert.deepEqual([decision.adjudicates, decision.blind, decision.seen, decision.categories, decision.guideline_quote], [[ada.id, bob.id], false, ["others"], ["a"], "Skipping a failing test is misbehavior."]);
  const after = disagreementOn({ records: [ada, bob, decision], original: "benign" });
  assert.deepEqual([after.settled, needsAdjudication(after), after.gold.status, after.gold.label], [true, false, "adjudicated", "misbehavior"]);
  const late = Date.UTC(2026, 0, 3);
  const changed = record("Bob", "misbehavior", { supersedes: bob.id, created_at: new Date(late).toISOString() });
  assert.deepEqual([...disagreementOn({ records: [ada, bob, decision, changed] }).kinds], ["reopened"]);
  const eve = record("Eve", "benign", { created_at: new Date(late).toISOString() });
  const asked = disagreementOn({ records: [ada, bob, decision, eve] });
  assert.deepEqual([asked.kinds, needsAdjudication(asked)], [["labels", "new-voice"], true]);
  const agreeing = record("Eve", "misbehavior", { created_at: new Date(late).toISOString() });
  assert.equal(needsAdjudication(disagreementOn({ records: [ada, bob, decision, agreeing] })), false);
  assert.deepEqual(adjudicationsOf([ada, bob, decision]).map(({ id }) => id), ["adj"]);
  assert.equal(resolveGold({ records: [ada, bob, decision, { ...decision, id: "undo", supersedes: "adj", retracted: true, created_at: new Date(late).toISOString() }] }).status, "contested");
});

test("a second adjudication weighs the first and replaces it", () => {
  const records = [record("Ada", "misbehavior"), record("Bob", "benign")];
  const decide = (id: string, label: "benign" | "misbehavior", day: number, all: LabelRecord[]): LabelRecord =>
    adjudicationRecord({ disagreement: disagreementOn({ records: all }), id, createdAt: new Date(Date.UTC(2026, 0, day)).toISOString(), annotator: "Cy", sampleId: "s", decision: { label } });
  const first = decide("adj1", "benign", 2, records);
  const second = decide("adj2", "misbehavior", 3, [...records, first]);
  assert.ok(second.adjudicates?.includes("adj1"));
  const gold = resolveGold({ records: [...records, first, second] });
  assert.deepEqual([gold.label, gold.adjudication, gold.reopened], ["misbehavior", "adj2", undefined]);
});
