/** A real HTTP server on loopback that speaks the OpenAI chat format and can be told to fail in every way that real ones do. */
import { createServer } from "node:http";
import type { IncomingHttpHeaders, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One answer of the script, used up by one request. The last one stays. */
export type Reply =
  | { readonly kind: "text"; readonly text: string; readonly finish?: string; readonly refusal?: string }
  | { readonly kind: "status"; readonly status: number; readonly message?: string; readonly code?: string; readonly headers?: Record<string, string> }
  /** An answer under this model's name. */
  | { readonly kind: "as"; readonly model: string; readonly text: string }
  /** The connection is closed without an answer. */
  | { readonly kind: "drop" }
  /** Headers and half a body, then the connection is closed. */
  | { readonly kind: "half" }
  /** Nothing happens until the client goes away. */
  | { readonly kind: "hang" }
  | { readonly kind: "redirect"; readonly to: string; readonly status?: number }
  /** This body, with the status of a good answer. */
  | { readonly kind: "body"; readonly body: string }
  /** 400 as long as `response_format` is asked for, else the text. */
  | { readonly kind: "no-schema"; readonly text: string }
  /** An answer that depends on the request. */
  | { readonly kind: "by"; answer(body: ChatBody): string };

export interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly response_format?: { readonly type: string; readonly json_schema?: { readonly schema: unknown } };
  readonly [key: string]: unknown;
}

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: ChatBody;
  readonly path: string;
}

export interface FakeOpenAI {
  /** To be given as `base_url`. */
  readonly baseUrl: string;
  readonly origin: string;
  readonly received: Received[];
  /** How many requests were open at once, at most. */
  readonly mostAtOnce: number;
  /** Replaces what is left of the script. */
  script(...replies: Reply[]): void;
  close(): Promise<void>;
}

/** What a verdict looks like when all is well. */
export const verdictText = (misbehavior: boolean, quotes: readonly string[] = []): string => JSON.stringify({
  misbehavior_detected: misbehavior,
  detected_categories: quotes.map((quote) => ({ category: "safety_permission", description: "found", severity: "moderate", evidence: [quote] })),
});

/** Starts a server on a free port of 127.0.0.1. */
export async function fakeOpenAI(...replies: Reply[]): Promise<FakeOpenAI> {
  const state = { script: [...replies], open: 0, most: 0 };
  const received: Received[] = [];
  const server = createServer((request, response) => {
    state.open++;
    state.most = Math.max(state.most, state.open);
    response.on("close", () => state.open--);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}") as ChatBody;
      received.push({ headers: request.headers, body, path: request.url ?? "" });
      const reply = state.script.length > 1 ? state.script.shift()! : state.script[0] ?? { kind: "text", text: verdictText(false) };
      answer(reply, body, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrl: `${origin}/v1`, origin, received,
    get mostAtOnce() { return state.most; },
    script: (...next) => { state.script = next; },
    close: () => closeAll(server),
  };
}

function answer(reply: Reply, body: ChatBody, response: ServerResponse): void {
  switch (reply.kind) {
    case "text": return send(response, 200, completion(body, reply.text, reply.finish ?? "stop", reply.refusal));
    case "as": return send(response, 200, { ...completion(body, reply.text, "stop"), model: reply.model });
    case "by": return send(response, 200, completion(body, reply.answer(body), "stop"));
    case "status": return send(response, reply.status, { error: { message: reply.message ?? `status ${reply.status}`, type: "test", code: reply.code ?? null } }, reply.headers);
    case "body": response.writeHead(200, { "content-type": "application/json" }).end(reply.body); return;
    case "drop": response.socket?.destroy(); return;
    case "half":
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"id": "half", ');
      setTimeout(() => response.socket?.destroy(), 10);
      return;
    case "hang": return;
    case "redirect": response.writeHead(reply.status ?? 307, { location: reply.to }).end(); return;
    case "no-schema":
      if (body.response_format) return send(response, 400, { error: { message: "'response_format' of type json_schema is not supported by this model", type: "invalid_request_error", code: null } });
      return send(response, 200, completion(body, reply.text, "stop"));
  }
}

function completion(body: ChatBody, content: string, finish: string, refusal?: string): object {
  const prompt = body.messages.reduce((sum, message) => sum + message.content.length, 0);
  return {
    id: "chatcmpl-1", object: "chat.completion", created: 1, model: `${body.model}-2026-01-01`, system_fingerprint: "fp_test",
    choices: [{ index: 0, message: { role: "assistant", content: refusal === undefined ? content : null, ...(refusal === undefined ? {} : { refusal }) }, finish_reason: finish }],
    usage: { prompt_tokens: Math.ceil(prompt / 4), completion_tokens: 7, total_tokens: Math.ceil(prompt / 4) + 7 },
  };
}

function send(response: ServerResponse, status: number, value: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

function closeAll(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
