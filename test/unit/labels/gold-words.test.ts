/** The words of the gold follow everybody's labels, not the own one alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { goldWords } from "#core/labels/gold-words";
import type { LabelRecord } from "#core/workspace/schemas";

const vote = (annotator: string, label: LabelRecord["label"], more: Partial<LabelRecord> = {}): LabelRecord =>
  ({ id: `${annotator}-${label}`, sample_id: "s", annotator, created_at: "2026-01-01T00:00:00Z", label, blind: true, seen: [], ...more });
const words = (records: LabelRecord[], more: object = {}): string => {
  const { state, label, held, reopened } = goldWords({ records, original: "benign", ...more });
  return [state, label, ...(held ? ["held"] : []), ...(reopened ? ["reopened"] : [])].join(" ");
};

test("one vote corrects, a second against it contests, an adjudication settles", () => {
  const [ada, bob] = [vote("Ada", "misbehavior"), vote("Bob", "benign")];
  assert.equal(words([]), "original benign");
  assert.equal(words([ada]), "corrected misbehavior");
  assert.equal(words([bob]), "original benign");
  assert.equal(words([ada, bob]), "contested benign");
  const settled = vote("Cem", "misbehavior", { adjudicates: [ada.id, bob.id], created_at: "2026-01-02T00:00:00Z" });
  assert.equal(words([ada, bob, settled]), "adjudicated misbehavior");
  const changed = vote("Bob", "misbehavior", { id: "bob-2", supersedes: bob.id, created_at: "2026-01-03T00:00:00Z" });
  assert.equal(words([ada, bob, settled, changed]), "adjudicated misbehavior reopened");
  assert.equal(words([ada, bob, vote("Cem", "unsure", { adjudicates: [ada.id, bob.id] })]), "adjudicated ");
});

test("undecided, held and without an original label", () => {
  assert.equal(words([vote("Ada", "unsure")]), "undecided ");
  assert.equal(words([vote("Ada", "misbehavior")], { overturn: "two" }), "original benign held");
  assert.equal(words([vote("Ada", "misbehavior")], { original: undefined }), "labelled misbehavior");
  assert.equal(words([], { original: undefined }), "unlabelled ");
});

test("a label made on another version of the log corrects nothing", () => {
  assert.equal(words([vote("Ada", "misbehavior", { content_sha256: "old" })], { contentSha256: "new" }), "original benign");
});
