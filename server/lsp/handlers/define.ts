/** How a request of the client is answered: parameters checked, errors turned into sentences, cancellation passed on. */
import { ResponseError, type CancellationToken, type Connection } from "vscode-languageserver/node";
import type { requests, RequestMethod, RequestParams, RequestResult } from "#protocol/lsp";
import { requests as schemas } from "#protocol/lsp";
import type { ServerState } from "../state";

/** A failure whose message is written for people; the client shows it as it is. */
export class ExpectedError extends Error {}

/** Error code of `ExpectedError` on the wire (the client knows it too). */
const expectedCode = -32001;
const invalidParams = -32602;

export interface Handler<M extends RequestMethod = RequestMethod> {
  readonly method: M;
  run(state: ServerState, params: RequestParams<M>, signal: AbortSignal): Promise<RequestResult<M>> | RequestResult<M>;
}

/** Declares the answer to one request, type-checked where it stands. */
export function defineHandler<M extends keyof typeof requests>(method: M, run: Handler<M>["run"]): Handler {
  return { method, run } as unknown as Handler;
}

/** Registers handlers on the connection. Nothing enters a handler unchecked, and no error leaves it as a stack. */
export function register(connection: Connection, state: ServerState, handlers: readonly Handler[]): void {
  for (const handler of handlers) {
    connection.onRequest(handler.method, async (params: unknown, token: CancellationToken) => {
      const parsed = schemas[handler.method].params.safeParse(params);
      if (!parsed.success) return new ResponseError(invalidParams, `${handler.method}: ${parsed.error.message}`);
      const abort = new AbortController();
      const subscription = token.onCancellationRequested(() => abort.abort());
      try {
        return await handler.run(state, parsed.data as never, abort.signal);
      } catch (error) {
        const sentence = state.sentenceOf(error);
        if (sentence !== undefined) return new ResponseError(expectedCode, sentence);
        connection.console.error(`${handler.method}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        throw error;
      } finally {
        subscription.dispose();
      }
    });
  }
}
