/** Which step is the task, and in which order steps are shown. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepOutline } from "#protocol/lsp";
import { readingOrder, taskStep } from "../../webview/trajectory/reading-order";

const outline = (...steps: [role: string, ...flags: string[]][]): StepOutline[] =>
  steps.map(([role, ...flags], index) => ({ index, role, ...(flags.length > 0 ? { flags } : {}) }) as StepOutline);

test("the task stands first, behind system prompts, demonstrations and what a program says of itself", () => {
  assert.deepEqual(readingOrder(outline(["system"], ["user"], ["assistant"])), [1, 0, 2]);
  assert.deepEqual(readingOrder(outline(["user", "meta"], ["user"], ["assistant"])), [1, 0, 2]);
  assert.deepEqual(readingOrder(outline(["system"], ["user", "demonstration"], ["user"], ["tool"])), [2, 0, 1, 3]);
});

test("there is no task where the agent speaks first", () => {
  assert.equal(taskStep(outline(["system"], ["assistant"], ["user"])), undefined);
  assert.deepEqual(readingOrder(outline(["assistant"], ["user"])), [0, 1]);
});
