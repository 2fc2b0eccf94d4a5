/** Runs over many samples in the editor: begun, watched, paused, gone on with. The server does the work. */
import { join } from "node:path";
import * as vscode from "vscode";
import type { BatchAsked, BatchState } from "#protocol/batches";
import type { ServerClient } from "../client/server-client";
import { batchSettings } from "../platform/config";
import { Owner } from "../platform/dispose";
import { endWords, isUnderWay, progressWords } from "./batch-words";

export class BatchService extends Owner {
  private readonly changeEmitter = this.register(new vscode.EventEmitter<BatchState>());
  private readonly endEmitter = this.register(new vscode.EventEmitter<BatchState>());
  /** A run got on, or ended. */
  readonly onDidChange = this.changeEmitter.event;
  readonly onDidEnd = this.endEmitter.event;
  private readonly states = new Map<string, BatchState>();
  private readonly warned = new Map<string, number>();
  private readonly bar = this.register(vscode.window.createStatusBarItem("tracemark.batches", vscode.StatusBarAlignment.Left, 5));

  constructor(private readonly client: ServerClient, private readonly log: vscode.LogOutputChannel) {
    super();
    this.bar.name = vscode.l10n.t("Tracemark runs");
    this.bar.command = "tracemark.manageBatches";
    this.register(client.onBatch((state) => this.heard(state)));
    // What a server that ended had under way is cut off; the run files say how far it came.
    // It may have been replaced by another one without a word that it was down.
    this.register(client.onDidChangeDown(() => this.cutOff()));
  }

  /** Those that this editor has under way. */
  get underWay(): readonly BatchState[] {
    return [...this.states.values()].filter(isUnderWay);
  }

  stateOf(runId: string): BatchState | undefined {
    return this.states.get(runId);
  }

  /** Begins or goes on; resolves with the run id. @throws ExpectedFailure */
  async start(asked: BatchAsked): Promise<string> {
    const { concurrency, maxCostUsd, maxTokens } = batchSettings();
    const caps = { ...(maxCostUsd > 0 ? { maxCostUsd } : {}), ...(maxTokens > 0 ? { maxTokens } : {}) };
    const { runId } = await this.client.request("tracemark/batchStart", { ...asked, ...caps, concurrency });
    this.log.info(`run ${runId} is under way`);
    return runId;
  }

  async stop({ root, runId }: BatchState, how: "pause" | "cancel"): Promise<void> {
    await this.client.request("tracemark/batchStop", { root, runId, how });
  }

  private heard(state: BatchState): void {
    if (isUnderWay(state)) this.states.set(state.runId, state);
    else this.states.delete(state.runId);
    this.draw();
    this.changeEmitter.fire(state);
    this.warn(state);
    if (isUnderWay(state)) return;
    this.warned.delete(state.runId);
    this.log.info(`run ${state.runId}: ${state.state}, ${progressWords(state)}${state.message ? `: ${state.message}` : ""}`);
    this.endEmitter.fire(state);
    void this.tellEnd(state);
  }

  /** Each warning of a run once, while it is under way. */
  private warn({ runId, monitor, warnings = [] }: BatchState): void {
    for (const text of warnings.slice(this.warned.get(runId) ?? 0)) {
      this.log.warn(`run ${runId}: ${text}`);
      void vscode.window.showWarningMessage(`${monitor}: ${text}`);
    }
    this.warned.set(runId, warnings.length);
  }

  private cutOff(): void {
    const cut = this.underWay;
    this.states.clear();
    this.draw();
    for (const state of cut) this.endEmitter.fire({ ...state, state: "stopped" });
    if (cut.length > 0) void vscode.window.showWarningMessage(vscode.l10n.t("The server ended while {0} was under way. What it had judged is on disk; go on from the Runs view.", cut.map(({ monitor }) => monitor).join(", ")));
  }

  private async tellEnd(state: BatchState): Promise<void> {
    const words = endWords(state);
    const scores = vscode.l10n.t("Open the scores");
    const again = vscode.l10n.t("Go on");
    if (state.state === "done") {
      if ((await vscode.window.showInformationMessage(words, scores)) === scores) await vscode.commands.executeCommand("tracemark.openScore", vscode.Uri.file(join(state.root, "tracemark.json")));
      return;
    }
    const show = state.state === "paused" || state.state === "cancelled" ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
    if ((await show(words, again)) === again) await vscode.commands.executeCommand("tracemark.resumeBatch", state);
  }

  private draw(): void {
    const all = this.underWay;
    const [first] = all;
    if (!first) return this.bar.hide();
    this.bar.text = `$(beaker) ${first.monitor} ${progressWords(first)}${all.length > 1 ? ` (+${all.length - 1})` : ""}`;
    this.bar.tooltip = all.map((state) => `${state.runId}: ${progressWords(state)}`).join("\n");
    this.bar.accessibilityInformation = { label: vscode.l10n.t("Tracemark run {0}: {1}", first.monitor, progressWords(first)), role: "button" };
    this.bar.show();
  }
}
