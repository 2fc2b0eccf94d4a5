/** Monitors as the editor offers them: the picker, consent before text leaves, and the run. */
import * as vscode from "vscode";
import { editorModels } from "#core/monitors/endpoint";
import type { DocumentRef, MonitorInfo } from "#protocol/lsp";
import type { ServerClient } from "../client/server-client";
import { showRecord } from "../editor/show-place";
import type { Target } from "../editor/document";
import type { Consent } from "../platform/consent";
import { Owner } from "../platform/dispose";
import { mayLeave, promptText, tokenWords } from "./may-leave";
import { ExpectedFailure } from "../platform/errors";

const selectedKey = "tracemark.monitor";

export class MonitorService extends Owner {
  private readonly changeEmitter = this.register(new vscode.EventEmitter<void>());
  private readonly verdictsEmitter = this.register(new vscode.EventEmitter<string | undefined>());
  /** The list or the selection changed. */
  readonly onDidChange = this.changeEmitter.event;
  /** Verdicts of a root changed. */
  readonly onDidChangeVerdicts = this.verdictsEmitter.event;

  constructor(private readonly context: vscode.ExtensionContext, private readonly client: ServerClient, private readonly consent: Consent) {
    super();
    this.register(vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("tracemark.monitors")) this.changeEmitter.fire();
    }));
    const runs = this.register(vscode.workspace.createFileSystemWatcher("**/runs/*.jsonl"));
    const changed = () => this.verdictsEmitter.fire(undefined);
    runs.onDidCreate(changed);
    runs.onDidDelete(changed);
    const configs = this.register(vscode.workspace.createFileSystemWatcher("**/tracemark.json"));
    for (const event of [configs.onDidChange, configs.onDidCreate, configs.onDidDelete]) event(() => this.changeEmitter.fire());
  }

  /** Tells that verdicts were written by somebody else. */
  verdictsChanged(root: string | undefined): void {
    this.verdictsEmitter.fire(root);
  }

  /** The monitor last chosen in this workspace. */
  get selected(): string {
    return this.context.workspaceState.get<string>(selectedKey, "rules");
  }

  async select(id: string): Promise<void> {
    await this.context.workspaceState.update(selectedKey, id);
    this.changeEmitter.fire();
  }

  /** Monitors that can be chosen for a document; in untrusted workspaces those that send text say so. */
  async list(ref: DocumentRef): Promise<readonly MonitorInfo[]> {
    const { monitors } = await this.client.request("tracemark/monitors", ref.root ? { root: ref.root } : {});
    if (vscode.workspace.isTrusted) return monitors;
    return monitors.map((monitor) => (monitor.local && !monitor.origin ? monitor : { ...monitor, pairsOnly: false, problem: vscode.l10n.t("Off until the workspace is trusted.") }));
  }

  private async find(ref: DocumentRef, id: string): Promise<MonitorInfo> {
    const monitor = (await this.list(ref)).find((candidate) => candidate.id === id);
    if (!monitor) throw new ExpectedFailure(vscode.l10n.t("There is no monitor {0} any more. Choose another one.", id));
    if (monitor.problem) throw new ExpectedFailure(vscode.l10n.t("{0} cannot run: {1}", monitor.title, monitor.problem));
    return monitor;
  }

  /**
   * Runs a monitor on one trajectory and records the verdict. Resolves to the outcome in a word, or undefined when the
   * person did not want the text to leave.
   * @throws ExpectedFailure, CancellationError
   */
  async run(target: Target, sampleId: string, id: string, token: vscode.CancellationToken): Promise<string | undefined> {
    const monitor = await this.find(target.document, id);
    const preview = () => this.client.request("tracemark/preview", { ...target, monitor: id });
    if (!(await mayLeave(this.consent, monitor, { trajectories: 1, preview }))) return undefined;
    const { verdict } = await this.client.request("tracemark/runMonitor", { ...target, monitor: id, token: sampleId }, token);
    this.verdictsEmitter.fire(target.document.root);
    return verdict.outcome === "invalid" ? vscode.l10n.t("no usable answer ({0})", verdict.reason ?? "") : verdict.outcome;
  }

  /** Opens exactly what the monitor would see, or with `runId` what it was sent in that run, and answered. */
  async showPrompt(target: Target, id: string, runId?: string): Promise<void> {
    if (runId !== undefined) {
      const past = await this.client.request("tracemark/preview", { ...target, monitor: id, run: runId });
      const position = past.notes.length === 0 ? vscode.l10n.t("What {0} was sent in the run {1}, to the letter", id, runId) : vscode.l10n.t("About what {0} was sent in the run {1}: {2}", id, runId, past.notes.join("; "));
      if (past.notes.length > 0) void vscode.window.showWarningMessage(position);
      return showRecord(`${runId}.prompt.md`, promptText(past), position);
    }
    const monitor = await this.find(target.document, id);
    const preview = await this.client.request("tracemark/preview", { ...target, monitor: id });
    const counted = await tokenWords(this.consent, monitor, preview);
    await showRecord(`${id}.prompt.md`, promptText(preview), vscode.l10n.t("{0}, for {1}", counted, preview.origin ?? monitor.title));
  }

  /** Quick pick over the monitors. */
  async pick(ref: DocumentRef): Promise<void> {
    const monitors = await this.list(ref);
    const chosen = await vscode.window.showQuickPick(
      monitors.map((monitor) => ({
        label: monitor.title, id: monitor.id,
        description: monitor.origin === editorModels ? vscode.l10n.t("a model of this editor") : monitor.origin ?? (monitor.local ? vscode.l10n.t("works offline") : ""),
        ...(monitor.problem ? { detail: monitor.problem } : {}),
        picked: monitor.id === this.selected,
      })),
      { title: vscode.l10n.t("Monitor"), placeHolder: vscode.l10n.t("Reads the trajectory and says misbehavior or benign") },
    );
    if (chosen) await this.select(chosen.id);
  }
}
