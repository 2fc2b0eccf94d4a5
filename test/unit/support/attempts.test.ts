/** What is tried again in a workbench: nothing that failed on the way is lost when it is given up. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { untilDone } from "../../support/vscode/attempts.mjs";

/** An attempt that fails with each of `failures` in turn, while a clock goes on by one each time; then it gives 7. */
function failing(...failures: string[]) {
  const left = [...failures];
  let time = 0;
  return { attempt: async () => { time++; const said = left.shift(); if (said !== undefined) throw new Error(said); return 7; }, now: () => time };
}

test("an attempt that succeeds in the end gives its result", async () => {
  const { attempt, now } = failing("closed", "closed");
  assert.equal(await untilDone("choose", 10, attempt, now), 7);
});

test("given up, the last failure is the cause and those before it are named with how often they came", async () => {
  const { attempt, now } = failing("No entry A\nlog", "No entry B", "No entry A", "No command", "not reached");
  await assert.rejects(untilDone("choose Pair", 3, attempt, now), (error: Error) => {
    assert.equal(error.message, "choose Pair failed 4 times, at last: No command\nBefore that:\n  2 × No entry A\n  1 × No entry B");
    assert.equal((error.cause as Error).message, "No command");
    return true;
  });
});
