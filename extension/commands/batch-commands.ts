/** Commands of runs over many samples, and the log of what was sent. */
import { existsSync } from "node:fs";
import * as vscode from "vscode";
import { egressLogFile } from "#node/models/egress-log";
import { AnswerCache, answerCacheFolder } from "#node/store/answer-cache";
import type { BatchState } from "#protocol/batches";
import type { MonitorInfo } from "#protocol/lsp";
import type { RunRow } from "#protocol/review";
import type { App } from "../app";
import { askBatch, confirmBatch, fromRoot } from "../monitors/batch-ask";
import { progressWords } from "../monitors/batch-words";
import { ExpectedFailure } from "../platform/errors";
import { defineCommand } from "./define";

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const isUri = (value: unknown): value is vscode.Uri => value instanceof vscode.Uri;

/** Sample ids of the queue's rows that a command was given, selected ones too. */
function rowIds(values: readonly unknown[]): string[] {
  const ids = values.flat().flatMap((value) => (isObject(value) && value["kind"] === "row" && isObject(value["row"]) && typeof value["row"]["id"] === "string" ? [value["row"]["id"]] : []));
  return [...new Set(ids)];
}

export const runBatch = defineCommand({
  id: "tracemark.runBatch",
  async run(app, ...args) {
    const root = app.review.needRoot();
    const uris = [...new Set(args.flat().filter(isUri))];
    const rows = rowIds(args);
    const monitor = args.find((value): value is MonitorInfo => isObject(value) && typeof value["id"] === "string" && typeof value["local"] === "boolean");
    const ids = rows.length > 0 ? rows : app.queueTree.selectedIds;
    const chosen = await askBatch(app, root, {
      ...(monitor ? { monitor: monitor.id } : {}), ids,
      ...(uris.length > 0 ? { paths: uris.map((uri) => fromRoot(root, uri)) } : rows.length > 0 ? { paths: rows } : {}),
    });
    if (!chosen || !(await confirmBatch(app, chosen.asked, chosen.monitor))) return;
    await app.batches.start(chosen.asked);
    await vscode.commands.executeCommand("tracemark.runs.focus");
  },
});

/** The run that a command is about: the tree's node, a state, or the one that is picked. */
async function underWay(app: App, argument: unknown): Promise<BatchState | undefined> {
  const runId = runIdOf(argument);
  const all = app.batches.underWay;
  const named = all.find((state) => state.runId === runId);
  if (named ?? all.length === 1) return named ?? all[0];
  if (all.length === 0) throw new ExpectedFailure(vscode.l10n.t("No run is under way."));
  const chosen = await vscode.window.showQuickPick(all.map((state) => ({ label: state.monitor, description: progressWords(state), state })), { title: vscode.l10n.t("Which run?") });
  return chosen?.state;
}

function runIdOf(argument: unknown): string | undefined {
  if (!isObject(argument)) return undefined;
  if (typeof argument["runId"] === "string") return argument["runId"];
  return isObject(argument["run"]) && typeof argument["run"]["runId"] === "string" ? argument["run"]["runId"] : undefined;
}

export const pauseBatch = defineCommand({
  id: "tracemark.pauseBatch",
  async run(app, argument) {
    const state = await underWay(app, argument);
    if (state) await app.batches.stop(state, "pause");
  },
});

export const cancelBatch = defineCommand({
  id: "tracemark.cancelBatch",
  async run(app, argument) {
    const state = await underWay(app, argument);
    if (state) await app.batches.stop(state, "cancel");
  },
});

export const resumeBatch = defineCommand({
  id: "tracemark.resumeBatch",
  async run(app, argument) {
    const root = isObject(argument) && typeof argument["root"] === "string" ? argument["root"] : app.review.needRoot();
    const { runs } = await app.review.request("tracemark/runs", { root });
    const open = runs.filter(({ runId, toMake = 0 }) => toMake > 0 && !app.batches.stateOf(runId));
    const named = runIdOf(argument);
    const run = named === undefined ? await pickRun(open) : open.find(({ runId }) => runId === named);
    if (!run) {
      if (named !== undefined) throw new ExpectedFailure(vscode.l10n.t("The run {0} has all its verdicts, or is under way.", named));
      return;
    }
    const monitor = (await app.monitors.list({ uri: "", root })).find(({ id }) => id === run.monitor);
    if (!monitor) throw new ExpectedFailure(vscode.l10n.t("There is no monitor {0} any more; put it back into tracemark.json to go on with its run.", run.monitor));
    if (monitor.problem !== undefined && !monitor.pairsOnly) throw new ExpectedFailure(vscode.l10n.t("{0} cannot run: {1}", monitor.title, monitor.problem));
    const asked = { root, monitor: run.monitor, choice: {}, resume: run.runId };
    if (await confirmBatch(app, asked, monitor)) await app.batches.start(asked);
  },
});

async function pickRun(open: readonly RunRow[]): Promise<RunRow | undefined> {
  if (open.length === 0) throw new ExpectedFailure(vscode.l10n.t("Every run has all its verdicts."));
  const items = open.map((run) => ({ label: run.monitor, description: run.runId, detail: vscode.l10n.t("{0} verdicts, {1} to make", run.verdicts, run.toMake ?? 0), run }));
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Go on with which run?"), ignoreFocusOut: true }))?.run;
}

/** What the status bar item opens. */
export const manageBatches = defineCommand({
  id: "tracemark.manageBatches",
  async run(app, argument) {
    const state = await underWay(app, argument);
    if (!state) return;
    const actions = [
      { label: `$(debug-pause) ${vscode.l10n.t("Pause")}`, description: vscode.l10n.t("what is under way is still judged and recorded"), command: "tracemark.pauseBatch" },
      { label: `$(debug-stop) ${vscode.l10n.t("Stop at once")}`, description: vscode.l10n.t("what is under way is given up"), command: "tracemark.cancelBatch" },
      { label: `$(beaker) ${vscode.l10n.t("Show the runs")}`, description: "", command: "tracemark.runs.focus" },
    ];
    const chosen = await vscode.window.showQuickPick(actions, { title: `${state.monitor}: ${progressWords(state)}` });
    if (chosen) await vscode.commands.executeCommand(chosen.command, state);
  },
});

export const showEgressLog = defineCommand({
  id: "tracemark.showEgressLog",
  async run() {
    const file = egressLogFile();
    if (!existsSync(file)) return void vscode.window.showInformationMessage(vscode.l10n.t("Nothing was sent to a model from this machine yet; each send would stand in {0}.", file));
    await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: true });
  },
});

export const clearAnswerCache = defineCommand({
  id: "tracemark.clearAnswerCache",
  async run() {
    const cache = new AnswerCache(answerCacheFolder());
    const { answers, bytes } = await cache.size();
    if (answers === 0) return void vscode.window.showInformationMessage(vscode.l10n.t("The cache of answers is empty."));
    const clear = vscode.l10n.t("Clear");
    const detail = vscode.l10n.t("{0}, {1} MB. Requests that they would have answered are sent, and paid for, again.", cache.folder, (bytes / 1e6).toFixed(1));
    if ((await vscode.window.showWarningMessage(vscode.l10n.t("Forget {0} answers of models?", answers.toLocaleString()), { modal: true, detail }, clear)) !== clear) return;
    await cache.clear();
    void vscode.window.showInformationMessage(vscode.l10n.t("The cache of answers is empty."));
  },
});

export const batchCommands = [runBatch, pauseBatch, cancelBatch, resumeBatch, manageBatches, showEgressLog, clearAnswerCache] as const;
