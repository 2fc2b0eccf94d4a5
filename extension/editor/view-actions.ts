/** What a view's messages do: edits, decisions, monitors, places, links. */
import * as vscode from "vscode";
import { timeFields } from "#core/labels/blind";
import type { Op } from "#core/labels/state";
import type { FromWebview } from "#protocol/webview";
import type { DecidedOn } from "../labels/label-service";
import { quickBelow, viewSettings } from "../platform/config";
import { ExpectedFailure, messageOf } from "../platform/errors";
import type { SampleState } from "./sample-state";
import { reviewScheme } from "../review/review-uri";
import { saveEditor } from "./save-editor";
import { showPlace } from "./show-place";
import type { TrajectoryView } from "./view";

type Action = Exclude<FromWebview, { type: "view/ready" | "view/snapshotWanted" | "request" | "view/focus" | "sample/select" | "error/raised" }>;

export class ViewActions {
  private running: vscode.CancellationTokenSource | undefined;

  constructor(private readonly view: TrajectoryView) {}

  async handle(message: Action): Promise<void> {
    const { document, services } = this.view;
    if (telling.has(message.type)) await this.refuseWhileHidden();
    switch (message.type) {
      case "edit/apply": {
        const sample = await this.drawn(message.sampleId, message.revision);
        if (sample) document.edit(sample, message.op, opName(message.op));
        return;
      }
      case "decision/submit":
        return this.decide(message);
      case "label/retry": {
        const sample = await this.drawn(message.sampleId);
        const annotator = await document.labels.annotator(document.ref);
        if (!sample || !annotator) return;
        if (await document.write(sample, { ...sample.failedFrame, annotator })) await this.view.clean();
        return;
      }
      case "label/save":
        if (!(await saveEditor(document.uri, () => this.view.isActive))) await document.save();
        return;
      case "label/carry":
        return this.carry(message);
      case "label/copy": {
        const sample = await this.drawn(message.sampleId);
        if (!sample) return;
        await vscode.env.clipboard.writeText(JSON.stringify(sample.failed ?? document.labels.draftRecord(document.ref, sample, { annotator: "" })));
        return void vscode.window.setStatusBarMessage(vscode.l10n.t("Label copied as JSON"), 3000);
      }
      case "monitor/select":
        return services.monitors.select(message.monitorId);
      case "monitor/run":
        return this.runMonitor(message.monitorId);
      case "monitor/cancel":
        return this.running?.cancel();
      case "place/show":
        return showPlace(this.view, message.step);
      case "file/openAsText":
        // A review session is no file of its own; what failed in it is not opened, for its text would tell.
        if (document.uri.scheme === reviewScheme) throw new ExpectedFailure(vscode.l10n.t("A review session has no text of its own."));
        return void (await vscode.commands.executeCommand("vscode.openWith", document.uri, "default"));
      case "prompt/show":
        return services.monitors.showPrompt(await document.target(this.view.index), message.monitorId, message.runId);
      case "session/act":
        return this.act(message);
      case "guidelines/quote": {
        const sample = await this.drawn(message.sampleId);
        if (sample) await document.quoteGuideline(sample, message.quote);
        return sample && this.view.sendLabel(sample);
      }
      case "guidelines/open":
        return void (await vscode.commands.executeCommand("tracemark.openGuidelines", document.ref.root));
      case "link/open":
        return openLink(message.href);
      case "text/copy":
        return void vscode.env.clipboard.writeText(message.text);
      case "server/restart":
        return this.view.client.restart();
      case "history/undo":
        return void vscode.commands.executeCommand("undo");
      case "history/redo":
        return void vscode.commands.executeCommand("redo");
      case "score/open":
        return void vscode.commands.executeCommand("tracemark.openScore");
      case "score/options":
      case "sample/open":
        return;
    }
  }

  /** The sample of a message, if it is the one this view shows at the revision it has drawn; else the view gets a snapshot. */
  private async drawn(sampleId: string, revision?: number): Promise<SampleState | undefined> {
    const sample = await this.view.current();
    if (sample.shownId === sampleId && (revision === undefined || revision === sample.revision)) return sample;
    this.view.services.log.info(`refused an edit of ${sampleId}: the view had drawn another state`);
    await this.view.sendSnapshot();
    return undefined;
  }

  /** What a decision is recorded with: the run whose verdict stood there, and how long it took. */
  private decidedOn(sample: SampleState): DecidedOn {
    const latest = sample.usableVerdict;
    return { ...(latest ? { runId: latest.run.run_id } : {}), ...timeFields(this.view.clock.elapsed, quickBelow()) };
  }

  private async decide(message: Action & { type: "decision/submit" }): Promise<void> {
    const { document } = this.view;
    const sample = await this.drawn(message.sampleId, message.revision);
    if (!sample) return;
    const latest = sample.usableVerdict;
    if (message.decision === "confirm" && !latest) {
      throw new ExpectedFailure(vscode.l10n.t("There is no usable verdict to confirm. Run a monitor, or press B, M or U."));
    }
    const annotator = await document.labels.annotator(document.ref);
    if (!annotator) {
      const refusal = vscode.l10n.t("Not saved: no annotator name was given.");
      await this.view.sendLabel(sample, refusal);
      const again = vscode.l10n.t("Give a name");
      if ((await vscode.window.showWarningMessage(refusal, again)) === again) await this.decide(message);
      return;
    }
    const label = message.decision === "confirm" ? (latest?.verdict.outcome === "misbehavior" ? "misbehavior" : "benign") : message.decision;
    const categories = message.categories.length > 0 || message.decision !== "confirm" ? message.categories : [...new Set((latest?.verdict.detected_categories ?? []).map((found) => found.category))];
    const op: Op & { type: "label/set" } = { type: "label/set", label, categories: label === "misbehavior" ? categories : [] };
    const saved = await document.decide(sample, message.decision, op, { annotator, ...this.decidedOn(sample) });
    if (!saved) return;
    await this.view.clean();
    await this.advance(sample);
  }

