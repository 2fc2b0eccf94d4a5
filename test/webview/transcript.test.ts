/** Drawing of the transcript: order, folding, edits, highlights at their places, find, jumping. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { skip, Views } from "./page";

let views: Views;
before(async () => {
  if (!skip) views = await Views.launch();
});
after(() => views?.close());

test("the task comes first, then the outcome, then the steps with the system prompt folded", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  const order = await view.page.$$eval("article", (articles) => articles.slice(0, 4).map((article) => `${(article as HTMLElement).dataset["stepIndex"]} ${article.querySelector(".role")?.textContent}`));
  assert.deepEqual(order, ["1 Task", "-1 Outcome", "0 system", "2 assistant"]);
  assert.equal(await view.page.locator('[data-step-index="0"] .window').count(), 0);
  assert.match(await view.page.locator('[data-step-index="0"]').innerText(), /18 lines.*You are an autonomous software engineer/s);
  assert.equal(await view.page.locator('[data-step-index="0"]').getAttribute("aria-setsize"), "13");
  assert.equal(await view.page.locator('[data-step-index="0"]').getAttribute("aria-posinset"), "1");
  assert.deepEqual(view.errors, []);
});

test("blind, neither verdict nor original label nor the benchmark's own score can be seen", { skip }, async () => {
  const view = await views.open("agent&blind");
  await view.drawn();
  const text = await view.page.innerText("body");
  for (const word of ["succeeded", "resolved", "14 of 14", "original: ", "misbehavior 0.86", "guard-a (evidence)"]) assert.ok(!text.includes(word), `"${word}" is shown`);
  assert.match(text, /Blind: judge from the transcript alone/);
  assert.match(text, /submitted/);
  await view.page.keyboard.press("r");
  await view.page.keyboard.press("c");
  assert.deepEqual(await view.posted("monitor/run"), []);
  assert.deepEqual(await view.posted("decision/submit"), []);
});

test("long output is folded with its length and unfolds", { skip }, async () => {
  const view = await views.open("long&steps=60");
  await view.drawn();
  const result = view.page.locator('[data-step-index="33"]');
  await view.page.evaluate(() => (window as never as { tracemark: { app: { transcript: { showStep(n: number, focus: boolean): void } } } }).tracemark.app.transcript.showStep(33, false));
  await view.settled();
  assert.match(await result.innerText(), /36 lines/);
  const folded = (await result.innerText()).split("\n").filter((line) => line.startsWith("src/")).length;
  assert.equal(folded, 10, "six lines of its beginning and four of its end");
  await result.locator(".fold-more").click();
  await view.settled();
  assert.equal((await result.innerText()).split("\n").filter((line) => line.startsWith("src/")).length, 36);
});

test("an edit is shown as a diff, its raw arguments one press away", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  await view.command("evidence/next");
  await view.page.waitForSelector('[data-step-index="6"] .diff-line');
  const step = view.page.locator('[data-step-index="6"]');
  assert.deepEqual(await step.locator(".diff-removed").allInnerTexts(), ["    return delay + random.uniform(0, delay / 10)"]);
  assert.equal(await step.locator(".diff-added").count(), 2);
  assert.equal(await view.page.evaluate(() => (window as never as { tracemark: { app: { view: { get(): { step: number } } } } }).tracemark.app.view.get().step), 6);
  await view.page.keyboard.press("v");
  await view.settled();
  assert.equal(await step.locator(".diff-line").count(), 0);
  assert.match(await step.innerText(), /old_str: {5}"""Delay/);
  assert.equal(await view.markText("e:q0:0:0"), "if n == 7: return 42");
});

test("marks lie on their words: exact, near, ambiguous; absent ones nowhere", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  await view.page.setViewportSize({ width: 1400, height: 3000 });
  await view.settled(10);
  assert.equal(await view.markText("e:q0:0:0"), "if n == 7: return 42");
  assert.equal(await view.markText("e:q1:0:0"), "special-case the value the test expects");
  assert.equal(await view.markText("e:q1:1:0"), "special-case the value the test expects");
  assert.equal(await view.markText("e:q2:0:0"), "The delays for other values are unchanged.I did not touch the test.");
  assert.equal(await view.page.locator('[data-ref="q3"]').count(), 0);
  assert.equal(await view.markText("o:own-1"), "would make the suite green at once");
  const style = (id: string) => view.page.$eval(`mark[data-mark="${id}"]`, (mark) => getComputedStyle(mark).textDecorationStyle);
  assert.deepEqual([await style("e:q0:0:0"), await style("e:q1:0:0"), await style("e:q2:0:0")], ["solid", "dotted", "dashed"]);
  // Overlapping marks are underlined below each other.
  const offsets = await view.page.$$eval('mark[data-ref="q4"], mark[data-ref="q5"]', (marks) => [...new Set(marks.map((mark) => getComputedStyle(mark).textUnderlineOffset))]);
  assert.deepEqual(offsets.sort(), ["2px", "5px"]);
  const panel = await view.page.innerText(".findings");
  assert.match(panel, /not in this transcript/);
  assert.match(panel, /1 of 2 places/);
  assert.match(panel, /Closest text: step 12/);
});

test("marks lie on rendered prose, coloured output, right-to-left and escaped text", { skip }, async () => {
  const view = await views.open("odd", { height: 2000 });
  await view.drawn();
  const texts = await view.page.evaluate(() => {
    const found = new Map<string, string>();
    for (const mark of document.querySelectorAll<HTMLElement>("mark[data-mark]")) found.set(mark.dataset["ref"]!, (found.get(mark.dataset["ref"]!) ?? "") + mark.textContent);
    return [...found.values()];
  });
  assert.deepEqual(texts.sort(), ["deep", "failed here", "not emphasis* and & an entity", "q", "rm -rf build/", "the words to mark", "הטקסט לסימון"].sort());
  const output = await view.page.innerText('[data-step-index="2"]');
  assert.ok(!output.includes("[31m") && !output.includes("[2J") && !output.includes("]0;"), "sequences leave no litter");
  assert.match(output, /ESC/);
  assert.equal(await view.page.$eval('[data-step-index="2"] .sgr-fg2', (element) => element.textContent), "ok");
  assert.deepEqual(view.errors, []);
});

test("jumping unfolds, centres, and leaves the focus where it was", { skip }, async () => {
  const view = await views.open("big&mb=5");
  await view.drawn();
  await view.page.focus(".header button");
  await view.command("evidence/next");
  await view.page.waitForSelector("mark.mark-evidence");
  await view.page.waitForFunction(() => {
    const box = document.querySelector(".transcript")!.getBoundingClientRect();
    const mark = document.querySelector("mark")?.getBoundingClientRect();
    return mark && Math.abs(mark.top + mark.height / 2 - (box.top + box.height / 2)) < 40;
  });
  assert.equal(await view.page.textContent("mark"), "the needle stands here");
  assert.equal(await view.page.evaluate(() => document.activeElement?.className), "icon-button");
  assert.ok((await view.elements()) <= 400, `${await view.elements()} elements`);
});

test("a flash is left out with reduced motion", { skip }, async () => {
  const view = await views.open("agent", { reducedMotion: true });
  await view.drawn();
  await view.command("evidence/next");
  await view.page.waitForSelector("mark.is-flashing");
  assert.equal(await view.page.$eval("mark.is-flashing", (mark) => getComputedStyle(mark).animationName), "none");
});

test("find searches folded text, counts, walks and unfolds", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  await view.page.keyboard.press("/");
  await view.page.waitForSelector(".find-bar");
  await view.settled();
  await view.page.keyboard.type("autonomous software");
  await view.page.waitForFunction(() => /of 6/.test(document.querySelector(".find-count")?.textContent ?? ""));
  await view.page.waitForSelector('[data-step-index="0"] mark.mark-hit.is-current');
  assert.equal(await view.page.$eval("mark.mark-hit.is-current", (mark) => mark.textContent), "autonomous software");
  assert.equal(await view.page.textContent(".find-count"), "1 of 6");
  await view.page.keyboard.press("Enter");
  await view.settled();
  assert.equal(await view.page.textContent(".find-count"), "2 of 6");
  await view.page.keyboard.press("Shift+Enter");
  await view.page.keyboard.press("Shift+Enter");
  await view.settled();
  assert.equal(await view.page.textContent(".find-count"), "6 of 6");
  await view.page.keyboard.press("Escape");
  await view.settled();
  assert.equal(await view.page.locator("mark.mark-hit").count(), 0);
});

test("a near quote shows the difference when it is pointed at", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  for (let n = 0; n < 4; n++) await view.command("evidence/next");
  await view.page.waitForSelector("mark.is-near.is-current");
  await view.settled(10);
  await view.page.hover("mark.is-near");
  await view.page.waitForSelector(".near-popup");
  assert.deepEqual(await view.page.$$eval(".near-popup .word-diff del", (list) => list.map((element) => element.textContent?.trim())), ["all", ",", "and", "modify"]);
  assert.ok((await view.page.$$eval(".near-popup .word-diff ins", (list) => list.map((element) => element.textContent?.trim()))).includes("touch"));
});

test("a view that comes back stands where it stood", { skip }, async () => {
  const view = await views.open("long&steps=400");
  await view.drawn();
  await view.page.evaluate(() => (document.querySelector(".transcript")!.scrollTop = 20_000));
  await view.page.waitForTimeout(400);
  const top = () => view.page.evaluate(() => {
    const box = document.querySelector(".transcript")!.getBoundingClientRect();
    const article = [...document.querySelectorAll<HTMLElement>("article")].find((entry) => entry.getBoundingClientRect().bottom > box.top + 1)!;
    return { step: article.dataset["stepIndex"], offset: Math.round(article.getBoundingClientRect().top - box.top) };
  });
  const stood = await top();
  await view.page.reload();
  await view.drawn();
  await view.page.waitForFunction(() => document.querySelector(".transcript")!.scrollTop > 0);
  await view.settled(20);
  const now = await top();
  assert.equal(now.step, stood.step);
  assert.ok(Math.abs(now.offset - stood.offset) <= 4, `${now.offset} instead of ${stood.offset}`);
});

test("thousands of hits are painted, not drawn as elements", { skip }, async () => {
  const view = await views.open("long&steps=200");
  await view.drawn();
  const before = await view.elements();
  await view.page.keyboard.press("/");
  await view.settled();
  await view.page.keyboard.type("e");
  await view.page.waitForFunction(() => /of \d+, first 2000 listed/.test(document.querySelector(".find-count")?.textContent ?? ""));
  await view.page.waitForSelector("mark.mark-hit.is-current");
  await view.settled();
  const painted = await view.page.evaluate(() => CSS.highlights.get("tracemark-hit")!.size);
  assert.ok(painted > 100, `${painted} painted`);
  assert.equal(await view.page.locator("mark.mark-hit").count(), 1);
  assert.ok((await view.elements()) < before + 200, `${await view.elements()} elements, ${before} before`);
  const texts = await view.page.evaluate(() => [...new Set([...(CSS.highlights.get("tracemark-hit") as unknown as Set<Range>)].map((range) => range.toString().toLowerCase()))]);
  assert.deepEqual(texts, ["e"]);
  await view.page.keyboard.press("Escape");
  await view.settled();
  assert.equal(await view.page.evaluate(() => CSS.highlights.get("tracemark-hit")!.size), 0);
});

test("a place is shown as soon as there is a transcript to show it in", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  await view.send({ type: "doc/loading", fileName: "run-0412.traj" });
  await view.send({ type: "view/reveal", step: 11, part: 0, start: 0, end: 4 });
  await view.page.evaluate(() => {
    const { host } = (window as never as { tracemark: { host: { send(message: unknown): void; snapshot(): unknown } } }).tracemark;
    host.send({ type: "doc/snapshot", snapshot: host.snapshot() });
  });
  await view.page.waitForSelector('[data-step-index="11"].is-current');
});
