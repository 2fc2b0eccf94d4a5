/** Hot exit: the drafts of a document in a few hundred bytes, and how they come back. */
import * as vscode from "vscode";
import * as z from "zod/mini";
import { LabelState } from "#core/labels/state";
import { messageOf } from "../platform/errors";
import type { SampleState } from "./sample-state";

const Backup = z.object({
  schemaVersion: z.literal(1),
  samples: z.array(z.object({
    sampleId: z.string(), contentSha256: z.string(), standingId: z.optional(z.string()), state: LabelState,
  })),
});
export type Backup = z.infer<typeof Backup>;

/** The backup of the given drafts, as bytes. */
export function backupOf(drafts: readonly SampleState[]): Uint8Array {
  const backup: Backup = {
    schemaVersion: 1,
    samples: drafts.map((sample) => ({
      sampleId: sample.shownId, contentSha256: sample.header.contentSha256,
      ...(sample.standing ? { standingId: sample.standing.id } : {}), state: sample.state,
    })),
  };
  return new TextEncoder().encode(JSON.stringify(backup));
}

/** Reads a backup; undefined when it is not one of ours. */
export function parseBackup(bytes: Uint8Array): Backup | undefined {
  try {
    const parsed = Backup.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The bytes of a backup of hot exit; undefined where they are gone, as after a host that was killed: VS Code then still names a
 * backup that nobody can read, and a document has to open without it. What was saved is in the label file.
 */
export async function readBackupBytes(backupId: string | undefined, warn: (message: string) => void): Promise<Uint8Array | undefined> {
  if (backupId === undefined) return undefined;
  const uri = /^[a-z][a-z0-9+.-]+:/i.test(backupId) ? vscode.Uri.parse(backupId) : vscode.Uri.file(backupId);
  try {
    return await vscode.workspace.fs.readFile(uri);
  } catch (error) {
    warn(`backup ${backupId}: ${messageOf(error)}; opened without it`);
    return undefined;
  }
}

/** Puts the draft of the backup back. Where the label on disk changed meanwhile, the person chooses; nothing is dropped unasked. */
export async function restoreFrom(backup: Backup, sample: SampleState): Promise<void> {
  const entry = backup.samples.find((candidate) => candidate.sampleId === sample.shownId);
  if (!entry || entry.contentSha256 !== sample.header.contentSha256) return;
  if (entry.standingId !== sample.standing?.id) {
    const keep = vscode.l10n.t("Use my draft");
    const chosen = await vscode.window.showWarningMessage(
      vscode.l10n.t("The label of {0} was changed on disk after your unsaved draft was made.", sample.shownId), keep, vscode.l10n.t("Use what is saved"),
    );
    if (chosen !== keep) return;
  }
  sample.state = entry.state;
  sample.revision++;
  sample.status = { state: "draft" };
}
