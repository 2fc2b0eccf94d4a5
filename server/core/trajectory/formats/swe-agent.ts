/** SWE-agent trajectories (.traj), 0.x and 1.x, demonstrations with a history only among them. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import { parseJson } from "#core/json/text-document";
import type { Outcome, Trajectory } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument } from "../reader";
import { draftTrajectory } from "./drafts";
import { listOf, row, stringOf, wordOf } from "./fields";
import { issueTitle } from "./issue-title";
import { pairResults, StepList } from "./step-list";
import { stepText } from "./step-text";
import { addSteps, modelStats } from "./swe-agent-steps";

export const sweAgent = defineFormat({
  id: "swe-agent",
  title: "SWE-agent",
  version: 1,
  extensions: [".traj"],
  keeps: "Prompts, demonstrations (flagged), thoughts, commands or tool calls, observations, exit status, submission, totals.",
  drops: "The whole prompt that 1.x repeats in every step; working directory and open file of each step.",
  sniff,
  open,
});

function sniff(document: SourceDocument): number {
  if (document.kind !== "json") return 0;
  const root = document.json().value;
  const entries = listOf(member(root, "trajectory"));
  if (entries.slice(0, 5).some((entry) => isObject(entry) && "action" in entry && "observation" in entry)) return 0.95;
  const history = listOf(member(root, "history")).filter((message) => typeof member(message, "role") === "string");
  if (history.length === 0) return 0;
  const own = history.slice(0, 20).some((message) => isObject(message) && ("message_type" in message || "thought" in message || ("agent" in message && "action" in message)));
  return own ? 0.9 : member(root, "info") !== undefined || member(root, "environment") !== undefined ? 0.8 : 0.5;
}

function open(document: SourceDocument): OpenedFile {
  const json = document.json();
  const root = json.value;
  if (!isObject(root)) return { heads: [], warnings: [], load: () => draftTrajectory(new StepList()) };
  return { heads: [{}], warnings: [], load: () => load(json, root) };
}

function load(document: ReturnType<SourceDocument["json"]>, root: JsonObject): Trajectory {
  const list = new StepList();
  addSteps(list, { document, root });
  pairResults(list);
  const task = stepText(list.steps.find((step) => step.role === "user" && !step.flags?.includes("demonstration")));
  const info = isObject(root["info"]) ? root["info"] : undefined;
  const config = replayConfig(root["replay_config"]);
  return draftTrajectory(list, {
    title: issueTitle(task), task, agent: "SWE-agent", model: modelName(config), outcome: outcomeOf(info),
    metadata: [...row("environment", wordOf(root["environment"])), ...row("instance", instanceOf(config)), ...modelStats(info)],
  });
}

function outcomeOf(info: JsonObject | undefined): Outcome | undefined {
  const status = wordOf(info?.["exit_status"]);
  const submission = stringOf(info?.["submission"]);
  if (status === undefined && submission === undefined) return undefined;
  return { ...(status === undefined ? {} : { status }), ...(submission === undefined ? {} : { submission }) };
}

/** 1.x records its configuration as an object, or as JSON in a string. */
function replayConfig(value: Json | undefined): Json | undefined {
  return typeof value === "string" ? parseJson(value).document?.value : value;
}

function modelName(config: Json | undefined): string | undefined {
  const agent = member(config, "agent");
  return wordOf(member(member(agent, "model"), "name")) ?? wordOf(member(member(agent, "model"), "model_name"));
}

function instanceOf(config: Json | undefined): string | undefined {
  return wordOf(member(member(config, "problem_statement"), "id")) ?? wordOf(member(member(config, "environment"), "data_path"));
}
