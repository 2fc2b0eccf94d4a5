/** Writes what makes a pair on disk: the counterpart's file, its line in a manifest, and the manifest's name in `tracemark.json`. */
import { access } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { writeAuthored } from "#core/authored/authored-file";
import { addSampleLine, changeSampleLine } from "#core/authored/manifest-lines";
import { classWord } from "#core/labels/class-words";
import type { Trajectory } from "#core/trajectory/model";
import type { SampleRecord } from "#core/workspace/schemas";
import { ExpectedFailure as NodeFailure } from "#node/expected-failure";
import { changeTextFiles } from "#node/store/manifest-file";
import { replaceFile } from "#node/store/replace-file";
import { ExpectedFailure } from "../platform/errors";

/** The manifest that new pairs and samples go to where no other one holds the sample. */
export const ownManifest = "pairs.samples.jsonl";
const folder = "authored";

/** Runs `work`, with failures of the file system as sentences. */
export async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof NodeFailure ? new ExpectedFailure(error.sentence()) : error;
  }
}

/** Reads, changes and writes a file under its lock; a file that is not there is an empty text. @throws ExpectedFailure of the store */
function changeFile(path: string, change: (text: string) => string): Promise<void> {
  const open = vscode.workspace.textDocuments.find(({ isDirty, uri }) => isDirty && uri.toString() === vscode.Uri.file(path).toString());
  if (open) throw new ExpectedFailure(vscode.l10n.t("{0} has changes that are not saved. Save or revert it first.", vscode.workspace.asRelativePath(open.uri)));
  return changeTextFiles([{ path, change }]);
}

/** An id and a file name that are free and say nothing of the class: the sample's own name with a number behind it. */
export async function freeName(root: string, manifest: string, wish: string, taken: readonly string[]): Promise<{ id: string; path: string }> {
  const last = wish.slice(Math.max(wish.lastIndexOf("/"), wish.lastIndexOf("#")) + 1);
  const plain = last.replace(/\.[a-z.]+$/i, "").replace(/[^\p{L}\p{N}._~+-]+/gu, "-").replace(/^[-._]+|[-._]+$/g, "").slice(0, 80);
  const stem = plain === "" || classWord(plain) !== undefined ? "sample" : plain;
  const ids = new Set(taken);
  for (let n = 2; ; n++) {
    const id = `${stem}-${n}`;
    const path = `${folder}/${id}.atif.json`;
    if (!ids.has(id) && !(await exists(join(root, folderOf(manifest), path)))) return { id, path };
  }
}

export const folderOf = (manifest: string): string => (manifest.includes("/") ? manifest.slice(0, manifest.lastIndexOf("/")) : "");

const exists = (path: string): Promise<boolean> => access(path).then(() => true, () => false);

/** Writes the file of an authored trajectory and answers its path. */
export async function writeNew(root: string, manifest: string, path: string, trajectory: Trajectory): Promise<string> {
  const file = join(root, folderOf(manifest), path);
  await replaceFile(file, writeAuthored(trajectory, trajectory.steps));
  return file;
}

/** Puts records into a manifest (path from the root). `after` is the sample that the first one follows, `paired` what that sample's own line gets. */
export async function writeManifest(root: string, manifest: string, records: readonly SampleRecord[], after?: { id: string; change: Partial<SampleRecord> }): Promise<void> {
  await changeFile(join(root, manifest), (before) => {
    let text = after ? (changeSampleLine(before, after.id, after.change) ?? before) : before;
    let last = after?.id;
    for (const record of records) {
      text = addSampleLine(text, record, last);
      last = record.id;
    }
    return text;
  });
}

/**
 * Makes `tracemark.json` name a manifest among its samples. The rest of the file stays as it was.
 * @throws ExpectedFailure when there is no list to add to
 */
export async function nameInConfig(root: string, manifest: string): Promise<void> {
  await changeFile(join(root, "tracemark.json"), (text) => {
    if (text === "") return text;
    const after = text.replace(/("samples"\s*:\s*\[)(\s*)(\])?/, (_all, start: string, blank: string, end?: string) =>
      end ? `${start}${JSON.stringify(manifest)}]` : `${start}${blank}${JSON.stringify(manifest)},${blank === "" ? " " : blank}`);
    if (after === text) throw new ExpectedFailure(vscode.l10n.t("Add {0} to \"samples\" in tracemark.json: without it the new sample belongs to no benchmark.", manifest));
    return after;
  });
}
