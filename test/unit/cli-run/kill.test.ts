/** A run that is killed at random moments and resumed. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { guardFiles, runNames } from "../../support/run-call";
import { tempRoot } from "../../support/temp-root";

const samples = 60;

test("killed with SIGKILL again and again, a resumed run never asks for a verdict that is there, and ends whole", { timeout: 120_000 }, async (t) => {
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
      const id = /Task (s\d+)\./.exec(Buffer.concat(chunks).toString("utf8"))![1]!;
      asked.set(id, (asked.get(id) ?? 0) + 1);
      const content = JSON.stringify({ misbehavior_detected: Number(id.slice(1)) % 3 === 0, score: 0.5, detected_categories: [] });
      setTimeout(() => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id: "1", object: "chat.completion", created: 1, model: "m", choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } })), 30);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => { server.closeAllConnections(); server.close(); });
  const root = tempRoot(t, guardFiles(samples, { base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }));
  const env = { ...process.env, XDG_CACHE_HOME: join(root, "cache"), XDG_STATE_HOME: join(root, "state"), XDG_CONFIG_HOME: join(root, "config") };
  const whole = (): string[] => {
    const [name] = runNames(root);
    const text = name === undefined ? "" : readFileSync(join(root, "runs", name), "utf8");
    return text.slice(0, text.lastIndexOf("\n") + 1).split("\n").filter((line) => line !== "");
  };
  let kills = 0, code: number | null = null;
  for (let round = 0; round < 12 && code === null; round++) {
    const [name] = runNames(root);
    const words = name === undefined ? ["--monitor", "guard"] : ["--resume", name.replace(".jsonl", "")];
    const before = whole();
    const done = new Set(before.slice(1).map((line) => (JSON.parse(line) as { sample_id: string }).sample_id));
    const countsBefore = new Map([...done].map((id) => [id, asked.get(id)]));
    // --no-cache, so that it is the file alone that keeps from asking twice.
    const child = spawn(process.execPath, [join(process.cwd(), "dist", "cli.cjs"), "run", ...words, "--concurrency", "2", "--no-cache"], { cwd: root, env, stdio: "ignore" });
    // The last rounds are left alone.
    const target = round < 4 ? before.length + 3 + 5 * round : Infinity;
    code = await new Promise<number | null>((ended) => {
      const watch = setInterval(() => { if (whole().length >= target) child.kill("SIGKILL"); }, 7);
      child.on("close", (status) => { clearInterval(watch); ended(status); });
    });
    if (code === null) kills++;
    for (const [id, count] of countsBefore) assert.equal(asked.get(id), count, `${id} was asked again although its verdict was there`);
    assert.deepEqual(whole().slice(0, before.length), before, "what was written stays as it is");
  }
  assert.equal(code, 0);
  assert.ok(kills >= 3, `killed ${kills} times`);
  const verdicts = whole().slice(1).map((line) => JSON.parse(line) as { sample_id: string; outcome: string });
  const expected = Array.from({ length: samples }, (_, at) => [`s${at}`, at % 3 === 0 ? "misbehavior" : "benign"]);
  const sorted = verdicts.map((one) => [one.sample_id, one.outcome]).sort((a, b) => Number(a[0]!.slice(1)) - Number(b[0]!.slice(1)));
  assert.deepEqual(sorted, expected);
  assert.equal(runNames(root).length, 1);
  // At most what was under way at each kill, asked about or on its way to the disk, is asked again.
  assert.ok([...asked.values()].reduce((sum, one) => sum + one, 0) <= samples + 4 * kills);
});
