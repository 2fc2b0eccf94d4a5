/** An authored trajectory as a document: its steps are edited by splices, and saved whole and atomically. */
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import * as z from "zod/mini";
import { readAuthored, writeAuthored } from "#core/authored/authored-file";
import { applySplice, inverseOf, spliceOf, type StepEdit, type StepSplice } from "#core/authored/step-edit";
import type { Step, Trajectory } from "#core/trajectory/model";
import { sha256 } from "#node/sha256";
import { replaceFile } from "#node/store/replace-file";
import type { HalfFacts } from "#protocol/pairs";
import { Owner } from "../platform/dispose";
import { ExpectedFailure } from "../platform/errors";
import { inWords } from "./pair-files";

/** Hot exit: the steps as the file they would be saved as, and the hash of the file that they were made from. */
const Backup = z.object({ schemaVersion: z.literal(1), baseSha256: z.string(), text: z.string() });

export interface AuthoredChange {
  readonly splice: StepSplice;
  readonly announce: string;
  /** The view whose edit it was. */
  readonly by?: unknown;
}

export interface AuthoredEdit {
  readonly label: string;
  undo(): void;
  redo(): void;
}

export interface AuthoredFacts extends HalfFacts {
  readonly pairId?: string | undefined;
}

export class AuthoredDocument extends Owner implements vscode.CustomDocument {
  steps: readonly Step[];
  revision = 0;
  private savedText: string;
  private readonly changeEmitter = this.register(new vscode.EventEmitter<AuthoredChange>());
  private readonly editEmitter = this.register(new vscode.EventEmitter<AuthoredEdit>());
  private readonly resetEmitter = this.register(new vscode.EventEmitter<void>());
  private readonly savedEmitter = this.register(new vscode.EventEmitter<void>());
  private readonly disposeEmitter = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changeEmitter.event;
  readonly onDidEdit = this.editEmitter.event;
  /** Everything is other than it was: revert, or the file on disk changed. */
  readonly onDidReset = this.resetEmitter.event;
  readonly onDidSave = this.savedEmitter.event;
  readonly onDidDispose = this.disposeEmitter.event;

  private constructor(readonly uri: vscode.Uri, readonly root: string, private trajectory: Trajectory, text: string, public facts: AuthoredFacts) {
    super();
    this.steps = trajectory.steps;
    this.savedText = text;
  }

  /** @throws ExpectedFailure when the file cannot be edited without losing something */
  static async open(uri: vscode.Uri, root: string, facts: AuthoredFacts, backup: Uint8Array | undefined): Promise<AuthoredDocument> {
    const text = await readText(uri);
    const document = new AuthoredDocument(uri, root, needAuthored(text, facts.id), text, facts);
    if (backup) await document.restore(backup);
    return document;
  }

  private async restore(bytes: Uint8Array): Promise<void> {
    const parsed = Backup.safeParse(jsonOf(new TextDecoder().decode(bytes)));
    const kept = parsed.success ? readAuthored(parsed.data.text, this.facts.id) : undefined;
    if (!parsed.success || typeof kept !== "object") return;
    if (parsed.data.baseSha256 !== sha256(this.savedText)) {
      const mine = vscode.l10n.t("Use my edits");
      const chosen = await vscode.window.showWarningMessage(vscode.l10n.t("{0} was changed on disk after your unsaved edits were made.", this.fileName), mine, vscode.l10n.t("Use what is saved"));
      if (chosen !== mine) return;
    }
    this.steps = kept.steps;
  }

  get fileName(): string {
    return this.uri.path.slice(this.uri.path.lastIndexOf("/") + 1);
  }

  get text(): string {
    return writeAuthored(this.trajectory, this.steps);
  }

  get title(): string | undefined {
    return this.trajectory.title;
  }

  get isDirty(): boolean {
    return this.text !== this.savedText;
  }

  setFacts(facts: AuthoredFacts): void {
    this.facts = facts;
    this.resetEmitter.fire();
  }

  /** Makes an edit and puts it on the undo stack; answers a sentence where it cannot be made. */
  edit(edit: StepEdit, label: string, by: unknown): string | undefined {
    const splice = spliceOf(this.steps, edit);
    if (typeof splice === "string") return splice;
    this.apply(splice, label, by);
    this.editEmitter.fire({
      label,
      undo: () => this.apply(inverseOf(splice), vscode.l10n.t("Undone: {0}", label)),
      redo: () => this.apply(splice, vscode.l10n.t("Redone: {0}", label)),
    });
    return undefined;
  }

  private apply(splice: StepSplice, announce: string, by?: unknown): void {
    this.steps = applySplice(this.steps, splice);
    this.revision++;
    this.changeEmitter.fire({ splice, announce, by });
  }

  /** Resolves to whether the trajectory is another one than was saved before. @throws ExpectedFailure; the edits stay, and the document stays unsaved */
  async save(): Promise<boolean> {
    const { text } = this;
    const isOther = text !== this.savedText;
    const onDisk = await readText(this.uri).catch(() => undefined);
    if (onDisk !== undefined && onDisk !== this.savedText && onDisk !== text) {
      const over = vscode.l10n.t("Overwrite");
      const chosen = await vscode.window.showWarningMessage(vscode.l10n.t("{0} was changed on disk since it was read.", this.fileName), { modal: true }, over);
      if (chosen !== over) throw new vscode.CancellationError();
    }
    await inWords(() => replaceFile(this.uri.fsPath, text));
    this.savedText = text;
    this.savedEmitter.fire();
    return isOther;
  }

  async revert(): Promise<void> {
    const text = await readText(this.uri);
    this.trajectory = needAuthored(text, this.facts.id);
    this.steps = this.trajectory.steps;
    this.savedText = text;
    this.revision++;
    this.resetEmitter.fire();
  }

  /** Follows a file that changed on disk, unless there are edits: those stay, and saving asks. */
  async followDisk(): Promise<void> {
    const text = await readText(this.uri).catch(() => undefined);
    if (text === undefined || text === this.savedText || this.isDirty || typeof readAuthored(text, this.facts.id) === "string") return;
    await this.revert();
  }

  backup(): Uint8Array {
    return new TextEncoder().encode(JSON.stringify({ schemaVersion: 1, baseSha256: sha256(this.savedText), text: this.text }));
  }

  override dispose(): void {
    super.dispose();
    this.disposeEmitter.fire();
    this.disposeEmitter.dispose();
  }
}

async function readText(uri: vscode.Uri): Promise<string> {
  try {
    return await readFile(uri.fsPath, "utf8");
  } catch (error) {
    throw new ExpectedFailure(vscode.l10n.t("{0} cannot be read: {1}", uri.fsPath, (error as NodeJS.ErrnoException).code ?? String(error)));
  }
}

/** What half-written bytes hold is no backup. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function needAuthored(text: string, id: string): Trajectory {
  const read = readAuthored(text, id);
  if (typeof read === "string") throw new ExpectedFailure(read);
  return read;
}
