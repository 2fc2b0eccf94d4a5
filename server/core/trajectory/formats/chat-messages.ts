/** Chat messages, in OpenAI's shape and its dialects, as steps: one message one step, reasoning, text and calls in order. */
import { isObject, nameTable } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Part, Place, Role, Step } from "../model";
import { readContent, type ContentRead } from "./chat-content";
import { booleanOf, idOf, listOf, stringOf, textOf, timeOf, wordOf } from "./fields";
import { addFlag, type StepList } from "./step-list";
import { roleOf } from "./talk-list";
import { withError } from "./result-error";
import { callPart } from "./tool-args";

/** Messages of one document, and where each of them stands. */
export interface MessageList {
  readonly document: JsonDocument;
  readonly messages: readonly Json[];
  place(index: number): Place;
}

export interface ChatOptions {
  /** Sees each message with the step made from it; may change the step. */
  readonly onStep?: (message: JsonObject, step: Step, index: number) => void;
  /** Answers true for messages that give no step. */
  readonly skip?: (message: JsonObject, index: number) => boolean;
}

/** Appends one step for each message. A message that is no object is kept as a raw block and reported. */
export function addMessages(list: StepList, source: MessageList, options: ChatOptions = {}): void {
  source.messages.forEach((message, index) => {
    if (!isObject(message)) {
      if (message === null) return;
      const place = source.place(index);
      list.add({ role: "system", parts: [], extras: [{ type: "message", raw: textOf(source.document, message) }], places: [place] });
      list.warn("bad-message", `Message ${index} is no object and is shown as recorded.`, place);
    } else if (!options.skip?.(message, index)) {
      const step = addMessage(list, source, message, index);
      options.onStep?.(message, step, index);
    }
  });
}

const chatRoles = nameTable<Role>({ system: "system", developer: "system", user: "user", assistant: "assistant", tool: "tool", function: "tool" });

function addMessage(list: StepList, source: MessageList, message: JsonObject, index: number): Step {
  const place = source.place(index);
  const named = wordOf(message["role"]);
  const role = (named && (chatRoles[named] ?? roleOf(named))) || undefined;
  if (!role) list.warn("unknown-role", `Message ${index} has ${named ? `the role ${named}` : "no role"}; it is shown as system.`, place);
  const read = role === "assistant" ? readAssistant(source.document, message) : role === "tool" ? readResult(source.document, message) : readContent(source.document, message["content"]);
  // In some benchmarks the simulated user has tools of its own.
  if (role !== "assistant") addCalls(source.document, message, read);
  for (const problem of read.problems) list.warn(problem.code, `Message ${index}: ${problem.message}.`, place);
  const step = list.add({
    role: role ?? "system", parts: read.parts, extras: read.extras, reasoningHidden: read.reasoningHidden, places: [place],
    name: (role === "tool" ? undefined : wordOf(message["name"])) ?? (named && !Object.hasOwn(chatRoles, named) ? named : undefined),
    time: timeOf(message["timestamp"] ?? message["created_at"]),
  });
  if (role === "user" && step.parts.some((part) => part.kind === "tool_call")) addFlag(step, "user_tool");
  if (booleanOf(message["is_demo"])) addFlag(step, "demonstration");
  return step;
}

function readResult(document: JsonDocument, message: JsonObject): ContentRead {
  const callId = idOf(message["tool_call_id"]) ?? idOf(listOf(message["tool_call_ids"])[0]);
  const read = readContent(document, message["content"], { result: { callId, toolName: wordOf(message["name"]) } });
  const error = message["error"];
  const failed = booleanOf(message["is_error"]) === true || (error !== undefined && error !== null && error !== false && error !== "");
  const said = stringOf(error) ?? (isObject(error) ? stringOf(error["message"]) ?? "" : "");
  return failed ? { ...read, parts: withError(read.parts, said).map((part) => ({ ...part, isError: true })) } : read;
}

