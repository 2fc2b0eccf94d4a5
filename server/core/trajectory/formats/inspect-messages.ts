/** Messages of an Inspect sample as steps. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import { toolCallText, type ExtraBlock, type Part, type Role } from "../model";
import { idOf, listOf, stringOf, textOf, wordOf } from "./fields";
import type { Attachments } from "./inspect-attachments";
import type { EventFacts } from "./inspect-events";
import type { Piece } from "./inspect-sample";
import { withError } from "./result-error";
import { type StepDraft, type StepList } from "./step-list";
import { assistantTextParts } from "./think-tags";
import { callPart } from "./tool-args";

interface ContentParts { parts: Part[]; extras: ExtraBlock[]; reasoningHidden: boolean; results: Part[] }

/** Adds the step of one message, and tool steps for tools that ran on the provider's side. */
export function addMessage(list: StepList, piece: Piece, attachments: Attachments, facts: EventFacts): void {
  const { value: message, document, place } = piece;
  if (!isObject(message)) {
    list.warn("bad-message", "A message is no object.", place);
    return;
  }
  const recorded = stringOf(message["role"]);
  const role: Role | undefined = recorded === "assistant" || recorded === "user" || recorded === "system" || recorded === "tool" ? recorded : undefined;
  if (!role) list.warn("unknown-role", `A message has the role ${(recorded ?? "(none)").slice(0, 40)}; it is shown as the user's.`, place);
  if (role === "tool") {
    addResult(list, message, piece, attachments, facts);
    return;
  }
  const read = readContent(message["content"], document, attachments, role === "assistant");
  const calls = role === "assistant" ? listOf(message["tool_calls"]).flatMap((call) => readCall(list, call, piece, attachments)) : [];
  const known = role === "assistant" ? facts.byMessage(message) : undefined;
  const draft: StepDraft = {
    role: role ?? "user", parts: [...read.parts, ...calls], extras: read.extras, reasoningHidden: read.reasoningHidden, places: [place],
    name: role ? undefined : recorded, model: wordOf(message["model"]), time: known?.time, tokens: known?.tokens,
  };
  list.add(draft);
  for (const result of read.results) list.add({ role: "tool", parts: [result], places: [place] });
}

function addResult(list: StepList, message: JsonObject, { document, place }: Piece, attachments: Attachments, facts: EventFacts): void {
  const read = readContent(message["content"], document, attachments, false);
  const callId = idOf(message["tool_call_id"]);
  const base: Part = { kind: "tool_result", text: "" };
  const toolName = wordOf(message["function"]);
  if (toolName) base.toolName = toolName;
  if (callId) base.callId = callId;
  const texts = read.parts.map((part) => part.text);
  const error = message["error"];
  const errorText = error === null || error === undefined ? "" : attachments.textOf(document, member(error, "message") ?? error);
  const results = (texts.length > 0 ? texts : [""]).map((text) => ({ ...base, text }));
  list.add({ role: "tool", parts: withError(results, errorText), extras: read.extras, time: facts.byCall(callId)?.time, places: [place] });
}

/** A call's arguments are an object; text that could not be parsed is kept as recorded. */
function readCall(list: StepList, call: Json, { document, place }: Piece, attachments: Attachments): Part[] {
  if (!isObject(call)) {
    list.warn("not-a-call", "A tool call is no object.", place);
    return [];
  }
  const part: Part = { kind: "tool_call", text: "" };
  const name = wordOf(call["function"]) ?? wordOf(member(call["function"], "name"));
  const callId = idOf(call["id"]);
  if (name) part.toolName = name;
  if (callId) part.callId = callId;
  const args = call["arguments"];
  if (isObject(args)) part.args = attachments.argumentsOf(document, args);
  else if (args === undefined || args === null) part.args = [];
  part.text = part.args ? toolCallText(part.args) : attachments.textOf(document, args);
  const problem = call["parse_error"];
  if (typeof problem === "string" && problem !== "") {
    list.warn("unparsed-arguments", `Step ${list.steps.length}: call of ${name ?? "a tool"}: ${attachments.resolve(problem).slice(0, 300)}`, place);
  }
  return [part];
}

