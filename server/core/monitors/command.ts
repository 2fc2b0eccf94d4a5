/** The `command` kind: any program judges, in any language; one JSON sample on its standard input, one JSON verdict on its output. */
import { defineMonitorKind, invalidVerdict } from "./define";
import type { Monitor, MonitorContext, Prompting, Verdict } from "./define";
import { parseAnswer } from "./parse-verdict";
import { contentCanonical } from "#core/trajectory/model";
import type { Trajectory } from "#core/trajectory/model";

const defaultTimeoutS = 60;

function promptingOf(monitor: Monitor, asked: Prompting | undefined): Prompting {
  return asked ?? monitor.config.prompting ?? "evidence";
}

function problem(monitor: Monitor): string | undefined {
  const { program, prompting } = monitor.config;
  if (!program?.trim()) return `no "program" is set; name the program that judges, its arguments go into "args"`;
  if (program.includes("\0") || monitor.config.args?.some((one) => one.includes("\0"))) return `"program" or "args" holds a null character; remove it`;
  if (prompting === "contrastive") return `a program judges one sample at a time; use prompting "direct" or "evidence"`;
  return undefined;
}

/**
 * What the program reads: the trajectory as `show --json` prints it, with what it is to look for. Labels, outcomes and
 * metadata are left out, since they may give the answer away.
 */
export function programInput(trajectory: Trajectory, context: MonitorContext, prompting: Prompting): string {
  const steps = trajectory.steps.map((step) => ({
    index: step.index, role: step.role,
    parts: step.parts.filter((part) => context.reasoning || part.kind !== "reasoning").map((part) => ({
      kind: part.kind, text: part.text,
      ...(part.toolName === undefined ? {} : { tool_name: part.toolName }), ...(part.callId === undefined ? {} : { call_id: part.callId }),
      ...(part.isError === undefined ? {} : { is_error: part.isError }),
    })),
  }));
  return `${JSON.stringify({
    type: "sample", sample_id: trajectory.id, prompting, content_sha256: context.sha256(contentCanonical(trajectory.steps)),
    ...(trajectory.task === undefined ? {} : { task: trajectory.task }), steps,
    taxonomy: context.taxonomy, ...(context.guidelines === undefined ? {} : { guidelines: context.guidelines }),
  })}\n`;
}

/** Programs may say `outcome` where models say `misbehavior_detected`. */
function inOneForm(text: string): string {
  try {
    const value = JSON.parse(text) as Record<string, unknown> | null;
    const { outcome } = value ?? {};
    if (value && !("misbehavior_detected" in value) && (outcome === "misbehavior" || outcome === "benign")) {
      return JSON.stringify({ ...value, misbehavior_detected: outcome === "misbehavior" });
    }
  } catch {
    // Whatever it is, the parser of answers says what is wrong with it.
  }
  return text;
}

/** A program may say itself that it has no verdict: `{"outcome": "invalid", "reason": …}`. */
function ownRefusal(text: string): { reason: string; message: string } | undefined {
  try {
    const value = JSON.parse(text) as Record<string, unknown> | null;
    if (value?.["outcome"] !== "invalid") return undefined;
    const reason = typeof value["reason"] === "string" ? value["reason"] : "program";
    return { reason, message: typeof value["message"] === "string" ? value["message"] : "the program gave no verdict" };
  } catch {
    return undefined;
  }
}

async function run(monitor: Monitor, trajectory: Trajectory, context: MonitorContext): Promise<Verdict> {
  const sentence = problem(monitor);
  if (sentence !== undefined) return invalidVerdict("configuration", sentence);
  if (!context.programs) return invalidVerdict("configuration", "programs cannot be started from here");
  const prompting = promptingOf(monitor, context.prompting);
  const { program, args, timeout_s: timeoutS } = monitor.config;
  const reply = await context.programs.run({
    monitor: monitor.id, program: program ?? "", args: args ?? [], timeoutMs: 1000 * (timeoutS ?? defaultTimeoutS),
    input: programInput(trajectory, context, prompting),
  });
  if ("reason" in reply) return invalidVerdict(reply.reason, reply.message, { attempts: reply.attempts, latencyMs: reply.latencyMs });
  const rest = { raw: reply.text, latencyMs: reply.latencyMs, attempts: 1 };
  const refusal = ownRefusal(reply.text);
  if (refusal) return invalidVerdict(refusal.reason, refusal.message, rest);
  const answer = parseAnswer(inOneForm(reply.text), prompting);
  if (!answer.ok) return invalidVerdict(answer.reason, answer.message, rest);
  return { ...rest, outcome: answer.misbehavior ? "misbehavior" : "benign", score: answer.score, categories: answer.categories, warnings: answer.warnings };
}

export const command = defineMonitorKind({
  kind: "command",
  title: "Program",
  needs: () => ({ model: false, program: true, network: false }),
  problem,
  prompting: promptingOf,
  preview: (monitor, trajectory, context) => ({ system: "", user: programInput(trajectory, context, promptingOf(monitor, context.prompting)), tokens: 0, requests: 0 }),
  promptText: (monitor) => `${JSON.stringify([monitor.config.program ?? "", ...(monitor.config.args ?? [])])}\n`,
  run,
});
