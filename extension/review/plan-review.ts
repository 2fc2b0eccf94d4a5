/** The review session of a plan: this annotator's items in this annotator's order, blind as the plan says. */
import * as vscode from "vscode";
import { blindAlias, canBeBlind, isBlindFirst, sightFields } from "#core/labels/blind";
import { checkOf, itemsOf, planProgress, type ItemProgress } from "#core/labels/plan-progress";
import { isCheck, newestStanding, supersededIds } from "#core/labels/standing";
import type { LabelRecord, PlanItem } from "#core/workspace/schemas";
import type { PlanFile } from "#core/workspace/plan-file";
import { planFiles } from "#node/workspace/load-plans";
import type { Session, Snapshot } from "#protocol/webview";
import type { ServerClient } from "../client/server-client";
import type { SampleState } from "../editor/sample-state";
import { seenOf, type LabelService, type WriteFrame } from "../labels/label-service";
import { blindShare } from "../platform/config";
import { ExpectedFailure } from "../platform/errors";
import type { SessionRow } from "./review-service";
import { SessionDocument, type SessionItem, type SessionServices } from "./session-document";

export class PlanReview extends SessionDocument {
  /** The plan with this annotator's items alone. */
  private plan: PlanFile | undefined;
  private progressNow: readonly ItemProgress[] = [];
  /** How often labels had changed when `progressNow` was counted. */
  private countedAt = -1;
  /** Contents of labelled samples, as the server told them or as they were read here since. */
  private contents = new Map<string, string>();

  constructor(uri: vscode.Uri, root: string, readonly planId: string, client: ServerClient, labels: LabelService, services: SessionServices) {
    super(uri, root, client, labels, services);
  }

  get isBlind(): boolean {
    return this.plan !== undefined && isBlindPlan(this.plan);
  }

  get rows(): readonly SessionRow[] {
    return this.items.map(({ name }, index) => ({ index, name, state: this.progressNow[index]?.state ?? "pending", isCurrent: index === this.current }));
  }

  protected override async readQueue(): Promise<readonly SessionItem[]> {
    const { records: plans } = await planFiles(this.root, (await this.labels.settingsOf(this.root)).plans).load();
    const plan = plans.find(({ header }) => header.plan_id === this.planId);
    if (!plan) throw new ExpectedFailure(vscode.l10n.t("There is no plan {0} any more.", this.planId));
    const own = itemsOf(plan, this.annotator);
    if (own.length === 0) throw new ExpectedFailure(vscode.l10n.t("Nothing in this plan is given to {0}.", this.annotator));
    this.plan = { ...plan, items: own.flatMap((at) => plan.items[at] ?? []) };
    await this.readContents();
    await this.count();
    return this.plan.items.map(({ sample_id }, index) => ({ sampleId: sample_id, name: this.isBlindItem(index) ? blindAlias(index) : sample_id }));
  }

  /** Asks which labels are of another version of their log; where that takes long, the counts follow. */
  private async readContents(wait = false): Promise<void> {
    const ids = [...new Set(this.plan?.items.map(({ sample_id }) => sample_id))];
    const { contents, isWhole } = await this.client.request("tracemark/contents", { root: this.root, ids, ...(wait ? { wait } : {}) });
    this.contents = new Map(Object.entries(contents));
    this.countedAt = -1;
    if (isWhole || wait) return;
    void this.readContents(true).then(() => this.count()).then(() => this.services.review.changed(), () => undefined);
  }

  /** Counts anew what is decided. */
  private async count(): Promise<void> {
    const store = await this.labels.storeOf(this.root);
    if (!this.plan || this.countedAt === this.labels.changes) return;
    this.countedAt = this.labels.changes;
    // A record that takes one of the plan's back may stand outside of it.
    const records = store.all().filter(({ plan_id, supersedes }) => plan_id === this.planId || supersedes !== undefined);
    this.progressNow = planProgress(this.plan, records, this.annotator, (id) => this.contents.get(id)).items;
  }

  private itemAt(index: number): PlanItem | undefined {
    return this.plan?.items[index];
  }

  /** Whether the item is judged blind at first: all of a blind plan, a seeded share of the others. */
  protected override isBlindItem(index: number): boolean {
    if (!this.plan) return false;
    if (this.isBlind) return true;
    return canBeBlind(this.plan.header) && isBlindFirst(this.plan.header.seed, this.itemAt(index)?.sample_id ?? "", blindShare());
  }

  protected override async standingOf(sample: SampleState): Promise<LabelRecord | undefined> {
    const { contentSha256, isCut } = sample.header;
    if (isCut !== true && this.contents.get(sample.id) !== contentSha256) {
      this.contents.set(sample.id, contentSha256);
      this.countedAt = -1;
    }
    await this.count();
    return this.progressNow[sample.index]?.record;
  }

  protected override standsHere(record: LabelRecord): boolean {
    return record.retracted !== true && record.plan_id === this.planId;
  }

