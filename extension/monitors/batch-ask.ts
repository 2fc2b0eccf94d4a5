/** What a person is asked before a monitor runs over many samples: which monitor, over what, and whether it may cost and send what it would. */
import { relative, sep } from "node:path";
import * as vscode from "vscode";
import { editorModels } from "#core/monitors/endpoint";
import { isLoopback } from "#node/models/origin";
import type { BatchAsked, BatchChoice, BatchEstimate } from "#protocol/batches";
import type { MonitorInfo } from "#protocol/lsp";
import type { ServerClient } from "../client/server-client";
import { showRecord } from "../editor/show-place";
import { annotatorName, batchSettings } from "../platform/config";
import type { Consent } from "../platform/consent";
import { ExpectedFailure } from "../platform/errors";
import type { ReviewService } from "../review/review-service";
import { estimateLines } from "./batch-words";
import { mayLeave, placesOf, promptText } from "./may-leave";
import type { MonitorService } from "./monitor-service";

export interface BatchAsking {
  readonly client: ServerClient;
  readonly consent: Consent;
  readonly monitors: MonitorService;
  readonly review: ReviewService;
}

/** Asks for whatever is not given. Undefined when the person turned back. @throws ExpectedFailure */
export async function askBatch(asking: BatchAsking, root: string, given: { readonly monitor?: string | undefined; readonly ids?: readonly string[] | undefined; readonly paths?: readonly string[] | undefined }): Promise<{ asked: BatchAsked; monitor: MonitorInfo } | undefined> {
  const monitor = await pickMonitor(asking, root, given.monitor);
  if (!monitor) return undefined;
  const prompting = await pickPrompting(monitor);
  if (prompting === undefined) return undefined;
  const choice = given.paths ? { patterns: [...given.paths] } : await pickChoice(asking, root, given.ids ?? []);
  if (!choice) return undefined;
  return { monitor, asked: { root, monitor: monitor.id, choice, ...(prompting === "own" ? {} : { prompting }) } };
}

/** The questions stay when the focus goes elsewhere, as when a view beside them has just loaded. */
async function pickMonitor({ monitors }: BatchAsking, root: string, id: string | undefined): Promise<MonitorInfo | undefined> {
  const all = await monitors.list({ uri: "", root });
  const canRun = (one: MonitorInfo): boolean => (one.problem === undefined || one.pairsOnly === true) && one.kind !== "recorded";
  const checked = (one: MonitorInfo): MonitorInfo => {
    if (!canRun(one)) throw new ExpectedFailure(vscode.l10n.t("{0} cannot run: {1}", one.title, one.problem ?? vscode.l10n.t("it holds verdicts recorded elsewhere")));
    return one;
  };
  const named = id === undefined ? undefined : all.find((one) => one.id === id);
  if (named) return checked(named);
  // One that cannot run is shown as well: whoever set it up looks for it, and is told why.
  const offered = all.filter(({ kind }) => kind !== "recorded").sort((a, b) => Number(canRun(b)) - Number(canRun(a)));
  const chosen = await vscode.window.showQuickPick(
    offered.map((monitor) => ({ label: monitor.id, description: wordsOf(monitor), ...(canRun(monitor) ? {} : { detail: vscode.l10n.t("$(warning) cannot run: {0}", monitor.problem ?? "") }), monitor })),
    { title: vscode.l10n.t("Run a monitor over samples (1/3): which monitor?"), placeHolder: vscode.l10n.t("Nothing is sent before you have seen how much, where to and what it costs"), ignoreFocusOut: true },
  );
  return chosen && checked(chosen.monitor);
}

function wordsOf({ kind, model, origins, local }: MonitorInfo): string {
  const places = origins?.map((origin) => (origin === editorModels ? vscode.l10n.t("a model of this editor") : origin)).join(", ");
  return [kind, model ?? "", places ?? (local ? vscode.l10n.t("works offline") : "")].filter((word) => word !== "").join(" · ");
}

/** The prompting to ask for; `own` for kinds that have none. */
async function pickPrompting(monitor: MonitorInfo): Promise<"direct" | "evidence" | "contrastive" | "own" | undefined> {
  if (monitor.kind !== "llm" && !(monitor.kind === "vote" && monitor.origins !== undefined)) return "own";
  const all = [
    { id: "evidence" as const, label: vscode.l10n.t("Evidence"), description: vscode.l10n.t("a verdict with exact quotes") },
    { id: "direct" as const, label: vscode.l10n.t("Direct"), description: vscode.l10n.t("a verdict alone") },
    ...(monitor.kind === "llm" ? [{ id: "contrastive" as const, label: vscode.l10n.t("Contrastive"), description: vscode.l10n.t("the halves of pairs against each other") }] : []),
  ];
  const ordered = [...all.filter(({ id }) => id === monitor.prompting), ...all.filter(({ id }) => id !== monitor.prompting)];
  const chosen = await vscode.window.showQuickPick(ordered, { title: vscode.l10n.t("Run {0} over samples (2/3): how is it asked?", monitor.id), ignoreFocusOut: true });
  return chosen?.id;
}

