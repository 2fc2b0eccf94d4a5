/** The review queue in the side bar: groups and rows asked of the server page by page; the session's own items while one judges blind. */
import * as vscode from "vscode";
import type { QueueFacet } from "#core/labels/queue-table";
import type { RequestResult } from "#protocol/lsp";
import type { QueueGroupView, QueueRowView } from "#protocol/review";
import { Owner } from "../platform/dispose";
import { messageOf } from "../platform/errors";
import type { ReviewService, SessionRow } from "./review-service";
import { doneOf, facetTitles, groupItem, rowItem, stateIcon, valueTitle } from "./row-item";

/** Rows that are asked for at first, and with every *show more*. */
const pageSize = 200;
/** Time between two looks at a folder that is being read for the first time. */
const readingMs = 700;

type Node =
  | { readonly kind: "group"; readonly facet: QueueFacet; readonly group: QueueGroupView }
  | { readonly kind: "row"; readonly row: QueueRowView; readonly group: string | undefined }
  | { readonly kind: "more"; readonly group: string | undefined; readonly left: number }
  | { readonly kind: "again"; readonly count: number }
  | { readonly kind: "unmarked" }
  | { readonly kind: "session"; readonly row: SessionRow };

/** Stands for the rows to judge again where groups are named. */
const againGroup = "\u0000again";

export class QueueTree extends Owner implements vscode.TreeDataProvider<Node> {
  private readonly changeEmitter = this.register(new vscode.EventEmitter<void>());
  readonly onDidChangeTreeData = this.changeEmitter.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly limits = new Map<string, number>();
  private readingTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly review: ReviewService, private readonly judged: () => string | undefined) {
    super();
    this.view = this.register(vscode.window.createTreeView("tracemark.queue", { treeDataProvider: this, showCollapseAll: true, canSelectMany: true }));
    this.register(review.onDidChange(() => this.changeEmitter.fire()));
  }

  /** Ids of the selected rows. */
  get selectedIds(): string[] {
    return this.view.selection.flatMap((node) => (node.kind === "row" ? [node.row.id] : []));
  }

  /** Shows another page of a group, or of all rows. */
  showMore(group: string | undefined): void {
    const key = group ?? "";
    this.limits.set(key, (this.limits.get(key) ?? pageSize) + 5 * pageSize);
    this.changeEmitter.fire();
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case "group": return groupItem(node.facet, node.group);
      case "row": return rowItem(node.row, node.group);
      case "again": return againItem(node.count);
      case "unmarked": return unmarkedItem();
      case "session": return sessionItem(node.row);
      case "more": {
        const item = new vscode.TreeItem(vscode.l10n.t("Show more ({0} left)", node.left.toLocaleString()));
        item.id = `more:${node.group ?? ""}`;
        item.iconPath = new vscode.ThemeIcon("ellipsis");
        item.command = { command: "tracemark.showMoreRows", title: vscode.l10n.t("Show more"), arguments: [node.group] };
        return item;
      }
    }
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node && node.kind !== "group" && node.kind !== "again") return [];
    const session = this.review.openSessions.find(({ isBlind, isHiding }) => isBlind || isHiding);
    if (session) return node ? [] : this.sessionNodes(session.rows);
    const { root } = this.review;
    if (root === undefined) return [];
    try {
      return node?.kind === "again" ? await this.readAgain(root) : await this.read(root, node?.group.value);
    } catch (error) {
      this.view.message = messageOf(error);
      return [];
    }
  }

  private sessionNodes(rows: readonly SessionRow[]): Node[] {
    const done = rows.filter(({ state }) => state !== "pending" && state !== "skipped" && state !== "stale").length;
    this.view.description = vscode.l10n.t("blind");
    this.view.message = doneOf(done, rows.length);
    // The list is for finding one's way back; a long one is cut around the item in hand.
    const at = Math.max(0, rows.findIndex(({ isCurrent }) => isCurrent));
    const from = Math.max(0, Math.min(at - pageSize, rows.length - 2 * pageSize));
    return rows.slice(from, from + 2 * pageSize).map((row) => ({ kind: "session", row }));
  }

  private async read(root: string, group: string | undefined): Promise<Node[]> {
    const { filter, sorting, groupBy } = this.review.look;
    const limit = this.limits.get(group ?? "") ?? pageSize;
    const keep = this.judged();
    const answer = await this.review.request("tracemark/queue", {
      ...this.review.source(root), filter, sorting, from: 0, to: limit,
      ...(groupBy === undefined ? {} : { groupBy }), ...(group === undefined ? {} : { group }), ...(keep === undefined ? {} : { keep }),
    });
    const first: Node[] = [];
    if (group === undefined) {
      this.describe(answer);
      if (answer.guidelinesUnmarked) first.push({ kind: "unmarked" });
      if (answer.judgeAgain > 0 && filter.judgeAgain !== true) first.push({ kind: "again", count: answer.judgeAgain });
    }
    if (groupBy !== undefined && group === undefined) return [...first, ...answer.groups.map((own): Node => ({ kind: "group", facet: groupBy, group: own }))];
    const rows = answer.rows.map((row): Node => ({ kind: "row", row, group }));
    if (answer.rows.length < limit) return [...first, ...rows];
    const left = (group === undefined ? answer.shown : await this.groupSize(root, group)) - answer.rows.length;
    return left > 0 ? [...first, ...rows, { kind: "more", group, left }] : [...first, ...rows];
  }

  /** The labels to give again, whatever the queue is filtered by: they are never out of sight. */
  private async readAgain(root: string): Promise<Node[]> {
    const limit = this.limits.get(againGroup) ?? pageSize;
    const { rows, shown } = await this.review.request("tracemark/queue", {
      ...this.review.source(root), filter: { judgeAgain: true }, sorting: this.review.look.sorting, from: 0, to: limit,
    });
    const nodes = rows.map((row): Node => ({ kind: "row", row, group: againGroup }));
    return shown > rows.length ? [...nodes, { kind: "more", group: againGroup, left: shown - rows.length }] : nodes;
  }

  private async groupSize(root: string, group: string): Promise<number> {
    const { filter, sorting, groupBy } = this.review.look;
    const { groups } = await this.review.request("tracemark/queue", { ...this.review.source(root), filter, sorting, from: 0, to: 0, ...(groupBy === undefined ? {} : { groupBy }) });
    return groups.find(({ value }) => value === group)?.count ?? 0;
  }

  /** While files of a large folder are still being looked into, the list fills in. */
  private readOn(): void {
    if (this.isDisposed) return;
    clearTimeout(this.readingTimer);
    this.readingTimer = setTimeout(() => !this.isDisposed && this.changeEmitter.fire(), readingMs);
  }

  private describe({ total, shown, done, reading, searchStopped }: Pick<RequestResult<"tracemark/queue">, "total" | "shown" | "done" | "reading" | "searchStopped">): void {
    const { filter, groupBy } = this.review.look;
    const facets = Object.entries(filter.facets ?? {}).map(([facet, values]) => `${facetTitles[facet as QueueFacet]().toLowerCase()}: ${values.map((value) => valueTitle(facet as QueueFacet, value).toLowerCase()).join(", ")}`);
    const folders = this.review.roots.length > 1 ? [this.review.rootName] : [];
    const words = [...(filter.ids ? [filter.idsTitle ?? vscode.l10n.t("chosen samples")] : []), ...facets, ...(filter.text ? [`“${filter.text}”`] : []), ...(filter.needsAdjudication ? [vscode.l10n.t("needs adjudication")] : []), ...(filter.judgeAgain ? [vscode.l10n.t("to judge again")] : [])];
    void vscode.commands.executeCommand("setContext", "tracemark.queueFiltered", words.length > 0);
    this.view.description = [...folders, ...(groupBy === undefined ? [] : [vscode.l10n.t("by {0}", facetTitles[groupBy]().toLowerCase())])].join(" · ");
    if (reading) this.readOn();
    const progress = reading ? vscode.l10n.t("Reading files: {0} of {1}…", reading.done.toLocaleString(), reading.total.toLocaleString()) : searchStopped;
    if (total === 0) return void (this.view.message = progress);
    const counts = shown === total ? doneOf(done, total) : vscode.l10n.t("{0} of {1} shown, {2} done", shown.toLocaleString(), total.toLocaleString(), done.toLocaleString());
    this.view.message = [counts, ...words, ...(progress === undefined ? [] : [progress])].join(" · ");
  }
}

