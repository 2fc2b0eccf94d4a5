/** The session of labels to give again since the guidelines changed their meaning: blind where the label was given blind. */
import * as vscode from "vscode";
import { blindAlias, sightFields } from "#core/labels/blind";
import { judgeAgain, type GuidelineChange } from "#core/labels/guideline-log";
import { seededRandom, shuffled } from "#core/labels/seeded-random";
import type { LabelRecord } from "#core/workspace/schemas";
import { readGuidelineState } from "#node/guideline-log";
import type { Session, Snapshot } from "#protocol/webview";
import type { SampleState } from "../editor/sample-state";
import { seenOf, type WriteFrame } from "../labels/label-service";
import { ExpectedFailure } from "../platform/errors";
import type { SessionRow } from "./review-service";
import { SessionDocument, type SessionItem } from "./session-document";

/** Words of what has changed, cut to this many characters. */
const longestNote = 200;

export class JudgeAgainReview extends SessionDocument {
  private log: readonly GuidelineChange[] = [];
  /** The labels that were asked for again when the session began, by sample. */
  private readonly formers = new Map<string, { readonly record: LabelRecord; readonly changes: readonly GuidelineChange[] }>();
  private pending = new Set<string>();
  private countedAt = -1;

  get isBlind(): boolean {
    return this.items.some((_, index) => this.isBlindItem(index));
  }

  get rows(): readonly SessionRow[] {
    return this.items.map(({ name, sampleId }, index) => ({ index, name, state: this.pending.has(sampleId) ? "pending" : "decided", isCurrent: index === this.current }));
  }

  protected override async readQueue(): Promise<readonly SessionItem[]> {
    const labels = await this.labels.storeOf(this.root);
    const state = await readGuidelineState({ root: this.root, settings: await this.labels.settingsOf(this.root), labels });
    this.log = state?.log ?? [];
    this.formers.clear();
    for (const { sampleId, annotator, record, changes } of judgeAgain(labels.all(), this.log)) if (annotator === this.annotator) this.formers.set(sampleId, { record, changes });
    if (this.formers.size === 0) throw new ExpectedFailure(vscode.l10n.t("No label of yours is to be given again."));
    this.countedAt = -1;
    await this.count();
    // The order of ids may tell the class; this one is the same each time.
    const ids = shuffled([...this.formers.keys()].sort(), seededRandom(1, `again ${state?.sha256}`));
    return ids.map((sampleId, index) => ({ sampleId, name: this.formers.get(sampleId)?.record.blind ? blindAlias(index) : sampleId }));
  }

  private async count(): Promise<void> {
    if (this.countedAt === this.labels.changes) return;
    this.countedAt = this.labels.changes;
    const store = await this.labels.storeOf(this.root);
    this.pending = new Set([...this.formers.keys()].filter((id) => judgeAgain(store.recordsOf(id), this.log).some(({ annotator }) => annotator === this.annotator)));
  }

  private formerAt(index: number): { readonly record: LabelRecord; readonly changes: readonly GuidelineChange[] } | undefined {
    return this.formers.get(this.items[index]?.sampleId ?? "");
  }

  protected override isBlindItem(index: number): boolean {
    return this.formerAt(index)?.record.blind === true;
  }

  protected override isDecided(sample: SampleState): boolean {
    return !this.pending.has(sample.id);
  }

  protected override async standingOf(sample: SampleState): Promise<LabelRecord | undefined> {
    const record = (await this.labels.storeOf(this.root)).standing(this.annotator, sample.id);
    return record?.retracted ? undefined : record;
  }

  /** A record of a plan, or an adjudication, is followed by one of the same kind. */
  protected override async frameOf(sample: SampleState): Promise<Partial<WriteFrame>> {
    const own = (await this.labels.storeOf(this.root)).recordsOf(sample.id).filter(({ annotator }) => annotator === this.annotator);
    const shown = this.services.sight.of(this.root, sample.id, own);
    if (!this.isHidden(sample)) for (const one of seenOf(sample)) shown.add(one);
    const { plan_id: planId, adjudicates } = this.formers.get(sample.id)?.record ?? {};
    return {
      sight: sightFields({ blind: this.isBlindItem(sample.index), shown }),
      ...(planId === undefined ? {} : { planId }), ...(adjudicates === undefined ? {} : { adjudicates }),
    };
  }

  override async labelled(): Promise<Snapshot["labelled"]> {
    await this.count();
    const store = await this.labels.storeOf(this.root);
    return this.items.flatMap(({ sampleId }, index) => (this.pending.has(sampleId) ? [] : [{ index, label: store.standing(this.annotator, sampleId)?.label ?? null }]));
  }

  override async progress(): Promise<Snapshot["progress"]> {
    return { decided: (await this.labelled()).length, total: this.items.length };
  }

  override async session(index: number): Promise<Session | undefined> {
    const done = await this.labelled();
    const former = this.formerAt(index);
    if (!former) return undefined;
    const unsure = done.filter(({ label }) => label === "unsure" || label === "cannot_judge").length;
    const isDone = done.some((entry) => entry.index === index);
    const before = former.record.label === null ? "" : vscode.l10n.t("Before: {0}", former.record.label.replace("_", " "));
    const notes = former.changes.map(({ note, categories = [] }) => note ?? categories.join(", ")).filter((words) => words !== "").join(", ");
    const changed = notes === "" ? [] : [vscode.l10n.t("the guidelines now: {0}", notes.slice(0, longestNote))];
    return {
      kind: "again", name: "", position: index + 1, total: this.items.length, decided: done.length - unsure, unsure, skipped: 0,
      sight: this.sightOf(index, isDone), note: [before, ...changed].join(" · "),
    };
  }

  private after(index: number): number[] {
    const open = this.items.flatMap(({ sampleId }, at) => (this.pending.has(sampleId) && at !== index ? [at] : []));
    return [...open.filter((at) => at > index), ...open.filter((at) => at < index)];
  }

  protected override ahead(index: number): number[] {
    return this.after(index).slice(0, 2);
  }

  override async nextUndecided(index: number): Promise<number | undefined> {
    await this.count();
    return this.after(index).find((at) => !this.opened?.items[at]?.problem);
  }

  /** Passed over without a record: the label goes on counting, and stays in the queue. */
  override skip(): Promise<void> {
    return Promise.resolve();
  }

  override whenAllDecided(): Promise<void> {
    void vscode.window.showInformationMessage(vscode.l10n.t("That was the last label to give again: {0} of {1} are done.", this.items.length - this.pending.size, this.items.length));
    return Promise.resolve();
  }
}
