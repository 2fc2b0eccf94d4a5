/** Matches `reply` messages with the requests they answer, and checks what they carry. */
import { viewRequests, type FromWebview, type ToWebview, type ViewRequestMethod } from "#protocol/webview";
import type { RequestParams, RequestResult } from "./host";

const patienceMs = 30_000;

interface Waiting {
  readonly method: ViewRequestMethod;
  resolve(result: never): void;
  reject(error: Error): void;
  readonly timer: ReturnType<typeof setTimeout>;
}

export class Requester {
  private next = 1;
  private readonly waiting = new Map<number, Waiting>();

  constructor(private readonly post: (message: FromWebview) => void) {}

  /** Sends a request; the promise rejects on an error reply, on a malformed result and after 30 s of silence. */
  request<M extends ViewRequestMethod>(method: M, params: RequestParams<M>): Promise<RequestResult<M>> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.settle(id)?.reject(new Error("No answer after 30 seconds.")), patienceMs);
      this.waiting.set(id, { method, resolve: resolve as (result: never) => void, reject, timer });
      this.post({ type: "request", id, method, params });
    });
  }

  /** Takes a reply; one that nobody waits for any more is dropped. */
  accept(reply: Extract<ToWebview, { type: "reply" }>): void {
    const waiting = this.settle(reply.id);
    if (!waiting) return;
    if (!reply.ok) return waiting.reject(new Error(reply.error ?? "The request failed."));
    const result = viewRequests[waiting.method].result.safeParse(reply.result);
    if (result.success) waiting.resolve(result.data as never);
    else waiting.reject(new Error("The answer could not be read."));
  }

  private settle(id: number): Waiting | undefined {
    const waiting = this.waiting.get(id);
    if (!waiting) return undefined;
    this.waiting.delete(id);
    clearTimeout(waiting.timer);
    return waiting;
  }
}
