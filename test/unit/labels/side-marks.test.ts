/** The spans of those who disagree as marks of the transcript. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyLabelState, type ViewSpan } from "#core/labels/state";
import { categoryLooks, deriveMarks } from "../../../webview/state/marks";

const find = { isOpen: false, query: "", caseSensitive: false, hits: [], total: 0, current: -1, isRunning: false };
const span = (id: string, end: number, more: Partial<ViewSpan> = {}): ViewSpan => ({ id, step: 2, part: 0, start: 0, end, exact: "x".repeat(end), origin: "own", ...more });

test("each side's marks carry its letter before the category, a line of its own, and the span's note; what is gone is not drawn", () => {
  const looks = categoryLooks([{ id: "spec", title: "Specification Gaming", description: "" }]);
  const sides = [
    { letter: "A", label: "misbehavior" as const, categories: [], spans: [span("A-0", 4, { category: "spec", note: "here" }), span("A-lost-0", 0)] },
    { letter: "B", label: "benign" as const, categories: [], spans: [span("B-0", 6)] },
  ];
  const marks = deriveMarks({ verdict: undefined, label: emptyLabelState, sides, find, looks, findingId: undefined, place: undefined }, new Map()).get("2.0") ?? [];
  assert.deepEqual(marks.map(({ id, layer, variant, tag, title }) => [id, layer, variant, tag, title]), [
    ["s:A-0", "side", "side-0", "A SG", "Span of A · Specification Gaming · here"], ["s:B-0", "side", "side-1", "B", "Span of B"],
  ]);
});
