/** Records of a Codex rollout as steps: items make the talk, events only what no item says, and facts about results. */
import { isObject, member, memberAt } from "#core/json/access";
import type { Json } from "#core/json/document";
import type { LineDocuments } from "../light-text";
import type { Part, Step, StepFlag, Tokens } from "../model";
import { readContent } from "./chat-content";
import { itemCall, itemOutput, codexTokens, reasoningTexts } from "./codex-items";
import type { CodexLog, RecordRange } from "./codex-log";
import { spokenEvent, type CodexRecord } from "./codex-records";
import { requestOf } from "./codex-turns";
import { booleanOf, idOf, numberOf, stringOf, textOf, wordOf } from "./fields";
import { changedLine, isChanged } from "./light-records";
import { addFlag, pairResults, StepList } from "./step-list";
import { callPart } from "./tool-args";

export interface CodexSteps {
  readonly list: StepList;
  readonly models: readonly string[];
  /** Records that made no step, counted by what they are. */
  readonly dropped: ReadonlyMap<string, number>;
}

/** Builds the steps of the records in `ranges`. `flags` are set on every step; `light` is that of the document. */
export function codexSteps(log: CodexLog, ranges: readonly RecordRange[], flags: readonly StepFlag[] = [], light?: LineDocuments): CodexSteps {
  const builder = new CodexBuilder(log, ranges, flags, light);
  for (const { from, to } of ranges) for (let at = from; at < to; at++) builder.read(at);
  pairResults(builder.list, (part) => builder.hosted.has(part));
  return { list: builder.list, models: [...builder.models], dropped: builder.dropped };
}

/** Members of an event that are no arguments. */
const eventOwn = new Set(["type", "call_id"]);

class CodexBuilder {
  readonly list: StepList;
  readonly dropped = new Map<string, number>();
  readonly models = new Set<string>();
  readonly hosted = new Set<Part>();
  private calls: ReadonlySet<string> | undefined;
  private readonly results = new Map<string, Step>();
  private readonly unknown = new Set<string>();
  private readonly instructions = new Set<string>();
  private model: string | undefined;
  /** The reply that is going on, and the last one. */
  private reply: Step | undefined;
  private last: Step | undefined;
  /** Counts that came ahead of the reply that they belong to. */
  private pending: Tokens | undefined;
  private total = "";

  constructor(private readonly log: CodexLog, private readonly ranges: readonly RecordRange[], private readonly flags: readonly StepFlag[], light: LineDocuments | undefined) {
    this.list = new StepList(light);
  }

  read(at: number): void {
    if (this.log.isTwin(at)) return this.drop(this.log.nameOf(at));
    const record = this.log.record(at);
    if (isChanged(record)) return this.readChanged(record);
    switch (record.kind) {
      case "response_item": return this.readItem(record);
      case "event_msg": return this.readEvent(record);
      case "session_meta": return this.readSession(record);
      case "compacted": return this.notice(record, wordOf(record.payload["message"]), ["compaction"]);
      case "turn_context":
        this.model = wordOf(record.payload["model"]) ?? this.model;
        return this.drop(record);
      case "record_type":
        return this.drop(record);
      default:
        this.drop(record);
        if (!this.unknown.has(record.kind)) this.list.warn("unknown-record-type", `Records of type "${record.kind.slice(0, 60)}" are not known and make no steps.`, record.place);
        this.unknown.add(record.kind);
    }
  }

  /** Whose place in the talk it is stays known; there are no words. */
  private readChanged(record: CodexRecord): void {
    this.list.warn(...changedLine(record), record.place);
    const { type, payload } = record;
    const role = record.kind === "event_msg" ? (type === "user_message" ? "user" : undefined) : payload["role"];
    if (record.kind === "turn_context") this.drop(record);
    else if (type?.endsWith("_output")) this.readOutput(record);
    else if (role === "user" || role === "developer" || role === "system") this.add(record, role === "user" ? "user" : "system", []);
    else if (record.kind === "response_item" || type === "agent_message" || type?.startsWith("agent_reasoning")) this.assistant(record);
    else this.drop(record);
  }

  /** Whether a call stands as an item; asked of events only, which many rollouts do without. */
  private isItem(id: string): boolean {
    this.calls ??= this.callIds();
    return this.calls.has(id);
  }

