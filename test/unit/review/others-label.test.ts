/** Whose label an undo would take back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyLabelState } from "#core/labels/state";
import type { LabelRecord } from "#core/workspace/schemas";
import type { TrajectoryHeader } from "#protocol/lsp";
import { SampleState } from "../../../extension/editor/sample-state";

const record = (id: string) => ({ id, sample_id: "a", annotator: "Ada", created_at: "2026-01-01T00:00:00Z", label: "benign", blind: false, seen: [] }) as LabelRecord;

const sampleOf = () => new SampleState(0, { id: "a", contentSha256: "c0" } as unknown as TrajectoryHeader);

test("a label that another window wrote or took back is not this one's to take back", () => {
  const sample = sampleOf();
  const before = record("r1");
  sample.reset(emptyLabelState, before);
  assert.equal(sample.isOthers(before, before), false, "what stood before is what undo goes back to");
  sample.wrote("r2", emptyLabelState);
  sample.standing = record("r2");
  assert.equal(sample.isOthers(before, record("r2")), false, "written here");
  assert.equal(sample.isOthers(before, record("r3")), true, "written elsewhere, even where nobody told this window yet");
  assert.equal(sample.isOthers(before, undefined), true, "taken back elsewhere");
  sample.standing = undefined;
  assert.equal(sample.isOthers(undefined, undefined), false, "nothing stands, and nothing stood");
});

test("a write that failed is tried again with all that it was to record; after an edit what it goes back to is not whole", () => {
  const sample = sampleOf();
  assert.deepEqual(sample.failedFrame, {});
  const frame = { annotator: "Ada", action: "relabel" as const, orphans: [], goesBackTo: { record: record("r1"), isWhole: true } };
  sample.couldNotWrite(record("r2"), frame);
  assert.deepEqual(sample.failedFrame, frame);
  sample.apply({ type: "label/set", label: "benign", categories: [] });
  assert.deepEqual(sample.failedFrame, { ...frame, goesBackTo: { record: record("r1"), isWhole: false } });
  sample.wrote("r2", sample.state);
  assert.deepEqual(sample.failedFrame, {});
});
