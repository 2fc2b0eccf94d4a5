/** The labels of every open root: which folder they belong to, who makes them, reading and writing them. All editors are views of it. */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { recordFromState, stateFromRecord, type StepSource } from "#core/labels/record";
import { emptyLabelState, type LabelState } from "#core/labels/state";
import { readConfig, type WorkspaceSettings, defaultSettings } from "#core/workspace/config";
import type { LabelRecord, LabelValue, TaxonomyEntry } from "#core/workspace/schemas";
import { ExpectedFailure as NodeFailure } from "#node/expected-failure";
import { configFolderAbove } from "#node/root";
import { LabelStore } from "#node/store/label-store";
import { systemClock, systemIds } from "#node/store/system-ids";
import type { DocumentRef, TrajectoryItem } from "#protocol/lsp";
import type { SampleState } from "../editor/sample-state";
import { ensureAnnotator } from "../platform/annotator";
import { annotatorName } from "../platform/config";
import { Owner } from "../platform/dispose";
import { ExpectedFailure, messageOf } from "../platform/errors";

/** Watching does not work on network drives, so folders are looked at again this often and when the window gets the focus. */
const pollMs = 15_000;

export interface WriteFrame {
  readonly annotator: string;
  readonly action?: "confirm" | "decide" | "relabel";
  readonly runId?: string;
  readonly seconds?: number;
}

interface OpenRoot {
  readonly store: LabelStore;
  readonly settings: WorkspaceSettings;
}

export class LabelService extends Owner {
  private readonly changeEmitter = this.register(new vscode.EventEmitter<string>());
  /** Fires with a root whose labels changed. */
  readonly onDidChange = this.changeEmitter.event;
  private readonly rootByPath = new Map<string, Promise<OpenRoot>>();
  private readonly chosenRoots = new Map<string, string>();
  private readonly writing = new Set<Promise<unknown>>();
  private readonly ids = systemIds();

  constructor(private readonly log: vscode.LogOutputChannel) {
    super();
    const timer = setInterval(() => void this.refreshAll(), pollMs);
    this.register(new vscode.Disposable(() => clearInterval(timer)));
    this.register(vscode.window.onDidChangeWindowState(({ focused }) => focused && void this.refreshAll()));
    const watcher = this.register(vscode.workspace.createFileSystemWatcher("**/*.jsonl"));
    const changed = (uri: vscode.Uri) => void this.refreshFolder(dirname(uri.fsPath));
    watcher.onDidChange(changed);
    watcher.onDidCreate(changed);
    watcher.onDidDelete(changed);
    this.register(vscode.workspace.onDidSaveTextDocument((document) => {
      if (document.fileName.endsWith("tracemark.json")) this.rootByPath.delete(dirname(document.fileName));
    }));
  }

  /** The root of a document: the nearest `tracemark.json`, else its workspace folder, else a folder chosen before. */
  async rootOf(uri: vscode.Uri): Promise<string | undefined> {
    if (uri.scheme !== "file") return vscode.workspace.workspaceFolders?.find((folder) => folder.uri.scheme === "file")?.uri.fsPath;
    return configFolderAbove(dirname(uri.fsPath)) ?? vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath ?? this.chosenRoots.get(dirname(uri.fsPath));
  }

  private open(root: string): Promise<OpenRoot> {
    let opened = this.rootByPath.get(root);
    if (!opened) {
      opened = this.openRoot(root);
      this.rootByPath.set(root, opened);
      opened.catch(() => this.rootByPath.delete(root));
    }
    return opened;
  }

  private async openRoot(root: string): Promise<OpenRoot> {
    const text = await readFile(join(root, "tracemark.json"), "utf8").catch(() => undefined);
    const settings = text === undefined ? defaultSettings : readConfig(text, "tracemark.json").settings;
    const store = await LabelStore.open(join(root, settings.labels), systemClock, this.ids, { shown: settings.labels });
    for (const problem of store.problems) this.log.warn(`${problem.file}${problem.line === undefined ? "" : `:${problem.line}`}: ${problem.message}`);
    this.register(store.onDidChange(() => this.changeEmitter.fire(root)));
    return { store, settings };
  }

  private async refreshAll(): Promise<void> {
    for (const opened of this.rootByPath.values()) await opened.then(({ store }) => store.refresh()).catch(() => undefined);
  }

  private async refreshFolder(folder: string): Promise<void> {
    for (const opened of this.rootByPath.values()) {
      const { store } = await opened.catch(() => ({ store: undefined }));
      if (store?.folder === folder) await store.refresh();
    }
  }

  /** Reads what others wrote. */
  async refresh(ref: DocumentRef): Promise<void> {
    if (ref.root) await (await this.open(ref.root)).store.refresh();
  }

  async taxonomy(ref: DocumentRef): Promise<readonly TaxonomyEntry[]> {
    return (ref.root ? (await this.open(ref.root)).settings : defaultSettings).taxonomy;
  }

  /** The name under which labels are made; asks when it is not known yet. Also makes sure that there is a folder for them. */
  async annotator(ref: DocumentRef): Promise<string | undefined> {
    if (!ref.root && !(await this.chooseRoot(ref))) return undefined;
    return ensureAnnotator(ref.root);
  }

