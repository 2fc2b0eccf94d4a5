/** Records of a Claude Code log that is too large to be held: what its tree is made of stays, the rest is read again from the line. */
import { isObject } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import { parseJson } from "#core/json/text-document";
import type { LineDocuments } from "../light-text";
import type { LogRecord } from "./claude-code-records";

/** Members of a record, of its message and of a block that are looked at of all records at once. */
const ofRecord = ["type", "subtype", "isCompactSummary", "agentId", "parent_tool_use_id", "sessionId", "session_id", "cwd", "gitBranch", "version", "claude_code_version", "permissionMode"];
const ofMessage = ["id", "model"];
const ofBlock = ["type", "id", "tool_use_id"];
const ofInput = ["subagent_type", "description", "prompt"];

/** The start of a text that tells a command of the user. */
const startLength = 80;

const nothing: JsonDocument = parseJson("null").document!;

/** Makes records light. One for each log: texts that many records repeat are held once. */
export class LightRecords {
  private readonly texts = new Map<string, string>();

  /** A record of the talk without its texts; every other one, also one that was made of another, as it is. */
  lighten(record: LogRecord): LogRecord {
    if ((record.type !== "user" && record.type !== "assistant") || record.value["type"] !== record.type) return record;
    const value = this.pick(record.value, ofRecord);
    const agent = record.value["toolUseResult"];
    if (isObject(agent) && typeof agent["agentId"] === "string") value["toolUseResult"] = { agentId: agent["agentId"] };
    const message = record.value["message"];
    if (message !== undefined) value["message"] = isObject(message) ? this.message(message) : start(message);
    return { ...record, value, document: nothing, uuid: this.once(record.uuid), parent: this.once(record.parent) };
  }

  private message(message: JsonObject): JsonObject {
    const light = this.pick(message, ofMessage);
    const content = message["content"];
    if (content !== undefined) light["content"] = Array.isArray(content) ? content.map((block) => (isObject(block) ? this.block(block) : start(block))) : start(content);
    return light;
  }

  private block(block: JsonObject): JsonObject {
    const light = this.pick(block, ofBlock);
    if (typeof block["text"] === "string") light["text"] = start(block["text"]);
    const input = block["input"];
    const words = isObject(input) ? this.pick(input, ofInput) : {};
    if (Object.keys(words).length > 0) light["input"] = words;
    return light;
  }

  private pick(from: JsonObject, keys: readonly string[]): JsonObject {
    const light: JsonObject = {};
    for (const key of keys) {
      const value = from[key];
      if (typeof value === "string") light[key] = this.once(value);
      else if (value !== undefined && (typeof value !== "object" || value === null)) light[key] = value;
    }
    return light;
  }

  private once<T extends string | undefined>(text: T): T {
    if (text === undefined) return text;
    const known = this.texts.get(text);
    if (known !== undefined) return known as T;
    this.texts.set(text, text);
    return text;
  }
}

/** The record with all that its line holds, for as long as the caller holds it. */
export function wholeRecord(record: LogRecord, light: LineDocuments | undefined): LogRecord {
  const { line } = record.place;
  if (record.document !== nothing || !light || line === undefined) return record;
  const document = light.lineJson(line);
  return document && isObject(document.value) ? { ...record, document, value: document.value } : record;
}

/** A text's beginning, as a text of its own: a mere slice would hold all of it. */
function start(value: Json): Json {
  if (typeof value !== "string") return null;
  const text = value.trimStart();
  return text.length <= startLength ? text : ` ${text.slice(0, startLength)}`.slice(1);
}
