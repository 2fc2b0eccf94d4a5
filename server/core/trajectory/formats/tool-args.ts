/** Tool calls as parts: arguments from an object, from JSON in a string, or kept as the text they were recorded as. */
import { isObject } from "#core/json/access";
import type { Json, JsonDocument } from "#core/json/document";
import { parseJson } from "#core/json/text-document";
import type { Part, ToolArgument } from "../model";
import { toolCallText } from "../model";
import { argumentsOf, textOf } from "./fields";

export interface RecordedCall {
  readonly name?: string | undefined;
  readonly id?: string | undefined;
  /** The arguments as they stand in the record: object, string, or anything else. */
  readonly args: Json | undefined;
  /** Members of an object of arguments that are none. */
  readonly skip?: ReadonlySet<string> | undefined;
}

/** `problem` says why the arguments are shown as recorded text instead of by name. */
export interface CallRead {
  readonly part: Part;
  readonly problem?: string | undefined;
}

/** The part of a call recorded in `document` (needed for numbers and the order of keys as they were written). */
export function callPart(document: JsonDocument, call: RecordedCall): CallRead {
  const read = readArguments(document, call.args);
  if (call.skip && isObject(call.args)) read.args = read.args?.filter(({ key }) => !call.skip!.has(key));
  const part: Part = { kind: "tool_call", text: read.args ? toolCallText(read.args) : (read.text ?? "") };
  if (call.name !== undefined && call.name !== "") part.toolName = call.name;
  if (call.id !== undefined && call.id !== "") part.callId = call.id;
  if (read.args) part.args = read.args;
  return { part, problem: read.problem };
}

interface ArgumentsRead {
  args?: ToolArgument[];
  text?: string;
  problem?: string;
}

function readArguments(document: JsonDocument, args: Json | undefined): ArgumentsRead {
  if (args === undefined || args === null) return { args: [] };
  if (typeof args === "string") return fromText(args);
  if (isObject(args)) return { args: argumentsOf(document, args) };
  return { text: textOf(document, args), problem: "the arguments are no object" };
}

/** Arguments recorded as a JSON string. Empty text means none; anything but an object stays as recorded. */
function fromText(text: string): ArgumentsRead {
  if (text.trim() === "") return { args: [] };
  const parsed = parseJson(text);
  if (!parsed.document) return { text, problem: `the arguments are no JSON (${parsed.problem})` };
  const value = parsed.document.value;
  return isObject(value) ? { args: argumentsOf(parsed.document, value) } : { text, problem: "the arguments are JSON, but no object" };
}

/** Arguments that a reader composes itself, for formats that record only a command or a text. */
export function namedText(key: string, text: string): ToolArgument[] {
  return [{ key, text }];
}
