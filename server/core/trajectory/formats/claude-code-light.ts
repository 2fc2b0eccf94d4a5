/** Records of a Claude Code log that is too large to be held: what its tree is made of stays, the rest is read again from the line. */
import { isObject, member } from "#core/json/access";
import type { JsonObject } from "#core/json/document";
import type { LineDocuments } from "../light-text";
import type { LogRecord } from "./claude-code-records";
import { listOf } from "./fields";
import { changedDocument, LightPicker, lightDocument, lineOf, startOf } from "./light-records";

/** Members of a record, of its message and of a block that are looked at of all records at once. */
const ofRecord = ["type", "subtype", "isCompactSummary", "agentId", "parent_tool_use_id", "sessionId", "session_id", "cwd", "gitBranch", "version", "claude_code_version", "permissionMode"];
const ofMessage = ["id", "model"];
const ofBlock = ["type", "id", "tool_use_id"];
const ofInput = ["subagent_type", "description", "prompt"];

/** A record of the talk without its texts; every other one, also one that was made of another, as it is. */
export function lightRecord(record: LogRecord, picker: LightPicker): LogRecord {
  if ((record.type !== "user" && record.type !== "assistant") || record.value["type"] !== record.type) return record;
  const value = picker.pick(record.value, ofRecord);
  const agent = record.value["toolUseResult"];
  if (isObject(agent) && typeof agent["agentId"] === "string") value["toolUseResult"] = { agentId: agent["agentId"] };
  const message = record.value["message"];
  const { place, type, sidechain } = record;
  // All in one shape and no larger than need be: there may be millions of them.
  return {
    value: picker.shared(value), document: lightDocument, place, type: picker.once(type), uuid: picker.once(record.uuid), parent: picker.once(record.parent), sidechain,
    message: message === undefined ? undefined : isObject(message) ? lightMessage(message, picker) : startOf(message),
  } as LogRecord;
}

/** The record with all that its line holds, without texts where the line was changed. `light` is that of the document. */
export function wholeRecord(record: LogRecord, light: LineDocuments | undefined): LogRecord {
  const line = lineOf(record, light);
  const { message, ...rest } = record;
  if (line !== "changed") return line ? { ...rest, ...line } : record;
  return { ...rest, value: { ...record.value, message: isObject(message) ? withoutTexts(message) : { content: [] } }, document: changedDocument };
}

/** Of a light message its id and model, and of its blocks the results, each with an empty text: their steps stay. */
function withoutTexts(message: JsonObject): JsonObject {
  const results = listOf(message["content"]).filter((block) => member(block, "type") === "tool_result");
  return { ...message, content: results.map((block) => ({ ...(block as JsonObject), content: "" })) };
}

function lightMessage(message: JsonObject, picker: LightPicker): JsonObject {
  const { id, model } = picker.pick(message, ofMessage);
  const content = message["content"];
  // Whose words they are can be seen by the beginning of what a user is said to have written.
  const isUser = message["role"] !== "assistant";
  const light = content === undefined ? undefined : Array.isArray(content) ? content.map((block) => (isObject(block) ? lightBlock(block, isUser, picker) : startOf(block))) : startOf(content);
  return id === undefined && model === undefined ? (light === undefined ? {} : { content: light }) : ({ id, model, content: light } as JsonObject);
}

function lightBlock(block: JsonObject, isUser: boolean, picker: LightPicker): JsonObject {
  const light = picker.pick(block, ofBlock);
  if (isUser && typeof block["text"] === "string") light["text"] = startOf(block["text"]);
  const input = block["input"];
  const words = isObject(input) ? picker.pick(input, ofInput) : {};
  if (Object.keys(words).length > 0) light["input"] = words;
  if (light["id"] === undefined && light["tool_use_id"] === undefined) return picker.shared(light);
  if (light["input"] !== undefined || light["text"] !== undefined) return light;
  const { type, id, tool_use_id } = light;
  return (id === undefined ? { type, tool_use_id } : tool_use_id === undefined ? { type, id } : light) as JsonObject;
}
