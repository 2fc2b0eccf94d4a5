/** A small language client for tests: starts `dist/server.cjs --stdio` as an editor would, and checks every answer with the protocol's schemas. */
import { spawn, type ChildProcess } from "node:child_process";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createMessageConnection, StreamMessageReader, StreamMessageWriter,
  type CancellationToken, type Diagnostic, type InitializeResult, type MessageConnection,
} from "vscode-languageserver/node";
import type { DocumentRef, ModelFailure, ModelReply, ModelRequest, RequestMethod, RequestParams, RequestResult, ServerSettings } from "#protocol/lsp";
import { notifications, requests } from "#protocol/lsp";
import { projectRoot } from "../support/shared";

export type Answer = (request: ModelRequest, token: CancellationToken) => Promise<ModelReply | ModelFailure>;

export const settings: ServerSettings = { includeReasoning: true, monitors: {}, maxFileSizeMB: 512, trusted: true };

export interface ClientOptions {
  readonly settings?: Partial<ServerSettings>;
  /** Answers `tracemark/complete`. */
  readonly complete?: Answer;
}

/** What an answer is when the server has nothing to say but a sentence. */
export interface Refusal { readonly code: number; readonly message: string }

export class LanguageClient {
  /** Bytes that came from the server, headers too. */
  bytes = 0;
  readonly progress: string[] = [];
  readonly logged: string[] = [];
  initialized: InitializeResult | undefined;
  private readonly diagnosticsByUri = new Map<string, readonly Diagnostic[]>();
  private readonly waiting = new Set<() => void>();
  private readonly exited: Promise<void>;

  private constructor(readonly process: ChildProcess, readonly connection: MessageConnection) {
    this.process.stdout?.on("data", (chunk: Buffer) => (this.bytes += chunk.length));
    this.exited = new Promise((done) => process.once("exit", () => done()));
  }

  /** Starts a server and initialises it. */
  static async start(options: ClientOptions = {}): Promise<LanguageClient> {
    const child = spawn(process.execPath, [join(projectRoot, "dist", "server.cjs"), "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
    const connection = createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
    const client = new LanguageClient(child, connection);
    // A killed server closes its pipes in the middle of whatever is written.
    child.stdin.on("error", () => undefined);
    connection.onError(() => undefined);
    connection.onNotification("tracemark/progress", (value: unknown) => void client.progress.push(notifications["tracemark/progress"].parse(value).message));
    connection.onNotification("window/logMessage", ({ message }: { message: string }) => void client.logged.push(message));
    connection.onNotification("textDocument/publishDiagnostics", ({ uri, diagnostics }: { uri: string; diagnostics: Diagnostic[] }) => {
      client.diagnosticsByUri.set(uri, diagnostics);
      for (const look of [...client.waiting]) look();
    });
    connection.onRequest("tracemark/complete", (params: unknown, token: CancellationToken) => {
      if (!options.complete) throw new Error("no model was expected to be asked");
      return options.complete(params as ModelRequest, token);
    });
    connection.listen();
    client.initialized = await connection.sendRequest<InitializeResult>("initialize", {
      processId: process.pid, rootUri: null, capabilities: {}, initializationOptions: { settings: { ...settings, ...options.settings } },
    });
    await connection.sendNotification("initialized", {});
    return client;
  }

  /** Sends a request; the answer must fit the protocol. Rejects with the server's error. */
  async request<M extends RequestMethod>(method: M, params: RequestParams<M>, token?: CancellationToken): Promise<RequestResult<M>> {
    const answer: unknown = await (token ? this.connection.sendRequest(method, params, token) : this.connection.sendRequest(method, params));
    return requests[method].result.parse(answer) as RequestResult<M>;
  }

  /** Sends what is to be refused; resolves with the error, rejects when there is an answer. */
  async refusal(method: string, params: unknown): Promise<Refusal> {
    const answer = await this.connection.sendRequest<unknown>(method, params).then(
      (value) => ({ value }),
      (error: unknown) => error as Refusal,
    );
    if ("value" in answer) throw new Error(`${method} was answered: ${JSON.stringify(answer.value).slice(0, 300)}`);
    return { code: answer.code, message: answer.message };
  }

  notify(method: keyof typeof notifications, params: unknown): Promise<void> {
    return this.connection.sendNotification(method, params);
  }

  /** The diagnostics of a URI, once there is a list that `isRight`. */
  diagnostics(uri: string, isRight: (found: readonly Diagnostic[]) => boolean = () => true): Promise<readonly Diagnostic[]> {
    return new Promise((done) => {
      const look = () => {
        const found = this.diagnosticsByUri.get(uri);
        if (!found || !isRight(found)) return;
        this.waiting.delete(look);
        done(found);
      };
      this.waiting.add(look);
      look();
    });
  }

  /** Ends the server as a crash does. */
  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.exited;
  }

  /** Ends the server as an editor does; resolves with its exit code. */
  async close(): Promise<number | null> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      await this.connection.sendRequest("shutdown");
      await this.connection.sendNotification("exit");
    }
    await this.exited;
    this.connection.dispose();
    return this.process.exitCode;
  }
}

/** Starts a server for the time of `work`. */
export async function withServer(options: ClientOptions, work: (client: LanguageClient) => Promise<void>): Promise<void> {
  const client = await LanguageClient.start(options);
  try {
    await work(client);
  } finally {
    await client.close();
  }
}

/** A file on disk, as the editor names it to the server. */
export function fileRef(path: string, root?: string): DocumentRef {
  const absolute = resolve(path);
  return { uri: pathToFileURL(absolute).href, path: absolute, ...(root === undefined ? {} : { root: resolve(root) }) };
}
