/** Messages as tracing formats record them, in OpenAI's shape: GenAI parts, OpenInference, Vercel, LangChain, plain chat. */
import { isObject, member, memberAt, nameTable } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import { parseJson } from "#core/json/text-document";
import { assembleChunks, isChunk } from "./chat-stream";
import { listOf, stringOf, textOf, wordOf } from "./fields";
import type { TracedTalk } from "./trace-nodes";

/**
 * The messages in `value`: a list, an object that holds one, JSON text of either, or plain words of `role`. Undefined where
 * nothing is recorded.
 */
export function tracedTalk(document: JsonDocument, value: Json | undefined, role: "user" | "assistant" | "system"): TracedTalk | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") {
    const parsed = /^\s*[[{]/.test(value) ? parseJson(value).document : undefined;
    const found = parsed && messagesIn(parsed, parsed.value, role);
    return found ? { document: parsed, messages: found } : { document, messages: [{ role, content: value }] };
  }
  return { document, messages: messagesIn(document, value, role) ?? [{ role, content: textOf(document, value) }] };
}

/** Messages of a list or of what usually holds one; undefined where it is neither. */
function messagesIn(document: JsonDocument, value: Json, role: string, depth = 0): JsonObject[] | undefined {
  if (depth > 4) return undefined;
  if (Array.isArray(value)) return messagesOfList(document, value, role, depth);
  if (!isObject(value)) return undefined;
  const system = stringOf(value["system"]);
  const before: JsonObject[] = system === undefined ? [] : [{ role: "system", content: system }];
  const direct = messagesOf(document, value, role);
  if (direct) return direct;
  for (const key of ["messages", "generations", "choices", "input_messages", "output_messages"]) {
    const inner = value[key];
    const found = Array.isArray(inner) && inner.length > 0 ? messagesIn(document, inner, role, depth + 1) : undefined;
    if (found) return [...before, ...found];
  }
  for (const key of ["prompt", "input", "output", "text", "answer", "question"]) {
    const inner = value[key];
    // Beside lists and objects a text is not all that there is.
    if (inner === undefined || Object.entries(value).some(([name, one]) => name !== key && typeof one === "object" && one !== null)) continue;
    const found = typeof inner === "string" ? [{ role, content: inner }] : messagesIn(document, inner, role, depth + 1);
    if (found) return [...before, ...found];
  }
  return undefined;
}

/** Messages one by one, parts of one message, pieces of a stream, or batches of which the first list is the one that was answered. */
function messagesOfList(document: JsonDocument, list: readonly Json[], role: string, depth: number): JsonObject[] | undefined {
  if (Array.isArray(list[0])) return messagesIn(document, list[0], role, depth + 1);
  const chunks = list.filter(isChunk);
  if (chunks.length > 0) return assembleChunks(chunks).flatMap((reply) => listOf(reply["choices"]).flatMap((choice) => messagesOf(document, choice, role) ?? []));
  const read = list.map((item) => messagesOf(document, item, role));
  if (read.some((found) => found !== undefined)) return read.flatMap((found, i) => found ?? [otherMessage(document, list[i]!, role)]);
  const isParts = list.length > 0 && list.every((item) => isObject(item) && typeof item["type"] === "string" && ["content", "text"].some((key) => typeof item[key] === "string"));
  return isParts ? [{ role, content: [...list] }] : undefined;
}

/** An item among messages that says no role: its words, or all of it as recorded. */
function otherMessage(document: JsonDocument, item: Json, role: string): JsonObject {
  return { role, content: stringOf(item) ?? stringOf(member(item, "content")) ?? stringOf(member(item, "text")) ?? textOf(document, item) };
}

