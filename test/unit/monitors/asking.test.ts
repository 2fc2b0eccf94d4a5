/** Consent that is taken back while a request waits: the refusal is what the request comes to, and nothing more is sent. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { complete } from "#node/models/complete";
import type { ModelFailure, ModelRequest } from "#protocol/lsp";
import { Asking } from "../../../extension/client/asking";

const refusal: ModelFailure = { reason: "not_allowed", message: "http://models.example has not been allowed to receive text.", attempts: 0, latencyMs: 0 };

test("consent taken back between two attempts: one send, and the refusal instead of a cancelled or failed request", async (t) => {
  let allowed = true, heard = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => { heard++; allowed = false; response.writeHead(503).end("busy"); });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => { server.closeAllConnections(); server.close(); });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const request: ModelRequest = { provider: "openai-compatible", baseUrl, model: "m", system: "s", user: "u", params: {}, monitor: "guard" };
  const asking = new Asking(() => (allowed ? undefined : refusal));
  const asked = () => complete(request, { signal: asking.signal, onSend: (origin) => asking.requireAllowed(origin), wait: async () => undefined });
  assert.deepEqual([await asking.outcome(asked()), heard, asking.signal.aborted], [refusal, 1, true]);
  // Without consent from the start nothing is sent at all.
  const other = new Asking(() => refusal);
  assert.deepEqual([await other.outcome(complete(request, { signal: other.signal, onSend: (origin) => other.requireAllowed(origin), wait: async () => undefined })), heard], [refusal, 1]);
});

test("a refusal that is thrown is told too, another error stays one, and what was stopped by hand is no refusal", async () => {
  const asking = new Asking(() => refusal);
  assert.deepEqual(await asking.outcome((async () => { asking.requireAllowed("vscode-lm:acme"); throw new Error("not reached"); })()), refusal);
  const broken = new Asking(() => undefined);
  broken.requireAllowed("vscode-lm:acme");
  await assert.rejects(broken.outcome(Promise.reject(new Error("the disk is full"))), /^Error: the disk is full$/);
  broken.stop();
  const cancelled: ModelFailure = { reason: "cancelled", message: "the request was cancelled", attempts: 1, latencyMs: 3 };
  assert.deepEqual([await broken.outcome(Promise.resolve(cancelled)), broken.signal.aborted], [cancelled, true]);
});
