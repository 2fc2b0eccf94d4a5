/** OpenClaw messages and telemetry events as steps. */
import { isObject, member, pointerTo } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import type { Part, Step, StepFlag, Tokens } from "../model";
import { readContent } from "./chat-content";
import { booleanOf, idOf, listOf, numberOf, stringOf, textOf, timeOf, wordOf } from "./fields";
import type { ClawEvent } from "./openclaw";
import { withError } from "./result-error";
import type { StepList } from "./step-list";
import { callPart } from "./tool-args";

/** Appends the messages of a history; its places point into the event that carries it. */
export function addHistory(list: StepList, event: ClawEvent): void {
  const { document } = event;
  listOf(event.value["messages"]).forEach((message, index) => {
    const place = { ...event.place, pointer: pointerTo("", "messages", index) };
    if (!isObject(message)) {
      list.warn("bad-message", `Message ${index} of the history is no object.`, place);
      return;
    }
    const role = stringOf(message["role"]);
    const common = { time: timeOf(message["timestamp"]), places: [place] };
    if (role === "assistant") addReply(list, event, message, index);
    else if (role === "toolResult" || role === "tool") {
      const read = readContent(document, message["content"], { result: { callId: idOf(message["toolCallId"]) } });
      const parts = booleanOf(message["isError"]) === true ? withError(read.parts, "").map((part) => ({ ...part, isError: true })) : read.parts;
      list.add({ ...common, role: "tool", parts, extras: read.extras });
    } else {
      const read = readContent(document, message["content"]);
      const isOwn = role !== "user" && role !== "system";
      if (isOwn && role !== "custom") list.warn("unknown-role", `Message ${index} of the history has the role ${role?.slice(0, 60) ?? "(none)"}; it is shown as the program's own.`, place);
      list.add({ ...common, role: role === "user" ? "user" : "system", parts: read.parts, extras: read.extras, name: isOwn ? (wordOf(message["customType"]) ?? role) : undefined, flags: isOwn ? ["meta"] : [] });
    }
  });
}

function addReply(list: StepList, { document, place: at }: ClawEvent, message: JsonObject, index: number): void {
  const place = { ...at, pointer: pointerTo("", "messages", index) };
  const parts: Part[] = [];
  const step = list.add({ role: "assistant", parts, model: wordOf(message["model"]), tokens: tokensOf(message["usage"]), time: timeOf(message["timestamp"]), places: [place] });
  const content = message["content"];
  for (const block of Array.isArray(content) ? content : [content]) {
    if (member(block, "type") === "toolCall") {
      const made = callPart(document, { name: wordOf(member(block, "name")), id: idOf(member(block, "id")), args: member(block, "arguments") });
      if (made.problem) list.warn("unparsed-arguments", `Call of ${made.part.toolName ?? "a tool"}: ${made.problem}.`, place);
      parts.push(made.part);
      continue;
    }
    const read = readContent(document, block, { thinking: true });
    parts.push(...read.parts);
    if (read.extras.length > 0) step.extras = [...(step.extras ?? []), ...read.extras];
    if (read.reasoningHidden) step.reasoningHidden = true;
  }
  const cost = numberOf(member(member(message["usage"], "cost"), "total"));
  if (cost !== undefined && cost > 0) step.costUsd = cost;
  const error = wordOf(message["errorMessage"]);
  if (error !== undefined) list.warn("model-error", `Reply ${index} of the history ended with an error: ${error.slice(0, 200)}`, place);
}

/** The provider counts what came from the cache apart; input is everything that was sent. */
function tokensOf(usage: Json | undefined): Tokens | undefined {
  const [input, read, write, output] = ["input", "cacheRead", "cacheWrite", "output"].map((name) => numberOf(member(usage, name)));
  if (input === undefined && output === undefined) return undefined;
  return { ...(input === undefined ? {} : { input: input + (read ?? 0) + (write ?? 0) }), ...(read === undefined ? {} : { cachedInput: read }), ...(output === undefined ? {} : { output }) };
}

/** Steps out of events, for what no history holds. */
export class EventSteps {
  readonly dropped = new Map<string, number>();
  /** Calls that started before a result came are one reply. */
  private reply: Step | undefined;
  private bare: ClawEvent[] = [];
  private prompt: string | undefined;

  constructor(private readonly list: StepList, private readonly flags: readonly StepFlag[]) {}

  read(event: ClawEvent, next: ClawEvent | undefined): void {
    const { type, value } = event;
    if (type === "tool.start") this.start(event);
    else if (type === "tool.end") this.end(event);
    else if (type === "agent.start") this.user(event, stringOf(value["prompt"]));
    else if (type === "message.in") {
      // The run that the message starts has it as its prompt.
      const text = stringOf(value["content"]);
      if (next?.type === "agent.start" && next.value["prompt"] === text) this.drop(type);
      else this.user(event, text);
    } else if (type === "message.out" || type === "message.sending") this.said(event);
    else this.drop(type);
  }

  /** Says once how many results came without their text. */
  finish(): void {
    if (this.bare.length > 0) this.list.warn("result-text-missing", `${this.bare.length} results are recorded without their text: telemetry keeps only that a call ended.`, this.bare[0]!.place);
  }

  private drop(type: string): void {
    this.dropped.set(type, (this.dropped.get(type) ?? 0) + 1);
  }

  private add(event: ClawEvent, role: Step["role"], parts: Part[], flags: readonly StepFlag[] = []): Step {
    this.reply = undefined;
    return this.list.add({ role, parts, time: timeOf(event.value["timestamp"] ?? event.value["ts"]), places: [event.place], flags: [...this.flags, ...flags] });
  }

  /** Messages between sessions and scheduled tasks come in the user's place, but not from a person. */
  private user(event: ClawEvent, text: string | undefined): void {
    if (!text || text === this.prompt) return this.drop(event.type);
    this.prompt = text;
    this.add(event, "user", [{ kind: "text", text }], /^\[Inter-session message\]|^Run the following periodic tasks\b/.test(text) ? ["meta"] : []);
  }

  private said(event: ClawEvent): void {
    const text = stringOf(event.value["content"]);
    if (!text) return this.drop(event.type);
    this.add(event, "assistant", [{ kind: "text", text }]);
    if (event.value["success"] === false) this.list.warn("message-not-sent", "This message could not be sent.", event.place);
  }

  private start(event: ClawEvent): void {
    const { value, document } = event;
    const { part } = callPart(document, { name: wordOf(value["toolName"]), id: idOf(value["toolCallId"]), args: value["params"] });
    this.prompt = undefined;
    if (this.reply) {
      this.reply.parts.push(part);
      this.reply.places.push(event.place);
    } else this.reply = this.add(event, "assistant", [part]);
    // `add` closes a reply; this one stays open for the calls beside it.
    this.reply = this.list.steps.at(-1);
  }

  private end(event: ClawEvent): void {
    const { value, document } = event;
    const output = value["result"] ?? value["output"];
    const error = value["error"];
    const failed = booleanOf(value["success"]) === false || (error !== undefined && error !== null);
    const text = output === undefined || output === null ? (error === undefined || error === null ? "" : textOf(document, error)) : textOf(document, output);
    if (text === "" && output === undefined) this.bare.push(event);
    const id = idOf(value["toolCallId"]);
    this.add(event, "tool", [{ kind: "tool_result", text, ...(id === undefined ? {} : { callId: id }), ...(failed ? { isError: true } : {}) }]);
  }
}