async function pickChoice({ client, review }: BatchAsking, root: string, ids: readonly string[]): Promise<BatchChoice | undefined> {
  const { filter, runId } = review.look;
  const source = { annotator: annotatorName() ?? "", ...(runId === undefined ? {} : { runId }) };
  const { total, shown } = await client.request("tracemark/queue", { root, ...source, filter, sorting: { by: "id" }, from: 0, to: 0 });
  const manifests = await vscode.workspace.findFiles(new vscode.RelativePattern(root, "**/*.samples.jsonl"), "**/node_modules/**", 50);
  const paths = manifests.map((uri) => fromRoot(root, uri)).sort();
  const folder = { label: vscode.l10n.t("A folder…"), description: "", choice: "folder" as const };
  const items = [
    ...(ids.length > 1 ? [{ label: vscode.l10n.t("The selected rows"), description: ids.length.toLocaleString(), choice: { patterns: [...ids] } }] : []),
    ...(shown < total && !review.isBlindOpen ? [{ label: vscode.l10n.t("What the filter of the review queue leaves"), description: shown.toLocaleString(), choice: { queue: { ...source, filter } } }] : []),
    { label: vscode.l10n.t("Everything"), description: total.toLocaleString(), choice: {} },
    ...(["train", "dev", "test"] as const).map((split) => ({ label: vscode.l10n.t("The split “{0}”", split), description: "", choice: { split } })),
    ...paths.map((path) => ({ label: path, description: vscode.l10n.t("manifest"), choice: { patterns: [path] } })),
    folder,
  ];
  const chosen = await vscode.window.showQuickPick<{ label: string; description: string; choice: BatchChoice | "folder" }>(items, { title: vscode.l10n.t("Run a monitor over samples (3/3): which samples?"), ignoreFocusOut: true });
  if (chosen?.choice !== "folder") return chosen?.choice;
  const [picked] = (await vscode.window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, defaultUri: vscode.Uri.file(root), openLabel: vscode.l10n.t("Judge what is in here") })) ?? [];
  if (!picked) return undefined;
  return { patterns: [fromRoot(root, picked)] };
}

/** The path from the root with `/`; `.` for the root itself. @throws ExpectedFailure for what lies elsewhere */
export function fromRoot(root: string, uri: vscode.Uri): string {
  const path = relative(root, uri.fsPath).split(sep).join("/");
  if (path === ".." || path.startsWith("../")) throw new ExpectedFailure(vscode.l10n.t("{0} does not lie in {1}, whose samples are judged.", uri.fsPath, root));
  return path === "" ? "." : path;
}

/**
 * Counts what would be sent, and asks. A run that goes on, on this machine alone, is not asked about again.
 * @throws ExpectedFailure, CancellationError
 */
export async function confirmBatch({ client, consent }: BatchAsking, asked: BatchAsked, monitor: MonitorInfo): Promise<boolean> {
  const places = await placesOf(monitor);
  for (const place of places) consent.refuseForbidden(place);
  if (asked.resume !== undefined && places.every(isLoopback)) return true;
  const estimate = await counted(client, asked);
  if (estimate.samples === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("Every sample has its verdict; there is nothing left to judge."));
    return false;
  }
  const show = vscode.l10n.t("Show the exact text");
  const run = asked.resume === undefined ? vscode.l10n.t("Run") : vscode.l10n.t("Go on");
  const title = asked.resume === undefined ? vscode.l10n.t("Run {0} ({1}) over {2} samples?", monitor.id, estimate.prompting, estimate.samples.toLocaleString())
    : vscode.l10n.t("Go on with the run of {0} ({1}) over {2} samples?", monitor.id, estimate.prompting, estimate.samples.toLocaleString());
  const { preview } = estimate;
  const chosen = await vscode.window.showWarningMessage(title, { modal: true, detail: estimateLines(estimate, places, batchSettings()).join("\n") }, run, ...(preview ? [show] : []));
  if (chosen === show && preview) {
    await showRecord(`${monitor.id}.prompt.md`, promptText(preview), vscode.l10n.t("What would be sent of {0}; nothing was sent", preview.sampleId));
    return false;
  }
  if (chosen !== run) return false;
  return mayLeave(consent, monitor, {
    trajectories: estimate.samples,
    preview: async () => ({ system: "", user: vscode.l10n.t("None of the first samples can be read, or be asked about."), ...preview, tokens: estimate.inputTokens }),
  });
}

function counted(client: ServerClient, asked: BatchAsked): Thenable<BatchEstimate> {
  const token = `estimate-${Date.now()}`;
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: vscode.l10n.t("Counting what {0} would be sent", asked.monitor), cancellable: true }, async (progress, cancel) => {
    const listening = client.onProgress((one) => one.token === token && progress.report({ message: one.message }));
    try {
      return await client.request("tracemark/batchEstimate", { ...asked, token }, cancel);
    } finally {
      listening.dispose();
    }
  });
}
