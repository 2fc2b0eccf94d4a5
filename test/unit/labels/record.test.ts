/** Spans between memory and disk, ids and file names of annotators. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { recordFromState, spanFromDisk, spanToDisk, stateFromRecord, type RecordFrame } from "#core/labels/record";
import { createIdSource, recordId } from "#core/labels/record-id";
import { annotatorSlug } from "#core/labels/slug";
import type { LabelState, ViewSpan } from "#core/labels/state";
import type { Part } from "#core/trajectory/model";
import { LabelRecord, type Span } from "#core/workspace/schemas";

const parts: Part[] = [
  { kind: "text", text: "I 😀 read" },
  { kind: "tool_call", text: "command: ls", toolName: "bash" },
  { kind: "text", text: "👩‍💻 deleted the test 🔥, then deleted the log" },
];
const steps = (index: number) => (index === 4 ? { parts } : undefined);
const frame: RecordFrame = { id: "01", sample_id: "s", annotator: "Ada", created_at: "2026-01-01T00:00:00Z", blind: true, seen: [] };

// In UTF-16 👩‍💻 is 5 units (2 + 1 + 2), in code points 3; "deleted the test 🔥" starts at 6 or 4 and is 19 units or 18 code points long.
const span: ViewSpan = { id: "x", step: 4, part: 2, start: 6, end: 25, exact: "deleted the test 🔥", origin: "own", category: "specification_gaming" };

test("a span goes to disk in code points and comes back in UTF-16 units", () => {
  const disk = spanToDisk(span, steps);
  assert.deepEqual(disk, {
    step: 4, part: "text", part_index: 1, start: 4, end: 22, exact: "deleted the test 🔥",
    prefix: "👩‍💻 ", suffix: ", then deleted the log", category: "specification_gaming", origin: "own",
  });
  assert.deepEqual(spanFromDisk(disk, "x", steps), { span, how: "exact" });
});

test("a span that cuts a surrogate pair takes the whole pair in", () => {
  // The high half of 🔥 is at 23, the low half at 24.
  const cut = spanToDisk({ ...span, end: 24, exact: parts[2]!.text.slice(6, 24) }, steps);
  assert.equal(cut?.exact, "deleted the test 🔥");
  assert.equal(cut?.end, 22);
});

test("a span whose words do not stand there is never written", () => {
  assert.equal(spanToDisk({ ...span, exact: "deleted the best 🔥" }, steps), undefined);
  assert.equal(spanToDisk({ ...span, step: 5 }, steps), undefined);
});

test("a state survives the disk; empty fields are left out", () => {
  const state: LabelState = { label: "misbehavior", categories: ["specification_gaming"], note: "see step 4", spans: [{ ...span, id: "01/0" }] };
  const { record, unsaved } = recordFromState(state, frame, steps);
  assert.deepEqual(unsaved, []);
  const reread = LabelRecord.parse(JSON.parse(JSON.stringify(record)));
  assert.deepEqual(stateFromRecord(reread, steps), { state, lost: [], moved: [] });
  const bare = recordFromState({ label: "benign", categories: [], note: "", spans: [] }, frame, steps).record;
  assert.deepEqual(bare, { ...frame, label: "benign" });
});

test("a retraction reads as the empty state", () => {
  const read = stateFromRecord({ ...frame, label: "benign", note: "x", retracted: true }, steps);
  assert.deepEqual(read.state, { label: null, categories: [], note: "", spans: [] });
});

test("a span that slipped is found by its words and context, or is lost", () => {
  const disk = spanToDisk(span, steps)!;
  const slipped = spanFromDisk({ ...disk, start: 0, end: 18 }, "x", steps);
  assert.deepEqual(slipped, { span, how: "shifted" });
  // "deleted the " stands twice; the suffix tells which.
  const twice: Span = { ...disk, start: 0, end: 12, exact: "deleted the ", prefix: "", suffix: "log" };
  assert.equal(spanFromDisk(twice, "x", steps)?.span.start, 32);
  // A changed word is found by likeness, and memory holds what stands there now.
  const reworded = spanFromDisk({ ...disk, exact: "deletes the test 🔥" }, "x", steps);
  assert.deepEqual([reworded?.how, reworded?.span.exact], ["near", "deleted the test 🔥"]);
  const read = stateFromRecord({ ...frame, label: null, spans: [{ ...disk, exact: "never written" }] }, steps);
  assert.deepEqual([read.state.spans.length, read.lost.length], [0, 1]);
});

test("a span exported without its text is read by its offsets", () => {
  const bare: Span = { ...spanToDisk(span, steps)!, exact: "", prefix: "", suffix: "", text_removed: true };
  assert.deepEqual(spanFromDisk(bare, "x", steps), { span, how: "exact" });
  assert.equal(spanFromDisk({ ...bare, text_removed: false }, "x", steps), undefined);
  assert.equal(spanFromDisk({ ...bare, end: 1000 }, "x", steps), undefined);
});

test("ids sort by time and keep rising while the clock stands still or runs back", () => {
  // The time that the ULID package's own example encodes.
  assert.equal(recordId(1469918176385, new Uint8Array(10)).slice(0, 10), "01ARYZ6S41");
  assert.equal(recordId(0, new Uint8Array(10).fill(255)), "0000000000ZZZZZZZZZZZZZZZZ");
  let now = 5000;
  const ids = createIdSource(() => now, (length) => new Uint8Array(length).fill(255));
  const given = [ids.next(), ids.next()];
  now = 4000;
  given.push(ids.next());
  now = 6000;
  given.push(ids.next());
  assert.deepEqual([...given].sort(), given);
  assert.equal(new Set(given).size, 4);
  assert.ok(given.every((id) => id.length === 26));
});

test("names of annotators give safe file names", () => {
  assert.equal(annotatorSlug("Ada Lovelace"), "ada-lovelace");
  assert.equal(annotatorSlug("  José_M. "), "jose_m");
  assert.equal(annotatorSlug("../../etc/passwd"), "etc-passwd");
  assert.equal(annotatorSlug("李雷"), "u674e-u96f7");
  assert.equal(annotatorSlug("CON"), "_con");
  assert.throws(() => annotatorSlug("  "), RangeError);
  assert.equal(annotatorSlug("x".repeat(200)).length, 64);
});
