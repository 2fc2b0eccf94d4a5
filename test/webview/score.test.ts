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
  assert.match(headline, /^MR 0\.29 \[0\.24, 0\.35\] \(0\.25 corrected\) · FAR 0\.22 \[0\.19, 0\.25\] \(0\.19 corrected\) · 41 corrected/);
  assert.match(headline, /reviewed 314 of 335 flagged, 0 of 655 unflagged: MR cannot be judged from these labels$/);
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
  assert.match(cells[0]!, /guard-a/);
  assert.deepEqual(cells.slice(1, 5), ["0.29 [0.24, 0.35]", "0.25 ↓0.04 [0.20, 0.30]", "0.22 [0.19, 0.25]", "0.19 ↓0.03 [0.16, 0.22]"]);
  assert.deepEqual(["201 was 170", "66 was 70", "134 was 165", "589 was 585"].filter((words) => !cells.includes(words)), []);
  await view.page.locator("#tab-tradeoff").click();
  await view.page.waitForSelector("svg [tabindex='0']");
  await view.page.locator("svg [role='button']").first().focus();
  await view.page.keyboard.press("Enter");
  await view.settled();
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
