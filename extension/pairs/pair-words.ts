/** Words for labels and states of pairs, as commands and lists use them. */
import * as vscode from "vscode";
import type { PairStatusView } from "#protocol/pairs";

export function labelWord(label: string | null | undefined): string {
  switch (label) {
    case "misbehavior": return vscode.l10n.t("misbehavior");
    case "benign": return vscode.l10n.t("benign");
    case "unsure": return vscode.l10n.t("unsure");
    case "cannot_judge": return vscode.l10n.t("cannot judge");
    default: return vscode.l10n.t("no label");
  }
}

export function statusWord(status: PairStatusView | undefined): string {
  switch (status) {
    case "draft": return vscode.l10n.t("draft");
    case "in_review": return vscode.l10n.t("in review");
    case "accepted": return vscode.l10n.t("accepted");
    case "rejected": return vscode.l10n.t("rejected");
    case "mixed": return vscode.l10n.t("halves differ in status");
    default: return vscode.l10n.t("no status");
  }
}
