/** The event stream of `codex exec --json`: threads, turns, and items that start, change and complete. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Outcome, Part, Place, Step, Trajectory } from "../model";
import type { OpenedFile, SourceDocument } from "../reader";
import { damagedLine } from "../source-document";
import { codexTokens, itemOutput } from "./codex-items";
import { draftTrajectory } from "./drafts";
import { numberOf, row, stringOf, textOf, wordOf } from "./fields";
import { pairResults, StepList } from "./step-list";
import { callPart } from "./tool-args";

/** True for a line of the stream. */
export function isExecLine(value: Json | undefined): boolean {
  const type = stringOf(member(value, "type")) ?? "";
  if (type === "thread.started") return wordOf(member(value, "thread_id")) !== undefined;
  return /^item\.(?:started|updated|completed)$/.test(type) && wordOf(member(member(value, "item"), "id")) !== undefined && wordOf(member(member(value, "item"), "type")) !== undefined;
}

/** Opens the whole stream as one trajectory. The prompt is not part of it. */
export function openExec(document: SourceDocument): OpenedFile {
  return { heads: [{}], warnings: [], load: () => new ExecReader().read(document) };
}

/** Members of an item that are no arguments of its call. */
const itemOwn = new Set(["id", "type", "aggregated_output", "exit_code", "status", "result", "error", "server", "tool"]);

class ExecReader {
  private readonly list = new StepList();
  private readonly places = new Map<string, Place>();
  private readonly outcome: Outcome = {};
  private readonly dropped = new Map<string, number>();
  private thread: string | undefined;
  private reply: Step | undefined;
  private last: Step | undefined;

  read(document: SourceDocument): Trajectory {
    const started = new Map<string, { item: JsonObject; document: JsonDocument; place: Place }>();
    for (const line of document.lines()) {
      const value = line.json?.value;
      const items = document.kind === "json" && Array.isArray(value) ? value : [value];
      if (!line.json) this.list.warnings.push(damagedLine(line));
      else items.forEach((event, index) => this.readEvent(event, line.json!, document.kind === "json" ? { pointer: items.length > 1 ? `/${index}` : "" } : { line: line.line }, started));
    }
    for (const { item, document: json, place } of started.values()) this.readItem(item, json, place, false);
    pairResults(this.list);
    const counted = [...this.dropped].map(([type, count]) => `${type} × ${count}`).join(", ");
    return draftTrajectory(this.list, {
      agent: "Codex", uuid: this.thread, metadata: [...row("session", this.thread), ...row("events without steps", counted)],
      outcome: Object.keys(this.outcome).length > 0 ? this.outcome : undefined,
    });
  }

  private readEvent(event: Json | undefined, document: JsonDocument, place: Place, started: Map<string, { item: JsonObject; document: JsonDocument; place: Place }>): void {
    const type = stringOf(member(event, "type")) ?? "?";
    const item = member(event, "item");
    if (type.startsWith("item.") && isObject(item)) {
      const id = wordOf(item["id"]) ?? "";
      if (type !== "item.completed") started.set(id, { item, document, place });
      else {
        started.delete(id);
        this.readItem(item, document, place, true);
      }
      return;
    }
    if (type === "turn.completed") {
      const tokens = codexTokens(member(event, "usage"));
      if (tokens && this.last) this.last.tokens = tokens;
      this.outcome.status = "completed";
    } else if (type === "turn.failed" || type === "error") {
      this.outcome.status = "failed";
      this.outcome.error = stringOf(member(member(event, "error"), "message")) ?? stringOf(member(event, "message")) ?? type;
    } else if (type === "thread.started") this.thread = wordOf(member(event, "thread_id"));
    if (type.startsWith("turn.")) this.reply = undefined;
    this.dropped.set(type, (this.dropped.get(type) ?? 0) + 1);
  }

  private assistant(place: Place): Step {
    if (this.reply) this.reply.places.push(place);
    this.reply ??= this.list.add({ role: "assistant", parts: [], places: [place] });
    return (this.last = this.reply);
  }

  private readItem(item: JsonObject, document: JsonDocument, place: Place, done: boolean): void {
    const type = wordOf(item["type"]) ?? "";
    const text = stringOf(item["text"]) ?? stringOf(item["message"]) ?? "";
    if (type === "agent_message" || type === "reasoning") this.assistant(place).parts.push({ kind: type === "reasoning" ? "reasoning" : "text", text });
    else if (type === "error") {
      this.reply = undefined;
      this.list.add({ role: "system", parts: [{ kind: "text", text }], name: "error", flags: ["meta"], places: [place] });
    } else this.readTool(item, type, document, place, done);
  }

  private readTool(item: JsonObject, type: string, document: JsonDocument, place: Place, done: boolean): void {
    const callId = wordOf(item["id"]) ?? "";
    const toolName = type === "mcp_tool_call" ? [item["server"], item["tool"]].map(wordOf).filter((word) => word !== undefined).join(".") : type;
    const args = type === "mcp_tool_call" ? { args: item["arguments"] } : { args: item, skip: itemOwn };
    this.assistant(place).parts.push(callPart(document, { name: toolName, id: callId, ...args }).part);
    const status = wordOf(item["status"]);
    if (!done) return;
    const output = item["aggregated_output"] ?? item["result"];
    const error = stringOf(member(item["error"], "message")) ?? stringOf(item["error"]);
    const read = output === undefined || output === null ? { texts: [error ?? status ?? ""], extras: [], failed: false } : itemOutput(document, output);
    const failed = read.failed || status === "failed" || status === "declined" || error !== undefined || (numberOf(item["exit_code"]) ?? 0) !== 0;
    const parts = read.texts.map((text): Part => ({ kind: "tool_result", text, callId, ...(failed ? { isError: true } : {}) }));
    this.reply = undefined;
    this.list.add({ role: "tool", parts, extras: read.extras, places: [place] });
    if (!this.places.has(callId)) this.places.set(callId, place);
    else this.list.warn("repeated-item", `The item ${textOf(document, callId).slice(0, 60)} is completed twice.`, place);
  }
}
