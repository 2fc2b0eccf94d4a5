/** What the server keeps between requests: caches and settings, all of which can be thrown away and rebuilt. */
import type { Connection } from "vscode-languageserver/node";
import { ExpectedFailure } from "#node/expected-failure";
import type { clientRequests, ServerSettings } from "#protocol/lsp";
import { Files } from "./files";
import { ExpectedError } from "./handlers/define";
import { Workspaces } from "./workspaces";

declare const __VERSION__: string;

export class ServerState {
  readonly version = __VERSION__;
  settings: ServerSettings = { includeReasoning: true, monitors: {}, maxFileSizeMB: 512, trusted: false };
  readonly workspaces: Workspaces;
  readonly files: Files;

  constructor(private readonly connection: Connection) {
    this.workspaces = new Workspaces(() => this.settings);
    this.files = new Files(this.workspaces, () => this.settings.maxFileSizeMB * 1024 * 1024);
  }

  /** Whether an error carries a sentence for people. */
  isExpected(error: unknown): boolean {
    if (error instanceof ExpectedFailure) error.message = error.sentence();
    return error instanceof ExpectedFailure || error instanceof ExpectedError;
  }

  /** Asks the client; cancelled with `signal`. */
  ask(method: keyof typeof clientRequests, params: unknown, signal: AbortSignal): Promise<unknown> {
    const cancelled = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new ExpectedError("Cancelled; nothing was recorded.")), { once: true });
    });
    return Promise.race([this.connection.sendRequest(method, params), cancelled]);
  }

  progress(token: string, message: string, fraction?: number): void {
    void this.connection.sendNotification("tracemark/progress", { token, message, ...(fraction === undefined ? {} : { fraction }) });
  }
}