/** Reasoning beside the content, the content, refusal and spoken words, then the calls. */
export function readAssistant(document: JsonDocument, message: JsonObject): ContentRead {
  const content = readContent(document, message["content"], { thinking: true });
  const beside = besideReasoning(message);
  const parts: Part[] = [...beside.parts.filter((part) => !content.parts.some((own) => own.kind === "reasoning" && own.text === part.text)), ...content.parts];
  const read: ContentRead = { parts, extras: content.extras, problems: content.problems, reasoningHidden: content.reasoningHidden || (beside.hidden && !parts.some((part) => part.kind === "reasoning")) };
  const refusal = wordOf(message["refusal"]);
  if (refusal !== undefined) {
    parts.push({ kind: "text", text: refusal });
    read.problems.push({ code: "refusal", message: "the model refused; its words are recorded as a refusal" });
  }
  const audio = message["audio"];
  if (isObject(audio)) {
    const transcript = wordOf(audio["transcript"]);
    if (transcript !== undefined) parts.push({ kind: "text", text: transcript });
    read.extras.push({ type: "audio", raw: textOf(document, audio) });
  }
  addCalls(document, message, read);
  return read;
}

function addCalls(document: JsonDocument, message: JsonObject, read: ContentRead): void {
  const recorded = message["tool_calls"];
  for (const call of Array.isArray(recorded) ? recorded : recorded === undefined || recorded === null ? [] : [recorded]) addCall(document, call, read);
  if (isObject(message["function_call"])) addCall(document, message["function_call"], read);
}

function addCall(document: JsonDocument, call: Json, read: ContentRead): void {
  if (!isObject(call)) {
    if (call !== null) read.extras.push({ type: "tool_call", raw: textOf(document, call) });
    return;
  }
  const custom = call["custom"];
  const inner = isObject(custom) ? custom : isObject(call["function"]) ? call["function"] : call;
  const name = wordOf(inner["name"]) ?? wordOf(call["function"]) ?? wordOf(call["name"]);
  const id = idOf(call["id"]) ?? idOf(call["tool_call_id"]);
  const free = isObject(custom) ? stringOf(custom["input"]) : undefined;
  if (free !== undefined) {
    read.parts.push({ kind: "tool_call", text: free, ...(name ? { toolName: name } : {}), ...(id ? { callId: id } : {}) });
    return;
  }
  const made = callPart(document, { name, id, args: inner["arguments"] ?? inner["args"] ?? inner["input"] ?? call["arguments"] });
  read.parts.push(made.part);
  if (made.problem) read.problems.push({ code: "unparsed-arguments", message: `call of ${name ?? "a tool"}: ${made.problem}` });
}

/** Reasoning in members of the message. The same words under two names count once. */
function besideReasoning(message: JsonObject): { parts: Part[]; hidden: boolean } {
  const texts: string[] = [];
  const add = (text: string | undefined) => {
    if (text && !texts.includes(text)) texts.push(text);
  };
  add(stringOf(message["reasoning_content"]));
  add(stringOf(message["reasoning"]));
  add(stringOf(message["thinking"]));
  let hidden = false;
  const details = [...listOf(message["reasoning_details"]), ...listOf(message["thinking_blocks"])];
  const found: string[] = [];
  for (const detail of details) {
    if (!isObject(detail)) continue;
    const text = stringOf(detail["text"]) ?? stringOf(detail["thinking"]) ?? stringOf(detail["summary"]);
    if (text) found.push(text);
    else if (detail["data"] !== undefined || /encrypted|redacted/.test(stringOf(detail["type"]) ?? "")) hidden = true;
  }
  // Details repeat the plain member, whole or in pieces.
  if (texts.length === 0 || !texts.some((text) => text.trim() === found.join("").trim() || text.trim() === found.join("\n").trim())) {
    for (const text of found) if (!texts.some((known) => known.includes(text.trim()))) texts.push(text);
  }
  return { parts: texts.map((text) => ({ kind: "reasoning", text })), hidden };
}
