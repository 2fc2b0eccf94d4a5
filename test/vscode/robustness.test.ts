/** What goes wrong in a real VS Code: odd, damaged and growing files, a reader chosen by hand, labels that cannot be written, two editors on one file, a reload in the middle of a note. */
import assert from "node:assert/strict";
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Frame } from "playwright-core";
import { sharedFile, sharedPath } from "../support/shared";
import { eventually, Session } from "./session";

let session: Session;

/** Files that are no trajectory, or half of one, in a folder of their own. */
function writeOddFiles(folder: string): void {
  const bill = readFileSync(join(folder, "swe-agent", "split-bill-1.traj"), "utf8");
  const files: Record<string, string | Uint8Array> = {
    "empty.traj": "",
    "binary.traj": Uint8Array.from({ length: 4096 }, (_, n) => (n * 7919 + (n >> 3) * 104729) & 0xff),
    "other.json": '{"name": "x", "version": 1}',
    "half.traj": bill.slice(0, bill.indexOf("so I will answer")),
    "utf16.traj": Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(bill, "utf16le")]),
    "line.json": JSON.stringify({ messages: [{ role: "user", content: `${"x ".repeat(1 << 20)}end` }, { role: "assistant", content: "done" }] }),
  };
  mkdirSync(join(folder, "odd"));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, "odd", name), content);
}

/** The `n`th line of a chat that is logged while it goes on. */
const message = (n: number) => `${JSON.stringify({ role: n % 2 ? "assistant" : "user", content: `message ${n} ${"and some more words ".repeat(20)}` })}\n`;

before(async () => {
  session = await Session.start({
    settings: { "workbench.editorAssociations": { "**/hard/*": "tracemark.editorOption", "**/odd/*": "tracemark.editorOption", "**/still/*": "tracemark.editorOption" } },
    prepare: (folder) => {
      const hard = sharedPath("trajectories/hard");
      if (hard) cpSync(hard, join(folder, "hard"), { recursive: true });
      writeOddFiles(folder);
      mkdirSync(join(folder, "still"));
      writeFileSync(join(folder, "still", "growing.jsonl"), Array.from({ length: 30 }, (_, n) => message(n)).join(""));
      writeFileSync(join(folder, "still", "choice.jsonl"), `${JSON.stringify({ messages: [{ role: "user", content: "Which reader?" }, { role: "assistant", content: "The one that you choose." }] })}\n`);
    },
  });
});
after(() => session?.end());

/** Opens a file, whatever is in it, and waits until the page says `pattern` below its header. */
async function shows(path: string, pattern: RegExp): Promise<Frame> {
  await session.workbench.openFile(path);
  const frame = await session.workbench.webview();
  await eventually(`content of ${path}`, () => frame.locator(".main").innerText({ timeout: 1000 }).catch(() => ""), (text) => pattern.test(text.replace(/\s+/g, " ")));
  return frame;
}

const hardInputs: Record<string, RegExp> = {
  "01": /List the two largest files\..*Looking\./,
  "02": /Looking\..*Go on please\..*Done: build\.log and core\.bin\./,
  "03": /first half.{1,3}second half.{1,3}third part.{1,4}fourth part.*one message with odd separators/,
  "04": /212 tok.*I will run both checks at once\..*make lint.*make test.*Lint passes, one test fails\..*lint ok.*1 failed/,
  "05": /raw byte was . and half an emoji . end.*pair: 🚀, broken:/,
  "06": /the words NaN and Infinity.*scores\.mse\.value NaN scores\.lo\.value -Infinity scores\.hi\.value Infinity/,
  "07": /plain string.*a single part, not a list.*brand_new_part/,
  "08": /first record after a byte order mark.*line one line two/,
  "09": /hi.*Hello\. What shall I do\?.*Hello again\./,
  "10": /start .* then rm -rf build and stop/,
  "11": /FAILED 1 of 3 10%.*55%.*bell.?BEL.*nul.?NUL.*RLO.?gnp\.exe.*<script>alert\(1\)<\/script> & <b>not bold<\/b>/,
  "12": /chat demo/,
};

