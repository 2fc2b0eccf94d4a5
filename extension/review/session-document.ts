/** A review session: one document that swaps the samples of a queue, so that undo, keys and saving are those of one editor. */
import * as vscode from "vscode";
import { blindAlias } from "#core/labels/blind";
import type { TrajectoryHeader, TrajectoryItem } from "#protocol/lsp";
import type { Session, Snapshot } from "#protocol/webview";
import type { ServerClient } from "../client/server-client";
import { TrajectoryDocument, type Opened, type Target } from "../editor/document";
import { SampleState } from "../editor/sample-state";
import type { LabelService } from "../labels/label-service";
import { ExpectedFailure } from "../platform/errors";
import type { OpenSession, ReviewService, SessionRow } from "./review-service";
import type { SightLog } from "./sight-log";
import { withhold } from "./withhold";

/** How many items after the one in hand are read ahead. */
const readAhead = 2;
/** Steps of them that are. */
const readAheadSteps = 40;

export interface SessionItem {
  readonly sampleId: string;
  /** What the item is called in the session; an alias where the id would tell. */
  readonly name: string;
}

export interface SessionServices {
  readonly review: ReviewService;
  readonly sight: SightLog;
  /** Addresses of documents that are open in editors of their own. */
  isOpenElsewhere(uri: string): boolean;
}

export abstract class SessionDocument extends TrajectoryDocument implements OpenSession {
  protected items: readonly SessionItem[] = [];
  protected annotator = "";
  private readonly targets = new Map<number, Target>();
  private readonly used = new Set<string>();
  private announced: vscode.Disposable | undefined;
  protected current = 0;
  private readonly showEmitter = this.register(new vscode.EventEmitter<number>());
  /** Somebody asks for an item, from the side bar. */
  readonly onDidAskFor = this.showEmitter.event;

