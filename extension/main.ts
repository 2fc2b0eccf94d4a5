/** Activation: builds the application and hands it to VS Code. */
import type * as vscode from "vscode";
import { App } from "./app";

let app: App | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const begun = performance.now();
  app = new App(context);
  context.subscriptions.push(app);
  // Editors open while the server starts; their first request waits for it.
  void app.start(begun);
}

export async function deactivate(): Promise<void> {
  await app?.stop();
}
