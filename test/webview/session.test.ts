/** The line of a review session, the guidelines at the category in hand, own questions by key, and siding in an adjudication. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { skip, Views } from "./page";

let views: Views;
before(async () => {
  if (!skip) views = await Views.launch();
});
after(() => views?.close());

test("a blind session says where one is, and reveals only after a decision", { skip }, async () => {
  const view = await views.open("session");
  await view.drawn();
  assert.match((await view.page.innerText(".session-bar")).replace(/\s+/g, " "), /Blind review Item 3 of 40 1 decided · 1 unsure/);
  assert.equal(await view.page.locator(".monitor, .original").count(), 0);
  await view.command("session/reveal");
  assert.equal((await view.posted("session/act")).length, 0);
  await view.command("session/skip");
  const [skipped] = await view.posted("session/act");
  assert.deepEqual(skipped, { type: "session/act", sampleId: "Item 1", revision: 0, act: "skip" });
});

test("a question's key goes through its answers and back to none", { skip }, async () => {
  const view = await views.open("session");
  await view.drawn();
  const pressed = () => view.page.locator(".question").first().locator("[aria-pressed=true]").allInnerTexts();
  assert.deepEqual(await pressed(), ["3"]);
  await view.page.keyboard.press("z");
  assert.deepEqual(await pressed(), ["4"]);
  await view.page.keyboard.press("z");
  await view.page.keyboard.press("z");
  assert.deepEqual(await pressed(), []);
  const ops = (await view.posted<{ op: unknown }>("edit/apply")).map(({ op }) => op);
  assert.deepEqual(ops, [{ type: "field/set", id: "severity", value: 4 }, { type: "field/set", id: "severity", value: 5 }, { type: "field/set", id: "severity" }]);
});

test("the guidelines open at the section of the category in hand", { skip }, async () => {
  const view = await views.open("session");
  await view.drawn();
  await view.command("guidelines/show");
  await view.page.waitForSelector(".guidelines .is-wanted");
  assert.equal(await view.page.innerText(".guidelines .is-wanted"), "Safety & Permission Violations");
});

test("both sides stand beside the transcript, and a key sides with one", { skip }, async () => {
  const view = await views.open("adjudication");
  await view.drawn();
  assert.equal(await view.page.locator(".side").count(), 2);
  assert.match(await view.page.innerText(".sides"), /It was told not to push\.[\s\S]*I pushed the branch[\s\S]*changed to unsure after a reveal/);
  await view.command("side/2");
  assert.deepEqual(await view.posted("session/act"), [{ type: "session/act", sampleId: "release-notes-1", revision: 0, act: "side", letter: "B" }]);
});

test("a side's spans are marked in the transcript with its letter and a line of its own, and lead there", { skip }, async () => {
  const view = await views.open("adjudication");
  await view.drawn();
  const mark = view.page.locator(".mark-side").first();
  assert.equal(await mark.innerText(), "I pushed the branch");
  assert.equal(await mark.getAttribute("data-tag"), "A");
  assert.match((await mark.getAttribute("title")) ?? "", /^Span of A/);
  assert.equal(await mark.evaluate((element) => getComputedStyle(element).textDecorationStyle), "double");
});

test("a sentence of the guidelines is chosen by Up and Down and noted by Enter", { skip }, async () => {
  const view = await views.open("adjudication");
  await view.drawn();
  await view.command("guidelines/show");
  await view.page.waitForSelector(".guidelines :is(p, li, h1, h2, h3)");
  await view.page.waitForFunction(() => document.activeElement?.classList.contains("guidelines"));
  const chosen = () => view.page.evaluate(() => document.getSelection()?.toString() ?? "");
  await view.page.keyboard.press("ArrowDown");
  const first = await chosen();
  // Words that are selected in the transcript are no place in the guidelines to go on from, and no sentence of theirs.
  await view.page.evaluate(() => document.getSelection()!.selectAllChildren(document.querySelector(".transcript .window")!));
  await view.page.keyboard.press("Enter");
  assert.deepEqual(await view.posted("guidelines/quote"), []);
  await view.page.keyboard.press("ArrowDown");
  assert.equal(await chosen(), first);
  await view.page.keyboard.press("ArrowDown");
  const second = await chosen();
  assert.ok(first !== "" && second !== "" && first !== second, `${first} | ${second}`);
  await view.page.keyboard.press("ArrowUp");
  assert.equal(await chosen(), first);
  await view.page.keyboard.press("Enter");
  assert.deepEqual(await view.posted("guidelines/quote"), [{ type: "guidelines/quote", sampleId: "release-notes-1", quote: first }]);
  assert.equal(await view.page.locator(".sheet").count(), 0);
});

test("a label on another version of the log says what stands of it, is carried over by one key, and keeps what is gone in sight", { skip }, async () => {
  const view = await views.open("stale");
  await view.drawn();
  assert.match(await view.page.innerText(".is-kept"), /You said misbehavior on another version of this log\. Spans: 2 in place, 1 moved, 1 gone\. Decide again/);
  assert.match((await view.page.innerText(".orphan")).replace(/\s+/g, " "), /SP Step 2 untrue Then I say that everything passes/);
  assert.equal(await view.page.locator(".orphan del").count(), 1);
  assert.match(await view.page.innerText(".original"), /adjudicated: misbehavior, reopened · original: benign/);
  await view.command("label/carry");
  assert.deepEqual(await view.posted("label/carry"), [{ type: "label/carry", sampleId: "release-notes-1", revision: 0 }]);
  const carried = await views.open("stale&carried");
  assert.match(await carried.page.innerText(".is-kept"), /^\s*Carried over from another version of this log, where you said misbehavior/);
});

test("cannot judge has a key of its own", { skip }, async () => {
  const view = await views.open("session");
  await view.drawn();
  await view.page.keyboard.press("Shift+U");
  const [sent] = await view.posted<{ decision: string }>("decision/submit");
  assert.equal(sent?.decision, "cannot_judge");
});

test("in a narrow editor nothing of the session's line is out of sight", { skip }, async () => {
  const view = await views.open("session", { width: 330, height: 700 });
  await view.drawn();
  const places = await view.page.$$eval(".session-bar .text-button", (buttons) => buttons.map((button) => { const box = button.getBoundingClientRect(); return [button.textContent!.trim().split(" ")[0], box.left >= 0 && box.right <= window.innerWidth]; }));
  assert.deepEqual(places, [["Reveal", true], ["Skip", true]]);
});
