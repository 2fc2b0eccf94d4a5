/** The settings, read where they are used; the manifest holds their defaults and bounds. */
import * as vscode from "vscode";
import type { Settings } from "#protocol/webview";
import type { ServerSettings } from "#protocol/lsp";

const section = () => vscode.workspace.getConfiguration("tracemark");

/** Settings that the view draws with. */
export function viewSettings(): Settings {
  const config = section();
  return {
    advance: config.get<Settings["advance"]>("labelling.advance", "next"),
    density: config.get<Settings["density"]>("view.density", "comfortable"),
    showReasoning: config.get("view.showReasoning", true),
    renderMarkdown: config.get("view.renderMarkdown", true), follow: followsFiles(),
  };
}

/** Whether open files are read again while they are still being written. */
export function followsFiles(): boolean {
  return section().get("view.followFile", true);
}

/** The annotator's name, or undefined while it was never given. */
export function annotatorName(): string | undefined {
  return section().get<string>("labelling.annotator", "").trim() || undefined;
}

/** Seconds below which a decision is marked as quick; 0 marks none. */
export function quickBelow(): number {
  return section().get("labelling.quickBelowSeconds", 2);
}

/** Share (0 to 1) of a queue with verdicts that comes blind first. */
export function blindShare(): number {
  return section().get("labelling.blindShare", 0.2);
}

/** Whether an adjudication hides who said what until it is decided. */
export function hideNames(): boolean {
  return section().get("labelling.hideNames", true);
}

/** Whether nothing may leave this machine. */
export function egressForbidden(): boolean {
  return section().get("monitors.forbidEgress", false);
}

/** Samples that a batch has in work at once, and what it may cost at most; 0 means no cap. */
export function batchSettings(): { readonly concurrency: number; readonly maxCostUsd: number; readonly maxTokens: number } {
  const config = section();
  return { concurrency: config.get("batches.concurrency", 4), maxCostUsd: config.get("batches.maxCostUsd", 0), maxTokens: config.get("batches.maxTokens", 0) };
}

/** Writes the annotator's name into the user's settings. */
export async function setAnnotatorName(name: string): Promise<void> {
  await section().update("labelling.annotator", name.trim(), vscode.ConfigurationTarget.Global);
}

/** What the language server needs of the settings. */
export function serverSettings(): ServerSettings {
  const config = section();
  return {
    includeReasoning: config.get("monitors.includeReasoning", true),
    monitors: config.get<Record<string, unknown>>("monitors.configured", {}),
    maxFileSizeMB: config.get("server.maxFileSizeMB", 4096),
    trusted: vscode.workspace.isTrusted,
  };
}