/** One recorded message: mostly one, several where results of tools share it. Undefined for what is no message. */
function messagesOf(document: JsonDocument, item: Json, role: string): JsonObject[] | undefined {
  if (!isObject(item)) return undefined;
  if (isObject(item["message"])) return messagesOf(document, item["message"], role);
  if (isObject(item["kwargs"])) return [fromLangChain(item["kwargs"], listOf(item["id"]).at(-1))];
  if (isObject(item["data"]) && typeof item["type"] === "string" && "content" in item["data"]) return [fromLangChain(item["data"], item["type"])];
  if (typeof item["type"] === "string" && "content" in item && /^(human|ai|system|tool|function)$/i.test(item["type"])) return [fromLangChain(item, item["type"])];
  const named = wordOf(item["role"]);
  if (named === undefined) return "finish_reason" in item && typeof item["text"] === "string" ? [{ role, content: item["text"] }] : undefined;
  if (Array.isArray(item["parts"])) return fromParts(document, named, item["parts"], item);
  if (Array.isArray(item["contents"]) || listOf(item["tool_calls"]).some((call) => isObject(member(call, "tool_call")))) return [fromOpenInference(named, item)];
  if (Array.isArray(item["content"]) && item["content"].some((part) => /^tool-(call|result)$/.test(stringOf(member(part, "type")) ?? ""))) return fromParts(document, named, item["content"], item);
  return [item];
}

const langChainRoles = nameTable<string>({ human: "user", ai: "assistant", system: "system", tool: "tool", function: "function", chat: "user" });

/** LangChain's messages, serialised (`HumanMessage` with `kwargs`) or as data with a type. */
function fromLangChain(body: JsonObject, type: Json | undefined): JsonObject {
  const name = (stringOf(type) ?? "").replace(/Message(Chunk)?$/, "").toLowerCase();
  const calls = listOf(body["tool_calls"]).length > 0 ? body["tool_calls"] : memberAt(body, "additional_kwargs", "tool_calls");
  const message: JsonObject = { ...body, role: wordOf(body["role"]) ?? langChainRoles[name] ?? name, content: body["content"] ?? null, tool_calls: calls ?? null };
  if (body["status"] === "error") message["is_error"] = true;
  return message;
}

/** OpenInference nests everything once more under names of its own. */
function fromOpenInference(role: string, item: JsonObject): JsonObject {
  const contents = listOf(item["contents"]).map((one) => {
    const inner = member(one, "message_content") ?? one;
    const image = memberAt(inner, "image", "image", "url") ?? memberAt(inner, "image", "url");
    return image === undefined ? inner : { type: "image_url", image_url: { url: image } };
  });
  const calls = listOf(item["tool_calls"]).map((one) => member(one, "tool_call") ?? one);
  return { ...item, role, content: contents.length > 0 ? contents : (item["content"] ?? null), tool_calls: calls };
}

/** Parts of GenAI messages and of Vercel's: results of tools become messages of their own, in order. */
function fromParts(document: JsonDocument, role: string, parts: readonly Json[], item: JsonObject): JsonObject[] {
  const found: JsonObject[] = [];
  let content: Json[] = [];
  const flush = (): void => {
    if (content.length > 0) found.push({ role, content, ...(item["name"] === undefined ? {} : { name: item["name"] }) });
    content = [];
  };
  for (const part of parts) {
    const type = stringOf(member(part, "type"));
    if (isObject(part) && (type === "tool_call_response" || type === "tool-result")) {
      flush();
      found.push(resultMessage(document, part));
    } else if (isObject(part) && type === "tool-call") content.push({ type: "tool_call", id: part["toolCallId"] ?? null, name: part["toolName"] ?? null, arguments: part["input"] ?? part["args"] ?? null });
    else content.push(part);
  }
  flush();
  return found.length > 0 ? found : [{ role, content: null }];
}

function resultMessage(document: JsonDocument, part: JsonObject): JsonObject {
  const recorded = part["response"] ?? part["result"] ?? part["output"] ?? null;
  // Vercel wraps results once more: {type: "text" | "json" | "error-text", value}.
  const wrapped = isObject(recorded) && "value" in recorded && /^(error-)?(text|json)$/.test(stringOf(recorded["type"]) ?? "");
  const value = wrapped ? recorded["value"]! : recorded;
  const failed = part["isError"] === true || (wrapped && stringOf(recorded["type"])?.startsWith("error-"));
  return {
    role: "tool", tool_call_id: part["id"] ?? part["toolCallId"] ?? null, name: part["toolName"] ?? part["name"] ?? null,
    content: typeof value === "string" || Array.isArray(value) ? value : value === null ? "" : textOf(document, value), ...(failed ? { is_error: true } : {}),
  };
}
