/** Answers to the workspace's own questions: ops with inverses, and the record they end in. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { stateFromRecord } from "#core/labels/record";
import { applyOp, emptyLabelState } from "#core/labels/state";

test("an answer, another one and none are undone to the very state before", () => {
  const one = applyOp(emptyLabelState, { type: "field/set", id: "severity", value: 3 });
  const two = applyOp(one.state, { type: "field/set", id: "clear", value: true });
  assert.deepEqual(two.state.fields, { clear: true, severity: 3 });
  const changed = applyOp(two.state, { type: "field/set", id: "clear", value: false });
  assert.deepEqual(changed.inverse, { type: "field/set", id: "clear", value: true });
  assert.equal(JSON.stringify(applyOp(changed.state, changed.inverse).state), JSON.stringify(two.state));
  const gone = applyOp(two.state, { type: "field/set", id: "severity" });
  assert.deepEqual(gone.state.fields, { clear: true });
  assert.equal(JSON.stringify(applyOp(gone.state, gone.inverse).state), JSON.stringify(two.state));
  assert.equal(JSON.stringify(applyOp(one.state, one.inverse).state), JSON.stringify(emptyLabelState));
});

test("answers come back out of a record", () => {
  const record = { id: "r", sample_id: "s", annotator: "a", created_at: "2026-01-01T00:00:00Z", label: "benign" as const, blind: true, seen: [], fields: { severity: 2 } };
  assert.deepEqual(stateFromRecord(record, () => undefined).state.fields, { severity: 2 });
  assert.equal("fields" in stateFromRecord({ ...record, fields: {} }, () => undefined).state, false);
});
