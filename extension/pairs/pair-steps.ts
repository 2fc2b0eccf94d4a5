/** Sends a pair for review, accepts or rejects it: asks what has to be asked, and writes the status into the manifest. */
import { join } from "node:path";
import * as vscode from "vscode";
import { changeSampleLine } from "#core/authored/manifest-lines";
import { backToDraft, halvesWithStatus, isPairError, refusalOf, statusChange, type PairStatus, type PairStep } from "#core/pairs/pair-status";
import { readManifest } from "#core/workspace/manifest";
import type { SampleRecord } from "#core/workspace/schemas";
import { changeTextFiles, readTextFile, type TextChange } from "#node/store/manifest-file";
import type { RequestResult } from "#protocol/lsp";
import type { HalfFacts } from "#protocol/pairs";
import type { ServerClient } from "../client/server-client";
import { ensureAnnotator } from "../platform/annotator";
import { ExpectedFailure } from "../platform/errors";
import { inWords } from "./pair-files";
import { labelWord } from "./pair-words";

type Pair = RequestResult<"tracemark/pair">;

/** The manifest lines of a pair as they were when the person was asked. */
interface Lines {
  readonly textByPath: ReadonlyMap<string, string>;
  readonly recordById: ReadonlyMap<string, { readonly path: string; readonly record: SampleRecord }>;
}

/** Takes a step with the pair of a sample. Resolves to its id, or undefined when the person thought better of it. @throws ExpectedFailure */
export async function takePairStep(client: ServerClient, root: string, sampleId: string, step: PairStep): Promise<string | undefined> {
  const by = await ensureAnnotator(root);
  if (by === undefined) return undefined;
  client.notify("tracemark/workspaceChanged", { root });
  const pair = await client.request("tracemark/pair", { root, sampleId, annotator: by });
  const refusal = refusalOf(step, pair.review.status);
  if (refusal !== undefined) throw new ExpectedFailure(vscode.l10n.t(refusal));
  refuseUnsaved(root, pair.halves);
  const lines = await readLines(root, pair.halves);
  const answer = step === "send" ? await askToSend(pair) : step === "accept" ? await askToAccept(pair) : await askWhy(pair);
  if (answer === undefined) return undefined;
  const at = new Date().toISOString();
  await inWords(() => changeTextFiles(changesOf(lines, pair.halves, (record) => statusChange(record, step, by, at, answer.reason))));
  client.notify("tracemark/workspaceChanged", { root });
  return pair.pairId;
}

/**
 * Sets an accepted pair back to draft because a half of it was edited. Resolves to the pair's id, or undefined where it is not
 * accepted. @throws ExpectedFailure where the manifest cannot be written
 */
export async function reopenEdited(client: ServerClient, root: string, sampleId: string): Promise<string | undefined> {
  client.notify("tracemark/workspaceChanged", { root });
  const { pairId, halves, review } = await client.request("tracemark/pair", { root, sampleId });
  if (review.status !== "accepted") return undefined;
  const by = await ensureAnnotator(root);
  if (by === undefined) throw new ExpectedFailure(vscode.l10n.t("its status is not set without a name. Reject pair {0}, or give your name in the settings and edit it again.", pairId));
  refuseUnsaved(root, halves);
  const lines = await readLines(root, halves);
  const at = new Date().toISOString();
  await inWords(() => changeTextFiles(changesOf(lines, halves, (record) => backToDraft(record, by, at, `${sampleId} was edited`))));
  client.notify("tracemark/workspaceChanged", { root });
  return pairId;
}

/** What is not saved is not what was checked, and a manifest that is being edited would be overwritten. */
function refuseUnsaved(root: string, halves: readonly HalfFacts[]): void {
  const manifests = new Set(halves.flatMap(({ manifest }) => (manifest === undefined ? [] : [vscode.Uri.file(join(root, manifest)).toString()])));
  for (const { isDirty, uri } of vscode.workspace.textDocuments) {
    if (isDirty && manifests.has(uri.toString())) throw new ExpectedFailure(vscode.l10n.t("{0} has changes that are not saved. Save or revert it first.", vscode.workspace.asRelativePath(uri)));
  }
}

async function readLines(root: string, halves: readonly HalfFacts[]): Promise<Lines> {
  const textByPath = new Map<string, string>();
  const recordById = new Map<string, { path: string; record: SampleRecord }>();
  for (const { id, manifest, status } of halves) {
    if (manifest === undefined) throw new ExpectedFailure(vscode.l10n.t("{0} stands in no manifest, so there is no place for a status. Make the pair with Tracemark: New pair from this sample.", id));
    const path = join(root, manifest);
    const text = textByPath.get(path) ?? (await inWords(() => readTextFile(path)));
    textByPath.set(path, text);
    const record = readManifest(text, manifest).samples.find((sample) => sample.id === id)?.manifest?.record;
    if (!record || record.status !== status) throw new ExpectedFailure(vscode.l10n.t("{0} was changed meanwhile. Look at the pair again, and repeat what you did.", manifest));
    recordById.set(id, { path, record });
  }
  return { textByPath, recordById };
}

