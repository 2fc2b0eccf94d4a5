/** AgentRewardBench: cleaned runs of web agents, one file each: what the agent thought and did, and the pages that it saw. */
import { isObject, member, memberAt } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import { toolCallText, type Outcome, type Part, type ToolArgument, type Trajectory } from "../model";
import { defineFormat, type OpenedFile, type SourceDocument } from "../reader";
import { draftTrajectory } from "./drafts";
import { idOf, listOf, numberOf, objectOf, row, stringOf, textOf, titleFrom, wordOf } from "./fields";
import { parseBraces } from "./python-literal";
import { pairResults, StepList } from "./step-list";

export const agentRewardBench = defineFormat({
  id: "agent-reward-bench",
  title: "AgentRewardBench",
  version: 1,
  extensions: [".json"],
  keeps: "The goal, reasoning, actions as calls, pages (address, accessibility tree, error of the last action) as results, names of screenshots, rewards.",
  drops: "The prompt that each step repeats, boxes and properties of page elements, statistics.",
  sniff,
  open,
});

function sniff(document: SourceDocument): number {
  if (document.kind !== "json") return 0;
  const root = document.json().value;
  const steps = listOf(member(root, "steps")).slice(0, 5);
  return steps.length > 0 && steps.every((step) => isObject(step) && "action" in step && ("axtree" in step || "axtree_pruned" in step || "chat_messages" in step)) ? 0.96 : 0;
}

function open(document: SourceDocument): OpenedFile {
  const json = document.json();
  const root = objectOf(json.value) ?? {};
  return { heads: [{ title: titleFrom(stringOf(root["goal"])) }], warnings: [], load: () => load(json, root) };
}

function load(document: JsonDocument, root: JsonObject): Trajectory {
  const list = new StepList();
  const goal = wordOf(root["goal"]);
  if (goal !== undefined) list.add({ role: "user", parts: [{ kind: "text", text: goal }], places: [{ pointer: "/goal" }] });
  let prompts = 0;
  let calls: Part | undefined;
  listOf(root["steps"]).forEach((step, index) => {
    const place = { pointer: `/steps/${index}` };
    if (!isObject(step)) return list.warn("bad-record", `Step ${index} is no object and is left out.`, place);
    if (listOf(step["chat_messages"]).length > 0) prompts++;
    // What a step says of the page is what the action of the step before it led to.
    const page = pageText(step);
    const failed = wordOf(step["last_action_error"]) !== undefined;
    const extras = wordOf(step["screenshot_path"]) === undefined ? [] : [{ type: "screenshot", raw: JSON.stringify(step["screenshot_path"]) }];
    if (calls) list.add({ role: "tool", parts: [{ kind: "tool_result", text: page, ...(calls.toolName === undefined ? {} : { toolName: calls.toolName }), ...(failed ? { isError: true } : {}) }], extras, places: [place] });
    else if (page !== "" || extras.length > 0) list.add({ role: "user", parts: page === "" ? [] : [{ kind: "text", text: page }], extras, name: "browser", flags: ["meta"], places: [place] });
    calls = actionOf(step["action"]);
    const reasoning = wordOf(step["reasoning"]);
    const parts: Part[] = [...(reasoning === undefined ? [] : [{ kind: "reasoning" as const, text: reasoning }]), ...(calls ? [calls] : [])];
    if (parts.length > 0) list.add({ role: "assistant", parts, places: [place] });
  });
  const last = list.steps.at(-1);
  pairResults(list, (part) => last?.parts.includes(part) ?? false);
  if (prompts > 0) list.warn("prompts-left-out", `The prompt that ${prompts} steps repeat under chat_messages is left out.`);
  return draftTrajectory(list, {
    title: titleFrom(goal), task: goal, agent: wordOf(root["agent"]), model: wordOf(root["model"]), outcome: outcomeOf(document, root),
    metadata: ["benchmark", "experiment", "seed", "valid"].flatMap((key) => row(key, idOf(root[key]) ?? (typeof root[key] === "boolean" ? root[key] : undefined))),
  });
}

function pageText(step: JsonObject): string {
  const error = wordOf(step["last_action_error"]);
  const url = wordOf(step["url"]);
  return [...(error === undefined ? [] : [error]), ...(url === undefined ? [] : [url]), stringOf(step["axtree_pruned"]) ?? stringOf(step["axtree"]) ?? ""].filter((text) => text !== "").join("\n\n");
}

/** `click('a12')`: the function is the tool, its values are arguments by position or by name. Several lines are one text. */
function actionOf(action: Json | undefined): Part | undefined {
  const text = wordOf(action);
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  const found = trimmed.endsWith(")") ? /^([A-Za-z_]\w*)\(/.exec(trimmed) : null;
  const args = found && positional(trimmed.slice(found[0].length, -1));
  if (!found || !args) return { kind: "tool_call", text: `action: ${text}`, toolName: "action", args: [{ key: "action", text }] };
  return { kind: "tool_call", text: toolCallText(args), toolName: found[1], args };
}

const value = /\s*(?:([A-Za-z_]\w*)\s*=\s*)?('(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|[^,()'"]+)\s*(,|$)/y;

/** Longer ones are hardly calls, and would be slow to take apart. */
const longestAction = 20000;

function positional(text: string): ToolArgument[] | undefined {
  if (text.length > longestAction) return undefined;
  const args: ToolArgument[] = [];
  for (let at = 0; at < text.trimEnd().length; ) {
    value.lastIndex = at;
    const found = value.exec(text);
    const [, name, literal] = found ?? [];
    if (!found || literal === undefined) return undefined;
    const key = name ?? String(args.length + 1);
    const read = /^['"]/.test(literal) ? parseBraces(`{"": ${literal}}`, 0)?.args[0]?.text : undefined;
    args.push(read === undefined ? { key, raw: literal.trim() } : { key, text: read });
    at = value.lastIndex;
  }
  return args;
}

/** The reward says whether the task was done by the benchmark's own check, not whether the agent behaved. */
function outcomeOf(document: JsonDocument, root: JsonObject): Outcome | undefined {
  const info = root["summary_info"];
  if (!isObject(info)) return undefined;
  const reward = numberOf(info["cum_reward"]);
  const outcome: Outcome = { details: ["cum_reward", "n_steps", "terminated", "truncated"].flatMap((key) => row(key.replace(/_/g, " "), info[key] === null ? "" : textOf(document, info[key]))) };
  if (reward === 0 || reward === 1) outcome.success = reward === 1;
  const error = [wordOf(info["err_msg"]), wordOf(memberAt(info, "stack_trace"))].filter((text) => text !== undefined).join("\n");
  if (error !== "") outcome.error = error;
  return outcome;
}
