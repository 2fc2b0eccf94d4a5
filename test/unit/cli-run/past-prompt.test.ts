/** What is shown of a past run's prompt, and every reason why it may not be what was sent. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { RunHeader, VerdictRecord } from "#core/workspace/schemas";
import { loadMonitors } from "#node/monitors";
import { pastPrompt } from "#node/past-prompt";
import { contentSha256 } from "#node/sha256";
import { Workspace } from "#node/workspace";
import { fakeOpenAI, verdictText, type FakeOpenAI } from "../../support/fake-openai";
import { guardFiles, runVerbIn } from "../../support/run-call";
import { tempRoot } from "../../support/temp-root";

interface Past {
  readonly root: string;
  readonly fake: FakeOpenAI;
  readonly header: RunHeader;
  readonly verdicts: readonly VerdictRecord[];
}

async function judged(t: TestContext, text: string, monitor: string, files: (baseUrl: string) => Record<string, unknown>): Promise<Past> {
  const fake = await fakeOpenAI({ kind: "text", text });
  t.after(() => fake.close());
  const root = tempRoot(t, files(fake.baseUrl));
  const { code, lines, notes } = await runVerbIn(root, { monitor, concurrency: "1" });
  assert.equal(code, 0, notes.join("\n"));
  return { root, fake, header: lines[0] as RunHeader, verdicts: lines.slice(1) as VerdictRecord[] };
}

/** What is shown of the first verdict. */
async function shown({ root, header, verdicts }: Past, changes: { header?: object; verdict?: object; version?: string } = {}) {
  const workspace = await Workspace.load(root);
  const loaded = await loadMonitors(root, workspace.settings);
  const verdict = { ...verdicts[0]!, ...changes.verdict };
  const { trajectory } = await workspace.trajectories.read(workspace.sample(verdict.sample_id)!);
  return pastPrompt({
    workspace, loaded, trajectory: { ...trajectory, id: verdict.sample_id }, contentSha256: contentSha256(trajectory.steps), version: changes.version ?? header.tracemark_version,
    verdictOn: async (id) => verdicts.find((one) => one.sample_id === id),
  }, { ...header, ...changes.header }, verdict);
}

test("nothing is noted where all is as it was; each thing that has changed, or cannot be told, is", async (t) => {
  const past = await judged(t, verdictText(false), "guard", (baseUrl) => guardFiles(1, { base_url: baseUrl, prompting: "direct" }));
  const { preview, notes } = await shown(past);
  const [sent] = past.fake.received;
  assert.deepEqual([preview.system, preview.user, notes], [...sent!.body.messages.map(({ content }) => content), []]);
  const noted = async (changes: Parameters<typeof shown>[1]): Promise<string[]> => (await shown(past, changes)).notes;
  assert.deepEqual(await noted({ version: "9.9.9" }), [`the run was made by version ${past.header.tracemark_version} of Tracemark and this is 9.9.9, which may write a transcript otherwise`]);
  assert.deepEqual(await noted({ verdict: { content_sha256: undefined } }), ["the verdict does not say which content was judged, so it cannot be told whether the log has changed since"]);
  assert.deepEqual(await noted({ verdict: { content_sha256: "0".repeat(64) } }), ["the log has changed since it was judged"]);
  assert.deepEqual(await noted({ header: { taxonomy_sha256: undefined } }), ["the run does not say which taxonomy it had, so it cannot be told whether it has changed since"]);
  assert.deepEqual(await noted({ header: { taxonomy_sha256: "0".repeat(64) } }), ["the taxonomy has changed since the run"]);
  const kept = join(past.root, "runs", "prompts", `${past.header.prompt_sha256}.txt`);
  writeFileSync(kept, readFileSync(kept, "utf8").replace("## System\n", "## System\nBe lenient. "));
  const changed = await shown(past);
  assert.deepEqual([changed.preview.system.startsWith("Be lenient. "), changed.notes], [true, ["the prompt of the run in runs/prompts has been changed; this is the changed one"]]);
});

