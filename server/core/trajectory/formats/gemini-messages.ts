/** Messages of a Gemini CLI chat as steps: one assistant step for each reply, one tool step for each call's result. */
import { isObject, member, pointerTo } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { ExtraBlock, Part, Place, Tokens } from "../model";
import { idOf, listOf, numberOf, stringOf, textOf, timeOf, wordOf } from "./fields";
import { readParts } from "./gemini-parts";
import { withError } from "./result-error";
import type { StepList } from "./step-list";
import { callPart } from "./tool-args";

/** One message as it stands last in the file. */
export interface ChatMessage {
  readonly value: JsonObject;
  readonly document: JsonDocument;
  readonly place: Place;
  /** It stands only in a history that the program wrote down as a whole: a summary, or a frame of its own. */
  readonly synthetic?: boolean | undefined;
}

/** Appends the steps of one message. `answered` holds the ids of calls whose result has its step already. */
export function addChatMessage(list: StepList, message: ChatMessage, answered: Set<string>): void {
  const type = stringOf(message.value["type"]);
  if (type === "gemini" || type === "model" || type === "assistant") addReply(list, message, answered);
  else if (type === "user") addUser(list, message, answered);
  else {
    const read = readParts(message.document, message.value["content"]);
    if (type !== "info" && type !== "warning" && type !== "error") {
      list.warn("unknown-message-type", `A message has the type ${type === undefined ? "(none)" : `"${type.slice(0, 60)}"`}; it is shown as the program's own.`, message.place);
    }
    list.add({ role: "system", parts: read.parts, extras: read.extras, name: type, flags: ["meta"], time: timeOf(message.value["timestamp"]), places: [message.place] });
  }
}

/** What was sent, and where it differs what was shown: a slash command expands to a long prompt. */
function addUser(list: StepList, { value, document, place, synthetic }: ChatMessage, answered: Set<string>): void {
  const read = readParts(document, value["content"]);
  const shown = value["displayContent"];
  const display = shown === undefined || shown === null ? undefined : readParts(document, shown);
  const displayed = display?.parts.filter((part) => part.kind === "text").map((part) => part.text).join("\n");
  const extras: ExtraBlock[] = [...read.extras];
  if (shown !== undefined && shown !== null && displayed !== read.parts.map((part) => part.text).join("\n")) extras.push({ type: "displayContent", raw: textOf(document, shown) });
  // A function response in the place of what was shown: the program goes on by itself.
  const own = listOf(shown).some((part) => isObject(member(part, "functionResponse")));
  const texts = read.parts.filter((part) => part.kind !== "tool_result");
  // A history holds results as turns of the user's, once more.
  const results = read.parts.filter((part) => part.kind === "tool_result" && !(part.callId !== undefined && answered.has(part.callId)));
  for (const part of results) if (part.callId !== undefined) answered.add(part.callId);
  for (const part of results) list.add({ role: "tool", parts: [part], time: timeOf(value["timestamp"]), places: [place] });
  if (texts.length > 0 || extras.length > 0 || read.parts.length === 0) {
    list.add({ role: "user", parts: texts, extras, flags: synthetic ? ["meta", "synthetic"] : own ? ["meta"] : [], time: timeOf(value["timestamp"]), places: [place] });
  }
}

function addReply(list: StepList, message: ChatMessage, answered: Set<string>): void {
  const { value, document, place } = message;
  const parts: Part[] = listOf(value["thoughts"]).flatMap((thought) => {
    const text = [stringOf(member(thought, "subject")), stringOf(member(thought, "description"))].filter((piece) => piece).join(": ");
    return text === "" ? [] : [{ kind: "reasoning", text } as const];
  });
  const read = readParts(document, value["content"]);
  const calls = listOf(value["toolCalls"]);
  const ids = new Set(calls.map((call) => idOf(member(call, "id"))));
  parts.push(...read.parts.filter((part) => part.kind !== "tool_result" && !(part.kind === "tool_call" && part.callId !== undefined && ids.has(part.callId))));
  for (const call of calls) {
    const made = callPart(document, { name: wordOf(member(call, "name")), id: idOf(member(call, "id")), args: member(call, "args") });
    if (made.problem) list.warn("unparsed-arguments", `Call of ${made.part.toolName ?? "a tool"}: ${made.problem}.`, place);
    parts.push(made.part);
  }
  const tokens = chatTokensOf(value["tokens"]);
  const hidden = !parts.some((part) => part.kind === "reasoning") && (tokens?.reasoning ?? 0) > 0;
  list.add({ role: "assistant", parts, extras: read.extras, model: wordOf(value["model"]), tokens, reasoningHidden: hidden || read.reasoningHidden, flags: message.synthetic ? ["synthetic"] : [], time: timeOf(value["timestamp"]), places: [place] });
  calls.forEach((call, index) => addResult(list, message, call, answered, { ...place, pointer: pointerTo(place.pointer ?? "", "toolCalls", index) }));
}

/** The result of a call: the response that was sent to the model; what the terminal showed is left out. */
function addResult(list: StepList, { document, value }: ChatMessage, call: Json, answered: Set<string>, place: Place): void {
  const status = wordOf(member(call, "status"));
  const recorded = member(call, "result");
  if (recorded === undefined || recorded === null) return;
  const callId = idOf(member(call, "id"));
  const read = readParts(document, recorded);
  if (callId !== undefined) answered.add(callId);
  // A result that was written down again may bring those of the calls beside it.
  const isOwn = read.parts.some((part) => part.callId === callId);
  let results = read.parts.filter((part) => !isOwn || part.callId === undefined || part.callId === callId).map((part): Part => ({ kind: "tool_result", text: part.text, ...(callId === undefined ? {} : { callId }), ...(part.isError ? { isError: true } : {}) }));
  if (results.length === 0) results = [{ kind: "tool_result", text: "", ...(callId === undefined ? {} : { callId }) }];
  if (status === "error" || status === "cancelled") results = withError(results, "").map((part) => ({ ...part, isError: true }));
  list.add({ role: "tool", parts: results, extras: read.extras, time: timeOf(member(call, "timestamp")) ?? timeOf(value["timestamp"]), places: [place] });
}

/** Counts as the program writes them: the input includes what came from the cache, thoughts stand beside the output. */
function chatTokensOf(value: Json | undefined): Tokens | undefined {
  const tokens: Tokens = {};
  const names = [["input", "input"], ["cachedInput", "cached"], ["output", "output"], ["reasoning", "thoughts"]] as const;
  for (const [key, name] of names) {
    const count = numberOf(member(value, name));
    if (count !== undefined) tokens[key] = count;
  }
  return Object.keys(tokens).length > 0 ? tokens : undefined;
}
