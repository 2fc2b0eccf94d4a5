/** Records of a Codex rollout that is too large to be held: what its turns are made of stays, the rest is read again from the line. */
import { isObject } from "#core/json/access";
import type { LineDocuments } from "../light-text";
import type { CodexRecord } from "./codex-records";
import { changedDocument, LightPicker, lightDocument, lineOf, startOf } from "./light-records";

/** Members of a payload that are looked at of all records at once. */
const ofPayload = ["type", "role", "call_id", "id", "num_turns", "approval_policy", "effort", "sandbox_policy"];
const ofPolicy = ["mode", "type"];
const lightKinds = new Set(["response_item", "event_msg", "turn_context"]);

/** An item, an event or the context of a turn without its texts; every other record as it is. */
export function lightRecord(record: CodexRecord, picker: LightPicker): CodexRecord {
  if (!lightKinds.has(record.kind) || record.place.line === undefined) return record;
  const payload = picker.pick(record.payload, ofPayload);
  const policy = record.payload["sandbox_policy"];
  if (isObject(policy)) payload["sandbox_policy"] = picker.pick(policy, ofPolicy);
  for (const key of ["message", "text"]) if (typeof record.payload[key] === "string") payload[key] = startOf(record.payload[key]);
  const content = record.payload["content"];
  if (typeof content === "string") payload["content"] = startOf(content);
  else if (Array.isArray(content) && record.payload["role"] !== undefined) payload["content"] = content.map((part) => (isObject(part) ? { text: startOf(part["text"]) } : startOf(part)));
  return { ...record, kind: picker.once(record.kind), type: picker.once(record.type), payload, document: lightDocument };
}

/** The record with all that its line holds, without texts where the line was changed. `light` is that of the document. */
export function wholeRecord(record: CodexRecord, light: LineDocuments | undefined): CodexRecord {
  const line = lineOf(record, light);
  if (!line) return record;
  if (line === "changed") return { ...record, payload: new LightPicker().pick(record.payload, ofPayload), document: changedDocument };
  const payload = line.value["payload"];
  return { ...record, document: line.document, payload: isObject(payload) ? payload : line.value };
}
