/** The requests that a model is sent for one trajectory: one, or one for each segment where it is longer than the model's window. */
import directTemplate from "./prompts/direct.md";
import evidenceTemplate from "./prompts/evidence.md";
import type { ModelCall, Monitor, MonitorContext, Prompting } from "./define";
import { endpointOf } from "./endpoint";
import { exampleTexts, examplesText } from "./examples";
import { answerSchema } from "./parse-verdict";
import { fillTemplate, parseTemplate } from "./prompt-template";
import { estimateTokens, renderTrajectory, requestEnd, stepTokens } from "./render";
import { cutSteps, type StepRange } from "./segments";
import type { Trajectory } from "#core/trajectory/model";

/** The built-in templates, as they stand in `prompts/`. */
export const builtInPrompts: Readonly<Record<"direct" | "evidence", string>> = { direct: directTemplate, evidence: evidenceTemplate };

/** Text of the template that a monitor uses under a prompting. */
export function templateText(monitor: Monitor, prompting: Prompting): string {
  return monitor.template ?? builtInPrompts[prompting === "direct" ? "direct" : "evidence"];
}

export interface Requests {
  readonly calls: readonly ModelCall[];
  /** The steps that each call shows (positions in `steps`); undefined where one call shows all. */
  readonly segments?: readonly StepRange[] | undefined;
}

/** Room left for the answer where `max_tokens` is not set. */
const assumedAnswer = 1000;

/**
 * The calls for `trajectory`, or a sentence why none can be made. A prompt beyond `params.context_tokens` is cut into
 * segments; `scale` (at most 1) makes them smaller than the estimate says, for when the endpoint counts otherwise.
 */
export function requestsOf(monitor: Monitor, trajectory: Trajectory, context: MonitorContext, prompting: Prompting, scale = 1): Requests | { problem: string } {
  const template = parseTemplate(templateText(monitor, prompting));
  if ("problem" in template) return template;
  const examples = context.examples?.(trajectory, monitor) ?? [];
  const callFor = (messages: { system: string; user: string }): ModelCall => ({ ...callOf(monitor, prompting, messages), ...(examples.length > 0 ? { samples: 1 + examples.length } : {}) });
  const fill = (only?: StepRange) => {
    const rendering = renderTrajectory(trajectory, { reasoning: context.reasoning, sha256: context.sha256, beside: exampleTexts(examples), only });
    return fillTemplate(template, rendering, { taxonomy: context.taxonomy, guidelines: context.guidelines, examples: examplesText(examples, rendering.tag, prompting, context.reasoning) });
  };
  const whole = fill();
  const tokensOf = ({ system, user }: { system: string; user: string }): number => estimateTokens(system) + estimateTokens(user);
  const window = monitor.config.params?.context_tokens;
  const answer = monitor.config.params?.max_tokens ?? 0;
  const tokens = tokensOf(whole);
  if (typeof window !== "number" || (tokens + answer <= window && scale === 1)) return { calls: [callFor(whole)] };
  const first = requestEnd(trajectory);
  // A margin for the headings that say which steps a segment shows.
  const base = tokensOf(fill({ from: first, to: first })) + 40;
  const budget = Math.floor((window - (answer || assumedAnswer)) * scale) - base;
  if (budget <= 0 || first >= trajectory.steps.length) {
    return { problem: `about ${tokens} tokens of prompt${answer ? ` and ${answer} of answer` : ""} do not fit the ${window} of context_tokens; nothing was sent` };
  }
  const ranges = cutSteps(stepTokens(trajectory, context.reasoning), first, budget);
  if (typeof ranges === "number") {
    return { problem: `step ${trajectory.steps[ranges]?.index ?? ranges} alone does not fit the ${window} of context_tokens, and steps are not cut; nothing was sent` };
  }
  return { calls: ranges.map((range) => callFor(fill(range))), segments: ranges };
}

/** One request; what it is made of is all that decides the answer. */
export function callOf(monitor: Monitor, prompting: Prompting, { system, user }: { system: string; user: string }, schema = answerSchema(prompting)): ModelCall {
  const { config } = monitor;
  return {
    monitor: monitor.id, provider: config.provider ?? "openai-compatible", model: config.model ?? "", baseUrl: endpointOf(config) ?? "",
    apiKeyEnv: config.api_key_env, system, user, params: config.params ?? {}, schema,
  };
}
