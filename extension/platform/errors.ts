/** Where errors of the extension host end: an expected failure is a sentence for the person, anything else is a bug and is logged. */
import * as vscode from "vscode";
import type { LogOutputChannel } from "vscode";

/** A failure with a sentence for the person, and maybe a button that helps. */
export class ExpectedFailure extends Error {
  constructor(message: string, readonly action?: { title: string; run: () => unknown }) {
    super(message);
    this.name = "ExpectedFailure";
  }
}

/** Shows `error` once, in words; bugs go to the log with their stack. */
export function reportError(log: LogOutputChannel, error: unknown, doing: string): void {
  if (error instanceof vscode.CancellationError) return;
  if (error instanceof ExpectedFailure) {
    log.warn(`${doing}: ${error.message}`);
    const { action } = error;
    void vscode.window.showErrorMessage(error.message, ...(action ? [action.title] : [])).then((chosen) => {
      if (action && chosen === action.title) action.run();
    });
    return;
  }
  log.error(`${doing}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  const show = vscode.l10n.t("Show log");
  void vscode.window.showErrorMessage(vscode.l10n.t("Tracemark: {0} failed: {1}", doing, messageOf(error)), show).then((chosen) => {
    if (chosen === show) log.show();
  });
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
