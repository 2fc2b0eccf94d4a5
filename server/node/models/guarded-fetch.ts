/** The one way to the network for models: follows no redirect, reads no endless answer, tells of every send, and lends no key. */
import { RedirectRefused, AnswerTooLarge, NotJson } from "./failures";

export type Fetch = typeof globalThis.fetch;

/** Bytes beyond which an answer is not read on. */
export const largestAnswer = 8 << 20;

export interface FetchWatch {
  /** Before anything is sent: the origin and the bytes of the body. */
  onSend?(origin: string, bytes: number): void;
  /** The status and headers of every answer. */
  onHeard?(status: number, headers: Headers): void;
  /** Headers that a client library sets and that are not to be sent. */
  readonly without?: readonly string[];
}

/** A fetch that keeps these promises, around `inner`. */
export function guardedFetch(inner: Fetch, watch: FetchWatch = {}): Fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    for (const name of watch.without ?? []) headers.delete(name);
    // What is given up before it is sent is told of as no send.
    init?.signal?.throwIfAborted();
    if (watch.onSend) watch.onSend(new URL(String(input)).origin, typeof init?.body === "string" ? Buffer.byteLength(init.body) : 0);
    const response = await inner(input, { ...init, headers, redirect: "manual" });
    watch.onHeard?.(response.status, response.headers);
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
      await response.body?.cancel().catch(() => undefined);
      throw new RedirectRefused(response.status, response.headers.get("location"));
    }
    const body = await readBody(response);
    const type = response.headers.get("content-type") ?? "";
    if (response.ok && !/json/i.test(type) && !/^\s*\{/.test(body.subarray(0, 200).toString("utf8"))) throw new NotJson(response.status, type);
    return readResponse(response, body);
  };
}

/** A response whose body has been read: as much of a `Response` as client libraries use, without another stream around it. */
function readResponse({ status, statusText = "", ok, headers }: Response, body: Buffer<ArrayBuffer>): Response {
  let given = false;
  const reader = {
    read: async () => (given || body.length === 0 ? { done: true, value: undefined } : ((given = true), { done: false, value: new Uint8Array(body.buffer, body.byteOffset, body.length) })),
    cancel: async () => undefined, releaseLock: () => undefined,
  };
  const text = (): string => body.toString("utf8");
  return {
    status, statusText, ok, headers, redirected: false, type: "basic", url: "", bodyUsed: false, body: { getReader: () => reader, cancel: async () => undefined },
    text: async () => text(), json: async () => JSON.parse(text()) as unknown, arrayBuffer: async () => body.buffer.slice(body.byteOffset, body.byteOffset + body.length),
  } as unknown as Response;
}

/** The whole body, as long as it stays below the limit. */
async function readBody(response: Response): Promise<Buffer<ArrayBuffer>> {
  if (!response.body) return Buffer.alloc(0);
  const stated = Number(response.headers.get("content-length") ?? NaN);
  // What says its length, and is not packed, cannot be longer.
  if (stated <= largestAnswer && !response.headers.has("content-encoding")) return Buffer.from(await response.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > largestAnswer) {
      await reader.cancel().catch(() => undefined);
      throw new AnswerTooLarge(largestAnswer);
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks, size);
}
