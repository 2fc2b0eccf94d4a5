/** Events of an Inspect sample: times and tokens of its messages, a talk rebuilt from model calls. */
import { arrayMember, member } from "#core/json/access";
import type { Json } from "#core/json/document";
import type { Tokens } from "../model";
import { idOf, listOf, numberOf, stringOf, timeOf } from "./fields";
import type { InspectSample, Piece } from "./inspect-sample";

/** When a message was made and what it cost; when a tool was done, by the id of its call. */
export interface EventFacts {
  /** By the message's id, else by that of its first call: bridged agents give their messages new ids. */
  byMessage(message: Json): { time?: string | undefined; tokens?: Tokens | undefined } | undefined;
  byCall(id: string | undefined): { time?: string | undefined } | undefined;
}

export function eventFacts(sample: InspectSample): EventFacts {
  const messages = new Map<string, { time?: string | undefined; tokens?: Tokens | undefined }>();
  const calls = new Map<string, { time?: string | undefined }>();
  for (const { value } of sample.events()) {
    const name = member(value, "event");
    const time = timeOf(member(value, "completed")) ?? timeOf(member(value, "timestamp"));
    if (name === "model") {
      const facts = { time, tokens: inspectTokens(member(member(value, "output"), "usage")) };
      for (const key of keysOf(outputMessage(value))) messages.set(key, facts);
    } else if (name === "tool") {
      const id = idOf(member(value, "id"));
      if (id !== undefined) calls.set(id, { time });
    }
  }
  return {
    byMessage: (message) => keysOf(message).map((key) => messages.get(key)).find((facts) => facts !== undefined),
    byCall: (id) => (id === undefined ? undefined : calls.get(id)),
  };
}

function keysOf(message: Json | undefined): string[] {
  const id = idOf(member(message, "id"));
  const call = idOf(member(listOf(member(message, "tool_calls"))[0], "id"));
  return [...(id === undefined ? [] : [`message ${id}`]), ...(call === undefined ? [] : [`call ${call}`])];
}

/** The message that a model event produced. */
export function outputMessage(event: Json): Json | undefined {
  return member(listOf(member(member(event, "output"), "choices"))[0], "message");
}

/** Inspect counts cached tokens beside `input_tokens`; here `input` is everything that was sent. */
export function inspectTokens(usage: Json | undefined): Tokens | undefined {
  const sent = numberOf(member(usage, "input_tokens"));
  const output = numberOf(member(usage, "output_tokens"));
  if (sent === undefined && output === undefined) return undefined;
  const read = numberOf(member(usage, "input_tokens_cache_read"));
  const written = numberOf(member(usage, "input_tokens_cache_write")) ?? 0;
  const reasoning = numberOf(member(usage, "reasoning_tokens"));
  const tokens: Tokens = {};
  if (sent !== undefined) tokens.input = sent + (read ?? 0) + written;
  if (read !== undefined) tokens.cachedInput = read;
  if (output !== undefined) tokens.output = output;
  if (reasoning !== undefined) tokens.reasoning = reasoning;
  return tokens;
}

/** What a model call was sent and what it answered. Input that was moved to a pool is fetched from there. */
export function talkOf(event: Piece, sample: InspectSample): Piece[] {
  const { value, document, place } = event;
  const pointer = place.pointer ?? "";
  const input = arrayMember(value, "input") ?? [];
  const pieces: Piece[] = input.length > 0
    ? input.map((message, index) => ({ value: message, document, place: { ...place, pointer: `${pointer}/input/${index}` } }))
    : fromPool(member(value, "input_refs"), sample.pool());
  const output = outputMessage(value);
  if (output !== undefined) pieces.push({ value: output, document, place: { ...place, pointer: `${pointer}/output/choices/0/message` } });
  return pieces;
}

/** The items of `pool` in the ranges `[[from, to), …]`. */
export function fromPool(ranges: Json | undefined, pool: readonly Piece[]): Piece[] {
  return listOf(ranges).flatMap((range) => {
    const [from, to] = [numberOf(listOf(range)[0]), numberOf(listOf(range)[1])];
    return from === undefined || to === undefined || from < 0 ? [] : pool.slice(from, to);
  });
}

/** For a sample that crashed before its messages were written: the talk of its last model call, graders' calls left out. */
export function rebuiltMessages(sample: InspectSample): Piece[] {
  const events = sample.events();
  const grading = gradingEvents(events);
  const last = events.filter((event) => member(event.value, "event") === "model" && !grading.has(event)).at(-1);
  return last ? talkOf(last, sample) : [];
}

/** Events inside spans (older logs: steps) of scorers. */
function gradingEvents(events: readonly Piece[]): Set<Piece> {
  const spans = new Set<string>();
  const found = new Set<Piece>();
  let steps = 0;
  for (const event of events) {
    const { value } = event;
    const name = member(value, "event");
    const isScorer = /^scorers?$/.test(stringOf(member(value, "type")) ?? "");
    if (name === "span_begin" && (isScorer || spans.has(idOf(member(value, "parent_id")) ?? ""))) spans.add(idOf(member(value, "id")) ?? "");
    else if (name === "step" && isScorer) steps += member(value, "action") === "begin" ? 1 : -1;
    else if (steps > 0 || spans.has(idOf(member(value, "span_id")) ?? "")) found.add(event);
  }
  return found;
}
