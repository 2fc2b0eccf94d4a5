/** Asks which plan to work on. */
import * as vscode from "vscode";
import { strategyInfo, type Strategy } from "#core/labels/plan-draw";
import type { PlanRow } from "#protocol/review";
import { newPlan } from "./new-plan";
import type { ReviewService } from "./review-service";

/** The id of the plan chosen, the newest first; a new one can be made on the way. Undefined when the person chose none. */
export async function pickPlan(review: ReviewService, root: string): Promise<string | undefined> {
  const { plans } = await review.request("tracemark/plans", { root, annotator: review.source(root).annotator });
  const mine = plans.filter(({ total }) => total > 0).reverse();
  if (mine.length === 0) return newPlan(review);
  const fresh = { label: vscode.l10n.t("$(add) New plan…"), description: "", detail: "", planId: undefined as string | undefined };
  const chosen = await vscode.window.showQuickPick([...mine.map(planItem), fresh], { title: vscode.l10n.t("Start review: which plan?"), matchOnDescription: true });
  if (!chosen) return undefined;
  return chosen.planId ?? newPlan(review);
}

/** A plan that is judged blind does not say of which kind it is. */
function planItem(plan: PlanRow): { label: string; description: string; detail: string; planId: string | undefined } {
  const done = plan.decided + plan.unsure + plan.cannotJudge;
  const kind = (strategyInfo[plan.strategy as Strategy] as { title: string } | undefined)?.title ?? plan.strategy;
  const words = [
    vscode.l10n.t("{0} of {1} done", done, plan.total), ...(plan.unsure > 0 ? [vscode.l10n.t("{0} unsure", plan.unsure)] : []),
    ...(plan.stale > 0 ? [vscode.l10n.t("{0} to do again", plan.stale)] : []), ...(plan.skipped > 0 ? [vscode.l10n.t("{0} skipped", plan.skipped)] : []), ...(plan.probability ? [] : [vscode.l10n.t("not usable for rates")]),
  ];
  return { label: plan.planId, description: plan.blind === false ? kind.toLowerCase() : vscode.l10n.t("blind"), detail: words.join(" · "), planId: plan.planId };
}
