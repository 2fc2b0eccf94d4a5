/** Event logs of hosted Anthropic agents: one JSON list `[method, payload]` a line. */
import { arrayMember, isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Outcome, Place, Step, Trajectory } from "../model";
import type { LineRecord } from "../reader";
import { readBlocks, tokensOf } from "./anthropic-blocks";
import { damagedLine } from "../source-document";
import { row, stringOf, textOf, timeOf, wordOf } from "./fields";
import { addFlag, pairResults, StepList } from "./step-list";

interface LoggedEvent { type: string; value: JsonObject; document: JsonDocument; place: Place; sent: boolean }

/** True for a line of such a log. */
export function isEventLine(value: Json | undefined): boolean {
  if (!Array.isArray(value) || value.length !== 2 || typeof value[0] !== "string") return false;
  const type = stringOf(member(value[1], "type"));
  return /^client\.|\bevents\b|\bsessions\b/.test(value[0]) || (type !== undefined && /^(?:user|agent|session|span)\./.test(type));
}

/** Reads the whole log as one trajectory. */
export function readEventLog(lines: Iterable<LineRecord>): { list: StepList; rest: Partial<Trajectory> } {
  const reader = new EventReader();
  for (const event of withoutEchoes([...lines].flatMap((line) => reader.take(line)))) reader.read(event);
  return reader.finish();
}

/** What was sent comes back in the stream; of such a pair only the one from the stream is kept. */
function withoutEchoes(events: readonly LoggedEvent[]): LoggedEvent[] {
  const keyOf = (event: LoggedEvent): string => {
    const said = readBlocks(event.value["content"], { ...event, pointer: "" }).parts.map((part) => part.text);
    return JSON.stringify([event.type, said, wordOf(event.value["tool_use_id"]), wordOf(event.value["result"])]);
  };
  const echoes = new Map<string, number>();
  for (const event of events) if (!event.sent && event.type.startsWith("user.")) echoes.set(keyOf(event), (echoes.get(keyOf(event)) ?? 0) + 1);
  return events.filter((event) => {
    const left = event.sent ? (echoes.get(keyOf(event)) ?? 0) : 0;
    if (left > 0) echoes.set(keyOf(event), left - 1);
    return left === 0;
  });
}

class EventReader {
  private readonly list = new StepList();
  private readonly metadata: Trajectory["metadata"] = [];
  private readonly dropped = new Map<string, number>();
  private readonly outcome: Outcome = {};
  private model: string | undefined;
  private agent: string | undefined;
  private title: string | undefined;
  /** The reply of the model request that is going on. */
  private reply: Step | undefined;

  /** Events of one line; a session's description is read at once. */
  take(line: LineRecord): LoggedEvent[] {
    const place: Place = { line: line.line };
    const value = line.json?.value;
    if (!line.json || !Array.isArray(value)) {
      if (line.json) this.list.warn("bad-record", `Line ${line.line} is no list of a method and a payload.`, place);
      else this.list.warnings.push(damagedLine(line));
      return [];
    }
    const document = line.json;
    const payload = value[1];
    if (member(payload, "type") === "session") this.readSession(payload as JsonObject, document, { line: line.line, pointer: "/1" });
    else if (isObject(payload) && typeof payload["type"] === "string") return [{ type: payload["type"], value: payload, document, place, sent: false }];
    const holder = Array.isArray(payload) ? payload.find((item) => arrayMember(item, "events")) : payload;
    return (arrayMember(holder, "events") ?? []).filter(isObject).map((event) => ({ type: stringOf(event["type"]) ?? "", value: event, document, place, sent: true }));
  }

  private readSession(session: JsonObject, document: JsonDocument, place: Place): void {
    const agent = session["agent"];
    this.title = wordOf(session["title"]);
    this.agent = wordOf(member(agent, "name"));
    this.model = wordOf(member(member(agent, "model"), "id")) ?? wordOf(member(agent, "model"));
    this.metadata.push(...row("session", wordOf(session["id"])), ...row("created", wordOf(session["created_at"])), ...row("environment", wordOf(session["environment_id"])));
    const servers = arrayMember(agent, "mcp_servers")?.map((server) => `${wordOf(member(server, "name")) ?? "?"} (${wordOf(member(server, "url")) ?? "?"})`);
    this.metadata.push(...row("MCP servers", servers?.join(", ")));
    const system = member(agent, "system");
    if (system === undefined || system === null || system === "") return;
    const read = readBlocks(system, { document, place, pointer: "/agent/system" });
    this.list.add({ role: "system", parts: read.parts, extras: read.extras, places: [{ ...place, pointer: "/1/agent/system" }] });
  }

