/** Composition root: builds the services, registers everything, and owns it all. */
import * as vscode from "vscode";
import type { DocumentRef } from "#protocol/lsp";
import { ModelBridge } from "./client/model-bridge";
import { ServerClient } from "./client/server-client";
import { commands } from "./commands/index";
import { TrajectoryEditorProvider } from "./editor/provider";
import { registerRecordDocuments } from "./editor/show-place";
import { GitAttributesOffer } from "./labels/git-attributes-offer";
import { GuidelineEdits } from "./labels/guideline-edits";
import { LabelService } from "./labels/label-service";
import { BatchService } from "./monitors/batch-service";
import { MonitorService } from "./monitors/monitor-service";
import { AuthoredEditorProvider } from "./pairs/authored-provider";
import { PairPanels } from "./pairs/pair-panel";
import { annotatorName } from "./platform/config";
import { Consent } from "./platform/consent";
import { Owner } from "./platform/dispose";
import { reportError } from "./platform/errors";
import { MonitorsTree } from "./review/monitors-tree";
import { openSample } from "./review/open-sample";
import { QueueTree } from "./review/queue-tree";
import { RatesStatus } from "./review/rates-status";
import { ReviewFiles, reviewScheme } from "./review/review-uri";
import { ReviewService } from "./review/review-service";
import { RunsTree } from "./review/runs-tree";
import { sessionOpener } from "./review/open-session";
import { SightLog } from "./review/sight-log";
import { ReviewStatus } from "./review/status-bar";
import { ScorePanels } from "./score/score-panel";

const evalAskedKey = "tracemark.askedAboutEval";

export class App extends Owner {
  readonly log = this.register(vscode.window.createOutputChannel("Tracemark", { log: true }));
  readonly consent: Consent;
  readonly client: ServerClient;
  readonly labels: LabelService;
  readonly monitors: MonitorService;
  readonly batches: BatchService;
  readonly editors: TrajectoryEditorProvider;
  readonly scores: ScorePanels;
  readonly authored: AuthoredEditorProvider;
  readonly pairs: PairPanels;
  readonly review: ReviewService;
  readonly sight: SightLog;
  readonly queueTree: QueueTree;
  readonly guidelineEdits: GuidelineEdits;

  constructor(private readonly context: vscode.ExtensionContext) {
    super();
    this.consent = new Consent(context);
    this.client = this.register(new ServerClient(context, this.log));
    this.register(new ModelBridge(this.client, this.consent, context.extensionPath, this.log));
    this.labels = this.register(new LabelService(this.log));
    this.register(new GitAttributesOffer(context.workspaceState, this.labels, this.log));
    this.guidelineEdits = this.register(new GuidelineEdits(this.labels, this.log));
    this.monitors = this.register(new MonitorService(context, this.client, this.consent));
    this.batches = this.register(new BatchService(this.client, this.log));
    this.register(this.batches.onDidEnd(({ root }) => this.monitors.verdictsChanged(root)));
    this.register(registerRecordDocuments());
    this.review = this.register(new ReviewService(context.workspaceState, this.client, this.labels, this.monitors, () => this.editors.registry.active?.document.ref.root));
    this.register(this.guidelineEdits.onDidMark(() => this.review.changed()));
    const sight = (this.sight = new SightLog(context.workspaceState, annotatorName));
    this.register(vscode.workspace.registerFileSystemProvider(reviewScheme, new ReviewFiles(), { isCaseSensitive: true }));
    const openSession = sessionOpener(this.client, this.labels, {
      review: this.review, sight, isOpenElsewhere: (uri) => this.editors.registry.openDocuments.some((document) => document.uri.toString() === uri),
    });
    this.editors = this.register(new TrajectoryEditorProvider(this.client, this.labels, {
      log: this.log, extensionUri: context.extensionUri, monitors: this.monitors, sight, review: this.review,
    }, openSession));
    this.scores = this.register(new ScorePanels({
      client: this.client, labels: this.labels, monitors: this.monitors, review: this.review, extensionUri: context.extensionUri, log: this.log,
      openSample: (root, id) => openSample(this, root, id),
    }));
    const authoring = { client: this.client, labels: this.labels, review: this.review, sight, extensionUri: context.extensionUri, log: this.log };
    this.authored = this.register(new AuthoredEditorProvider(authoring));
    this.pairs = this.register(new PairPanels({ ...authoring, authored: this.authored, openSample: (root, id) => openSample(this, root, id) }));
    this.register(this.review.onDidChangeBlind((isBlind) => isBlind && this.pairs.closeAll()));
    this.register(this.review.onDidChangeBlind((isBlind) => isBlind && this.scores.closeAll()));
    this.queueTree = this.register(new QueueTree(this.review, () => this.editors.registry.active?.judgedId));
    this.register(new RunsTree(this.review, this.batches));
    this.register(new MonitorsTree(this.review, this.monitors));
    this.register(new ReviewStatus(this.editors.registry, this.review));
    this.register(new RatesStatus(this.review, this.log));
    for (const command of commands) {
      this.register(vscode.commands.registerCommand(command.id, async (...args: unknown[]) => {
        try {
          return await command.run(this, ...args);
        } catch (error) {
          reportError(this.log, error, command.id.replace("tracemark.", ""));
          return undefined;
        }
      }));
    }
  }

  /** Starts the server; `begun` is when activation began, in the clock of `performance.now()`. Never rejects. */
  async start(begun: number): Promise<void> {
    this.log.info(`activated in ${Math.round(performance.now() - begun)} ms`);
    await this.client.start();
    this.log.info(`server running after ${Math.round(performance.now() - begun)} ms`);
  }

  async stop(): Promise<void> {
    await this.labels.flush();
  }

  /** The document that a command without an argument is about. */
  activeRef(): DocumentRef {
    const active = this.editors.registry.active?.document.ref;
    if (active) return active;
    const { root } = this.review;
    return { uri: root === undefined ? "" : vscode.Uri.file(root).toString(), ...(root === undefined ? {} : { root }) };
  }

  /** `.eval` belongs to the Inspect extension by default; the person is asked once whether Tracemark should open it. */
  async offerEvalAssociation(): Promise<void> {
    if (this.context.globalState.get<boolean>(evalAskedKey)) return;
    await this.context.globalState.update(evalAskedKey, true);
    const yes = vscode.l10n.t("Always use Tracemark");
    const chosen = await vscode.window.showInformationMessage(vscode.l10n.t("Open .eval files with Tracemark from now on?"), yes, vscode.l10n.t("No"));
    if (chosen === yes) await this.associateEval();
  }

  /** Writes the editor association for `*.eval` into the user's settings. */
  async associateEval(): Promise<void> {
    const config = vscode.workspace.getConfiguration("workbench");
    const associations = config.inspect<Record<string, string>>("editorAssociations")?.globalValue ?? {};
    await config.update("editorAssociations", { ...associations, "*.eval": "tracemark.editorOption" }, vscode.ConfigurationTarget.Global);
  }
}
