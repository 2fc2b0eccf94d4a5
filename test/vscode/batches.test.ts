/** Runs over many samples and the editor's own models, in a real VS Code: asked first, watched, paused, cut off by a reload, gone on with. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fakeOpenAI, verdictText, type FakeOpenAI } from "../support/fake-openai";
import { eventually, Session, wholeLines } from "./session";

const bill = "swe-agent/split-bill-1.traj";
const quote = "so I will answer those three directly";
const editors = (model: string) => ({ kind: "llm", provider: "vscode-lm", model, prompting: "evidence", params: { temperature: 0 } });

let session: Session;
let model: FakeOpenAI;
let scratch: string;
const log = (): string => join(scratch, "asked.jsonl");

before(async () => {
  scratch = mkdtempSync(join(tmpdir(), "tracemark-models-"));
  model = await fakeOpenAI({ kind: "text", text: verdictText(false) });
  session = await Session.start({
    monitors: {
      editors: editors("acme/judge"), slow: editors("acme/slow"), blocked: editors("acme/blocked"), failing: editors("acme/failing"), gone: editors("acme/gone"),
      near: { kind: "llm", model: "guard-7b", base_url: model.baseUrl, params: { max_tokens: 100 }, price: { input_per_million: 1, output_per_million: 2 } },
      far: { kind: "llm", model: "guard-7b", base_url: "http://model.example:8123/v1" },
    },
    moreExtensions: ["test/vscode/model-provider"], env: { ACME_MODELS_LOG: log() },
  });
});
after(async () => {
  await session?.end();
  await model?.close();
  rmSync(scratch, { recursive: true, force: true });
});

type Line = Record<string, unknown>;
const asked = (family: string): Line[] => wholeLines<Line>(log()).filter((line) => line["family"] === family);

/** The lines of the newest run of a monitor: header, then verdicts. */
function run(monitor: string): Line[] {
  const folder = join(session.folder, "runs");
  const found = readdirSync(folder).filter((name) => name.endsWith(".jsonl")).map((name) => wholeLines<Line>(join(folder, name))).filter(([header]) => header?.["monitor"] === monitor);
  return found.sort((a, b) => String(a[0]!["created_at"]).localeCompare(String(b[0]!["created_at"]))).at(-1) ?? [];
}

/** As after a restart; the side bar shows what it showed. */
async function reload(): Promise<void> {
  await session.workbench.page.reload();
  await session.workbench.waitForStatus("Tracemark");
}

async function begin(monitor: string, samples: string): Promise<{ message: string; detail: string; buttons: string[] }> {
  await session.workbench.choose("Tracemark: Run a monitor over samples…", monitor, "Evidence", samples);
  const { message, detail, buttons } = await session.workbench.dialog();
  return { message, detail, buttons: buttons.map(String) };
}

test("a model that the editor offers is asked once the person agrees, without a key, and the verdict says who answered", async () => {
  const frame = await session.open(bill);
  await session.chooseMonitor("editors");
  await session.keys(frame, "r");
  const { message, buttons } = await session.workbench.dialog();
  assert.match(message, /Send this trajectory to the models that “acme” offers in this editor\?/);
  assert.deepEqual(buttons.map(String).sort(), ["Cancel", "Send to acme", "Show the exact text"]);
  assert.deepEqual(asked("judge"), []);
  await session.workbench.answerDialog("Send to acme");
  await session.verdict(frame, /misbehavior .*editors/);
  const [header, verdict] = run("editors");
  assert.deepEqual([header?.["provider"], header?.["model"], header?.["endpoint_origin"]], ["vscode-lm", "acme/judge", "vscode-lm"]);
  assert.deepEqual([verdict?.["outcome"], verdict?.["model_returned"], verdict?.["served_by"]], ["misbehavior", "acme-judge", { vendor: "acme", family: "judge", version: "1", name: "Acme judge" }]);
  // The model's own tokenizer, which counts words.
  const usage = verdict?.["usage"] as { input_tokens: number; output_tokens: number };
  assert.ok(usage.input_tokens > 2000 && usage.input_tokens < 6000 && usage.output_tokens === 11, JSON.stringify(usage));
  assert.equal(((verdict?.["detected_categories"] as Line[])[0]?.["evidence"] as string[])[0], quote);
  assert.deepEqual(asked("judge").map((line) => [line["messages"], line["options"]]), [[2, { temperature: 0 }]]);
});

