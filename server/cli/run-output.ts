/** What `tracemark run` prints: lines for machines, a short account for people. */
import { counted } from "./counted";
import type { RunEstimate } from "#node/run-plan";
import type { BriefVerdict } from "#node/store/run-progress";
import { monitorAndMembers } from "#core/monitors/index";
import type { Monitor } from "#core/monitors/define";
import type { RunHeader, VerdictRecord } from "#core/workspace/schemas";

/** What `--dry-run --json` prints. `cost_usd` is null where the monitor states no price. */
export function estimateLine(monitor: Monitor, header: RunHeader, estimate: RunEstimate, allowed: boolean) {
  return {
    type: "dry_run", monitor: monitor.id, kind: monitor.kind, model: monitor.config.model, prompting: header.prompting,
    samples: estimate.samples, unreadable: estimate.unreadable, requests: estimate.requests,
    input_tokens: estimate.inputTokens, output_tokens: estimate.outputTokens, counted_requests: estimate.counted, sent_requests: estimate.sentToCount, cost_usd: estimate.costUsd ?? null,
    endpoint_origin: estimate.origins[0] ?? null, endpoint_origins: estimate.origins, programs: estimate.programs, local: estimate.local, allowed, view: header.view, sample_ids: header.samples,
  };
}

/** The estimate for people. */
export function estimateText(monitor: Monitor, header: RunHeader, estimate: RunEstimate, allowed: boolean): string[] {
  const origins = estimate.origins.join(" and ");
  const where = origins === "" ? "nothing leaves this machine"
    : estimate.local ? `to ${origins}, on this machine`
      : `to ${origins}, ${allowed ? "which you have allowed" : "which you have not allowed"}`;
  const cost = estimate.costUsd === undefined ? "unknown, since the monitor states no price" : `about $${estimate.costUsd.toFixed(estimate.costUsd < 1 ? 4 : 2)}`;
  return [
    `monitor    ${monitor.id} (${monitor.kind}${monitor.config.model ? `, ${monitor.config.model}` : ""}, ${header.prompting})`,
    `samples    ${estimate.samples}${estimate.unreadable > 0 ? `, of which ${estimate.unreadable} cannot be read or are too long to be asked about` : ""}`,
    `requests   ${estimate.requests}`,
    `tokens     about ${estimate.inputTokens} in${estimate.counted > 0 ? ` (${counted(estimate.counted, "request")} counted by the endpoint itself)` : ""}, at most about ${estimate.outputTokens} out`,
    `cost       ${cost}`,
    `text goes  ${where}`,
    ...estimate.programs.map((program) => `program    ${program}`),
    sentText(estimate),
  ];
}

function sentText({ counted: known, sentToCount: sent }: RunEstimate): string {
  if (sent === 0) return "nothing was sent";
  return `nothing was sent but ${counted(sent, "request")} to be counted${known < sent ? `, of which ${known === 0 ? "none" : known} came back counted` : ""}`;
}

/** One verdict for people, on standard error where results are JSON. */
export function invalidText(verdict: VerdictRecord): string {
  const message = typeof verdict["message"] === "string" ? `: ${verdict["message"]}` : "";
  return `invalid: ${verdict.sample_id}: ${verdict.reason ?? "no reason"}${message}`.replace(/\s*[\r\n]+\s*/g, " ");
}

/** The warnings of a verdict that counts all the same, one line each. */
export function warningTexts(verdict: VerdictRecord): string[] {
  const { warnings } = verdict as { warnings?: unknown };
  return Array.isArray(warnings) ? warnings.map((text) => `warning: ${verdict.sample_id}: ${String(text)}`.replace(/\s*[\r\n]+\s*/g, " ")) : [];
}

/** What is said of samples that no reader knows: their verdicts count, and may be about half of what happened. */
export function guessedText(ids: ReadonlySet<string>): string[] {
  const [first] = ids;
  if (first === undefined) return [];
  return [`warning: ${counted(ids.size, "sample")} (${first}${ids.size > 1 ? ", …" : ""}) had no known format and were read by best guess, so the monitor may not have seen all that the agent said and did; ` +
    "look at one with `tracemark show FILE`, and write the records in a format that `tracemark formats` lists"];
}

/** What to do about an answer that refuses the key, or undefined where what failed, a verdict or a run, says nothing of the kind. */
export function keyHint(failed: Readonly<Record<string, unknown>>, monitor: Monitor): string | undefined {
  const said = [failed["message"], ...(Array.isArray(failed["votes"]) ? failed["votes"].map((vote: { message?: unknown }) => vote.message) : [])];
  if (!said.some((text) => typeof text === "string" && /\bthe endpoint answered 40[13]\b/.test(text))) return undefined;
  const variables = [...new Set(monitorAndMembers(monitor).flatMap(({ kind, config }) => (kind === "llm" ? config.api_key_env ?? [] : [])))];
  return variables.length > 0 ? `note: the endpoint does not take the key; check what the environment variable ${variables.join(" or ")} holds`
    : `note: the endpoint wants a key; put it into an environment variable (export MY_KEY=…) and add "api_key_env": "MY_KEY" to monitor "${monitor.id}" in tracemark.json`;
}

/** The account of a finished run. */
export function summaryText(path: string, verdicts: Iterable<BriefVerdict>): string[] {
  const counts = { misbehavior: 0, benign: 0, invalid: 0 };
  const reasons = new Map<string, number>();
  let all = 0, cost = 0, warned = 0, cached = 0;
  for (const one of verdicts) {
    all++;
    counts[one.outcome]++;
    cost += one.costUsd;
    if (one.warned) warned++;
    if (one.cached) cached++;
    if (one.outcome === "invalid") reasons.set(one.reason ?? "no reason", (reasons.get(one.reason ?? "no reason") ?? 0) + 1);
  }
  const why = [...reasons].sort((a, b) => b[1] - a[1]).map(([reason, n]) => `${n} ${reason}`).join(", ");
  return [
    `${counted(all, "verdict")}: ${counts.misbehavior} misbehavior, ${counts.benign} benign, ${counts.invalid} invalid${why ? ` (${why})` : ""}${cost > 0 ? `, $${cost.toFixed(4)}` : ""}`,
    ...(warned > 0 ? [`${warned} of them with warnings, which stand in their lines`] : []),
    ...(cached > 0 ? [`${cached} answered by the cache of earlier answers; --no-cache asks again`] : []),
    path,
  ];
}
