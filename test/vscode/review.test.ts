/** A review in a real VS Code: a plan made, samples judged blind by keys alone, undo back to the sample it changes, a server killed in the middle, and a reveal that the next label owns up to. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Frame } from "playwright-core";
import { eventually, Session, wholeLines } from "./session";

interface LabelRecord {
  sample_id: string; label: string | null; plan_id?: string; blind: boolean; seen: string[]; seconds?: number; quick?: boolean; action?: string;
  retracted?: boolean; skipped?: boolean; supersedes?: string; id: string; guideline_sha256?: string;
}

let session: Session;
let frame: Frame;
let planned: string[] = [];
let planId = "";

const records = (): LabelRecord[] => session.labels() as unknown as LabelRecord[];
const place = (n: number): Promise<string> => eventually(`item ${n}`, () => frame.locator(".session-place").innerText({ timeout: 2000 }).catch(() => ""), (text) => text === `Item ${n} of 5`);
const drawn = async (n: number): Promise<void> => {
  await place(n);
  await frame.locator(".row").first().waitFor();
};

before(async () => {
  session = await Session.start();
});
after(() => session?.end());

test("a plan is made by answering what the command asks", async () => {
  const { workbench } = session;
  await workbench.command("Tracemark: New plan…");
  await workbench.pick("Random");
  await workbench.type("5");
  await workbench.type("11");
  await workbench.type("tester");
  await workbench.pick("Blind");
  const [name] = await eventually("plan file", () => { try { return readdirSync(join(session.folder, "plans")); } catch { return []; } }, (names) => names.length === 1);
  const [header, ...items] = wholeLines<Record<string, unknown>>(join(session.folder, "plans", name ?? ""));
  planId = String(header?.["plan_id"]);
  planned = items.map((item) => String(item["sample_id"]));
  assert.deepEqual([header?.["strategy"], header?.["seed"], header?.["probability"], header?.["blind"], header?.["annotators"]], ["random", 11, true, true, ["tester"]]);
  assert.equal(planned.length, 5);
});

test("the session shows the first item and nothing that tells", async () => {
  const { workbench } = session;
  await workbench.command("Tracemark: Start review…");
  await workbench.pick(planId);
  await workbench.waitForTab({ name: "Review" });
  frame = await session.view();
  await drawn(1);
  const html = await frame.content();
  for (const word of [...planned, "guard-evidence", "guard-direct", planId]) assert.ok(!html.includes(word), word);
  assert.equal(await frame.locator(".decision-confirm[disabled]").count(), 1);
  assert.equal(await frame.locator(".original, .monitor, .finding").count(), 0);
});

test("three samples are judged by keys alone, each record blind, of the plan, with its time", async () => {
  await session.keys(frame, "m");
  await drawn(2);
  await session.workbench.press("b");
  await drawn(3);
  await session.workbench.press("Shift+S");
  await drawn(4);
  await session.workbench.press("u");
  await drawn(5);
  const found = records();
  assert.deepEqual(found.map(({ sample_id, label }) => [sample_id, label]), [[planned[0], "misbehavior"], [planned[1], "benign"], [planned[2], null], [planned[3], "unsure"]]);
  for (const record of found) assert.deepEqual([record.plan_id, record.blind, record.seen], [planId, true, []]);
  assert.equal(found[2]?.skipped, true);
  for (const at of [0, 1, 3]) {
    assert.ok((found[at]?.seconds ?? 0) > 0, `seconds of ${at}`);
    assert.equal(found[at]?.quick ?? false, (found[at]?.seconds ?? 0) < 2);
    assert.equal(found[at]?.action, "decide");
    assert.match(found[at]?.guideline_sha256 ?? "", /^[0-9a-f]{64}$/);
  }
  assert.match(await frame.locator(".session-bar").innerText(), /2 decided · 1 unsure · 1 skipped/);
  await session.workbench.waitForTab({ name: "Review", dirty: false });
});

test("undo takes the last decision back and shows the sample it was made on; again, and the one before", async () => {
  const { workbench } = session;
  const before = records().length;
  await workbench.press("ControlOrMeta+Z");
  await drawn(4);
  await eventually("retraction", records, (found) => found.length === before + 1);
  assert.deepEqual([records().at(-1)?.sample_id, records().at(-1)?.retracted, records().at(-1)?.plan_id], [planned[3], true, planId]);
  await workbench.press("ControlOrMeta+Z");
  await drawn(3);
  await workbench.press("ControlOrMeta+Z");
  await drawn(2);
  await eventually("two more", records, (found) => found.length === before + 3);
  assert.deepEqual(records().slice(-2).map(({ sample_id, retracted }) => [sample_id, retracted]), [[planned[2], true], [planned[1], true]]);
  await eventually("status", () => frame.locator(".decision-bar .status").innerText(), (text) => /pending/i.test(text));
});

test("a server that is killed loses nothing: the label is on disk, and the next sample comes", async () => {
  const before = records().length;
  for (const { pid } of await session.server.processes("server.cjs")) process.kill(pid, "SIGKILL");
  await session.workbench.press("m");
  const found = await eventually("record", records, (all) => all.length === before + 1);
  assert.deepEqual([found.at(-1)?.sample_id, found.at(-1)?.label, found.at(-1)?.blind], [planned[1], "misbehavior", true]);
  await drawn(3);
});

test("after deciding, what was withheld can be looked at, and a change then says what was seen", async () => {
  const { workbench } = session;
  await workbench.press("BracketLeft");
  await drawn(2);
  await workbench.press("Shift+R");
  await eventually("verdict", () => frame.locator(".verdict-line").innerText(), (text) => /guard|rules/.test(text));
  const before = records().at(-1);
  await workbench.press("b");
  const found = await eventually("change", records, (all) => all.at(-1)?.id !== before?.id);
  const last = found.at(-1);
  assert.deepEqual([last?.sample_id, last?.label, last?.blind, last?.supersedes], [planned[1], "benign", false, before?.id]);
  assert.ok(last?.seen.includes("verdict") && last.seen.includes("original"), JSON.stringify(last?.seen));
});
