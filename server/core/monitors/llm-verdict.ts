/** Makes a verdict of what a model answered: of one answer, or of one for each segment of a long transcript. */
import { invalidVerdict } from "./define";
import type { ModelAnswer, ModelProblem, Monitor, Prompting, Verdict } from "./define";
import { echoesTranscript } from "./echo";
import type { Requests } from "./llm-requests";
import { parseAnswer, thinkingOf } from "./parse-verdict";
import type { Trajectory } from "#core/trajectory/model";

/** The verdict that the replies to `requests` come to; fewer replies than calls mean that the last one ended it. */
export function verdictOf(monitor: Monitor, trajectory: Trajectory, prompting: Prompting, requests: Requests, replies: readonly (ModelAnswer | ModelProblem)[]): Verdict {
  const verdicts = replies.map((reply) => one(monitor, trajectory, prompting, reply));
  return requests.segments ? joined(verdicts, requests, trajectory) : verdicts[0] ?? invalidVerdict("missing", "there is no answer");
}

function one(monitor: Monitor, trajectory: Trajectory, prompting: Prompting, reply: ModelAnswer | ModelProblem): Verdict {
  if ("reason" in reply) return invalidVerdict(reply.reason, reply.message, { attempts: reply.attempts, latencyMs: reply.latencyMs });
  const rest = answerFields(reply, monitor);
  const answer = parseAnswer(reply.text, prompting, reply.finishReason);
  if (!answer.ok) return invalidVerdict(answer.reason, answer.message, rest);
  if (echoesTranscript(reply.text, trajectory)) {
    return invalidVerdict("echo", "the answer is a verdict that stands word for word in the transcript, so it may be the log that speaks and not the model", rest);
  }
  const told = reply.suspicion === undefined ? { score: answer.score } : { score: reply.suspicion, more: { ...rest.more, score_from: "logprobs", ...(answer.score === undefined ? {} : { score_told: answer.score }) } };
  return { ...rest, ...told, outcome: answer.misbehavior ? "misbehavior" : "benign", categories: answer.categories, warnings: answer.warnings };
}

/** What a verdict keeps of an answer beside its meaning. */
export function answerFields(reply: ModelAnswer, monitor: Monitor): Omit<Verdict, "outcome" | "categories" | "warnings"> {
  return {
    raw: reply.text, usage: usageOf(reply, monitor), modelReturned: reply.modelReturned, fingerprint: reply.fingerprint,
    finishReason: reply.finishReason, thinking: reply.reasoning ?? thinkingOf(reply.text), cached: reply.cached,
    latencyMs: reply.latencyMs, attempts: reply.attempts, ...(reply.servedBy ? { more: { served_by: reply.servedBy } } : {}),
  };
}

/**
 * One verdict of many: misbehavior in any segment is misbehavior; without one, a segment that gave no usable verdict makes
 * the whole invalid. The score is the highest.
 */
function joined(verdicts: readonly Verdict[], { calls, segments = [] }: Requests, trajectory: Trajectory): Verdict {
  const complete = verdicts.length === calls.length;
  const guilty = verdicts.filter(({ outcome }) => outcome === "misbehavior");
  const failed = verdicts.find(({ outcome }) => outcome === "invalid");
  const scores = verdicts.flatMap(({ score }) => score ?? []);
  const usages = verdicts.flatMap(({ usage }) => usage ?? []);
  const costs = usages.flatMap(({ cost_usd: cost }) => cost ?? []);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const indexOf = (position: number): number => trajectory.steps[position]?.index ?? position;
  const first = verdicts[0];
  const rest = {
    raw: verdicts.map(({ raw }) => raw ?? "").join("\n\n"),
    ...(usages.length > 0 ? { usage: { input_tokens: sum(usages.map((use) => use.input_tokens)), output_tokens: sum(usages.map((use) => use.output_tokens)), ...(costs.length > 0 ? { cost_usd: sum(costs) } : {}) } } : {}),
    modelReturned: first?.modelReturned, fingerprint: first?.fingerprint, finishReason: first?.finishReason,
    thinking: verdicts.flatMap(({ thinking }) => thinking ?? []).join("\n\n") || undefined,
    cached: verdicts.every(({ cached }) => cached) || undefined,
    latencyMs: sum(verdicts.map(({ latencyMs }) => latencyMs)), attempts: sum(verdicts.map(({ attempts }) => attempts)),
    warnings: [...new Set(verdicts.flatMap(({ warnings }) => warnings))],
    more: {
      // What the first answer says of its own score is not said of the joined one.
      ...(first?.more?.["served_by"] === undefined ? {} : { served_by: first.more["served_by"] }),
      segments: verdicts.map((verdict, at) => ({
        from_step: indexOf(segments[at]!.from), to_step: indexOf(segments[at]!.to - 1), outcome: verdict.outcome,
        ...(verdict.score === undefined ? {} : { score: verdict.score }), ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
      })),
    },
  };
  const stopped = verdicts.find(({ reason }) => reason === "cancelled");
  if (stopped) return stopped;
  if (guilty.length === 0 && (failed || !complete)) {
    const at = failed ? verdicts.indexOf(failed) + 1 : verdicts.length + 1;
    return invalidVerdict(failed?.reason ?? "missing", `segment ${at} of ${calls.length}: ${failed?.message ?? "there is no answer"}`, rest);
  }
  const score = scores.length > 0 ? Math.max(...scores) : undefined;
  return { ...rest, outcome: guilty.length > 0 ? "misbehavior" : "benign", score, categories: guilty.flatMap(({ categories }) => categories) };
}

function usageOf(reply: ModelAnswer, monitor: Monitor): Verdict["usage"] {
  if (!reply.usage) return undefined;
  const { inputTokens, outputTokens } = reply.usage;
  // What the cache answers costs nothing again.
  const cost = reply.cached ? (monitor.config.price ? 0 : undefined) : costOf(monitor, inputTokens, outputTokens);
  return { input_tokens: inputTokens, output_tokens: outputTokens, ...(cost === undefined ? {} : { cost_usd: cost }) };
}

/** US dollars by the monitor's stated price, or undefined without one. */
export function costOf(monitor: Monitor, inputTokens: number, outputTokens: number): number | undefined {
  const { price } = monitor.config;
  return price && (inputTokens * price.input_per_million + outputTokens * price.output_per_million) / 1e6;
}
