/** The labels of every open root: which folder they belong to, who makes them, reading and writing them. All editors are views of it. */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { recordFromState, stateFromRecord, type StepSource } from "#core/labels/record";
import { emptyLabelState, type LabelState } from "#core/labels/state";
import { readConfig, type WorkspaceSettings, defaultSettings } from "#core/workspace/config";
import type { LabelRecord, LabelValue, Span, TaxonomyEntry, WorkspaceConfig } from "#core/workspace/schemas";
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
import { Guidelines, type GuidelinesText } from "./guidelines";

/** Watching does not work on network drives, so folders are looked at again this often and when the window gets the focus. */
const pollMs = 15_000;

export interface WriteFrame {
  readonly annotator: string;
  readonly action?: "confirm" | "decide" | "relabel";
  readonly runId?: string;
  readonly seconds?: number;
  readonly quick?: boolean;
  /** What was in sight; without it, what the sample itself shows. */
  readonly sight?: Pick<LabelRecord, "blind" | "seen">;
  /** The plan that is worked on. Its records follow each other only: those made elsewhere are neither replaced nor taken back. */
  readonly planId?: string;
  readonly check?: LabelRecord["check"];
  readonly skipped?: boolean;
  /** What stood before this document's own records, and stands again when they are taken back. */
  readonly former?: LabelRecord | undefined;
  readonly adjudicates?: readonly string[];
  readonly guidelineQuote?: string | undefined;
  /** An undo goes back to this record: whole, or, where drafts have changed its state since, only as to its guidelines. */
  readonly goesBackTo?: { readonly record: LabelRecord; readonly isWhole: boolean } | undefined;
  /** Spans that a carry-over could not find again; in place of those that the sample knows. */
  readonly orphans?: readonly Span[] | undefined;
}

/** What a decision is recorded with: the run whose verdict stood there, and the focused seconds it took. */
export type DecidedOn = Pick<WriteFrame, "runId" | "seconds" | "quick">;

interface OpenRoot {
  readonly store: LabelStore;
  readonly settings: WorkspaceSettings;
  readonly guidelines: Guidelines;
}

