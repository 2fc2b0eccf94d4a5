/** Whose label an undo would take back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyLabelState } from "#core/labels/state";
import type { LabelRecord } from "#core/workspace/schemas";
import type { TrajectoryHeader } from "#protocol/lsp";
import { SampleState } from "../../../extension/editor/sample-state";

const record = (id: string) => ({ id, sample_id: "a", annotator: "Ada", created_at: "2026-01-01T00:00:00Z", label: "benign", blind: false, seen: [] }) as LabelRecord;

test("a label that another window wrote is not this one's to take back", () => {
  const sample = new SampleState(0, { id: "a", contentSha256: "c0" } as unknown as TrajectoryHeader);
  const before = record("r1");
  sample.reset(emptyLabelState, before);
  assert.equal(sample.isOthers(before), false, "what stood before is what undo goes back to");
  sample.wrote("r2", emptyLabelState);
  sample.standing = record("r2");
  assert.equal(sample.isOthers(before), false, "written here");
  sample.reset(emptyLabelState, record("r3"));
  assert.equal(sample.isOthers(before), true);
  sample.reset(emptyLabelState, undefined);
  assert.equal(sample.isOthers(before), false);
});
