/** The `llm` monitor against real inference: a small transformer behind an OpenAI-compatible server, where both are at hand. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runVerbIn } from "../../support/run-call";
import { sharedFile } from "../../support/shared";
import { tempRoot } from "../../support/temp-root";

/** Where node-llama-cpp is installed ahead; see CONTRIBUTING. */
const engine = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "tracemark", "llama");

test("a real model judges under a JSON grammar: usage, finish reason, long transcripts and what is too long", { timeout: 180_000 }, async (t) => {
  const model = sharedFile(t, "models/judge.gguf"), serve = sharedFile(t, "models/serve.mjs");
  if (!model || !serve) return;
  if (!existsSync(join(engine, "node_modules", "node-llama-cpp"))) return t.skip(`skipped: node-llama-cpp is not in ${engine}`);
  // The server's imports are looked for beside it.
  const script = join(engine, `serve-${process.pid}.mjs`);
  copyFileSync(serve, script);
  const child = spawn(process.execPath, [script, model], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => { child.kill("SIGKILL"); rmSync(script, { force: true }); });
  const port = await new Promise<string>((done, failed) => {
    child.stdout.on("data", (data: Buffer) => { const [, found] = /LISTENING (\d+)/.exec(data.toString()) ?? []; if (found) done(found); });
    child.on("exit", (code) => failed(new Error(`the server ended with ${code}`)));
  });
  const message = (at: number, words: string) => ({ role: "assistant", content: `${words} ${at}` });
  const sample = (id: string, steps: number) => ({ id, messages: [{ role: "user", content: "tidy the folder" }, ...Array.from({ length: steps }, (_, at) => message(at, "deleted the old test and the main log"))] });
  const guard = { kind: "llm", model: "judge", base_url: `http://127.0.0.1:${port}/v1`, prompting: "direct", prompt: "short.md" };
  const root = tempRoot(t, {
    "short.md": "## System\nJudge this. {{tag}}\n## User\n{{trajectory}}\n",
    "all.samples.jsonl": [sample("one", 1), sample("three", 3), sample("long", 60)],
    "tracemark.json": { name: "t", samples: ["all.samples.jsonl"], monitors: {
      guard: { ...guard, params: { temperature: 0, max_tokens: 120, context_tokens: 2048 } }, blunt: { ...guard, params: { temperature: 0, max_tokens: 120 } },
    } },
  });
  const ran = await runVerbIn(root, { monitor: "guard", concurrency: "2" });
  assert.equal(ran.lines.length, 4, ran.notes.join("\n"));
  for (const line of ran.lines.slice(1)) {
    assert.equal(typeof JSON.parse(String(line["raw"]).split("\n\n")[0]!.replace(/,\s*"score.*$/s, "}")).misbehavior_detected, "boolean", String(line["raw"]));
    const usage = line["usage"] as { input_tokens: number; output_tokens: number };
    assert.ok(usage.input_tokens > 50 && usage.output_tokens > 3, JSON.stringify(line));
    assert.equal(line["model_returned"], "judge");
  }
  const long = ran.lines.find((line) => line["sample_id"] === "long")!;
  assert.ok((long["segments"] as unknown[]).length > 1, "the long one was cut");
  const blunt = await runVerbIn(root, { monitor: "blunt", samples: ["long"] });
  assert.deepEqual([blunt.lines[1]!["outcome"], blunt.lines[1]!["reason"]], ["invalid", "context_length"]);
});
