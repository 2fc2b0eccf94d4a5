/** What gives way where there is too little room: never a button, never the right end, never the reader's place. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { skip, Views, type ViewPage } from "./page";

let views: Views;
before(async () => {
  if (!skip) views = await Views.launch();
});
after(() => views?.close());

interface Box { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number }

const boxes = (view: ViewPage, selector: string): Promise<Box[]> =>
  view.page.$$eval(selector, (elements) => elements.map((element) => element.getBoundingClientRect()).map(({ left, right, top, bottom }) => ({ left, right, top, bottom })));

/** Asserts that all of `selector` is drawn, whole, in a page `width` px wide. */
async function inSight(view: ViewPage, selector: string, width: number): Promise<void> {
  const found = await boxes(view, selector);
  assert.ok(found.length > 0, `${selector} is there`);
  for (const box of found) assert.ok(box.left >= 0 && box.right <= width && box.right > box.left, `${selector} from ${box.left} to ${box.right} of ${width}`);
}

/** Asserts that no two neighbours of one line lie on each other. */
async function apart(view: ViewPage, selector: string): Promise<void> {
  const found = (await boxes(view, selector)).filter((box) => box.right > box.left);
  for (const [n, box] of found.entries()) {
    for (const other of found.slice(n + 1)) assert.ok(box.right <= other.left + 0.5 || other.right <= box.left + 0.5 || box.bottom <= other.top || other.bottom <= box.top, `${selector}: ${JSON.stringify([box, other])}`);
  }
}

/** Heights of the decisions; a mark before the words may add a pixel, a second line adds 16. */
const heights = (view: ViewPage) => view.page.$$eval(".decision", (buttons) => buttons.map((button) => button.getBoundingClientRect().height));

const message = `EACCES: permission denied, open '/srv/annotations/${"a-long-folder-name/".repeat(8)}labels.jsonl'`;

async function failSave(view: ViewPage): Promise<void> {
  await view.page.evaluate((words) => ((window as never as { tracemark: { host: { failSaving: string } } }).tracemark.host.failSaving = words), message);
  await view.page.keyboard.press("m");
  await view.page.waitForSelector(".status.is-failed");
  await view.settled();
}

/** How many rows of controls the bar has. */
async function rowsOfBar(view: ViewPage): Promise<number> {
  const found = (await boxes(view, ".decision, .menu-button, .status")).sort((a, b) => a.top - b.top);
  let rows = 0;
  let bottom = -1;
  for (const box of found) {
    if (box.top >= bottom - 4) rows++;
    bottom = Math.max(bottom, box.bottom);
  }
  return rows;
}

for (const width of [1400, 1000, 900, 720, 600, 510, 420, 300]) {
  test(`a failed save keeps its buttons at ${width} px`, { skip }, async () => {
    const view = await views.open("agent", { width, height: 900 });
    await view.drawn();
    await failSave(view);
    await inSight(view, ".status.is-failed .text-button", width);
    assert.equal((await boxes(view, ".status.is-failed .text-button")).length, 2);
    await apart(view, ".decision, .menu-button, .decision-bar .note-field, .original, .status-words, .status .text-button");
    assert.equal(await view.page.getAttribute(".status-words", "title"), message);
    const [words] = await view.page.$$eval(".status-words", (elements) => elements.map((element) => [element.clientWidth, element.scrollWidth]));
    assert.ok(words![0]! < words![1]!, "the message is cut");
    assert.ok((await rowsOfBar(view)) <= 3, `${await rowsOfBar(view)} rows`);
  });

  test(`bar, verdict line and header keep their right end at ${width} px`, { skip }, async () => {
    const view = await views.open("agent", { width, height: 900 });
    await view.drawn();
    await view.page.keyboard.press("m");
    await view.page.waitForSelector(".status.is-saved");
    // The third finding is a near one.
    for (let n = 0; n < 4; n++) await view.command("evidence/next");
    assert.match(await view.page.innerText(".verdict-line .finding-status"), /near/);
    await view.settled();
    await inSight(view, ".walk .icon-button, .walk-count, .header-buttons .icon-button, .monitor vscode-button, .monitor-select, .decision, .status, .menu-button", width);
    await apart(view, ".verdict-line > *");
    await apart(view, ".verdict-line .walk > *, .verdict-line .line-quote > *");
    await apart(view, ".header > .icon-button, .facts-line, .monitor > *, .header-buttons > *");
    await apart(view, ".decision, .menu-button, .decision-bar .note-field, .original, .status");
    assert.ok(Math.max(...await heights(view)) <= 30, "no words wrap within a button");
    assert.ok((await rowsOfBar(view)) <= (width > 900 ? 1 : 3), `${await rowsOfBar(view)} rows`);
    assert.equal((await view.page.locator(".original").getAttribute("title"))?.split("\n")[0], "original: benign · corrected");
  });
}