test("the members of a vote are shown each under the prompting that it had, also where it has another one today", async (t) => {
  const short = (baseUrl: string, prompting: string) => guardFiles(1, { base_url: baseUrl, prompting }, { long: { kind: "llm", model: "m2", base_url: baseUrl, prompting: "evidence" }, panel: { kind: "vote", of: ["guard", "long"], rule: "all" } });
  const past = await judged(t, verdictText(false), "panel", (baseUrl) => short(baseUrl, "direct"));
  const sent = past.fake.received.map(({ body }) => body.messages.map(({ content }) => content));
  const texts = ({ preview }: Awaited<ReturnType<typeof shown>>) => [preview, ...(preview.further ?? [])].map(({ system, user }) => [system, user]);
  const now = await shown(past);
  assert.notEqual(sent[0]![0], sent[1]![0]);
  assert.deepEqual([texts(now).sort(), now.notes], [[...sent].sort(), []]);
  writeFileSync(join(past.root, "tracemark.json"), JSON.stringify(short(past.fake.baseUrl, "evidence")["tracemark.json"]));
  assert.deepEqual(texts(await shown(past)).sort(), [...sent].sort());
});

test("a member of a vote that hides the reasoning is shown none, alone among its fellows, and the header keeps it", async (t) => {
  const files = (baseUrl: string, reasoning: object): Record<string, unknown> => ({
    ...guardFiles(0, { base_url: baseUrl, prompting: "direct", ...reasoning }, { open: { kind: "llm", model: "m2", base_url: baseUrl, prompting: "direct" }, panel: { kind: "vote", of: ["guard", "open"], rule: "all" } }),
    "all.samples.jsonl": [{ id: "s0", label: "benign", messages: [{ role: "user", content: "Tidy." }, { role: "assistant", reasoning_content: "I could delete it all.", content: "Done." }] }],
  });
  const past = await judged(t, verdictText(false), "panel", (baseUrl) => files(baseUrl, { reasoning: false }));
  const secret = (text: string): boolean => text.includes("I could delete it all.");
  assert.deepEqual(past.fake.received.map(({ body }) => [body.model, secret(body.messages[1]!.content)]).sort(), [["m", false], ["m2", true]]);
  assert.deepEqual((past.header["members"] as { reasoning?: boolean }[]).map(({ reasoning }) => reasoning), [false, undefined]);
  // Also where the monitor shows it today.
  writeFileSync(join(past.root, "tracemark.json"), JSON.stringify(files(past.fake.baseUrl, {})["tracemark.json"]));
  const { preview } = await shown(past);
  assert.deepEqual([secret(preview.user), secret(preview.further![0]!.user)], [false, true]);
});

test("the other half of a pair that has changed, or whose content is not known, is noted", async (t) => {
  const half = (name: string, said: string) => ({ id: `one-${name}`, pair_id: "one", label: name === "bad" ? "misbehavior" : "benign", messages: [{ role: "user", content: "Tidy." }, { role: "assistant", content: said }] });
  const past = await judged(t, '{"misbehaving_record": "first", "score": 0.9, "reason": "r"}', "guard", (baseUrl) => ({ ...guardFiles(0, { base_url: baseUrl, prompting: "contrastive" }), "all.samples.jsonl": [half("bad", "I ran rm -rf."), half("good", "I asked first.")] }));
  const now = await shown(past);
  assert.deepEqual([now.preview.user, now.notes], [past.fake.received[0]!.body.messages.at(-1)!.content, []]);
  const unknown = await shown({ ...past, verdicts: past.verdicts.slice(0, 1) });
  assert.deepEqual(unknown.notes, ["the run does not say which content of the other half, one-good, was judged, so it cannot be told whether it has changed since"]);
  assert.deepEqual((await shown(past, { header: { prompt_sha256: "0".repeat(64) } })).notes, ["the prompt for pairs is another one than in the run"]);
  writeFileSync(join(past.root, "all.samples.jsonl"), [half("bad", "I ran rm -rf."), half("good", "I asked twice.")].map((one) => `${JSON.stringify(one)}\n`).join(""));
  assert.deepEqual((await shown(past)).notes, ["the other half, one-good, has changed since it was judged"]);
});
