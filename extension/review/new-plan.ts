/** *New plan*: asks for kind, run, budget, seed, annotators and blindness, draws the plan in the server, and offers to start. */
import * as vscode from "vscode";
import { annotatorSlug } from "#core/labels/slug";
import { canBeBlind } from "#core/labels/blind";
import { strategies, strategyInfo, type Strategy } from "#core/labels/plan-draw";
import { annotatorName } from "../platform/config";
import { ExpectedFailure } from "../platform/errors";
import { askSeed, tellingFacets } from "./queue-picks";
import type { ReviewService } from "./review-service";

export interface PlanWish {
  readonly strategy?: Strategy | undefined;
  readonly runId?: string | undefined;
}

const details: Readonly<Record<Strategy, () => string>> = {
  random: () => vscode.l10n.t("Every sample has the same chance. Usable for rates."),
  stratified: () => vscode.l10n.t("At random within verdict, score band and category. Usable for rates."),
  flagged: () => vscode.l10n.t("What a run flagged. Not usable for rates; labels are not blind."),
  unflagged: () => vscode.l10n.t("What a run passed. Not usable for rates; labels are not blind."),
  disagreement: () => vscode.l10n.t("Where runs contradict each other. Not usable for rates."),
  threshold: () => vscode.l10n.t("Scores closest to where a run's flag turns. Not usable for rates."),
  "false-alarms": () => vscode.l10n.t("Flagged by a run, benign by the gold. Not usable for rates; labels are not blind."),
  misses: () => vscode.l10n.t("Passed by a run, misbehavior by the gold. Not usable for rates; labels are not blind."),
};

/** Asks, draws and writes. Resolves to the plan's id, or undefined when the person stopped asking. */
export async function newPlan(review: ReviewService, wish: PlanWish = {}): Promise<string | undefined> {
  review.refuseWhileBlind(vscode.l10n.t("Making a plan"));
  const root = review.needRoot();
  const strategy = wish.strategy ?? (await pickStrategy());
  if (!strategy) return undefined;
  const run = wish.runId === undefined ? await pickRunFor(review, root, strategy) : { runId: wish.runId };
  if (!run) return undefined;
  const samples = await pickFrame(review);
  if (!samples) return undefined;
  const budget = await askBudget();
  if (budget === undefined) return undefined;
  const seed = await askSeed(vscode.l10n.t("Seed of the plan"));
  if (seed === undefined) return undefined;
  const people = await askAnnotators();
  if (!people) return undefined;
  const blind = await pickBlind(strategy);
  if (blind === undefined) return undefined;
  const made = await review.request("tracemark/makePlan", {
    root, strategy, seed, blind, ...(budget === 0 ? {} : { budget }), ...(run.runId === undefined ? {} : { runId: run.runId }),
    ...(samples.ids ? { samples: samples.ids } : {}), ...(people.names.length > 0 ? { annotators: people.names, overlap: people.overlap } : {}),
  });
  review.changed();
  void tell(made.planId, made.items, made.notes);
  return made.planId;
}

async function tell(planId: string, items: number, notes: readonly string[]): Promise<void> {
  const start = vscode.l10n.t("Start review");
  const said = [vscode.l10n.t("{0}: {1} items.", planId, items), ...notes].join(" ");
  if ((await vscode.window.showInformationMessage(said, start)) === start) await vscode.commands.executeCommand("tracemark.startReview", planId);
}

async function pickStrategy(): Promise<Strategy | undefined> {
  const chosen = await vscode.window.showQuickPick(
    strategies.map((strategy) => ({ label: strategyInfo[strategy].title, detail: details[strategy](), strategy })),
    { title: vscode.l10n.t("New plan: which samples?"), matchOnDetail: true },
  );
  return chosen?.strategy;
}

async function pickRunFor(review: ReviewService, root: string, strategy: Strategy): Promise<{ runId?: string | undefined } | undefined> {
  const { runs } = await review.request("tracemark/runs", { root });
  if (strategyInfo[strategy].needsRun && runs.length === 0) throw new ExpectedFailure(vscode.l10n.t("There are no runs yet. Run a monitor first, or choose a random plan."));
  if (!strategyInfo[strategy].needsRun && strategy !== "stratified") return {};
  if (runs.length === 0) return {};
  const none = strategy === "stratified" ? [{ label: vscode.l10n.t("No run: by category alone"), description: "", runId: undefined as string | undefined }] : [];
  return vscode.window.showQuickPick(
    [...runs.map(({ monitor, runId }) => ({ label: monitor, description: runId, runId: runId as string | undefined })), ...none],
    { title: vscode.l10n.t("New plan: by the verdicts of which run?") },
  );
}

