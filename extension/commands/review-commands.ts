/** Commands of the side bar: the review queue, runs and monitors. */
import * as vscode from "vscode";
import type { MonitorInfo } from "#protocol/lsp";
import { ensureAnnotator } from "../platform/annotator";
import { ExpectedFailure } from "../platform/errors";
import { newPlan } from "../review/new-plan";
import { openSample } from "../review/open-sample";
import { askText, pickFilter, pickGroup, pickRun, pickSort } from "../review/queue-picks";
import { pickPlan } from "../review/pick-plan";
import { reviewUri } from "../review/review-uri";
import type { RunNode } from "../review/runs-tree";
import { defineCommand } from "./define";

const word = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const runNode = (value: unknown): RunNode | undefined => (typeof value === "object" && value !== null && "run" in value ? (value as RunNode) : undefined);

export const groupQueue = defineCommand({ id: "tracemark.groupQueue", run: (app) => pickGroup(app.review) });
export const filterQueue = defineCommand({ id: "tracemark.filterQueue", run: (app) => pickFilter(app.review) });
export const sortQueue = defineCommand({ id: "tracemark.sortQueue", run: (app) => pickSort(app.review) });
export const searchQueue = defineCommand({ id: "tracemark.searchQueue", run: (app) => askText(app.review) });
export const chooseQueueRun = defineCommand({ id: "tracemark.chooseQueueRun", run: (app) => pickRun(app.review) });
export const clearQueueFilter = defineCommand({ id: "tracemark.clearQueueFilter", run: (app) => app.review.setLook({ filter: {} }) });
export const refreshQueue = defineCommand({ id: "tracemark.refreshQueue", run: (app) => app.review.changed() });
export const showMoreRows = defineCommand({ id: "tracemark.showMoreRows", run: (app, group) => app.queueTree.showMore(word(group)) });

export const openQueueRow = defineCommand({
  id: "tracemark.openQueueRow",
  run: (app, id) => openSample(app, app.review.needRoot(), word(id) ?? ""),
});

/** A run's misses, false alarms or unusable answers, as the rows of the queue. */
export const queueOfRun = defineCommand({
  id: "tracemark.queueOfRun",
  async run(app, argument) {
    app.review.refuseWhileBlind(vscode.l10n.t("What a run got wrong"));
    const node = runNode(argument);
    if (!node) return;
    const facets: Record<string, string[]> = node.kind === "count" ? { cell: [node.cell] } : {};
    await app.review.setLook({ runId: node.run.runId, filter: { facets }, groupBy: node.kind === "count" ? "category" : "cell" });
    await vscode.commands.executeCommand("tracemark.queue.focus");
  },
});

/** A plan over a run's misses or false alarms. */
export const planOfRun = defineCommand({
  id: "tracemark.planOfRun",
  async run(app, argument) {
    const node = runNode(argument);
    if (node?.kind === "count") await newPlan(app.review, { strategy: node.cell === "fn" ? "misses" : "false-alarms", runId: node.run.runId });
  },
});

export const newPlanCommand = defineCommand({ id: "tracemark.newPlan", run: (app) => newPlan(app.review) });
/** Opens the session of a plan; asks which where none is named. */
export const startReview = defineCommand({
  id: "tracemark.startReview",
  async run(app, planId) {
    const root = app.review.needRoot();
    const chosen = word(planId) ?? (await pickPlan(app.review, root));
    if (chosen === undefined || !(await ensureAnnotator(root))) return;
    await vscode.commands.executeCommand("vscode.openWith", reviewUri({ kind: "plan", root, planId: chosen }), "tracemark.editor", { preview: false });
  },
});

/** Opens the samples on which people disagree. */
export const startAdjudication = defineCommand({
  id: "tracemark.startAdjudication",
  async run(app) {
    app.review.refuseWhileBlind(vscode.l10n.t("What others said"));
    const root = app.review.needRoot();
    if (!(await ensureAnnotator(root))) return;
    const { shown } = await app.review.request("tracemark/queue", { ...app.review.source(root), filter: { needsAdjudication: true }, sorting: { by: "id" }, from: 0, to: 0 });
    if (shown === 0) return void vscode.window.showInformationMessage(vscode.l10n.t("Nobody disagrees: there is nothing to adjudicate."));
    await vscode.commands.executeCommand("vscode.openWith", reviewUri({ kind: "adjudication", root }), "tracemark.editor", { preview: false });
  },
});

