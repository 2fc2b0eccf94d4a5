/** The main job in a real VS Code: open, run rules, see evidence, confirm, correct, undo, reopen, scores moved, keys dead where they must be. */
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import type { Frame } from "playwright-core";
import { openWorkbench } from "../support/vscode/browser.mjs";
import { ensureChromium } from "../support/vscode/ensure-chromium.mjs";
import { packageOnce } from "../support/vscode/package-once.mjs";
import { startVsCode } from "../support/vscode/serve.mjs";
import type { Workbench } from "../support/vscode/workbench.mjs";
import { eventually, wholeLines } from "./session";

interface Record_ { sample_id: string; label: string | null; annotator: string; retracted?: boolean; supersedes?: string; action?: string; categories?: string[]; spans?: { exact: string }[]; note?: string }

/** Registers the tests against one version of VS Code; they build on each other, in this order. */
export function mainJob(which: "newest" | "floor"): void {
  const folder = mkdtempSync(join(tmpdir(), "tracemark-"));
  const labelsFile = join(folder, "labels", "tester.jsonl");
  let server: Awaited<ReturnType<typeof startVsCode>>;
  let workbench: Workbench;
  const records = (): Record_[] => wholeLines<Record_>(labelsFile);

  /** The view's frame once its transcript is drawn, with the focus in it. */
  async function view(): Promise<Frame> {
    const frame = await workbench.webview();
    await frame.locator(".row").first().waitFor();
    return frame;
  }
  const focusIn = (view: string) => workbench.page.waitForFunction((selector) => document.activeElement?.closest(selector), view);
  const focusTranscript = async (frame: Frame): Promise<void> => frame.locator(".transcript").first().click({ position: { x: 4, y: 4 } });
  const status = (frame: Frame): Promise<string> => frame.locator(".decision-bar .status").innerText();

  before(async () => {
    await ensureChromium();
    cpSync(resolve("samples"), folder, { recursive: true });
    const editors = { kind: "llm", provider: "vscode-lm", model: "copilot/gpt-4o" };
    server = await startVsCode({ which, folder, vsix: await packageOnce(), settings: { "tracemark.monitors.configured": { editors } } });
    workbench = await openWorkbench(server, { theme: "Default Dark Modern" });
  });
  after(async () => {
    await workbench?.close();
    await server?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  // The window is a remote one: it takes nothing of scope "machine" from the settings of the user.
  test(`${which}: where the editor offers no model, a monitor of the user's settings that asks one says so and what it takes, and sends nothing`, async () => {
    await workbench.choose("Tracemark: Run a monitor over samples…", "editors", "Evidence", "Everything");
    await workbench.notification(which === "floor" ? /editors.* cannot run: The editor offers no language model\. In VS Code 1\.100\.3 they come from GitHub Copilot alone: sign in there, or update to 1\.104/ : /editors.* cannot run: The editor offers no language model; install an extension/);
    assert.equal(readdirSync(join(folder, "runs")).some((name) => name.includes("editors")), false);
    await workbench.command("Notifications: Clear All Notifications");
  });

  test(`${which}: a log opens as a transcript with its recorded evidence`, async () => {
    await workbench.openFile("swe-agent/split-bill-1.traj");
    const frame = await view();
    await frame.getByText("Please solve this issue in the repository").first().waitFor();
    assert.match(await frame.locator("header, .header").first().innerText(), /SWE-agent[\s\S]*26 steps/);
    await frame.locator(".finding").first().waitFor();
    assert.equal(await frame.locator(".finding").count(), 3);
  });

  test(`${which}: the rules monitor runs by its key and its quotes are highlighted where they stand`, async () => {
    const frame = await view();
    await focusTranscript(frame);
    await workbench.press("r");
    await eventually("verdict line", () => frame.locator(".verdict-line").innerText(), (text) => /misbehavior/.test(text) && /rules/.test(text));
    await focusTranscript(frame);
    await workbench.press("n");
    const mark = frame.locator(".mark-evidence").first();
    await mark.waitFor();
    assert.ok((await frame.locator(".mark-evidence").allInnerTexts()).join("").includes("known"));
    const runs = readdirSync(join(folder, "runs")).filter((name) => name.startsWith("editor-rules-"));
    assert.equal(runs.length, 1);
    const lines = wholeLines<{ type: string; outcome?: string; sample_id?: string }>(join(folder, "runs", runs[0] ?? ""));
    assert.deepEqual(lines.map(({ type, outcome, sample_id }) => [type, outcome, sample_id]), [["run", undefined, undefined], ["verdict", "misbehavior", "split-bill-1"]]);
  });

  test(`${which}: confirming asks once who labels, and the record is on disk before the view says saved`, async () => {
    const frame = await view();
    await focusTranscript(frame);
    await workbench.press("c");
    await workbench.type("tester");
    await eventually("status", () => status(frame), (text) => /saved/i.test(text));
    const [record] = records();
    assert.equal(records().length, 1);
    assert.deepEqual([record?.sample_id, record?.label, record?.annotator, record?.action, record?.categories], ["split-bill-1", "misbehavior", "tester", "confirm", ["specification_gaming"]]);
    await workbench.waitForTab({ name: "split-bill-1.traj", dirty: false });
  });

  test(`${which}: undo after saving takes the label back with a retraction, redo gives it again`, async () => {
    const frame = await view();
    await focusTranscript(frame);
    await workbench.press("ControlOrMeta+Z");
    await eventually("retraction", records, (found) => found.length === 2);
    assert.deepEqual([records()[1]?.retracted, records()[1]?.label], [true, null]);
    await eventually("status", () => status(frame), (text) => /pending/i.test(text));
    await focusTranscript(frame);
    await workbench.press("ControlOrMeta+Shift+Z");
    await eventually("label again", records, (found) => found.length === 3);
    assert.equal(records()[2]?.label, "misbehavior");
  });

  test(`${which}: correcting writes a record that supersedes the one before`, async () => {
    const frame = await view();
    await focusTranscript(frame);
    await workbench.press("b");
    await eventually("correction", records, (found) => found.length === 4);
    const found = records() as (Record_ & { id: string })[];
    assert.deepEqual([found[3]?.label, found[3]?.supersedes, found[3]?.action], ["benign", found[2]?.id, "decide"]);
    await eventually("status", () => status(frame), (text) => /saved/i.test(text));
  });

  test(`${which}: keys are dead while typing a note, and in the explorer and in Search`, async () => {
    const before = records().length;
    const frame = await view();
    await focusTranscript(frame);
    await workbench.press("e");
    await eventually("focus in the note", () => frame.evaluate(() => document.activeElement?.tagName ?? ""), (tag) => /text-?area/i.test(tag));
    for (const key of ["c", "b", "m", "u", "1", "r"]) await workbench.press(key);
    assert.match(await frame.evaluate(() => (document.activeElement as HTMLTextAreaElement).value), /cbmu1r/);
    await workbench.press("ControlOrMeta+Z");
    await workbench.page.locator(".explorer-folders-view .monaco-list-row").first().click();
    for (const key of ["m", "u", "b"]) await workbench.press(key);
    await workbench.press("ControlOrMeta+Shift+F");
    await focusIn(".search-view");
    for (const key of ["m", "u"]) await workbench.press(key);
    await new Promise((done) => setTimeout(done, 1500));
    const decided = records().slice(before).filter((record) => record.label !== "benign");
    assert.deepEqual(decided, []);
    await workbench.press("ControlOrMeta+Shift+E");
    // A view that takes the focus late would take the next test's keys.
    await focusIn(".explorer-folders-view");
  });

  test(`${which}: what is typed right after asking for find is searched for, and never a decision`, async () => {
    const before = records().length;
    const frame = await view();
    await focusTranscript(frame);
    // The focus comes from the explorer: keys are commands once the editor has heard of it, on a slow machine after a while.
    const step = () => frame.locator("article.is-current").getAttribute("data-step-index", { timeout: 2_000 }).catch(() => null);
    const first = await step();
    await eventually("a key that acts", async () => (await workbench.press("j"), step()), (now) => now !== first);
    await workbench.press("Slash", "m", "u", "s", "t");
    await eventually("query", () => frame.locator(".find-field").evaluate((field) => (field as HTMLInputElement).value), (value) => value === "must");
    await eventually("hits", () => frame.locator(".find-count").innerText(), (text) => /\d/.test(text));
    await workbench.press("Escape");
    assert.equal(records().length, before);
  });

  test(`${which}: closed and opened again, the label is there`, async () => {
    await workbench.command("View: Close All Editors").catch(() => undefined);
    const frame = await (async () => {
      await workbench.openFile("swe-agent/split-bill-1.traj");
      return view();
    })();
    await eventually("status", () => status(frame), (text) => /saved/i.test(text));
    assert.equal(await frame.locator(".decision-bar [aria-pressed=true]").innerText().then((text) => text.split("\n")[0]), "Benign");
  });

  test(`${which}: a label moves the corrected rates in the score view, and leaves the original ones`, async () => {
    await workbench.openFile("mini-swe-agent/rename-weight-1.traj.json");
    const log = await view();
    await focusTranscript(log);
    await workbench.press("m");
    await eventually("status", () => status(log), (text) => /saved/i.test(text));
    await workbench.command("Tracemark: Open the score view");
    // Which group has the focus after the palette differs between versions: the view is found by its name.
    const named = async (): Promise<Frame | undefined> => {
      for (const candidate of workbench.page.frames()) {
        if ((await candidate.evaluate(() => document.body?.dataset["view"]).catch(() => undefined)) === "score") return candidate;
      }
      return undefined;
    };
    const frame = await eventually("score view", named, (found) => found !== undefined, 60_000);
    assert.ok(frame);
    const row = await eventually("row of guard-evidence", () => frame.locator("tr", { hasText: "guard-evidence" }).first().innerText({ timeout: 2_000 }).catch(() => ""), (text) => /0\.28/.test(text), 60_000);
    // As shipped, guard-evidence has 4/19 and 7/20 on the original gold and 3/19 and 6/19 on the corrected one. The label
    // turns rename-weight-1, which it flagged, from benign into misbehavior: 3/20 and 5/18.
    for (const value of ["0.21", "0.15", "0.35", "0.28"]) assert.ok(row.includes(value), `${value} in ${row}`);
  });
}