  constructor(uri: vscode.Uri, readonly root: string, client: ServerClient, labels: LabelService, protected readonly services: SessionServices) {
    super(uri, { uri: uri.toString(), root }, client, labels);
    // Another person has other items, or the same in another order.
    this.register(vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("tracemark.labelling.annotator") && void this.restart()));
  }

  private async restart(): Promise<void> {
    this.revealed.clear();
    this.announced?.dispose();
    this.announced = undefined;
    await this.reload();
  }

  /** Items that were judged blind, and that the person has looked at since. */
  private readonly revealed = new Set<number>();

  /** Whether an item is judged blind at first. */
  protected isBlindItem(_index: number): boolean {
    return false;
  }

  /** Whether the person has said in this session what they have to say of an item. */
  protected isDecided({ standing, isStale }: SampleState): boolean {
    return standing !== undefined && standing.label !== null && !isStale;
  }

  /** Nobody tells a session when the rest of a file has been read. */
  override window = (index: number): Promise<Target> => this.target(index);

  /** An item that is judged blind until it is looked at; of a session in the open all, while another one is judged blind. */
  override isHidden({ index }: SampleState): boolean {
    return (this.isBlindItem(index) && !this.revealed.has(index)) || (!this.isBlind && this.services.review.isBlindOpen);
  }

  get isHiding(): boolean {
    return this.isBlindItem(this.current) && !this.revealed.has(this.current);
  }

  protected override newSample(index: number, header: TrajectoryHeader): SampleState {
    return new SampleState(index, header, this.isBlindItem(index) ? blindAlias(index) : undefined);
  }

  /** What is withheld of an item, for the view. */
  protected sightOf(index: number, isDecided: boolean): Session["sight"] {
    return !this.isBlindItem(index) ? "open" : this.revealed.has(index) ? "revealed" : isDecided ? "canReveal" : "hidden";
  }

  /** @throws ExpectedFailure while the item is not decided */
  override async reveal(sample: SampleState): Promise<void> {
    if (!this.isBlindItem(sample.index)) throw new ExpectedFailure(vscode.l10n.t("Nothing is withheld here."));
    if (!this.isDecided(sample)) throw new ExpectedFailure(vscode.l10n.t("Decide first; what is withheld may be looked at after that."));
    this.revealed.add(sample.index);
    this.services.review.changed();
  }

  /** Whether the whole queue is judged blind. */
  abstract get isBlind(): boolean;
  abstract get rows(): readonly SessionRow[];
  /** The items to judge, in order. @throws ExpectedFailure when there are none */
  protected abstract readQueue(): Promise<readonly SessionItem[]>;

  show(index: number): Thenable<void> {
    this.showEmitter.fire(index);
    return Promise.resolve();
  }

  protected override async readItems(): Promise<Opened> {
    const annotator = await this.labels.annotator(this.ref);
    if (!annotator) throw new ExpectedFailure(vscode.l10n.t("A review needs the annotator's name. Reload once you have given one."));
    this.annotator = annotator;
    this.items = await this.readQueue();
    const { samples } = await this.client.request("tracemark/sampleRefs", { root: this.root, ids: [...new Set(this.items.map(({ sampleId }) => sampleId))] });
    const byId = new Map(samples.map((sample) => [sample.id, sample]));
    const items = this.items.map(({ sampleId, name }, index): TrajectoryItem => {
      const found = byId.get(sampleId);
      if (found) this.targets.set(index, { document: { uri: vscode.Uri.file(found.path).toString(), path: found.path, root: this.root }, index: found.index });
      const problem = { code: "unknown-sample", message: vscode.l10n.t("This sample is not in the folder any more. Go on with the next one.") };
      return { index, id: name, title: name, ...(found ? {} : { problem }) };
    });
    this.announced ??= this.services.review.addSession(this);
    return { format: "review", formatTitle: "", items, warnings: [], fileSha256: "" };
  }

  override get title(): string {
    return vscode.l10n.t("Review");
  }

  override target(index: number): Promise<Target> {
    const target = this.targets.get(index);
    if (!target) return Promise.reject(new ExpectedFailure(vscode.l10n.t("This sample is not in the folder any more.")));
    this.used.add(target.document.uri);
    return Promise.resolve(target);
  }

  override async present(snapshot: Snapshot, sample: SampleState | undefined): Promise<Snapshot> {
    const named = { ...snapshot, formatTitle: sample?.header.format ?? "", fileName: this.title };
    return sample && this.isHidden(sample) ? withhold(named, sample.shownId) : named;
  }

  override drawn(index: number): void {
    if (this.current !== index) this.services.review.changed();
    this.current = index;
    this.forgetFar(index);
    for (const next of this.ahead(index)) this.prefetch(next).catch(() => undefined);
  }

  /** The items that are likely to come next. */
  protected ahead(index: number): number[] {
    return this.items.map((_, at) => at).slice(index + 1, index + 1 + readAhead);
  }

  /** Reads an item so that it is drawn without waiting: here its header and label, in the server its steps. */
  private async prefetch(index: number): Promise<void> {
    const sample = await this.sample(index);
    const target = await this.target(index);
    await this.client.request("tracemark/outline", target);
    const { steps } = await this.client.request("tracemark/steps", { ...target, from: 0, to: readAheadSteps });
    sample.remember(steps);
  }

  /** Lets the server forget files that were left behind. */
  private forgetFar(index: number): void {
    const near = new Set<string | undefined>();
    for (let at = index - 2; at <= index + readAhead + 2; at++) near.add(this.targets.get(at)?.document.uri);
    for (const uri of this.used) if (!near.has(uri)) this.letGo(uri);
  }

  private letGo(uri: string): void {
    this.used.delete(uri);
    if (!this.services.isOpenElsewhere(uri)) this.client.notify("tracemark/closed", { uri });
  }

  override dispose(): void {
    this.announced?.dispose();
    for (const uri of [...this.used]) this.letGo(uri);
    super.dispose();
  }
}
