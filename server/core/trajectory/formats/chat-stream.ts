/** Puts streamed chat completions together again: chunk objects, as lines of JSON or as server-sent events. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import { parseJson } from "#core/json/text-document";
import type { SourceDocument } from "../reader";
import { listOf, numberOf, stringOf } from "./fields";

export function isChunk(value: Json | undefined): value is JsonObject {
  return isObject(value) && (value["object"] === "chat.completion.chunk" || listOf(value["choices"]).some((choice) => isObject(member(choice, "delta"))));
}

/** What is looked at before a whole file is taken for a stream's dump. */
const firstLook = 20;

/** The chunks of a file that is a stream's dump; undefined for other files. `look` limits how many are sought. */
export function streamChunks(document: SourceDocument, look = Infinity): JsonObject[] | undefined {
  // A long file is not read and held as a whole only to learn that it is something else.
  if (look > firstLook && !streamChunks(document, firstLook)) return undefined;
  const values = document.kind === "jsonl" ? document.firstLines(look).map((line) => line.json?.value) : document.kind === "text" ? eventData(document.text(), look) : [];
  const chunks = values.filter(isChunk);
  return chunks.length > 0 && chunks.length * 2 >= values.length ? chunks : undefined;
}

/** What stands behind `data:` in server-sent events, parsed; the closing `[DONE]` and comments are no data. */
export function eventData(text: string, look: number): Json[] {
  const found: Json[] = [];
  for (const [, data] of text.matchAll(/^data:[ \t]?(.*)$/gm)) {
    if (found.length >= look) break;
    if (data!.trim() === "[DONE]") continue;
    const parsed = parseJson(data!).document;
    if (parsed) found.push(parsed.value);
  }
  return found;
}

interface GrowingChoice {
  message: JsonObject;
  calls: Map<number, { id?: string | undefined; name: string; arguments: string }>;
  finish: Json;
}

/** Whole `chat.completion` objects, one for each id in the order of their first chunk. */
export function assembleChunks(chunks: readonly JsonObject[]): JsonObject[] {
  const replies = new Map<string, { head: JsonObject; usage: Json; choices: Map<number, GrowingChoice> }>();
  for (const chunk of chunks) {
    const id = stringOf(chunk["id"]) ?? "";
    const reply = replies.get(id) ?? { head: chunk, usage: null, choices: new Map<number, GrowingChoice>() };
    replies.set(id, reply);
    if (isObject(chunk["usage"])) reply.usage = chunk["usage"];
    for (const choice of listOf(chunk["choices"])) addDelta(reply.choices, choice);
  }
  return [...replies.values()].map(({ head, usage, choices }) => ({
    id: head["id"] ?? null, object: "chat.completion", created: head["created"] ?? null, model: head["model"] ?? null, usage,
    choices: [...choices].sort(([a], [b]) => a - b).map(([index, choice]) => ({ index, finish_reason: choice.finish, message: wholeMessage(choice) })),
  }));
}

function addDelta(choices: Map<number, GrowingChoice>, choice: Json): void {
  if (!isObject(choice)) return;
  const index = numberOf(choice["index"]) ?? 0;
  const grown: GrowingChoice = choices.get(index) ?? { message: { role: "assistant", content: null }, calls: new Map(), finish: null };
  choices.set(index, grown);
  if (choice["finish_reason"] !== null && choice["finish_reason"] !== undefined) grown.finish = choice["finish_reason"];
  const delta = choice["delta"];
  if (!isObject(delta)) return;
  for (const key of ["content", "reasoning_content", "reasoning", "refusal"]) {
    const piece = stringOf(delta[key]);
    if (piece !== undefined) grown.message[key] = (stringOf(grown.message[key]) ?? "") + piece;
  }
  for (const call of listOf(delta["tool_calls"])) {
    const at = numberOf(member(call, "index")) ?? grown.calls.size;
    const known = grown.calls.get(at) ?? { name: "", arguments: "" };
    known.id ??= stringOf(member(call, "id"));
    known.name += stringOf(member(member(call, "function"), "name")) ?? "";
    known.arguments += stringOf(member(member(call, "function"), "arguments")) ?? "";
    grown.calls.set(at, known);
  }
}

function wholeMessage({ message, calls }: GrowingChoice): JsonObject {
  if (calls.size === 0) return message;
  const list = [...calls].sort(([a], [b]) => a - b).map(([, call]): Json => ({ id: call.id ?? null, type: "function", function: { name: call.name, arguments: call.arguments } }));
  return { ...message, tool_calls: list };
}