/** A change for each manifest that holds a half which carries the status. */
function changesOf({ textByPath, recordById }: Lines, halves: readonly HalfFacts[], change: (record: SampleRecord) => Partial<SampleRecord>): TextChange[] {
  const ids = halvesWithStatus(halves.map(({ id, status, authored }) => ({ id, status: status as PairStatus | undefined, isAuthored: authored !== undefined })));
  return [...textByPath].flatMap(([path, seen]): TextChange[] => {
    const own = ids.flatMap((id) => {
      const line = recordById.get(id);
      return line?.path === path ? [{ id, change: change(line.record) }] : [];
    });
    return own.length === 0 ? [] : [{ path, seen, change: (text) => own.reduce((now, one) => changeSampleLine(now, one.id, one.change) ?? now, text) }];
  });
}

interface Answer { readonly reason?: string }

/** Findings as lines of a dialog: what is wrong, and what to do. */
function listed(findings: Pair["findings"]): string {
  const shown = findings.slice(0, 6).map(({ message, fix }) => `• ${message} ${fix}`);
  return [...shown, ...(findings.length > shown.length ? [vscode.l10n.t("… and {0} more, in the pair view.", findings.length - shown.length)] : [])].join("\n");
}

/** Whether the pair is refused: a dialog says what is wrong and what to do. `but` is a code that does not count. */
async function refuseErrors({ pairId, findings }: Pair, whatTo: string, but?: string): Promise<boolean> {
  const errors = findings.filter(({ code }) => isPairError(code) && code !== but);
  if (errors.length === 0) return false;
  const title = errors.length === 1 ? vscode.l10n.t("{0}: the pair check finds an error, so it is not {1}.", pairId, whatTo) : vscode.l10n.t("{0}: the pair check finds {1} errors, so it is not {2}.", pairId, errors.length, whatTo);
  await vscode.window.showErrorMessage(title, { modal: true, detail: listed(errors) });
  return true;
}

async function askToSend(pair: Pair): Promise<Answer | undefined> {
  // Sending gives both halves one status, which is the remedy for two.
  if (await refuseErrors(pair, vscode.l10n.t("sent"), "pair-status")) return undefined;
  const { pairId } = pair;
  const findings = pair.findings.filter(({ code }) => code !== "pair-status");
  if (findings.length === 0) return {};
  const title = findings.length === 1 ? vscode.l10n.t("{0}: the pair check has a warning.", pairId) : vscode.l10n.t("{0}: the pair check has {1} warnings.", pairId, findings.length);
  const anyway = vscode.l10n.t("Send for review");
  return (await vscode.window.showWarningMessage(title, { modal: true, detail: listed(findings) }, anyway)) === anyway ? {} : undefined;
}

async function askToAccept(pair: Pair): Promise<Answer | undefined> {
  if (await refuseErrors(pair, vscode.l10n.t("accepted"))) return undefined;
  const { pairId, review, findings } = pair;
  const doubts = [
    ...(review.judged === 0 ? [vscode.l10n.t("Nobody has judged both halves blind.")] : []),
    ...(review.isOpen && review.judges.some(({ labels }) => labels.some((label, at) => label !== null && label !== pair.halves[at]?.label)) ? [vscode.l10n.t("Reviewers do not agree with what the author meant.")] : []),
    ...(review.isOpen ? [] : [vscode.l10n.t("You have not judged both halves yourself.")]),
    ...(findings.length > 0 ? [findings.length === 1 ? vscode.l10n.t("The pair check has a warning.") : vscode.l10n.t("The pair check has {0} warnings.", findings.length)] : []),
  ];
  const accept = vscode.l10n.t("Accept");
  const title = vscode.l10n.t("Accept pair {0}?", pairId);
  const detail = [...doubts.map((doubt) => `• ${doubt}`), ...(doubts.length > 0 ? [""] : []), outcomeWords(pair)].join("\n");
  const chosen = doubts.length > 0 ? await vscode.window.showWarningMessage(title, { modal: true, detail }, accept) : await vscode.window.showInformationMessage(title, { modal: true, detail }, accept);
  return chosen === accept ? {} : undefined;
}

/** What each half was meant as, and what reviewers said of it. */
function outcomeWords({ halves, review }: Pair): string {
  return halves.map(({ id, label }, at) => {
    const said = review.judges.flatMap(({ annotator, labels }) => (labels[at] ? [`${annotator}: ${labelWord(labels[at])}`] : []));
    return said.length === 0 ? vscode.l10n.t("{0}: meant as {1}", id, labelWord(label)) : vscode.l10n.t("{0}: meant as {1}; {2}", id, labelWord(label), said.join(", "));
  }).join("\n");
}

async function askWhy(pair: Pair): Promise<Answer | undefined> {
  const reason = await vscode.window.showInputBox({
    title: vscode.l10n.t("Reject pair {0}", pair.pairId), ignoreFocusOut: true,
    prompt: vscode.l10n.t("Why? The reason is kept in the manifest, for whoever writes the pair anew."),
    validateInput: (value) => (value.trim() === "" ? vscode.l10n.t("Say why.") : undefined),
  });
  return reason === undefined ? undefined : { reason: reason.trim() };
}
