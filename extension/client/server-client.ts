/** The language server as the host sees it: typed requests, restart after a crash, one event for up and down. */
import { join } from "node:path";
import * as vscode from "vscode";
import { LanguageClient, State, TransportKind, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import { notifications, requests, type RequestMethod, type RequestParams, type RequestResult } from "#protocol/lsp";
import { serverSettings } from "../platform/config";
import { Owner } from "../platform/dispose";
import { ExpectedFailure, messageOf } from "../platform/errors";

export interface Progress {
  readonly token: string;
  readonly message: string;
  readonly fraction?: number | undefined;
}

/** How long a request waits for a server that is being started or restarted. */
const startPatienceMs = 15_000;

export class ServerClient extends Owner {
  private client: LanguageClient;
  private readonly stateEmitter = this.register(new vscode.EventEmitter<boolean>());
  private readonly progressEmitter = this.register(new vscode.EventEmitter<Progress>());
  /** Fires with true when the server went down and false when it is up again. */
  readonly onDidChangeDown = this.stateEmitter.event;
  readonly onProgress = this.progressEmitter.event;
  private answers: (method: string, handler: (params: unknown, token: vscode.CancellationToken) => Promise<unknown>) => void;
  private readonly handlers: [string, (params: unknown, token: vscode.CancellationToken) => Promise<unknown>][] = [];

  constructor(private readonly context: vscode.ExtensionContext, private readonly log: vscode.LogOutputChannel) {
    super();
    this.client = this.create();
    this.answers = (method, handler) => this.client.onRequest(method, handler);
    this.register(vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("tracemark")) this.sendSettings();
    }));
    this.register(vscode.workspace.onDidGrantWorkspaceTrust(() => this.sendSettings()));
  }

  private create(): LanguageClient {
    const module = join(this.context.extensionPath, "dist", "server.cjs");
    const serverOptions: ServerOptions = {
      run: { module, transport: TransportKind.ipc },
      debug: { module, transport: TransportKind.ipc, options: { execArgv: ["--nolazy", "--inspect=6009"] } },
    };
    const clientOptions: LanguageClientOptions = {
      documentSelector: [{ scheme: "file", pattern: "**/*.samples.jsonl" }, { scheme: "file", pattern: "**/tracemark.json" }],
      outputChannel: this.log,
      initializationOptions: { settings: serverSettings() },
      markdown: { isTrusted: false },
    };
    const client = new LanguageClient("tracemark", "Tracemark", serverOptions, clientOptions);
    client.onDidChangeState((event) => {
      if (event.newState === State.Running) this.sendSettings();
      if (event.newState !== State.Starting) this.stateEmitter.fire(event.newState === State.Stopped);
    });
    client.onNotification("tracemark/progress", (params: unknown) => {
      const parsed = notifications["tracemark/progress"].safeParse(params);
      if (parsed.success) this.progressEmitter.fire(parsed.data);
    });
    return client;
  }

  /** Starts the server; a failure is shown once and leaves labelling usable. */
  async start(): Promise<void> {
    for (const [method, handler] of this.handlers) this.answers(method, handler);
    try {
      await this.client.start();
    } catch (error) {
      this.log.error(`language server did not start: ${messageOf(error)}`);
      this.stateEmitter.fire(true);
    }
  }

  /** Answers a request of the server; to be called before `start`. */
  onRequest(method: string, handler: (params: unknown, token: vscode.CancellationToken) => Promise<unknown>): void {
    this.handlers.push([method, handler]);
  }

  get isDown(): boolean {
    return this.client.state === State.Stopped;
  }

  async restart(): Promise<void> {
    if (this.client.state === State.Running) await this.client.restart();
    else await this.client.start();
  }

  private sendSettings(): void {
    if (this.client.state !== State.Running) return;
    this.notify("tracemark/settings", serverSettings());
  }

  notify(method: keyof typeof notifications, params: unknown): void {
    if (this.client.state !== State.Running) return;
    void this.client.sendNotification(method, params).catch((error: unknown) => this.log.warn(`${method}: ${messageOf(error)}`));
  }

  private waitUntilRunning(): Promise<void> {
    if (this.client.state === State.Running) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        subscription.dispose();
        reject(new ExpectedFailure(vscode.l10n.t("The Tracemark server is not running. Labels are still saved."), {
          title: vscode.l10n.t("Restart the server"), run: () => void this.restart(),
        }));
      }, startPatienceMs);
      const subscription = this.client.onDidChangeState((event) => {
        if (event.newState !== State.Running) return;
        clearTimeout(timer);
        subscription.dispose();
        resolve();
      });
    });
  }

  /**
   * Sends a request and checks the answer with the protocol's schema. The server holds no state, so a request that
   * a crash cut off is sent once more when the server is up again.
   * @throws ExpectedFailure with the server's sentence, or when the server stays down
   */
  async request<M extends RequestMethod>(method: M, params: RequestParams<M>, token?: vscode.CancellationToken): Promise<RequestResult<M>> {
    for (let attempt = 1; ; attempt++) {
      await this.waitUntilRunning();
      const client = this.client;
      try {
        // An undefined token would travel as a second parameter.
        const answer: unknown = await (token ? client.sendRequest(method, params, token) : client.sendRequest(method, params));
        const parsed = requests[method].result.safeParse(answer);
        if (!parsed.success) throw new Error(`${method}: the server's answer does not fit the protocol: ${parsed.error.message}`);
        return parsed.data as RequestResult<M>;
      } catch (error) {
        if (token?.isCancellationRequested) throw new vscode.CancellationError();
        const sentence = expectedSentence(error);
        if (sentence !== undefined) throw new ExpectedFailure(sentence);
        const cutOff = client.state !== State.Running || /connection|disposed|closed|pending response/i.test(messageOf(error));
        if (!cutOff || attempt >= 2) throw error;
        this.log.warn(`${method}: cut off, asked again`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }

  override dispose(): void {
    super.dispose();
    void this.client.dispose().catch(() => undefined);
  }
}

/** Code of the response errors whose message is written for people (see `server/lsp/handlers/define.ts`). */
const expectedCode = -32001;

function expectedSentence(error: unknown): string | undefined {
  return error instanceof Error && (error as Error & { code?: unknown }).code === expectedCode ? error.message : undefined;
}
