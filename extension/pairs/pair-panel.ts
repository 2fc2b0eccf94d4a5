/** The pair view: both halves of a pair beside each other, kept current while they are edited and labelled. */
import * as vscode from "vscode";
import { spanToUtf16 } from "#core/evidence/span";
import { alignSteps } from "#core/pairs/align";
import type { PairStep } from "#core/pairs/pair-status";
import { partPosition, type Step } from "#core/trajectory/model";
import type { Span } from "#core/workspace/schemas";
import { FromPairView, type HalfFacts, type HalfSpan, type HalfView, type PairRow, type ToPairView } from "#protocol/pairs";
import { webviewHtml, webviewOptions } from "../editor/html";
import { annotatorName } from "../platform/config";
import { Owner } from "../platform/dispose";
import { ExpectedFailure, messageOf, reportError } from "../platform/errors";
import { authoredViewType, type AuthoredEditorProvider, type AuthoredServices } from "./authored-provider";

/** Saves and labels come in bursts; the page follows after this pause. */
const settleMs = 150;

export interface PairServices extends AuthoredServices {
  readonly authored: AuthoredEditorProvider;
  openSample(root: string, sampleId: string): Promise<void>;
}

interface Half {
  readonly facts: HalfFacts;
  readonly path: string;
  readonly steps: readonly Step[];
}

const stepCommands: Readonly<Record<PairStep, string>> = { send: "tracemark.sendPair", accept: "tracemark.acceptPair", reject: "tracemark.rejectPair" };

function pairParams(root: string, sampleId: string): { root: string; sampleId: string; annotator?: string } {
  const annotator = annotatorName();
  return { root, sampleId, ...(annotator === undefined ? {} : { annotator }) };
}

class PairPanel extends Owner {
  private isReady = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private halves: readonly Half[] = [];

  constructor(readonly panel: vscode.WebviewPanel, readonly root: string, readonly sampleId: string, private readonly services: PairServices, onClosed: () => void) {
    super();
    panel.webview.options = webviewOptions(services.extensionUri);
    this.register(panel.webview.onDidReceiveMessage((message: unknown) => void this.receive(message)));
    this.register(services.labels.onDidChange((changed) => changed === root && this.refreshSoon()));
    this.register(services.authored.onDidSave((document) => document.root === root && this.refreshSoon()));
    this.register(vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("tracemark.labelling.annotator") && this.refreshSoon()));
    this.register(panel.onDidChangeViewState(() => panel.visible && this.refreshSoon()));
    panel.onDidDispose(() => {
      clearTimeout(this.timer);
      this.dispose();
      onClosed();
    });
    panel.webview.html = webviewHtml(panel.webview, services.extensionUri, "pair", vscode.l10n.t("Reading the pair…"));
  }

  refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), settleMs);
  }

  private async post(message: ToPairView): Promise<void> {
    if (this.isReady && !this.isDisposed) await this.panel.webview.postMessage(message);
  }

  private async refresh(): Promise<void> {
    if (!this.isReady || !this.panel.visible) return;
    try {
      const { client, labels } = this.services;
      const { pairId, halves, findings, review } = await client.request("tracemark/pair", pairParams(this.root, this.sampleId));
      // A label that this person gives from now on is not blind.
      for (const { id } of halves) this.services.sight.note(this.root, id, ["original", ...(review.judges.some(({ annotator }) => annotator !== annotatorName()) ? ["others" as const] : [])]);
      this.halves = await Promise.all(halves.slice(0, 2).map((facts) => this.read(facts)));
      const [left, right] = [this.halves[0]?.steps ?? [], this.halves[1]?.steps ?? []];
      const rows: PairRow[] = alignSteps(left, right).map((row) => ({ ...row }));
      const differing = rows.filter(({ kind }) => kind !== "equal");
      const pick = (steps: readonly Step[], side: "left" | "right"): Step[] => differing.flatMap((row) => (row[side] === undefined ? [] : (steps[row[side]] ?? [])));
      const categories = (await labels.taxonomy({ uri: "", root: this.root })).map(({ id, title }) => ({ id, title }));
      await this.post({ type: "pair/snapshot", snapshot: { pairId, halves: await Promise.all(this.halves.map((half) => this.view(half))), rows, findings, review, categories, left: pick(left, "left"), right: pick(right, "right") } });
    } catch (error) {
      this.services.log.warn(`pair: ${messageOf(error)}`);
      await this.post({ type: "error/raised", message: messageOf(error) });
    }
  }

  private async read(facts: HalfFacts): Promise<Half> {
    const { client } = this.services;
    const found = (await client.request("tracemark/sampleRefs", { root: this.root, ids: [facts.id] })).samples[0];
    if (!found) throw new ExpectedFailure(vscode.l10n.t("No sample {0} is known in {1}.", facts.id, this.root));
    const document = { uri: vscode.Uri.file(found.path).toString(), path: found.path, root: this.root };
    const { stepCount } = await client.request("tracemark/header", { document, index: found.index });
    const { steps } = await client.request("tracemark/steps", { document, index: found.index, from: 0, to: stepCount });
    return { facts, path: found.path, steps };
  }

  /** A half with one's own label and the spans of both, without its steps. */
  private async view({ facts, path, steps }: Half): Promise<HalfView> {
    const record = await this.services.labels.standing({ uri: vscode.Uri.file(path).toString(), root: this.root }, facts.id);
    const state = this.services.labels.stateOf(record, (index) => steps[index]);
    const own = state.spans.map(({ step, part, start, end, category, note }): HalfSpan => ({ step, part, start, end, from: "label", ...(category === undefined ? {} : { category }), ...(note === undefined ? {} : { note }) }));
    const outline = steps.map(({ role, parts }) => ({ role, label: (parts.find(({ text }) => text !== "")?.text ?? "").slice(0, 120).replace(/\s+/g, " ").trim() }));
    return {
      ...facts, own: state.label, ...(state.note === "" ? {} : { note: state.note }), steps: outline,
      marks: [...own, ...(facts.spans ?? []).flatMap((span) => placeOf(steps, span))], isEditable: facts.authored !== undefined && path.endsWith(".atif.json"),
    };
  }

  private async receive(raw: unknown): Promise<void> {
    const parsed = FromPairView.safeParse(raw);
    if (!parsed.success) return this.services.log.warn(`pair view: ${parsed.error.message}`);
    const message = parsed.data;
    try {
      switch (message.type) {
        case "view/ready":
          this.isReady = true;
          return await this.refresh();
        case "pair/stepsWanted": {
          const pick = (side: 0 | 1, wanted: readonly number[]): Step[] => wanted.flatMap((index) => this.halves[side]?.steps[index] ?? []);
          return await this.post({ type: "pair/steps", left: pick(0, message.left), right: pick(1, message.right) });
        }
        case "pair/step":
          return await vscode.commands.executeCommand(stepCommands[message.step]);
        case "pair/review":
          return await vscode.commands.executeCommand("tracemark.reviewPairs");
        case "half/open":
          return await this.services.openSample(this.root, this.half(message.half).facts.id);
        case "half/edit":
          await vscode.commands.executeCommand("vscode.openWith", vscode.Uri.file(this.half(message.half).path), authoredViewType);
      }
    } catch (error) {
      reportError(this.services.log, error, message.type);
    }
  }

  private half(side: "left" | "right"): Half {
    const half = this.halves[side === "left" ? 0 : 1];
    if (!half) throw new ExpectedFailure(vscode.l10n.t("The pair has no such half any more."));
    return half;
  }
}

