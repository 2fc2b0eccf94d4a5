/** A document taller than an element can be: steady by the wheel in both directions, through the edges of what is laid out, and searched. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { skip, Views, type ViewPage } from "./page";

let views: Views;
before(async () => {
  if (!skip) views = await Views.launch();
});
after(() => views?.close());

/** Where the windows in sight stand, by what they hold; and where the element is scrolled to. */
const windows = (view: ViewPage) => view.page.evaluate(() => {
  const element = document.querySelector(".transcript")!;
  const box = element.getBoundingClientRect();
  const found: Record<string, number> = {};
  for (const row of document.querySelectorAll<HTMLElement>(".transcript [data-index]")) {
    const { top, bottom } = row.getBoundingClientRect();
    const step = row.closest<HTMLElement>("[data-step-index]")!.dataset["stepIndex"];
    // Steps that are loaded meanwhile change the rows' numbers.
    if (bottom > box.top && top < box.bottom) found[step === "2" ? row.dataset["index"]! : `${step} ${row.textContent!.slice(0, 80)}`] = top;
  }
  return { found, own: element.scrollTop };
});

/** Turns the wheel by `by` px, `times` times; how far what stayed in sight moved each time, and how often the element went elsewhere. */
async function wheel(view: ViewPage, by: number, times: number) {
  let handed = 0;
  const moves: number[] = [];
  let last = await windows(view);
  for (let n = 0; n < times; n++) {
    await view.page.mouse.wheel(0, by);
    await view.settled(4);
    const now = await windows(view);
    const shared = Object.keys(now.found).filter((index) => last.found[index] !== undefined);
    assert.ok(shared.length > 0, `nothing of ${Object.keys(last.found).join(" ")} is left in ${Object.keys(now.found).join(" ")}`);
    moves.push(now.found[shared[0]!]! - last.found[shared[0]!]!);
    if (Math.abs(now.own - last.own) > 2 * Math.abs(by)) handed++;
    last = now;
  }
  return { handed, moves };
}

const inSight = (view: ViewPage, step: number, selector = ".window") => view.page.evaluate((wanted) => {
  const box = document.querySelector(".transcript")!.getBoundingClientRect();
  return [...document.querySelectorAll(wanted)].some((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > box.top && top < box.bottom;
  });
}, `[data-step-index="${step}"] ${selector}`);

const scrollTo = async (view: ViewPage, top: number) => {
  await view.page.evaluate((to) => (document.querySelector(".transcript")!.scrollTop = to), top);
  await view.settled(20);
};

test("100,000 steps: the wheel moves steadily", { skip, timeout: 240_000 }, async () => {
  const view = await views.open("long&steps=100000", { width: 1920, height: 1080 });
  await view.drawn();
  const height = await view.page.evaluate(() => document.querySelector<HTMLElement>(".feed")!.offsetHeight);
  assert.ok(Math.abs(height - 15_000_000) < 100, `${height} px are laid out`);
  await view.page.mouse.move(900, 500);
  for (const [top, by] of [[0, 300], [7_500_000, 300], [7_500_000, -300], [15_000_000, -300]] as const) {
    await scrollTo(view, top);
    const { moves, handed } = await wheel(view, by, 20);
    // A step's lower margin comes and goes with the step: some px, as in a short document.
    assert.ok(moves.every((px) => Math.abs(px + by) < 30), `${top}: ${moves.join(" ")}`);
    assert.equal(handed, 0, `${top}`);
    assert.ok((await view.elements()) <= 800, `${top}: ${await view.elements()} elements`);
  }
  // By the wheel to both ends.
  for (const [top, by, step] of [[15_000_000 - 1080 - 3000, 1500, 99_999], [3000, -1500, 1]] as const) {
    await scrollTo(view, top);
    for (let n = 0; n < 30; n++) {
      await view.page.mouse.wheel(0, by);
      await view.settled(3);
    }
    assert.ok(await inSight(view, step), `step ${step} is in sight`);
  }
  assert.equal((await windows(view)).own, 0);
  assert.deepEqual(view.errors, []);
});

test("the wheel moves steadily where the element ends and the document does not", { skip, timeout: 240_000 }, async () => {
  // 4 million lines: 80 million px.
  const view = await views.open("big&mb=12&short=1", { width: 1920, height: 1080 });
  await view.drawn();
  await view.page.evaluate(() => (window as never as { tracemark: { app: { transcript: { jump(target: unknown): Promise<void> } } } }).tracemark.app.transcript.jump({ step: 2, part: 0, start: 6_000_000, end: 6_000_002 }));
  await view.settled(20);
  await view.page.mouse.move(900, 500);
  for (const [top, by, handed] of [[5000, -300, 1], [7_500_000, 300, 0], [7_500_000, -300, 0], [15_000_000 - 1080 - 5000, 300, 1]] as const) {
    await scrollTo(view, top);
    const moved = await wheel(view, by, 40);
    assert.ok(moved.moves.every((px) => Math.abs(px + by) < 3), `${top}: ${moved.moves.join(" ")}`);
    assert.equal(moved.handed, handed, `${top}`);
  }
  assert.ok((await view.elements()) <= 800, `${await view.elements()} elements`);
  assert.deepEqual(view.errors, []);
});

test("100,000 steps: what is found near the end is gone to, and the start again", { skip, timeout: 240_000 }, async () => {
  const view = await views.open("long&steps=100000", { width: 1920, height: 1080 });
  await view.drawn();
  await view.page.keyboard.press("/");
  await view.page.waitForSelector(".find-bar");
  for (const step of [99_998, 50_000, 2]) {
    await view.page.fill(".find-bar input", `value_${step}"`);
    await view.page.waitForFunction(() => document.querySelector(".find-count")?.textContent === "1 of 1", undefined, { timeout: 60_000 });
    await view.page.waitForSelector(`[data-step-index="${step}"] mark.mark-hit`, { timeout: 30_000 });
    await view.settled(20);
    assert.ok(await inSight(view, step, "mark.mark-hit"), `the hit in step ${step} is in sight`);
    assert.ok((await view.elements()) <= 800, `${await view.elements()} elements`);
  }
  assert.deepEqual(view.errors, []);
});