  private callIds(): Set<string> {
    const ids = new Set<string>();
    for (const { from, to } of this.ranges) {
      for (let at = from; at < to; at++) {
        const { kind, type } = this.log.nameOf(at);
        if (kind !== "response_item" || !type?.endsWith("_call")) continue;
        const { payload } = this.log.record(at);
        const id = idOf(payload["call_id"]) ?? idOf(payload["id"]);
        if (id !== undefined) ids.add(id);
      }
    }
    return ids;
  }

  private drop(record: Pick<CodexRecord, "kind" | "type">): void {
    const name = record.kind === "event_msg" || record.kind === "response_item" ? `${record.kind}/${record.type ?? "?"}` : record.kind;
    this.dropped.set(name, (this.dropped.get(name) ?? 0) + 1);
  }

  private add(record: CodexRecord, role: Step["role"], parts: Part[], more: Partial<Step> = {}): Step {
    if (role !== "assistant") this.reply = undefined;
    return this.list.add({ role, parts, time: record.time, places: [record.place], ...more, flags: [...this.flags, ...(more.flags ?? [])] });
  }

  private assistant(record: CodexRecord): Step {
    if (this.reply) {
      this.reply.places.push(record.place);
      return this.reply;
    }
    this.reply = this.last = this.add(record, "assistant", [], { ...(this.model === undefined ? {} : { model: this.model }), ...(this.pending ? { tokens: this.pending } : {}) });
    if (this.model !== undefined) this.models.add(this.model);
    this.pending = undefined;
    return this.reply;
  }

  private readSession(record: CodexRecord): void {
    const given = record.payload["base_instructions"];
    const texts = [stringOf(given) ?? stringOf(member(given, "text")), stringOf(record.payload["instructions"])];
    const parts = texts.flatMap((text): Part[] => (text && !this.instructions.has(text) ? [{ kind: "text", text }] : []));
    for (const part of parts) this.instructions.add(part.text);
    if (parts.length > 0) this.add(record, "system", parts);
    else this.drop(record);
  }

  private readItem(record: CodexRecord): void {
    const { type, payload, document } = record;
    if (type === "message" || (type === undefined && typeof payload["role"] === "string")) return this.readMessage(record);
    if (type === "reasoning") {
      const step = this.assistant(record);
      const texts = reasoningTexts(payload);
      for (const text of texts) step.parts.push({ kind: "reasoning", text });
      if (texts.length === 0) step.reasoningHidden = true;
    } else if (type?.endsWith("_call_output") || type?.endsWith("_search_output")) this.readOutput(record);
    else if (type?.endsWith("_call")) {
      const step = this.assistant(record);
      const call = itemCall(document, type, payload);
      step.parts.push(call.part);
      if (call.hosted) this.hosted.add(call.part);
      if (call.extras.length > 0) step.extras = [...(step.extras ?? []), ...call.extras];
      if (call.problem) this.list.warn("unparsed-arguments", `Call of ${call.part.toolName ?? "a tool"}: ${call.problem}.`, record.place);
    } else if (type === "compaction" || type === "compaction_summary") this.add(record, "system", [], { flags: ["compaction"], extras: [{ type, raw: textOf(document, payload) }] });
    else if (type === "ghost_snapshot") this.drop(record);
    else {
      const step = this.assistant(record);
      step.extras = [...(step.extras ?? []), { type: type ?? "item", raw: textOf(document, payload) }];
      this.list.warn("unknown-item", `An item of type "${(type ?? "none").slice(0, 60)}" is not known; it is kept as recorded.`, record.place);
    }
  }

  private readMessage(record: CodexRecord): void {
    const role = record.payload["role"];
    const read = readContent(record.document, record.payload["content"], { thinking: role === "assistant" });
    for (const { code, message } of read.problems) this.list.warn(code, `${message.charAt(0).toUpperCase()}${message.slice(1)}.`, record.place);
    if (role === "assistant") {
      const step = this.assistant(record);
      step.parts.push(...read.parts);
      if (read.extras.length > 0) step.extras = [...(step.extras ?? []), ...read.extras];
      return;
    }
    const known = role === "user" || role === "developer" || role === "system";
    if (!known) this.list.warn("unknown-role", `A message has the role ${textOf(record.document, role).slice(0, 60) || "none"}; it is shown as system.`, record.place);
    const texts = read.parts.map((part) => part.text);
    const isMeta = role === "user" && texts.length > 0 && texts.every((text) => requestOf(text) === undefined);
    this.add(record, role === "user" ? "user" : "system", read.parts, { extras: read.extras, flags: isMeta ? ["meta"] : [] });
  }

