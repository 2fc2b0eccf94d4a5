/** The agreement report: which labels count, what is left out, repeats and known items apart. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { agreement } from "#core/labels/agreement";
import type { LabelRecord } from "#core/workspace/schemas";
import { agreementVerb } from "../../../server/cli/verbs/agreement";
import { chat, tempRoot } from "../../support/temp-root";
import { callVerb } from "../../support/verb-call";

let serial = 0;
const record = (sample_id: string, annotator: string, label: LabelRecord["label"], more: Partial<LabelRecord> = {}): LabelRecord =>
  ({ id: `r${String(++serial).padStart(4, "0")}`, sample_id, annotator, created_at: new Date(Date.UTC(2026, 0, 1) + serial * 1000).toISOString(), label, blind: true, seen: [], ...more });
const report = (records: LabelRecord[], more: Partial<Parameters<typeof agreement>[0]> = {}) =>
  agreement({ samples: [...new Set(records.map(({ sample_id }) => sample_id))].map((id) => ({ id })), records, labels: "all", ...more });

test("raw, per class, kappa and alpha on labels counted by hand", () => {
  // Ada and Bob: 3 both misbehavior, 4 both benign, 2 Ada alone, 1 Bob alone.
  const rows: [string, string][] = [...Array(3).fill(["misbehavior", "misbehavior"]), ...Array(4).fill(["benign", "benign"]), ...Array(2).fill(["misbehavior", "benign"]), ["benign", "misbehavior"]];
  const records = rows.flatMap(([a, b], n) => [record(`s${n}`, "Ada", a as "benign"), record(`s${n}`, "Bob", b as "benign")]);
  const { annotators, n, raw, raw_interval, per_class, kappa, alpha } = report(records);
  assert.deepEqual([annotators, n, raw], [["Ada", "Bob"], 10, 0.7]);
  // Wilson 7 of 10.
  assert.deepEqual([raw_interval?.low.toFixed(3), raw_interval?.high.toFixed(3)], ["0.397", "0.892"]);
  // 2*3/(2*3+3) and 2*4/(2*4+3).
  assert.deepEqual(per_class.map(({ label, value, n: of }) => [label, value?.toFixed(4), of]), [["misbehavior", "0.6667", 6], ["benign", "0.7273", 7]]);
  // p_e = 0.5*0.4 + 0.5*0.6 = 0.5.
  assert.deepEqual(kappa.map(({ a, b, n: of, value }) => [a, b, of, value?.toFixed(3)]), [["Ada", "Bob", 10, "0.400"]]);
  // D_o = 3/10, D_e = 2*9*11/(20*19).
  assert.equal(alpha.value?.toFixed(4), (1 - 0.3 / (198 / 380)).toFixed(4));
});

test("the last label before any reveal counts, adjudications do not, and everything left out is said", () => {
  const records = [
    record("a", "Ada", "misbehavior"), record("a", "Bob", "benign"),
    // Bob changes his mind after seeing the verdict: his first label counts.
    record("a", "Bob", "misbehavior", { seen: ["verdict"], blind: false, action: "relabel" }),
    record("a", "Ada", "benign", { adjudicates: ["x"], seen: ["others"], blind: false }),
    record("b", "Ada", "unsure"), record("b", "Bob", "cannot_judge"), record("c", "Ada", null), record("c", "Bob", "benign"),
    record("d", "Ada", "benign", { content_sha256: "old" }), record("d", "Bob", "benign"), record("zz", "Ada", "benign"),
  ];
  const { n, raw, excluded } = report(records, { samples: ["a", "b", "c", "d"].map((id) => ({ id, contentSha256: "new" })) });
  assert.deepEqual([n, raw], [1, 0]);
  assert.deepEqual(excluded, [
    { reason: "adjudication", count: 1 }, { reason: "cannot_judge", count: 1 }, { reason: "no decision", count: 1 }, { reason: "only one annotator", count: 2 },
    { reason: "stale", count: 1 }, { reason: "unknown sample", count: 1 }, { reason: "unsure", count: 1 },
  ]);
});

test("blind keeps blind labels alone", () => {
  const records = [record("a", "Ada", "benign"), record("a", "Bob", "benign", { blind: false }), record("b", "Ada", "benign"), record("b", "Bob", "benign")];
  const { n, excluded } = report(records, { labels: "blind" });
  assert.deepEqual([n, excluded], [1, [{ reason: "not blind", count: 1 }, { reason: "only one annotator", count: 1 }]]);
});

test("repeats and known items measure their annotator and count for nothing else", () => {
  const records = [
    record("a", "Ada", "misbehavior"), record("b", "Ada", "benign"), record("a", "Ada", "benign", { check: "repeat", plan_id: "p" }), record("b", "Ada", "benign", { check: "repeat", plan_id: "p" }),
    record("k", "Ada", "benign", { check: "known", plan_id: "p" }),
  ];
  const { self, known, n, excluded } = agreement({ samples: [{ id: "a" }, { id: "b" }, { id: "k", gold: "misbehavior" }], records, labels: "all" });
  assert.equal(n, 0);
  assert.deepEqual(self.map(({ annotator, raw, n: of }) => [annotator, raw.value, of]), [["Ada", 0.5, 2]]);
  assert.deepEqual(known.map(({ annotator, value, n: of }) => [annotator, value, of]), [["Ada", 0, 1]]);
  assert.deepEqual(excluded, [{ reason: "known item", count: 1 }, { reason: "only one annotator", count: 2 }, { reason: "repeat", count: 2 }]);
});

test("over time: by month, with the guidelines in force and when they changed", () => {
  const at = (created_at: string, guideline_sha256: string) => ({ created_at, guideline_sha256 });
  const { over_time, guideline_changes } = report([
    record("a", "Ada", "benign", at("2026-01-05T00:00:00Z", "g1")), record("a", "Bob", "benign", at("2026-01-31T23:30:00-02:00", "g2")),
    record("b", "Ada", "benign", at("2026-01-10T00:00:00Z", "g1")), record("b", "Bob", "misbehavior", at("2026-01-11T00:00:00Z", "g1")),
  ]);
  assert.deepEqual(over_time.map(({ month, value, n, guidelines }) => [month, value, n, guidelines]), [["2026-01", 0, 1, ["g1"]], ["2026-02", 1, 1, ["g1", "g2"]]]);
  assert.deepEqual(guideline_changes, [{ at: "2026-01-05T00:00:00Z", guideline_sha256: "g1" }, { at: "2026-01-31T23:30:00-02:00", guideline_sha256: "g2" }]);
});

test("three annotators with labels missing: every pair counts, span F1 is the mean over samples", () => {
  const span = (start: number, end: number) => ({ step: 0, part: "text" as const, part_index: 0, start, end, exact: "", prefix: "", suffix: "" });
  const records = [
    record("a", "A", "misbehavior", { spans: [span(0, 10)] }), record("a", "B", "misbehavior", { spans: [span(5, 15)] }), record("a", "C", "benign"),
    record("b", "A", "misbehavior", { spans: [span(0, 4)] }), record("b", "B", "misbehavior", { spans: [span(0, 4)] }), record("c", "B", "benign"), record("c", "C", "benign"),
  ];
  const { raw, span_f1, kappa } = report(records);
  // Pairs: a gives 1 of 3, b 1 of 1, c 1 of 1.
  assert.equal(raw, 3 / 5);
  assert.deepEqual(span_f1.map(({ a, b, value, n }) => [a, b, value, n]), [["A", "B", 0.75, 2], ["A", "C", 0, 1], ["B", "C", 0, 1]]);
  assert.deepEqual(kappa.map(({ a, b, n, value }) => [a, b, n, value]), [["A", "B", 2, null], ["A", "C", 1, 0], ["B", "C", 2, 0]]);
});

test("an interval without width is said to tell nothing", () => {
  // All three agree, on both classes: kappa and alpha are 1, whatever a bootstrap draws; of the raw agreement 3 of 3 leave 0.44 to 1.
  const same = (["misbehavior", "benign", "benign"] as const).flatMap((label, n) => [record(`s${n}`, "Ada", label), record(`s${n}`, "Bob", label)]);
  const { kappa: [kappa], alpha, raw_interval, notes } = report(same);
  assert.deepEqual([kappa?.value, kappa?.low, kappa?.high, alpha.value, alpha.low, alpha.high], [1, 1, 1, 1, 1, 1]);
  assert.equal(raw_interval?.low.toFixed(2), "0.44");
  assert.deepEqual(notes, ["The labels leave the interval of kappa of Ada and Bob, Krippendorff's alpha no width, as where all agree or all differ: it says nothing of how sure the value is. That of the raw agreement does."]);
  // One who differs, and both have a width.
  assert.equal(report([...same, record("s3", "Ada", "benign"), record("s3", "Bob", "misbehavior")]).notes, undefined);
});

test("the verb prints the keys that scripts rely on, and a page for people", async (t) => {
  const root = tempRoot(t, {
    "m.samples.jsonl": ["a", "b"].map((id) => ({ id, ...chat("q", "answer") })),
    "labels/ada.jsonl": [record("a", "Ada", "benign"), record("b", "Ada", "unsure")], "labels/bob.jsonl": [record("a", "Bob", "benign"), record("b", "Bob", "benign")],
  });
  const { code, out } = await callVerb(agreementVerb, root, [], { json: true });
  const line = JSON.parse(out[0] ?? "");
  assert.equal(code, 0);
  assert.deepEqual([line.annotators, line.n, line.raw, line.kappa, line.alpha, line.span_f1], [["Ada", "Bob"], 1, 1, [{ a: "Ada", b: "Bob", n: 1, value: null, low: null, high: null }], { value: null, low: null, high: null, n: 1 }, []]);
  assert.deepEqual(line.excluded, [{ reason: "only one annotator", count: 1 }, { reason: "unsure", count: 1 }]);
  const page = await callVerb(agreementVerb, root, [], {});
  assert.ok(page.out.join("\n").includes("left out: 1 only one annotator, 1 unsure"));
});
