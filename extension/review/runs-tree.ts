/** The runs of the root in the side bar: what each monitor missed and where it cried wolf, and the way to those samples. */
import * as vscode from "vscode";
import type { BatchState } from "#protocol/batches";
import type { RunRow } from "#protocol/review";
import type { BatchService } from "../monitors/batch-service";
import { isUnderWay, progressWords } from "../monitors/batch-words";
import { Owner } from "../platform/dispose";
import { messageOf } from "../platform/errors";
import type { ReviewService } from "./review-service";
import { runHeadline } from "./run-headline";

/** A count of a run that opens as a queue. */
export interface RunCount {
  readonly kind: "count";
  readonly run: RunRow;
  readonly cell: "fn" | "fp" | "invalid";
  readonly count: number;
}

export type RunNode = { readonly kind: "run"; readonly run: RunRow } | RunCount;

export class RunsTree extends Owner implements vscode.TreeDataProvider<RunNode> {
  private readonly changeEmitter = this.register(new vscode.EventEmitter<RunNode | undefined>());
  readonly onDidChangeTreeData = this.changeEmitter.event;
  private readonly view: vscode.TreeView<RunNode>;

  /** The nodes of runs as they were given out, so that one can be drawn anew. */
  private nodes = new Map<string, RunNode>();
  private readonly awaited = new Set<string>();

  constructor(private readonly review: ReviewService, private readonly batches: BatchService) {
    super();
    this.view = this.register(vscode.window.createTreeView("tracemark.runs", { treeDataProvider: this }));
    this.register(review.onDidChange(() => this.changeEmitter.fire(undefined)));
    this.register(batches.onDidChange((state) => {
      const node = this.nodes.get(state.runId);
      // The counts of a run under way are those of the last look at its file: only its own line is drawn anew.
      if (node) this.changeEmitter.fire(node);
      else if (isUnderWay(state) && state.root === review.root && !this.awaited.has(state.runId)) {
        // Its file is new: looked for once, not with every message.
        this.awaited.add(state.runId);
        review.changed();
      }
    }));
  }

  async getChildren(node?: RunNode): Promise<RunNode[]> {
    if (node) return node.kind === "run" ? countsOf(node.run) : [];
    const { root } = this.review;
    this.view.message = undefined;
    if (root === undefined) return [];
    if (this.review.isBlindOpen) {
      this.view.message = vscode.l10n.t("Hidden while you judge blind.");
      return [];
    }
    try {
      const { runs } = await this.review.request("tracemark/runs", { root });
      this.nodes = new Map(runs.map((run): [string, RunNode] => [run.runId, { kind: "run", run }]));
      return [...this.nodes.values()];
    } catch (error) {
      this.view.message = messageOf(error);
      return [];
    }
  }

  getTreeItem(node: RunNode): vscode.TreeItem {
    return node.kind === "run" ? runItem(node.run, this.batches.stateOf(node.run.runId)) : countItem(node);
  }
}

function runItem(run: RunRow, batch: BatchState | undefined): vscode.TreeItem {
  const name = run.prompting === "direct" ? `${run.monitor} (direct)` : run.monitor;
  const item = new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `run:${run.runId}`;
  item.iconPath = new vscode.ThemeIcon("beaker");
  const { text, sentence, why } = runHeadline(run);
  item.description = text;
  item.tooltip = [
    run.runId, run.model ?? run.monitor, `${sentence} (${vscode.l10n.t("valid verdicts only")})`, ...(why === undefined ? [] : [why]),
    vscode.l10n.t("{0} verdicts, {1} without a usable answer, {2} missing", run.verdicts, run.invalid, run.missing),
  ].join("\n");
  item.accessibilityInformation = { label: `${name}: ${sentence}` };
  item.contextValue = "run";
  const { toMake = 0 } = run;
  if (batch) {
    item.iconPath = new vscode.ThemeIcon(batch.state === "running" ? "sync~spin" : "sync");
    item.description = progressWords(batch);
    item.accessibilityInformation = { label: vscode.l10n.t("{0}, under way, {1}", name, progressWords(batch)) };
    item.contextValue = "run.underWay";
  } else if (toMake > 0) {
    item.description = `${vscode.l10n.t("unfinished, {0} to make", toMake.toLocaleString())} · ${item.description}`;
    item.tooltip = `${item.tooltip}\n${vscode.l10n.t("Unfinished: go on with it by the arrow, or with tracemark run --resume {0}", run.runId)}`;
    item.accessibilityInformation = { label: `${item.accessibilityInformation.label}, ${vscode.l10n.t("unfinished, {0} to make", toMake.toLocaleString())}` };
    item.contextValue = "run.unfinished";
  }
  return item;
}

function countsOf(run: RunRow): RunNode[] {
  return [
    { kind: "count", run, cell: "fn", count: run.misses },
    { kind: "count", run, cell: "fp", count: run.falseAlarms },
    ...(run.invalid > 0 ? [{ kind: "count" as const, run, cell: "invalid" as const, count: run.invalid }] : []),
  ];
}

function countItem(node: RunCount): vscode.TreeItem {
  const words = { fn: vscode.l10n.t("Misses"), fp: vscode.l10n.t("False alarms"), invalid: vscode.l10n.t("No usable answer") }[node.cell];
  const item = new vscode.TreeItem(words);
  item.id = `count:${node.run.runId}:${node.cell}`;
  item.description = node.count.toLocaleString();
  item.iconPath = new vscode.ThemeIcon({ fn: "eye-closed", fp: "bell", invalid: "circle-slash" }[node.cell]);
  item.tooltip = vscode.l10n.t("Show these samples in the review queue");
  item.contextValue = node.cell === "invalid" ? "count" : "count.plan";
  item.command = { command: "tracemark.queueOfRun", title: item.tooltip, arguments: [node] };
  return item;
}
