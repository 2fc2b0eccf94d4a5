/** Where the review of a pair stands, which halves carry its status, and which step may come next. */
import type { SampleRecord } from "#core/workspace/schemas";

export const pairStatuses = ["draft", "in_review", "accepted", "rejected"] as const;
export type PairStatus = (typeof pairStatuses)[number];

/** What is done to a pair: sent for review, accepted, rejected. */
export const pairSteps = ["send", "accept", "reject"] as const;
export type PairStep = (typeof pairSteps)[number];

export const statusAfter: Readonly<Record<PairStep, PairStatus>> = { send: "in_review", accept: "accepted", reject: "rejected" };

/** A half as far as its status goes. */
export interface StatusHalf {
  readonly id: string;
  readonly status?: PairStatus | undefined;
  readonly isAuthored: boolean;
}

/** The status of a pair: that of the halves which carry one; `mixed` where they differ, undefined where none has one. */
export function pairStatusOf(halves: readonly Pick<StatusHalf, "status">[]): PairStatus | "mixed" | undefined {
  const given = new Set(halves.flatMap(({ status }) => (status === undefined ? [] : [status])));
  return given.size > 1 ? "mixed" : [...given][0];
}

/**
 * Ids of the halves whose line gets the pair's status. A recorded half without one was a sample before the pair was made and
 * stays one whatever becomes of the pair, unless both halves were recorded.
 */
export function halvesWithStatus(halves: readonly StatusHalf[]): string[] {
  const carrying = halves.filter(({ status, isAuthored }) => isAuthored || status !== undefined);
  return (carrying.length > 0 ? carrying : halves).map(({ id }) => id);
}

/** Why a step cannot be taken from a status: a sentence with what to do; undefined where it can. */
export function refusalOf(step: PairStep, status: PairStatus | "mixed" | undefined): string | undefined {
  switch (step) {
    case "send":
      if (status === "in_review") return "The pair is in review already. Judge its halves with Review pairs.";
      return status === "accepted" ? "The pair is accepted already. Reject it with a reason before it is reviewed again." : undefined;
    case "accept":
      if (status === "accepted") return "The pair is accepted already.";
      return status === "in_review" ? undefined : "Only a pair in review can be accepted. Send it for review first.";
    case "reject":
      if (status === "rejected") return "The pair is rejected already.";
      return status === "in_review" || status === "accepted" || status === "mixed" ? undefined : "Only a pair in review can be rejected. Send it for review first.";
  }
}

/** The keys that a manifest line gets when a step is taken. `at` is ISO 8601; earlier entries of its `status_log` stay. */
export function statusChange(record: Pick<SampleRecord, "status_log">, step: PairStep, by: string, at: string, reason?: string): Pick<SampleRecord, "status" | "status_log"> {
  return withStatus(record, statusAfter[step], by, at, reason);
}

/** The keys that a manifest line gets when an accepted half was edited: what was accepted is no longer what is there. `at` is ISO 8601. */
export function backToDraft(record: Pick<SampleRecord, "status_log">, by: string, at: string, reason: string): Pick<SampleRecord, "status" | "status_log"> {
  return withStatus(record, "draft", by, at, reason);
}

function withStatus({ status_log }: Pick<SampleRecord, "status_log">, status: PairStatus, by: string, at: string, reason?: string): Pick<SampleRecord, "status" | "status_log"> {
  return { status, status_log: [...(status_log ?? []), { status, by, at, ...(reason === undefined || reason === "" ? {} : { reason }) }] };
}

/** Codes of the pair check without which a pair is none; all others are give-aways that a person may accept. */
const errorCodes: ReadonlySet<string> = new Set(["bad-pair", "pair-mismatch", "pair-equal", "pair-white-space", "pair-request", "pair-status", "pair-accepted", "pair-unreadable"]);

/** Whether a finding makes the pair no pair, so that it cannot be sent or accepted. */
export function isPairError(code: string): boolean {
  return errorCodes.has(code);
}

/** Whether a sample belongs to the benchmark by its status: none, or accepted. */
export function isInBenchmark({ status }: { readonly status?: string | undefined }): boolean {
  return status === undefined || status === "accepted";
}