test("each of the twelve hard inputs opens with its content", async (t) => {
  if (!sharedFile(t, "trajectories/hard")) return;
  const names = readdirSync(join(session.folder, "hard")).sort();
  assert.deepEqual(names.map((name) => name.slice(0, 2)), Object.keys(hardInputs).sort());
  for (const name of names) {
    const frame = await shows(`hard/${name}`, hardInputs[name.slice(0, 2)]!);
    // Markup of a log stays text.
    assert.equal(await frame.locator(".main script, .main b").count(), 0, name);
    if (/^0[12]/.test(name)) {
      assert.match((await frame.locator(".notice.is-damage").allInnerTexts()).join(" "), /line 3\b/i);
    }
  }
  await session.workbench.command("View: Close All Editors");
});

test("empty, binary and other files say what they are; half a file and other encodings show what they hold", async () => {
  await shows("odd/binary.traj", /odd\/binary\.traj: The file is .*binary, not a trajectory/);
  await shows("odd/other.json", /odd\/other\.json: The file is readable JSON, but no list of messages was found in it/);
  const half = await shows("odd/half.traj", /I start with an overview of the repository/);
  assert.match((await half.locator(".notice.is-damage").allInnerTexts()).join(" "), /The JSON ends inside a string at line \d+, .*what stands before it was read/);
  const utf16 = await shows("odd/utf16.traj", /Please solve this issue in the repository/);
  assert.match(await utf16.locator(".facts-line").innerText(), /26 steps/);
  await shows("odd/line.json", /1 line · 2\.0 MB x x x.* done/);
  // The empty file gets content: it is shown without being opened again.
  const empty = await shows("odd/empty.traj", /odd\/empty\.traj: The file is empty; open it with the text editor.*was not changed/);
  writeFileSync(join(session.folder, "odd", "empty.traj"), readFileSync("samples/swe-agent/split-bill-2.traj"));
  await empty.getByText("Please solve this issue in the repository").first().waitFor();
  await session.workbench.command("View: Close All Editors");
});

test("a label that cannot be written stays in view as failed, in words, and is written by retry once the way is free", async () => {
  const file = join(session.folder, "labels", "tester.jsonl");
  mkdirSync(file);
  const frame = await session.open("swe-agent/split-bill-1.traj");
  await session.keys(frame, "b");
  assert.match(await session.status(frame, /failed:/i), /folder stands where the file is expected; move it away, then try again/);
  assert.equal(await frame.locator(".decision-bar [aria-pressed=true]").innerText().then((text) => text.split("\n")[0]), "Benign");
  rmdirSync(file);
  await frame.getByText("Retry", { exact: true }).click();
  await session.status(frame, /saved \d/i);
  assert.deepEqual(session.labels().map(({ sample_id, label }) => [sample_id, label]), [["split-bill-1", "benign"]]);
  await session.workbench.waitForTab({ name: "split-bill-1.traj", dirty: false });
});

test("a label file of somebody else whose name makes the same file name is left alone", async () => {
  const file = join(session.folder, "labels", "tester.jsonl");
  const own = readFileSync(file, "utf8");
  writeFileSync(file, own.replaceAll('"annotator":"tester"', '"annotator":"TESTER"'));
  const frame = await session.open("swe-agent/split-bill-2.traj");
  await session.keys(frame, "m");
  assert.match(await session.status(frame, /failed:/i), /TESTER/);
  assert.equal(readFileSync(file, "utf8").includes("split-bill-2"), false);
  writeFileSync(file, own);
  await frame.getByText("Retry", { exact: true }).click();
  await session.status(frame, /saved \d/i);
  assert.deepEqual(session.labels().map(({ sample_id, label }) => [sample_id, label]), [["split-bill-1", "benign"], ["split-bill-2", "misbehavior"]]);
});

/** Types into the note of the view and resolves with the field's frame. */
async function note(frame: Frame, text: string): Promise<void> {
  await session.keys(frame, "e");
  await eventually("focus in the note", () => frame.evaluate(() => document.activeElement?.className ?? ""), (name) => /note-field/.test(name));
  await session.workbench.page.keyboard.type(text);
}
const noteIn = (frame: Frame): Promise<string> => frame.locator(".note-field").first().evaluate((element) => (element as HTMLInputElement).value);

