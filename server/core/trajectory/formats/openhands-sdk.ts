/** OpenHands events of the software-agent SDK: typed by `kind`, or by what they hold. */
import { isObject, member, memberAt } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import type { Part } from "../model";
import { readContent } from "./chat-content";
import { addReasoning, type EventSteps, type HandsEvent } from "./openhands-events";
import { booleanOf, idOf, listOf, numberOf, stringOf, textOf, wordOf } from "./fields";
import { callPart } from "./tool-args";

/** Reads one event into `steps`. */
export function readSdkEvent(steps: EventSteps, event: HandsEvent): void {
  const { value, document } = event;
  const kind = kindOf(value);
  switch (kind) {
    case "SystemPromptEvent": {
      for (const tool of listOf(value["tools"])) steps.tools.push(wordOf(memberAt(tool, "function", "name")) ?? wordOf(member(tool, "name")) ?? "?");
      const read = readContent(document, value["system_prompt"]);
      const dynamic = readContent(document, value["dynamic_context"]);
      steps.add(event, "system", [...read.parts, ...dynamic.parts], { extras: [...read.extras, ...dynamic.extras] });
      return;
    }
    case "MessageEvent": return readMessage(steps, event);
    case "ActionEvent": return readAction(steps, event);
    case "ObservationEvent": return readObservation(steps, event, value["observation"]);
    case "UserRejectObservation": return addResult(steps, event, [stringOf(value["rejection_reason"]) ?? ""], true);
    case "AgentErrorEvent": return addResult(steps, event, [stringOf(value["error"]) ?? ""], true);
    case "Condensation": case "CondensationSummaryEvent": {
      const summary = stringOf(value["summary"]);
      steps.add(event, "system", summary ? [{ kind: "text", text: summary }] : [], { name: kind, flags: ["meta", "compaction"], extras: [{ type: kind, raw: textOf(document, value) }] });
      return;
    }
    case "ConversationErrorEvent": {
      const text = [wordOf(value["code"]), wordOf(value["detail"])].filter((word) => word !== undefined).join(": ");
      steps.outcome.error = text || kind;
      steps.add(event, "system", text ? [{ kind: "text", text }] : [], { name: kind, flags: ["meta"] });
      return;
    }
    case "ConversationStateUpdateEvent": {
      if (value["key"] === "execution_status" && wordOf(value["value"])) steps.outcome.status = wordOf(value["value"])!;
      return steps.drop(kind);
    }
    case "PauseEvent": case "CondensationRequest": case "TokenEvent": case "LLMCompletionLogEvent": return steps.drop(kind);
    default: {
      steps.add(event, "system", [], { name: kind, flags: ["meta"], extras: [{ type: kind, raw: textOf(document, value) }] });
      steps.list.warn("unknown-event", `An event of kind "${kind.slice(0, 60)}" is not known; it is kept as recorded.`, event.place);
    }
  }
}

function kindOf(value: JsonObject): string {
  const kind = wordOf(value["kind"]);
  if (kind !== undefined) return kind;
  if ("system_prompt" in value) return "SystemPromptEvent";
  if (isObject(value["llm_message"])) return "MessageEvent";
  if ("observation" in value) return "ObservationEvent";
  if ("action" in value || "tool_call" in value) return "ActionEvent";
  if (typeof value["error"] === "string") return "AgentErrorEvent";
  return "key" in value ? "ConversationStateUpdateEvent" : "event";
}

function readMessage(steps: EventSteps, event: HandsEvent): void {
  const { value, document } = event;
  const message = isObject(value["llm_message"]) ? value["llm_message"] : undefined;
  const source = stringOf(value["source"]) ?? stringOf(message?.["role"]);
  const read = readContent(document, message?.["content"], { thinking: source === "agent" });
  const more = readContent(document, value["extended_content"]);
  for (const { code, message: problem } of read.problems) steps.list.warn(code, `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`, event.place);
  if (source !== "agent" && source !== "assistant") {
    steps.add(event, source === "user" ? "user" : "system", [...read.parts, ...more.parts], { extras: [...read.extras, ...more.extras] });
    return;
  }
  const { step } = steps.reply(event, wordOf(value["llm_response_id"]));
  addReasoning(step, message);
  step.parts.push(...read.parts);
  if (read.extras.length > 0) step.extras = [...(step.extras ?? []), ...read.extras];
}

const kindOnly = new Set(["kind"]);

function readAction(steps: EventSteps, event: HandsEvent): void {
  const { value, document } = event;
  const call = value["tool_call"];
  const action = isObject(value["action"]) ? value["action"] : undefined;
  const recorded = memberAt(call, "function", "arguments") ?? member(call, "arguments");
  const name = wordOf(value["tool_name"]) ?? wordOf(memberAt(call, "function", "name")) ?? wordOf(member(call, "name"));
  const id = idOf(value["tool_call_id"]) ?? idOf(member(call, "id"));
  const { step, isNew } = steps.reply(event, wordOf(value["llm_response_id"]));
  if (isNew) addReasoning(step, value);
  const thought = readContent(document, value["thought"]);
  step.parts.push(...thought.parts.filter((part) => steps.isNewText(step, part.text)));
  if (thought.extras.length > 0) step.extras = [...(step.extras ?? []), ...thought.extras];
  const read = callPart(document, { name, id, args: recorded ?? action, skip: recorded === undefined ? kindOnly : undefined });
  if (read.problem) steps.list.warn("unparsed-arguments", `Call of ${name ?? "a tool"}: ${read.problem}.`, event.place);
  step.parts.push(read.part);
  if (name !== "finish") return;
  steps.outcome.status ??= "finish";
  const last = stringOf(action?.["message"]);
  if (last) steps.outcome.details = [{ name: "final message", value: last }];
}

function readObservation(steps: EventSteps, event: HandsEvent, observation: Json | undefined): void {
  const content = member(observation, "content");
  const read = readContent(event.document, content ?? [], { result: {} });
  const texts = content === undefined || content === null ? [] : read.parts.map((part) => part.text);
  const output = stringOf(member(observation, "output")) ?? stringOf(member(observation, "result"));
  const error = stringOf(member(observation, "error"));
  if (texts.length === 0 && output !== undefined) texts.push(output);
  if (error && !texts.includes(error)) texts.push(error);
  if (texts.length === 0) texts.push(isObject(observation) && Object.keys(observation).some((key) => key !== "kind") ? textOf(event.document, observation) : "");
  const code = numberOf(member(observation, "exit_code")) ?? numberOf(memberAt(observation, "metadata", "exit_code"));
  const failed = booleanOf(member(observation, "is_error")) === true || Boolean(error) || (code !== undefined && code !== 0);
  addResult(steps, event, texts, failed, read.extras);
}

function addResult(steps: EventSteps, event: HandsEvent, texts: readonly string[], failed: boolean, extras: NonNullable<Parameters<EventSteps["add"]>[3]>["extras"] = []): void {
  const callId = idOf(event.value["tool_call_id"]);
  const parts = texts.map((text): Part => ({ kind: "tool_result", text, ...(callId === undefined ? {} : { callId }), ...(failed ? { isError: true } : {}) }));
  steps.add(event, "tool", parts, { extras });
}