  /** Labels need a folder; where neither configuration nor workspace names one, the person does. */
  private async chooseRoot(ref: DocumentRef): Promise<string | undefined> {
    const chosen = await vscode.window.showOpenDialog({
      canSelectFiles: false, canSelectFolders: true, canSelectMany: false,
      title: vscode.l10n.t("Choose the folder that the labels belong to"), openLabel: vscode.l10n.t("Keep labels here"),
      ...(ref.path ? { defaultUri: vscode.Uri.file(dirname(ref.path)) } : {}),
    });
    const root = chosen?.[0]?.fsPath;
    if (root === undefined) return undefined;
    if (ref.path) this.chosenRoots.set(dirname(ref.path), root);
    ref.root = root;
    return root;
  }

  /** This annotator's standing record on a sample; undefined for none, for a retraction, and while the name is not known. */
  async standing(ref: DocumentRef, sampleId: string): Promise<LabelRecord | undefined> {
    const annotator = annotatorName();
    if (!ref.root || annotator === undefined) return undefined;
    const record = (await this.open(ref.root)).store.standing(annotator, sampleId);
    return record?.retracted ? undefined : record;
  }

  /** The state that a record stands for. Spans whose words are not where they were are told in the log and stay in the record on disk. */
  stateOf(record: LabelRecord | undefined, steps: StepSource): LabelState {
    if (!record) return emptyLabelState;
    const read = stateFromRecord(record, steps);
    for (const span of read.lost) this.log.warn(`label ${record.id}: the span "${span.exact.slice(0, 80)}" does not stand in step ${span.step} any more`);
    return read.state;
  }

  /** The standing label of each item that has one, by item index. */
  async labelled(ref: DocumentRef, items: readonly TrajectoryItem[]): Promise<{ index: number; label: LabelValue | null }[]> {
    const annotator = annotatorName();
    if (!ref.root || annotator === undefined) return [];
    const { store } = await this.open(ref.root);
    return items.flatMap(({ index, id }) => {
      const record = store.standing(annotator, id);
      return record && !record.retracted ? [{ index, label: record.label }] : [];
    });
  }

  /** The record that the state of a sample would be written as. */
  draftRecord(_ref: DocumentRef, sample: SampleState, frame: WriteFrame): LabelRecord {
    return this.recordOf(sample, frame, { id: this.ids.next(), created_at: new Date().toISOString() }).record;
  }

  private recordOf(sample: SampleState, frame: WriteFrame, stamp: { id: string; created_at: string }, supersedes = sample.standing?.id) {
    const { header } = sample;
    const empty = JSON.stringify(sample.state) === JSON.stringify(emptyLabelState);
    const known = sample.verdicts.some(({ verdict }) => verdict.outcome !== "invalid");
    const quoted = sample.verdicts.some(({ quotes }) => quotes.length > 0);
    const seen: LabelRecord["seen"] = [...(known ? ["verdict" as const] : []), ...(quoted ? ["evidence" as const] : []), ...(header.label ? ["original" as const] : [])];
    return recordFromState(sample.state, {
      ...stamp, sample_id: sample.id, content_sha256: header.contentSha256, file_sha256: header.fileSha256, reader: header.reader,
      annotator: frame.annotator, blind: false, seen,
      ...(frame.runId === undefined ? {} : { run_id: frame.runId }), ...(frame.action === undefined ? {} : { action: frame.action }),
      ...(supersedes === undefined ? {} : { supersedes }), ...(empty && supersedes !== undefined ? { retracted: true } : {}),
      ...(frame.seconds === undefined ? {} : { seconds: frame.seconds }),
    }, (index) => sample.step(index));
  }

  /**
   * Writes the state of a sample: resolves with the record once it is flushed to disk. An empty state where there was a
   * label is a retraction.
   * @throws ExpectedFailure with the reason and the remedy
   */
  async write(ref: DocumentRef, sample: SampleState, frame: WriteFrame): Promise<LabelRecord> {
    if (!ref.root) throw new ExpectedFailure(vscode.l10n.t("There is no folder to keep labels in."));
    const { store } = await this.open(ref.root);
    const supersedes = sample.standing?.id ?? store.standing(frame.annotator, sample.id)?.id;
    const { record, unsaved } = this.recordOf(sample, frame, store.stamp(), supersedes);
    if (unsaved.length > 0) {
      throw new ExpectedFailure(vscode.l10n.t("The span \"{0}\" does not stand where it was marked; mark it again.", unsaved[0]?.exact.slice(0, 60) ?? ""));
    }
    const pending = store.append(record);
    this.writing.add(pending);
    try {
      await pending;
      return record;
    } catch (error) {
      throw new ExpectedFailure(error instanceof NodeFailure ? error.sentence() : messageOf(error));
    } finally {
      this.writing.delete(pending);
    }
  }

  /** Waits for records that are being written. */
  async flush(): Promise<void> {
    await Promise.allSettled(this.writing);
  }
}
