/** The `recorded` kind: verdicts made elsewhere, read from a run file and never written. */
import { defineMonitorKind, invalidVerdict } from "./define";
import type { Monitor, MonitorContext, Verdict } from "./define";
import type { Trajectory } from "#core/trajectory/model";
import type { VerdictRecord } from "#core/workspace/schemas";

function fromRecord(record: VerdictRecord): Verdict {
  return {
    outcome: record.outcome, score: record.score, categories: record.detected_categories, reason: record.reason, warnings: [],
    raw: typeof record.raw === "string" ? record.raw : undefined, usage: record.usage, modelReturned: record.model_returned,
    fingerprint: record.fingerprint, finishReason: record.finish_reason, latencyMs: record.latency_ms, attempts: record.attempts,
    ...(record.trained_on_this ? { more: { trained_on_this: true } } : {}),
  };
}

async function run(monitor: Monitor, trajectory: Trajectory, context: MonitorContext): Promise<Verdict> {
  const record = context.recorded?.(trajectory.id, monitor.id);
  return record ? fromRecord(record) : invalidVerdict("missing", `the recorded verdicts of ${monitor.id} say nothing of ${trajectory.id}`);
}

export const recorded = defineMonitorKind({
  kind: "recorded",
  title: "Recorded verdicts",
  needs: () => ({ model: false, program: false, network: false }),
  problem: () => undefined,
  prompting: (monitor, asked) => asked ?? monitor.config.prompting ?? "evidence",
  promptText: () => "",
  run,
});