/** A span of the manifest in the text; none where its words do not stand there any more. */
function placeOf(steps: readonly Step[], span: Span): HalfSpan[] {
  const step = steps[span.step];
  const part = step ? partPosition(step, span.part, span.part_index) : -1;
  const range = step?.parts[part] && spanToUtf16(step.parts[part].text, span);
  return range ? [{ step: span.step, part, start: range.start, end: range.end, from: "manifest", ...(span.category === undefined ? {} : { category: span.category }), ...(span.note === undefined ? {} : { note: span.note }) }] : [];
}

export class PairPanels extends Owner {
  private readonly panelByPair = new Map<string, PairPanel>();

  constructor(private readonly services: PairServices) {
    super();
  }

  /** The pair that has the focus. */
  get active(): { readonly root: string; readonly sampleId: string } | undefined {
    return [...this.panelByPair.values()].find(({ panel }) => panel.active);
  }

  refresh(root: string): void {
    for (const panel of this.panelByPair.values()) if (panel.root === root) panel.refreshSoon();
  }

  /** Shows the pair of a sample; the same pair comes to the front. @throws ExpectedFailure when it is no half of one */
  async open(root: string, sampleId: string): Promise<void> {
    const { pairId, review } = await this.services.client.request("tracemark/pair", pairParams(root, sampleId));
    const key = JSON.stringify([root, pairId]);
    const known = this.panelByPair.get(key);
    if (known) return known.panel.reveal();
    if (review.status === "in_review" && !review.isAuthor && !review.hasJudged && !(await this.askToLook(pairId))) return;
    // A review may have been opened while the question stood.
    this.services.review.refuseWhileBlind(vscode.l10n.t("The pair"));
    const panel = vscode.window.createWebviewPanel("tracemark.pair", vscode.l10n.t("Pair {0}", pairId), vscode.ViewColumn.Active, webviewOptions(this.services.extensionUri));
    this.panelByPair.set(key, new PairPanel(panel, root, sampleId, this.services, () => this.panelByPair.delete(key)));
  }

  /** Whether somebody who is to judge a pair blind wants to see what its author meant all the same. */
  private async askToLook(pairId: string): Promise<boolean> {
    const review = vscode.l10n.t("Review pairs");
    const look = vscode.l10n.t("Open it all the same");
    const chosen = await vscode.window.showWarningMessage(
      vscode.l10n.t("You have not judged both halves of pair {0} blind.", pairId),
      { modal: true, detail: vscode.l10n.t("The pair view tells what its author meant, and what you say of it afterwards is recorded as not blind. Judge the halves first.") }, review, look,
    );
    if (chosen === review) await vscode.commands.executeCommand("tracemark.reviewPairs");
    return chosen === look;
  }

  /** Labels and what an author intended are in sight here: none of it while somebody judges blind. */
  closeAll(): void {
    for (const { panel } of [...this.panelByPair.values()]) panel.dispose();
  }

  override dispose(): void {
    this.closeAll();
    super.dispose();
  }
}
