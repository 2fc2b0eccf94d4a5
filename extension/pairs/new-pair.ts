/** *New pair from this sample*: writes the counterpart, lists both halves in a manifest, and opens the new one beside. */
import { join } from "node:path";
import * as vscode from "vscode";
import { counterpartOf } from "#core/authored/authored-file";
import type { GoldLabel } from "#core/trajectory/model";
import type { SampleRecord } from "#core/workspace/schemas";
import type { TrajectoryHeader } from "#protocol/lsp";
import type { ServerClient } from "../client/server-client";
import type { Target } from "../editor/document";
import { ExpectedFailure } from "../platform/errors";
import { authoredViewType } from "./authored-provider";
import { freeName, inWords, nameInConfig, ownManifest, writeManifest, writeNew } from "./pair-files";

/** Says which class the new half is to be; undefined when the person closes the question. `null` leaves it open. */
async function askLabel(of: GoldLabel | undefined): Promise<GoldLabel | null | undefined> {
  if (of) return of === "benign" ? "misbehavior" : "benign";
  const choices: (vscode.QuickPickItem & { value: GoldLabel | null })[] = [
    { label: vscode.l10n.t("Misbehavior"), value: "misbehavior" }, { label: vscode.l10n.t("Benign"), value: "benign" }, { label: vscode.l10n.t("Decide later"), value: null },
  ];
  return (await vscode.window.showQuickPick(choices, { title: vscode.l10n.t("What is the counterpart going to show?"), placeHolder: vscode.l10n.t("This sample has no label: it is then meant as the other class"), ignoreFocusOut: true }))?.value;
}

/** Writes the counterpart of a sample and opens it. Resolves to its id, or undefined when the person thought better of it. */
export async function newPair(client: ServerClient, target: Target, root: string, author: string): Promise<string | undefined> {
  const header = await client.request("tracemark/header", target);
  const source = await client.request("tracemark/sampleSource", { root, sampleId: header.id });
  if (source.pairId !== undefined) throw new ExpectedFailure(vscode.l10n.t("{0} is half of the pair {1} already. Open that with Tracemark: Open the pair.", header.id, source.pairId));
  const known = header.sample?.label ?? header.label;
  const label = await askLabel(known);
  if (label === undefined) return undefined;
  const { steps } = await client.request("tracemark/steps", { ...target, from: 0, to: header.stepCount });
  const manifest = source.manifest ?? ownManifest;
  const { id, path } = await freeName(root, manifest, header.id, source.ids);
  const pairId = freePair(id.replace(/-\d+$/, ""), source.ids);
  const made = recordOf(header, { id, path, pairId, label, author });
  const meant = known === undefined && label !== null ? meantBySource(label) : {};
  const file = await inWords(async () => {
    const written = await writeNew(root, manifest, path, counterpartOf(header, steps, id));
    if (source.manifest !== undefined) await writeManifest(root, manifest, [made], { id: header.id, change: { pair_id: pairId, ...meant } });
    else await writeManifest(root, manifest, [{ ...sourceRecord(header, pairId, source, target, root), ...meant }, made]);
    return written;
  });
  await makeKnown(client, root, id, manifest);
  await vscode.commands.executeCommand("vscode.openWith", vscode.Uri.file(file), authoredViewType, vscode.ViewColumn.Beside);
  return id;
}

/** Whether the root knows the new sample by now; where `tracemark.json` does not name its manifest, it does from now on. */
export async function makeKnown(client: ServerClient, root: string, id: string, manifest: string): Promise<void> {
  client.notify("tracemark/workspaceChanged", { root });
  if ((await client.request("tracemark/sampleSource", { root, sampleId: id })).known) return;
  await inWords(() => nameInConfig(root, manifest));
  client.notify("tracemark/workspaceChanged", { root });
}

/**
 * What a sample without a label gets beside its counterpart: the other class, as the author means it. Until the pair is accepted
 * that is a draft, since nobody has said so yet.
 */
function meantBySource(counterpart: GoldLabel): Pick<SampleRecord, "label" | "label_origin" | "status"> {
  return { label: counterpart === "benign" ? "misbehavior" : "benign", label_origin: "author", status: "draft" };
}

function freePair(stem: string, taken: readonly string[]): string {
  return taken.includes(stem) || taken.includes(`${stem}-2`) ? `pair-${stem}` : stem;
}

/** The line of the new half: category, task, split and source are those of the other one. */
function recordOf({ sample }: TrajectoryHeader, made: { id: string; path: string; pairId: string; label: GoldLabel | null; author: string }): SampleRecord {
  const { category, task, split } = sample ?? {};
  return {
    id: made.id, pair_id: made.pairId, ...(category === undefined ? {} : { category }), ...(task === undefined ? {} : { task }),
    ...(made.label === null ? {} : { label: made.label, label_origin: "author" }), ...(split === undefined ? {} : { split }),
    authored: { by: made.author, method: "edited" }, status: "draft", path: made.path,
  };
}

/** The line of a sample that no manifest had: its id stays what it is, so that labels and verdicts on it still count. */
function sourceRecord(header: TrajectoryHeader, pairId: string, source: { file?: string | undefined; record?: number | string | undefined }, target: Target, root: string): SampleRecord {
  const file = source.file ?? (target.document.path?.startsWith(join(root, "/")) ? target.document.path.slice(root.length + 1).replace(/\\/g, "/") : undefined);
  if (file === undefined) throw new ExpectedFailure(vscode.l10n.t("The sample's file is not in the folder of its benchmark. Copy it there first."));
  return { id: header.id, pair_id: pairId, ...(header.label === undefined ? {} : { label: header.label }), path: file, ...(source.record === undefined ? {} : { record: source.record }) };
}
