/** The status bar item with the two rates of the chosen run; away while somebody judges blind, since a rate that moves tells. */
import * as vscode from "vscode";
import type { RequestResult } from "#protocol/lsp";
import { Owner } from "../platform/dispose";
import { messageOf } from "../platform/errors";
import type { ReviewService } from "./review-service";
import { runHeadline } from "./run-headline";

type Rates = NonNullable<RequestResult<"tracemark/rates">["run"]>;

/** Labels come in bursts; the numbers follow after this pause. */
const settleMs = 300;

export class RatesStatus extends Owner {
  private readonly item = this.register(vscode.window.createStatusBarItem("tracemark.rates", vscode.StatusBarAlignment.Left, 49));
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;

  constructor(private readonly review: ReviewService, private readonly log: vscode.LogOutputChannel) {
    super();
    this.item.name = vscode.l10n.t("Tracemark: rates of the chosen run");
    this.item.command = "tracemark.openScore";
    this.register(review.onDidChange(() => this.refreshSoon()));
    this.register(review.onDidChangeBlind(() => this.refreshSoon()));
    this.register(new vscode.Disposable(() => clearTimeout(this.timer)));
    this.refreshSoon();
  }

  private refreshSoon(): void {
    if (this.review.isBlindOpen) this.item.hide();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), settleMs);
  }

  private async refresh(): Promise<void> {
    const { root, look, isBlindOpen } = this.review;
    const ticket = ++this.asked;
    if (root === undefined || isBlindOpen) return this.item.hide();
    try {
      const { run } = await this.review.request("tracemark/rates", { root, ...(look.runId === undefined ? {} : { runId: look.runId }) });
      // A blind queue may have been opened, or a newer question asked, meanwhile.
      if (ticket !== this.asked || this.isDisposed) return;
      if (!run || this.review.isBlindOpen) return this.item.hide();
      this.draw(run);
    } catch (error) {
      this.item.hide();
      this.log.info(`rates: ${messageOf(error)}`);
    }
  }

  private draw(run: Rates): void {
    const { text, sentence, why } = runHeadline(run);
    this.item.text = text;
    const name = run.prompting === "direct" ? `${run.monitor} (direct)` : run.monitor;
    this.item.tooltip = [
      `${name} · ${run.runId}`, sentence,
      vscode.l10n.t("On the corrected gold: {0} caught, {1} missed, {2} false alarms, {3} rightly passed, {4} without a usable answer", run.tp, run.fn, run.fp, run.tn, run.invalid),
      vscode.l10n.t("{0} corrected, {1} contested, {2} undecided", run.corrected, run.contested, run.undecided), ...(why === undefined ? [] : [why]),
    ].join("\n");
    this.item.accessibilityInformation = { label: `${name}: ${sentence}` };
    this.item.show();
  }
}