test("saving while a note is being typed writes it, as a record without a decision", async () => {
  const before = session.labels().length;
  const frame = await session.open("mini-swe-agent/rename-weight-1.traj.json");
  await note(frame, "reads twice, cm!");
  await session.workbench.press("ControlOrMeta+S");
  await session.status(frame, /saved \d/i);
  await session.workbench.waitForTab({ name: "rename-weight-1.traj.json", dirty: false });
  assert.deepEqual(session.labels().slice(before).map(({ sample_id, label, note: text }) => [sample_id, label, text]), [["rename-weight-1", null, "reads twice, cm!"]]);
});

test("two editors on one file keep in step: a decision, a draft and its undo show in both", async () => {
  await session.workbench.command("View: Close All Editors");
  await session.open("atif/webhook-env-1.atif.json");
  await session.workbench.command("View: Split Editor");
  const views = await eventually("two views", async () => {
    const frames = session.workbench.page.frames();
    const drawn = await Promise.all(frames.map((frame) => frame.locator(".decision-bar").count().catch(() => 0)));
    return frames.filter((_, n) => drawn[n]! > 0);
  }, (frames) => frames.length === 2);
  for (const frame of views) await frame.locator(".row").first().waitFor();
  const active = await session.view();
  const other = views.find((frame) => frame !== active)!;
  await session.keys(active, "u");
  for (const frame of views) {
    await session.status(frame, /saved \d/i);
    assert.match(await frame.locator(".decision-bar [aria-pressed=true]").innerText(), /^Unsure/);
  }
  await note(active, "seen by both");
  await eventually("note in the other", () => noteIn(other), (text) => text === "seen by both");
  await session.status(other, /draft/i);
  await session.keys(other, "ControlOrMeta+Z");
  for (const frame of views) {
    await eventually("note taken back", () => noteIn(frame), (text) => text === "");
    await session.status(frame, /saved \d/i);
  }
  await session.workbench.command("View: Close All Editors");
});

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

test("a note that is not saved comes back after the window is reloaded", async () => {
  const frame = await session.open("swe-agent/split-bill-2.traj");
  await note(frame, "not saved yet");
  await session.workbench.waitForTab({ name: "split-bill-2.traj", dirty: true });
  const before = session.labels().length;
  // A backup is written about two seconds after the edit; what the window needs to find it again lies in the browser a while later.
  await eventually("backup", () => filesBelow(join(session.server.userDataDir, "User", "workspaceStorage")).some((file) => readFileSync(file).includes('"not saved yet"')), (there) => there);
  await new Promise((done) => setTimeout(done, 10_000));
  await session.workbench.reload();
  await session.workbench.waitForTab({ name: "split-bill-2.traj", dirty: true });
  const fresh = await session.view();
  await eventually("note", () => noteIn(fresh), (text) => text === "not saved yet");
  await session.status(fresh, /draft/i);
  assert.equal(session.labels().length, before);
  // The decision that was on disk is still there, and saving the draft keeps it.
  assert.match(await fresh.locator(".decision-bar [aria-pressed=true]").innerText(), /^Misbehavior/);
  await session.keys(fresh, "ControlOrMeta+S");
  await session.status(fresh, /saved \d/i);
  assert.deepEqual(session.labels().slice(before).map(({ sample_id, label, note: text }) => [sample_id, label, text]), [["split-bill-2", "misbehavior", "not saved yet"]]);
});

test("a file that is moved away while it is open says so, and is back when it is back", async () => {
  const frame = await session.open("atif/cache-speedup-2.atif.json");
  const path = join(session.folder, "atif", "cache-speedup-2.atif.json");
  renameSync(path, `${path}.away`);
  await session.workbench.command("Tracemark: Restart the language server");
  await frame.getByText(/cache-speedup-2\.atif\.json: there is no such file/).first().waitFor();
  // Seen to be back by the watcher, or read again when asked; whichever comes first.
  renameSync(`${path}.away`, path);
  await Promise.race([frame.getByText("Reload", { exact: true }).click().catch(() => undefined), frame.locator(".row").first().waitFor()]);
  await frame.locator(".row").first().waitFor();
  rmSync(`${path}.away`, { force: true });
});

