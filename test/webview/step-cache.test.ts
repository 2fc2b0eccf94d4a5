/** Steps read by range: a window that is answered in pieces is read on until it is whole, and a failure is told. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Step } from "#core/trajectory/model";
import { StepCache } from "../../webview/state/step-cache";

const step = (index: number): Step => ({ index, role: "user", parts: [{ kind: "text", text: `${index}` }], places: [] }) as unknown as Step;

test("very long steps come a few at a time until the window is whole", async () => {
  const asked: [number, number][] = [];
  const cache = new StepCache(45, async (from, to) => {
    asked.push([from, to]);
    return { steps: Array.from({ length: Math.min(15, to - from) }, (_, n) => step(from + n)) };
  }, () => undefined);
  await cache.want(3, 5);
  assert.deepEqual(asked, [[0, 40], [15, 40], [30, 40]]);
  assert.deepEqual([cache.get(0)?.index, cache.get(39)?.index, cache.get(40)], [0, 39, undefined]);
  await cache.want(0, 45);
  assert.deepEqual(asked.slice(3), [[40, 45]]);
});

test("an answer without steps ends the reading, and an error is passed on", async () => {
  let asked = 0;
  const empty = new StepCache(10, async () => { asked++; return { steps: [] }; }, () => undefined);
  await empty.want(0, 10);
  assert.equal(asked, 1);
  const errors: (string | undefined)[] = [];
  const broken = new StepCache(10, async () => { throw new Error("no server"); }, (_steps, error) => errors.push(error));
  await broken.want(0, 10);
  assert.deepEqual(errors, ["no server"]);
});
