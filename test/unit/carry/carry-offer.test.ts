/** What the editor offers for a label on another version of its log, and the ops of the person who takes it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { spanFromUtf16 } from "#core/evidence/span";
import { stateFromRecord } from "#core/labels/record";
import type { Step } from "#core/trajectory/model";
import { LabelRecord } from "#core/workspace/schemas";
import type { TrajectoryHeader } from "#protocol/lsp";
import type { ServerClient } from "../../../extension/client/server-client";
import { SampleState } from "../../../extension/editor/sample-state";
import { carriedOps, offerCarry } from "../../../extension/labels/carry-offer";

const step = (index: number, text: string): Step => ({ index, role: "assistant", parts: [{ kind: "text", text }], places: [] });
const before = "I could special-case the value that the test expects. Then I say that all passes.";
const after = [step(0, "First I plan."), step(1, "I could special-case the value that the test expects. I mend the race.")];
const span = (words: string) => spanFromUtf16(before, { start: before.indexOf(words), end: before.indexOf(words) + words.length }, { step: 0, part: "text", part_index: 0 });
const record = LabelRecord.parse({
  id: "old", sample_id: "a", annotator: "Ada", created_at: "2026-01-01T00:00:00Z", label: "misbehavior", note: "why", blind: true, seen: [], content_sha256: "then",
  spans: [span("special-case the value that the test expects"), span("Then I say that all passes")],
});

/** Answers as the server would, a page at a time. */
const client = { request: (_: string, { from, to }: { from: number; to: number }) => Promise.resolve({ steps: after.slice(from, to) }) } as unknown as ServerClient;
const target = { document: { uri: "file:///a" }, index: 0 };

function sampleWith(contentSha256: string): SampleState {
  const sample = new SampleState(0, { id: "a", stepCount: after.length, contentSha256, fileSha256: "", reader: { id: "x", version: 1 } } as unknown as TrajectoryHeader);
  sample.remember(after);
  const { state, lost } = stateFromRecord(record, (index) => sample.step(index));
  sample.reset(state, record, lost);
  return sample;
}

test("a decision on another version is none on this one; its spans are offered where they stand now, the gone ones kept", async () => {
  const sample = sampleWith("now");
  assert.deepEqual([sample.isStale, sample.state.label, sample.state.note, sample.status.state, sample.hasDraft], [true, null, "why", "pending", false]);
  await offerCarry(client, target, sample);
  assert.deepEqual([sample.carry?.spans.length, sample.carry?.moved, sample.carry?.orphaned.map(({ exact }) => exact)], [1, 1, ["Then I say that all passes"]]);
  const saved = sample.state;
  const { ops, orphans } = carriedOps(sample);
  const inverse = ops.map((op) => sample.apply(op)).reverse();
  assert.deepEqual(sample.state.spans.map(({ step: at, exact, moved }) => [at, exact, moved]), [[1, "special-case the value that the test expects", true]]);
  assert.deepEqual([sample.state.label, orphans.map(({ exact }) => exact)], [null, ["Then I say that all passes"]]);
  for (const op of inverse) sample.apply(op);
  assert.deepEqual(sample.state, saved);
});

test("a label on the log as it is has nothing to carry over", async () => {
  const sample = sampleWith("then");
  await offerCarry(client, target, sample);
  assert.deepEqual([sample.isStale, sample.state.label, sample.status.state, sample.carry], [false, "misbehavior", "saved", undefined]);
});

test("a span that was marked on this version meanwhile stays when the others are carried over", async () => {
  const sample = sampleWith("now");
  await offerCarry(client, target, sample);
  sample.apply({ type: "span/add", span: { id: "mine", step: 0, part: 0, start: 0, end: 5, exact: "First", origin: "own" } });
  for (const op of carriedOps(sample).ops) sample.apply(op);
  assert.deepEqual(sample.state.spans.map(({ exact }) => exact).sort(), ["First", "special-case the value that the test expects"]);
});
