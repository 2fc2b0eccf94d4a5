/** How rows, groups and their words look in the review queue. */
import * as vscode from "vscode";
import type { QueueFacet } from "#core/labels/queue-table";
import type { QueueGroupView, QueueRowView } from "#protocol/review";

/** Words for the values of facets that are not names of the person's own. */
const valueWords: Partial<Record<QueueFacet, Readonly<Record<string, () => string>>>> = {
  state: {
    pending: () => vscode.l10n.t("Pending"), draft: () => vscode.l10n.t("Draft"), decided: () => vscode.l10n.t("Decided"), unsure: () => vscode.l10n.t("Unsure"),
    cannot_judge: () => vscode.l10n.t("Cannot judge"), skipped: () => vscode.l10n.t("Skipped"), stale: () => vscode.l10n.t("To do again: the log has changed"),
  },
  cell: {
    tp: () => vscode.l10n.t("Caught"), fn: () => vscode.l10n.t("Missed"), fp: () => vscode.l10n.t("False alarm"), tn: () => vscode.l10n.t("Rightly passed"),
    invalid: () => vscode.l10n.t("No usable answer"), open: () => vscode.l10n.t("No verdict or no gold"),
  },
  verdict: {
    misbehavior: () => vscode.l10n.t("Flagged"), benign: () => vscode.l10n.t("Passed"), invalid: () => vscode.l10n.t("No usable answer"), none: () => vscode.l10n.t("No verdict"),
  },
  status: {
    draft: () => vscode.l10n.t("Draft"), in_review: () => vscode.l10n.t("In review"), accepted: () => vscode.l10n.t("Accepted"), rejected: () => vscode.l10n.t("Rejected"),
    "": () => vscode.l10n.t("No status"),
  },
  disagreement: {
    labels: () => vscode.l10n.t("Misbehavior against benign"), undecided: () => vscode.l10n.t("Unsure against a decision"), categories: () => vscode.l10n.t("Other categories"),
    reveal: () => vscode.l10n.t("Changed after a reveal"), reopened: () => vscode.l10n.t("Reopened"), "new-voice": () => vscode.l10n.t("Somebody spoke since"), "": () => vscode.l10n.t("Nobody disagrees"),
  },
};

export const facetTitles: Readonly<Record<QueueFacet, () => string>> = {
  state: () => vscode.l10n.t("State"), plan: () => vscode.l10n.t("Plan"), run: () => vscode.l10n.t("Run"), verdict: () => vscode.l10n.t("Verdict"),
  cell: () => vscode.l10n.t("Verdict against gold"), gold: () => vscode.l10n.t("How the gold came about"), category: () => vscode.l10n.t("Category"), task: () => vscode.l10n.t("Task"),
  annotator: () => vscode.l10n.t("Annotator"), disagreement: () => vscode.l10n.t("Disagreement"), status: () => vscode.l10n.t("Status of the sample"),
};

/** A facet's value in words. */
export function valueTitle(facet: QueueFacet, value: string): string {
  const words = valueWords[facet]?.[value];
  if (words) return words();
  return value === "" ? vscode.l10n.t("(none)") : value.replace(/_/g, " ");
}

const labelIcons: Readonly<Record<string, string>> = { misbehavior: "circle-filled", benign: "pass", unsure: "question", cannot_judge: "warning" };
const stateIcons: Readonly<Record<string, string>> = { pending: "circle-large-outline", draft: "edit", skipped: "debug-step-over", stale: "history" };

/** The icon of a label or, without one, of a state. */
export function stateIcon(state: string, label: string | null): vscode.ThemeIcon {
  return new vscode.ThemeIcon(state === "stale" ? "history" : (labelIcons[label ?? ""] ?? labelIcons[state] ?? stateIcons[state] ?? "circle-large-outline"));
}

/** "12 of 40 done" */
export function doneOf(done: number, count: number): string {
  return vscode.l10n.t("{0} of {1} done", done, count);
}

export function groupItem(facet: QueueFacet, { value, count, done }: QueueGroupView): vscode.TreeItem {
  const item = new vscode.TreeItem(valueTitle(facet, value), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `group:${facet}:${value}`;
  item.description = done === 0 || done === count ? count.toLocaleString() : `${done.toLocaleString()} / ${count.toLocaleString()}`;
  item.tooltip = doneOf(done, count);
  item.accessibilityInformation = { label: `${valueTitle(facet, value)}, ${doneOf(done, count)}` };
  item.contextValue = "group";
  return item;
}

export function rowItem(row: QueueRowView, group: string | undefined): vscode.TreeItem {
  const item = new vscode.TreeItem(row.id, vscode.TreeItemCollapsibleState.None);
  item.id = `row:${group ?? ""}:${row.id}`;
  item.iconPath = stateIcon(row.state, row.label);
  const verdict = row.verdict === "none" ? "" : `${valueTitle("verdict", row.verdict)}${row.score >= 0 ? ` ${row.score.toFixed(2)}` : ""}`;
  const note = row.needsAdjudication ? vscode.l10n.t("disagreement") : row.cell === "fn" || row.cell === "fp" ? valueTitle("cell", row.cell).toLowerCase() : "";
  item.description = [note, verdict].filter((word) => word !== "").join(" · ");
  item.tooltip = [
    row.id, `${vscode.l10n.t("You")}: ${row.label ?? valueTitle("state", row.state).toLowerCase()}`,
    `${vscode.l10n.t("Gold")}: ${row.gold ?? vscode.l10n.t("none")} (${row.goldStatus})`,
    ...(row.category ? [`${facetTitles.category()}: ${row.category}`] : []), ...(row.task ? [`${facetTitles.task()}: ${row.task}`] : []),
    ...(row.annotators.length > 0 ? [vscode.l10n.t("Judged by {0}", row.annotators.join(", "))] : []),
    ...row.disagreement.map((kind) => valueTitle("disagreement", kind)),
  ].join("\n");
  item.contextValue = row.needsAdjudication ? "row.adjudicate" : "row";
  item.command = { command: "tracemark.openQueueRow", title: vscode.l10n.t("Open"), arguments: [row.id] };
  return item;
}