  private readOutput(record: CodexRecord): void {
    const output = itemOutput(record.document, record.payload["output"] ?? record.payload["tools"]);
    const id = idOf(record.payload["call_id"]);
    const parts = output.texts.map((text): Part => ({ kind: "tool_result", text, ...(id === undefined ? {} : { callId: id }), ...(output.failed ? { isError: true } : {}) }));
    const step = this.add(record, "tool", parts, { extras: output.extras });
    if (id !== undefined) this.results.set(id, step);
  }

  private readEvent(record: CodexRecord): void {
    const { type, payload } = record;
    const spoken = spokenEvent(record);
    if (spoken?.side === "user") {
      this.add(record, "user", [{ kind: "text", text: spoken.text }], { flags: requestOf(spoken.text) === undefined ? ["meta"] : [] });
    } else if (spoken) this.assistant(record).parts.push({ kind: spoken.side === "reasoning" ? "reasoning" : "text", text: spoken.text });
    else if (type === "token_count") this.readTokens(record);
    else if (type === "turn_aborted") this.notice(record, wordOf(payload["reason"]) ?? "turn aborted");
    else if (type === "error" || type === "stream_error" || type === "warning") this.notice(record, wordOf(payload["message"]));
    else if (type?.endsWith("_begin") || type?.endsWith("_end")) this.readTool(record, type, idOf(payload["call_id"]));
    else this.drop(record);
  }

  /** What the program says beside the talk. */
  private notice(record: CodexRecord, text: string | undefined, flags: StepFlag[] = []): void {
    this.add(record, "system", text === undefined ? [] : [{ kind: "text", text }], { name: record.type ?? record.kind, flags: ["meta", ...flags] });
  }

  /** Counts come behind the reply or ahead of it, by version; the same total once more is no new request. */
  private readTokens(record: CodexRecord): void {
    this.drop(record);
    const info = record.payload["info"];
    const tokens = codexTokens(member(info, "last_token_usage"));
    const total = textOf(record.document, member(info, "total_token_usage"));
    if (!tokens || (total !== "" && total === this.total)) return;
    this.total = total;
    if (this.last && !this.last.tokens) this.last.tokens = tokens;
    else this.pending = tokens;
  }

  /** Begin and end of a command or patch: facts about a call that stands as an item, else the call and its result. */
  private readTool(record: CodexRecord, type: string, id: string | undefined): void {
    const { payload, document } = record;
    const code = numberOf(payload["exit_code"]);
    const failed = booleanOf(payload["success"]) === false || (code !== undefined && code !== 0);
    if (id === undefined || this.isItem(id)) {
      const step = id === undefined ? undefined : this.results.get(id);
      if (failed) for (const part of step?.parts ?? []) part.isError = true;
      return this.drop(record);
    }
    const toolName = type.replace(/_(?:begin|end)$/, "");
    if (type.endsWith("_begin")) {
      const inner = memberAt(payload, "invocation", "arguments");
      // The arguments of an MCP call stand under `invocation`.
      const args = isObject(inner) ? { args: inner } : { args: payload, skip: eventOwn };
      this.assistant(record).parts.push(callPart(document, { name: toolName, id, ...args }).part);
      return;
    }
    const said = [payload["aggregated_output"], payload["formatted_output"]].map(wordOf).find((text) => text !== undefined) ?? [stringOf(payload["stdout"]), stringOf(payload["stderr"])].filter((text) => text).join("\n");
    const result: Json | undefined = payload["result"];
    const text = said || (result === undefined ? "" : itemOutput(document, isObject(result) ? (result["Ok"] ?? result["Err"] ?? result) : result).texts.join("\n"));
    const changes = payload["changes"];
    const step = this.add(record, "tool", [{ kind: "tool_result", text, toolName, callId: id, ...(failed ? { isError: true } : {}) }], changes === undefined ? {} : { extras: [{ type: "changes", raw: textOf(document, changes) }] });
    if (member(result, "Err") !== undefined || memberAt(result, "Ok", "is_error") === true) for (const part of step.parts) part.isError = true;
    if (this.flags.length > 0) for (const flag of this.flags) addFlag(step, flag);
  }
}
