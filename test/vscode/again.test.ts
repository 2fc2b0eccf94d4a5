/** Saying it again in a real VS Code, by keys: a label carried over to a log that was made anew, and a disagreement settled. */
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Frame } from "playwright-core";
import { eventually, Session } from "./session";

interface Span { exact: string; step: number; moved?: boolean; origin: string }
interface LabelRecord {
  id: string; sample_id: string; label: string | null; blind: boolean; seen: string[]; supersedes?: string; adjudicates?: string[]; seconds?: number; spans?: Span[]; orphaned_spans?: Span[]; content_sha256?: string;
}

let session: Session;
const log = "again/flaky.trajectory.json";
const kept = "special-case the value that the test expects";
const gone = "Then I say that everything passes";
const said = (words: string, first: string[] = []): string => JSON.stringify({
  messages: [{ role: "user", content: "Fix the flaky test in the suite." }, ...first.map((content) => ({ role: "assistant", content })), { role: "assistant", content: words }, { role: "user", content: "Go on." }, { role: "assistant", content: "All tests pass now." }],
});
const records = (): LabelRecord[] => session.labels() as unknown as LabelRecord[];

before(async () => {
  session = await Session.start({
    prepare(folder) {
      mkdirSync(join(folder, "again"));
      writeFileSync(join(folder, log), said(`I could ${kept}. It is quick. ${gone}, which it does not.`));
      appendFileSync(join(folder, "labels", "tester.jsonl"), `${JSON.stringify({
        id: "01M00000000000000000000001", sample_id: "split-bill-1", annotator: "tester", created_at: "2026-04-01T10:00:00.000Z", label: "benign", blind: true, seen: [],
      })}\n`);
    },
  });
});
after(() => session?.end());

/** Selects words of the transcript as a mouse would, with the focus where keys are commands. */
async function select(frame: Frame, words: string): Promise<void> {
  await frame.evaluate((wanted) => {
    const walker = document.createTreeWalker(document.querySelector(".transcript")!, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.textContent?.indexOf(wanted) ?? -1;
      if (at >= 0) return document.getSelection()!.setBaseAndExtent(node, at, node, at + wanted.length);
    }
    throw new Error(`${wanted} is not drawn`);
  }, words);
}

test("a log made anew: what is stale is said, spans go where their words are, what is gone is kept, and the decision is made again", async () => {
  const { workbench } = session;
  const frame = await session.open(log);
  await session.keys(frame);
  for (const words of [kept, gone]) {
    const count = await frame.locator(".spans li").count();
    await select(frame, words);
    await workbench.press("s");
    await eventually("span", () => frame.locator(".spans li").count(), (n) => n === count + 1);
  }
  await workbench.press("m");
  await session.status(frame, /saved/i);
  const first = records().at(-1);
  assert.deepEqual([first?.sample_id, first?.label, first?.spans?.map(({ exact }) => exact)], [log, "misbehavior", [kept, gone]]);
  writeFileSync(join(session.folder, log), said(`I could ${kept}. But I mend the race instead.`, ["First I look at what fails."]));
  const notice = await eventually("notice", () => frame.locator(".is-kept").innerText({ timeout: 2000 }).catch(() => ""), (text) => /another version/.test(text));
  assert.match(notice, /misbehavior.* 0 in place, 1 moved, 1 gone/);
  assert.deepEqual(await frame.locator(".orphan del").allInnerTexts(), [gone]);
  await session.keys(frame);
  await workbench.press("Shift+C");
  const carried = (await eventually("carried", records, (all) => all.at(-1)?.id !== first?.id)).at(-1);
  assert.deepEqual(
    [carried?.label, carried?.supersedes, carried?.spans?.map(({ exact, step, moved }) => [exact, step, moved]), carried?.orphaned_spans?.map(({ exact }) => exact)],
    [null, first?.id, [[kept, (first?.spans?.[0]?.step ?? 0) + 1, true]], [gone]]);
  assert.notEqual(carried?.content_sha256, first?.content_sha256);
  await workbench.press("m");
  const again = (await eventually("decided again", records, (all) => all.at(-1)?.id !== carried?.id)).at(-1);
  assert.deepEqual([again?.label, again?.supersedes, again?.spans?.length, again?.orphaned_spans?.map(({ exact }) => exact)], ["misbehavior", carried?.id, 1, [gone]]);
  await eventually("no notice", () => frame.locator(".is-kept").count(), (n) => n === 0);
  assert.deepEqual(await frame.locator(".orphan del").allInnerTexts(), [gone]);
});

test("a disagreement is settled by the key of a side", async () => {
  const { workbench } = session;
  await workbench.command("Tracemark: Adjudicate disagreements");
  await workbench.waitForTab({ name: "Adjudication" });
  const frame = await session.view();
  await eventually("sides", () => frame.locator(".side").count(), (n) => n === 2);
  const label = await frame.locator(".side strong").first().innerText();
  const before = records().length;
  await session.keys(frame, "Shift+A");
  const record = (await eventually("adjudication", records, (all) => all.length === before + 1)).at(-1);
  assert.deepEqual([record?.sample_id, record?.label, record?.adjudicates?.length], ["cubic-root-2", label.toLowerCase(), 2]);
  assert.ok((record?.seconds ?? 0) > 0, "the time that it took");
  await workbench.press("ControlOrMeta+Z");
  await eventually("taken back", records, (all) => all.length === before + 2);
});
