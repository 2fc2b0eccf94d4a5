/** Events of a Copilot CLI session as steps. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { ExtraBlock, Outcome, Part, Place, Role, Step, StepFlag } from "../model";
import { readContent } from "./chat-content";
import { booleanOf, idOf, listOf, numberOf, stringOf, textOf, wordOf } from "./fields";
import { withError } from "./result-error";
import { addFlag, pairResults, StepList } from "./step-list";
import { callPart } from "./tool-args";

/** One event of the session. */
export interface CopilotEvent {
  readonly type: string;
  readonly data: JsonObject;
  readonly document: JsonDocument;
  readonly place: Place;
  readonly time: string | undefined;
}

/** Types that make no step and need no warning. */
const bookkeeping = /^(?:session\.(?!error|warning|info|compaction_complete)|assistant\.(?!message$|reasoning$)|tool\.(?!execution_(?:start|complete)$|user_requested$)|hook\.|subagent\.|permission\.|command\.|user\.(?!message$))/;

export class CopilotSteps {
  private readonly list = new StepList();
  private readonly outcome: Outcome = {};
  private readonly dropped = new Map<string, number>();
  private readonly asked = new Set<string>();
  private readonly replyOf = new Map<string, Step>();
  private readonly unknown = new Set<string>();
  private model: string | undefined;
  private prompt: string | undefined;
  /** Reasoning that came as an event of its own, ahead of its message. */
  private thought: { text: string; event: CopilotEvent } | undefined;

  constructor(private readonly flags: readonly StepFlag[]) {}

  read(event: CopilotEvent): void {
    const { type, data } = event;
    switch (type) {
      case "system.message": return this.readPrompt(event);
      case "user.message": return this.readUser(event);
      case "assistant.reasoning":
        this.thought = { text: stringOf(data["content"]) ?? "", event };
        return;
      case "assistant.message": return this.readReply(event);
      case "tool.execution_start": case "tool.user_requested": return this.readCall(event);
      case "tool.execution_complete": return this.readResult(event);
      case "skill.invoked": return this.note(event, stringOf(data["content"]) ?? stringOf(data["name"]));
      case "session.compaction_complete": return this.note(event, stringOf(data["summaryContent"]), ["compaction"]);
      case "abort": case "session.info": case "session.warning": return this.note(event, stringOf(data["message"]) ?? stringOf(data["reason"]));
      case "session.error":
        this.outcome.error = stringOf(data["message"]) ?? type;
        return this.note(event, stringOf(data["message"]));
      default: return this.readOther(event);
    }
  }

  finish(): { list: StepList; outcome: Outcome; dropped: ReadonlyMap<string, number> } {
    this.flushThought();
    pairResults(this.list);
    return { list: this.list, outcome: this.outcome, dropped: this.dropped };
  }

  private drop(event: CopilotEvent): void {
    this.dropped.set(event.type, (this.dropped.get(event.type) ?? 0) + 1);
  }

  private add(event: CopilotEvent, role: Role, parts: Part[], more: { flags?: StepFlag[]; extras?: ExtraBlock[]; name?: string } = {}): Step {
    this.flushThought();
    return this.list.add({ role, parts, time: event.time, places: [event.place], ...more, flags: [...this.flags, ...(more.flags ?? [])] });
  }

  private note(event: CopilotEvent, text: string | undefined, flags: StepFlag[] = []): void {
    this.add(event, "system", textParts("text", text), { name: event.type, flags: ["meta", ...flags] });
  }

  private readPrompt(event: CopilotEvent): void {
    const text = stringOf(event.data["content"]) ?? "";
    // Each request of the user is preceded by the prompt; the same one again says nothing new.
    if (text === this.prompt) return this.drop(event);
    this.prompt = text;
    this.add(event, "system", textParts("text", text));
  }

  /** What was typed; the text that was sent instead is kept beside it, and stands alone where nothing was typed. */
  private readUser(event: CopilotEvent): void {
    const { data, document } = event;
    const typed = stringOf(data["content"]) ?? "";
    const sent = stringOf(data["transformedContent"]);
    const extras = listOf(data["attachments"]).map((item): ExtraBlock => ({ type: wordOf(member(item, "type")) ?? "attachment", raw: textOf(document, item) }));
    if (typed !== "" && sent !== undefined && sent !== typed) extras.push({ type: "transformedContent", raw: JSON.stringify(sent) });
    this.add(event, "user", textParts("text", typed === "" ? sent : typed), { extras, flags: typed === "" ? ["meta"] : [] });
  }

