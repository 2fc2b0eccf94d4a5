/** Edits of the guidelines and the labels that they ask to be given again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GuidelineChange, guidelineLogPath, isUnmarked, judgeAgain, versionsCovered } from "#core/labels/guideline-log";
import type { LabelRecord } from "#core/workspace/schemas";

const change = (previous: string, sha256: string, more: Partial<GuidelineChange> = {}): GuidelineChange => GuidelineChange.parse({ previous, sha256, change: "meaning", by: "Ada", at: "2026-01-01T00:00:00Z", ...more });
const record = (sample_id: string, guideline_sha256: string | undefined, more: Partial<LabelRecord> = {}): LabelRecord =>
  ({ id: `${sample_id}-${guideline_sha256}`, sample_id, annotator: "Ada", created_at: "2026-01-01T00:00:00Z", label: "misbehavior", blind: true, seen: [], ...(guideline_sha256 === undefined ? {} : { guideline_sha256 }), ...more });
const again = (log: GuidelineChange[], ...records: LabelRecord[]): string[] => judgeAgain(records, log).map(({ sampleId }) => sampleId);

test("labels from before an edit that changed the meaning are asked for again, others are left alone", () => {
  const log = [change("v1", "v2", { change: "minor" }), change("v2", "v3"), change("v3", "v4", { change: "minor" })];
  assert.deepEqual(again(log, record("a", "v1"), record("b", "v2"), record("c", "v3"), record("d", "v4"), record("e", undefined), record("f", "unknown")), ["a", "b"]);
  assert.deepEqual(again([], record("a", "v1")), []);
});

test("an edit of one category's section concerns labels of that category and such as name none", () => {
  const log = [change("v1", "v2", { categories: ["x"] })];
  assert.deepEqual(again(log, record("a", "v1", { categories: ["x", "y"] }), record("b", "v1", { categories: ["y"] }), record("c", "v1", { label: "benign" })), ["a", "c"]);
});

test("a label given again is done; one taken back, a draft and a check were never asked for", () => {
  const log = [change("v1", "v2")];
  const old = record("a", "v1");
  assert.deepEqual(again(log, old, record("a", "v2", { supersedes: old.id, created_at: "2026-01-02T00:00:00Z" })), []);
  assert.deepEqual(again(log, old, record("a", "v2", { supersedes: old.id, retracted: true, created_at: "2026-01-02T00:00:00Z" })), []);
  assert.deepEqual(again(log, record("a", "v1", { label: null }), record("b", "v1", { check: "repeat" })), []);
});

test("going back to an older version counts from the last time it was reached", () => {
  const log = [change("v1", "v2"), change("v2", "v1"), change("v1", "v3", { change: "minor" })];
  assert.deepEqual(again(log, record("a", "v1"), record("b", "v2")), ["b"]);
});

test("an edit that nobody has marked is noticed once labels exist under another version", () => {
  assert.equal(isUnmarked([], "v2", ["v1"]), true);
  assert.equal(isUnmarked([], "v1", ["v1"]), false);
  assert.equal(isUnmarked([change("v1", "v2")], "v2", ["v1"]), false);
  assert.equal(isUnmarked([change("v1", "v2")], "v3", ["v2"]), true);
  assert.equal(guidelineLogPath("docs/guidelines.md"), "docs/guidelines.changes.jsonl");
});

test("going back to a version that the log knows is an edit too", () => {
  assert.equal(isUnmarked([change("v1", "v2")], "v1", ["v1", "v2"]), true);
  assert.equal(isUnmarked([change("v1", "v2"), change("v2", "v1")], "v1", ["v1", "v2"]), false);
});

test("a mark speaks for the versions between that nobody marked, so that their labels are asked for too", () => {
  const before = [change("v1", "v2", { change: "minor" })];
  assert.deepEqual(versionsCovered(before, "v5", ["v1", "v2", "v4", "v3", "v5", "v4"]), ["v3", "v4"]);
  const log = [...before, change("v2", "v5", { covers: ["v3", "v4"] })];
  assert.deepEqual(again(log, record("a", "v3"), record("b", "v4"), record("c", "v5"), record("d", "v6")), ["a", "b"]);
  assert.deepEqual(versionsCovered(log, "v6", ["v3", "v4", "v5"]), []);
});
