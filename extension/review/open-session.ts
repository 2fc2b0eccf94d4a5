/** Makes the document of a review session out of its address. */
import type { Uri } from "vscode";
import type { ServerClient } from "../client/server-client";
import type { LabelService } from "../labels/label-service";
import { AdjudicationReview } from "./adjudication-review";
import { JudgeAgainReview } from "./judge-again-review";
import { PlanReview } from "./plan-review";
import { parseReviewUri } from "./review-uri";
import type { SessionDocument, SessionServices } from "./session-document";

/** A function from addresses to documents; it answers undefined for what is no session. */
export function sessionOpener(client: ServerClient, labels: LabelService, services: SessionServices): (uri: Uri) => SessionDocument | undefined {
  return (uri) => {
    const ref = parseReviewUri(uri);
    if (ref?.kind === "plan") return new PlanReview(uri, ref.root, ref.planId, client, labels, services);
    if (ref?.kind === "again") return new JudgeAgainReview(uri, ref.root, client, labels, services);
    return ref?.kind === "adjudication" ? new AdjudicationReview(uri, ref.root, client, labels, services) : undefined;
  };
}
