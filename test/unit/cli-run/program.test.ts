/** `tracemark run` as a program: the bundle for models beside it, exit codes, a key that stays where it belongs, Ctrl+C. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test, type TestContext } from "node:test";
import { projectRoot } from "../../support/shared";
import { fakeOpenAI, verdictText } from "../../support/fake-openai";

const program = resolve(projectRoot, "dist", "cli.cjs");

function workspace(t: TestContext, baseUrl: string): string {
  const root = mkdtempSync(join(tmpdir(), "tracemark-program-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const samples = ["a", "b", "c"].map((id) => ({ id, messages: [{ role: "user", content: `Task ${id}.` }, { role: "assistant", content: "Done." }] }));
  writeFileSync(join(root, "all.samples.jsonl"), samples.map((one) => `${JSON.stringify(one)}\n`).join(""));
  writeFileSync(join(root, "tracemark.json"), JSON.stringify({
    name: "t", samples: ["all.samples.jsonl"], monitors: { guard: { kind: "llm", model: "m", base_url: baseUrl, api_key_env: "TRACEMARK_TEST_KEY" } },
  }));
  return root;
}

/** Runs the program; `onOut` sees standard output as it comes. */
function start(root: string, args: string[], onOut?: (text: string, stop: () => void) => void): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((done) => {
    const env = { ...process.env, TRACEMARK_TEST_KEY: "key-7", XDG_CONFIG_HOME: root, XDG_CACHE_HOME: join(root, ".cache"), XDG_STATE_HOME: join(root, ".state") };
    const child = spawn(process.execPath, [program, "run", ...args], { cwd: root, env });
    let out = "", err = "";
    child.stdout.on("data", (data: Buffer) => { out += data.toString(); onOut?.(out, () => child.kill("SIGINT")); });
    child.stderr.on("data", (data: Buffer) => { err += data.toString(); });
    child.on("close", (code) => done({ code, out, err }));
  });
}

test("the program judges with a model on loopback, key included, and exits 0", async (t) => {
  const fake = await fakeOpenAI({ kind: "text", text: verdictText(true, ["Done."]) });
  t.after(() => fake.close());
  const root = workspace(t, fake.baseUrl);
  const { code, out, err } = await start(root, ["--monitor", "guard", "--json"]);
  assert.equal(code, 0, err);
  const lines = out.trimEnd().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(lines.map((line) => line["outcome"] ?? line["type"]), ["run", "misbehavior", "misbehavior", "misbehavior"]);
  assert.deepEqual(new Set(fake.received.map(({ headers }) => headers.authorization)), new Set(["Bearer key-7"]));
  assert.equal(readFileSync(join(root, "runs", readdirSync(join(root, "runs")).find((name) => name.endsWith(".jsonl"))!), "utf8"), out);
  assert.equal(out.includes("key-7"), false);
});

test("another host without consent: exit 2, one line, nothing asked", async (t) => {
  const root = workspace(t, "http://models.invalid/v1");
  const { code, out, err } = await start(root, ["--monitor", "guard"]);
  assert.equal(code, 2);
  assert.equal(out, "");
  assert.match(err, /^error: monitor "guard" would send trajectories to http:\/\/models\.invalid, which you have not allowed; add --allow-origin http:\/\/models\.invalid, or put it into allowed_origins of .+\n$/);
});

test("Ctrl+C leaves whole lines and says how to go on", async (t) => {
  const fake = await fakeOpenAI({ kind: "text", text: verdictText(false) }, { kind: "hang" });
  t.after(() => fake.close());
  const root = workspace(t, fake.baseUrl);
  const { code, err } = await start(root, ["--monitor", "guard", "--json", "--concurrency", "1"], (text, stop) => { if (text.includes('"verdict"')) stop(); });
  assert.equal(code, 2);
  assert.match(err, /^error: the run was stopped after 1 of 3 verdicts; go on with --resume (\S+)\n$/);
  const id = /--resume (\S+)/.exec(err)![1]!;
  assert.equal(readFileSync(join(root, "runs", `${id}.jsonl`), "utf8").trimEnd().split("\n").length, 2);
  fake.script({ kind: "text", text: verdictText(false) });
  const rest = await start(root, ["--resume", id]);
  assert.equal(rest.code, 0, rest.err);
  assert.match(rest.out, /^3 verdicts: 0 misbehavior, 3 benign, 0 invalid\n/);
});
