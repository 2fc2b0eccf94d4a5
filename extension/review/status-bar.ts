/** The status bar item: that Tracemark is there, and what the active trajectory's label is. */
import * as vscode from "vscode";
import type { EditorRegistry } from "../editor/registry";
import { Owner } from "../platform/dispose";
import type { ReviewService } from "./review-service";

export class ReviewStatus extends Owner {
  private readonly item = this.register(vscode.window.createStatusBarItem("tracemark.status", vscode.StatusBarAlignment.Left, 50));
  private readonly perView: vscode.Disposable[] = [];

  constructor(private readonly registry: EditorRegistry, private readonly review: ReviewService) {
    super();
    this.item.name = "Tracemark";
    this.item.command = "tracemark.openScore";
    this.register(registry.onDidChangeActive(() => this.follow()));
    this.register(review.onDidChangeBlind(() => this.draw()));
    this.follow();
    this.item.show();
  }

  private follow(): void {
    for (const subscription of this.perView.splice(0)) subscription.dispose();
    const view = this.registry.active;
    if (view) this.perView.push(view.document.onDidChangeLabel(() => this.draw()), view.onDidDraw(() => this.draw()));
    this.draw();
  }

  private draw(): void {
    const view = this.registry.active;
    const sample = view?.document.loadedSample(view.index);
    const isBlind = this.review.isBlindOpen;
    this.item.command = isBlind ? "tracemark.queue.focus" : "tracemark.openScore";
    this.item.tooltip = isBlind ? vscode.l10n.t("Tracemark: a blind review is open, scores stay hidden") : vscode.l10n.t("Tracemark: open the score view");
    if (!sample) {
      this.item.text = "$(tag) Tracemark";
      return;
    }
    const icon = { pending: "$(tag)", draft: "$(edit)", saving: "$(sync~spin)", saved: "$(check)", failed: "$(error)" }[sample.status.state];
    this.item.text = `${icon} Tracemark: ${sample.state.label ?? vscode.l10n.t("no label")} · ${sample.status.state}`;
    this.item.backgroundColor = sample.status.state === "failed" ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
  }

  override dispose(): void {
    for (const subscription of this.perView.splice(0)) subscription.dispose();
    super.dispose();
  }
}
