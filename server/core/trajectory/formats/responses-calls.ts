/** Calls of the Responses API and what they gave back: one shape for functions, custom tools, and tools that the provider runs. */
import { isObject, member, memberAt } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { ExtraBlock, Part } from "../model";
import { readContent } from "./chat-content";
import { idOf, listOf, numberOf, stringOf, textOf, wordOf } from "./fields";
import { withError } from "./result-error";
import { callPart, type CallRead } from "./tool-args";

/** Types of items that are calls, by the name that a tool goes by where the item itself says none. */
export function isCallType(type: string): boolean {
  return type.endsWith("_call") || type === "mcp_approval_request";
}

/** Types of items that are results of calls. */
export function isOutputType(type: string): boolean {
  return type.endsWith("_call_output") || type === "tool_search_output";
}

/** True for calls that are answered by another item; all others run on the provider's side and carry what they gave, if anything. */
export function awaitsOutput(type: string): boolean {
  return ["function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call"].includes(type);
}

/** The id that results refer to: `call_id`, else the item's own. */
export function callIdOf(item: JsonObject): string | undefined {
  return idOf(item["call_id"]) ?? idOf(item["id"]);
}

/** The call of an item. A custom tool's input is free text; hosted tools have their arguments under names of their own. */
export function itemCall(document: JsonDocument, type: string, item: JsonObject): CallRead {
  const id = callIdOf(item);
  const name = wordOf(item["name"]) ?? type.replace(/_call$/, "");
  if (type === "custom_tool_call" && typeof item["input"] === "string") return { part: { kind: "tool_call", text: item["input"], toolName: name, ...(id === undefined ? {} : { callId: id }) } };
  return callPart(document, { name, id, args: argumentsOf(type, item) });
}

const notArguments = new Set(["id", "type", "status", "call_id", "name", "output", "outputs", "results", "result", "error", "server_label", "approval_request_id", "pending_safety_checks", "created_by"]);

function argumentsOf(type: string, item: JsonObject): Json {
  const given = item["arguments"] ?? item["operation"];
  if (given !== undefined) return given;
  const action = item["action"];
  // What a search found stands inside the action that asked for it.
  if (isObject(action)) return type === "web_search_call" ? without(action, "sources") : action;
  return Object.fromEntries(Object.entries(item).filter(([key]) => !notArguments.has(key)));
}

function without(object: JsonObject, key: string): JsonObject {
  if (!(key in object)) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

/** Parts and blocks of a result's step. */
export interface ItemResult { readonly parts: Part[]; readonly extras: ExtraBlock[] }

/** What a hosted call carries as its own result; undefined where nothing is recorded. */
export function hostedResult(document: JsonDocument, type: string, item: JsonObject): ItemResult | undefined {
  const about = { callId: callIdOf(item), toolName: wordOf(item["name"]) ?? type.replace(/_call$/, "") };
  const found = item["output"] ?? item["outputs"] ?? item["results"] ?? (type === "web_search_call" ? memberAt(item, "action", "sources") : undefined);
  const error = item["error"];
  const failure = error === undefined || error === null ? "" : (stringOf(error) ?? stringOf(member(error, "message")) ?? textOf(document, error));
  if (type === "image_generation_call" && typeof item["result"] === "string") {
    return { parts: [result("", about)], extras: [{ type: "image", raw: textOf(document, item), mediaType: "image/png" }] };
  }
  if (found === undefined || found === null) return failure === "" ? undefined : { parts: withError([result("", about)], failure), extras: [] };
  // Pages that a search came from are one list.
  const read = type === "web_search_call" && Array.isArray(found) ? { parts: [result(found.map((item) => pieceText(item) ?? textOf(document, item)).join("\n"), about)], extras: [] } : resultOf(document, found, about);
  return failure === "" ? read : { ...read, parts: withError(read.parts, failure) };
}

/** The result in an item of its own. `callId` is the id of the call that it answers. */
export function outputResult(document: JsonDocument, type: string, item: JsonObject, callId: string | undefined): ItemResult {
  const about = { callId, toolName: wordOf(item["name"]) };
  const read = resultOf(document, item["output"] ?? item["tools"] ?? null, about);
  const failed = item["status"] === "failed" || item["status"] === "incomplete" || (type === "shell_call_output" && listOf(item["output"]).some(hasFailed));
  return failed ? { ...read, parts: read.parts.map((part) => ({ ...part, isError: true })) } : read;
}

function hasFailed(piece: Json): boolean {
  const outcome = member(piece, "outcome");
  return member(outcome, "type") === "timeout" || (numberOf(member(outcome, "exit_code")) ?? 0) !== 0;
}

interface About { readonly callId: string | undefined; readonly toolName: string | undefined }

function result(text: string, about: About): Part {
  return { kind: "tool_result", text, ...(about.callId === undefined ? {} : { callId: about.callId }), ...(about.toolName === undefined ? {} : { toolName: about.toolName }) };
}

/** Text as recorded; of a list the text of each item, items without any as blocks or as their JSON. */
function resultOf(document: JsonDocument, output: Json, about: About): ItemResult {
  if (output === null || typeof output === "string") return { parts: [result(output ?? "", about)], extras: [] };
  if (!Array.isArray(output)) {
    const picture = isObject(output) && /screenshot|image/.test(stringOf(output["type"]) ?? "");
    return picture ? readContent(document, output, { result: about }) : { parts: [result(textOf(document, output), about)], extras: [] };
  }
  const parts: Part[] = [];
  const extras: ExtraBlock[] = [];
  for (const item of output) {
    const text = pieceText(item);
    if (text !== undefined) parts.push(result(text, about));
    else if (isObject(item) && /image|file|screenshot/.test(stringOf(item["type"]) ?? "")) extras.push(...readContent(document, item).extras);
    else parts.push(result(textOf(document, item), about));
  }
  return { parts: parts.length > 0 ? parts : [result("", about)], extras };
}

/** The words of one piece of a result: text, logs, what a command wrote, or the address of a page that was found. */
function pieceText(item: Json): string | undefined {
  if (typeof item === "string") return item;
  if (!isObject(item)) return undefined;
  const written = ["stdout", "stderr"].flatMap((key) => wordOf(item[key]) ?? []);
  if (written.length > 0 || "stdout" in item) return written.join("\n");
  const text = stringOf(item["text"]) ?? stringOf(item["logs"]);
  const named = [wordOf(item["title"]) ?? wordOf(item["filename"]), text ?? (stringOf(item["type"]) === "image" ? undefined : wordOf(item["url"]))];
  return named[1] === undefined ? undefined : named.filter((word) => word !== undefined).join("\n");
}
