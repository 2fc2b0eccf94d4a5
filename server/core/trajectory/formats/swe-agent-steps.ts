/** SWE-agent's two lists as steps: `history` (what was said) where it is complete, else `trajectory` (what was done). */
import { isObject, pointerTo } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import { toolCallText, type Part, type Place, type Step } from "../model";
import { addMessages, readAssistant, type MessageList } from "./chat-messages";
import { readContent } from "./chat-content";
import { listOf, numberOf, stringOf, wordOf } from "./fields";
import { addFlag, type StepList } from "./step-list";
import { stepText } from "./step-text";
import { assistantTextParts } from "./think-tags";
import { namedText } from "./tool-args";

/** The recorded file, opened: its root object and the document for numbers and order. */
export interface SweAgentFile {
  readonly document: JsonDocument;
  readonly root: JsonObject;
}

/** Appends all steps. Where both lists are there, nothing is shown twice. */
export function addSteps(list: StepList, file: SweAgentFile): void {
  const entries = listOf(file.root["trajectory"]);
  const history = listOf(file.root["history"]);
  const said = history.filter((message) => isObject(message) && message["role"] === "assistant" && !isDemonstration(message)).length;
  if (said > 0 && said >= entries.length) {
    addHistory(list, file.document, history, "/history");
    addLastObservation(list, entries);
    return;
  }
  const before = leading(history);
  if (before.length > 0) addHistory(list, file.document, before, "/history");
  else addFirstPrompt(list, file.document, entries);
  if (history.length > 0 && entries.length > 0) list.warn("incomplete-history", "The history holds fewer replies than the trajectory; the steps are taken from the trajectory.");
  entries.forEach((entry, i) => addEntry(list, entry, { pointer: `/trajectory/${i}` }));
}

/** The messages in front of the first reply that is no demonstration. */
function leading(history: readonly Json[]): Json[] {
  const first = history.findIndex((message) => isObject(message) && message["role"] === "assistant" && !isDemonstration(message));
  return first < 0 ? [...history] : history.slice(0, first);
}

function isDemonstration(message: JsonObject): boolean {
  return message["is_demo"] === true || message["message_type"] === "demonstration";
}

/** The prompt of the first step, where the file has no history: its `query`, or `messages` up to the reply. */
function addFirstPrompt(list: StepList, document: JsonDocument, entries: readonly Json[]): void {
  const first = isObject(entries[0]) ? entries[0] : undefined;
  const key = first && (Array.isArray(first["query"]) ? "query" : Array.isArray(first["messages"]) ? "messages" : undefined);
  if (!first || !key) return;
  addHistory(list, document, leading(listOf(first[key])), pointerTo("/trajectory/0", key));
}

/** Messages of a history. Without calls by id, a user message behind a command is that command's output. */
function addHistory(list: StepList, document: JsonDocument, history: readonly Json[], pointer: string): void {
  const source: MessageList = { document, messages: history, place: (i) => ({ pointer: `${pointer}/${i}` }) };
  let awaited: Step | undefined;
  history.forEach((message, i) => {
    const place = source.place(i);
    if (!isObject(message)) return addMessages(list, { ...source, messages: [message], place: () => place });
    const demo = isDemonstration(message);
    let step: Step;
    if (message["role"] === "assistant" && !demo) {
      step = addReply(list, document, message, place);
      awaited = step.parts.some((part) => part.kind === "tool_call" && part.callId === undefined) ? step : undefined;
    } else if (message["role"] === "user" && awaited && !demo) {
      const read = readContent(document, message["content"], { result: {} });
      step = list.add({ role: "tool", parts: read.parts, extras: read.extras, places: [place] });
      awaited = undefined;
    } else {
      const replied = list.steps.at(-1)?.role === "assistant" && message["role"] === "user" && !demo;
      addMessages(list, { ...source, messages: [message], place: () => place });
      step = list.steps.at(-1)!;
      // The program's own words to a reply that held no command.
      if (replied) addFlag(step, "meta");
    }
    if (demo || (step.role === "user" && /^\s*Here is a demonstration of how to/.test(stepText(step) ?? ""))) addFlag(step, "demonstration");
    const agent = wordOf(message["agent"]);
    if (agent !== undefined && agent !== "primary" && agent !== "main") step.name ??= agent;
  });
}

