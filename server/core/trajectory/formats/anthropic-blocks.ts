/** Content blocks of Anthropic messages as parts: what an assistant message holds, what a user message holds, and tokens. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { ExtraBlock, Part, Place, StepFlag, Tokens } from "../model";
import { isServerResult, resultContent } from "./anthropic-results";
import { numberOf, stringOf, textOf, wordOf } from "./fields";
import type { StepDraft } from "./step-list";
import { assistantTextParts } from "./think-tags";
import { callPart } from "./tool-args";

/** Where a message stands: its document and the place of its record; `pointer` leads to the content inside that record. */
export interface BlockOrigin { document: JsonDocument; place: Place; pointer: string }

export interface BlocksRead {
  parts: Part[];
  extras: ExtraBlock[];
  flags: StepFlag[];
  reasoningHidden: boolean;
  problems: { code: string; message: string }[];
  /** Results found among the blocks, each of which becomes a tool step after (assistant) or before (user) the rest. */
  results: StepDraft[];
}

/** Pointers of the first items of the lists that logs have in every record. */
const usualPointers = new Map(["/message/content", "/content"].map((list) => [list, Array.from({ length: 8 }, (_, index) => `${list}/${index}`)]));

function itemPointer(list: string, index: number): string {
  return usualPointers.get(list)?.[index] ?? `${list}/${index}`;
}

/** Content in any of its recorded shapes (text, list, one block, null, missing) as a list of blocks with their pointers. */
export function blocksOf(content: Json | undefined, pointer: string): { block: Json; pointer: string }[] {
  if (content === undefined || content === null) return [];
  if (Array.isArray(content)) return content.map((block, index) => ({ block, pointer: itemPointer(pointer, index) }));
  return [{ block: content, pointer }];
}

/** Reads the blocks of one message, in recorded order. Empty texts and nulls give nothing; unknown blocks become extras. */
export function readBlocks(content: Json | undefined, origin: BlockOrigin): BlocksRead {
  const read: BlocksRead = { parts: [], extras: [], flags: [], reasoningHidden: false, problems: [], results: [] };
  for (const { block, pointer } of blocksOf(content, origin.pointer)) {
    if (typeof block === "string") addText(read, block);
    else if (isObject(block)) readBlock(read, block, { ...origin, pointer });
    else if (block !== null) read.extras.push({ type: "unknown", raw: textOf(origin.document, block) });
  }
  return read;
}

function addText(read: BlocksRead, text: string): void {
  if (text !== "") read.parts.push({ kind: "text", text });
}

function readBlock(read: BlocksRead, block: JsonObject, origin: BlockOrigin): void {
  const type = stringOf(block["type"]) ?? (stringOf(block["text"]) === undefined ? "unknown" : "text");
  if (type === "text" && typeof block["text"] === "string") {
    addText(read, block["text"]);
    if (Array.isArray(block["citations"]) && block["citations"].length > 0) {
      read.extras.push({ type: "citations", raw: textOf(origin.document, block["citations"]) });
    }
  } else if (type === "thinking" && typeof block["thinking"] === "string") {
    if (block["thinking"] === "") read.reasoningHidden = true;
    else read.parts.push({ kind: "reasoning", text: block["thinking"] });
  } else if (type === "redacted_thinking") read.reasoningHidden = true;
  else if (type === "tool_use" || type === "server_tool_use" || type === "mcp_tool_use") readCall(read, block, origin.document);
  else if (type === "tool_result" || isServerResult(type)) read.results.push(resultStep(block, origin));
  else if (type === "compaction" && typeof block["content"] === "string") {
    addText(read, block["content"]);
    read.flags.push("compaction");
  } else readOther(read, block, type, origin.document);
}

/** Streams record the input as text; what is no JSON object is shown as it was recorded. */
function readCall(read: BlocksRead, block: JsonObject, document: JsonDocument): void {
  const call = callPart(document, { name: wordOf(block["name"]), id: wordOf(block["id"]), args: block["input"] });
  read.parts.push(call.part);
  if (call.problem) read.problems.push({ code: "unparsed-arguments", message: `call of ${wordOf(block["name"]) ?? "a tool"}: ${call.problem}` });
}

function readOther(read: BlocksRead, block: JsonObject, type: string, document: JsonDocument): void {
  const source = member(block, "source");
  if (type === "document" && member(source, "type") === "text" && typeof member(source, "data") === "string") {
    addText(read, member(source, "data") as string);
    return;
  }
  read.extras.push(extraBlock(document, block, type));
}

/** A block that is no text: its type, the recorded JSON, the media type where one is named. */
export function extraBlock(document: JsonDocument, block: JsonObject, type: string): ExtraBlock {
  const extra: ExtraBlock = { type, raw: textOf(document, block) };
  const mediaType = wordOf(member(block["source"], "media_type"));
  if (mediaType) extra.mediaType = mediaType;
  return extra;
}

/** Splits a thinking block that an assistant's first text begins with off that text. */
export function splitLeadingThinking(parts: readonly Part[]): Part[] {
  const at = parts.findIndex((part) => part.kind === "text");
  return parts.flatMap((part, index) => (index === at ? assistantTextParts(part.text) : [part]));
}

function resultStep(block: JsonObject, origin: BlockOrigin): StepDraft {
  const { texts, isError, extras } = resultContent(block, origin.document);
  const id = wordOf(block["tool_use_id"]);
  const parts = texts.map((text): Part => ({ kind: "tool_result", text, ...(id ? { callId: id } : {}), ...(isError ? { isError } : {}) }));
  return { role: "tool", parts, extras, places: [placeInside(origin)] };
}

/** Put together by hand: engines give each object that is spread and added to a layout of its own, larger than itself. */
function placeInside({ place, pointer }: BlockOrigin): Place {
  const inside: Place = { pointer: place.pointer === undefined ? pointer : place.pointer + pointer };
  if (place.line !== undefined) inside.line = place.line;
  if (place.entry !== undefined) inside.entry = place.entry;
  if (place.file !== undefined) inside.file = place.file;
  return inside;
}

/** Anthropic counts cached tokens beside `input_tokens`; here `input` is everything that was sent. */
export function tokensOf(usage: Json | undefined): Tokens | undefined {
  const sent = numberOf(member(usage, "input_tokens"));
  const output = numberOf(member(usage, "output_tokens"));
  if (sent === undefined && output === undefined) return undefined;
  const read = numberOf(member(usage, "cache_read_input_tokens"));
  const created = numberOf(member(usage, "cache_creation_input_tokens")) ?? 0;
  const tokens: Tokens = {};
  if (sent !== undefined) tokens.input = sent + (read ?? 0) + created;
  if (read !== undefined) tokens.cachedInput = read;
  if (output !== undefined) tokens.output = output;
  return tokens;
}
