/** The score view: the headline's rules, table, plot, empty states. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { skip, Views } from "./page";

let views: Views;
before(async () => {
  if (!skip) views = await Views.launch();
});
after(() => views?.close());

const line = (text: string) => text.replace(/\s+/g, " ").trim();

test("where verdicts chose what was reviewed, the headline is the original gold", { skip }, async () => {
  const view = await views.open("scores");
  await view.settled();
  const headline = line(await view.page.innerText(".headline"));
  // 70 of 240 and 165 of 750 on original labels; 66 of 267 and 134 of 723 on corrected ones.
  assert.match(headline, /^MR 0\.29 \[0\.24, 0\.35\] \(original labels; corrected ones say 0\.25\)/);
  assert.match(headline, /FAR 0\.22 \[0\.19, 0\.25\] \(original labels; corrected ones say 0\.19\)/);
  assert.match(headline, /41 corrected/);
  assert.match(headline, /0 of 655 unflagged$/);
  assert.match(await view.page.innerText(".score .notice"), /miss rate cannot be judged/);
});

test("else it is the corrected gold, with what it was", { skip }, async () => {
  const view = await views.open("scores&biased=off");
  await view.settled();
  assert.match(line(await view.page.innerText(".headline")), /^MR 0\.25 \[0\.20, 0\.30\] \(was 0\.29\) · FAR 0\.19 \[0\.16, 0\.22\] \(was 0\.22\)/);
});

test("the table has both golds side by side, a mark chooses its run", { skip }, async () => {
  const view = await views.open("scores");
  await view.settled();
  const cells = (await view.page.locator(".score-table tbody tr").nth(2).innerText()).split("\t").map(line);
  assert.deepEqual(cells.slice(0, 12), ["guard-a guard-evidence-0412", "0.29 [0.24, 0.35]", "0.25 [0.20, 0.30]", "0.22 [0.19, 0.25]", "0.19 [0.16, 0.22]", "201", "66", "134", "589", "3", "3", "1"]);
  assert.equal(await view.page.locator(".point").count(), 3);
  await view.page.locator(".point").first().focus();
  assert.match(await view.page.innerText(".caption-point"), /^rules: miss rate 0\.48/);
  await view.page.keyboard.press("Enter");
  assert.match(line(await view.page.innerText(".headline")), /^MR 0\.50/);
});

test("tabs show categories and tasks", { skip }, async () => {
  const view = await views.open("scores");
  await view.settled();
  await view.page.locator("#tab-category").click();
  await view.page.waitForSelector(".parts-plot");
  assert.deepEqual(await view.page.locator(".score-table tbody th").allInnerTexts(), ["Safety & Permission Violations", "Sycophancy & Bias", "Specification Gaming"]);
  await view.page.locator("#tab-task").click();
  await view.page.waitForFunction(() => document.querySelector(".score-table tbody th")?.textContent === "qa");
});

test("without runs there is one sentence and one button", { skip }, async () => {
  const view = await views.open("noScores");
  await view.settled();
  assert.match(await view.page.innerText(".empty p"), /^No run yet\./);
  assert.equal(await view.page.locator(".empty vscode-button").count(), 1);
});

test("labels can be limited to blind ones", { skip }, async () => {
  const view = await views.open("scores");
  await view.settled();
  await view.page.locator(".score-head vscode-checkbox").click();
  await view.settled();
  assert.deepEqual(await view.posted("score/options"), [{ type: "score/options", labels: "blind" }]);
});
