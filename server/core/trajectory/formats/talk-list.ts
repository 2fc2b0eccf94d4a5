/** Looks for talk in JSON of unknown shape: the longest list whose items say who speaks and what. */
import { isObject } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import { pointerTo } from "#core/json/access";
import type { Role } from "../model";

const roleKeys = ["role", "from", "speaker", "sender", "author", "source", "type"];
const textKeys = ["content", "text", "value", "message", "body"];
const payloadKeys = ["data", "payload", "args"];

/** One item of a talk as found: who (as recorded) and what, `body` being the object that holds both. */
export interface TalkItem {
  readonly speaker: string;
  readonly content: Json;
  readonly contentKey: string;
  readonly body: JsonObject;
}

/** A list of items at a JSON pointer. */
export interface TalkList {
  readonly items: readonly Json[];
  readonly pointer: string;
}

/** Who speaks and what, in `item` itself or in its payload; undefined when it lacks either. */
export function talkItem(item: Json | undefined): TalkItem | undefined {
  if (!isObject(item)) return undefined;
  const direct = directItem(item);
  if (direct) return direct;
  for (const key of payloadKeys) {
    const payload = item[key];
    if (!isObject(payload)) continue;
    const inner = directItem(payload);
    if (inner) return inner;
    const content = textKeys.find((name) => typeof payload[name] === "string");
    const speaker = speakerOf(item);
    if (speaker && content) return { speaker, content: payload[content]!, contentKey: content, body: payload };
  }
  return undefined;
}

function directItem(item: JsonObject): TalkItem | undefined {
  const speaker = speakerOf(item);
  if (speaker === undefined) return undefined;
  for (const key of textKeys) {
    const content = item[key];
    if (typeof content === "string" || Array.isArray(content)) return { speaker, content, contentKey: key, body: item };
  }
  return undefined;
}

/** The name under which an item says who or what it is. */
export function speakerOf(item: JsonObject): string | undefined {
  for (const key of roleKeys) {
    const value = item[key];
    if (typeof value === "string" && value !== "") return value;
    if (isObject(value) && typeof value["role"] === "string") return value["role"];
  }
  return undefined;
}

/** An event of a stream: it has a type and an object that goes with it. */
export function isEvent(item: Json | undefined): boolean {
  return isObject(item) && typeof item["type"] === "string" && payloadKeys.some((key) => isObject(item[key]));
}

const exact: Record<string, Role> = {
  user: "user", human: "user", customer: "user", instruction: "user",
  assistant: "assistant", gpt: "assistant", model: "assistant", ai: "assistant", agent: "assistant", bot: "assistant", chatgpt: "assistant", bard: "assistant",
  bing: "assistant", gemini: "assistant", system: "system", developer: "system",
  tool: "tool", function: "tool", observation: "tool", environment: "tool", ipython: "tool", function_response: "tool", tool_response: "tool", tool_result: "tool",
};

/** The role that a recorded name means, or undefined for an unknown one. */
export function roleOf(speaker: string): Role | undefined {
  const word = speaker.toLowerCase().trim();
  if (Object.hasOwn(exact, word)) return exact[word];
  if (/(tool|function|call).*(result|output|response|end|complete)|observation/.test(word)) return "tool";
  if (/user|human/.test(word)) return "user";
  if (/assistant|agent|model|tool|call|reasoning|thought/.test(word)) return "assistant";
  return /system|developer/.test(word) ? "system" : undefined;
}

/** Something that happened at a time: a span, a log entry. */
function isTimed(item: Json | undefined): boolean {
  if (!isObject(item) || !["name", "type", "event", "action", "kind"].some((key) => typeof item[key] === "string")) return false;
  return Object.keys(item).some((key) => /time|^ts$|_at$/i.test(key));
}

/** The list in `value` with the most events or timed records; for files without talk. */
export function findEvents(value: Json): TalkList | undefined {
  return longestList(value, "", (item) => isEvent(item) || isTimed(item));
}

const deepest = 8;
const mostNodes = 20000;

/** The list in `value` with the most items that are talk, breadth first; undefined when no list has any. */
export function findTalk(value: Json, pointer = ""): TalkList | undefined {
  return longestList(value, pointer, (item) => talkItem(item) !== undefined);
}

function longestList(value: Json, pointer: string, fits: (item: Json) => boolean): TalkList | undefined {
  let best: { list: TalkList; count: number } | undefined;
  let level: { value: Json; pointer: string }[] = [{ value, pointer }];
  let seen = 0;
  for (let depth = 0; depth < deepest && level.length > 0; depth++) {
    const next: typeof level = [];
    for (const node of level) {
      if (++seen > mostNodes) return best?.list;
      if (Array.isArray(node.value)) {
        const count = node.value.reduce<number>((n, item) => n + (fits(item) ? 1 : 0), 0);
        if (count > (best?.count ?? 0)) best = { list: { items: node.value, pointer: node.pointer }, count };
        if (count === 0) node.value.slice(0, 200).forEach((item, i) => next.push({ value: item, pointer: pointerTo(node.pointer, i) }));
      } else if (isObject(node.value)) {
        for (const key of Object.keys(node.value)) {
          const inner = node.value[key]!;
          if (typeof inner === "object" && inner !== null) next.push({ value: inner, pointer: pointerTo(node.pointer, key) });
        }
      }
    }
    level = next;
  }
  return best?.list;
}
