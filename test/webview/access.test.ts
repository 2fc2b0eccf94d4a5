/** Accessibility: axe in the four default themes, in every state of the views that a reader meets. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { skip, Views, type ViewPage } from "./page";

let views: Views;
before(async () => {
  if (!skip) views = await Views.launch();
});
after(() => views?.close());

const axe = skip ? "" : readFileSync(createRequire(`${process.cwd()}/package.json`).resolve("axe-core/axe.min.js"), "utf8");

interface AxeResult { readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[] }[] }

async function check(view: ViewPage): Promise<void> {
  await view.settled();
  await view.page.evaluate(axe);
  const { violations } = await view.page.evaluate(() => (window as never as { axe: { run(options: unknown): Promise<AxeResult> } }).axe.run({ resultTypes: ["violations"] }));
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 4).map((node) => `${node.html.slice(0, 160)} (${node.failureSummary.replace(/\s+/g, " ").slice(0, 220)})`).join(" | ")}`), []);
}

for (const theme of ["dark", "light", "hc-dark", "hc-light"]) {
  test(`no findings in ${theme}`, { skip }, async () => {
    const view = await views.open(`agent&theme=${theme}`, { height: 1600 });
    await view.drawn();
    await check(view);
    await view.command("evidence/next");
    await view.command("find/open");
    await view.page.keyboard.type("delay");
    await view.page.waitForSelector("mark.mark-hit");
    await check(view);
    await view.page.keyboard.press("Escape");
    await view.page.click(".menu-button");
    await view.select("Let me look");
    await check(view);
    await view.command("keys/show");
    await check(view);
  });

  test(`no findings in the other pages in ${theme}`, { skip }, async () => {
    for (const query of ["odd", "many", "session", "session&decided", "adjudication", "scores", "noScores", "failed", "empty", "down"]) {
      const view = await views.open(`${query}&theme=${theme}`);
      await view.settled(10);
      await check(view);
      assert.deepEqual(view.errors, [], query);
    }
  });
}

test("a narrow page has everything in reach", { skip }, async () => {
  const view = await views.open("agent", { width: 600, height: 800 });
  await view.drawn();
  await check(view);
  const overflow = await view.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(overflow, 0);
  for (const selector of [".monitor-select", ".decision-confirm", ".decision-cannot_judge", ".menu-button", ".note-field", ".status"]) {
    const box = await view.page.locator(selector).boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 600 && box.y + box.height <= 800, `${selector} ${JSON.stringify(box)}`);
  }
  await view.page.keyboard.press("f");
  await view.page.waitForSelector(".side-panel");
  await check(view);
});

test("the step list has one stop in the tab order, and the lists move by arrow keys", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  assert.equal(await view.page.locator('article[tabindex="0"]').count(), 1);
  assert.equal(await view.page.locator('.side-row[tabindex="0"]').count(), 1);
  await view.page.focus('.side-row[tabindex="0"]');
  await view.page.keyboard.press("ArrowDown");
  await view.settled();
  assert.equal(await view.page.evaluate(() => (document.activeElement as HTMLElement).dataset["row"]), "1");
  await view.page.keyboard.press("End");
  await view.settled();
  await view.page.keyboard.press("Enter");
  await view.page.waitForFunction(() => document.querySelector('[data-step-index="12"].is-current'));
});
