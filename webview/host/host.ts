/** The only thing the views know of the world outside: messages out, messages in, requests with answers, and a small memory. */
import type * as z from "zod/mini";
import type { FromWebview, ToWebview, ViewRequestMethod, viewRequests } from "#protocol/webview";

export type RequestParams<M extends ViewRequestMethod> = z.infer<(typeof viewRequests)[M]["params"]>;
export type RequestResult<M extends ViewRequestMethod> = z.infer<(typeof viewRequests)[M]["result"]>;

export interface Host {
  post(message: FromWebview): void;
  /** Messages that passed the check; answers to requests are not among them. Returns the way to stop listening. */
  onMessage(listener: (message: ToWebview) => void): () => void;
  /** Rejects with an `Error` whose message is for people: when the other side says no, or answers nothing for 30 s. */
  request<M extends ViewRequestMethod>(method: M, params: RequestParams<M>): Promise<RequestResult<M>>;
  /** What `setState` kept, unchecked: it may be of an older version. */
  getState(): unknown;
  setState(state: unknown): void;
  /** True where no editor turns keys into commands, so that the view has to do it itself. */
  readonly ownsKeys: boolean;
}