/** Opens the labels that are to be given again. */
export const startJudgeAgain = defineCommand({
  id: "tracemark.startJudgeAgain",
  async run(app, argument) {
    const root = word(argument) ?? app.review.needRoot();
    if (!(await ensureAnnotator(root))) return;
    const { judgeAgain } = await app.review.request("tracemark/queue", { ...app.review.source(root), filter: {}, sorting: { by: "id" }, from: 0, to: 0 });
    if (judgeAgain === 0) return void vscode.window.showInformationMessage(vscode.l10n.t("No label of yours is to be given again."));
    await vscode.commands.executeCommand("vscode.openWith", reviewUri({ kind: "again", root }), "tracemark.editor", { preview: false });
  },
});

/** Says what the last edit of the guidelines meant. */
export const markGuidelineEdit = defineCommand({ id: "tracemark.markGuidelineEdit", run: (app, argument) => app.guidelineEdits.mark(word(argument) ?? app.review.needRoot()) });

/** Chooses the folder that the side bar shows. */
export const chooseQueueRoot = defineCommand({
  id: "tracemark.chooseQueueRoot",
  async run(app) {
    const { review } = app;
    review.refuseWhileBlind(vscode.l10n.t("The queue"));
    const chosen = await vscode.window.showQuickPick(
      review.roots.map((root) => ({ label: review.nameOf(root), description: root === review.root ? vscode.l10n.t("shown now") : "", detail: root })),
      { title: vscode.l10n.t("Show the samples, runs and monitors of which folder?") },
    );
    if (chosen) await review.chooseRoot(chosen.detail);
  },
});

export const showSessionItem = defineCommand({
  id: "tracemark.showSessionItem",
  run: (app, index) => app.review.openSessions.find(({ isBlind, isHiding }) => isBlind || isHiding)?.show(Number(index)),
});

/** Opens the guidelines of a root in the text editor. */
export const openGuidelines = defineCommand({
  id: "tracemark.openGuidelines",
  async run(app, argument) {
    const root = word(argument) ?? app.review.needRoot();
    const guidelines = await app.labels.guidelinesOf(root);
    if (!guidelines) throw new ExpectedFailure(vscode.l10n.t("No guidelines are named in tracemark.json: add \"guidelines\": \"guidelines.md\"."));
    await vscode.window.showTextDocument(vscode.Uri.joinPath(vscode.Uri.file(root), guidelines.file), { viewColumn: vscode.ViewColumn.Beside, preview: true });
  },
});

export const chooseMonitor = defineCommand({ id: "tracemark.chooseMonitor", run: (app, id) => app.monitors.select(word(id) ?? (id as MonitorInfo | undefined)?.id ?? app.monitors.selected) });

/** Runs a monitor on the trajectory that is open. */
export const runThisMonitor = defineCommand({
  id: "tracemark.runThisMonitor",
  async run(app, monitor) {
    const { id } = monitor as MonitorInfo;
    await app.monitors.select(id);
    const view = app.editors.registry.active ?? app.editors.registry.all[0];
    if (view) view.command("monitor/run");
    else void vscode.window.showInformationMessage(vscode.l10n.t("Open a trajectory first; {0} then runs on it.", id));
  },
});

export const reviewCommands = [
  groupQueue, filterQueue, sortQueue, searchQueue, chooseQueueRun, clearQueueFilter, refreshQueue, showMoreRows, openQueueRow, queueOfRun, planOfRun,
  newPlanCommand, startReview, startAdjudication, startJudgeAgain, markGuidelineEdit, chooseQueueRoot, showSessionItem, openGuidelines, chooseMonitor, runThisMonitor,
] as const;
