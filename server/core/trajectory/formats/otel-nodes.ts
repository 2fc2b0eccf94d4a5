/** Spans as nodes of a trace: what kind of work each is, its messages in any of the conventions, its tool, tokens and model. */
import { isObject, member, nameTable } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import { parseJson } from "#core/json/text-document";
import type { Tokens } from "../model";
import { listOf, stringOf, textOf, wordOf } from "./fields";
import { jsonOf, timeOfNanos } from "./otel-attributes";
import type { Span, SpanEvent } from "./otel-spans";
import { tracedTalk } from "./trace-messages";
import type { NodeKind, TracedTalk, TracedTool, TraceNode } from "./trace-nodes";

/** A node for each span. Spans without an id of their own are told apart by their position. */
export function nodesOf(spans: readonly Span[]): TraceNode[] {
  return spans.map((span, index): TraceNode => {
    const { attributes } = span;
    const { kind, kindName } = kindOf(span);
    const talk = kind === "llm" || kind === "other" || kind === "agent" ? talkOf(span) : {};
    return {
      id: span.id ?? `span-${index}`, parent: span.parent, kind, kindName, name: span.name, order: span.start ?? BigInt(index), time: timeOfNanos(span.start), place: span.place,
      input: talk.input, output: talk.output, tool: kind === "tool" ? toolOf(span, kindName) : undefined, error: span.error, tokens: kind === "llm" ? tokensOf(span) : undefined,
      model: kind === "llm" ? attributes.word("gen_ai.response.model", "llm.model_name", "ai.response.model", "gen_ai.request.model", "ai.model.id") : undefined,
      finish: kind === "llm" ? finishOf(attributes.first("gen_ai.response.finish_reasons", "ai.response.finishReason", "llm.response.finish_reason")) : undefined,
      raw: () => attributes.json(),
    };
  });
}

function finishOf(value: Json | undefined): string | undefined {
  return wordOf(value) ?? wordOf(listOf(value)[0]);
}

const byOperation = nameTable<NodeKind>({ chat: "llm", text_completion: "llm", generate_content: "llm", execute_tool: "tool", invoke_agent: "agent", create_agent: "agent" });
const byOpenInference = nameTable<NodeKind>({ LLM: "llm", TOOL: "tool", RETRIEVER: "tool", AGENT: "agent" });

function kindOf({ attributes, name }: Span): { kind: NodeKind; kindName: string } {
  const inference = attributes.word("openinference.span.kind")?.toUpperCase();
  if (inference !== undefined && inference !== "UNKNOWN") return { kind: byOpenInference[inference] ?? "other", kindName: inference };
  const operation = attributes.word("gen_ai.operation.name");
  if (operation !== undefined) return { kind: byOperation[operation] ?? "other", kindName: operation };
  const vercel = attributes.word("ai.operationId");
  if (vercel !== undefined) return { kind: vercel === "ai.toolCall" ? "tool" : /^ai\.(generate|stream)/.test(vercel) ? "llm" : "other", kindName: vercel };
  const loop = attributes.word("traceloop.span.kind");
  if (loop === "tool" || loop === "agent") return { kind: loop, kindName: loop };
  if (attributes.first("gen_ai.tool.call.id", "gen_ai.tool.name") !== undefined || /^execute_tool\b/.test(name)) return { kind: "tool", kindName: "execute_tool" };
  if (/^invoke_agent\b/.test(name)) return { kind: "agent", kindName: "invoke_agent" };
  if (attributes.names().some((key) => /^(gen_ai\.(request\.model|prompt|completion|input\.messages)|llm\.(input_messages|request\.type))/.test(key))) return { kind: "llm", kindName: "LLM" };
  return { kind: "other", kindName: inference ?? attributes.word("db.system.name", "db.system") ?? "span" };
}

interface Talk { input?: TracedTalk | undefined; output?: TracedTalk | undefined }

/** Messages under whichever convention has any; what went in and came out as plain values where none has. */
function talkOf(span: Span): Talk {
  const { attributes, document } = span;
  const read = (value: Json | undefined, role: "user" | "assistant" | "system") => tracedTalk(document, value, role);
  const input = read(attributes.tree("llm.input_messages"), "user") ?? withSystem(read(attributes.first("gen_ai.system_instructions"), "system"), read(attributes.tree("gen_ai.input.messages"), "user"))
    ?? read(attributes.tree("gen_ai.prompt"), "user") ?? eventInput(span) ?? read(attributes.first("ai.prompt.messages", "ai.prompt"), "user") ?? read(attributes.first("llm.prompts", "input.value", "input", "ai.value", "traceloop.entity.input"), "user");
  const output = read(attributes.tree("llm.output_messages"), "assistant") ?? read(attributes.tree("gen_ai.output.messages"), "assistant") ?? read(attributes.tree("gen_ai.completion"), "assistant")
    ?? eventOutput(span) ?? vercelOutput(span) ?? read(attributes.first("output.value", "output", "traceloop.entity.output"), "assistant");
  return { input, output };
}

/** Instructions are a list of parts, a text, or messages; they go before the messages. */
function withSystem(system: TracedTalk | undefined, input: TracedTalk | undefined): TracedTalk | undefined {
  if (!system || !input) return input ?? system;
  return { document: both(system.document, input.document), messages: [...system.messages.map((message) => ({ ...message, role: "system" })), ...input.messages] };
}

/** Two documents as one, for messages that were recorded in different attributes. */
function both(first: JsonDocument, second: JsonDocument): JsonDocument {
  return first === second ? first : { ...second, value: null, rawOf: (value) => second.rawOf(value) ?? first.rawOf(value), rawMembers: (object) => second.rawMembers(object) ?? first.rawMembers(object), notes: [], locate: () => undefined };
}

