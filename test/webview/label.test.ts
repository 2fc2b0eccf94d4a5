/** Keys, decisions, spans, notes: what the annotator does, at once on the page and in the right words to the host. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { skip, Views, type ViewPage } from "./page";

let views: Views;
before(async () => {
  if (!skip) views = await Views.launch();
});
after(() => views?.close());

interface Apply { readonly revision: number; readonly op: { readonly type: string; readonly span?: Span; readonly note?: string; readonly categories?: string[] } }
interface Span { readonly step: number; readonly part: number; readonly start: number; readonly end: number; readonly exact: string; readonly category?: string; readonly origin: string; readonly note?: string }

const status = (view: ViewPage) => view.page.innerText(".status");
const step = (view: ViewPage) => view.page.evaluate(() => (window as never as { tracemark: { app: { view: { get(): { step: number } } } } }).tracemark.app.view.get().step);

test("a decision shows within a frame and says saved when it is on disk", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  assert.equal(await status(view), "pending");
  const within = await view.page.evaluate(async () => {
    window.dispatchEvent(new KeyboardEvent("keydown", { key: "m", bubbles: true }));
    await new Promise((resolve) => requestAnimationFrame(resolve));
    return { pressed: document.querySelector(".decision-misbehavior")?.getAttribute("aria-pressed"), status: document.querySelector(".status")?.textContent };
  });
  assert.deepEqual(within, { pressed: "true", status: " saving…" });
  await view.page.waitForFunction(() => /saved \d\d:\d\d/.test(document.querySelector(".status")?.textContent ?? ""));
  const [sent] = await view.posted<{ sampleId: string; decision: string; revision: number; seconds: number }>("decision/submit");
  assert.deepEqual([sent?.sampleId, sent?.decision, sent?.revision], ["runs/run-0412.traj", "misbehavior", 0]);
  assert.ok(sent!.seconds >= 0 && sent!.seconds < 60);
  assert.match(await view.page.innerText(".original"), /corrected · original: benign/);
  assert.equal(await view.page.textContent(".live"), "Saved");
});

test("confirm takes the verdict's outcome and categories", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  await view.page.keyboard.press("c");
  const [sent] = await view.posted<{ decision: string; categories: string[] }>("decision/submit");
  assert.deepEqual(sent, { ...sent, decision: "confirm", categories: ["specification_gaming", "sycophancy_bias", "safety_permission"] });
});

test("benign takes no category, categories toggle by their number", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  await view.page.keyboard.press("3");
  await view.page.keyboard.press("1");
  await view.page.keyboard.press("3");
  const applied = await view.posted<Apply>("edit/apply");
  assert.deepEqual(applied.map(({ op }) => op.categories), [["specification_gaming"], ["specification_gaming", "safety_permission"], ["safety_permission"]]);
  assert.deepEqual(applied.map(({ revision }) => revision), [0, 1, 2], "each op says what it was drawn on");
  await view.page.keyboard.press("b");
  assert.deepEqual((await view.posted<{ categories: string[] }>("decision/submit")).map(({ categories }) => categories), [[]]);
});

test("ops that the host does not answer are given up for its own state", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  await view.page.evaluate(() => ((window as never as { tracemark: { host: { isDeaf: boolean } } }).tracemark.host.isDeaf = true));
  await view.page.keyboard.press("2");
  await view.settled();
  assert.equal(await view.page.locator(".category-list vscode-checkbox[current-checked='true'], .category-list vscode-checkbox.checked").count(), 1);
  await view.page.waitForFunction(() => document.querySelectorAll(".category-list vscode-checkbox.checked").length === 0, undefined, { timeout: 8000 });
  assert.equal((await view.posted("view/snapshotWanted")).length, 1);
});

test("a failed save stays in words with retry", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  await view.page.evaluate(() => ((window as never as { tracemark: { host: { failSaving: string } } }).tracemark.host.failSaving = "the disk is full"));
  await view.page.keyboard.press("u");
  await view.page.waitForSelector(".status.is-failed");
  assert.match(await status(view), /failed: the disk is full/);
  await view.page.evaluate(() => ((window as never as { tracemark: { host: { failSaving: undefined } } }).tracemark.host.failSaving = undefined));
  await view.page.click(".status >> text=Copy as JSON");
  await view.page.click(".status >> text=Retry");
  await view.page.waitForSelector(".status.is-saved");
  assert.equal((await view.posted("label/copy")).length, 1);
});

test("undo takes the decision back", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  await view.page.keyboard.press("m");
  await view.page.waitForSelector(".status.is-saved");
  await view.page.keyboard.press("Control+z");
  await view.page.waitForFunction(() => document.querySelector(".decision-misbehavior")?.getAttribute("aria-pressed") === "false");
  await view.page.keyboard.press("Control+Shift+Z");
  await view.page.waitForFunction(() => document.querySelector(".decision-misbehavior")?.getAttribute("aria-pressed") === "true");
});

test("keys are dead while a note is written, and undo in it undoes the note", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  const at = await step(view);
  await view.page.keyboard.press("e");
  await view.settled();
  await view.page.keyboard.type("jump back, confirm me");
  await view.settled();
  assert.equal(await step(view), at);
  assert.deepEqual(await view.posted("decision/submit"), []);
  assert.deepEqual((await view.posted<{ keysActive: boolean }>("view/focus")).map(({ keysActive }) => keysActive), [true, false]);
  await view.page.keyboard.press("Control+z");
  assert.deepEqual(await view.posted("history/undo"), []);
  const value = await view.page.$eval(".note-field", (field) => (field as unknown as { value: string }).value);
  assert.notEqual(value, "jump back, confirm me");
  await view.page.keyboard.type("!");
  await view.page.keyboard.press("Escape");
  await view.settled();
  const notes = (await view.posted<Apply>("edit/apply")).filter(({ op }) => op.type === "note/set");
  assert.equal(notes.length, 1, "one op for the whole note");
  assert.match(notes[0]!.op.note!, /!$/);
  assert.equal((await view.posted<{ keysActive: boolean }>("view/focus")).at(-1)?.keysActive, true);
});

test("a note that is being written survives the page", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  await view.page.keyboard.press("e");
  await view.settled();
  await view.page.keyboard.type("half a thou");
  await view.page.reload();
  await view.drawn();
  assert.equal(await view.page.$eval(".note-field", (field) => (field as unknown as { value: string }).value), "half a thou");
});

test("Ctrl+S in the monitor's dropdown changes nothing, letters select", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  const value = () => view.page.$eval(".monitor-select", (element) => (element as unknown as { value: string }).value);
  await view.page.focus(".monitor-select");
  const seen = view.page.evaluate(() => new Promise<string>((resolve) => window.addEventListener("keydown", (event) => event.ctrlKey && event.key === "r" && resolve("seen"))));
  for (const key of ["Control+s", "Control+r", "Alt+r", "Meta+r", "Control", "Shift"]) await view.page.keyboard.press(key);
  assert.equal(await value(), "guard-a");
  assert.deepEqual(await view.posted("monitor/select"), []);
  assert.equal(await seen, "seen", "combinations still reach the page");
  await view.page.keyboard.press("r");
  await view.settled();
  assert.equal(await value(), "rules");
  assert.deepEqual((await view.posted<{ monitorId: string }>("monitor/select")).map(({ monitorId }) => monitorId), ["rules"]);
  assert.deepEqual(await view.posted("monitor/run"), [], "and are no commands while it has the focus");
});

test("selected words become a span at their offsets: emoji, CRLF, Markdown", { skip }, async () => {
  const view = await views.open("odd");
  await view.drawn();
  await view.select("Emoji", "🎉");
  await view.page.waitForSelector(".selection-bar");
  await view.page.keyboard.press("s");
  await view.select("then ", "words");
  await view.page.waitForSelector(".selection-bar");
  await view.page.keyboard.press("s");
  await view.select("A second", "target");
  await view.page.waitForSelector(".selection-bar");
  await view.page.keyboard.press("s");
  const spans = (await view.posted<Apply>("edit/apply")).map(({ op }) => op.span!);
  const text = "Emoji first 👩‍👩‍👧 and 🎉, then the *words* to mark.\r\nA second line after CRLF: the target here.\r\n\r\n- item **one**\r\n- item `two`";
  assert.deepEqual(spans.map((span) => [span.step, span.part, span.start, span.end]), [
    [0, 0, 0, text.indexOf("🎉") + 2],
    [0, 0, text.indexOf("then"), text.indexOf("words") + 5],
    [0, 0, text.indexOf("A second"), text.indexOf("target") + 6],
  ]);
  for (const span of spans) assert.equal(span.exact, text.slice(span.start, span.end));
  assert.equal(spans[1]!.exact, "then the *words");
});

test("selected right-to-left and coloured text becomes a span at its offsets", { skip }, async () => {
  const view = await views.open("odd");
  await view.drawn();
  await view.select("בעולם".length ? "עולם" : "", "עולם");
  await view.page.waitForSelector(".selection-bar");
  await view.page.keyboard.press("s");
  await view.select("build", "here");
  await view.page.waitForSelector(".selection-bar");
  await view.page.keyboard.press("s");
  const spans = (await view.posted<Apply>("edit/apply")).map(({ op }) => op.span!);
  assert.equal(spans[0]!.exact, "עולם");
  assert.equal(spans[1]!.exact, "build \u001b[31mfailed\u001b[0m here");
});

test("a selection over rows that are not drawn keeps its ends, and copies whole", { skip }, async () => {
  const view = await views.open("big&mb=1");
  await view.drawn();
  await view.page.locator('[data-step-index="2"] .fold-more').click();
  await view.settled();
  await view.page.evaluate(() => {
    const node = document.querySelector('[data-step-index="2"] .window')!.firstChild as Text;
    document.getSelection()!.setBaseAndExtent(node, 0, node, 10);
  });
  await view.settled();
  await view.page.evaluate(() => (document.querySelector(".transcript")!.scrollTop = 60_000));
  await view.page.waitForTimeout(300);
  await view.page.evaluate(() => {
    const windows = document.querySelectorAll('[data-step-index="2"] .window');
    const node = windows[windows.length - 1]!.firstChild as Text;
    document.getSelection()!.extend(node, 19);
  });
  await view.page.evaluate(() => (document.querySelector(".transcript")!.scrollTop = 0));
  await view.page.waitForTimeout(300);
  const copied = await view.page.evaluate(() => {
    const data = new DataTransfer();
    document.querySelector(".transcript")!.dispatchEvent(new ClipboardEvent("copy", { clipboardData: data, cancelable: true, bubbles: true }));
    return data.getData("text/plain");
  });
  assert.ok(copied.length > 50_000, `${copied.length} units copied`);
  await view.page.keyboard.press("s");
  const [applied] = await view.posted<Apply>("edit/apply");
  assert.equal(applied!.op.span!.start, 0);
  assert.equal(applied!.op.span!.exact, copied);
  assert.ok((await view.elements()) <= 500);
});

test("a quote is adopted, a span gets category and note, and is deleted by key", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  await view.page.keyboard.press("n");
  await view.page.waitForSelector("mark.is-exact.is-current");
  await view.page.keyboard.press("a");
  await view.page.waitForSelector("mark.mark-own[data-ref]:not([data-ref='own-1'])");
  const [adopted] = await view.posted<Apply>("edit/apply");
  assert.deepEqual([adopted!.op.span!.exact, adopted!.op.span!.origin, adopted!.op.span!.category], ["if n == 7: return 42", "adopted", "specification_gaming"]);
  await view.page.keyboard.press("a");
  assert.equal((await view.posted("edit/apply")).length, 1, "not twice");
  await view.settled(10);
  await view.page.focus("mark.mark-own:not([data-ref='own-1'])");
  await view.page.keyboard.press("Enter");
  await view.page.waitForSelector(".span-popup");
  await view.settled();
  await view.page.locator(".span-popup vscode-text-field").click();
  await view.page.keyboard.type("see here");
  await view.page.keyboard.press("Enter");
  await view.settled();
  const updated = (await view.posted<Apply>("edit/apply")).at(-1)!;
  assert.deepEqual([updated.op.type, updated.op.span!.note], ["span/update", "see here"]);
  await view.page.focus("mark.mark-own:not([data-ref='own-1'])");
  await view.page.keyboard.press("Delete");
  assert.equal((await view.posted<Apply>("edit/apply")).at(-1)!.op.type, "span/remove");
  assert.equal(await view.page.textContent(".live"), "Span deleted");
});

test("an absent quote cannot be adopted", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  await view.page.keyboard.press("p");
  await view.page.keyboard.press("p");
  await view.page.keyboard.press("p");
  await view.settled();
  assert.match(await view.page.innerText(".finding.is-current"), /not in this transcript/);
  await view.page.keyboard.press("a");
  await view.settled();
  assert.deepEqual(await view.posted("edit/apply"), []);
  assert.match((await view.page.textContent(".live")) ?? "", /stands nowhere/);
});

test("steps, samples and the undecided ones are walked by key", { skip }, async () => {
  const view = await views.open("many");
  await view.drawn();
  await view.page.keyboard.press("j");
  assert.equal(await step(view), 1);
  await view.settled();
  assert.equal(await view.page.evaluate(() => (document.activeElement as HTMLElement).dataset["stepIndex"]), "1");
  await view.page.keyboard.press("k");
  await view.page.keyboard.press("k");
  assert.equal(await step(view), 0);
  await view.page.keyboard.press("]");
  await view.page.waitForFunction(() => document.querySelector(".title")?.textContent?.includes("altitude 1"));
  await view.page.keyboard.press("[");
  await view.page.waitForFunction(() => document.querySelector(".title")?.textContent?.includes("Australia 0"));
  for (let n = 0; n < 4; n++) {
    await view.page.keyboard.press("Shift+}");
    await view.settled();
  }
  // Number 4 has a label already.
  assert.match((await view.page.textContent(".title")) ?? "", /5$/);
  assert.match(await view.page.innerText(".bar-rest"), /5\/24/);
});

test("with a host that owns the keys nothing is handled twice", { skip }, async () => {
  const view = await views.open("agent");
  await view.drawn();
  await view.command("decide/benign");
  assert.equal((await view.posted("decision/submit")).length, 1);
  await view.command("evidence/next");
  await view.command("step/showInFile");
  assert.deepEqual(await view.posted("place/show"), [{ type: "place/show", step: 6 }]);
});
