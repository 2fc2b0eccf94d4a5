/** Gold and standing records, each case worked out from the rules of the label files. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveGold, type Gold } from "#core/labels/gold";
import { compareByTime, instantOf } from "#core/labels/instant";
import { standingByAnnotator } from "#core/labels/standing";
import type { LabelRecord } from "#core/workspace/schemas";

let minute = 0;
/** A record by `annotator`, a minute after the one before it. */
function said(annotator: string, label: LabelRecord["label"], more: Partial<LabelRecord> = {}): LabelRecord {
  minute++;
  return {
    id: `r${String(minute).padStart(4, "0")}`, sample_id: "s", annotator, label, blind: true, seen: [],
    created_at: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(), ...more,
  };
}
const afterReveal: Partial<LabelRecord> = { blind: false, seen: ["verdict", "evidence"] };

function brief(gold: Gold): unknown[] {
  return [gold.label, gold.status, gold.votes.misbehavior, gold.votes.benign];
}
/** Both orders must give the same. */
function goldOf(records: LabelRecord[], more: Omit<Parameters<typeof resolveGold>[0], "records"> = {}): Gold {
  const gold = resolveGold({ records, ...more });
  const backwards = resolveGold({ records: [...records].reverse(), ...more });
  assert.deepEqual({ ...backwards, changedAfterReveal: [...backwards.changedAfterReveal].sort() }, { ...gold, changedAfterReveal: [...gold.changedAfterReveal].sort() });
  return gold;
}

test("without records the original label is gold, and without that the sample is unlabelled", () => {
  assert.deepEqual(brief(goldOf([], { original: "benign" })), ["benign", "original", 0, 0]);
  assert.deepEqual(brief(goldOf([])), [null, "unlabelled", 0, 0]);
});

test("one vote, a unanimous vote, a majority", () => {
  const single = goldOf([said("ada", "misbehavior")], { original: "benign" });
  assert.deepEqual(brief(single), ["misbehavior", "single", 1, 0]);
  assert.equal(single.overturned, true);
  assert.deepEqual(brief(goldOf([said("ada", "benign"), said("bob", "benign")], { original: "benign" })), ["benign", "unanimous", 0, 2]);
  assert.deepEqual(brief(goldOf([said("ada", "benign"), said("bob", "misbehavior"), said("cy", "misbehavior")])), ["misbehavior", "majority", 2, 1]);
});

test("a tie is contested and scored by the original label", () => {
  const tie = [said("ada", "benign"), said("bob", "misbehavior")];
  assert.deepEqual(brief(goldOf(tie, { original: "misbehavior" })), ["misbehavior", "contested", 1, 1]);
  assert.deepEqual(brief(goldOf(tie)), [null, "contested", 1, 1]);
});

test("only unsure or cannot_judge is undecided; beside a vote they do not count", () => {
  const unsure = goldOf([said("ada", "unsure"), said("bob", "cannot_judge")], { original: "benign" });
  assert.deepEqual(brief(unsure), [null, "undecided", 0, 0]);
  assert.equal(unsure.undecidedVoices, 2);
  assert.deepEqual(brief(goldOf([said("ada", "unsure"), said("bob", "misbehavior")], { original: "benign" })), ["misbehavior", "single", 1, 0]);
});

test("spans or a note without a decision change nothing", () => {
  assert.deepEqual(brief(goldOf([said("ada", null, { note: "look again" })], { original: "benign" })), ["benign", "original", 0, 0]);
});

test("an annotator votes with the newest record that no other supersedes", () => {
  const first = said("ada", "misbehavior");
  const second = said("ada", "benign", { supersedes: first.id });
  assert.deepEqual(brief(goldOf([first, second])), ["benign", "single", 0, 1]);
  // The newer by time stands even when nothing is named as superseded.
  assert.deepEqual(brief(goldOf([said("bob", "benign"), said("bob", "misbehavior")])), ["misbehavior", "single", 1, 0]);
  // Superseded although newer by the clock of another machine.
  const fast = said("cy", "misbehavior", { created_at: "2030-01-01T00:00:00Z" });
  assert.deepEqual(brief(goldOf([fast, said("cy", "benign", { supersedes: fast.id })])), ["benign", "single", 0, 1]);
});

