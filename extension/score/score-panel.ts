/** The score view: one panel for each root, kept current while labels and runs change. */
import * as vscode from "vscode";
import { FromWebview, type ToWebview } from "#protocol/webview";
import type { ServerClient } from "../client/server-client";
import { webviewHtml, webviewOptions } from "../editor/html";
import type { LabelService } from "../labels/label-service";
import type { MonitorService } from "../monitors/monitor-service";
import { Owner } from "../platform/dispose";
import { messageOf, reportError } from "../platform/errors";
import type { ReviewService } from "../review/review-service";
import { saveExport } from "./save-export";
import { showSamples } from "./show-samples";
import { WatchedPart } from "./watched-part";

/** Labels arrive one after the other; the numbers follow after this pause. */
const settleMs = 120;

export interface ScoreServices {
  readonly client: ServerClient;
  readonly labels: LabelService;
  readonly monitors: MonitorService;
  readonly extensionUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  readonly review: ReviewService;
  openSample(root: string, sampleId: string): Promise<void>;
}

class ScorePanel extends Owner {
  private ready = false;
  private labelsShown: "all" | "blind" = "all";
  private runShown: string | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly part: WatchedPart;
  /** File with published rates to set beside the runs. */
  private reference: string | undefined;
  private looked: Extract<FromWebview, { type: "score/partWanted" }> | undefined;

  constructor(readonly root: string, readonly panel: vscode.WebviewPanel, private readonly services: ScoreServices, onClosed: () => void) {
    super();
    panel.webview.options = webviewOptions(services.extensionUri);
    this.part = this.register(new WatchedPart(services.client, (message) => this.post(message)));
    this.register(panel.webview.onDidReceiveMessage((message: unknown) => void this.receive(message)));
    this.register(services.labels.onDidChange((changed) => changed === root && this.refreshSoon()));
    this.register(services.monitors.onDidChangeVerdicts((changed) => (changed === undefined || changed === root) && this.refreshSoon()));
    this.register(services.review.onDidChange(() => services.review.root === root && services.review.look.runId !== undefined && services.review.look.runId !== this.runShown && this.refreshSoon()));
    this.register(services.client.onDidChangeDown((down) => !down && this.refreshSoon()));
    this.register(panel.onDidChangeViewState(() => panel.visible && this.refreshSoon()));
    panel.onDidDispose(() => {
      this.dispose();
      clearTimeout(this.timer);
      onClosed();
    });
    panel.webview.html = webviewHtml(panel.webview, services.extensionUri, "score", vscode.l10n.t("Reading the scores…"));
  }

  private refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), settleMs);
  }

  private async post(message: ToWebview): Promise<void> {
    if (this.ready && !this.isDisposed) await this.panel.webview.postMessage(message);
  }

  private async refresh(): Promise<void> {
    if (!this.ready || !this.panel.visible) return;
    try {
      const score = await this.services.client.request("tracemark/score", { root: this.root, labels: this.labelsShown });
      this.runShown = await this.chosenRun();
      const run = this.runShown === undefined ? {} : { runId: this.runShown };
      await this.post({ type: "score/snapshot", score: { workspace: this.root, ...score, ...run, labels: this.labelsShown, updatedAt: new Date().toISOString() } });
      void this.part.refresh(this.labelsShown);
    } catch (error) {
      this.services.log.warn(`score: ${messageOf(error)}`);
      await this.post({ type: "error/raised", message: messageOf(error) });
    }
  }

  /** The run that queue and status bar speak of; undefined for another root than theirs. */
  private async chosenRun(): Promise<string | undefined> {
    const { review } = this.services;
    if (review.root !== this.root) return undefined;
    return review.look.runId ?? (await review.request("tracemark/rates", { root: this.root })).run?.runId;
  }

  private async receive(message: unknown): Promise<void> {
    const parsed = FromWebview.safeParse(message);
    if (!parsed.success) return this.services.log.warn(`score view: ${parsed.error.message}`);
    try {
      await this.follow(parsed.data);
    } catch (error) {
      reportError(this.services.log, error, "score view");
    }
  }

  private async follow(message: FromWebview): Promise<void> {
    switch (message.type) {
      case "view/ready":
      case "view/snapshotWanted":
        this.ready = true;
        return this.refresh();
      case "score/options":
        this.labelsShown = message.labels ?? this.labelsShown;
        // One run is the chosen one: queue, status bar and scores speak of the same.
        if (message.runId !== undefined && this.services.review.root === this.root) await this.services.review.setLook({ runId: message.runId });
        return message.labels === undefined ? undefined : this.refresh();
      case "score/partWanted":
        this.looked = message;
        return this.look();
      case "score/samples":
        return showSamples(this.services.review, this.services.client, this.root, this.labelsShown, message);
      case "score/export":
        return saveExport(this.root, message);
      case "score/reference":
        return this.chooseReference(message.forget === true);
      case "sample/open":
        return this.services.openSample(this.root, message.sampleId);
      case "trajectory/open":
        return this.openTrajectory();
      case "error/raised":
        return this.services.log.error(`score view: ${message.message}`);
      default:
        return;
    }
  }

  private look(): Promise<void> {
    const { part, gold, runs } = this.looked ?? { part: null, gold: "corrected" as const, runs: [] };
    const more = part === "generalisation" && this.reference !== undefined ? { reference: this.reference } : {};
    return this.part.watch(part === null ? undefined : { root: this.root, labels: this.labelsShown, gold, part, runs, ...more });
  }

  private async chooseReference(forget: boolean): Promise<void> {
    if (!forget) {
      const chosen = await vscode.window.showOpenDialog({
        canSelectMany: false, defaultUri: vscode.Uri.file(this.root), filters: { CSV: ["csv"] }, title: vscode.l10n.t("Choose published rates (trained_on, tested_on, metric, value)"),
      });
      if (!chosen?.[0]) return;
      this.reference = chosen[0].fsPath;
    } else this.reference = undefined;
    await this.look();
  }

  private async openTrajectory(): Promise<void> {
    const chosen = await vscode.window.showOpenDialog({ canSelectMany: false, defaultUri: vscode.Uri.file(this.root), title: vscode.l10n.t("Open a trajectory") });
    if (chosen?.[0]) await vscode.commands.executeCommand("tracemark.openAsTrajectory", chosen[0]);
  }
}

export class ScorePanels extends Owner {
  private readonly panelByRoot = new Map<string, ScorePanel>();

  constructor(private readonly services: ScoreServices) {
    super();
  }

  /** Shows the score view of a root, beside what is open. */
  open(root: string): void {
    const existing = this.panelByRoot.get(root);
    if (existing) return existing.panel.reveal();
    const panel = vscode.window.createWebviewPanel("tracemark.score", vscode.l10n.t("Scores"), { viewColumn: vscode.ViewColumn.Beside, preserveFocus: false }, webviewOptions(this.services.extensionUri));
    this.panelByRoot.set(root, new ScorePanel(root, panel, this.services, () => this.panelByRoot.delete(root)));
  }

  /** Closes every score view: nothing in sight may tell while somebody judges blind. */
  closeAll(): void {
    for (const { panel } of [...this.panelByRoot.values()]) panel.dispose();
  }

  override dispose(): void {
    for (const { panel } of this.panelByRoot.values()) panel.dispose();
    super.dispose();
  }
}
