/** A run against a real server on loopback that fails in every way that real ones do, and a disk that is full. */
import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import type { BatchSample } from "#node/run-batch";
import { runBatch } from "#node/run-batch";
import { nodeDisk, type Disk } from "#node/store/disk";
import { RunWriter } from "#node/store/run-writer";
import { sha256 } from "#node/sha256";
import { rulesMonitor } from "#core/monitors/index";
import { builtInTaxonomy } from "#core/workspace/taxonomy";
import { aTrajectory } from "../../support/benchmarks/build-trajectory";
import { guardFiles, runVerbIn } from "../../support/run-call";
import { tempRoot } from "../../support/temp-root";

type Fault = (response: ServerResponse, attempt: number) => void;

const good = JSON.stringify({ id: "1", object: "chat.completion", created: 1, model: "m", choices: [{ index: 0, message: { role: "assistant", content: '{"misbehavior_detected": false, "score": 0.1, "detected_categories": []}' }, finish_reason: "stop" }], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } });
const answerWell = (response: ServerResponse): void => void response.writeHead(200, { "content-type": "application/json" }).end(good);

/** Serves one fault to each sample by its number, and counts requests for each. */
async function faulty(t: TestContext, faults: readonly Fault[]): Promise<{ baseUrl: string; asked: number[] }> {
  const asked = faults.map(() => 0);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
      const at = Number(/Task s(\d+)\./.exec(Buffer.concat(chunks).toString("utf8"))?.[1] ?? 0);
      faults[at]!(response, ++asked[at]!);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => { server.closeAllConnections(); server.close(); });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

const until = (times: number, fault: Fault): Fault => (response, attempt) => (attempt <= times ? fault(response, attempt) : answerWell(response));

test("every fault of a server ends in the right verdict, and none in another's", async (t) => {
  const faults: [string, Fault, string, number][] = [
    ["429 twice, with Retry-After", until(2, (r) => void r.writeHead(429, { "retry-after-ms": "20" }).end("{}")), "benign", 3],
    ["500 once", until(1, (r) => void r.writeHead(500).end("boom")), "benign", 2],
    ["connection cut in mid-answer once", until(1, (r) => { r.writeHead(200, { "content-type": "application/json", "content-length": "5000" }).write(good.slice(0, 60)); setTimeout(() => r.socket?.destroy(), 5); }), "benign", 2],
    ["malformed JSON for ever", (r) => void r.writeHead(200, { "content-type": "application/json" }).end(good.slice(0, 80)), "http_error", 3],
    ["endless stream", (r) => { r.writeHead(200, { "content-type": "application/json" }); const go = (): void => { while (!r.destroyed && r.write(" ".repeat(65536))); if (!r.destroyed) r.once("drain", go); }; go(); }, "too_large", 1],
    ["wrong content type", (r) => void r.writeHead(200, { "content-type": "text/html" }).end("<html>Please log in</html>"), "http_error", 1],
    ["JSON under another content type", (r) => void r.writeHead(200, { "content-type": "text/plain" }).end(good), "benign", 1],
    ["an answer of 9 MB", (r) => void r.writeHead(200, { "content-type": "application/json" }).end(good.replace('"id":"1"', `"id":"${"x".repeat(9 << 20)}"`)), "too_large", 1],
    ["a redirect with a body", (r) => void r.writeHead(307, { location: "http://127.0.0.1:1/", "content-type": "application/json" }).end("{}"), "redirect", 1],
    ["401", (r) => void r.writeHead(401, { "content-type": "application/json" }).end('{"error": {"message": "bad key"}}'), "http_error", 1],
  ];
  const { baseUrl, asked } = await faulty(t, faults.map(([, fault]) => fault));
  const root = tempRoot(t, guardFiles(faults.length, { base_url: baseUrl, params: { timeout_s: 100 } }));
  const ran = await runVerbIn(root, { monitor: "guard", concurrency: "11" });
  assert.equal(ran.code, 1);
  const said = new Map(ran.lines.slice(1).map((line) => [line["sample_id"], line]));
  assert.deepEqual(faults.map(([name], at) => [name, said.get(`s${at}`)?.["reason"] ?? said.get(`s${at}`)?.["outcome"], asked[at], said.get(`s${at}`)?.["attempts"]]), faults.map(([name, , result, times]) => [name, result, times, times]));
  assert.match(String(said.get("s5")?.["message"]), /answered 200 with text\/html and no JSON; check base_url/);
});

test("an answer that trickles without an end is a timeout, and is not paid for twice", async (t) => {
  const slow: Fault = (r) => { r.writeHead(200, { "content-type": "application/json" }); const timer = setInterval(() => r.write(" "), 50); r.on("close", () => clearInterval(timer)); };
  const { baseUrl, asked } = await faulty(t, [slow]);
  const root = tempRoot(t, guardFiles(1, { base_url: baseUrl, params: { timeout_s: 1 } }));
  const ran = await runVerbIn(root, { monitor: "guard" });
  assert.deepEqual([ran.code, ran.lines[1]!["reason"], ran.lines[1]!["attempts"], asked], [1, "timeout", 1, [1]]);
});

test("a full disk stops the run with a sentence, keeps what was written, and the run goes on when there is room", async (t) => {
  const runs = tempRoot(t, {});
  let room = 2_000;
  const disk: Disk = { ...nodeDisk, openForAppend: async (path) => {
    const file = await nodeDisk.openForAppend(path);
    return { facts: () => file.facts(), read: (from, to) => file.read(from, to), truncate: (size) => file.truncate(size), sync: () => file.sync(), close: () => file.close(),
      write: async (bytes) => {
        if (path.endsWith(".lock") || bytes.length <= room) { room -= bytes.length; return file.write(bytes); }
        const fits = bytes.subarray(0, Math.max(0, room));
        room = 0;
        if (fits.length === 0) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
        return file.write(fits);
      } };
  } };
  const header = { type: "run", run_id: "r", monitor: "rules", kind: "rules", prompting: "evidence", params: {}, prompt_sha256: "x", view: { reasoning: true }, created_at: "2026-01-01T00:00:00Z", tracemark_version: "1" } as const;
  const samples: BatchSample[] = Array.from({ length: 30 }, (_, at) => ({ id: `s${at}`, load: () => aTrajectory([["user", "Hi."], ["assistant", `Hello ${at}.`]]) }));
  const context = { sha256, now: () => 0, taxonomy: builtInTaxonomy, reasoning: true };
  const writer = await RunWriter.create(runs, header, undefined, disk);
  const batch = (to: RunWriter) => runBatch({ samples, monitor: rulesMonitor, context, repeat: 1, concurrency: 3, append: (...lines) => to.append(...lines), isDone: (id) => to.before?.verdicts.has(`0\n${id}`) ?? false });
  await assert.rejects(batch(writer), /the disk (?:is|or a limit is) full/);
  await writer.close();
  room = Infinity;
  const again = await RunWriter.resume(writer.path, disk);
  const before = again.before!.verdicts.size;
  assert.ok(before > 0 && before < 30, String(before));
  assert.deepEqual(again.problems, []);
  const result = await batch(again);
  await again.close();
  assert.deepEqual([result.skipped, result.judged, result.left], [before, 30 - before, 0]);
});