/** All samples, or those that the queue shows, unless its filter tells what the gold or a monitor says. */
async function pickFrame(review: ReviewService): Promise<{ ids?: string[] } | undefined> {
  const { filter, sorting } = review.look;
  const isFiltered = filter.text !== undefined || filter.needsAdjudication === true || filter.judgeAgain === true || Object.keys(filter.facets ?? {}).length > 0;
  const tells = filter.ids !== undefined || filter.needsAdjudication === true || tellingFacets.some((facet) => filter.facets?.[facet] !== undefined);
  if (!isFiltered || tells) return {};
  const { groupBy: _groups, ...look } = review.look;
  const answer = await review.request("tracemark/queue", { ...review.source(), filter: look.filter, sorting: { by: "id" }, from: 0, to: 0 });
  const shown = { label: vscode.l10n.t("The {0} samples that the queue shows", answer.shown), all: false };
  const chosen = await vscode.window.showQuickPick([{ label: vscode.l10n.t("All {0} samples", answer.total), all: true }, shown], { title: vscode.l10n.t("New plan: drawn from") });
  if (!chosen) return undefined;
  if (chosen.all) return {};
  const ids: string[] = [];
  while (ids.length < answer.shown) {
    const { rows } = await review.request("tracemark/queue", { ...review.source(), filter, sorting: { ...sorting, by: "id" }, from: ids.length, to: answer.shown });
    if (rows.length === 0) break;
    ids.push(...rows.map(({ id }) => id));
  }
  return { ids };
}

/** 0 stands for all that fit. */
async function askBudget(): Promise<number | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t("New plan: how many samples?"), value: "30", prompt: vscode.l10n.t("At most so many. Empty takes all that fit."),
    validateInput: (value) => (/^\d{0,6}$/.test(value.trim()) && value.trim() !== "0" ? undefined : vscode.l10n.t("A whole number from 1, or nothing.")),
  });
  return text === undefined ? undefined : Number(text.trim() || 0);
}

async function askAnnotators(): Promise<{ names: string[]; overlap: number } | undefined> {
  const split = (text: string): string[] => [...new Set(text.split(",").map((name) => name.trim()).filter((name) => name !== ""))];
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t("New plan: who judges?"), value: annotatorName() ?? "", prompt: vscode.l10n.t("Names with commas between, each gets an order of their own. Empty: everybody, in one order."),
    validateInput: (value) => {
      const slugs = split(value).map((name) => (/[a-z0-9]/i.test(name) ? annotatorSlug(name) : ""));
      if (slugs.includes("")) return vscode.l10n.t("A name needs at least one letter or digit.");
      return new Set(slugs).size < slugs.length ? vscode.l10n.t("Two of these names would share one label file.") : undefined;
    },
  });
  if (text === undefined) return undefined;
  const names = split(text);
  if (names.length < 2) return { names, overlap: 0 };
  const share = await vscode.window.showInputBox({
    title: vscode.l10n.t("New plan: overlap"), value: "20", prompt: vscode.l10n.t("Per cent of the samples that two people judge."),
    validateInput: (value) => (/^\d{1,3}$/.test(value.trim()) && Number(value) <= 100 ? undefined : vscode.l10n.t("A whole number from 0 to 100.")),
  });
  return share === undefined ? undefined : { names, overlap: Number(share.trim()) / 100 };
}

async function pickBlind(strategy: Strategy): Promise<boolean | undefined> {
  if (!canBeBlind({ strategy })) return false;
  const chosen = await vscode.window.showQuickPick([
    { label: vscode.l10n.t("Blind"), detail: vscode.l10n.t("Verdicts, original labels and names are withheld until you have decided."), blind: true },
    { label: vscode.l10n.t("Show verdicts"), detail: vscode.l10n.t("Faster, but you will lean towards what you see. A share comes blind first, to measure it."), blind: false },
  ], { title: vscode.l10n.t("New plan: what is shown?") });
  return chosen?.blind;
}
