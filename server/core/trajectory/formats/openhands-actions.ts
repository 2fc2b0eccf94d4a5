/** OpenHands events of the first three generations: actions and observations by name, paired by cause or call id. */
import { isObject, member, memberAt } from "#core/json/access";
import type { Json, JsonObject } from "#core/json/document";
import type { Part, StepFlag } from "../model";
import { addReasoning, eventId, imageBlocks, recordedArguments, type EventSteps, type HandsEvent } from "./openhands-events";
import { booleanOf, idOf, listOf, numberOf, stringOf, textOf, wordOf } from "./fields";
import { callPart } from "./tool-args";

/** Actions with which the program and the person steer; they call no tool. */
const steering = new Set(["change_agent_state", "recall", "null", "condensation", "condensation_request", "pause", "resume", "stop", "start"]);
/** Members of a flat action that are no arguments. */
const flatOwn = new Set(["action", "thought", "observation", "is_confirmed", "confirmation_state", "action_risk", "keep_prompt", "kernel_init_code", "timeout", "source", "id", "timestamp", "message", "runnable"]);

const thoughtOnly = new Set(["thought"]);

/** Reads one event after the other into `steps`. */
export class ActionReader {
  /** Call id of each action, by the id of its event. */
  private readonly calls = new Map<string, string>();
  private messages = 0;

  constructor(private readonly steps: EventSteps) {}

  read(event: HandsEvent): void {
    if (typeof event.value["observation"] === "string") this.readObservation(event, event.value["observation"]);
    else if (typeof event.value["action"] === "string") this.readAction(event, event.value["action"]);
    else {
      this.steps.drop("(no name)");
      this.steps.list.warn("unknown-event", `An event names neither an action nor an observation; its keys are ${Object.keys(event.value).slice(0, 8).join(", ") || "none"}.`, event.place);
    }
  }

  private readAction(event: HandsEvent, name: string): void {
    const args = isObject(event.value["args"]) ? event.value["args"] : event.value;
    if (name === "system") {
      for (const tool of listOf(args["tools"])) this.steps.tools.push(wordOf(memberAt(tool, "function", "name")) ?? wordOf(member(tool, "name")) ?? "?");
      this.steps.add(event, "system", textPart(stringOf(args["content"])));
    } else if (name === "message") this.readMessage(event, args);
    else if (steering.has(name)) this.readSteering(event, name, args);
    else this.readCall(event, name, args);
  }

  private readMessage(event: HandsEvent, args: JsonObject): void {
    const source = stringOf(event.value["source"]);
    const first = this.messages++ === 0;
    // The oldest files name no source: the first message is the task, and an agent's message waits for the answer.
    const byAgent = source === undefined ? !first && args["wait_for_response"] === true : source === "agent";
    if (source === undefined && !first) this.steps.list.warn("guessed-role", `A message without a source is taken for the ${byAgent ? "agent's" : "user's"}.`, event.place);
    const extras = imageBlocks(event.document, args, ["image_urls", "images_urls", "file_urls"]);
    if (!byAgent) {
      this.steps.add(event, source === "environment" ? "system" : "user", textPart(stringOf(args["content"])), { extras });
      return;
    }
    const response = memberAt(event.value, "tool_call_metadata", "model_response") ?? event.value["model_response"];
    const { step, isNew } = this.steps.reply(event, undefined);
    if (isNew) this.steps.addResponse(step, response);
    addReasoning(step, args);
    step.parts.push(...textPart(stringOf(args["content"])));
    if (extras.length > 0) step.extras = extras;
  }

  /** Changes of state and what is fetched for the prompt: the program's own, kept with what they say. */
  private readSteering(event: HandsEvent, name: string, args: JsonObject): void {
    const text = stringOf(args["summary"]) ?? stringOf(args["query"]) ?? stringOf(args["agent_state"]);
    if (!text && name !== "condensation") return this.steps.drop(`action ${name}`);
    const flags: StepFlag[] = name === "condensation" ? ["meta", "compaction"] : ["meta"];
    const extras = name === "condensation" ? [{ type: name, raw: textOf(event.document, args) }] : [];
    this.steps.add(event, "system", textPart(text), { name, flags, extras });
  }

