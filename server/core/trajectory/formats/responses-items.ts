/** Items of the Responses API as steps: reasoning, words and calls of one reply together, each result a step behind them. */
import { isObject } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { ExtraBlock, Part, Place, Step, StepFlag } from "../model";
import { readContent } from "./chat-content";
import { addMessages } from "./chat-messages";
import { listOf, stringOf, textOf, wordOf } from "./fields";
import { awaitsOutput, callIdOf, hostedResult, isCallType, isOutputType, itemCall, outputResult, type ItemResult } from "./responses-calls";
import { pairResults, type StepList } from "./step-list";

/** Types by which a list is known to be of items: messages alone are chat. */
const others = new Set(["reasoning", "mcp_list_tools", "mcp_approval_response", "item_reference"]);

/** An item that is no plain message. */
export function isItem(value: Json | undefined): value is JsonObject {
  const type = isObject(value) ? stringOf(value["type"]) : undefined;
  if (type === undefined || !isObject(value)) return false;
  if (type === "function_call") return typeof value["name"] === "string" && "arguments" in value;
  return others.has(type) ? Object.keys(value).length > 1 && !("uuid" in value) : (isCallType(type) || isOutputType(type)) && ("call_id" in value || "id" in value);
}

/** A message of either API. */
export function isItemMessage(value: Json | undefined): value is JsonObject {
  return isObject(value) && typeof value["role"] === "string" && (value["type"] === undefined || value["type"] === "message") && "content" in value;
}

/** Reads items into a list of steps. `finish` pairs results with calls and has to be called once. */
export class ItemReader {
  private reply: Step | undefined;
  /** Results of hosted calls, to follow the reply that they belong to. */
  private waiting: { result: ItemResult; place: Place }[] = [];
  private readonly callIds = new Map<string, string>();
  private readonly unanswered = new Set<Part>();

  constructor(private readonly list: StepList, private document: JsonDocument) {}

  /** Reads a list in order; `place` says where its items stand. Answers the reply that the list ends with, if it does. */
  read(items: readonly Json[], place: (index: number) => Place): Step | undefined {
    items.forEach((item, index) => this.item(item, place(index)));
    const reply = this.reply;
    this.endReply();
    return reply;
  }

  /** Reads one item that stands in a document of its own: a line of many. */
  readFrom(document: JsonDocument, item: Json, place: Place): void {
    this.document = document;
    this.item(item, place);
  }

  /** Words of the developer or the user that are no item: instructions and input as plain text. */
  text(role: "system" | "user", text: string, place: Place): void {
    this.endReply();
    if (text !== "") this.list.add({ role, parts: [{ kind: "text", text }], places: [place] });
  }

  /** `open`: the record ends with the model's turn, so that its last calls are answered elsewhere. */
  finish(open: boolean): void {
    this.endReply();
    const last = this.list.steps.findLast((step) => step.role === "assistant");
    pairResults(this.list, (part) => this.unanswered.has(part) || (open && last !== undefined && last.parts.includes(part)));
  }

  private item(item: Json, place: Place): void {
    if (!isObject(item)) {
      this.endReply();
      this.list.add({ role: typeof item === "string" ? "user" : "system", parts: typeof item === "string" ? [{ kind: "text", text: item }] : [], extras: typeof item === "string" ? [] : [{ type: "item", raw: textOf(this.document, item) }], places: [place] });
      return this.list.warn("bad-item", "An item is no object and is shown as recorded.", place);
    }
    const type = wordOf(item["type"]) ?? "message";
    if (type === "message") this.message(item, place);
    else if (type === "reasoning") this.reasoning(item, place);
    else if (isOutputType(type)) this.output(type, item, place);
    else if (isCallType(type)) this.call(type, item, place);
    else if (type === "compaction") this.apart("system", item, type, place, ["compaction"]);
    else if (type === "mcp_approval_response") this.apart("user", item, type, place);
    else this.growing(place, [], [this.block(type, item)]);
  }

  private message(item: JsonObject, place: Place): void {
    const role = stringOf(item["role"]);
    const isChat = "tool_calls" in item || "function_call" in item || role === "tool" || role === "function";
    if (role === "assistant" && !isChat) {
      const read = readContent(this.document, item["content"], { thinking: true });
      for (const { code, message } of read.problems) this.list.warn(code, `Step ${this.list.steps.length}: ${message}.`, place);
      const step = this.growing(place, read.parts, read.extras);
      for (const block of listOf(item["content"])) if (isObject(block) && listOf(block["annotations"]).length > 0) (step.extras ??= []).push({ type: "annotations", raw: textOf(this.document, block["annotations"]) });
      if (read.reasoningHidden) step.reasoningHidden = true;
    } else {
      this.endReply();
      addMessages(this.list, { document: this.document, messages: [item], place: () => place });
    }
  }

  /** Summary and content both stay; where neither says anything, the reasoning was kept from the record. */
  private reasoning(item: JsonObject, place: Place): void {
    const parts = [...listOf(item["summary"]), ...listOf(item["content"])].flatMap((piece): Part[] => {
      const text = stringOf(piece) ?? (isObject(piece) ? stringOf(piece["text"]) : undefined);
      return text ? [{ kind: "reasoning", text }] : [];
    });
    const plain = wordOf(item["content"]);
    if (plain !== undefined) parts.push({ kind: "reasoning", text: plain });
    const step = this.growing(place, parts, []);
    if (parts.length === 0) step.reasoningHidden = true;
  }

  private call(type: string, item: JsonObject, place: Place): void {
    const read = itemCall(this.document, type, item);
    const step = this.growing(place, [read.part], []);
    if (read.problem) this.list.warn("unparsed-arguments", `Step ${step.index}: call of ${read.part.toolName ?? "a tool"}: ${read.problem}.`, place);
    const [own, id] = [wordOf(item["id"]), callIdOf(item)];
    if (own !== undefined && id !== undefined) this.callIds.set(own, id);
    const result = hostedResult(this.document, type, item);
    if (result) this.waiting.push({ result, place });
    else if (!awaitsOutput(type)) this.unanswered.add(read.part);
  }

  private output(type: string, item: JsonObject, place: Place): void {
    this.endReply();
    const given = callIdOf(item);
    const id = given === undefined ? undefined : (this.callIds.get(given) ?? given);
    this.list.add({ role: "tool", ...outputResult(this.document, type, item, id), places: [place] });
  }

  private apart(role: "system" | "user", item: JsonObject, type: string, place: Place, flags: StepFlag[] = []): void {
    this.endReply();
    this.list.add({ role, parts: [], extras: [this.block(type, item)], flags, places: [place] });
  }

  private block(type: string, item: Json): ExtraBlock {
    return { type, raw: textOf(this.document, item) };
  }

  /** The reply that is going on, or a new one, with more parts. */
  private growing(place: Place, parts: readonly Part[], extras: readonly ExtraBlock[]): Step {
    this.reply ??= this.list.add({ role: "assistant", parts: [], places: [] });
    this.reply.parts.push(...parts);
    this.reply.places.push(place);
    if (extras.length > 0) (this.reply.extras ??= []).push(...extras);
    return this.reply;
  }

  private endReply(): void {
    this.reply = undefined;
    for (const { result, place } of this.waiting) this.list.add({ role: "tool", ...result, places: [place] });
    this.waiting = [];
  }
}
