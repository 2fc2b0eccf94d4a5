/** The `llm` kind: a language model judges one trajectory, by verdict alone (`direct`) or with exact quotes (`evidence`), or the halves of a pair. */
import { contrastiveTemplate, runContrastive } from "./contrastive";
import { defineMonitorKind, invalidVerdict } from "./define";
import type { ModelAnswer, ModelProblem, Monitor, MonitorContext, Prompting, PromptPreview, Verdict } from "./define";
import { asksEditor, baseUrlProblem, endpointOf } from "./endpoint";
import { requestsOf, templateText } from "./llm-requests";
import { verdictOf } from "./llm-verdict";
import { parseTemplate, showsExamples } from "./prompt-template";
import { estimateTokens } from "./render";
import type { Trajectory } from "#core/trajectory/model";

export { costOf } from "./llm-verdict";
export { builtInPrompts } from "./llm-requests";

function promptingOf(monitor: Monitor, asked: Prompting | undefined): Prompting {
  return asked ?? monitor.config.prompting ?? "evidence";
}

const providers = ["openai-compatible", "anthropic", "google", "vscode-lm"];

function problem(monitor: Monitor): string | undefined {
  const { provider, model, examples } = monitor.config;
  if (provider !== undefined && !providers.includes(provider)) {
    return `provider "${provider}" is not available in this version; use ${providers.map((name) => `"${name}"`).join(", ")}`;
  }
  if (!model) return `no "model" is set; name one in tracemark.json`;
  const address = asksEditor(monitor) ? undefined : baseUrlProblem(endpointOf(monitor.config));
  if (address !== undefined) return address;
  if (asksEditor(monitor) && monitor.config.base_url !== undefined) return `"base_url" is set, and provider "vscode-lm" has no address: the editor asks the model; take it out`;
  // The halves of a pair are compared by a prompt of their own.
  if (promptingOf(monitor, undefined) === "contrastive") return undefined;
  const template = parseTemplate(templateText(monitor, promptingOf(monitor, undefined)));
  if ("problem" in template) return template.problem;
  return examples && !showsExamples(template) ? `"examples" are asked for, but the prompt template does not show them; add {{examples}} to it` : undefined;
}

/** Both messages as they would be sent first, and the tokens of all requests. Throws a plain `Error` where nothing can be asked. */
function preview(monitor: Monitor, trajectory: Trajectory, context: MonitorContext): PromptPreview {
  const requests = requestsOf(monitor, trajectory, context, promptingOf(monitor, context.prompting));
  if ("problem" in requests) throw new Error(requests.problem);
  const [first, ...others] = requests.calls;
  const tokens = requests.calls.reduce((sum, { system, user }) => sum + estimateTokens(system) + estimateTokens(user), 0);
  const further = others.map(({ system, user }) => ({ system, user }));
  return { system: first!.system, user: first!.user, tokens, requests: requests.calls.length, ...(first!.samples === undefined ? {} : { samples: first!.samples }), ...(further.length > 0 ? { further } : {}) };
}

/** A cut that the endpoint finds too long is made finer so often. */
const finerCuts = 2;

async function run(monitor: Monitor, trajectory: Trajectory, context: MonitorContext): Promise<Verdict> {
  const sentence = problem(monitor);
  if (sentence !== undefined) return invalidVerdict("configuration", sentence);
  if (!context.model) return invalidVerdict("configuration", "no model can be reached from here");
  const prompting = promptingOf(monitor, context.prompting);
  if (prompting === "contrastive") return invalidVerdict("configuration", "contrastive prompting judges the halves of a pair together");
  for (let finer = 0; ; finer++) {
    const requests = requestsOf(monitor, trajectory, context, prompting, 0.6 ** finer);
    if ("problem" in requests) return invalidVerdict("context_length", requests.problem);
    const replies: (ModelAnswer | ModelProblem)[] = [];
    for (const call of requests.calls) {
      const reply = await context.model.complete(call);
      replies.push(reply);
      if ("reason" in reply && ["context_length", "cancelled", "cap"].includes(reply.reason)) break;
    }
    const last = replies.at(-1)!;
    const tooLong = "reason" in last && last.reason === "context_length";
    if (tooLong && finer < finerCuts && monitor.config.params?.context_tokens !== undefined) continue;
    const verdict = verdictOf(monitor, trajectory, prompting, requests, replies);
    if (verdict.outcome !== "invalid") requests.calls.forEach((call, at) => keep(context, call, replies[at]!));
    return verdict;
  }
}

function keep(context: MonitorContext, call: Parameters<NonNullable<MonitorContext["model"]>["complete"]>[0], reply: ModelAnswer | ModelProblem): void {
  if (!("reason" in reply) && !reply.cached) context.model?.keep?.(call, reply);
}

export const llm = defineMonitorKind({
  kind: "llm",
  title: "Language model",
  needs: () => ({ model: true, program: false, network: true }),
  problem,
  prompting: promptingOf,
  promptText: (monitor, prompting) => (prompting === "contrastive" ? contrastiveTemplate : templateText(monitor, prompting)),
  preview,
  run,
  runPair: runContrastive,
});