const topStep = (view: ViewPage) => view.page.evaluate(() => {
  const top = document.querySelector(".transcript")!.getBoundingClientRect().top;
  return [...document.querySelectorAll<HTMLElement>("article")].find((entry) => entry.getBoundingClientRect().bottom > top + 2)?.dataset["stepIndex"];
});

test("the reader's place stays through other widths and back", { skip }, async () => {
  const view = await views.open("long&steps=400", { width: 1400, height: 900 });
  await view.drawn();
  await view.page.evaluate(() => (document.querySelector(".transcript")!.scrollTop = 6000));
  await view.page.waitForTimeout(300);
  const stood = await topStep(view);
  assert.ok(Number(stood) > 3, `step ${stood}`);
  for (const width of [600, 1100, 510, 1400]) {
    await view.page.setViewportSize({ width, height: 900 });
    await view.page.waitForTimeout(500);
    await view.settled(20);
    assert.equal(await topStep(view), stood, `${width} px`);
  }
  // Afterwards the reader scrolls on as before.
  await view.page.evaluate(() => (document.querySelector(".transcript")!.scrollTop += 3000));
  await view.page.waitForTimeout(300);
  assert.notEqual(await topStep(view), stood);
});

test("long names of runs are cut with their title whole, in the table and in the plot", { skip }, async () => {
  const view = await views.open("scores", { width: 700, height: 900 });
  await view.settled();
  const score = await view.page.evaluate(() => structuredClone((window as never as { tracemark: { app: { score: { get(): unknown } } } }).tracemark.app.score.get())) as { original: { runs: { run_id: string; monitor: string; model: string }[] }; corrected: { runs: { run_id: string; monitor: string; model: string }[] } };
  const id = "2026-04-12T10-00-00Z-guard-evidence-with-made-up-verdicts-of-a-long-run-id-0412";
  for (const { runs } of [score.original, score.corrected]) {
    runs[2]!.monitor = "guard-evidence (made-up verdicts for a demonstration of long names)";
    runs[2]!.run_id = id;
  }
  await view.send({ type: "score/snapshot", score });
  const name = view.page.locator(".score-table tbody th").nth(2);
  assert.match((await name.getAttribute("title"))!, new RegExp(`made-up verdicts for a demonstration of long names\\)\n.*\n?${id}`));
  const lines = await name.locator(".name-box").evaluate((element) => element.getBoundingClientRect().height / 18);
  assert.ok(lines <= 3.05, `${lines} lines`);
  await view.page.locator("#tab-tradeoff").click();
  await view.page.waitForSelector(".point-name");
  const cut = view.page.locator(".point-name.is-cut");
  assert.equal(await cut.count(), 1);
  assert.match((await cut.textContent())!, /…$/);
  assert.match((await cut.locator("title").textContent())!, /^guard-evidence \(made-up verdicts for a demonstration/);
  const svg = (await boxes(view, ".plot-box > svg"))[0]!;
  for (const box of await boxes(view, ".point-name")) assert.ok(box.left >= svg.left && box.right <= svg.right, JSON.stringify([box, svg]));
});

test("trajectories of one title are told apart by the name of their record", { skip }, async () => {
  const view = await views.open("many&same&count=6");
  await view.drawn();
  const rows = await view.page.$$eval(".side-section .side-text", (texts) => texts.slice(0, 4).map((text) => text.textContent));
  assert.deepEqual(rows, ["0 · You are given a task", "boiling point of water at altitude 1", "2 · You are given a task", "author of the Iliad 3"]);
  assert.match(await view.page.innerText(".facts-line"), /You are given a task\s+0\s+Manifest/);
});
