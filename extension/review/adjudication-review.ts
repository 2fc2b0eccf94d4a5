/** The adjudication session: samples on which people disagree, each with both sides beside the transcript, names hidden until it is decided. */
import * as vscode from "vscode";
import { adjudicationRecord, sidesOf, sideWith, type Side } from "#core/labels/adjudicate";
import { sightFields } from "#core/labels/blind";
import { adjudicationsOf, disagreementOn, needsAdjudication, type Disagreement } from "#core/labels/disagreement";
import { resolveGold } from "#core/labels/gold";
import { stateFromRecord } from "#core/labels/record";
import { newestStanding, supersededIds } from "#core/labels/standing";
import type { Op, ViewSpan } from "#core/labels/state";
import type { LabelRecord } from "#core/workspace/schemas";
import type { Session, SessionSide, Snapshot } from "#protocol/webview";
import type { SampleState } from "../editor/sample-state";
import { seenOf, type DecidedOn, type WriteFrame } from "../labels/label-service";
import { hideNames } from "../platform/config";
import { ExpectedFailure } from "../platform/errors";
import type { SessionRow } from "./review-service";
import { valueTitle } from "./row-item";
import { SessionDocument, type SessionItem } from "./session-document";

/** Rows that one request of the queue answers at the most. */
const pageSize = 5_000;
/** Fixes in which order sides are lettered; every adjudicator sees the same letters. */
const letterSeed = 1;

export class AdjudicationReview extends SessionDocument {
  private readonly quotes = new Map<number, string>();
  private counted: Snapshot["labelled"] = [];
  /** How often labels had changed when `counted` was made. */
  private countedAt = -1;

  get isBlind(): boolean {
    return false;
  }

  get rows(): readonly SessionRow[] {
    return this.items.map(({ name }, index) => ({ index, name, state: this.loaded.get(index)?.state.label ?? "pending", isCurrent: index === this.current }));
  }

  protected override async readQueue(): Promise<readonly SessionItem[]> {
    const { rows } = await this.client.request("tracemark/queue", {
      root: this.root, annotator: this.annotator, filter: { needsAdjudication: true }, sorting: { by: "id" }, from: 0, to: pageSize,
    });
    if (rows.length === 0) throw new ExpectedFailure(vscode.l10n.t("Nobody disagrees: there is nothing to adjudicate."));
    return rows.map(({ id }) => ({ sampleId: id, name: id }));
  }

  /** The disagreement as it was before this person decided it. */
  private async disagreement(sample: Pick<SampleState, "id" | "header">): Promise<Disagreement> {
    const store = await this.labels.storeOf(this.root);
    const { overturn } = await this.labels.settingsOf(this.root);
    const records = store.recordsOf(sample.id).filter((record) => record.adjudicates === undefined || record.annotator !== this.annotator);
    return disagreementOn({ records, original: sample.header.label, contentSha256: sample.header.contentSha256, overturn });
  }

  /** This person's adjudication, where nothing has happened since that asks for another. */
  private async decided(id: string, contentSha256?: string): Promise<LabelRecord | undefined> {
    const records = (await this.labels.storeOf(this.root)).recordsOf(id);
    const own = adjudicationsOf(records, contentSha256).find(({ annotator }) => annotator === this.annotator);
    return own && !needsAdjudication(disagreementOn({ records, contentSha256 })) ? own : undefined;
  }

  protected override standingOf(sample: SampleState): Promise<LabelRecord | undefined> {
    return this.decided(sample.id, sample.header.contentSha256);
  }

  protected override standsHere(record: LabelRecord): boolean {
    return record.retracted !== true && record.adjudicates !== undefined;
  }

  protected override async frameOf(sample: SampleState): Promise<Partial<WriteFrame>> {
    const own = (await this.labels.storeOf(this.root)).recordsOf(sample.id).filter(({ annotator }) => annotator === this.annotator);
    const former = newestStanding(own.filter((record) => record.adjudicates === undefined && record.check === undefined), supersededIds(own));
    const { adjudicates = [] } = adjudicationRecord({
      disagreement: await this.disagreement(sample), id: "", createdAt: "", annotator: this.annotator, sampleId: sample.id, decision: { label: sample.state.label ?? "unsure" },
    });
    const quote = this.quotes.get(sample.index) ?? sample.standing?.guideline_quote;
    return {
      adjudicates, sight: sightFields({ blind: false, shown: [...seenOf(sample), "others"] }),
      ...(former && former.retracted !== true ? { former } : {}), ...(quote === undefined ? {} : { guidelineQuote: quote }),
    };
  }

  protected override showsOthers(): boolean {
    return true;
  }

  override async labelled(): Promise<Snapshot["labelled"]> {
    if (this.countedAt !== this.labels.changes) {
      const { changes } = this.labels;
      this.counted = await this.count();
      this.countedAt = changes;
    }
    return [...this.counted];
  }

  private async count(): Promise<Snapshot["labelled"]> {
    const found = await Promise.all(this.items.map(async ({ sampleId }, index) => ({ index, record: await this.decided(sampleId) })));
    return found.flatMap(({ index, record }) => (record ? [{ index, label: record.label }] : []));
  }

