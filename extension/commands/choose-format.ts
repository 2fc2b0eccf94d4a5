/** *Choose the format*: reads the active file with another reader than the one that its content seems to ask for. */
import * as vscode from "vscode";
import { ExpectedFailure } from "../platform/errors";
import { defineCommand } from "./define";

export const chooseFormat = defineCommand({
  id: "tracemark.chooseFormat",
  async run(app) {
    const document = app.editors.registry.active?.document;
    if (!document || "onDidAskFor" in document) throw new ExpectedFailure(vscode.l10n.t("Open a file as a trajectory first."));
    if (document.draftSamples().length > 0) throw new ExpectedFailure(vscode.l10n.t("Save or revert the labels of this file first: another reader may read other steps."));
    const { formats, current } = await app.client.request("tracemark/formats", document.ref);
    const picks = [
      { label: vscode.l10n.t("By its content"), id: undefined, description: "" },
      ...formats.map(({ id, title, score }) => ({
        label: title, id, description: [id === current ? vscode.l10n.t("now") : "", score > 0 ? vscode.l10n.t("seems to fit") : ""].filter(Boolean).join(", "),
      })),
    ];
    const chosen = await vscode.window.showQuickPick(picks, { title: vscode.l10n.t("Choose the format of {0}", document.fileName), matchOnDescription: true });
    if (chosen) await document.chooseFormat(chosen.id);
  },
});
