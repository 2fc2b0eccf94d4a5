/** Edits of the guidelines: asks once what an edit meant, when labels stand under the version before, and writes the answer into their log. */
import { basename, join, relative } from "node:path";
import * as vscode from "vscode";
import { judgeAgain } from "#core/labels/guideline-log";
import { ExpectedFailure as NodeFailure } from "#node/expected-failure";
import { markGuidelineChange, readGuidelineState, type GuidelineRoot } from "#node/guideline-log";
import { systemClock } from "#node/store/system-ids";
import { ensureAnnotator } from "../platform/annotator";
import { annotatorName } from "../platform/config";
import { Owner } from "../platform/dispose";
import { ExpectedFailure, reportError } from "../platform/errors";
import type { LabelService } from "./label-service";

export class GuidelineEdits extends Owner {
  private readonly markEmitter = this.register(new vscode.EventEmitter<string>());
  /** Fires with a root of which an edit of the guidelines was marked. */
  readonly onDidMark = this.markEmitter.event;
  /** Roots whose question is on screen, or was closed without an answer: the queue goes on saying that an edit waits. */
  private readonly asked = new Set<string>();

  constructor(private readonly labels: LabelService, log: vscode.LogOutputChannel) {
    super();
    this.register(vscode.workspace.onDidSaveTextDocument((document) => {
      if (/\.(md|markdown)$/i.test(document.fileName)) this.saved(document.uri).catch((error: unknown) => reportError(log, error, "guidelines"));
    }));
  }

  private async rootWith(root: string): Promise<GuidelineRoot> {
    return { root, settings: await this.labels.settingsOf(root), labels: await this.labels.storeOf(root) };
  }

  private async saved(uri: vscode.Uri): Promise<void> {
    const root = await this.labels.rootOf(uri);
    if (root === undefined || this.asked.has(root)) return;
    const named = (await this.labels.settingsOf(root)).config?.guidelines;
    if (named === undefined || relative(join(root, named), uri.fsPath) !== "") return;
    const state = await readGuidelineState(await this.rootWith(root));
    if (!state?.unmarked) return;
    this.asked.add(root);
    const minor = vscode.l10n.t("Minor");
    const meaning = vscode.l10n.t("Changes the meaning…");
    const chosen = await vscode.window.showInformationMessage(
      vscode.l10n.t("{0} was edited, and labels stand under the version before. Does the edit change what they mean?", basename(named)), minor, meaning);
    if (chosen === undefined) return;
    await this.mark(root, chosen === minor ? "minor" : "meaning");
  }

  /**
   * Asks what is not said yet, and writes it into the log. Resolves to how many of this person's labels are to be given again;
   * undefined when the person stopped.
   * @throws ExpectedFailure where there are no guidelines, or this version was marked already
   */
  async mark(root: string, change?: "minor" | "meaning"): Promise<number | undefined> {
    const workspace = await this.rootWith(root);
    const state = await readGuidelineState(workspace);
    if (!state) throw new ExpectedFailure(vscode.l10n.t("No guidelines are named in tracemark.json: add \"guidelines\": \"guidelines.md\"."));
    const by = await ensureAnnotator(root);
    const kind = by === undefined ? undefined : (change ?? (await askKind(state.file)));
    if (by === undefined || kind === undefined) return undefined;
    const said = kind === "meaning" ? await this.askMeaning(root) : {};
    if (!said) return undefined;
    try {
      await markGuidelineChange(workspace, { change: kind, by, ...said }, new Date(systemClock.now()).toISOString());
    } catch (error) {
      throw error instanceof NodeFailure ? new ExpectedFailure(error.sentence()) : error;
    }
    this.asked.delete(root);
    this.markEmitter.fire(root);
    const log = (await readGuidelineState(workspace))?.log ?? [];
    const again = judgeAgain(workspace.labels.all(), log);
    const mine = again.filter(({ annotator }) => annotator === annotatorName()).length;
    if (kind === "meaning") void this.tell(root, mine, again.length - mine);
    return mine;
  }

  /** Which categories an edit concerns, and what it changed. */
  private async askMeaning(root: string): Promise<{ categories?: string[]; note?: string } | undefined> {
    const { taxonomy } = await this.labels.settingsOf(root);
    const picked = await vscode.window.showQuickPick(taxonomy.map(({ id, title }) => ({ label: title, id })), {
      title: vscode.l10n.t("Which categories does the edit concern?"), placeHolder: vscode.l10n.t("Choose none where it concerns all"), canPickMany: true,
    });
    if (!picked) return undefined;
    const note = await vscode.window.showInputBox({ title: vscode.l10n.t("What has changed?"), prompt: vscode.l10n.t("A sentence for those who judge again. May stay empty.") });
    if (note === undefined) return undefined;
    return { ...(picked.length > 0 && picked.length < taxonomy.length ? { categories: picked.map(({ id }) => id) } : {}), ...(note.trim() === "" ? {} : { note: note.trim() }) };
  }

  private async tell(root: string, mine: number, others: number): Promise<void> {
    const start = vscode.l10n.t("Judge again");
    const words = [vscode.l10n.t("Labels of yours to give again: {0}.", mine), ...(others > 0 ? [vscode.l10n.t("Of others: {0}.", others)] : []), vscode.l10n.t("Until then they count as they are.")].join(" ");
    if ((await vscode.window.showInformationMessage(words, ...(mine > 0 ? [start] : []))) === start) await vscode.commands.executeCommand("tracemark.startJudgeAgain", root);
  }
}

async function askKind(file: string): Promise<"minor" | "meaning" | undefined> {
  const chosen = await vscode.window.showQuickPick([
    { label: vscode.l10n.t("Minor"), detail: vscode.l10n.t("Wording, examples, typing errors: every label means what it meant."), change: "minor" as const },
    { label: vscode.l10n.t("Changes the meaning"), detail: vscode.l10n.t("Labels given before are to be given again; none is lost or left out meanwhile."), change: "meaning" as const },
  ], { title: vscode.l10n.t("What did the last edit of {0} mean?", file) });
  return chosen?.change;
}