function addReply(list: StepList, document: JsonDocument, message: JsonObject, place: Place): Step {
  const action = stringOf(message["action"]) ?? "";
  const byName = listOf(message["tool_calls"]).length > 0;
  const read = readAssistant(document, message);
  for (const problem of read.problems) list.warn(problem.code, `${place.pointer}: ${problem.message}.`, place);
  if (byName || action.trim() === "") return list.add({ role: "assistant", ...read, places: [place] });
  const text = spoken(stringOf(message["content"]), stringOf(message["thought"]), action);
  const parts = text === undefined ? read.parts : [...read.parts.filter((part) => part.kind !== "text"), ...(text.trim() === "" ? [] : assistantTextParts(text))];
  return list.add({ role: "assistant", ...read, parts: [...parts, commandPart(action)], places: [place] });
}

/**
 * The thought alone where the reply is nothing but thought and command (in fences or tags), so that the command is not
 * shown twice; undefined where the reply says more, which then is kept whole.
 */
function spoken(content: string | undefined, thought: string | undefined, action: string): string | undefined {
  if (thought === undefined) return undefined;
  if (content === undefined) return thought;
  const command = content.lastIndexOf(action.trim());
  if (!content.startsWith(thought.trimEnd()) || command < thought.trimEnd().length) return undefined;
  const around = content.slice(thought.trimEnd().length, command) + content.slice(command + action.trim().length);
  return /^(\s|`{3}\w*|<\/?[\w-]+>)*$/.test(around) ? thought : undefined;
}

/** A command as a call: its first word is the name, the whole of it the argument. */
function commandPart(action: string): Part {
  const args = namedText("command", action);
  return { kind: "tool_call", toolName: /^[\s(]*([\w./-]+)/.exec(action)?.[1] ?? "command", text: toolCallText(args), args };
}

/** A history may end before the last observation; the trajectory has it. */
function addLastObservation(list: StepList, entries: readonly Json[]): void {
  const last = list.steps.at(-1);
  const entry = entries.at(-1);
  if (!isObject(entry) || last?.role !== "assistant" || !last.parts.some((part) => part.kind === "tool_call")) return;
  const observation = stringOf(entry["observation"]);
  if (observation === undefined) return;
  const callId = last.parts.find((part) => part.kind === "tool_call")?.callId;
  list.add({ role: "tool", parts: [{ kind: "tool_result", text: observation, ...(callId ? { callId } : {}) }], places: [{ pointer: `/trajectory/${entries.length - 1}/observation` }] });
}

function addEntry(list: StepList, entry: Json, place: Place): void {
  if (!isObject(entry)) return list.warn("bad-record", `${place.pointer} is no object and gives no step.`, place);
  const action = stringOf(entry["action"]) ?? "";
  const response = stringOf(entry["response"]);
  const text = spoken(response, stringOf(entry["thought"]), action) ?? response ?? stringOf(entry["thought"]) ?? "";
  const parts = text.trim() === "" ? [] : assistantTextParts(text);
  if (action.trim() !== "") parts.push(commandPart(action));
  list.add({ role: "assistant", parts, places: [place] });
  const observation = stringOf(entry["observation"]);
  if (observation === undefined || (action.trim() === "" && observation === "")) return;
  list.add({ role: "tool", parts: [{ kind: "tool_result", text: observation }], places: [{ pointer: `${place.pointer}/observation` }] });
}

/** Rows for the totals a run keeps. */
export function modelStats(info: JsonObject | undefined): { name: string; value: string }[] {
  const stats = isObject(info?.["model_stats"]) ? info["model_stats"] : {};
  const names: Record<string, string> = { instance_cost: "cost (USD)", tokens_sent: "tokens sent", tokens_received: "tokens received", api_calls: "model calls" };
  return Object.entries(names).flatMap(([key, name]) => {
    const value = numberOf(stats[key]);
    return value === undefined ? [] : [{ name, value: String(value) }];
  });
}