test("a retraction means no label and revives nothing", () => {
  const first = said("ada", "misbehavior");
  const second = said("ada", "benign");
  const back = said("ada", "benign", { supersedes: second.id, retracted: true });
  assert.deepEqual(brief(goldOf([first, second, back], { original: "misbehavior" })), ["misbehavior", "original", 0, 0]);
  assert.equal(standingByAnnotator([first, second, back]).get("ada")?.id, back.id);
  // A label after the retraction stands again.
  assert.deepEqual(brief(goldOf([first, second, back, said("ada", "benign")])), ["benign", "single", 0, 1]);
});

test("a record on other content is stale: no vote, counted", () => {
  const records = [said("ada", "misbehavior", { content_sha256: "old" }), said("bob", "benign", { content_sha256: "new" })];
  const gold = goldOf(records, { original: "misbehavior", contentSha256: "new" });
  assert.deepEqual(brief(gold), ["benign", "single", 0, 1]);
  assert.equal(gold.stale, 1);
  assert.equal(goldOf(records, { original: "misbehavior" }).stale, 0, "nothing is stale while the content is unknown");
});

test("a label changed after a reveal: the one before it votes, and adjudication is asked for", () => {
  const before = said("ada", "misbehavior");
  const after = said("ada", "benign", { ...afterReveal, supersedes: before.id });
  const gold = goldOf([before, after], { original: "benign" });
  assert.deepEqual(brief(gold), ["misbehavior", "single", 1, 0]);
  assert.deepEqual(gold.changedAfterReveal, ["ada"]);
  // The last of several before the reveal.
  const a = said("bob", "benign");
  const b = said("bob", "misbehavior", { supersedes: a.id });
  const c = said("bob", "benign", { ...afterReveal, supersedes: b.id });
  assert.deepEqual(brief(goldOf([a, b, c])), ["misbehavior", "single", 1, 0]);
});

test("confirmed after the reveal is no change, and without a record from before it the standing one votes", () => {
  const before = said("ada", "misbehavior");
  const confirmed = goldOf([before, said("ada", "misbehavior", { ...afterReveal, supersedes: before.id })]);
  assert.deepEqual([brief(confirmed), confirmed.changedAfterReveal], [["misbehavior", "single", 1, 0], []]);
  assert.deepEqual(brief(goldOf([said("bob", "benign", afterReveal)], { original: "misbehavior" })), ["benign", "single", 0, 1]);
  // A draft without decision is not a label from before the reveal.
  const draft = said("cy", null, { note: "?" });
  assert.deepEqual(brief(goldOf([draft, said("cy", "benign", { ...afterReveal, supersedes: draft.id })])), ["benign", "single", 0, 1]);
});

test("unsure before the reveal is a label: a decision after it asks for adjudication and does not vote", () => {
  const before = said("ada", "unsure");
  const gold = goldOf([before, said("ada", "misbehavior", { ...afterReveal, supersedes: before.id })], { original: "benign" });
  assert.deepEqual([brief(gold), gold.changedAfterReveal], [[null, "undecided", 0, 0], ["ada"]]);
});

test("a record with nothing seen, made after the reveal, is not from before it", () => {
  const gold = goldOf([said("ada", "misbehavior", afterReveal), said("ada", "benign")]);
  assert.deepEqual([brief(gold), gold.changedAfterReveal], [["benign", "single", 0, 1], []]);
});

test("taken back after the reveal: no vote", () => {
  const before = said("ada", "misbehavior");
  assert.deepEqual(brief(goldOf([before, said("ada", null, { ...afterReveal, supersedes: before.id, retracted: true })], { original: "benign" })), ["benign", "original", 0, 0]);
});

