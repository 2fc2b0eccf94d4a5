/** Items of a Codex rollout as parts: calls with their arguments, outputs out of their wrapping, reasoning where it is readable. */
import { isObject, member, memberAt } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import { parseJson } from "#core/json/text-document";
import type { ExtraBlock, Part, Tokens } from "../model";
import { readContent } from "./chat-content";
import { booleanOf, idOf, listOf, numberOf, stringOf, textOf, wordOf } from "./fields";
import { callPart } from "./tool-args";

/** The part of a call item; `hosted` when the provider runs the tool, so that no result is recorded on its own. */
export interface ItemCall { part: Part; problem?: string | undefined; hosted: boolean; extras: ExtraBlock[] }

/** A call item: `function_call`, `custom_tool_call`, `local_shell_call`, `web_search_call` and their like. */
export function itemCall(document: JsonDocument, type: string, payload: JsonObject): ItemCall {
  const id = idOf(payload["call_id"]) ?? idOf(payload["id"]);
  const name = wordOf(payload["name"]) ?? type.replace(/_call$/, "");
  const input = payload["input"];
  if (type === "custom_tool_call" && typeof input === "string") {
    return { part: { kind: "tool_call", text: input, toolName: name, ...(id === undefined ? {} : { callId: id }) }, hosted: false, extras: [] };
  }
  const args = payload["arguments"] ?? payload["action"] ?? payload["query"] ?? input;
  const read = callPart(document, { name, id, args: typeof args === "string" && payload["arguments"] === undefined ? { [type === "web_search_call" ? "query" : "input"]: args } : args });
  // What else such an item holds: the result of a hosted tool, a summary for people.
  const extras = payload["result"] !== undefined ? [{ type, raw: textOf(document, payload) }] : payload["summary"] !== undefined ? [{ type: "summary", raw: JSON.stringify(payload["summary"]) }] : [];
  return { part: read.part, problem: read.problem, hosted: type !== "function_call" && type !== "custom_tool_call" && type !== "local_shell_call", extras };
}

/** What a call gave back: texts as they were shown to the model, blocks that are no text, and whether it failed. */
export interface ItemOutput { texts: string[]; extras: ExtraBlock[]; failed: boolean }

/**
 * The `output` of an item: plain text, JSON text or an object that wraps the text with an exit code, or a list of parts.
 * Only the text is kept of a wrapping; an exit code other than 0 means that the call failed.
 */
export function itemOutput(document: JsonDocument, output: Json | undefined): ItemOutput {
  if (typeof output === "string") {
    const parsed = /^\s*\{/.test(output) ? parseJson(output).document : undefined;
    const wrapped = parsed && isObject(parsed.value) && isWrapping(parsed.value) ? itemOutput(parsed, parsed.value) : undefined;
    return wrapped ?? { texts: [output], extras: [], failed: exitCode(output) };
  }
  if (isObject(output)) {
    const inner = [output["output"], output["content"], output["content_items"]].find((value) => typeof value === "string" || Array.isArray(value));
    const failed = booleanOf(output["success"]) === false || booleanOf(output["is_error"]) === true || (numberOf(memberAt(output, "metadata", "exit_code")) ?? 0) !== 0;
    if (inner === undefined) return { texts: [textOf(document, output)], extras: [], failed };
    if (typeof inner === "string") return { texts: [inner], extras: [], failed };
    const read = itemOutput(document, inner);
    return { ...read, failed: failed || read.failed };
  }
  if (output === null || output === undefined) return { texts: [""], extras: [], failed: false };
  const read = readContent(document, output, { result: {} });
  return { texts: read.parts.map((part) => part.text), extras: read.extras, failed: false };
}

/** `{"output": text, "metadata": …}` and nothing else. */
function isWrapping(value: JsonObject): boolean {
  return typeof value["output"] === "string" && Object.keys(value).every((key) => key === "output" || key === "metadata");
}

/** The first lines of newer outputs say how the process ended. */
function exitCode(text: string): boolean {
  const found = /^(?:.*\n){0,3}?(?:Exit code: |Process exited with code )(-?\d+)/.exec(text.slice(0, 400));
  return found !== null && found[1] !== "0";
}

/** Texts of a reasoning item: its summary, else its content. None means that it is encrypted or was not recorded. */
export function reasoningTexts(payload: JsonObject): string[] {
  const texts = (list: Json | undefined): string[] => listOf(list).flatMap((part) => stringOf(part) ?? stringOf(member(part, "text")) ?? []).filter((text) => text !== "");
  const summary = texts(payload["summary"]);
  const content = payload["content"];
  return summary.length > 0 ? summary : typeof content === "string" && content !== "" ? [content] : texts(content);
}

/** Token counts as Codex writes them; the input includes what came from the cache. */
export function codexTokens(usage: Json | undefined): Tokens | undefined {
  if (!isObject(usage)) return undefined;
  const tokens: Tokens = {};
  const names = [["input", "input_tokens"], ["cachedInput", "cached_input_tokens"], ["output", "output_tokens"], ["reasoning", "reasoning_output_tokens"]] as const;
  for (const [key, name] of names) {
    const count = numberOf(usage[name]);
    if (count !== undefined) tokens[key] = count;
  }
  return Object.keys(tokens).length > 0 ? tokens : undefined;
}
