/** One turn of a ShareGPT talk as steps: who speaks by name, calls from JSON in the value or from tags in the text. */
import { isObject } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import { parseJson } from "#core/json/text-document";
import type { Part, Place, Role } from "../model";
import { textOf, wordOf } from "./fields";
import type { StepList } from "./step-list";
import { assistantTextParts } from "./think-tags";
import { callPart } from "./tool-args";

/** Does it say `from` and `value`? Turns with `role` and `content` under the same name are chat messages, not these. */
export function isTurn(value: Json | undefined): value is JsonObject {
  return isObject(value) && typeof value["from"] === "string" && "value" in value;
}

type Speaker = Role | "call";

const speakers: Record<string, Speaker> = {
  human: "user", user: "user", gpt: "assistant", chatgpt: "assistant", bing: "assistant", bard: "assistant", assistant: "assistant", model: "assistant", claude: "assistant",
  system: "system", function_call: "call", tool_call: "call", observation: "tool", tool: "tool", function_response: "tool", tool_response: "tool",
};

/** Appends the steps of a turn: one, except where a tool's turn holds several tagged results. */
export function addTurn(list: StepList, document: JsonDocument, turn: Json, place: Place): void {
  if (!isTurn(turn)) {
    list.add({ role: "system", parts: [], extras: [{ type: "turn", raw: textOf(document, turn) }], places: [place] });
    return list.warn("bad-message", "A turn does not say `from` and `value`; it is shown as recorded.", place);
  }
  const from = String(turn["from"]);
  const value = turn["value"]!;
  const speaker = Object.hasOwn(speakers, from.toLowerCase()) ? speakers[from.toLowerCase()]! : undefined;
  if (!speaker) list.warn("unknown-role", `A turn is from ${from.slice(0, 40) || "(nobody)"}; it is shown as system.`, place);
  if (typeof value !== "string" && value !== null && speaker !== "call") list.warn("value-not-text", `Step ${list.steps.length}: the value is no text; it is shown as its JSON.`, place);
  const text = value === null ? "" : textOf(document, value);
  if (speaker === "call") {
    list.add({ role: "assistant", parts: callsOf(list, document, value, place), places: [place] });
  } else if (speaker === "tool") {
    for (const result of resultsOf(text)) list.add({ role: "tool", parts: [{ kind: "tool_result", text: result }], places: [place] });
  } else {
    const parts = speaker === "assistant" ? replyParts(list, text, place) : textParts(text);
    list.add({ role: speaker ?? "system", parts, name: speaker ? undefined : from, places: [place] });
  }
}

function textParts(text: string): Part[] {
  return text === "" ? [] : [{ kind: "text", text }];
}

/** Calls of a turn that is nothing else: `{name, arguments}`, or a list of them, mostly as JSON in a string. */
function callsOf(list: StepList, document: JsonDocument, value: Json, place: Place): Part[] {
  const parsed = typeof value === "string" ? parseJson(value).document : undefined;
  const inner = parsed ?? document;
  const body = typeof value === "string" ? parsed?.value : value;
  const found = (Array.isArray(body) ? body : [body]).map((one) => (one === undefined ? undefined : callOf(list, inner, one, place)));
  if (found.length > 0 && found.every((part) => part !== undefined)) return found;
  list.warn("unparsed-call", `Step ${list.steps.length}: the call is no JSON of a name and arguments; its text is shown as recorded.`, place);
  return [{ kind: "tool_call", text: textOf(document, value) }];
}

function callOf(list: StepList, document: JsonDocument, value: Json, place: Place): Part | undefined {
  const body = isObject(value) && isObject(value["function"]) ? value["function"] : value;
  const name = isObject(body) ? wordOf(body["name"]) : undefined;
  if (!isObject(body) || name === undefined) return undefined;
  const read = callPart(document, { name, id: isObject(value) ? wordOf(value["id"]) : undefined, args: body["arguments"] ?? body["parameters"] });
  if (read.problem) list.warn("unparsed-arguments", `Step ${list.steps.length}: call of ${name}: ${read.problem}.`, place);
  return read.part;
}

/** Text between an opening and a closing tag: `start` and `end` include the tags. Linear, whatever is left open. */
function tagged(text: string, name: string): { start: number; end: number; inner: string }[] {
  const [opening, closing] = [`<${name}>`, `</${name}>`];
  const found: { start: number; end: number; inner: string }[] = [];
  for (let start = text.indexOf(opening); start >= 0; ) {
    const close = text.indexOf(closing, start + opening.length);
    if (close < 0) break;
    const end = close + closing.length;
    found.push({ start, end, inner: text.slice(start + opening.length, close) });
    start = text.indexOf(opening, end);
  }
  return found;
}

/** A reply's text: a leading think block is reasoning, each tagged call a call, what stands between them text. */
function replyParts(list: StepList, text: string, place: Place): Part[] {
  return assistantTextParts(text).flatMap((part): Part[] => {
    const calls = part.kind === "text" ? tagged(part.text, "tool_call") : [];
    if (calls.length === 0) return [part];
    const parts: Part[] = [];
    let at = 0;
    const addText = (end: number): void => {
      const between = part.text.slice(at, end);
      if (between.trim() !== "") parts.push({ kind: "text", text: between });
    };
    for (const { start, end, inner } of calls) {
      addText(start);
      at = end;
      const parsed = parseJson(inner).document;
      const call = parsed && callOf(list, parsed, parsed.value, place);
      if (!call) list.warn("unparsed-call", `Step ${list.steps.length}: a tagged call is no JSON of a name and arguments; its text is shown as recorded.`, place);
      parts.push(call ?? { kind: "tool_call", text: inner });
    }
    addText(part.text.length);
    return parts;
  });
}

/** The results of a tool's turn: what stands in each pair of tags where there is nothing else, the whole text otherwise. */
function resultsOf(text: string): string[] {
  const found = tagged(text, "tool_response");
  const rest = found.reduceRight((left, { start, end }) => left.slice(0, start) + left.slice(end), text);
  return found.length > 0 && rest.trim() === "" ? found.map(({ inner }) => inner.replace(/^\n|\n$/g, "")) : [text];
}
