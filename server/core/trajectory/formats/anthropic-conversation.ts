/** One Anthropic conversation or reply as a trajectory: `{system, messages}`, a bare list of messages, `{role, content, stop_reason}`, a request with its reply. */
import { arrayMember, isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Outcome, Place, Role } from "../model";
import { readBlocks, splitLeadingThinking, tokensOf } from "./anthropic-blocks";
import { textOf, timeOf, row, stringOf, wordOf } from "./fields";
import type { TrajectoryFacts } from "./drafts";
import { placeIn, type FileRecord } from "./records";
import { addFlag, pairResults, StepList } from "./step-list";

/** A conversation taken apart: what was sent, what came back, and the JSON pointers of both. */
export interface Conversation {
  readonly system?: Json | undefined;
  readonly messages: readonly Json[];
  readonly messagesPointer: string;
  readonly reply?: JsonObject | undefined;
  readonly replyPointer?: string | undefined;
  /** The object that the system prompt and the model's name stand in. */
  readonly request?: JsonObject | undefined;
  readonly requestPointer: string;
}

/** Takes a record apart by its keys; undefined when it is neither a conversation nor a reply. */
export function conversationOf(value: Json | undefined): Conversation | undefined {
  if (Array.isArray(value)) return value.some((item) => isObject(item) && "role" in item) ? { messages: value, messagesPointer: "", requestPointer: "" } : undefined;
  if (!isObject(value)) return undefined;
  if (isReply(value)) return { messages: [], messagesPointer: "", reply: value, replyPointer: "", requestPointer: "" };
  for (const key of ["", "request", "params", "body", "input"]) {
    const request = key === "" ? value : member(value, key);
    const messages = arrayMember(request, "messages");
    if (!messages || !isObject(request)) continue;
    const pointer = key === "" ? "" : `/${key}`;
    return { system: request["system"], messages, messagesPointer: `${pointer}/messages`, request, requestPointer: pointer, ...replyOf(value) };
  }
  const found = replyOf(value);
  return found.reply ? { messages: [], messagesPointer: "", requestPointer: "", ...found } : undefined;
}

function replyOf(value: JsonObject): Pick<Conversation, "reply" | "replyPointer"> {
  for (const path of [["response"], ["result", "message"], ["result"], ["message"], ["output"], ["response", "body"]]) {
    let at: Json | undefined = value;
    for (const key of path) at = member(at, key);
    if (isReply(at)) return { reply: at, replyPointer: `/${path.join("/")}` };
  }
  return {};
}

/** A message as the API returns it. */
export function isReply(value: Json | undefined): value is JsonObject {
  return isObject(value) && value["type"] === "message" && value["role"] === "assistant" && "content" in value;
}

/** Reads the steps of a conversation; `place` is the record's. */
export function readConversation(conversation: Conversation, document: JsonDocument, place: Place): { list: StepList; rest: TrajectoryFacts } {
  const list = new StepList();
  const at = (pointer: string): Place => ({ ...place, ...(pointer || place.pointer ? { pointer: `${place.pointer ?? ""}${pointer}` } : {}) });
  if (conversation.system !== undefined && conversation.system !== null) {
    const pointer = `${conversation.requestPointer}/system`;
    const read = readBlocks(conversation.system, { document, place, pointer });
    list.add({ role: "system", parts: read.parts, extras: read.extras, places: [at(pointer)] });
  }
  conversation.messages.forEach((message, index) => readMessage(list, message, document, at(`${conversation.messagesPointer}/${index}`)));
  if (conversation.reply) readMessage(list, conversation.reply, document, at(conversation.replyPointer ?? ""));
  pairResults(list);
  return { list, rest: restOf(conversation, document) };
}

/** A conversation whose messages are records of their own: the lines of a file. */
export function readMessageLines(records: readonly FileRecord[]): { list: StepList; rest: TrajectoryFacts } {
  const list = new StepList();
  for (const record of records) {
    if (record.document && record.value !== undefined) readMessage(list, record.value, record.document, placeIn(record));
    else if (record.problem) list.warnings.push(record.problem);
  }
  pairResults(list);
  return { list, rest: {} };
}

