/** mini-swe-agent trajectories (.traj.json), versions 1 and 2, and bare lists of their messages. */
import { isObject, member, memberAt } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import { toolCallText, type Outcome, type Part, type Step, type Trajectory } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument } from "../reader";
import { addMessages } from "./chat-messages";
import { isMessageList } from "./chat-talks";
import { chatTokens } from "./chat-usage";
import { draftTrajectory } from "./drafts";
import { idOf, listOf, numberOf, row, stringOf, timeOf, wordOf } from "./fields";
import { issueTitle } from "./issue-title";
import { addFlag, pairResults, StepList } from "./step-list";
import { modelStats } from "./swe-agent-steps";
import { stepText } from "./step-text";
import { namedText } from "./tool-args";

export const miniSweAgent = defineFormat({
  id: "mini-swe-agent",
  title: "mini-swe-agent",
  version: 1,
  extensions: [".traj.json"],
  keeps: "Messages, commands as calls, outputs as results, reasoning, tokens, cost, times, exit status, submission.",
  drops: "The whole reply that version 2 repeats beside each message; the configuration but for model and versions.",
  sniff,
  open,
});

const submitWord = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT";

function sniff(document: SourceDocument): number {
  if (document.kind !== "json") return 0;
  const root = document.json().value;
  if (stringOf(member(root, "trajectory_format"))?.startsWith("mini-swe-agent") && Array.isArray(member(root, "messages"))) return 0.98;
  if (isObject(root)) return isMessageList(root["messages"]) && memberAt(root, "info", "mini_version") !== undefined ? 0.95 : 0;
  if (!isMessageList(root)) return 0;
  // A bare list tells itself apart by the word with which its agent has to finish.
  const prompts = root.slice(0, 3).filter((message) => member(message, "role") !== "assistant");
  return prompts.some((message) => contentText(member(message, "content")).includes(submitWord)) ? 0.85 : 0;
}

function contentText(content: Json | undefined): string {
  return typeof content === "string" ? content : listOf(content).map((block) => stringOf(member(block, "text")) ?? "").join("\n");
}

function open(document: SourceDocument): OpenedFile {
  const json = document.json();
  return { heads: [{}], warnings: [], load: () => load(json) };
}

function load(document: JsonDocument): Trajectory {
  const root = document.value;
  const list = new StepList();
  const isBare = Array.isArray(root);
  const messages = isBare ? root : listOf(member(root, "messages"));
  const byId = messages.some((message) => member(message, "role") === "tool" || listOf(member(message, "tool_calls")).length > 0);
  let exit: JsonObject | undefined;
  let users = 0;
  addMessages(list, { document, messages, place: (i) => ({ pointer: isBare ? `/${i}` : `/messages/${i}` }) }, {
    skip: (message) => {
      if (message["role"] !== "exit") return false;
      exit = message;
      return true;
    },
    onStep: (message, step) => {
      addFacts(step, message);
      if (step.role === "assistant" && !byId) addCommands(step, message);
      if (step.role === "user" && users++ > 0 && !byId) turnIntoResult(step, list.steps[step.index - 1]);
    },
  });
  // The last call is answered by the end of the run.
  pairResults(list, (part) => (exit !== undefined || part.text.includes(submitWord)) && (list.steps.at(-1)?.parts.includes(part) ?? false));
  const task = stepText(list.steps.find((step) => step.role === "user"));
  const info = isObject(root) && isObject(root["info"]) ? root["info"] : undefined;
  const model = wordOf(memberAt(info, "config", "model", "model_name")) ?? list.steps.find((step) => step.model)?.model;
  return draftTrajectory(list, {
    title: issueTitle(task), task, model, agent: "mini-swe-agent", outcome: outcomeOf(info, exit),
    metadata: [
      ...row("instance", idOf(member(root, "instance_id"))), ...row("version", wordOf(info?.["mini_version"])), ...row("format", wordOf(member(root, "trajectory_format"))),
      ...modelStats(info),
    ],
  });
}

/** Time, cost, model and tokens, which stand under `extra`. */
function addFacts(step: Step, message: JsonObject): void {
  const extra = message["extra"];
  if (!isObject(extra)) return;
  const response = extra["response"];
  const time = timeOf(extra["timestamp"]) ?? timeOf(member(response, "created"));
  const tokens = chatTokens(member(response, "usage"));
  const cost = numberOf(extra["cost"]);
  const model = wordOf(member(response, "model"));
  if (time !== undefined) step.time = time;
  if (tokens) step.tokens = tokens;
  if (cost !== undefined) step.costUsd = cost;
  if (model !== undefined) step.model = model;
  if (stringOf(extra["exception_info"])) for (const part of step.parts) if (part.kind === "tool_result") part.isError = true;
}

const fence = /```(?:bash|sh|mswea_bash_command)[ \t]*\r?\n([\s\S]*?)\r?\n?```/g;

/** Commands of a text reply: as noted under `extra`, else the one fenced block. The text stays whole. */
function addCommands(step: Step, message: JsonObject): void {
  const noted = listOf(memberAt(message, "extra", "actions")).flatMap((action) => {
    const command = stringOf(member(action, "command"));
    return command === undefined ? [] : [command];
  });
  const text = stepText(step) ?? "";
  const blocks = [...text.matchAll(fence)].map((found) => found[1]!);
  for (const command of noted.length > 0 ? noted : blocks.length === 1 ? blocks : []) {
    const args = namedText("command", command);
    step.parts.push({ kind: "tool_call", toolName: "bash", text: toolCallText(args), args });
  }
}

/** A user message behind a command is its output; behind a reply without one it is the program's complaint. */
function turnIntoResult(step: Step, before: Step | undefined): void {
  if (before?.role !== "assistant") return;
  if (!before.parts.some((part) => part.kind === "tool_call")) return addFlag(step, "meta");
  step.role = "tool";
  const texts = step.parts.filter((part) => part.kind === "text");
  const results: Part[] = (texts.length > 0 ? texts : [{ text: "" }]).map(({ text }) => ({ kind: "tool_result", text }));
  step.parts = results;
}

function outcomeOf(info: JsonObject | undefined, exit: JsonObject | undefined): Outcome | undefined {
  const extra = isObject(exit?.["extra"]) ? exit["extra"] : undefined;
  const status = wordOf(info?.["exit_status"]) ?? wordOf(extra?.["exit_status"]);
  const submission = wordOf(info?.["submission"]) ?? wordOf(extra?.["submission"]);
  const error = wordOf(info?.["exception_str"]) ?? wordOf(extra?.["exception_str"]) ?? (exit && submission === undefined ? wordOf(exit["content"]) : undefined);
  const outcome: Outcome = { ...(status ? { status } : {}), ...(submission ? { submission } : {}), ...(error ? { error } : {}) };
  return Object.keys(outcome).length > 0 ? outcome : undefined;
}
