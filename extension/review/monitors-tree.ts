/** The monitors in the side bar: which one is chosen, whether it can run, and where it would send text. */
import * as vscode from "vscode";
import { editorModels } from "#core/monitors/endpoint";
import type { MonitorInfo } from "#protocol/lsp";
import type { MonitorService } from "../monitors/monitor-service";
import { Owner } from "../platform/dispose";
import { messageOf } from "../platform/errors";
import type { ReviewService } from "./review-service";

export class MonitorsTree extends Owner implements vscode.TreeDataProvider<MonitorInfo> {
  private readonly changeEmitter = this.register(new vscode.EventEmitter<void>());
  readonly onDidChangeTreeData = this.changeEmitter.event;
  private readonly view: vscode.TreeView<MonitorInfo>;

  constructor(private readonly review: ReviewService, private readonly monitors: MonitorService) {
    super();
    this.view = this.register(vscode.window.createTreeView("tracemark.monitors", { treeDataProvider: this }));
    this.register(review.onDidChange(() => this.changeEmitter.fire()));
  }

  async getChildren(node?: MonitorInfo): Promise<MonitorInfo[]> {
    if (node) return [];
    this.view.message = undefined;
    if (this.review.isBlindOpen) {
      this.view.message = vscode.l10n.t("Off while you judge blind.");
      return [];
    }
    const { root } = this.review;
    try {
      return [...(await this.monitors.list({ uri: "", ...(root === undefined ? {} : { root }) }))];
    } catch (error) {
      this.view.message = messageOf(error);
      return [];
    }
  }

  getTreeItem(monitor: MonitorInfo): vscode.TreeItem {
    const isChosen = monitor.id === this.monitors.selected;
    const item = new vscode.TreeItem(monitor.title);
    item.id = monitor.id;
    item.iconPath = new vscode.ThemeIcon(monitor.pairsOnly ? "split-horizontal" : monitor.problem ? "warning" : isChosen ? "pass-filled" : "circle-large-outline");
    const isOfEditor = monitor.origin === editorModels;
    const where = isOfEditor ? vscode.l10n.t("a model of this editor") : monitor.origin ?? (monitor.local ? vscode.l10n.t("offline") : "");
    item.description = [isChosen ? vscode.l10n.t("chosen") : "", monitor.pairsOnly ? vscode.l10n.t("judges pairs") : monitor.problem ? vscode.l10n.t("cannot run") : where].filter((word) => word !== "").join(" · ");
    item.tooltip = [
      monitor.id, ...(monitor.model ? [monitor.model] : []), monitor.problem ?? (isOfEditor ? vscode.l10n.t("Sends the transcript to the model that the editor offers as {0}; you are asked first.", (monitor.editorModels ?? []).join(", ")) : monitor.origin ? vscode.l10n.t("Sends the transcript to {0}; you are asked first.", monitor.origin) : vscode.l10n.t("Nothing leaves this machine.")),
    ].join("\n");
    item.contextValue = monitor.pairsOnly ? "monitor.pairs" : monitor.problem ? "monitor.broken" : monitor.kind === "recorded" ? "monitor.recorded" : "monitor";
    item.command = { command: "tracemark.chooseMonitor", title: vscode.l10n.t("Choose"), arguments: [monitor.id] };
    return item;
  }
}
