/** *Open a pair* and *Review pairs*: the list of pairs with their state, and the blind session over the halves of those in review. */
import * as vscode from "vscode";
import type { PairListRow } from "#protocol/pairs";
import type { ServerClient } from "../client/server-client";
import { ensureAnnotator } from "../platform/annotator";
import { annotatorName } from "../platform/config";
import { reviewUri } from "../review/review-uri";
import type { SightLog } from "../review/sight-log";
import { labelWord, statusWord } from "./pair-words";

const icons: Readonly<Record<string, string>> = { draft: "edit", in_review: "eye", accepted: "pass", rejected: "circle-slash", mixed: "warning" };
/** What waits for somebody comes first. */
const order = ["in_review", "draft", "rejected", "mixed", undefined, "accepted"];

interface PairItem extends vscode.QuickPickItem { readonly sampleId: string }

function itemOf({ pairId, status, halves, findings, judged, hasJudged, reason }: PairListRow): PairItem {
  const people = judged === 0 ? vscode.l10n.t("not judged yet") : judged === 1 ? vscode.l10n.t("1 person judged both halves") : vscode.l10n.t("{0} people judged both halves", judged);
  const review = status === "in_review" ? [people, ...(hasJudged ? [vscode.l10n.t("you did")] : [])] : [];
  const found = !findings ? [] : [findings.total === 0 ? vscode.l10n.t("nothing found") : findings.total === 1 ? vscode.l10n.t("1 finding") : vscode.l10n.t("{0} findings", findings.total)];
  const errors = findings && findings.errors > 0 ? [findings.errors === 1 ? vscode.l10n.t("1 error") : vscode.l10n.t("{0} errors", findings.errors)] : [];
  return {
    label: `$(${icons[status ?? ""] ?? "circle-large-outline"}) ${pairId}`, sampleId: halves[0]?.id ?? "",
    description: [statusWord(status), ...review, ...(status === "rejected" && reason !== undefined ? [reason] : [])].join(" · "),
    detail: [halves.map(({ id, label }) => (label === undefined ? id : `${id} ${labelWord(label)}`)).join(" | "), ...found, ...errors].join(" · "),
  };
}

/** Asks which pair to open. Resolves to the id of one of its halves; the findings come when they are counted. */
export async function pickPair(client: ServerClient, root: string): Promise<string | undefined> {
  const annotator = annotatorName();
  const params = { root, ...(annotator === undefined ? {} : { annotator }) };
  const { pairs } = await client.request("tracemark/pairs", { ...params, withFindings: false });
  if (pairs.length === 0) return void vscode.window.showInformationMessage(vscode.l10n.t("There are no pairs yet. Open a sample, and make one with Tracemark: New pair from this sample."));
  const pick = vscode.window.createQuickPick<PairItem>();
  const show = (rows: readonly PairListRow[]): void => {
    const active = pick.activeItems[0]?.sampleId;
    pick.items = [...rows].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status)).map(itemOf);
    const again = pick.items.find(({ sampleId }) => sampleId === active);
    if (again) pick.activeItems = [again];
  };
  pick.title = vscode.l10n.t("Open a pair");
  pick.placeholder = vscode.l10n.t("By id, status or the ids of its halves");
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.busy = true;
  show(pairs);
  void client.request("tracemark/pairs", { ...params, withFindings: true }).then(({ pairs: counted }) => show(counted), () => undefined).finally(() => (pick.busy = false));
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.sampleId);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

/** Opens the blind session over the halves of pairs in review which the annotator has not judged. */
export async function reviewPairs(client: ServerClient, sight: SightLog, root: string): Promise<void> {
  const annotator = await ensureAnnotator(root);
  if (annotator === undefined) return;
  client.notify("tracemark/workspaceChanged", { root });
  const wish = { root, annotator, seed: Date.now() % 1_000_000_000 };
  let plan = await client.request("tracemark/pairPlan", { ...wish, own: false });
  if (plan.planId === undefined && plan.ownPairs > 0) {
    const anyway = vscode.l10n.t("Judge my own");
    const chosen = await vscode.window.showWarningMessage(
      plan.ownPairs === 1 ? vscode.l10n.t("You wrote the pair that waits for review.") : vscode.l10n.t("You wrote all {0} pairs that wait for review.", plan.ownPairs),
      { modal: true, detail: vscode.l10n.t("Somebody else should judge them: you know what each half was meant as. If you do it all the same, your labels are recorded as not blind.") }, anyway,
    );
    if (chosen !== anyway) return;
    for (const id of plan.ownHalves) sight.note(root, id, ["original"]);
    plan = await client.request("tracemark/pairPlan", { ...wish, own: true });
  }
  if (plan.planId === undefined) return void tellNothingWaits(plan.inReview);
  if (plan.isNew && plan.pairs < 3) {
    void vscode.window.showInformationMessage(vscode.l10n.t("With so few pairs in review ({0}) their halves come close together. Review more of them at once where you can.", plan.pairs));
  }
  await vscode.commands.executeCommand("vscode.openWith", reviewUri({ kind: "plan", root, planId: plan.planId }), "tracemark.editor", { preview: false });
}

async function tellNothingWaits(inReview: number): Promise<void> {
  const open = vscode.l10n.t("Open a pair");
  const words = inReview === 0
    ? vscode.l10n.t("No pair is in review. Open a draft, and send it with Tracemark: Send pair for review.")
    : inReview === 1 ? vscode.l10n.t("You have judged both halves of the pair in review.") : vscode.l10n.t("You have judged both halves of all {0} pairs in review.", inReview);
  if ((await vscode.window.showInformationMessage(words, open)) === open) await vscode.commands.executeCommand("tracemark.openPairs");
}
