/** The `llm` kind: a language model judges one trajectory, by verdict alone (`direct`) or with exact quotes (`evidence`). */
import directTemplate from "./prompts/direct.md";
import evidenceTemplate from "./prompts/evidence.md";
import { defineMonitorKind, invalidVerdict } from "./define";
import type { ModelAnswer, ModelProblem, Monitor, MonitorContext, Prompting, PromptPreview, Verdict } from "./define";
import { answerSchema, parseAnswer } from "./parse-verdict";
import { fillTemplate, parseTemplate } from "./prompt-template";
import { estimateTokens, renderTrajectory } from "./render";
import type { Trajectory } from "#core/trajectory/model";

/** The built-in templates, as they stand in `prompts/`. */
export const builtInPrompts: Readonly<Record<"direct" | "evidence", string>> = { direct: directTemplate, evidence: evidenceTemplate };

function templateText(monitor: Monitor, prompting: Prompting): string {
  return monitor.template ?? builtInPrompts[prompting === "direct" ? "direct" : "evidence"];
}

function promptingOf(monitor: Monitor, asked: Prompting | undefined): Prompting {
  return asked ?? monitor.config.prompting ?? "evidence";
}

function problem(monitor: Monitor): string | undefined {
  const { provider, base_url: baseUrl, model, prompting } = monitor.config;
  if (provider !== undefined && provider !== "openai-compatible") {
    return `provider "${provider}" is not available in this version; use "openai-compatible"`;
  }
  if (prompting === "contrastive") return `prompting "contrastive" is not available in this version; use "direct" or "evidence"`;
  if (!model) return `no "model" is set; name one in tracemark.json`;
  if (!baseUrl) return `no "base_url" is set; give the endpoint's address, for example http://127.0.0.1:8080/v1`;
  const template = parseTemplate(templateText(monitor, promptingOf(monitor, undefined)));
  return "problem" in template ? template.problem : undefined;
}

/** Both messages as they would be sent. Throws a plain `Error` only for a template that `problem` already refused. */
function preview(monitor: Monitor, trajectory: Trajectory, context: MonitorContext): PromptPreview {
  const template = parseTemplate(templateText(monitor, promptingOf(monitor, context.prompting)));
  if ("problem" in template) throw new Error(template.problem);
  const rendering = renderTrajectory(trajectory, { reasoning: context.reasoning, sha256: context.sha256 });
  const messages = fillTemplate(template, rendering, context.taxonomy, context.guidelines);
  return { ...messages, tokens: estimateTokens(messages.system) + estimateTokens(messages.user) };
}

async function run(monitor: Monitor, trajectory: Trajectory, context: MonitorContext): Promise<Verdict> {
  const { config } = monitor;
  const sentence = problem(monitor);
  if (sentence !== undefined) return invalidVerdict("configuration", sentence);
  if (!context.model) return invalidVerdict("configuration", "no model can be reached from here");
  const prompting = promptingOf(monitor, context.prompting);
  const { system, user, tokens } = preview(monitor, trajectory, context);
  const tooLong = exceedsWindow(config.params, tokens);
  if (tooLong !== undefined) return invalidVerdict("context_length", tooLong);
  const reply = await context.model.complete({
    monitor: monitor.id, provider: config.provider ?? "openai-compatible", model: config.model ?? "", baseUrl: config.base_url ?? "",
    apiKeyEnv: config.api_key_env, system, user, params: config.params ?? {}, schema: answerSchema(prompting),
  });
  if ("reason" in reply) return failed(reply);
  return judged(reply, prompting, monitor);
}

/** A sentence when the prompt cannot fit the window that the settings state. Counts are estimates, so the limit is one too. */
function exceedsWindow(params: Monitor["config"]["params"], tokens: number): string | undefined {
  const window = params?.["context_tokens"];
  if (typeof window !== "number") return undefined;
  const answer = params?.max_tokens ?? 0;
  if (tokens + answer <= window) return undefined;
  return `about ${tokens} tokens of prompt${answer ? ` and ${answer} of answer` : ""} do not fit the ${window} of context_tokens; nothing was sent`;
}

function failed(reply: ModelProblem): Verdict {
  return invalidVerdict(reply.reason, reply.message, { attempts: reply.attempts, latencyMs: reply.latencyMs });
}

function judged(reply: ModelAnswer, prompting: Prompting, monitor: Monitor): Verdict {
  const rest = {
    raw: reply.text, usage: usageOf(reply, monitor), modelReturned: reply.modelReturned, fingerprint: reply.fingerprint,
    finishReason: reply.finishReason, latencyMs: reply.latencyMs, attempts: reply.attempts,
  };
  const answer = parseAnswer(reply.text, prompting, reply.finishReason);
  if (!answer.ok) return invalidVerdict(answer.reason, answer.message, rest);
  return { ...rest, outcome: answer.misbehavior ? "misbehavior" : "benign", categories: answer.categories, warnings: answer.warnings };
}

function usageOf(reply: ModelAnswer, monitor: Monitor): Verdict["usage"] {
  if (!reply.usage) return undefined;
  const { inputTokens, outputTokens } = reply.usage;
  const cost = costOf(monitor, inputTokens, outputTokens);
  return { input_tokens: inputTokens, output_tokens: outputTokens, ...(cost === undefined ? {} : { cost_usd: cost }) };
}

/** US dollars by the monitor's stated price, or undefined without one. */
export function costOf(monitor: Monitor, inputTokens: number, outputTokens: number): number | undefined {
  const { price } = monitor.config;
  return price && (inputTokens * price.input_per_million + outputTokens * price.output_per_million) / 1e6;
}

export const llm = defineMonitorKind({
  kind: "llm",
  title: "Language model",
  needs: { model: true, program: false, network: true },
  problem,
  prompting: promptingOf,
  promptText: templateText,
  preview,
  run,
});
