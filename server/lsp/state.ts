/** What the server keeps between requests: caches and settings, all of which can be thrown away and rebuilt. */
import { CancellationTokenSource, type Connection } from "vscode-languageserver/node";
import { ExpectedFailure } from "#node/expected-failure";
import { clientRequests, type ServerSettings } from "#protocol/lsp";
import { Batches } from "./batches";
import { EditorRuns } from "./editor-run";
import { Files } from "./files";
import { ExpectedError } from "./handlers/define";
import { KnownContents } from "./known-contents";
import { LiveScores } from "./live-scores";
import { Queues } from "./queues";
import { Workspaces } from "./workspaces";

declare const __VERSION__: string;

export class ServerState {
  readonly version = __VERSION__;
  settings: ServerSettings = { includeReasoning: true, monitors: {}, maxFileSizeMB: 4096, trusted: false };
  readonly workspaces: Workspaces;
  readonly files: Files;
  readonly runs = new EditorRuns();
  readonly queues = new Queues();
  readonly contents = new KnownContents();
  readonly live = new LiveScores();
  readonly batches: Batches;

  constructor(private readonly connection: Connection) {
    this.workspaces = new Workspaces(() => this.settings);
    this.files = new Files(this.workspaces, () => this.settings.maxFileSizeMB * 1024 * 1024, (uri) => void this.connection.sendNotification("tracemark/grown", { uri }));
    this.batches = new Batches({
      complete: (request, signal) => this.complete(request, signal),
      tell: (batch) => void this.connection.sendNotification("tracemark/batch", batch),
      log: (line) => this.connection.console.warn(line),
    });
  }

  private async complete(request: object, signal: AbortSignal) {
    try {
      return clientRequests["tracemark/complete"].result.parse(await this.ask("tracemark/complete", request, signal));
    } catch (error) {
      return { reason: signal.aborted ? "cancelled" : "error", message: error instanceof Error ? error.message : String(error), attempts: 0, latencyMs: 0 };
    }
  }

  /** The sentence for people that an error carries; undefined for a bug. */
  sentenceOf(error: unknown): string | undefined {
    if (error instanceof ExpectedFailure) return error.sentence();
    return error instanceof ExpectedError ? error.message : undefined;
  }

  /** Asks the client; with `signal` the request is cancelled there too, and the answer is not waited for. */
  ask(method: keyof typeof clientRequests, params: unknown, signal: AbortSignal): Promise<unknown> {
    const source = new CancellationTokenSource();
    const cancelled = new Promise<never>((_resolve, reject) => {
      const cancel = () => {
        source.cancel();
        reject(new ExpectedError("Cancelled; nothing was recorded."));
      };
      if (signal.aborted) cancel();
      else signal.addEventListener("abort", cancel, { once: true });
    });
    return Promise.race([cancelled, ...(signal.aborted ? [] : [this.connection.sendRequest(method, params, source.token)])]);
  }

  progress(token: string, message: string, fraction?: number): void {
    void this.connection.sendNotification("tracemark/progress", { token, message, ...(fraction === undefined ? {} : { fraction }) });
  }
}
