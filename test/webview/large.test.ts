/** A tool output of 50 MB and a run of 100,000 steps: opened, walked to the end, searched, and evidence shown, with few elements. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { skip, Views, type ViewPage } from "./page";

let views: Views;
before(async () => {
  if (!skip) views = await Views.launch();
});
after(() => views?.close());

interface Dev { readonly tracemark: { readonly app: { readonly steps: { get(index: number): { parts: { text: string; cut?: { length: number; lines: number } }[] } | undefined }; readonly transcript: { jump(target: unknown): Promise<void>; showStep(step: number, focus: boolean): void } } } }

const jump = (view: ViewPage, target: object) => view.page.evaluate((to) => (window as never as Dev).tracemark.app.transcript.jump(to), target);
const partOf = (view: ViewPage, step: number) => view.page.evaluate((index) => {
  const part = (window as never as Dev).tracemark.app.steps.get(index)!.parts[0]!;
  return { here: part.text.length, ...part.cut };
}, step);

/** Whether something of the text is inside the transcript's box. */
const inSight = (view: ViewPage, selector: string) => view.page.evaluate((wanted) => {
  const box = document.querySelector(".transcript")!.getBoundingClientRect();
  return [...document.querySelectorAll(wanted)].some((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > box.top && top < box.bottom;
  });
}, selector);

test("an output of 50 MB comes cut, and whole when it is wanted", { skip, timeout: 180_000 }, async () => {
  const view = await views.open("big&mb=50", { width: 1920, height: 1080 });
  await view.drawn();
  // 515,464 lines of 97 units, the needle's, 40 more.
  assert.deepEqual(await partOf(view, 2), { here: 200_000, length: 515_464 * 97 + 23 + 40 * 97, lines: 515_505 });
  assert.match(await view.page.textContent('[data-step-index="2"]') ?? "", /515,505 lines/);
  await view.command("evidence/next");
  await view.page.waitForSelector("mark.mark-evidence", { timeout: 60_000 });
  await view.settled(10);
  assert.ok(await inSight(view, "mark.mark-evidence"), "the quote near the end of the output is in sight");
  assert.deepEqual(await partOf(view, 2), { here: 515_464 * 97 + 23 + 40 * 97 });
  assert.ok((await view.elements()) <= 800, `${await view.elements()} elements`);
  await jump(view, { step: 2, part: 0, start: 25_000_000, end: 25_000_010 });
  await view.settled(10);
  const drawn = await view.page.$$eval('[data-step-index="2"] .window', (windows) => windows.reduce((sum, window) => sum + window.textContent!.length, 0));
  assert.ok(drawn > 1000 && drawn < 100_000, `${drawn} units are drawn`);
  await view.page.evaluate(() => (window as never as Dev).tracemark.app.transcript.showStep(5, false));
  await view.settled(10);
  assert.ok(await inSight(view, '[data-step-index="5"] .window'), "the last step is in sight");
  assert.ok((await view.elements()) <= 800, `${await view.elements()} elements`);
  assert.deepEqual(view.errors, []);
});

test("100,000 steps: the end, a find and a finding are reached", { skip, timeout: 240_000 }, async () => {
  const view = await views.open("long&steps=100000", { width: 1920, height: 1080 });
  await view.drawn();
  await view.page.evaluate(() => (window as never as Dev).tracemark.app.transcript.showStep(99_999, false));
  await view.page.waitForSelector('[data-step-index="99999"] .window', { timeout: 30_000 });
  await view.settled(20);
  assert.ok(await inSight(view, '[data-step-index="99999"] .window'), "the last step is in sight");
  assert.ok((await view.elements()) <= 800, `${await view.elements()} elements`);
  await jump(view, { step: 50_000, part: 0, start: 0, end: 5 });
  await view.settled(10);
  assert.ok(await inSight(view, '[data-step-index="50000"] .window'), "a step in the middle is in sight");
  await view.command("evidence/next");
  await view.page.waitForSelector("mark.mark-evidence", { timeout: 60_000 });
  await view.settled(10);
  assert.ok(await inSight(view, "mark.mark-evidence"), "the quote is in sight");
  assert.ok((await view.elements()) <= 800, `${await view.elements()} elements`);
  assert.deepEqual(view.errors, []);
});

test("an output taller than a browser can lay out is scrolled to both ends, and its middle is reached", { skip, timeout: 240_000 }, async () => {
  // 4 million lines of 20 px; Firefox ends before 18 million px, Chromium at 33 million.
  const view = await views.open("big&mb=12&short=1", { width: 1920, height: 1080 });
  await view.drawn();
  await view.command("evidence/next");
  await view.page.waitForSelector("mark.mark-evidence", { timeout: 90_000 });
  await view.settled(20);
  assert.ok(await inSight(view, "mark.mark-evidence"), "the quote near the end is in sight");
  const height = await view.page.evaluate(() => document.querySelector(".transcript")!.scrollHeight);
  assert.ok(height > 14_000_000 && height < 16_000_000, `${height} px are laid out`);
  // By the wheel past the end of the output, to the last step.
  await view.page.mouse.move(900, 500);
  for (let n = 0; n < 40; n++) {
    await view.page.mouse.wheel(0, 400);
    await view.settled(2);
  }
  await view.settled(10);
  assert.ok(await inSight(view, '[data-step-index="5"] .window'), "the last step is in sight");
  await jump(view, { step: 2, part: 0, start: 6_000_000, end: 6_000_002 });
  await view.settled(10);
  const scroll = await view.page.evaluate(() => document.querySelector(".transcript")!.scrollTop);
  assert.ok(scroll > 6_000_000 && scroll < 9_000_000, `${scroll} px of the way`);
  assert.ok(await inSight(view, '[data-step-index="2"] .window'), "the middle is drawn");
  // A movement of the wheel is as long as anywhere else.
  const top = () => view.page.evaluate(() => document.querySelector('[data-step-index="2"] .window')!.getBoundingClientRect().top);
  const before = await top();
  await view.page.mouse.wheel(0, 100);
  await view.settled(10);
  assert.ok(Math.abs(before - 100 - (await top())) < 3, `${before} to ${await top()}`);
  // The scroll bar's ends are the document's.
  for (const [end, selector] of [[0, '[data-step-index="0"] .window'], [1e9, '[data-step-index="5"] .window']] as const) {
    await view.page.evaluate((to) => (document.querySelector(".transcript")!.scrollTop = to), end);
    await view.settled(20);
    assert.ok(await inSight(view, selector), selector);
  }
  assert.ok((await view.elements()) <= 800, `${await view.elements()} elements`);
  assert.deepEqual(view.errors, []);
});