export class LabelService extends Owner {
  private readonly changeEmitter = this.register(new vscode.EventEmitter<string>());
  /** Fires with a root whose labels changed. */
  readonly onDidChange = this.changeEmitter.event;
  /** Goes up with every change of any root's labels, before it is told. */
  changes = 0;
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
    this.register(store.onDidChange(() => {
      this.changes++;
      this.changeEmitter.fire(root);
    }));
    return { store, settings, guidelines: new Guidelines(root, settings.config?.guidelines) };
  }

  /** The store of a root, opened when it was not yet. */
  async storeOf(root: string): Promise<LabelStore> {
    return (await this.open(root)).store;
  }

  async settingsOf(root: string): Promise<WorkspaceSettings> {
    return (await this.open(root)).settings;
  }

  /** The guidelines as they are now; undefined where `tracemark.json` names none, or the file cannot be read. */
  async guidelinesOf(root: string | undefined): Promise<GuidelinesText | undefined> {
    return root === undefined ? undefined : (await this.open(root)).guidelines.read();
  }

  /** The questions of the workspace's own. */
  async fields(ref: DocumentRef): Promise<NonNullable<WorkspaceConfig["fields"]>> {
    return (ref.root ? (await this.open(ref.root)).settings.config?.fields : undefined) ?? [];
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

  /** The state that a record stands for, and the spans whose words are not where they were: they are kept, never drawn. */
  readState(record: LabelRecord | undefined, steps: StepSource): { readonly state: LabelState; readonly orphans: readonly Span[] } {
    if (!record) return { state: emptyLabelState, orphans: [] };
    const { state, lost } = stateFromRecord(record, steps);
    return { state, orphans: record.retracted ? [] : [...(record.orphaned_spans ?? []), ...lost] };
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

  private recordOf(sample: SampleState, frame: WriteFrame, stamp: { id: string; created_at: string }, supersedes = sample.standing?.id, guidelineSha256?: string) {
    const { header } = sample;
    const orphans = frame.orphans ?? sample.orphans;
    const isRetraction = JSON.stringify(sample.state) === JSON.stringify(emptyLabelState) && supersedes !== undefined && frame.skipped !== true && orphans.length === 0;
    const isLabel = sample.state.label !== null;
    const { fields } = sample.state;
    return recordFromState(sample.state, {
      ...stamp, sample_id: sample.id, content_sha256: header.contentSha256, ...(header.fileSha256 === "" ? {} : { file_sha256: header.fileSha256 }), reader: header.reader,
      annotator: frame.annotator, ...(frame.sight ?? { blind: false, seen: seenOf(sample) }),
      ...(fields === undefined ? {} : { fields }),
      ...(frame.runId === undefined ? {} : { run_id: frame.runId }), ...(frame.action === undefined ? {} : { action: frame.action }),
      ...(frame.planId === undefined ? {} : { plan_id: frame.planId }), ...(frame.check === undefined ? {} : { check: frame.check }),
      ...(orphans.length > 0 ? { orphaned_spans: [...orphans] } : {}),
      ...(isLabel && guidelineSha256 !== undefined ? { guideline_sha256: guidelineSha256 } : {}),
      ...(supersedes === undefined ? {} : { supersedes }), ...(isRetraction ? { retracted: true } : {}),
      ...(frame.adjudicates === undefined ? {} : { adjudicates: [...frame.adjudicates] }),
      ...(frame.guidelineQuote === undefined || isRetraction ? {} : { guideline_quote: frame.guidelineQuote }),
      ...(frame.skipped === true ? { skipped: true } : {}),
      ...(frame.seconds === undefined ? {} : { seconds: frame.seconds }), ...(frame.quick === true ? { quick: true } : {}),
    }, (index) => sample.step(index));
  }

  /**
   * Writes the state of a sample: resolves with the record once it is flushed to disk. An empty state where there was a
   * label is a retraction, or brings back what stood before.
   * @throws ExpectedFailure with the reason and the remedy
   */
  async write(ref: DocumentRef, sample: SampleState, frame: WriteFrame): Promise<LabelRecord> {
    if (!ref.root) throw new ExpectedFailure(vscode.l10n.t("There is no folder to keep labels in."));
    const { store, guidelines } = await this.open(ref.root);
    const isApart = frame.planId !== undefined || frame.adjudicates !== undefined;
    const supersedes = sample.standing?.id ?? (isApart ? undefined : store.standing(frame.annotator, sample.id)?.id);
    const { record, unsaved } = this.recordOf(sample, frame, store.stamp(frame.annotator), supersedes, guidelinesOf(sample, frame, (await guidelines.read())?.sha256));
    if (unsaved.length > 0) {
      throw new ExpectedFailure(vscode.l10n.t("The span \"{0}\" does not stand where it was marked; mark it again.", unsaved[0]?.exact.slice(0, 60) ?? ""));
    }
    const { goesBackTo } = frame;
    const written = goesBackTo?.isWhole ? restored(goesBackTo.record, record) : record.retracted && frame.former ? { ...frame.former, id: record.id, created_at: record.created_at, supersedes: record.supersedes ?? frame.former.id } : record;
    const pending = store.append(written);
    this.writing.add(pending);
    try {
      await pending;
      return written;
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

/**
 * The version of the guidelines that a label names: the one it was decided under. A note or span added later, or an undo, is
 * no new decision.
 */
function guidelinesOf({ standing, state }: SampleState, { action, goesBackTo }: WriteFrame, current: string | undefined): string | undefined {
  if (goesBackTo) return goesBackTo.record.guideline_sha256;
  const isDecision = action === "confirm" || action === "decide" || standing === undefined || standing.label !== state.label;
  return isDecision ? current : standing.guideline_sha256;
}

/** A former record said again, with what was seen meanwhile. */
function restored(former: LabelRecord, { id, created_at, supersedes, blind, seen }: LabelRecord): LabelRecord {
  return { ...former, id, created_at, action: "relabel", supersedes: supersedes ?? former.id, blind: former.blind && blind, seen: [...new Set([...former.seen, ...seen])] };
}

/** What the view of a sample shows beside its transcript, in the order in which records list it. */
export function seenOf(sample: Pick<SampleState, "header" | "verdicts"> & Partial<Pick<SampleState, "sawGold">>): LabelRecord["seen"] {
  const known = sample.verdicts.some(({ verdict }) => verdict.outcome !== "invalid");
  const quoted = sample.verdicts.some(({ quotes }) => quotes.length > 0);
  return [...(known ? ["verdict" as const] : []), ...(quoted ? ["evidence" as const] : []), ...(sample.header.label ? ["original" as const] : []), ...(sample.sawGold ? ["gold" as const] : [])];
}
