/** What the generations of OpenHands events share: recognising one, and collecting steps so that one model reply is one step. */
import { isObject, member, memberAt, pointerTo } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Outcome, Part, Place, Role, Step, StepFlag } from "../model";
import { chatTokens } from "./chat-usage";
import { idOf, listOf, numberOf, stringOf, textOf, timeOf, wordOf } from "./fields";
import { StepList } from "./step-list";

/** One event, and where it stands. */
export interface HandsEvent {
  readonly value: JsonObject;
  readonly document: JsonDocument;
  readonly place: Place;
}

const sdkKind = /(?:Event|Observation|Condensation|CondensationRequest)$/;

/** Generation of one item of a history: 1 flat, 2 with id, time and source, 3 of the software-agent SDK; undefined when it is no event. */
export function generationOf(value: Json | undefined): 1 | 2 | 3 | undefined {
  if (!isObject(value)) return undefined;
  const isSdk = sdkKind.test(stringOf(value["kind"]) ?? "") || isObject(value["llm_message"]) || ("system_prompt" in value && "source" in value);
  const hasTool = typeof value["tool_name"] === "string" && (isObject(value["action"]) || isObject(value["observation"]));
  if (isSdk || hasTool || (typeof value["key"] === "string" && "value" in value && "source" in value)) return 3;
  if (typeof value["action"] !== "string" && typeof value["observation"] !== "string") return undefined;
  const isStored = typeof value["source"] === "string" && typeof value["timestamp"] === "string" && (isObject(value["args"]) || isObject(value["extras"]) || "message" in value);
  if (isStored) return 2;
  // Messages of other programs carry an action too, but then a role.
  if ("role" in value) return undefined;
  const fields = ["thought", "command", "content", "code", "outputs", "path", "url", "wait_for_response", "action_risk"];
  return fields.some((key) => key in value) ? 1 : undefined;
}

/** The events of a list, pairs of action and observation taken apart; `problems` counts items that are none. */
export function eventsIn(document: JsonDocument, items: readonly Json[], place: (pointer: string) => Place): { events: HandsEvent[]; problems: Place[] } {
  const events: HandsEvent[] = [];
  const problems: Place[] = [];
  items.forEach((item, index) => {
    const pair = Array.isArray(item) ? item : [item];
    pair.forEach((value, at) => {
      const where = place(Array.isArray(item) ? pointerTo("", index, at) : pointerTo("", index));
      if (isObject(value)) events.push({ value, document, place: where });
      else if (value !== null) problems.push(where);
    });
  });
  return { events, problems };
}

/** Collects the steps of one talk. */
export class EventSteps {
  readonly list = new StepList();
  readonly outcome: Outcome = {};
  readonly models = new Set<string>();
  readonly tools: string[] = [];
  /** Events that made no step, counted by name. */
  readonly dropped = new Map<string, number>();
  private readonly replies = new Map<string, Step>();
  private readonly texts = new Map<Step, Set<string>>();
  private cost = 0;

  add(event: HandsEvent, role: Role, parts: Part[], more: { flags?: StepFlag[]; name?: string; extras?: Step["extras"] } = {}): Step {
    return this.list.add({ role, parts, time: timeOf(event.value["timestamp"]), places: [event.place], ...more });
  }

  drop(name: string): void {
    this.dropped.set(name, (this.dropped.get(name) ?? 0) + 1);
  }

  /** The step of the reply that `event` is a part of. `isNew` is false for the second and later calls of one reply. */
  reply(event: HandsEvent, responseId: string | undefined): { step: Step; isNew: boolean } {
    const known = responseId === undefined ? undefined : this.replies.get(responseId);
    if (known) {
      known.places.push(event.place);
      return { step: known, isNew: false };
    }
    const step = this.add(event, "assistant", []);
    if (responseId !== undefined) this.replies.set(responseId, step);
    this.addCost(step, event.value["llm_metrics"]);
    return { step, isNew: true };
  }

  /** True the first time that a reply's events carry this text: each of its calls may repeat what was written ahead of them. */
  isNewText(step: Step, text: string): boolean {
    const said = this.texts.get(step) ?? new Set();
    this.texts.set(step, said);
    const isNew = !said.has(text);
    said.add(text);
    return isNew;
  }

  /** What the provider's reply says of itself: model, counts, reasoning. */
  addResponse(step: Step, response: Json | undefined): void {
    if (!isObject(response)) return;
    const model = wordOf(response["model"]);
    if (model !== undefined) {
      step.model = model;
      this.models.add(model);
    }
    const tokens = chatTokens(response["usage"]);
    if (tokens) step.tokens = tokens;
  }

  /** Costs are recorded as running totals. */
  private addCost(step: Step, metrics: Json | undefined): void {
    const total = numberOf(member(metrics, "accumulated_cost"));
    if (total === undefined) return;
    const own = total - this.cost;
    this.cost = total;
    // A difference of sums: what is past the twelfth digit is noise.
    if (own > 0) step.costUsd = Number(own.toPrecision(12));
  }

  warnProblems(problems: readonly Place[]): void {
    for (const place of problems) this.list.warn("bad-record", "An item of the history is no event; it gives no step.", place);
  }
}

/** Reasoning that stands beside a message or an action: in a member of its own, or as blocks of which some are encrypted. */
export function addReasoning(step: Step, holder: JsonObject | undefined): void {
  if (!holder) return;
  const blocks = listOf(holder["thinking_blocks"]).map((block) => stringOf(member(block, "thinking")) ?? "");
  const item = holder["responses_reasoning_item"];
  const texts = [stringOf(holder["reasoning_content"]) ?? "", blocks.join("\n"), listOf(member(item, "summary")).map((part) => stringOf(part) ?? "").join("\n")];
  const text = texts.find((candidate) => candidate !== "");
  if (text !== undefined) step.parts.push({ kind: "reasoning", text });
  else if (blocks.length > 0 || isObject(item)) step.reasoningHidden = true;
}

/** Images among an event's members, as blocks; data URIs tell their type. */
export function imageBlocks(document: JsonDocument, holder: JsonObject, keys: readonly string[]): NonNullable<Step["extras"]> {
  return keys.flatMap((key) => {
    const value = holder[key];
    const list = Array.isArray(value) ? value : [value];
    return list.flatMap((item) => {
      if (item === undefined || item === null || item === "") return [];
      const mediaType = /^data:([\w.+-]+\/[\w.+-]+)/.exec(stringOf(item) ?? "")?.[1];
      return [{ type: key, raw: typeof item === "string" ? JSON.stringify(item) : textOf(document, item), ...(mediaType ? { mediaType } : {}) }];
    });
  });
}

/** Id of an event as text. */
export function eventId(event: HandsEvent): string | undefined {
  return idOf(event.value["id"]);
}

/** The call with `id` in a provider's reply: its arguments as recorded. */
export function recordedArguments(response: Json | undefined, id: string | undefined): Json | undefined {
  const message = member(listOf(member(response, "choices"))[0], "message");
  const call = listOf(member(message, "tool_calls")).find((candidate) => id !== undefined && member(candidate, "id") === id);
  return memberAt(call, "function", "arguments");
}
