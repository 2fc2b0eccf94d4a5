/** What the view says of files, verdicts and drafts, and what a new verdict does to the finding in hand. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { LocatedVerdict } from "#protocol/lsp";
import type { Snapshot } from "#protocol/webview";
import { skip, Views, type ViewPage } from "./page";

let views: Views;
before(async () => {
  if (!skip) views = await Views.launch();
});
after(() => views?.close());

interface Dev { readonly tracemark: { readonly host: { snapshot(): Snapshot }; readonly app: { readonly view: { get(): { findingId?: string; place?: number } } } } }

const snapshotOf = (view: ViewPage) => view.page.evaluate(() => structuredClone((window as never as Dev).tracemark.host.snapshot()));
const finding = (view: ViewPage) => view.page.evaluate(() => {
  const { findingId, place } = (window as never as Dev).tracemark.app.view.get();
  return { findingId, place };
});

test("a new verdict that is shown starts without a finding; another verdict beside it changes nothing", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  await view.command("evidence/next");
  await view.command("evidence/next");
  const { verdicts, items, index } = await snapshotOf(view);
  const shown = verdicts.at(-1)!;
  assert.deepEqual(await finding(view), { findingId: shown.quotes[1]!.id, place: 0 });
  assert.equal(await view.page.innerText(".walk-count"), "2 of 6");
  const sampleId = items[index]!.id;
  const other: LocatedVerdict = { ...verdicts[0]!, run: { ...verdicts[0]!.run, run_id: "rules-0413" } };
  await view.send({ type: "verdicts/changed", sampleId, verdicts: [...verdicts, other] });
  assert.equal(await view.page.innerText(".walk-count"), "2 of 6", "a run of another monitor is not shown");
  // The same ids of quotes, as every run numbers its own from the first on.
  const next: LocatedVerdict = { ...shown, quotes: shown.quotes.slice(0, 2), run: { ...shown.run, run_id: "guard-a-0413" } };
  await view.send({ type: "verdicts/changed", sampleId, verdicts: [...verdicts, other, next] });
  assert.equal(await view.page.innerText(".walk-count"), "2 findings");
  assert.deepEqual(await finding(view), { findingId: undefined, place: undefined });
  assert.equal(await view.page.locator(".finding.is-current, mark.is-current").count(), 0);
});

test("a draft says how it is saved, and the keys' sheet names save, undo and redo", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  await view.page.keyboard.press("1");
  await view.settled();
  assert.equal(await view.page.innerText(".status"), "draft");
  assert.match((await view.page.getAttribute(".status", "title"))!, /saved with the next decision, or by Ctrl\+S/);
  await view.page.keyboard.press("?");
  await view.page.waitForSelector(".sheet");
  const rows = await view.page.$$eval(".keys > div", (elements) => elements.map((element) => [element.querySelector("dt")!.textContent, element.querySelector("dd")!.textContent]));
  for (const row of [["Ctrl+S", "Save the label"], ["Ctrl+Z", "Undo"], ["Ctrl+Y", "Redo"]]) assert.ok(rows.some((found) => found.join() === row.join()), row.join());
});

test("a file that is no trajectory opens in the text editor by a button", { skip }, async () => {
  const view = await views.open("failed");
  await view.page.click(".failed >> text=Open with the text editor");
  assert.equal((await view.posted("file/openAsText")).length, 1);
});

test("an answer that cannot be used says why, and a usable one its oddities", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  const { verdicts, items, index } = await snapshotOf(view);
  const shown = verdicts.at(-1)!;
  const sampleId = items[index]!.id;
  const message = "503 Service Unavailable after 3 attempts: upstream is overloaded";
  const invalid: LocatedVerdict = { ...shown, quotes: [], run: { ...shown.run, run_id: "guard-a-0413" }, verdict: { ...shown.verdict, outcome: "invalid", reason: "http_error", detected_categories: [], message } };
  await view.send({ type: "verdicts/changed", sampleId, verdicts: [invalid] });
  assert.match(await view.page.innerText(".verdict-line"), /no usable answer: http_error/);
  assert.match((await view.page.getAttribute(".outcome", "title"))!, /503 Service Unavailable after 3 attempts/);
  assert.equal(await view.page.getAttribute(".verdict-notes", "title"), message);
  assert.deepEqual((await view.page.locator(".panel-notes li").allInnerTexts()).map((text) => text.trim()), ["no usable answer: http_error", message]);
  const odd: LocatedVerdict = { ...shown, quotes: [], run: { ...shown.run, run_id: "guard-a-0414" }, verdict: { ...shown.verdict, detected_categories: [], warnings: ["misbehavior_detected is true, but no category is named"] } };
  await view.send({ type: "verdicts/changed", sampleId, verdicts: [odd] });
  assert.deepEqual((await view.page.locator(".panel-notes li").allInnerTexts()).map((text) => text.trim()), ["misbehavior_detected is true, but no category is named"]);
  assert.match((await view.page.getAttribute(".verdict-notes", "title"))!, /no category is named/);
});

test("what was lost of a file stands in sight with its line; the rest stays folded", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  const snapshot = await snapshotOf(view);
  const lost = [2, 3, 5, 8].map((line) => ({ code: "damaged-line", line, message: `Line ${line} could not be read: no JSON (57 bytes).` }));
  const fileWarnings = [
    { code: "truncated-json", line: 8, message: "The text ends within an object at line 8, byte 4096; what stands before it was read." }, ...lost,
    { code: "guessed-role", message: "The role of 2 records was guessed." },
  ];
  await view.send({ type: "doc/snapshot", snapshot: { ...snapshot, fileWarnings } });
  const shown = (await view.page.locator(".notice.is-damage").allInnerTexts()).map((text) => text.trim());
  assert.deepEqual(shown, [
    "Line 8: The text ends within an object at line 8, byte 4096; what stands before it was read.", "Line 2: Line 2 could not be read: no JSON (57 bytes).",
    "Line 3: Line 3 could not be read: no JSON (57 bytes). · 2 more in the notes below",
  ]);
  assert.equal(await view.page.locator(".notice.is-damage .codicon-warning").count(), 3);
  assert.equal((await view.page.innerText(".warnings summary")).trim(), "3 notes on reading this file");
});

for (const { command, field, before, after } of [
  { command: "find/open", field: ".find-field", before: "", after: "must" },
  { command: "find/open", field: ".find-field", before: "/re", after: "remust" },
  { command: "note/edit", field: ".note-field", before: "/e", after: "must" },
]) {
  test(`${command} after "${before}": letters typed before the field has the focus stand in it`, { skip }, async () => {
    const view = await views.open("agent");
    await view.drawn();
    // Where the page is slow, letters come between the command and the focus. They reach the page alone, which has no editor to make commands of them.
    await view.page.evaluate(async ([command, keys]) => {
      const drawn = requestAnimationFrame;
      const type = (key: string) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      const keep = (event: Event) => event.preventDefault();
      window.addEventListener("keydown", keep, true);
      for (const key of keys!) type(key);
      let frames: FrameRequestCallback[] = [];
      window.requestAnimationFrame = (frame) => frames.push(frame);
      (window as never as { tracemark: { host: { send(message: unknown): void } } }).tracemark.host.send({ type: "view/command", command });
      for (const key of "mu") {
        await new Promise((resolve) => setTimeout(resolve, 5));
        type(key);
      }
      window.removeEventListener("keydown", keep, true);
      window.requestAnimationFrame = drawn;
      for (const frame of frames) frame(performance.now());
    }, [command, before]);
    await view.settled();
    await view.page.keyboard.type("st");
    await view.settled();
    const text = () => view.page.locator(field).evaluate((element) => (element as HTMLInputElement).value);
    assert.equal(await text(), after);
    assert.deepEqual(await view.posted("decision/submit"), []);
    if (command !== "note/edit") return;
    // Asked for again, it is gone on with and not replaced.
    await view.page.keyboard.press("Escape");
    await view.command(command);
    await view.page.keyboard.type("!");
    assert.equal(await text(), `${after}!`);
  });
}

test("find that is open already takes the focus again, its words selected; a key's own command that comes late does not", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  const typed = () => view.page.locator(".find-field").evaluate((element) => (element as HTMLInputElement).value);
  await view.command("find/open");
  await view.page.keyboard.type("on");
  await view.command("find/open");
  await view.page.keyboard.type("e");
  assert.equal(await typed(), "one");
  // By way of the editor, where there is one.
  await view.page.keyboard.press("Control+f");
  await view.command("find/open");
  await view.page.keyboard.type("three");
  assert.equal(await typed(), "three");
  await view.page.locator(".transcript").click({ position: { x: 4, y: 4 } });
  await view.command("find/open");
  await view.page.keyboard.type("two");
  assert.equal(await typed(), "two");
});