  protected override async frameOf(sample: SampleState): Promise<Partial<WriteFrame>> {
    const item = this.itemAt(sample.index);
    if (!this.plan || !item) return {};
    const own = (await this.labels.storeOf(this.root)).recordsOf(sample.id).filter(({ annotator }) => annotator === this.annotator);
    const shown = this.services.sight.of(this.root, sample.id, own);
    const isHidden = this.isHidden(sample);
    if (!isHidden) for (const one of seenOf(sample)) shown.add(one);
    const check = checkOf(item);
    const former = check ? undefined : newestStanding(own.filter((record) => !isCheck(record) && record.plan_id !== this.planId && record.adjudicates === undefined), supersededIds(own));
    return {
      planId: this.planId, sight: sightFields({ blind: this.isBlindItem(sample.index), plan: this.plan.header, shown }),
      ...(check ? { check } : {}), ...(former && former.retracted !== true ? { former } : {}),
    };
  }

  override async labelled(): Promise<Snapshot["labelled"]> {
    await this.count();
    return this.progressNow.flatMap(({ record, state }, index) => (record && state !== "stale" ? [{ index, label: record.label }] : []));
  }

  private counts(): Pick<Session, "decided" | "unsure" | "skipped" | "stale" | "total"> {
    const of = (...states: string[]): number => this.progressNow.filter(({ state }) => states.includes(state)).length;
    return { decided: of("misbehavior", "benign"), unsure: of("unsure", "cannot_judge"), skipped: of("skipped"), stale: of("stale"), total: this.items.length };
  }

  override async progress(): Promise<Snapshot["progress"]> {
    const { decided, unsure, total } = this.counts();
    return { decided: decided + unsure, total };
  }

  override async session(index: number): Promise<Session | undefined> {
    if (!this.plan) return undefined;
    const { record, state } = this.progressNow[index] ?? {};
    const isDecided = record !== undefined && record.label !== null && state !== "stale";
    return {
      kind: "plan", name: this.isBlind ? "" : this.planId, position: index + 1, ...this.counts(),
      sight: this.sightOf(index, isDecided),
      ...(canBeBlind(this.plan.header) ? {} : { note: vscode.l10n.t("Every sample of this plan has the same verdict: its labels are recorded as not blind.") }),
      ...(record?.skipped === true ? { state: "skipped" as const } : {}),
    };
  }

  protected override ahead(index: number): number[] {
    return this.pendingAfter(index).slice(0, 2);
  }

  /** Items still to judge, also again, those behind `index` first. */
  private pendingAfter(index: number): number[] {
    const pending = this.progressNow.filter(({ state }) => state === "pending" || state === "stale").map(({ at }) => at);
    return [...pending.filter((at) => at > index), ...pending.filter((at) => at < index)];
  }

  override async firstIndex(): Promise<number> {
    await this.open();
    return this.pendingAfter(-1)[0] ?? 0;
  }

  override async nextUndecided(index: number): Promise<number | undefined> {
    await this.count();
    return this.pendingAfter(index).find((at) => !this.opened?.items[at]?.problem);
  }

  override async whenAllDecided(): Promise<void> {
    const { decided, unsure, skipped, total } = this.counts();
    const toSkipped = vscode.l10n.t("Go to the skipped ones");
    const words = vscode.l10n.t("That was the last of {0}: {1} decided, {2} unsure, {3} skipped.", total, decided, unsure, skipped);
    const toPairs = vscode.l10n.t("See the outcome");
    const isOfPairs = this.plan?.header.strategy === "pairs";
    const chosen = await vscode.window.showInformationMessage(words, ...(skipped > 0 ? [toSkipped] : []), ...(isOfPairs ? [toPairs] : []));
    if (chosen === toPairs) {
      // Pairs stay shut while anything is judged blind.
      const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(({ input }) => input instanceof vscode.TabInputCustom && input.uri.toString() === this.uri.toString());
      await vscode.window.tabGroups.close(tabs);
      await vscode.commands.executeCommand("tracemark.openPairs");
    }
    if (chosen !== toSkipped) return;
    const first = this.progressNow.find(({ state }) => state === "skipped");
    if (first) await this.show(first.at);
  }

  /** Passes an item over, with a record that says so. One that is decided stays decided, and one to do again stays so. */
  override async skip(sample: SampleState): Promise<void> {
    if (sample.standing !== undefined && sample.standing.label !== null) return;
    const { annotator } = this;
    const wasSkipped = sample.standing?.skipped === true;
    if (wasSkipped) return;
    const write = (): Promise<boolean> => this.write(sample, { annotator, skipped: true });
    await write();
    this.pushEdit({
      label: vscode.l10n.t("skip"),
      undo: async () => {
        await this.write(sample, { annotator });
        this.labelEmitter.fire({ index: sample.index, announce: vscode.l10n.t("Undone: {0}", vscode.l10n.t("skip")), reveal: true });
      },
      redo: async () => void (await write()),
    });
  }
}

/** Whether a plan is judged blind as a whole: as its header says, else where it can be. */
export function isBlindPlan({ header }: Pick<PlanFile, "header">): boolean {
  const said = header["blind"];
  return canBeBlind(header) && (typeof said === "boolean" ? said : true);
}