test("a quota that is used up and a model that fails are invalid verdicts with their reason; a model that is not offered is named beside those that are", async () => {
  const frame = await session.view();
  for (const [monitor, reason] of [["blocked", "quota"], ["failing", "model_error"]] as const) {
    await session.chooseMonitor(monitor);
    await session.keys(frame, "r");
    await session.verdict(frame, new RegExp(`no usable answer: ${reason} .*${monitor}`));
    assert.equal(run(monitor).at(-1)?.["reason"], reason);
  }
  assert.match(String(run("blocked").at(-1)?.["message"]), /acme\/blocked takes no more requests: .*the month's quota is used up/);
  await session.chooseMonitor("gone");
  await session.keys(frame, "r");
  await frame.locator("[role=alert]", { hasText: "offers no model “acme/gone”; it offers acme/judge, acme/slow" }).waitFor();
  assert.deepEqual(run("gone"), []);
});

test("a run over everything says what it would send, shows its pace, is paused, cut off by a reload, and goes on without asking twice", async () => {
  const { message, detail, buttons } = await begin("slow", "Everything");
  const total = Number(/over (\d+) samples\?/.exec(message)?.[1]);
  assert.ok(total >= 20, message);
  assert.match(detail, new RegExp(`${total} samples\\s*${total} requests, about [\\d,]+ tokens in, at most about [\\d,]+ out \\(estimated\\)\\s*Cost unknown: the monitor states no price\\.\\s*No cap is set \\(tracemark\\.batches\\.maxCostUsd, maxTokens\\)\\.\\s*The whole transcripts go to the models that “acme” offers in this editor\\.`));
  assert.deepEqual(buttons.sort(), ["Cancel", "Run", "Show the exact text"]);
  assert.deepEqual(asked("slow"), []);
  await session.workbench.answerDialog("Run");
  await session.workbench.waitForStatus(new RegExp(`slow \\d+ of ${total} · [\\d.]+/s · \\d+ (s|min) left`));
  await session.workbench.command("Tracemark: Pause the run");
  await session.workbench.notification("slow is paused");
  const first = run("slow").length - 1;
  assert.ok(first >= 1 && first < total, `${first}`);
  assert.equal(asked("slow").length, first, "what was under way at the pause was written");
  await session.workbench.notification("slow is paused", "Go on");
  await session.workbench.dialog();
  await session.workbench.answerDialog("Go on");
  await eventually("more verdicts", () => run("slow").length - 1, (count) => count > first);
  await reload();
  await eventually("the old server's end", () => session.server.processes("server.cjs"), (found) => found.length <= 1);
  const second = run("slow").length - 1;
  const cutOff = asked("slow").length - second;
  assert.ok(second < total && cutOff >= 0 && cutOff <= 8, `${second} of ${total}, ${cutOff} cut off`);
  await session.workbench.command("View: Show Tracemark");
  await session.workbench.page.locator("[role=treeitem][aria-label*='unfinished'][aria-label^='slow']").first().waitFor();
  await session.workbench.choose("Tracemark: Go on with a run…", "slow");
  await session.workbench.dialog();
  await session.workbench.answerDialog("Go on");
  await session.workbench.notification("slow is done");
  const ids = run("slow").slice(1).map((line) => line["sample_id"]);
  assert.deepEqual([ids.length, new Set(ids).size], [total, total]);
  assert.ok(asked("slow").length >= total && asked("slow").length <= total + cutOff, "only what the reload cut off was asked again");
});

/** All regular files below a folder. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

test("a planted key goes to its endpoint and stands in no setting, log, run file, message or view, even when the endpoint repeats it", async () => {
  const key = "sk-planted-0123456789";
  model.script({ kind: "status", status: 401, message: `Incorrect API key provided: ${key}` }, { kind: "text", text: `${verdictText(true, [quote])} you sent ${key}` });
  await session.workbench.choose("Tracemark: Set the API key of a monitor", model.origin);
  await session.workbench.type(key);
  await session.workbench.notification(`The key is stored for ${model.origin}`);
  const frame = await session.open(bill);
  await session.chooseMonitor("near");
  await session.keys(frame, "r");
  await session.verdict(frame, /no usable answer: http_error .*near/);
  await session.keys(frame, "r");
  await session.verdict(frame, /misbehavior .*near/);
  assert.deepEqual(model.received.map(({ headers }) => headers.authorization), [`Bearer ${key}`, `Bearer ${key}`]);
  const [refused, answered] = run("near").slice(-2);
  assert.match(String(refused?.["message"]), /\[key\]/);
  assert.match(String(answered?.["raw"]), /you sent \[key\]/);
  // What the monitor saw, and answered, by one key.
  await session.keys(frame, "Shift+V");
  await session.workbench.waitForTab({ name: `${String(run("near")[0]?.["run_id"])}.prompt.md` });
  const shown = [await frame.content(), await session.workbench.page.content(), ...(await session.workbench.notifications()).map(({ text }) => text)].join("\n");
  const { folder, server } = session;
  const files = [folder, server.configDir, join(server.userDataDir, "User"), join(server.userDataDir, "logs")].flatMap(filesBelow);
  assert.ok(files.some((file) => file.endsWith("egress.jsonl")) && files.some((file) => file.endsWith("settings.json")) && files.some((file) => file.endsWith(".log")));
  assert.deepEqual(files.filter((file) => readFileSync(file).includes(key)), []);
  assert.equal(shown.includes(key), false);
  await session.workbench.command("View: Close Editor");
  await session.workbench.command("Notifications: Clear All Notifications");
  model.received.length = 0;
  model.script({ kind: "text", text: verdictText(false) });
});

test("an endpoint on this machine: price and place are told, every send is in the egress log, and nothing leaves when it is forbidden", async () => {
  const { detail } = await begin("near", "Everything");
  assert.match(detail, /Cost: about \$0\.\d{4}/);
  assert.match(detail, new RegExp(`The text goes to ${model.origin}, on this machine\\.`));
  await session.workbench.answerDialog("Run");
  await session.workbench.notification("near is done");
  const verdicts = run("near").length - 1;
  assert.equal(model.received.length, verdicts);
  const sent = wholeLines<Line>(join(session.server.configDir, "tracemark", "egress.jsonl"));
  assert.equal(sent.filter((line) => line["origin"] === model.origin && line["monitor"] === "near" && Number(line["bytes"]) > 500 && line["samples"] === 1).length, 2 + verdicts, "the two of the transcript alone, too");
  // A send is logged before it happens: what a reload cuts off in between stands in the log alone.
  const slow = sent.filter((line) => line["origin"] === "vscode-lm:acme" && line["monitor"] === "slow").length - asked("slow").length;
  assert.ok(slow >= 0 && slow <= 8, `${slow} more sends than requests`);
  await session.workbench.command("Tracemark: Show the egress log");
  await session.workbench.waitForTab({ name: "egress.jsonl" });
  await session.server.setSettings({ "tracemark.monitors.forbidEgress": true });
  await reload();
  for (const monitor of ["far", "editors"]) {
    await session.workbench.choose("Tracemark: Run a monitor over samples…", monitor, "Evidence", "Everything");
    await session.workbench.notification("forbidEgress forbids all sending");
    assert.deepEqual(run("far"), []);
    await session.workbench.command("Notifications: Clear All Notifications");
  }
});
