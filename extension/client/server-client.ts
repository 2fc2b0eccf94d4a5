/** The language server as the host sees it: typed requests, restart after a crash, one event for up and down. */
import * as vscode from "vscode";
import { State, type LanguageClient } from "vscode-languageclient/node";
import type { BatchState } from "#protocol/batches";
import { notifications, requests, type RequestMethod, type RequestParams, type RequestResult } from "#protocol/lsp";
import { serverSettings } from "../platform/config";
import { Owner } from "../platform/dispose";
import { ExpectedFailure, messageOf } from "../platform/errors";
import { createLanguageClient } from "./language-client";

export interface Progress {
  readonly token: string;
  readonly message: string;
  readonly fraction?: number | undefined;
}

/** The server is not there: nothing is wrong with what was asked, and it can be asked again once the server is up. */
export class ServerDown extends ExpectedFailure {
  constructor(restart: () => unknown) {
    super(vscode.l10n.t("The Tracemark server is not running. Labels are still saved."), { title: vscode.l10n.t("Restart the server"), run: restart });
  }
}

type Answer = (params: unknown, token: vscode.CancellationToken) => Promise<unknown>;

/** How long a request waits for a server that is being started or restarted. */
const startPatienceMs = 15_000;
/** A server that has not answered its first request by then counts as one that ended. */
const startLimitMs = 60_000;
/** A server that ended more often than this within the time is not started again unasked. */
const crashesForgiven = 4;
const crashWindowMs = 180_000;

export class ServerClient extends Owner {
  private client: LanguageClient;
  private readonly stateEmitter = this.register(new vscode.EventEmitter<boolean>());
  private readonly progressEmitter = this.register(new vscode.EventEmitter<Progress>());
  /** Fires with true when the server went down and false when it is up again. */
  readonly onDidChangeDown = this.stateEmitter.event;
  readonly onProgress = this.progressEmitter.event;
  private readonly grownEmitter = this.register(new vscode.EventEmitter<string>());
  /** The URI of a long file that the server has now read to its end. */
  readonly onDidGrow = this.grownEmitter.event;
  private readonly batchEmitter = this.register(new vscode.EventEmitter<BatchState>());
  /** How a run over many samples is getting on. */
  readonly onBatch = this.batchEmitter.event;
  private readonly answers: [string, Answer][] = [];
  /** When the server ended by itself, in milliseconds; only the last `crashWindowMs` are kept. */
  private crashes: number[] = [];
  private isGivenUp = false;

  constructor(private readonly context: vscode.ExtensionContext, private readonly log: vscode.LogOutputChannel) {
    super();
    this.client = this.create();
    this.register(vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("tracemark")) this.sendSettings();
    }));
    this.register(vscode.workspace.onDidGrantWorkspaceTrust(() => this.sendSettings()));
  }

  private create(): LanguageClient {
    const client = createLanguageClient(this.context.extensionPath, this.log, serverSettings());
    client.onDidChangeState(({ newState }) => {
      if (client !== this.client || this.isDisposed || newState === State.Starting) return;
      if (newState === State.Running) this.sendSettings();
      this.stateEmitter.fire(this.isDown);
      if (this.isDown) void this.recover();
    });
    client.onNotification("tracemark/progress", (params: unknown) => {
      const parsed = notifications["tracemark/progress"].safeParse(params);
      if (parsed.success) this.progressEmitter.fire(parsed.data);
    });
    client.onNotification("tracemark/batch", (params: unknown) => {
      const parsed = notifications["tracemark/batch"].safeParse(params);
      if (parsed.success) this.batchEmitter.fire(parsed.data);
    });
    client.onNotification("tracemark/grown", (params: unknown) => {
      const parsed = notifications["tracemark/grown"].safeParse(params);
      if (parsed.success) this.grownEmitter.fire(parsed.data.uri);
    });
    for (const [method, answer] of this.answers) client.onRequest(method, answer);
    return client;
  }

  /** Starts the server; one that does not start is tried again as one that crashed. */
  async start(): Promise<void> {
    const { client } = this;
    const limit = setTimeout(() => {
      if (client !== this.client || client.state === State.Running) return;
      this.log.error("the language server does not answer");
      void this.recover();
    }, startLimitMs);
    try {
      await client.start();
    } catch (error) {
      this.log.error(`language server did not start: ${messageOf(error)}`);
    } finally {
      clearTimeout(limit);
    }
  }

  /** Answers a request of the server; to be called before `start`. */
  onRequest(method: string, answer: Answer): void {
    this.answers.push([method, answer]);
    this.client.onRequest(method, answer);
  }

  get isDown(): boolean {
    return this.client.state === State.Stopped || this.client.state === State.StartFailed;
  }

  /** Starts a new server in place of the one there is. */
  async restart(): Promise<void> {
    this.crashes = [];
    this.isGivenUp = false;
    await this.startAnother();
  }

  private async startAnother(): Promise<void> {
    const before = this.client;
    this.client = this.create();
    void before.dispose().catch(() => undefined);
    await this.start();
  }

  /** The server ended by itself: it is started again, unless it keeps ending; then the person is told, once. */
  private async recover(): Promise<void> {
    const now = Date.now();
    this.crashes = [...this.crashes.filter((time) => now - time < crashWindowMs), now];
    if (this.crashes.length <= crashesForgiven) {
      this.log.warn("the language server ended; it is started again");
      return this.startAnother();
    }
    this.isGivenUp = true;
    const restart = vscode.l10n.t("Restart the server");
    const message = vscode.l10n.t("The Tracemark server ended {0} times within three minutes and is not started again. Labels are still saved.", this.crashes.length);
    this.log.error(message);
    if ((await vscode.window.showErrorMessage(message, restart)) === restart && this.isGivenUp) await this.restart();
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
      const refuse = () => {
        subscription.dispose();
        reject(new ServerDown(() => this.restart()));
      };
      const timer = setTimeout(refuse, this.isGivenUp ? 0 : startPatienceMs);
      const subscription = this.onDidChangeDown((down) => {
        if (down) return;
        clearTimeout(timer);
        subscription.dispose();
        resolve();
      });
    });
  }

  /**
   * Sends a request and checks the answer with the protocol's schema. The server holds no state, so a request that
   * a crash cut off is sent once more when the server is up again.
   * @throws ExpectedFailure with the server's sentence, ServerDown when it stays down
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
        if (!cutOff) throw error;
        if (attempt >= 2) throw new ServerDown(() => this.restart());
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