const eventRoles = nameTable<string>({ "gen_ai.system.message": "system", "gen_ai.user.message": "user", "gen_ai.assistant.message": "assistant", "gen_ai.tool.message": "tool" });

/** Older conventions write each message as an event of the span. */
function eventInput(span: Span): TracedTalk | undefined {
  const whole = span.events.find((event) => event.name === "gen_ai.content.prompt");
  if (whole) return tracedTalk(span.document, whole.attributes.get("gen_ai.prompt"), "user");
  const details = span.events.find((event) => event.attributes.get("gen_ai.input.messages") !== undefined);
  if (details) return tracedTalk(span.document, details.attributes.get("gen_ai.input.messages"), "user");
  const messages = span.events.flatMap((event) => (eventRoles[event.name] === undefined ? [] : [eventMessage(event, eventRoles[event.name]!)]));
  return messages.length > 0 ? { document: span.document, messages } : undefined;
}

function eventOutput(span: Span): TracedTalk | undefined {
  const whole = span.events.find((event) => event.name === "gen_ai.content.completion");
  if (whole) return tracedTalk(span.document, whole.attributes.get("gen_ai.completion"), "assistant");
  const details = span.events.find((event) => event.attributes.get("gen_ai.output.messages") !== undefined);
  if (details) return tracedTalk(span.document, details.attributes.get("gen_ai.output.messages"), "assistant");
  const choices = span.events.filter((event) => event.name === "gen_ai.choice").map((event) => eventMessage(event, "assistant"));
  return choices.length > 0 ? { document: span.document, messages: choices } : undefined;
}

/** The message of an event: in its body, as JSON in one attribute, or in attributes of their own. */
function eventMessage(event: SpanEvent, role: string): JsonObject {
  const recorded = event.body ?? event.attributes.first("gen_ai.event.content", "event_body", "body", "message");
  const parsed = typeof recorded === "string" ? parseJson(recorded).document?.value : recorded;
  const body = isObject(parsed) ? (isObject(parsed["message"]) ? parsed["message"] : parsed) : undefined;
  const get = (name: string): Json | undefined => body?.[name] ?? jsonValue(event.attributes.get(name));
  return { role: stringOf(get("role")) ?? role, content: get("content") ?? (body ? null : (recorded ?? null)), tool_calls: get("tool_calls") ?? null, tool_call_id: get("id") ?? get("tool_call_id") ?? null };
}

function jsonValue(value: Json | undefined): Json | undefined {
  return typeof value === "string" && /^\s*[[{]/.test(value) ? (parseJson(value).document?.value ?? value) : value;
}

function vercelOutput({ attributes, document }: Span): TracedTalk | undefined {
  const text = attributes.word("ai.response.text", "ai.response.object", "ai.result.text", "ai.result.object");
  const calls = jsonValue(attributes.first("ai.response.toolCalls", "ai.result.toolCalls"));
  const reasoning = attributes.word("ai.response.reasoning");
  if (text === undefined && !Array.isArray(calls) && reasoning === undefined) return undefined;
  const made = listOf(calls).filter(isObject).map((call): Json => ({ id: call["toolCallId"] ?? null, name: call["toolName"] ?? null, arguments: call["input"] ?? call["args"] ?? null }));
  return { document, messages: [{ role: "assistant", content: text ?? null, tool_calls: made, ...(reasoning === undefined ? {} : { reasoning }) }] };
}

function tokensOf({ attributes }: Span): Tokens | undefined {
  const tokens: Tokens = {};
  const set = (key: keyof Tokens, ...names: string[]): void => {
    const found = attributes.number(...names);
    if (found !== undefined) tokens[key] = found;
  };
  set("input", "gen_ai.usage.input_tokens", "llm.token_count.prompt", "gen_ai.usage.prompt_tokens", "ai.usage.inputTokens", "ai.usage.promptTokens");
  set("cachedInput", "llm.token_count.prompt_details.cache_read", "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cached_input_tokens", "ai.usage.cachedInputTokens");
  set("output", "gen_ai.usage.output_tokens", "llm.token_count.completion", "gen_ai.usage.completion_tokens", "ai.usage.outputTokens", "ai.usage.completionTokens");
  set("reasoning", "llm.token_count.completion_details.reasoning", "gen_ai.usage.reasoning_tokens", "ai.usage.reasoningTokens");
  return Object.keys(tokens).length > 0 ? tokens : undefined;
}

function toolOf({ attributes, name, document }: Span, kindName: string): TracedTool {
  const found = listOf(attributes.tree("retrieval.documents")).map((one) => wordOf(member(member(one, "document") ?? one, "document.content")) ?? wordOf(member(member(one, "document") ?? one, "content")));
  const value = (...names: string[]): Json | undefined => {
    const recorded = attributes.first(...names);
    return isObject(recorded) || Array.isArray(recorded) ? (document.rawOf(recorded) === undefined ? jsonOf(recorded) : textOf(document, recorded)) : recorded;
  };
  return {
    name: attributes.word("gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name") ?? name.replace(/^execute_tool\s+/, ""), document,
    callId: attributes.word("gen_ai.tool.call.id", "tool_call.id", "tool.id", "ai.toolCall.id"),
    args: value("gen_ai.tool.call.arguments", "ai.toolCall.args", "ai.toolCall.input", "input.value", "traceloop.entity.input", ...(kindName === "RETRIEVER" ? [] : ["tool.parameters"])),
    result: value("gen_ai.tool.call.result", "ai.toolCall.result", "ai.toolCall.output", "output.value", "traceloop.entity.output"),
    shown: found.flatMap((text) => text ?? []),
  };
}
