/** Message content in the shapes that chat formats record it in: text, null, list of blocks, one block, dialects of blocks. */
import { isObject } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import { parseJson } from "#core/json/text-document";
import type { ExtraBlock, Part } from "../model";
import { assistantTextParts } from "./think-tags";
import { callPart } from "./tool-args";
import { stringOf, textOf, wordOf } from "./fields";

/** What one message's content gives: parts in recorded order, blocks that are no text, and what is worth a warning. */
export interface ContentRead {
  readonly parts: Part[];
  readonly extras: ExtraBlock[];
  readonly problems: { code: string; message: string }[];
  reasoningHidden: boolean;
}

export interface ContentOptions {
  /** `result`: texts become `tool_result` parts with this call id. */
  readonly result?: { readonly callId?: string | undefined; readonly toolName?: string | undefined } | undefined;
  /** Split a leading think block off texts: for assistants only. */
  readonly thinking?: boolean | undefined;
}

/** Reads `content` of a message in `document`. Null, missing and empty texts give no part, except as a tool's result. */
export function readContent(document: JsonDocument, content: Json | undefined, options: ContentOptions = {}): ContentRead {
  const reader = new ContentReader(document, options);
  if (Array.isArray(content)) for (const block of content) reader.block(block);
  else reader.block(content);
  if (options.result && !reader.read.parts.some((part) => part.kind === "tool_result")) reader.addResult("");
  return reader.read;
}

/** Media type out of the start of a data URI. */
function mediaTypeOf(uri: string | undefined): string | undefined {
  return uri && /^data:([\w.+-]+\/[\w.+-]+)/.exec(uri)?.[1];
}

class ContentReader {
  readonly read: ContentRead = { parts: [], extras: [], problems: [], reasoningHidden: false };

  constructor(private readonly document: JsonDocument, private readonly options: ContentOptions) {}

  block(block: Json | undefined): void {
    if (block === null || block === undefined) return;
    if (typeof block === "string") this.addText(block);
    else if (isObject(block)) this.typed(block);
    else this.extra("unknown", block);
  }

  addResult(text: string): void {
    const part: Part = { kind: "tool_result", text };
    const { callId, toolName } = this.options.result ?? {};
    if (callId) part.callId = callId;
    if (toolName) part.toolName = toolName;
    this.read.parts.push(part);
  }

  private addText(text: string): void {
    if (this.options.result) this.addResult(text);
    else if (this.options.thinking && !this.read.parts.some((part) => part.kind === "text")) this.read.parts.push(...assistantTextParts(text));
    else if (text !== "") this.read.parts.push({ kind: "text", text });
  }

  private addReasoning(text: string): void {
    if (text !== "") this.read.parts.push({ kind: "reasoning", text });
  }

  private typed(block: JsonObject): void {
    const type = wordOf(block["type"]);
    const text = [block["text"], block["value"], block["content"]].find((value) => typeof value === "string") as string | undefined;
    switch (type) {
      case undefined:
        return typeof block["text"] === "string" ? this.addText(block["text"]) : this.extra("unknown", block);
      case "text": case "input_text": case "output_text":
        return text === undefined ? this.extra(type, block) : this.addText(text);
      case "refusal": {
        const refusal = stringOf(block["refusal"]) ?? text;
        if (refusal === undefined) return this.extra(type, block);
        this.read.problems.push({ code: "refusal", message: "the model refused; its words are recorded as a refusal" });
        return this.addText(refusal);
      }
      case "thinking": case "reasoning":
        return this.reasoning(block, type);
      case "redacted_thinking":
        this.read.reasoningHidden = true;
        return;
      case "tool_call":
        return this.call(block, type);
      default:
        return this.extra(type, block);
    }
  }

  /** `{type: "thinking", thinking: text or list of text blocks}`, `{type: "reasoning", reasoning | text | value | summary}`. */
  private reasoning(block: JsonObject, type: string): void {
    const body = block["thinking"] ?? block["reasoning"] ?? block["text"] ?? block["value"] ?? block["summary"] ?? block["content"];
    if (block["redacted"] === true || body === "" || body === undefined || body === null) {
      this.read.reasoningHidden = true;
      return;
    }
    const pieces = Array.isArray(body) ? body : [body];
    for (const piece of pieces) {
      const text = typeof piece === "string" ? piece : isObject(piece) ? stringOf(piece["text"]) : undefined;
      if (text === undefined) this.extra(type, piece as Json);
      else this.addReasoning(text);
    }
  }

  /** A call as a block: `value` (or the block itself) holds name and arguments, maybe as JSON text. */
  private call(block: JsonObject, type: string): void {
    const value = block["value"] ?? block;
    const parsed = typeof value === "string" ? parseJson(value).document : undefined;
    const document = parsed ?? this.document;
    const body = parsed ? parsed.value : value;
    for (const one of Array.isArray(body) ? body : [body]) {
      const inner = isObject(one) && isObject(one["function"]) ? one["function"] : one;
      const name = isObject(inner) ? wordOf(inner["name"]) : undefined;
      if (!isObject(inner) || name === undefined) {
        this.extra(type, block);
        continue;
      }
      const read = callPart(document, { name, id: isObject(one) ? wordOf(one["id"]) : undefined, args: inner["arguments"] });
      if (read.problem) this.read.problems.push({ code: "unparsed-arguments", message: `call of ${name}: ${read.problem}` });
      this.read.parts.push(read.part);
    }
  }

  private extra(type: string, block: Json): void {
    const found: ExtraBlock = { type, raw: textOf(this.document, block) };
    const mediaType = mediaOf(block);
    if (mediaType) found.mediaType = mediaType;
    this.read.extras.push(found);
  }
}

/** Media type of an image or file block, where it names one. */
function mediaOf(block: Json): string | undefined {
  if (!isObject(block)) return undefined;
  const source = block["source"];
  if (isObject(source) && wordOf(source["media_type"])) return wordOf(source["media_type"]);
  const image = block["image_url"] ?? block["image"];
  return mediaTypeOf(stringOf(image) ?? (isObject(image) ? stringOf(image["url"]) : undefined)) ?? wordOf(block["mime_type"]);
}
