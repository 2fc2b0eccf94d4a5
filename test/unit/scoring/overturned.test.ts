/** How many labels people overturned: only samples whose label is another one now, within the labels that count. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { countOverturned } from "#core/scoring/scored-samples";
import type { ScoreInput } from "#core/scoring/score-input";
import type { LabelRecord } from "#core/workspace/schemas";

const label = (id: string, sample_id: string, value: LabelRecord["label"], blind: boolean): LabelRecord =>
  ({ id, sample_id, annotator: "ada", created_at: "2026-01-02T00:00:00Z", label: value, blind, seen: [] });

const input: ScoreInput = {
  samples: [
    { id: "kept", label: "benign", group: "a" }, { id: "turned", label: "benign", group: "b" }, { id: "turned-open", label: "misbehavior", group: "c" },
    { id: "unsure", label: "misbehavior", group: "d" }, { id: "new", label: undefined, group: "e" },
  ],
  labels: [label("1", "kept", "benign", true), label("2", "turned", "misbehavior", true), label("3", "turned-open", "benign", false), label("4", "unsure", "unsure", true), label("5", "new", "benign", true)],
  runs: [],
};

test("a confirmed, an undecided and a first label overturn nothing", () => {
  assert.equal(countOverturned(input, { gold: "corrected" }), 2);
});

test("only labels that count overturn", () => {
  assert.equal(countOverturned(input, { gold: "corrected", labels: "blind" }), 1);
});