function readContent(content: Json | undefined, document: JsonDocument, attachments: Attachments, isAssistant: boolean): ContentParts {
  const read: ContentParts = { parts: [], extras: [], reasoningHidden: false, results: [] };
  const addText = (recorded: string): void => {
    const text = attachments.resolve(recorded);
    if (isAssistant && !read.parts.some((part) => part.kind === "text")) read.parts.push(...assistantTextParts(text));
    else if (text !== "") read.parts.push({ kind: "text", text });
  };
  for (const item of Array.isArray(content) ? content : [content]) {
    if (typeof item === "string") addText(item);
    else if (isObject(item)) readItem(item, read, addText, document, attachments);
    else if (item !== null && item !== undefined) read.extras.push({ type: "unknown", raw: textOf(document, item) });
  }
  return read;
}

function readItem(item: JsonObject, read: ContentParts, addText: (text: string) => void, document: JsonDocument, attachments: Attachments): void {
  const type = stringOf(item["type"]);
  if ((type === "text" || type === undefined) && typeof item["text"] === "string") {
    addText(item["text"]);
    if (item["citations"] !== undefined && item["citations"] !== null) read.extras.push({ type: "citations", raw: attachments.resolveJson(textOf(document, item["citations"])) });
  } else if (type === "reasoning") readReasoning(item, read, attachments);
  else if (type === "tool_use") readHostedTool(item, read, document, attachments);
  else read.extras.push(extraOf(item, type ?? "unknown", document, attachments));
}

/** Redacted reasoning is opaque text; its summary, where there is one, is what can be read. */
function readReasoning(item: JsonObject, read: ContentParts, attachments: Attachments): void {
  const isRedacted = item["redacted"] === true;
  const summary = stringOf(item["summary"]) ?? "";
  const text = isRedacted ? summary : stringOf(item["reasoning"]) || summary;
  if (text) read.parts.push({ kind: "reasoning", text: attachments.resolve(text) });
  if (isRedacted || !text) read.reasoningHidden = true;
}

/** A tool that the provider ran: call and result in one part of the assistant's content. */
function readHostedTool(item: JsonObject, read: ContentParts, document: JsonDocument, attachments: Attachments): void {
  const id = idOf(item["id"]);
  const toolName = wordOf(item["name"]) ?? wordOf(item["tool_type"]);
  const shared = { ...(toolName ? { toolName } : {}), ...(id ? { callId: id } : {}) };
  const args = item["arguments"];
  if (isObject(args)) {
    const list = attachments.argumentsOf(document, args);
    read.parts.push({ kind: "tool_call", text: toolCallText(list), ...shared, args: list });
  } else read.parts.push(callPart(document, { name: toolName, id, args: typeof args === "string" ? attachments.resolve(args) : args }).part);
  if (item["result"] === undefined && item["error"] === undefined) return;
  const result: Part = { kind: "tool_result", text: attachments.textOf(document, item["result"] ?? undefined), ...shared };
  const error = item["error"] === null || item["error"] === undefined ? "" : attachments.textOf(document, item["error"]);
  read.results.push(...withError([result], error));
}

function extraOf(item: JsonObject, type: string, document: JsonDocument, attachments: Attachments): ExtraBlock {
  const extra: ExtraBlock = { type, raw: attachments.resolveJson(textOf(document, item)) };
  const source = stringOf(item[type]) ?? stringOf(item["image"]);
  const mediaType = source === undefined ? undefined : /^data:([\w.+-]+\/[\w.+-]+)/.exec(attachments.resolve(source).slice(0, 200))?.[1];
  if (mediaType) extra.mediaType = mediaType;
  return extra;
}
