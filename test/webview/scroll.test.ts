/** A long transcript costs no more elements than a short one, from end to end. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { skip, Views } from "./page";
import { scrollThrough } from "../bench/scroll";

let views: Views;
before(async () => {
  if (!skip) views = await Views.launch();
});
after(() => views?.close());

test("5,000 steps: at most 800 elements at 1080 px while everything scrolls by", { skip, timeout: 300_000 }, async () => {
  const view = await views.open("long&steps=5000", { width: 1920, height: 1080 });
  await view.drawn();
  const { elements, reached, steps } = await scrollThrough(view, 2400);
  assert.ok(reached, "the end was reached");
  assert.ok(steps > 3000, `${steps} different steps were drawn on the way`);
  assert.ok(elements <= 800, `${elements} elements`);
  assert.deepEqual(view.errors, []);
});

test("one line of 20 MB and an output of 20 MB are windows too", { skip, timeout: 120_000 }, async () => {
  const view = await views.open("big&mb=20&line", { width: 1920, height: 1080 });
  await view.drawn();
  for (const step of [2, 4]) {
    await view.page.evaluate((index) => (window as never as { tracemark: { app: { transcript: { jump(target: unknown): Promise<void> } } } }).tracemark.app.transcript.jump({ step: index, part: 0, start: 15_000_000, end: 15_000_004 }), step);
    await view.settled(10);
    assert.ok((await view.elements()) <= 500, `${await view.elements()} elements`);
    const drawn = await view.page.$$eval(`[data-step-index="${step}"] .window`, (windows) => windows.reduce((sum, window) => sum + window.textContent!.length, 0));
    assert.ok(drawn > 1000 && drawn < 100_000, `${drawn} units are drawn`);
  }
});
