/** The review queue: states, filters that keep the row being judged, true counts and orders. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { queueRow, suspicionOf, type QueueRow, type QueueRowInput } from "#core/labels/queue-row";
import { groupRows, QueueTable, sortRows } from "#core/labels/queue-table";
import type { LabelRecord } from "#core/workspace/schemas";

const record = (id: string, annotator: string, label: LabelRecord["label"], more: Partial<LabelRecord> = {}): LabelRecord =>
  ({ id, sample_id: "s", annotator, created_at: `2026-01-01T00:00:0${id}Z`, label, blind: true, seen: [], ...more });
const row = (id: string, more: Partial<Omit<QueueRowInput, "sample">> = {}, sample: Partial<QueueRowInput["sample"]> = {}): QueueRow =>
  queueRow({ sample: { id, ...sample }, records: [], annotator: "Ada", ...more });

test("a row says what its person has done, what the verdict is against the gold, and who disagrees", () => {
  const judged = row("a", { records: [record("1", "Ada", "misbehavior"), record("2", "Bob", "benign")], run: "r", verdict: { outcome: "misbehavior", score: 0.9 } }, { label: "benign", category: "c" });
  assert.deepEqual([judged.state, judged.label, judged.cell, judged.goldStatus, judged.annotators, judged.disagreement, judged.needsAdjudication],
    ["decided", "misbehavior", "fp", "contested", ["Ada", "Bob"], ["labels"], true]);
  const states = ([
    [], [record("1", "Ada", null)], [record("1", "Ada", null, { skipped: true })], [record("1", "Ada", "unsure")], [record("1", "Bob", "benign")],
    [record("1", "Ada", "benign"), record("2", "Ada", null, { supersedes: "1", retracted: true })], [record("1", "Ada", "benign", { content_sha256: "old" })], [record("1", "Ada", "benign", { check: "repeat" })],
  ] satisfies LabelRecord[][]).map((records) => row("a", { records }, { contentSha256: "new" }).state);
  assert.deepEqual(states, ["pending", "draft", "skipped", "unsure", "pending", "pending", "stale", "pending"]);
  const cell = (outcome: "misbehavior" | "benign" | "invalid", label: "misbehavior" | "benign" | undefined): string => row("a", { verdict: { outcome } }, { label }).cell;
  assert.deepEqual([cell("misbehavior", "misbehavior"), cell("benign", "misbehavior"), cell("benign", "benign"), cell("invalid", "benign"), cell("benign", undefined)], ["tp", "fn", "tn", "invalid", "open"]);
});

const rows = [
  row("a", { verdict: { outcome: "misbehavior", score: 0.9 }, plans: ["p", "q"], planAt: 2 }, { category: "x", title: "Fix the flaky test", length: 10 }),
  row("b", { verdict: { outcome: "benign", score: 0.2 }, plans: ["p"], planAt: 0 }, { category: "y", length: 30 }),
  row("c", { verdict: { outcome: "misbehavior" }, records: [record("1", "Ada", "benign", { note: "Looks FINE to me" })] }, { category: "x", length: 20 }),
  row("d", { records: [record("1", "Bob", "unsure"), record("2", "Eve", "benign")], planAt: 1, plans: ["p"] }),
];
const ids = (list: readonly QueueRow[]): string => list.map(({ id }) => id).join("");

test("filters: values of a facet are alternatives, facets are all required, words are looked for in titles and notes", () => {
  const table = new QueueTable(rows);
  assert.equal(ids(table.select({}).rows), "abcd");
  assert.equal(ids(table.select({ facets: { category: ["x"] } }).rows), "ac");
  assert.equal(ids(table.select({ facets: { category: ["x", ""], state: ["pending"] } }).rows), "ad");
  assert.equal(ids(table.select({ facets: { plan: ["q"] } }).rows), "a");
  assert.equal(ids(table.select({ facets: { plan: [""] } }).rows), "c");
  assert.equal(ids(table.select({ text: "flaky FIX" }).rows), "a");
  assert.equal(ids(table.select({ text: "fine" }).rows), "c");
  assert.equal(ids(table.select({ needsAdjudication: true }).rows), "d");
  assert.equal(ids(new QueueTable([...rows, row("e", { judgeAgain: true })]).select({ judgeAgain: true }).rows), "e");
  assert.equal(ids(table.select({ facets: { disagreement: ["undecided"] } }).rows), "d");
});

test("the row that is being judged stays in its place when the filter loses it; counts stay true", () => {
  const table = new QueueTable(rows);
  assert.deepEqual([...table.count("state")].sort(), [["decided", 1], ["pending", 3]]);
  assert.deepEqual([...table.count("plan")].sort(), [["", 1], ["p", 3], ["q", 1]]);
  assert.equal(table.update(row("b", { records: [record("3", "Ada", "misbehavior")], plans: ["p"] }, { category: "y" })), true);
  const kept = table.select({ facets: { state: ["pending"] } }, "b");
  assert.deepEqual([ids(kept.rows), kept.kept], ["abd", true]);
  const gone = table.select({ facets: { state: ["pending"] } });
  assert.deepEqual([ids(gone.rows), gone.kept], ["ad", false]);
  assert.deepEqual([...table.count("state")].sort(), [["decided", 2], ["pending", 2]]);
  assert.equal(table.update(row("zz")), false);
});

test("orders: suspicion, length, plan, and a random one that does not shift when rows go", () => {
  assert.deepEqual(rows.map(suspicionOf), [0.9, 0.2, 0.75, -1]);
  assert.equal(ids(sortRows(rows, { by: "suspicion" })), "acbd");
  assert.equal(ids(sortRows(rows, { by: "length" })), "bcad");
  assert.equal(ids(sortRows(rows, { by: "plan" })), "bdac");
  assert.equal(ids(sortRows(rows, { by: "id", reverse: true })), "dcba");
  const many = Array.from({ length: 50 }, (_, n) => row(`r${n}`));
  const order = sortRows(many, { by: "random", seed: 4 });
  const rest = sortRows(many.filter((_, n) => n % 3 !== 0), { by: "random", seed: 4 });
  assert.deepEqual(rest, order.filter((one) => rest.includes(one)));
  assert.notEqual(ids(order), ids(many));
  assert.notEqual(ids(order), ids(sortRows(many, { by: "random", seed: 5 })));
});

test("groups list each row under each of its values, with how many are done", () => {
  assert.deepEqual(groupRows(rows, "category").map(({ value, rows: own, done }) => [value, ids(own), done]), [["x", "ac", 1], ["y", "b", 0], ["", "d", 0]]);
  assert.deepEqual(groupRows(rows, "state").map(({ value, rows: own }) => [value, ids(own)]), [["pending", "abd"], ["decided", "c"]]);
  assert.deepEqual(groupRows(rows, "plan").map(({ value, rows: own }) => [value, ids(own)]), [["p", "abd"], ["q", "a"], ["", "c"]]);
});
