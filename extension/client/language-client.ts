/** The library's client as this extension sets it up: it starts one server process once, and leaves what comes after a crash to its owner. */
import { join } from "node:path";
import type { LogOutputChannel } from "vscode";
import { CloseAction, ErrorAction, LanguageClient, TransportKind, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import type { ServerSettings } from "#protocol/lsp";

/** What goes wrong is logged; whether a person is told, and when, is for the owner to say. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/**
 * A client that is not started yet. Each is started once: a client that a crash caught while it was starting cannot be
 * started again (it takes the failure of its first start for that of its second).
 */
export function createLanguageClient(extensionPath: string, log: LogOutputChannel, settings: ServerSettings): LanguageClient {
  const module = join(extensionPath, "dist", "server.cjs");
  const serverOptions: ServerOptions = {
    run: { module, transport: TransportKind.ipc },
    debug: { module, transport: TransportKind.ipc, options: { execArgv: ["--nolazy", "--inspect=6009"] } },
  };
  const clientOptions: LanguageClientOptions = {
    documentSelector: [{ scheme: "file", pattern: "**/*.samples.jsonl" }, { scheme: "file", pattern: "**/tracemark.json" }],
    outputChannel: log,
    initializationOptions: { settings },
    markdown: { isTrusted: false },
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true, message: "the connection to the server was closed" }),
    },
  };
  return new QuietClient("tracemark", "Tracemark", serverOptions, clientOptions);
}
