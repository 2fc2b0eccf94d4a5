/** The pair view and the editor of authored trajectories, with the keyboard, in the four default themes. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import type { FromPairView } from "#protocol/pairs";
import { skip, Views, type ViewPage } from "./page";

let views: Views;
before(async () => {
  if (!skip) views = await Views.launch();
});
after(() => views?.close());

const edits = async (view: ViewPage): Promise<unknown[]> => (await view.posted<Extract<FromPairView, { type: "edit/apply" }>>("edit/apply")).map(({ edit }) => edit);
const fields = (view: ViewPage, step: number): Promise<string[]> => view.page.$$eval(`[data-step="${step}"] .part-field`, (all) => all.map((field) => (field as HTMLTextAreaElement).value));
const roles = (view: ViewPage): Promise<string[]> => view.page.$$eval(".role-select", (all) => all.map((select) => (select as HTMLSelectElement).value));

/** Waits until `look` gives what is expected; fails with the last look. */
async function until<T>(look: () => Promise<T>, expected: T): Promise<void> {
  let last: T | undefined;
  for (let n = 0; n < 100; n++) {
    last = await look();
    if (JSON.stringify(last) === JSON.stringify(expected)) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.deepEqual(last, expected);
}

test("differences are marked by word, equal steps are folded, and spans are drawn on them", { skip }, async () => {
  const view = await views.open("pair");
  assert.deepEqual(await view.page.$$eval(".pair-row", (rows) => rows.map((row) => row.className)), ["pair-row is-changed", "pair-row is-changed", "pair-row is-right"]);
  assert.deepEqual(await view.page.$$eval(".half del", (all) => all.map((one) => one.textContent)), ["r", "/tmp"]);
  assert.deepEqual(await view.page.$$eval(".half.is-right ins", (all) => all.map((one) => one.textContent).join("|")), "rf|, and I kept the rest");
  assert.match(await view.page.innerText(".pair-row.is-right"), /Only in the right half[^]*<script>alert\(1\)<\/script> Nothing else was touched\./);
  assert.equal(await view.page.$$eval("mark.pair-mark", (all) => all.map((one) => one.textContent).join("")), "rm -rf build");
  assert.match((await view.page.getAttribute("mark.pair-mark", "title")) ?? "", /Safety & Permission Violations: everything goes/);
  assert.deepEqual(await view.page.$$eval(".fold-button", (all) => all.map((one) => (one as HTMLElement).innerText.split("\n")[0]?.trim())), ["3 equal steps", "1 equal step"]);
  await view.page.click(".fold-button");
  await view.page.waitForSelector(".pair-fold .pair-row.is-equal");
  assert.deepEqual((await view.posted("pair/stepsWanted")).map((message) => (message as { left?: number[] }).left), [[0, 1, 2]]);
  assert.equal(await view.page.locator(".pair-fold .pair-row").count(), 3);
  assert.deepEqual(view.errors, []);
});

test("n and p go from difference to difference, round the end; a finding leads to its step", { skip }, async () => {
  const view = await views.open("pair");
  const place = (): Promise<string> => view.page.innerText(".pair-count");
  assert.equal(await place(), "3 differences");
  await view.page.keyboard.press("n");
  await until(place, "1 of 3");
  await until(() => view.page.evaluate(() => document.activeElement?.getAttribute("data-row") ?? ""), "3:3");
  await view.page.keyboard.press("p");
  await until(place, "3 of 3");
  await view.page.keyboard.press("F7");
  await until(place, "1 of 3");
  assert.deepEqual(await view.page.$$eval(".pair-findings code", (all) => all.map((one) => one.textContent)), ["pair-request", "pair-origin"]);
  await view.page.click(".pair-findings .text-button");
  await view.page.waitForSelector('[data-row="0:0"]');
});

test("the status stands in words, its steps are buttons, and blind labels stand beside what was meant", { skip }, async () => {
  const view = await views.open("pair");
  assert.equal((await view.page.innerText(".status-chip")).trim(), "in review");
  assert.deepEqual(await view.page.$$eval(".step-button", (all) => all.map((one) => one.textContent)), ["Accept", "Reject"]);
  assert.equal((await view.page.innerText(".review-line")).trim(), "in review by dev, 2026-03-01");
  const said = await view.page.$$eval(".half-head", (heads) => heads.map((head) => [...head.querySelectorAll(".blind-labels li")].map((one) => `${one.className}: ${(one as HTMLElement).innerText.replace(/\s+/g, " ").trim()}`)));
  assert.deepEqual(said, [
    ["is-as-meant: ada, blind: benign as meant", "is-as-meant: bob, blind: benign as meant"],
    ["is-other: ada, blind: unsure not as meant", "dim: bob has not judged this half"],
  ]);
  await view.page.click(".step-button.is-quiet");
  await until(() => view.posted("pair/step"), [{ type: "pair/step", step: "reject" }]);
  const draft = await views.open("pair&clean");
  assert.equal((await draft.page.innerText(".status-chip")).trim(), "draft");
  assert.deepEqual(await draft.page.$$eval(".step-button", (all) => all.map((one) => one.textContent)), ["Send for review"]);
});

test("typing is one edit a pause; undo and redo go through the host", { skip }, async () => {
  const view = await views.open("authored");
  const field = view.page.locator('[data-step="0"] .part-field');
  await field.click();
  await view.page.keyboard.press("Control+End");
  await view.page.keyboard.type(" Now!");
  await until(() => edits(view), [{ type: "part/text", step: 0, part: 0, text: "Delete the temporary files of the build, and nothing else. Now!" }]);
  await view.page.waitForSelector(".save-state.is-dirty");
  await view.page.keyboard.press("Control+z");
  await until(() => fields(view, 0), ["Delete the temporary files of the build, and nothing else."]);
  await view.page.keyboard.press("Control+Shift+z");
  await until(() => fields(view, 0), ["Delete the temporary files of the build, and nothing else. Now!"]);
});

test("while somebody judges blind, a half is edited without what it is meant as", { skip }, async () => {
  const open = await views.open("authored");
  assert.deepEqual(await open.page.$$eval(".authored-head .chip", (all) => all.map((one) => one.textContent?.trim())), ["meant as misbehavior", "edited by dev", "draft"]);
  const view = await views.open("authored&withheld");
  assert.deepEqual(await view.page.$$eval(".authored-head .chip", (all) => all.map((one) => one.textContent?.trim())), ["hidden while you judge blind"]);
  assert.equal(await view.page.locator(".authored-head .text-button").count(), 0);
  await view.page.locator('[data-step="5"] .part-field').click();
  await view.page.keyboard.type("X");
  await until(() => edits(view).then((all) => all.length), 1);
});

test("what is still being typed goes before a save and before the step moves", { skip }, async () => {
  const view = await views.open("authored");
  await view.page.locator('[data-step="5"] .part-field').click();
  await view.page.keyboard.type("X");
  await view.page.keyboard.press("Alt+ArrowUp");
  await until(() => edits(view).then((all) => all.map((edit) => (edit as { type: string }).type)), ["part/text", "step/move"]);
  await until(roles.bind(undefined, view), ["user", "assistant", "tool", "assistant", "assistant", "tool", "assistant"]);
  assert.match((await fields(view, 4))[0] ?? "", /X/);
  await until(() => view.page.evaluate(() => document.activeElement?.closest("[data-step]")?.getAttribute("data-step") ?? ""), "4");
});

test("steps are inserted, split at the caret, merged, cut and deleted by keys and buttons", { skip }, async () => {
  const view = await views.open("authored");
  await view.page.locator('[data-step="0"] .part-field').click();
  await view.page.keyboard.press("Control+Home");
  for (let n = 0; n < 7; n++) await view.page.keyboard.press("ArrowRight");
  await view.page.keyboard.press("Control+Shift+Enter");
  await until(() => fields(view, 1), ["the temporary files of the build, and nothing else."]);
  assert.deepEqual(await fields(view, 0), ["Delete "]);
  await view.page.locator('[data-step="0"] button[aria-label^="Merge"]').click();
  await until(() => fields(view, 0), ["Delete the temporary files of the build, and nothing else."]);
  await view.page.keyboard.press("Control+Enter");
  await until(() => roles(view), ["user", "assistant", "assistant", "tool", "assistant", "tool", "assistant", "assistant"]);
  await until(() => view.page.evaluate(() => document.activeElement?.closest("[data-step]")?.getAttribute("data-step") ?? ""), "1");
  await view.page.keyboard.press("Control+Shift+Delete");
  await until(() => roles(view), ["user", "assistant", "tool", "assistant", "tool", "assistant", "assistant"]);
  await view.page.locator('[data-step="2"] button[aria-label^="Cut here"]').click();
  await until(() => roles(view), ["user", "assistant", "tool", "assistant"]);
  await until(() => fields(view, 3), [""]);
});

test("arguments of a call change by name, and a refused edit says why", { skip }, async () => {
  const view = await views.open("authored");
  await view.page.locator('[data-step="1"] .argument .part-field').fill("ls -la build");
  await view.page.locator('[data-step="1"] .argument .part-field').blur();
  await until(() => edits(view), [{ type: "part/argument", step: 1, part: 2, argument: 0, text: "ls -la build" }]);
  await view.page.locator('[data-step="1"] button[aria-label^="Merge"]').click();
  await view.page.waitForSelector(".notice.is-error");
  assert.match(await view.page.innerText(".notice.is-error"), /cannot be one/);
});

interface AxeResult { readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[] }

for (const theme of ["dark", "light", "hc-dark", "hc-light"]) {
  test(`both views are accessible in ${theme} and hold in 450 px`, { skip }, async () => {
    const axe = readFileSync(createRequire(`${process.cwd()}/package.json`).resolve("axe-core/axe.min.js"), "utf8");
    for (const query of ["pair", "pair&clean", "authored", "authored&withheld"]) {
      const view = await views.open(`${query}&theme=${theme}`, { width: 450 });
      await view.page.evaluate(axe);
      const { violations } = await view.page.evaluate(() => (window as never as { axe: { run(options: unknown): Promise<AxeResult> } }).axe.run({ resultTypes: ["violations"] }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${query} ${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`), []);
      assert.equal(await view.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
      // The page for development holds the kit of the other views, which adds a style sheet; the bundle of these two does not.
      assert.deepEqual((await view.violations()).filter(({ directive }) => directive !== "style-src-elem"), []);
    }
  });
}
