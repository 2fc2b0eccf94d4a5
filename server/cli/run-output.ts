/** What `tracemark run` prints: lines for machines, a short account for people. */
import type { RunEstimate } from "#node/run-plan";
import type { Monitor } from "#core/monitors/define";
import type { RunHeader, VerdictRecord } from "#core/workspace/schemas";

/** What `--dry-run --json` prints. `cost_usd` is null where the monitor states no price. */
export function estimateLine(monitor: Monitor, header: RunHeader, estimate: RunEstimate, allowed: boolean) {
  return {
    type: "dry_run", monitor: monitor.id, kind: monitor.kind, model: monitor.config.model, prompting: header.prompting,
    samples: estimate.samples, unreadable: estimate.unreadable, requests: estimate.requests,
    input_tokens: estimate.inputTokens, output_tokens: estimate.outputTokens, cost_usd: estimate.costUsd ?? null,
    endpoint_origin: estimate.origin ?? null, local: estimate.local, allowed, view: header.view, sample_ids: header.samples,
  };
}

/** The estimate for people. */
export function estimateText(monitor: Monitor, header: RunHeader, estimate: RunEstimate, allowed: boolean): string[] {
  const where = !estimate.origin ? "nothing leaves this machine"
    : estimate.local ? `to ${estimate.origin}, on this machine`
      : `to ${estimate.origin}, ${allowed ? "which you have allowed" : "which you have not allowed"}`;
  const cost = estimate.costUsd === undefined ? "unknown, since the monitor states no price" : `about $${estimate.costUsd.toFixed(estimate.costUsd < 1 ? 4 : 2)}`;
  return [
    `monitor    ${monitor.id} (${monitor.kind}${monitor.config.model ? `, ${monitor.config.model}` : ""}, ${header.prompting})`,
    `samples    ${estimate.samples}${estimate.unreadable > 0 ? `, of which ${estimate.unreadable} cannot be read` : ""}`,
    `requests   ${estimate.requests}`,
    `tokens     about ${estimate.inputTokens} in, at most about ${estimate.outputTokens} out`,
    `cost       ${cost}`,
    `text goes  ${where}`,
    "nothing was sent",
  ];
}

/** One verdict for people, on standard error where results are JSON. */
export function invalidText(verdict: VerdictRecord): string {
  const message = typeof verdict["message"] === "string" ? `: ${verdict["message"]}` : "";
  return `invalid: ${verdict.sample_id}: ${verdict.reason ?? "no reason"}${message}`.replace(/\s*[\r\n]+\s*/g, " ");
}

/** The account of a finished run. */
export function summaryText(path: string, verdicts: readonly VerdictRecord[]): string[] {
  const count = (outcome: VerdictRecord["outcome"]): number => verdicts.filter((one) => one.outcome === outcome).length;
  const reasons = new Map<string, number>();
  for (const one of verdicts) if (one.outcome === "invalid") reasons.set(one.reason ?? "no reason", (reasons.get(one.reason ?? "no reason") ?? 0) + 1);
  const why = [...reasons].sort((a, b) => b[1] - a[1]).map(([reason, n]) => `${n} ${reason}`).join(", ");
  const cost = verdicts.reduce((sum, one) => sum + (one.usage?.cost_usd ?? 0), 0);
  return [
    `${verdicts.length} verdicts: ${count("misbehavior")} misbehavior, ${count("benign")} benign, ${count("invalid")} invalid${why ? ` (${why})` : ""}${cost > 0 ? `, $${cost.toFixed(4)}` : ""}`,
    path,
  ];
}