  private readCall(event: HandsEvent, name: string, args: JsonObject): void {
    const { value, document } = event;
    const metadata = value["tool_call_metadata"];
    const response = member(metadata, "model_response");
    const id = idOf(member(metadata, "tool_call_id"));
    const own = eventId(event);
    const callId = id ?? own;
    if (own !== undefined && callId !== undefined) this.calls.set(own, callId);
    const recorded = recordedArguments(response, id);
    const call = callPart(document, { name: wordOf(member(metadata, "function_name")) ?? name, id: callId, args: recorded ?? args, skip: recorded !== undefined ? undefined : args === value ? flatOwn : thoughtOnly });
    if (call.problem) this.steps.list.warn("unparsed-arguments", `Call of ${call.part.toolName ?? name}: ${call.problem}.`, event.place);
    if (stringOf(value["source"]) === "user") {
      this.steps.add(event, "user", [...textPart(stringOf(args["thought"])), call.part], { flags: ["user_tool"] });
      return;
    }
    const several = (numberOf(member(metadata, "total_calls_in_response")) ?? 1) > 1;
    const { step, isNew } = this.steps.reply(event, several ? wordOf(member(response, "id")) : undefined);
    if (isNew) {
      this.steps.addResponse(step, response);
      const message = member(listOf(member(response, "choices"))[0], "message");
      addReasoning(step, isObject(message) ? message : undefined);
    }
    // The thought of a `think` call holds its argument, behind what the model wrote ahead of it; beside any other call it is just that.
    const wrote = stringOf(member(member(listOf(member(response, "choices"))[0], "message"), "content"));
    const thought = name === "think" && recorded !== undefined ? wrote : stringOf(args["thought"]);
    const repeated = call.part.args?.some((arg) => arg.text === thought) ?? false;
    if (thought && !repeated && this.steps.isNewText(step, thought)) step.parts.push({ kind: "text", text: thought });
    step.parts.push(call.part);
    if (name === "finish" || name === "reject") this.finish(event, name, args);
  }

  private finish(event: HandsEvent, name: string, args: JsonObject): void {
    const { outcome } = this.steps;
    const completed = args["task_completed"];
    outcome.status = stringOf(completed) ?? (booleanOf(completed) === undefined ? name : String(completed));
    const thought = stringOf(args["final_thought"]) || stringOf(args["thought"]);
    const outputs = args["outputs"];
    outcome.details = [
      ...(thought ? [{ name: "final thought", value: thought }] : []),
      ...(isObject(outputs) && Object.keys(outputs).length > 0 ? [{ name: "outputs", value: textOf(event.document, outputs) }] : []),
    ];
    if (outcome.details.length === 0) delete outcome.details;
  }

  private readObservation(event: HandsEvent, name: string): void {
    const { value, document } = event;
    const extras = isObject(value["extras"]) ? value["extras"] : undefined;
    const content = stringOf(value["content"]) ?? "";
    if (name === "null" && content === "") return this.steps.drop("observation null");
    if (name === "agent_state_changed" || name === "recall" || name === "null" || name === "agent_condensation") return this.readNotice(event, name, content, extras);
    const cause = idOf(value["cause"]);
    const metadataId = idOf(memberAt(value, "tool_call_metadata", "tool_call_id"));
    const callId = (cause === undefined ? undefined : this.calls.get(cause)) ?? metadataId;
    // With ids but without a cause nothing was called: the program reports.
    if (callId === undefined && cause === undefined && eventId(event) !== undefined) return this.readNotice(event, name, content, undefined);
    const result: Part = { kind: "tool_result", text: content };
    if (callId ?? cause) result.callId = callId ?? cause!;
    const code = [value["exit_code"], extras?.["exit_code"], memberAt(extras, "metadata", "exit_code")].map(numberOf).find((number) => number !== undefined);
    if (name === "error" || name === "user_rejected" || (code !== undefined && code !== 0)) result.isError = true;
    this.steps.add(event, "tool", [result], { extras: imageBlocks(document, extras ?? value, ["screenshot", "set_of_marks", "image_urls"]) });
  }

  private readNotice(event: HandsEvent, name: string, content: string, extras: JsonObject | undefined): void {
    const state = stringOf(extras?.["agent_state"]);
    const injected: Json | undefined = name === "recall" ? extras : undefined;
    const reason = stringOf(extras?.["reason"]);
    const text = [content, state, reason].filter((piece) => piece).join("\n");
    this.steps.add(event, "system", [...textPart(text), ...knowledge(injected)], { name, flags: ["meta"], extras: injected === undefined ? [] : [{ type: "recall", raw: textOf(event.document, injected) }] });
  }
}

/** What a recall put into the prompt: instructions of the repository and the conversation, and the notes that a word called up. */
function knowledge(extras: Json | undefined): Part[] {
  const instructions = ["repo_instructions", "additional_agent_instructions", "conversation_instructions"].map((key) => stringOf(member(extras, key)));
  const notes = listOf(member(extras, "microagent_knowledge")).map((note) => stringOf(member(note, "content")));
  return [...instructions, ...notes].flatMap(textPart);
}

function textPart(text: string | undefined): Part[] {
  return text ? [{ kind: "text", text }] : [];
}
