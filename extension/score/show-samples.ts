/** Shows the samples behind a number of the score view as the rows of the review queue. */
import * as vscode from "vscode";
import type { FromWebview } from "#protocol/webview";
import type { ServerClient } from "../client/server-client";
import { ExpectedFailure } from "../platform/errors";
import type { ReviewService } from "../review/review-service";

type Wanted = Extract<FromWebview, { type: "score/samples" }>;

/** @throws ExpectedFailure while somebody judges blind, and where the number counts no sample any more */
export async function showSamples(review: ReviewService, client: ServerClient, root: string, labels: "all" | "blind", { title, gold, selection, disagreement, ids: named, runId }: Wanted): Promise<void> {
  review.refuseWhileBlind(vscode.l10n.t("What a number counts"));
  const elsewhere = (): ExpectedFailure => new ExpectedFailure(vscode.l10n.t("The review queue cannot show {0}: it is no folder of this window.", root));
  if (review.root !== root && !review.roots.includes(root)) throw elsewhere();
  const ids = named ?? (await client.request("tracemark/scoreSamples", { root, labels, gold, selection, disagreement })).ids;
  if (ids.length === 0) throw new ExpectedFailure(vscode.l10n.t("No sample is behind this number any more."));
  // The side bar goes to another folder only when there is something to show there.
  if (review.root !== root) await review.chooseRoot(root);
  if (review.root !== root) throw elsewhere();
  const run = runId ?? selection?.runId;
  await review.setLook({ filter: { ids, idsTitle: title }, groupBy: undefined, ...(run === undefined ? {} : { runId: run }) });
  await vscode.commands.executeCommand("tracemark.queue.focus");
}
