/** Finds the talk in a record of chat data: plain messages, replies, request with response, preferences between two answers. */
import { isObject, member, pointerTo } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import type { Trajectory } from "../model";
import { stringOf } from "./fields";

/** Messages that stand together; `pointer` leads to the list, or with `single` to the one message, inside the record. */
export interface Segment {
  readonly messages: readonly Json[];
  readonly pointer: string;
  readonly single?: boolean;
  /** The reply object that the last message came in, with usage and model. */
  readonly reply?: JsonObject | undefined;
  /** Why the reply ended. */
  readonly finish?: string | undefined;
}

/** One trajectory of a record. `key` tells several of one record apart; a `branch` is another answer to the same request. */
export interface Talk {
  readonly segments: readonly Segment[];
  readonly key?: string | undefined;
  readonly branch?: boolean | undefined;
  /** What the record says of this answer against the other one: no verdict on it alone. */
  readonly preference?: string | undefined;
  readonly error?: string | undefined;
}

/** Members that hold talk, so that they are no facts about it. */
export const talkKeys: ReadonlySet<string> = new Set([
  "messages", "choices", "request", "response", "body", "input", "preferred_output", "non_preferred_output", "chosen", "rejected", "chosen_messages",
  "rejected_messages", "conversations", "conversation", "prompt", "tools", "functions", "images", "videos", "audios", "usage", "object",
]);

/** Is it an object that says who speaks? */
export function isMessage(value: Json | undefined): value is JsonObject {
  return isObject(value) && typeof value["role"] === "string" && ("content" in value || "tool_calls" in value || "function_call" in value || Object.keys(value).length <= 2);
}

export function isMessageList(value: Json | undefined): value is Json[] {
  return Array.isArray(value) && value.some(isMessage);
}

/** A chat completion, or what looks like one. */
export function isCompletion(value: Json | undefined): boolean {
  const choices = member(value, "choices");
  return Array.isArray(choices) && choices.some((choice) => isObject(member(choice, "message")));
}

/** The talks of a record; none where it holds no chat. */
export function talksOf(value: Json | undefined): Talk[] {
  if (!isObject(value)) return [];
  if (isCompletion(value)) return completionTalks([], value, "");
  const preferences = preferenceTalks(value);
  if (preferences.length > 0) return preferences;
  for (const key of ["messages", "conversations", "conversation"]) {
    const messages = value[key];
    if (Array.isArray(messages) && messages.length === 0 && key === "messages") return [{ segments: [{ messages: [], pointer: "/messages" }] }];
    if (isMessageList(messages)) return withResponse([{ messages, pointer: pointerTo("", key) }], value);
  }
  for (const key of ["request", "body", "input"]) {
    const messages = member(value[key], "messages");
    if (isMessageList(messages)) return withResponse([{ messages, pointer: pointerTo("", key, "messages") }], value);
  }
  return isObject(value["response"]) ? withResponse([], value) : [];
}

/** Adds the recorded reply to the messages of a request. */
function withResponse(segments: Segment[], record: JsonObject): Talk[] {
  const response = record["response"] ?? record["completion"] ?? record["output"];
  const body = isObject(member(response, "body")) ? member(response, "body") : response;
  const pointer = "response" in record ? "/response" : "completion" in record ? "/completion" : "/output";
  const inBody = pointer + (body === response ? "" : "/body");
  const error = stringOf(member(member(body, "error"), "message")) ?? stringOf(member(record["error"], "message")) ?? stringOf(record["error"]);
  if (isCompletion(body)) return completionTalks(segments, body as JsonObject, inBody).map((talk) => ({ ...talk, error }));
  if (isMessage(body)) return [{ segments: [...segments, { messages: [body], pointer: inBody, single: true }], error }];
  return segments.length > 0 ? [{ segments, error }] : [];
}

function completionTalks(before: readonly Segment[], completion: JsonObject, pointer: string): Talk[] {
  const choices = completion["choices"] as Json[];
  return choices.flatMap((choice, i): Talk[] => {
    const message = member(choice, "message");
    if (!isObject(message)) return [];
    const reply: Segment = {
      messages: ["role" in message ? message : withRole(message)], pointer: pointerTo(pointer, "choices", i, "message"), single: true,
      reply: completion, finish: stringOf(member(choice, "finish_reason")),
    };
    return [{ segments: [...before, reply], ...(i > 0 ? { key: `choice-${i}`, branch: true } : {}) }];
  });
}

/** A reply whose message leaves the role out is the assistant's. Its members stay the recorded ones. */
function withRole(message: JsonObject): JsonObject {
  return { role: "assistant", ...message };
}

const pairs = [
  ["preferred_output", "non_preferred_output"],
  ["chosen_messages", "rejected_messages"],
  ["chosen", "rejected"],
] as const;

function preferenceTalks(value: JsonObject): Talk[] {
  const pair = pairs.find(([better, worse]) => answers(value[better]) !== undefined && answers(value[worse]) !== undefined);
  if (!pair) return [];
  const before: Segment[] = [];
  if (isMessageList(member(value["input"], "messages"))) before.push({ messages: member(value["input"], "messages") as Json[], pointer: "/input/messages" });
  else for (const key of ["messages", "prompt", "conversations"]) if (before.length === 0 && isMessageList(value[key])) before.push({ messages: value[key] as Json[], pointer: `/${key}` });
  return pair.map((key, i): Talk => {
    const word = i === 0 ? "chosen" : "rejected";
    const given = answers(value[key])!;
    const segment: Segment = { messages: given, pointer: `/${key}`, single: !Array.isArray(value[key]) };
    return { segments: [...before, segment], key: word, preference: word };
  });
}

function answers(value: Json | undefined): Json[] | undefined {
  if (isMessage(value)) return [value];
  return isMessageList(value) ? value : undefined;
}

/** Rows that say a preference; they belong to the verdicts. */
export function preferenceRows(talk: Talk): Trajectory["metadata"] {
  return talk.preference === undefined ? [] : [{ name: "preference", value: `${talk.preference} (against the other answer, no verdict on this one)` }];
}