  private flushThought(): void {
    const { thought } = this;
    this.thought = undefined;
    if (thought) this.add(thought.event, "assistant", textParts("reasoning", thought.text));
  }

  private readReply(event: CopilotEvent): void {
    const { data, document } = event;
    const reasoning = stringOf(data["reasoningText"]) || this.thought?.text;
    this.thought = undefined;
    const content = readContent(document, data["content"], { thinking: true });
    const step = this.add(event, "assistant", [...textParts("reasoning", reasoning), ...content.parts], { extras: content.extras });
    if (!reasoning && wordOf(data["reasoningOpaque"]) !== undefined) step.reasoningHidden = true;
    for (const request of listOf(data["toolRequests"])) {
      const id = idOf(member(request, "toolCallId"));
      const made = callPart(document, { name: wordOf(member(request, "name")), id, args: member(request, "arguments") });
      if (made.problem) this.list.warn("unparsed-arguments", `Call of ${made.part.toolName ?? "a tool"}: ${made.problem}.`, event.place);
      step.parts.push(made.part);
      if (id === undefined) continue;
      this.asked.add(id);
      this.replyOf.set(id, step);
    }
    const output = numberOf(data["outputTokens"]);
    if (output !== undefined) step.tokens = { output };
    const model = wordOf(data["model"]) ?? this.model;
    if (model !== undefined) step.model = model;
  }

  /** A call that no message asked for: the person's own, or one whose message is not recorded. */
  private readCall(event: CopilotEvent): void {
    const { data, document, type } = event;
    const id = idOf(data["toolCallId"]);
    if (id !== undefined && this.asked.has(id)) return this.drop(event);
    if (id !== undefined) this.asked.add(id);
    const { part } = callPart(document, { name: wordOf(data["toolName"]), id, args: data["arguments"] });
    const byUser = type === "tool.user_requested";
    const step = this.add(event, byUser ? "user" : "assistant", [part], { flags: byUser ? ["user_tool"] : [] });
    if (id !== undefined) this.replyOf.set(id, step);
  }

  private readResult(event: CopilotEvent): void {
    const { data, document } = event;
    const callId = idOf(data["toolCallId"]);
    const result = data["result"];
    const content: Json | undefined = isObject(result) ? (result["content"] ?? result["contents"]) : result;
    const read = readContent(document, content, { result: { callId } });
    const error = data["error"];
    const failed = booleanOf(data["success"]) === false || (error !== undefined && error !== null);
    const parts = failed ? withError(read.parts, stringOf(error) ?? stringOf(member(error, "message")) ?? "").map((part) => ({ ...part, isError: true })) : read.parts;
    this.add(event, "tool", parts, { extras: read.extras });
    const model = wordOf(data["model"]);
    const reply = callId === undefined ? undefined : this.replyOf.get(callId);
    // The message itself does not name its model; the results of its calls do.
    if (model !== undefined && reply?.role === "assistant") reply.model = model;
  }

  private readOther(event: CopilotEvent): void {
    const { type, data } = event;
    this.drop(event);
    if (type === "session.model_change") this.model = wordOf(data["newModel"]) ?? this.model;
    else if (type === "session.start" || type === "session.resume") this.model = wordOf(data["selectedModel"]) ?? this.model;
    else if (type === "session.task_complete") {
      const claimed = booleanOf(data["success"]);
      const summary = wordOf(data["summary"]);
      this.outcome.status = "task_complete";
      this.outcome.details = [
        ...(claimed === undefined ? [] : [{ name: "success, as the agent claims", value: String(claimed) }]), ...(summary === undefined ? [] : [{ name: "summary", value: summary }]),
      ];
    } else if (type === "session.truncation" || type === "session.snapshot_rewind") {
      const last = this.list.steps.at(-1);
      if (last && type === "session.truncation") addFlag(last, "compaction");
      this.list.warn(type === "session.truncation" ? "context-truncated" : "rewound", type === "session.truncation" ? "From here on the model was sent a shortened history." : "The session went back here; the events that were taken back are shown as far as they are recorded.", event.place);
    } else if (!bookkeeping.test(type) && !this.unknown.has(type)) {
      this.unknown.add(type);
      this.list.warn("unknown-record-type", `Events of type "${type.slice(0, 60)}" are not known and make no steps.`, event.place);
    }
  }
}

/** Texts as parts; empty ones give none. */
function textParts(kind: Part["kind"], text: string | undefined): Part[] {
  return text ? [{ kind, text }] : [];
}