test("a manifest's trajectory follows its own file", async () => {
  const frame = await session.open("benchmark.samples.jsonl");
  const file = join(session.folder, "swe-agent", "split-bill-1.traj");
  const before = readFileSync(file, "utf8");
  const text = "Please solve this issue in the repository";
  assert.ok(before.includes(text));
  await frame.getByText(text).first().waitFor();
  writeFileSync(file, before.replaceAll(text, "Kindly solve this issue in the repository"));
  await frame.getByText("Kindly solve this issue in the repository").first().waitFor();
  writeFileSync(file, before);
  await frame.getByText(text).first().waitFor();
});

const facts = (frame: Frame) => frame.locator(".facts-line").innerText();

/** The last step that is in sight. */
const lastStep = (frame: Frame) => frame.evaluate(() => {
  const { bottom } = document.querySelector(".transcript")!.getBoundingClientRect();
  const inSight = [...document.querySelectorAll<HTMLElement>("article[data-step-index]")].filter((step) => step.getBoundingClientRect().top < bottom);
  return Number(inSight.at(-1)?.dataset["stepIndex"] ?? -1);
});

test("lines that another program appends come in, and a view at the end stays there", async () => {
  const frame = await session.open("still/growing.jsonl");
  assert.match(await facts(frame), /30 steps/);
  const toEnd = () => frame.evaluate(() => document.querySelector(".transcript")!.scrollTo({ top: 1e9 }));
  await eventually("the end", async () => (await toEnd(), lastStep(frame)), (step) => step === 29);
  const file = join(session.folder, "still", "growing.jsonl");
  // Half a line is no step until the rest of it is there.
  const next = message(30);
  appendFileSync(file, next.slice(0, 40));
  appendFileSync(file, next.slice(40) + message(31) + message(32));
  await eventually("33 steps", () => facts(frame), (text) => text.includes("33 steps"));
  await eventually("the new end", () => lastStep(frame), (step) => step === 32);
  for (let n = 33; n < 40; n++) {
    appendFileSync(file, message(n));
    await new Promise((done) => setTimeout(done, 150));
  }
  await eventually("40 steps", () => facts(frame), (text) => text.includes("40 steps"));
  await eventually("the last end", () => lastStep(frame), (step) => step === 39);
});

test("another reader is chosen by hand, and taken back", async () => {
  const frame = await session.open("still/choice.jsonl");
  await eventually("the reader by content", () => facts(frame), (text) => text.includes("OpenAI chat messages"));
  await session.workbench.choose("Tracemark: Choose the format", "ATIF");
  await eventually("another reader", () => frame.locator("body").innerText(), (text) => !text.includes("OpenAI chat messages") && text.includes("ATIF"));
  await session.workbench.choose("Tracemark: Choose the format", "By its content");
  await eventually("the first reader again", () => facts(frame), (text) => text.includes("OpenAI chat messages"));
  assert.match(await frame.locator(".transcript").innerText(), /The one that you choose\./);
  await session.workbench.command("View: Close All Editors");
});

test("a decision leaves the log as it is, though a text editor of it is open", async () => {
  const file = join(session.folder, "latin.json");
  const bytes = Buffer.concat([Buffer.from('{"messages":[{"role":"user","content":"caf'), Buffer.from([0xe9]), Buffer.from(' please"},{"role":"assistant","content":"done"}]}')]);
  writeFileSync(file, bytes);
  await session.workbench.command("View: Close All Editors");
  await session.workbench.openFile("latin.json");
  await session.workbench.page.locator(".editor-instance .view-line").first().waitFor();
  await session.workbench.page.locator(".editor-instance .view-line").first().click();
  await session.workbench.page.keyboard.type("  ");
  await session.workbench.command("Tracemark: Open as trajectory");
  const frame = await session.view();
  await session.keys(frame, "b");
  await session.status(frame, /saved \d/i);
  assert.equal(session.labels().at(-1)?.label, "benign");
  await new Promise((done) => setTimeout(done, 2000));
  assert.deepEqual(readFileSync(file), bytes);
  await session.workbench.command("View: Revert and Close Editor");
  await session.workbench.command("View: Close All Editors");
});