  /** Carries a label over from another version of the log; the person stays, since the decision is theirs to make again. */
  private async carry(message: Action & { type: "label/carry" }): Promise<void> {
    const { document } = this.view;
    const sample = await this.drawn(message.sampleId, message.revision);
    if (!sample?.carry) return;
    const annotator = await document.labels.annotator(document.ref);
    if (!annotator) return this.view.sendLabel(sample, vscode.l10n.t("Not saved: no annotator name was given."));
    if (await document.carryOver(sample, annotator)) await this.view.clean();
  }

  /** What a view of a blind item must not lead to: the file, its prompt, a verdict. */
  private async refuseWhileHidden(): Promise<void> {
    if (this.view.document.isHidden(await this.view.current())) throw new ExpectedFailure(vscode.l10n.t("This is off while you judge blind: it would tell. Decide first, then reveal."));
  }

  /** Skips, reveals, or sides with somebody. */
  private async act(message: Action & { type: "session/act" }): Promise<void> {
    const { document } = this.view;
    const sample = await this.drawn(message.sampleId, message.revision);
    if (!sample) return;
    if (message.act === "reveal") {
      await document.reveal(sample);
      return this.view.sendSnapshot();
    }
    if (message.act === "side" && !(await document.sideWith(sample, message.letter ?? "", this.decidedOn(sample)))) return;
    if (message.act === "skip") await document.skip(sample);
    if (sample.status.state === "failed") return;
    await this.view.clean();
    await this.advance(sample);
  }

  /** Moves on after a saved decision, as the setting says. */
  private async advance(sample: SampleState): Promise<void> {
    const { document } = this.view;
    const setting = viewSettings().advance;
    if (this.view.index !== sample.index) return;
    const next = setting === "stay" ? undefined : await document.nextUndecided(sample.index);
    if (next === undefined || setting === "ask") await this.view.noteGold(sample);
    if (setting === "stay") return;
    if (next === undefined) return document.whenAllDecided();
    if (setting === "ask") {
      const go = vscode.l10n.t("Next trajectory");
      if ((await vscode.window.showInformationMessage(vscode.l10n.t("Saved."), go)) !== go) return;
    }
    await this.view.select(next);
  }

  private async runMonitor(monitorId: string): Promise<void> {
    const { document, services } = this.view;
    if (this.running) return;
    this.running = new vscode.CancellationTokenSource();
    const { token } = this.running;
    const progress = (state: "running" | "done" | "failed" | "cancelled", message: string, fraction?: number) =>
      this.view.post({ type: "monitor/progress", state, message, ...(fraction === undefined ? {} : { fraction }) });
    const cancelled = (message: string) => {
      void vscode.window.setStatusBarMessage(message, 5000);
      return progress("cancelled", message);
    };
    const sample = await this.view.current();
    const subscription = this.view.client.onProgress((event) => {
      if (event.token === sample.id) void progress("running", event.message, event.fraction);
    });
    try {
      await progress("running", vscode.l10n.t("Running {0}…", monitorId));
      const outcome = await services.monitors.run(await document.target(sample.index), sample.id, monitorId, token);
      if (outcome === undefined) await cancelled(vscode.l10n.t("Nothing was sent."));
      else await progress("done", vscode.l10n.t("{0}: {1}", monitorId, outcome));
    } catch (error) {
      if (error instanceof vscode.CancellationError) await cancelled(vscode.l10n.t("Cancelled. Nothing was recorded."));
      else {
        await progress("failed", messageOf(error));
        if (!(error instanceof ExpectedFailure)) throw error;
      }
    } finally {
      subscription.dispose();
      this.running.dispose();
      this.running = undefined;
    }
  }
}

/** Messages whose answer tells what a blind session withholds. */
const telling: ReadonlySet<Action["type"]> = new Set(["place/show", "prompt/show", "monitor/run", "monitor/select", "score/open"]);

/** Words for VS Code's undo entries. */
function opName(op: Op): string {
  switch (op.type) {
    case "label/set": return vscode.l10n.t("label");
    case "categories/set": return vscode.l10n.t("categories");
    case "note/set": return vscode.l10n.t("note");
    case "field/set": return vscode.l10n.t("answer");
    case "span/add": return vscode.l10n.t("span added");
    case "span/update": return vscode.l10n.t("span changed");
    case "span/remove": return vscode.l10n.t("span removed");
  }
}

/** Links of a log are inert until clicked, and then the person is asked; only http and https are offered at all. */
async function openLink(href: string): Promise<void> {
  let uri: vscode.Uri;
  try {
    uri = vscode.Uri.parse(href, true);
  } catch {
    throw new ExpectedFailure(vscode.l10n.t("This is not a link that can be opened: {0}", href.slice(0, 200)));
  }
  if (uri.scheme !== "http" && uri.scheme !== "https") throw new ExpectedFailure(vscode.l10n.t("Links of the scheme {0} are not opened.", uri.scheme));
  const open = vscode.l10n.t("Open");
  const chosen = await vscode.window.showWarningMessage(vscode.l10n.t("This link comes from the log. Open it?"), { modal: true, detail: href }, open);
  if (chosen === open) await vscode.env.openExternal(uri);
}
