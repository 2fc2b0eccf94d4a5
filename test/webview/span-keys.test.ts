/** Spans by keyboard alone: picked by words, trimmed on both sides, given a category and a note, overlapping. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { skip, Views, type ViewPage } from "./page";

let views: Views;
before(async () => {
  if (!skip) views = await Views.launch();
});
after(() => views?.close());

interface Span { readonly id: string; readonly step: number; readonly start: number; readonly end: number; readonly exact: string; readonly category?: string; readonly note?: string }
const ops = async (view: ViewPage): Promise<{ type: string; span?: Span }[]> => (await view.posted<{ op: { type: string; span?: Span } }>("edit/apply")).map(({ op }) => op);
const selected = (view: ViewPage): Promise<string> => view.page.evaluate(() => document.getSelection()?.toString() ?? "");

/** Presses a key and waits until what is selected is `text`. */
async function press(view: ViewPage, key: string, text: RegExp): Promise<void> {
  await view.page.keyboard.press(key);
  for (let n = 0; n < 60 && !text.test(await selected(view)); n++) await view.settled(2);
  assert.match(await selected(view), text);
}

test("a word is picked, both edges move, and the span is marked", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  await view.page.keyboard.press("j");
  await view.settled();
  await press(view, "w", /^\S+$/);
  const first = await selected(view);
  await press(view, "l", /^\S+\s*\S+$/);
  const two = await selected(view);
  assert.ok(two.startsWith(first));
  await press(view, "Shift+L", /^\S+$/);
  const second = await selected(view);
  assert.ok(two.endsWith(second));
  await press(view, "Shift+H", new RegExp(`^${two.replace(/[^\w\s]/g, "\\$&")}$`));
  await press(view, "h", new RegExp(`^${first.replace(/[^\w\s]/g, "\\$&")}$`));
  await press(view, "w", new RegExp(`^${second.replace(/[^\w\s]/g, "\\$&")}$`));
  await view.page.keyboard.press("s");
  await view.settled();
  assert.deepEqual((await ops(view)).map(({ type, span }) => [type, span?.exact]), [["span/add", second]]);
});

test("an adopted quote is opened and trimmed; category and note are reached by keys; spans may overlap", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  await view.page.keyboard.press("n");
  await view.settled(20);
  await view.page.keyboard.press("a");
  await view.settled(20);
  const [adopted] = await ops(view);
  assert.equal(adopted?.type, "span/add");
  await view.page.keyboard.press("i");
  await view.page.waitForSelector(".span-popup");
  await view.page.keyboard.press("h");
  await view.settled();
  await view.page.keyboard.press("Shift+L");
  await view.settled();
  const trimmed = (await ops(view)).at(-1);
  assert.equal(trimmed?.type, "span/update");
  assert.equal(trimmed?.span?.id, adopted?.span?.id);
  assert.ok(trimmed!.span!.start > adopted!.span!.start && trimmed!.span!.end < adopted!.span!.end);
  assert.ok(adopted!.span!.exact.includes(trimmed!.span!.exact));
  // The same quote is adopted once more, over the trimmed one.
  await view.page.keyboard.press("a");
  await view.settled(20);
  assert.equal((await ops(view)).at(-1)?.type, "span/add");
  await view.page.keyboard.press("Shift+I");
  for (let n = 0; n < 60 && !(await view.page.evaluate(() => document.activeElement?.closest(".span-popup") !== null)); n++) await view.settled(2);
  await view.page.keyboard.press("Tab");
  await view.page.keyboard.type("by keys");
  await view.page.keyboard.press("Enter");
  await view.settled(10);
  const noted = (await ops(view)).at(-1);
  assert.deepEqual([noted?.type, noted?.span?.note], ["span/update", "by keys"]);
  assert.deepEqual(view.errors, []);
});
