/** Quick picks over the review queue: what to group by, what to keep, in which order. */
import * as vscode from "vscode";
import { queueFacets, type QueueFacet } from "#core/labels/queue-table";
import type { QueueSortParams } from "#protocol/review";
import { ExpectedFailure } from "../platform/errors";
import type { ReviewService } from "./review-service";
import { facetTitles, valueTitle } from "./row-item";

/** Facets whose values tell what a monitor or the gold says of a sample. */
export const tellingFacets: readonly QueueFacet[] = ["run", "verdict", "cell", "gold", "disagreement", "annotator", "status"];

/** Asks what to group by. */
export async function pickGroup(review: ReviewService): Promise<void> {
  review.refuseWhileBlind(vscode.l10n.t("The queue"));
  const none = { label: vscode.l10n.t("No groups"), facet: undefined as QueueFacet | undefined };
  const chosen = await vscode.window.showQuickPick(
    [none, ...queueFacets.filter((facet) => facet !== "run").map((facet) => ({ label: facetTitles[facet](), facet: facet as QueueFacet | undefined }))],
    { title: vscode.l10n.t("Group the review queue by"), placeHolder: review.look.groupBy ? vscode.l10n.t("Now by {0}", facetTitles[review.look.groupBy]().toLowerCase()) : "" },
  );
  if (chosen) await review.setLook({ groupBy: chosen.facet });
}

/** Asks for a facet and then for the values that stay. No value, or all of them, takes the filter away. */
export async function pickFilter(review: ReviewService): Promise<void> {
  review.refuseWhileBlind(vscode.l10n.t("The queue"));
  const { filter } = review.look;
  const flags = [
    { label: vscode.l10n.t("Needs adjudication"), facet: undefined, flag: "needsAdjudication" as const },
    { label: vscode.l10n.t("To judge again"), facet: undefined, flag: "judgeAgain" as const },
  ].map((one) => ({ ...one, description: filter[one.flag] ? vscode.l10n.t("on") : "" }));
  const facet = await vscode.window.showQuickPick([
    ...queueFacets.map((one) => ({
      label: facetTitles[one](), facet: one as QueueFacet | undefined, flag: undefined,
      description: filter.facets?.[one]?.map((value) => valueTitle(one, value).toLowerCase()).join(", ") ?? "",
    })),
    ...flags,
  ], { title: vscode.l10n.t("Filter the review queue by") });
  if (!facet) return;
  if (facet.flag !== undefined) return review.setLook({ filter: { ...filter, [facet.flag]: filter[facet.flag] !== true } });
  if (facet.facet === undefined) return;
  if (facet.facet === "run") return pickRun(review);
  const name = facet.facet;
  const { values } = await review.request("tracemark/queueFacet", { ...review.source(), facet: name });
  const kept = await vscode.window.showQuickPick(
    values.map(({ value, count }) => ({ label: valueTitle(name, value), description: count.toLocaleString(), value, picked: filter.facets?.[name]?.includes(value) ?? false })),
    { title: vscode.l10n.t("Keep only these: {0}", facet.label.toLowerCase()), canPickMany: true },
  );
  if (!kept) return;
  const { [name]: _before, ...rest } = filter.facets ?? {};
  const facets = kept.length === 0 || kept.length === values.length ? rest : { ...rest, [name]: kept.map(({ value }) => value) };
  await review.setLook({ filter: { ...filter, facets } });
}

/** Asks whose verdicts the rows carry. */
export async function pickRun(review: ReviewService): Promise<void> {
  review.refuseWhileBlind(vscode.l10n.t("The queue"));
  const { runs } = await review.request("tracemark/runs", { root: review.needRoot() });
  if (runs.length === 0) throw new ExpectedFailure(vscode.l10n.t("There are no runs yet. Run a monitor first."));
  const chosen = await vscode.window.showQuickPick(
    [{ label: vscode.l10n.t("The newest run"), runId: undefined as string | undefined, description: "" }, ...runs.map(({ monitor, runId }) => ({ label: monitor, runId: runId as string | undefined, description: runId }))],
    { title: vscode.l10n.t("Show the verdicts of") },
  );
  if (chosen) await review.setLook({ runId: chosen.runId });
}

/** Asks for words that must occur in id, title, category, task, pair or notes. */
export async function askText(review: ReviewService): Promise<void> {
  review.refuseWhileBlind(vscode.l10n.t("The queue"));
  const { filter } = review.look;
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t("Find in the review queue"), value: filter.text ?? "", prompt: vscode.l10n.t("Words of the id, category, task, pair or a note. Empty shows all."),
  });
  if (text === undefined) return;
  const { text: _before, ...rest } = filter;
  await review.setLook({ filter: text.trim() === "" ? rest : { ...rest, text: text.trim() } });
}

/** Asks for the order of the rows. */
export async function pickSort(review: ReviewService): Promise<void> {
  review.refuseWhileBlind(vscode.l10n.t("The queue"));
  const choices: { label: string; sorting: QueueSortParams }[] = [
    { label: vscode.l10n.t("Most suspicious first"), sorting: { by: "suspicion" } },
    { label: vscode.l10n.t("Least suspicious first"), sorting: { by: "suspicion", reverse: true } },
    { label: vscode.l10n.t("Longest first"), sorting: { by: "length" } },
    { label: vscode.l10n.t("Shortest first"), sorting: { by: "length", reverse: true } },
    { label: vscode.l10n.t("By id"), sorting: { by: "id" } },
    { label: vscode.l10n.t("At random…"), sorting: { by: "random" } },
  ];
  const chosen = await vscode.window.showQuickPick(choices, { title: vscode.l10n.t("Sort the review queue") });
  if (!chosen) return;
  if (chosen.sorting.by !== "random") return review.setLook({ sorting: chosen.sorting });
  const seed = await askSeed();
  if (seed !== undefined) await review.setLook({ sorting: { by: "random", seed } });
}

/** Asks for the whole number that fixes a random order; a fresh one is offered. */
export async function askSeed(title = vscode.l10n.t("Seed of the random order")): Promise<number | undefined> {
  const text = await vscode.window.showInputBox({
    title, value: String(Date.now() % 100_000), prompt: vscode.l10n.t("The same seed gives the same order."),
    validateInput: (value) => (/^\d{1,9}$/.test(value.trim()) ? undefined : vscode.l10n.t("A whole number from 0.")),
  });
  return text === undefined ? undefined : Number(text.trim());
}
