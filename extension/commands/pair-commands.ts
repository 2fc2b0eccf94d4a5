/** Commands about pairs and authored trajectories. */
import * as vscode from "vscode";
import type { PairStep } from "#core/pairs/pair-status";
import type { App } from "../app";
import { authoredViewType } from "../pairs/authored-provider";
import { newPair } from "../pairs/new-pair";
import { newSample } from "../pairs/new-sample";
import { pickPair, reviewPairs } from "../pairs/pair-list";
import { takePairStep } from "../pairs/pair-steps";
import { ensureAnnotator } from "../platform/annotator";
import { ExpectedFailure } from "../platform/errors";
import { targetUri } from "./open-as-trajectory";
import { defineCommand } from "./define";

/** The sample that is shown: its root and id. */
async function shownSample(app: App): Promise<{ root: string; id: string } | undefined> {
  const pair = app.pairs.active;
  if (pair) return { root: pair.root, id: pair.sampleId };
  const authored = app.authored.active;
  if (authored) return { root: authored.root, id: authored.facts.id };
  const view = app.editors.registry.active;
  const root = view?.document.ref.root;
  return view && root !== undefined ? { root, id: (await view.current()).id } : undefined;
}

export const newPairCommand = defineCommand({
  id: "tracemark.newPair",
  async run(app) {
    app.review.refuseWhileBlind(vscode.l10n.t("Making pairs"));
    const view = app.editors.registry.active;
    if (!view) throw new ExpectedFailure(vscode.l10n.t("Open the trajectory that the pair is to be made from."));
    const { ref } = view.document;
    const author = await app.labels.annotator(ref);
    if (author === undefined || ref.root === undefined) return;
    await newPair(app.client, await view.document.target(view.index), ref.root, author);
  },
});

export const openPair = defineCommand({
  id: "tracemark.openPair",
  async run(app) {
    app.review.refuseWhileBlind(vscode.l10n.t("The pair"));
    const shown = await shownSample(app);
    if (!shown) throw new ExpectedFailure(vscode.l10n.t("Open one half of the pair first."));
    await app.pairs.open(shown.root, shown.id);
  },
});

export const editAuthored = defineCommand({
  id: "tracemark.editAuthored",
  async run(app, argument) {
    app.review.refuseWhileBlind(vscode.l10n.t("What was authored"));
    const view = app.editors.registry.active;
    const uri = argument instanceof vscode.Uri ? argument : view ? await fileOf(app) : targetUri(argument);
    if (uri) await vscode.commands.executeCommand("vscode.openWith", uri, authoredViewType);
  },
});

/** The file of the trajectory that is shown, which a manifest may only name. */
async function fileOf(app: App): Promise<vscode.Uri | undefined> {
  const view = app.editors.registry.active;
  const root = view?.document.ref.root;
  if (!view || root === undefined) return view?.document.uri;
  const found = (await app.client.request("tracemark/sampleRefs", { root, ids: [(await view.current()).id] })).samples[0];
  return found ? vscode.Uri.file(found.path) : view.document.uri;
}

export const newSampleCommand = defineCommand({
  id: "tracemark.newSample",
  async run(app) {
    const root = app.activeRef().root;
    if (root === undefined) throw new ExpectedFailure(vscode.l10n.t("Open a folder first; the sample is kept there."));
    const author = await ensureAnnotator(root);
    if (author !== undefined) await newSample(app.client, root, author);
  },
});

export const openPairs = defineCommand({
  id: "tracemark.openPairs",
  async run(app) {
    app.review.refuseWhileBlind(vscode.l10n.t("The list of pairs"));
    const root = app.review.needRoot();
    const sampleId = await pickPair(app.client, root);
    if (sampleId !== undefined) await app.pairs.open(root, sampleId);
  },
});

export const reviewPairsCommand = defineCommand({
  id: "tracemark.reviewPairs",
  run: (app) => reviewPairs(app.client, app.sight, app.review.needRoot()),
});

/** Takes a step of the review with the pair that is shown; where none is, with one that is asked for. */
async function step(app: App, which: PairStep, done: (pairId: string) => string): Promise<void> {
  app.review.refuseWhileBlind(vscode.l10n.t("The pair"));
  const shown = await shownSample(app);
  const root = shown?.root ?? app.review.needRoot();
  const sampleId = shown?.id ?? (await pickPair(app.client, root));
  if (sampleId === undefined) return;
  app.authored.refuseUnsaved(root);
  const pairId = await takePairStep(app.client, root, sampleId, which);
  if (pairId === undefined) return;
  app.pairs.refresh(root);
  app.review.changed();
  await app.authored.followManifest(root);
  void vscode.window.showInformationMessage(done(pairId));
}

export const sendPair = defineCommand({
  id: "tracemark.sendPair",
  run: (app) => step(app, "send", (id) => vscode.l10n.t("Pair {0} is in review. Others judge its halves, blind, with Tracemark: Review pairs.", id)),
});
export const acceptPair = defineCommand({
  id: "tracemark.acceptPair",
  run: (app) => step(app, "accept", (id) => vscode.l10n.t("Pair {0} is accepted: it counts in the benchmark.", id)),
});
export const rejectPair = defineCommand({
  id: "tracemark.rejectPair",
  run: (app) => step(app, "reject", (id) => vscode.l10n.t("Pair {0} is rejected. The reason is kept in the manifest; change the pair and send it again.", id)),
});

export const pairCommands = [newPairCommand, openPair, openPairs, reviewPairsCommand, sendPair, acceptPair, rejectPair, editAuthored, newSampleCommand] as const;
