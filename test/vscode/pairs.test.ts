/** A pair is made in VS Code: the counterpart is written and listed, a step is edited, undone and saved, and the pair view shows the difference. */
import assert from "node:assert/strict";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Frame } from "playwright-core";
import { eventually, Session, wholeLines } from "./session";

let session: Session;
before(async () => {
  session = await Session.start({
    settings: { "files.autoSave": "off" },
    prepare: (folder) => copyFileSync(join(folder, "swe-agent", "split-bill-1.traj"), join(folder, "swe-agent", "loose.traj")),
  });
});
after(() => session?.end());

interface AtifFile { readonly schema_version: string; readonly steps: readonly { readonly source: string; readonly message: string }[] }

const lines = (name: string): Record<string, unknown>[] => wholeLines<Record<string, unknown>>(join(session.folder, name));
const atif = (): AtifFile => JSON.parse(readFileSync(join(session.folder, "authored", "loose-2.atif.json"), "utf8")) as AtifFile;
const isDirty = async (): Promise<boolean> => (await session.workbench.tabs()).some(({ name, dirty }) => name === "loose-2.atif.json" && dirty);

/** The frame of the view, once the active editor is it. */
async function viewOf(name: "authored" | "pair", selector: string): Promise<Frame> {
  for (let n = 0; ; n++) {
    // The frame of the editor before may go away while it is looked at.
    const frame = await session.workbench.webview().catch(() => undefined);
    if ((await frame?.evaluate(() => document.body.dataset["view"]).catch(() => undefined)) === name) {
      await frame!.locator(selector).first().waitFor();
      return frame!;
    }
    assert.ok(n < 100, `the ${name} view does not come`);
    await new Promise((done) => setTimeout(done, 300));
  }
}

test("a pair is made, edited, undone, saved and shown", async () => {
  const { workbench } = session;
  await session.open("swe-agent/loose.traj");
  const source = readFileSync(join(session.folder, "swe-agent", "loose.traj"));
  // Its log carries no label, so the class of the counterpart is asked for.
  await workbench.choose("Tracemark: New pair from this sample", "Misbehavior");
  const view = await viewOf("authored", ".step-editor");
  assert.deepEqual(lines("pairs.samples.jsonl"), [
    { id: "swe-agent/loose.traj", pair_id: "loose", path: "swe-agent/loose.traj", label: "benign", label_origin: "author", status: "draft" },
    { id: "loose-2", pair_id: "loose", label: "misbehavior", label_origin: "author", authored: { by: "tester", method: "edited" }, status: "draft", path: "authored/loose-2.atif.json" },
  ]);
  assert.deepEqual((JSON.parse(readFileSync(join(session.folder, "tracemark.json"), "utf8")) as { samples: string[] }).samples, ["pairs.samples.jsonl", "benchmark.samples.jsonl"]);
  assert.equal(atif().schema_version, "ATIF-v1.6");
  const before = readFileSync(join(session.folder, "authored", "loose-2.atif.json"), "utf8");
  const words = atif().steps[1]?.message ?? "";
  assert.match(words, /^Please solve this issue/);

  const field = view.locator('[data-step="1"] .part-field').first();
  await field.click();
  await workbench.press("Control+End");
  await workbench.page.keyboard.type(" Be careful.");
  await eventually("dirty", isDirty, Boolean);
  assert.equal(readFileSync(join(session.folder, "authored", "loose-2.atif.json"), "utf8"), before);
  await workbench.press("Control+z");
  await eventually("undone", () => field.inputValue(), (text) => text === words);
  await eventually("clean", isDirty, (dirty) => !dirty);
  await workbench.press("Control+Shift+z");
  await eventually("redone", () => field.inputValue(), (text) => text === `${words} Be careful.`);
  await workbench.press("Control+s");
  await eventually("saved", () => atif().steps[1]?.message, (text) => text === `${words} Be careful.`);
  await eventually("clean", isDirty, (dirty) => !dirty);
  // One line of the file is another one, and nothing else.
  const [old, now] = [before.split("\n"), readFileSync(join(session.folder, "authored", "loose-2.atif.json"), "utf8").split("\n")];
  assert.equal(now.length, old.length);
  assert.equal(now.filter((line, n) => line !== old[n]).length, 1);
  assert.deepEqual(readFileSync(join(session.folder, "swe-agent", "loose.traj")), source);

  await workbench.command("Tracemark: Open the pair");
  const pair = await viewOf("pair", ".pair-row");
  assert.equal(await pair.locator(".half ins").allInnerTexts().then((all) => all.join("").trim()), "Be careful.");
  assert.equal(await pair.locator(".half del").count(), 0);
  assert.deepEqual(await pair.locator(".half-head h2").allInnerTexts(), ["swe-agent/loose.traj", "loose-2"]);
  const codes = await pair.locator(".pair-findings code").allInnerTexts();
  // The request is what was changed.
  assert.ok(codes.includes("pair-request") && !codes.includes("bad-pair"), codes.join());
  assert.equal((await pair.locator(".status-chip").innerText()).trim(), "draft");
});

test("a recorded trajectory is refused in words", async () => {
  const { workbench } = session;
  await session.open("swe-agent/split-bill-2.traj");
  await workbench.command("Tracemark: New pair from this sample");
  await workbench.notification(/half of the pair split-bill already/);
});