test("the newest adjudication decides over the votes", () => {
  const a = said("ada", "misbehavior");
  const b = said("bob", "benign");
  const c = said("cy", "benign");
  const first = said("chair", "misbehavior", { adjudicates: [a.id, b.id, c.id], seen: ["others"] });
  const gold = goldOf([a, b, c, first], { original: "benign" });
  assert.deepEqual(brief(gold), ["misbehavior", "adjudicated", 1, 2]);
  assert.equal(gold.adjudication, first.id);
  assert.equal(gold.reopened, undefined);
  const second = said("dean", "benign", { adjudicates: [first.id] });
  assert.deepEqual(brief(goldOf([a, b, c, first, second])), ["benign", "adjudicated", 1, 2]);
});

test("an adjudication is reopened when a record it names is superseded", () => {
  const a = said("ada", "misbehavior");
  const verdict = said("chair", "misbehavior", { adjudicates: [a.id] });
  const gold = goldOf([a, verdict, said("ada", "benign", { supersedes: a.id })]);
  assert.deepEqual([brief(gold), gold.reopened], [["misbehavior", "adjudicated", 0, 1], true]);
  // What the adjudication itself supersedes does not reopen it.
  const own = said("chair", "benign");
  assert.equal(goldOf([own, said("chair", "misbehavior", { adjudicates: [own.id], supersedes: own.id })]).reopened, undefined);
});

test("an adjudication that is unsure makes the sample undecided; stale and retracted ones do not count", () => {
  const a = said("ada", "misbehavior", { content_sha256: "now" });
  assert.deepEqual(brief(goldOf([a, said("chair", "unsure", { adjudicates: [a.id] })], { original: "benign" })), [null, "undecided", 1, 0]);
  const stale = said("chair", "benign", { adjudicates: [a.id], content_sha256: "before" });
  assert.deepEqual(brief(goldOf([a, stale], { contentSha256: "now" })), ["misbehavior", "single", 1, 0]);
  const verdict = said("chair", "benign", { adjudicates: [a.id] });
  const back = said("chair", null, { supersedes: verdict.id, retracted: true });
  assert.deepEqual(brief(goldOf([a, verdict, back])), ["misbehavior", "single", 1, 0]);
});

test("the workspace can demand two votes or an adjudication before an original label is overturned", () => {
  const one = [said("ada", "misbehavior")];
  const held = goldOf(one, { original: "benign", overturn: "two" });
  assert.deepEqual([brief(held), held.held, held.overturned], [["benign", "single", 1, 0], true, false]);
  const two = [...one, said("bob", "misbehavior")];
  assert.deepEqual(brief(goldOf(two, { original: "benign", overturn: "two" })), ["misbehavior", "unanimous", 2, 0]);
  assert.deepEqual(brief(goldOf(two, { original: "benign", overturn: "adjudicated" })), ["benign", "unanimous", 2, 0]);
  const decided = [...two, said("chair", "misbehavior", { adjudicates: [] })];
  assert.deepEqual(brief(goldOf(decided, { original: "benign", overturn: "adjudicated" })), ["misbehavior", "adjudicated", 2, 0]);
  // Nothing to overturn: one vote is enough.
  assert.deepEqual(brief(goldOf(one, { overturn: "adjudicated" })), ["misbehavior", "single", 1, 0]);
});

test("times in different zones and precisions are compared as instants", () => {
  assert.equal(instantOf("2026-03-01T12:00:00+02:00"), Date.UTC(2026, 2, 1, 10));
  assert.equal(instantOf("2026-03-01T12:00:00.25Z"), Date.UTC(2026, 2, 1, 12) + 250);
  assert.equal(instantOf("2026-03-01"), Date.UTC(2026, 2, 1));
  assert.equal(instantOf("2026-02-31T00:00:00Z"), undefined);
  assert.equal(instantOf("yesterday"), undefined);
  const earlier = { id: "z", created_at: "2026-03-01T12:00:00+02:00" };
  const later = { id: "a", created_at: "2026-03-01T10:00:00.001Z" };
  assert.equal(compareByTime(earlier, later), -1);
  assert.equal(compareByTime({ ...earlier, id: "a" }, earlier), -1, "same instant: by id");
});
