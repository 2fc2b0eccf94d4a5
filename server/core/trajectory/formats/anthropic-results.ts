/** What tool results of Anthropic messages say in text: client tools, and the tools that run on the provider's side. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { ExtraBlock } from "../model";
import { listOf, numberOf, stringOf, textOf, wordOf } from "./fields";

/** `texts` holds one text at least, an empty one where nothing was said. */
export interface ResultContent { texts: string[]; isError: boolean; extras: ExtraBlock[] }

/** True for `web_search_tool_result`, `mcp_tool_result` and their kin, which stand in the same assistant message as the call. */
export function isServerResult(type: string): boolean {
  return type.endsWith("_tool_result");
}

/**
 * The texts of a result block, one for each text block as recorded; outputs of hosted tools by their own fields, one text
 * for each item. What is no text (images, search hits with their opaque parts) comes back as extras.
 */
export function resultContent(block: JsonObject, document: JsonDocument): ResultContent {
  const result: ResultContent = { texts: [], isError: block["is_error"] === true, extras: [] };
  const content = block["content"];
  for (const item of Array.isArray(content) ? content : content === undefined ? [] : [content]) {
    if (typeof item === "string") result.texts.push(item);
    else if (isObject(item)) readItem(item, document, result);
    else if (item !== null) result.extras.push({ type: "unknown", raw: textOf(document, item) });
  }
  if (result.texts.length === 0 && result.extras.length > 0 && !result.extras.some(isMedia)) {
    // Structured output without a text of its own is quoted by its recorded JSON.
    result.texts = result.extras.map((extra) => extra.raw);
    result.extras = [];
  }
  if (result.texts.length === 0) result.texts.push("");
  return result;
}

function isMedia(extra: ExtraBlock): boolean {
  return extra.type === "image" || extra.type === "document" || extra.mediaType !== undefined;
}

function readItem(item: JsonObject, document: JsonDocument, result: ResultContent): void {
  const type = stringOf(item["type"]) ?? "unknown";
  const texts: string[] = [];
  const known = readKnown(item, type, texts);
  if (texts.length > 0) result.texts.push(texts.join("\n"));
  if (known === "error") result.isError = true;
  if (known === "all") return;
  const extra: ExtraBlock = { type, raw: textOf(document, item) };
  const mediaType = wordOf(member(item["source"], "media_type"));
  if (mediaType) extra.mediaType = mediaType;
  result.extras.push(extra);
}

/** Puts the readable text of one item on `texts`; answers whether that was all of it, some of it, an error, or nothing. */
function readKnown(item: JsonObject, type: string, texts: string[]): "all" | "some" | "error" | "none" {
  if ((type === "text" || type === "unknown") && typeof item["text"] === "string") {
    put(texts, item["text"]);
    return "all";
  }
  if (type.endsWith("_error")) {
    put(texts, item["error_message"]) || put(texts, item["error_code"]);
    return "error";
  }
  if (type === "web_search_result" || type === "search_result") {
    for (const key of ["title", "url", "source"]) put(texts, item[key]);
    for (const inner of listOf(item["content"])) put(texts, member(inner, "text"));
    return "some";
  }
  if (type === "web_fetch_result" || type === "document") return readDocument(item, texts);
  if (type.endsWith("code_execution_result")) return readOutput(item, type, texts);
  return put(texts, type === "tool_reference" ? item["tool_name"] : undefined) ? "some" : "none";
}

function readDocument(item: JsonObject, texts: string[]): "some" | "none" {
  put(texts, item["url"]);
  const document = isObject(item["content"]) ? item["content"] : item;
  const source = document["source"];
  const isText = member(source, "type") === "text" || stringOf(member(source, "media_type"))?.startsWith("text/");
  return (isText && put(texts, member(source, "data"))) || item["url"] !== undefined ? "some" : "none";
}

/** Output of hosted code execution and of its editor: printed text, file text, or the lines of an edit. */
function readOutput(item: JsonObject, type: string, texts: string[]): "some" | "error" {
  const printed = [put(texts, item["stdout"]), put(texts, item["stderr"])].some(Boolean);
  if (!printed && typeof item["content"] === "string") put(texts, item["content"]);
  const lines = listOf(item["lines"]).filter((line): line is string => typeof line === "string");
  if (lines.length > 0) texts.push(lines.join("\n"));
  const code = numberOf(item["return_code"]);
  return type.startsWith("text_editor") || code === undefined || code === 0 ? "some" : "error";
}

function put(texts: string[], value: Json | undefined): boolean {
  if (typeof value !== "string" || value === "") return false;
  texts.push(value);
  return true;
}