  override async progress(): Promise<Snapshot["progress"]> {
    return { decided: (await this.labelled()).length, total: this.items.length };
  }

  override async session(index: number): Promise<Session | undefined> {
    const item = this.items[index];
    if (!item) return undefined;
    const done = await this.labelled();
    const unsure = done.filter(({ label }) => label === "unsure" || label === "cannot_judge").length;
    const sample = this.loadedSample(index);
    const base = {
      kind: "adjudication" as const, name: "", position: index + 1, total: this.items.length, decided: done.length - unsure, unsure, skipped: 0, sight: "open" as const,
    };
    if (!sample) return base;
    if (this.isHidden(sample)) return { ...base, note: vscode.l10n.t("What others said stays hidden while a blind review is open.") };
    const disagreement = await this.disagreement(sample);
    const isHidden = hideNames() && !done.some((entry) => entry.index === index);
    const quote = this.quotes.get(index) ?? sample.standing?.guideline_quote;
    const sides: SessionSide[] = [];
    for (const side of sidesOf(disagreement, letterSeed, isHidden)) sides.push(await this.sideView(sample, side));
    const { label, status } = resolveGold({
      records: (await this.labels.storeOf(this.root)).recordsOf(sample.id), original: sample.header.sample?.label ?? sample.header.label,
      contentSha256: sample.header.contentSha256, overturn: (await this.labels.settingsOf(this.root)).overturn,
    });
    return {
      ...base, sides, disagreement: disagreement.kinds.map((kind) => valueTitle("disagreement", kind)), gold: goldSentence(label, status),
      ...(quote === undefined ? {} : { guidelineQuote: quote }),
    };
  }

  private async sideView(sample: SampleState, side: Side): Promise<SessionSide> {
    const { letter, annotator, changedTo } = side;
    const counted = nameless(side.counted);
    return {
      letter, ...(annotator === undefined ? {} : { annotator }), label: counted.label, categories: [...(counted.categories ?? [])],
      ...(counted.note === undefined ? {} : { note: counted.note }), spans: await this.spansOf(sample, side), ...(changedTo ? { changedTo: nameless(changedTo).label } : {}),
    };
  }

  /** The spans of a side where they stand now. One that is lost keeps its words and leads to its step. */
  private async spansOf(sample: SampleState, { letter, ...side }: Side): Promise<ViewSpan[]> {
    const counted = nameless(side.counted);
    for (const { step } of counted.spans ?? []) await this.ensureStep(sample, step);
    const { state, lost } = stateFromRecord(counted, (index) => sample.step(index));
    const gone = lost.map((span, at): ViewSpan => ({ id: `${letter}-lost-${at}`, step: span.step, part: 0, start: 0, end: 0, exact: span.exact, origin: "own" }));
    // The record's id would tell whose it is.
    return [...state.spans.map((span, at) => ({ ...span, id: `${letter}-${at}` })), ...gone];
  }

  override async sideWith(sample: SampleState, letter: string, decided: DecidedOn): Promise<boolean> {
    this.services.review.refuseWhileBlind(vscode.l10n.t("What others said"));
    const sides = sidesOf(await this.disagreement(sample), letterSeed, true);
    const side = sides.find((one) => one.letter === letter);
    if (!side) throw new ExpectedFailure(vscode.l10n.t("There is no side {0} here.", letter));
    const { label, categories } = sideWith(nameless(side.counted));
    const spans = (await this.spansOf(sample, side)).filter(({ start, end }) => end > start);
    const taken = new Set(sample.state.spans.map(({ id }) => id));
    const ops: Op[] = [
      { type: "label/set", label, categories },
      ...spans.filter(({ id }) => !taken.has(id)).map((span): Op => ({ type: "span/add", span })),
    ];
    return this.decideAll(sample, ops, vscode.l10n.t("side with {0}", letter), { ...decided, annotator: this.annotator, action: "decide" });
  }

  override async quoteGuideline(sample: SampleState, quote: string): Promise<void> {
    this.quotes.set(sample.index, quote);
    if (sample.standing) await this.write(sample, { annotator: this.annotator, action: "relabel" });
  }

  /** An adjudication passes a sample over without a record: it stays in the queue. */
  override skip(): Promise<void> {
    return Promise.resolve();
  }

  override async nextUndecided(index: number): Promise<number | undefined> {
    const done = new Set((await this.labelled()).map((entry) => entry.index));
    const open = this.items.map((_, at) => at).filter((at) => at !== index && !done.has(at) && !this.opened?.items[at]?.problem);
    return open.find((at) => at > index) ?? open[0];
  }

  override async whenAllDecided(): Promise<void> {
    void vscode.window.showInformationMessage(vscode.l10n.t("That was the last disagreement: {0} are settled.", (await this.labelled()).length));
  }
}

/** A side's record with its shape, and no name in it. */
function nameless(record: Omit<LabelRecord, "annotator">): LabelRecord {
  return { ...record, annotator: "" } as LabelRecord;
}

function goldSentence(label: string | null, status: string): string {
  if (status === "contested") return label === null ? vscode.l10n.t("contested") : vscode.l10n.t("contested, scored as {0} like the original", label);
  return label === null ? status : `${status}: ${label}`;
}