/** True for a message that stands by itself: a role and content, and neither a reply of the API nor a conversation. */
export function isLoneMessage(value: Json): boolean {
  return isObject(value) && typeof value["role"] === "string" && "content" in value && !isReply(value) && !("messages" in value);
}

/** One message: results first for a user, after the step for an assistant (hosted tools). */
function readMessage(list: StepList, message: Json, document: JsonDocument, place: Place): void {
  if (!isObject(message)) {
    if (typeof message === "string" && message !== "") list.add({ role: "user", parts: [{ kind: "text", text: message }], places: [place] });
    list.warn("bad-message", `A message is ${message === null ? "null" : Array.isArray(message) ? "a list" : "a bare value"} instead of an object.`, place);
    return;
  }
  const role = roleOf(message["role"]);
  if (!role.known) list.warn("unknown-role", `A message has the role ${textOf(document, message["role"]).slice(0, 40) || "(none)"}; it is shown as the user's.`, place);
  const read = readBlocks(message["content"], { document, place, pointer: "/content" });
  for (const { code, message: problem } of read.problems) list.warn(code, `Step ${list.steps.length}: ${problem}.`, place);
  if (!("content" in message)) list.warn("no-content", `A message has no content; its keys are ${Object.keys(message).slice(0, 8).join(", ")}.`, place);
  const time = timeOf(message["timestamp"] ?? message["created_at"]);
  const results = read.results.map((result) => ({ ...result, time }));
  if (role.role !== "assistant") for (const result of results) list.add(result);
  const isOnlyResults = role.role !== "assistant" && results.length > 0 && read.parts.length === 0 && read.extras.length === 0;
  if (!isOnlyResults) {
    const parts = role.role === "assistant" ? splitLeadingThinking(read.parts) : read.parts;
    const step = list.add({
      role: role.role, parts, time, extras: read.extras, reasoningHidden: read.reasoningHidden, places: [place],
      name: role.known ? wordOf(message["name"]) : (stringOf(message["role"]) ?? wordOf(message["name"])), model: wordOf(message["model"]), tokens: tokensOf(message["usage"]),
    });
    for (const flag of read.flags) addFlag(step, flag);
  }
  if (role.role === "assistant") for (const result of results) list.add(result);
}

function roleOf(value: Json | undefined): { role: Role; known: boolean } {
  if (value === "assistant" || value === "system" || value === "user" || value === "tool") return { role: value, known: true };
  return { role: value === "developer" ? "system" : "user", known: value === "developer" };
}

function restOf(conversation: Conversation, document: JsonDocument): TrajectoryFacts {
  const reply = conversation.reply ?? conversation.messages.filter(isReply).at(-1);
  const request = conversation.request;
  const rest: TrajectoryFacts = {
    metadata: [
      ...row("message id", wordOf(reply?.["id"])),
      ...row("tools", Array.isArray(request?.["tools"]) ? request["tools"].map((tool) => wordOf(member(tool, "name")) ?? wordOf(member(tool, "type")) ?? "?").join(", ") : undefined),
      ...row("max tokens", request && "max_tokens" in request ? textOf(document, request["max_tokens"]) : undefined),
    ],
  };
  const model = wordOf(reply?.["model"]) ?? wordOf(request?.["model"]);
  if (model) rest.model = model;
  const outcome = reply && outcomeOf(reply, document);
  if (outcome) rest.outcome = outcome;
  return rest;
}

function outcomeOf(reply: JsonObject, document: JsonDocument): Outcome | undefined {
  const status = wordOf(reply["stop_reason"]);
  if (!status) return undefined;
  const outcome: Outcome = { status };
  const details = [
    ...row("stop sequence", wordOf(reply["stop_sequence"])),
    ...row("stop category", wordOf(member(reply["stop_details"], "category"))),
    ...row("stop explanation", wordOf(member(reply["stop_details"], "explanation"))),
    ...row("context management", Array.isArray(member(reply["context_management"], "applied_edits")) && (member(reply["context_management"], "applied_edits") as Json[]).length > 0
      ? textOf(document, reply["context_management"]) : undefined),
  ];
  if (details.length > 0) outcome.details = details;
  return outcome;
}