  read(event: LoggedEvent): void {
    const { type } = event;
    if (type.startsWith("agent.") && type.endsWith("tool_result")) this.readResult(event);
    else if (type === "user.custom_tool_result") this.readResult(event);
    else if (type.startsWith("agent.")) this.readAgent(event);
    else if (type.startsWith("user.")) this.readUser(event);
    else if (type === "span.model_request_start") this.reply = undefined;
    else if (type === "span.model_request_end") this.endRequest(event);
    else this.readOther(event);
  }

  private readAgent(event: LoggedEvent): void {
    const step = (this.reply ??= this.list.add({ role: "assistant", parts: [], time: timeOf(event.value["processed_at"]), places: [], name: wordOf(event.value["agent_name"]) }));
    step.places.push(event.place);
    const content = event.value["content"];
    if (event.type === "agent.thinking") {
      const text = stringOf(content) ?? stringOf(event.value["thinking"]) ?? readBlocks(content, { ...event, pointer: "/1/content" }).parts.map((part) => part.text).join("\n");
      if (text === "") step.reasoningHidden = true;
      else step.parts.push({ kind: "reasoning", text });
      return;
    }
    const isCall = event.type.endsWith("tool_use");
    const blocks: Json | undefined = isCall ? { ...event.value, type: "tool_use" } : content;
    const read = readBlocks(blocks, { ...event, pointer: "/1/content" });
    step.parts.push(...read.parts);
    if (read.extras.length > 0) step.extras = [...(step.extras ?? []), ...read.extras];
    if (!isCall && content === undefined) this.drop(event);
  }

  private readUser(event: LoggedEvent): void {
    this.reply = undefined;
    const read = readBlocks(event.value["content"], { ...event, pointer: "/1/content" });
    const decision = event.type === "user.message" ? undefined : (wordOf(event.value["deny_message"]) ?? wordOf(event.value["result"]));
    const parts = decision === undefined ? read.parts : [...read.parts, { kind: "text" as const, text: decision }];
    const step = this.list.add({ role: "user", parts, extras: read.extras, time: timeOf(event.value["processed_at"]), places: [event.place] });
    // Confirmations and interruptions are the person's acts, but no message to the model.
    if (event.type !== "user.message") {
      step.name = event.type;
      addFlag(step, "meta");
    }
  }

  private readResult(event: LoggedEvent): void {
    this.reply = undefined;
    const { value } = event;
    const id = ["tool_use_id", "mcp_tool_use_id", "custom_tool_use_id"].map((key) => wordOf(value[key])).find((text) => text !== undefined);
    const block: JsonObject = { ...value, type: "tool_result", ...(id === undefined ? {} : { tool_use_id: id }) };
    const [result] = readBlocks([block], { ...event, pointer: "/1" }).results;
    if (result) this.list.add({ ...result, time: timeOf(value["processed_at"]), places: [event.place] });
  }

  private endRequest(event: LoggedEvent): void {
    const tokens = tokensOf(event.value["model_usage"]);
    if (this.reply && tokens) this.reply.tokens = tokens;
    this.reply = undefined;
    if (event.value["is_error"] === true) this.list.warn("model-error", "A model request ended with an error.", event.place);
  }

  private readOther(event: LoggedEvent): void {
    if (event.type === "session.status_idle" || event.type === "session.status_terminated") {
      this.outcome.status = wordOf(member(event.value["stop_reason"], "type")) ?? event.type.slice("session.status_".length);
    } else if (event.type === "session.error") this.outcome.error = textOf(event.document, event.value["error"] ?? event.value);
    else this.drop(event);
  }

  private drop(event: LoggedEvent): void {
    this.dropped.set(event.type, (this.dropped.get(event.type) ?? 0) + 1);
  }

  finish(): { list: StepList; rest: Partial<Trajectory> } {
    pairResults(this.list);
    const counted = [...this.dropped].map(([type, count]) => `${type || "(no type)"} × ${count}`).join(", ");
    const rest: Partial<Trajectory> = { metadata: [...this.metadata, ...row("events without steps", counted)] };
    if (this.outcome.status !== undefined || this.outcome.error !== undefined) rest.outcome = this.outcome;
    if (this.model) rest.model = this.model;
    if (this.agent) rest.agent = this.agent;
    if (this.title) rest.title = this.title;
    return { list: this.list, rest };
  }
}
