/** Commands about monitors, keys, the annotator, the score view and the server. */
import * as vscode from "vscode";
import { editorModels } from "#core/monitors/endpoint";
import { askAnnotator } from "../platform/annotator";
import { ExpectedFailure } from "../platform/errors";
import { targetUri } from "./open-as-trajectory";
import { defineCommand } from "./define";

export const openScore = defineCommand({
  id: "tracemark.openScore",
  async run(app, argument) {
    app.review.refuseWhileBlind(vscode.l10n.t("The score view"));
    const uri = targetUri(argument);
    const root = (uri && (await app.labels.rootOf(uri))) ?? app.review.root;
    if (!root) throw new ExpectedFailure(vscode.l10n.t("Open a folder with samples first; scores belong to a folder."));
    app.scores.open(root);
  },
});

export const selectMonitor = defineCommand({
  id: "tracemark.selectMonitor",
  run: (app) => app.monitors.pick(app.activeRef()),
});

export const setAnnotator = defineCommand({
  id: "tracemark.setAnnotator",
  run: () => askAnnotator(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath),
});

export const setApiKey = defineCommand({
  id: "tracemark.setApiKey",
  async run(app) {
    const all = (await app.monitors.list(app.activeRef())).flatMap((monitor) => monitor.origins ?? []);
    // The editor's own models take no key.
    const origins = [...new Set(all)].filter((origin) => origin !== editorModels);
    if (origins.length === 0) throw new ExpectedFailure(vscode.l10n.t("No monitor with an endpoint is configured. Add one to tracemark.json or to the setting tracemark.monitors.configured."));
    const origin = await vscode.window.showQuickPick(origins, { title: vscode.l10n.t("The key is bound to one host") });
    if (!origin) return;
    const key = await vscode.window.showInputBox({ title: vscode.l10n.t("API key for {0}", origin), password: true, ignoreFocusOut: true });
    if (!key?.trim()) return;
    await app.consent.setApiKey(origin, key.trim());
    void vscode.window.showInformationMessage(vscode.l10n.t("The key is stored for {0} and is sent nowhere else.", origin));
  },
});

export const clearApiKey = defineCommand({
  id: "tracemark.clearApiKey",
  async run(app) {
    await app.consent.clearApiKeys();
    void vscode.window.showInformationMessage(vscode.l10n.t("All API keys are cleared."));
  },
});

export const forgetAllowedHosts = defineCommand({
  id: "tracemark.forgetAllowedHosts",
  async run(app) {
    await app.consent.forgetHosts();
    void vscode.window.showInformationMessage(vscode.l10n.t("No host but this machine may receive trajectories now."));
  },
});

export const restartServer = defineCommand({ id: "tracemark.restartServer", run: (app) => app.client.restart() });
export const showLog = defineCommand({ id: "tracemark.showLog", run: (app) => app.log.show() });
export const associateEval = defineCommand({ id: "tracemark.associateEval", run: (app) => app.associateEval() });
