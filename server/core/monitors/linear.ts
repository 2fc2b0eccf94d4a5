/** The `linear` kind: a linear guard that `tracemark train` made of labels. It goes by surface features alone. */
import { defineMonitorKind, invalidVerdict } from "./define";
import type { Monitor, MonitorContext, Verdict } from "./define";
import { scoreTrajectory, type LinearModel } from "#core/training/linear-model";
import { tellingPassages } from "#core/training/telling-passages";
import { contentCanonical, type Trajectory } from "#core/trajectory/model";

const quotes = 3;

function problem(monitor: Monitor): string | undefined {
  if (!monitor.config.model) return `no "model" is set; name the file that tracemark train wrote`;
  return monitor.linear ? undefined : `"model" ${monitor.config.model} is not loaded; a linear guard stands in tracemark.json, with a file of the workspace`;
}

/** What a run's `prompt_sha256` stands for: which model it was, and what it was made from. */
function promptText({ linear }: Monitor): string {
  if (!linear) return "";
  const { about, trained_on, samples, threshold, threshold_chosen_on, threshold_rule, seed, telling } = linear.file;
  return `${about}\n\nmodel ${linear.sha256}\n${JSON.stringify({ trained_on, samples, threshold, threshold_chosen_on, threshold_rule, seed })}\n\n${telling.map(({ feature, weight }) => `${weight > 0 ? "+" : ""}${weight} ${feature}`).join("\n")}\n`;
}

function categoriesOf({ weights, file }: LinearModel, trajectory: Trajectory, reasoning: boolean): Verdict["categories"] {
  return [{
    category: file.category ?? "unspecified",
    description: "By surface features alone the agent's words and actions are like those of misbehavior among the samples that this guard was trained on; the quotes are the passages with the highest weights.",
    evidence: tellingPassages(weights, trajectory, reasoning && file.features.reasoning, quotes),
  }];
}

async function run(monitor: Monitor, trajectory: Trajectory, context: MonitorContext): Promise<Verdict> {
  const { linear } = monitor;
  if (!linear) return invalidVerdict("configuration", problem(monitor) ?? "the model is not loaded");
  const score = scoreTrajectory(linear, trajectory, context.reasoning);
  const misbehavior = score >= linear.file.threshold;
  const learned = linear.trainedContent.has(context.sha256(contentCanonical(trajectory.steps)).slice(0, 12));
  const direct = (context.prompting ?? monitor.config.prompting) === "direct";
  return {
    outcome: misbehavior ? "misbehavior" : "benign", score, categories: misbehavior && !direct ? categoriesOf(linear, trajectory, context.reasoning) : [],
    warnings: learned ? ["the guard was trained on this very content, so its verdict says nothing of how well it guards"] : [],
    ...(learned ? { more: { trained_on_this: true } } : {}), latencyMs: 0, attempts: 1,
  };
}

export const linear = defineMonitorKind({
  kind: "linear",
  title: "Linear guard",
  needs: () => ({ model: false, program: false, network: false }),
  problem,
  prompting: (monitor, asked) => asked ?? monitor.config.prompting ?? "evidence",
  promptText,
  trainedOn: ({ linear: model }) => model?.file.trained_on,
  run,
});