function sessionItem(row: SessionRow): vscode.TreeItem {
  const item = new vscode.TreeItem(row.name);
  item.id = `session:${row.index}`;
  item.iconPath = row.isCurrent ? new vscode.ThemeIcon("arrow-right") : stateIcon(row.state, row.state);
  item.description = row.isCurrent ? vscode.l10n.t("in hand") : valueTitle("state", row.state === "misbehavior" || row.state === "benign" ? "decided" : row.state).toLowerCase();
  item.command = { command: "tracemark.showSessionItem", title: vscode.l10n.t("Show"), arguments: [row.index] };
  return item;
}

function againItem(count: number): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t("To judge again"), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = "again";
  item.iconPath = new vscode.ThemeIcon("history");
  item.description = count.toLocaleString();
  item.tooltip = vscode.l10n.t("Labels of yours that were given before the guidelines changed their meaning. They count until you give them again.");
  item.contextValue = "again";
  return item;
}

function unmarkedItem(): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t("The guidelines were edited: what did it mean?"));
  item.id = "unmarked";
  item.iconPath = new vscode.ThemeIcon("book");
  item.tooltip = vscode.l10n.t("Say whether the edit was minor, or asks for labels to be given again");
  item.command = { command: "tracemark.markGuidelineEdit", title: item.tooltip };
  return item;
}
