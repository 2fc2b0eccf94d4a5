/** Parts of Gemini content (text, thought, functionCall, functionResponse, inlineData and others) as parts of a step. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { ExtraBlock, Part } from "../model";
import { idOf, stringOf, textOf, wordOf } from "./fields";
import { callPart } from "./tool-args";

export interface PartsRead {
  readonly parts: Part[];
  readonly extras: ExtraBlock[];
  reasoningHidden: boolean;
}

/** Reads a text, one part or a list of parts. Empty texts give no part. */
export function readParts(document: JsonDocument, content: Json | undefined): PartsRead {
  const read: PartsRead = { parts: [], extras: [], reasoningHidden: false };
  for (const part of Array.isArray(content) ? content : [content]) addPart(document, part, read);
  return read;
}

function addPart(document: JsonDocument, part: Json | undefined, read: PartsRead): void {
  if (part === undefined || part === null) return;
  if (typeof part === "string") {
    if (part !== "") read.parts.push({ kind: "text", text: part });
    return;
  }
  if (!isObject(part)) {
    read.extras.push({ type: "unknown", raw: textOf(document, part) });
    return;
  }
  const text = stringOf(part["text"]);
  const call = part["functionCall"] ?? part["function_call"];
  const response = part["functionResponse"] ?? part["function_response"];
  const code = part["executableCode"] ?? part["executable_code"];
  const ran = part["codeExecutionResult"] ?? part["code_execution_result"];
  const data = part["inlineData"] ?? part["inline_data"] ?? part["fileData"] ?? part["file_data"];
  if (text !== undefined) {
    if (text !== "") read.parts.push({ kind: part["thought"] === true ? "reasoning" : "text", text });
    else if (part["thoughtSignature"] !== undefined) read.reasoningHidden = true;
  } else if (isObject(call)) {
    read.parts.push(callPart(document, { name: wordOf(call["name"]), id: idOf(call["id"]), args: call["args"] }).part);
    if (part["thoughtSignature"] !== undefined) read.reasoningHidden = true;
  } else if (isObject(response)) read.parts.push(responsePart(document, response));
  else if (isObject(code)) read.parts.push(callPart(document, { name: "code_execution", args: code }).part);
  else if (isObject(ran)) {
    const outcome = wordOf(ran["outcome"]);
    read.parts.push({ kind: "tool_result", text: stringOf(ran["output"]) ?? "", toolName: "code_execution", ...(outcome !== undefined && outcome !== "OUTCOME_OK" ? { isError: true } : {}) });
  } else {
    const mediaType = wordOf(member(data, "mimeType")) ?? wordOf(member(data, "mime_type"));
    read.extras.push({ type: Object.keys(part)[0] ?? "part", raw: textOf(document, part), ...(mediaType ? { mediaType } : {}) });
  }
}

/** The response under the name that the program gives it; one of another shape stays JSON. */
function responsePart(document: JsonDocument, response: JsonObject): Part {
  const body = response["response"];
  const id = idOf(response["id"]);
  const error = member(body, "error");
  const value = error ?? member(body, "output") ?? member(body, "result") ?? member(body, "content") ?? body;
  return {
    kind: "tool_result", text: textOf(document, value),
    ...(id === undefined ? {} : { callId: id }), ...(error === undefined || error === null ? {} : { isError: true }),
  };
}
