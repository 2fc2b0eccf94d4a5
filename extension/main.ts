/** Activation: builds the application and hands it to VS Code. */
import type * as vscode from "vscode";
import { App } from "./app";

let app: App | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  app = new App(context);
  context.subscriptions.push(app);
  await app.start();
}

export async function deactivate(): Promise<void> {
  await app?.stop();
}
