/** Sub-agents of an Inspect sample that have a talk of their own: agent spans, and in older logs events nested in a tool's. */
import { arrayMember, member } from "#core/json/access";
import type { Json } from "#core/json/document";
import { idOf, stringOf, textOf, wordOf } from "./fields";
import { outputMessage, talkOf } from "./inspect-events";
import type { InspectSample, Piece } from "./inspect-sample";

/** `callId` is the tool call that the agent ran in; `talk` its last model call with what was sent before. */
export interface SubAgent { id: string; name: string; callId?: string | undefined; talk: Piece[] }

/** The sub-agents in the order in which they began. An agent whose replies are the sample's own messages is none. */
export function subAgents(sample: InspectSample): SubAgent[] {
  const events = sample.events();
  if (!events.some(({ value }) => isAgentSpan(value) || arrayMember(value, "events"))) return [];
  const own = new Set(sample.messages.map(({ value, document }) => keyOf(value, (part) => textOf(document, part))));
  const agents = [...spanAgents(events, sample), ...nestedAgents(events, sample)];
  const others = agents.filter((agent) => agent.talk.length > 0 && !agent.replies.some((reply) => own.has(reply)));
  return others.map(({ id, name, callId, talk }) => ({ id, name, callId, talk }));
}

interface Found extends SubAgent { replies: string[] }

function isAgentSpan(value: Json): boolean {
  return member(value, "event") === "span_begin" && member(value, "type") === "agent";
}

/** A message by its id, else by what it says. */
function keyOf(message: Json | undefined, text: (value: Json | undefined) => string): string {
  return idOf(member(message, "id")) ?? `${stringOf(member(message, "role")) ?? ""}\n${text(member(message, "content"))}\n${text(member(message, "tool_calls"))}`;
}

function spanAgents(events: readonly Piece[], sample: InspectSample): Found[] {
  const parents = new Map<string, string | undefined>();
  const agents = new Map<string, { begin: Piece; calls: Piece[] }>();
  for (const event of events) {
    if (member(event.value, "event") !== "span_begin") continue;
    const id = idOf(member(event.value, "id")) ?? "";
    parents.set(id, idOf(member(event.value, "parent_id")));
    if (isAgentSpan(event.value)) agents.set(id, { begin: event, calls: [] });
  }
  for (const event of events) {
    if (member(event.value, "event") !== "model") continue;
    const seen = new Set<string>();
    let span = idOf(member(event.value, "span_id"));
    while (span !== undefined && !agents.has(span) && !seen.has(span)) {
      seen.add(span);
      span = parents.get(span);
    }
    if (span !== undefined) agents.get(span)?.calls.push(event);
  }
  return [...agents].map(([id, { begin, calls }]) => ({
    id, name: wordOf(member(begin.value, "name")) ?? "agent", callId: callOfSpan(id, parents.get(id), events), ...talkOfCalls(calls, sample),
  }));
}

function talkOfCalls(calls: readonly Piece[], sample: InspectSample): { talk: Piece[]; replies: string[] } {
  const last = calls.at(-1);
  return { talk: last ? talkOf(last, sample) : [], replies: calls.map(({ value, document }) => keyOf(outputMessage(value), (part) => textOf(document, part))) };
}

/** The tool call that an agent's span ran in: named by the tool event, else the call made right after the tool's span began. */
function callOfSpan(id: string, parent: string | undefined, events: readonly Piece[]): string | undefined {
  const named = events.find(({ value }) => member(value, "event") === "tool" && member(value, "agent_span_id") === id);
  if (named) return idOf(member(named.value, "id"));
  const at = events.findIndex(({ value }) => member(value, "event") === "span_begin" && idOf(member(value, "id")) === parent && member(value, "type") === "tool");
  const span = events[at]?.value;
  if (span === undefined) return undefined;
  const tool = events.slice(at).find(({ value }) => member(value, "event") === "tool" && member(value, "function") === member(span, "name"));
  return tool && idOf(member(tool.value, "id"));
}

function nestedAgents(events: readonly Piece[], sample: InspectSample): Found[] {
  return events.flatMap(({ value, document, place }, index): Found[] => {
    const inner = arrayMember(value, "events") ?? [];
    const pieces = inner.map((event, at): Piece => ({ value: event, document, place: { ...place, pointer: `${place.pointer ?? ""}/events/${at}` } }));
    const calls = pieces.filter((event) => member(event.value, "event") === "model");
    if (calls.length === 0) return [];
    const callId = member(value, "event") === "tool" ? idOf(member(value, "id")) : undefined;
    const name = wordOf(member(value, "agent")) ?? wordOf(member(value, "function")) ?? wordOf(member(value, "name")) ?? "agent";
    return [{ id: callId ?? `events-${index}`, name, callId, ...talkOfCalls(calls, sample) }];
  });
}
