/** Restores steps from an ATIF file that Tracemark wrote: order, kinds and stand-ins as `extra.tracemark` says. */
import { isObject, member } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import type { Part, Place, Step } from "../model";
import { ExtraStep, reasoningJoint, type ExtraPart } from "./atif-extra";
import { atifTokens } from "./atif-steps";
import { idOf, listOf, numberOf, stringOf, wordOf } from "./fields";
import { addFlag, type StepList } from "./step-list";
import { callPart } from "./tool-args";
import * as z from "zod/mini";

/** What the ATIF fields of a step hold, to be taken in order. */
interface Held {
  texts: string[];
  reasonings: string[];
  calls: Part[];
  results: string[];
}

/** Appends the steps; false where the step carries no valid `extra.tracemark` and has to be read as plain ATIF. */
export function restoreStep(list: StepList, document: JsonDocument, step: JsonObject, places: Place[]): boolean {
  const recorded = member(step["extra"], "tracemark");
  if (recorded === undefined) return false;
  const parsed = z.safeParse(ExtraStep, recorded);
  if (!parsed.success) return false;
  const { lead, tools } = parsed.data;
  if (lead) {
    const held = heldByLead(document, step, lead.reasoning_lengths);
    const role = lead.role ?? (step["source"] === "agent" ? "assistant" : step["source"] === "user" ? "user" : "system");
    const metrics = step["metrics"];
    const made = list.add({
      role, parts: takeParts(lead.parts, held), places, name: lead.name, flags: lead.flags, extras: lead.extras, reasoningHidden: lead.reasoning_hidden,
      time: lead.time ?? wordOf(step["timestamp"]), model: lead.model ?? wordOf(step["model_name"]),
      tokens: lead.tokens ?? atifTokens(metrics), costUsd: lead.cost_usd ?? numberOf(member(metrics, "cost_usd")),
    });
    if (step["is_copied_context"] === true) addFlag(made, "copied_context");
  }
  const results = listOf(member(step["observation"], "results"));
  (tools ?? []).forEach((tool, i) => {
    const result = results[i];
    const callId = idOf(member(result, "source_call_id"));
    const held: Held = { texts: [], reasonings: [], calls: [], results: textsOf(member(result, "content")) };
    const parts = takeParts(tool.parts, held).map((part) => (part.kind === "tool_result" && part.callId === undefined && callId !== undefined ? { ...part, callId } : part));
    list.add({
      role: "tool", parts, places: places.map((place) => ({ ...place, pointer: `${place.pointer ?? ""}/observation/results/${i}` })), name: tool.name, flags: tool.flags,
      extras: tool.extras, reasoningHidden: tool.reasoning_hidden, time: tool.time, model: tool.model, tokens: tool.tokens, costUsd: tool.cost_usd,
    } satisfies Omit<Step, "index">);
  });
  return true;
}

function heldByLead(document: JsonDocument, step: JsonObject, lengths: readonly number[] | undefined): Held {
  const calls = listOf(step["tool_calls"]).filter(isObject).map((call) => callPart(document, { name: wordOf(call["function_name"]), id: idOf(call["tool_call_id"]), args: call["arguments"] }).part);
  return { texts: textsOf(step["message"]), reasonings: split(stringOf(step["reasoning_content"]) ?? "", lengths), calls, results: [] };
}

/** Texts of a message or result: one string, or the text blocks of a list. */
function textsOf(content: Json | undefined): string[] {
  if (typeof content === "string") return [content];
  return listOf(content).flatMap((block) => {
    const text = member(block, "text");
    return typeof text === "string" ? [text] : [];
  });
}

function split(text: string, lengths: readonly number[] | undefined): string[] {
  if (!lengths) return [text];
  let at = 0;
  return lengths.map((length) => {
    const piece = text.slice(at, at + length);
    at += length + reasoningJoint.length;
    return piece;
  });
}

function takeParts(parts: readonly ExtraPart[], held: Held): Part[] {
  return parts.map((entry): Part => {
    const kind = typeof entry === "string" ? entry : entry.kind;
    const long = typeof entry === "string" ? undefined : entry;
    let part: Part = { kind, text: "" };
    if (!long?.inline) {
      if (kind === "text") part.text = held.texts.shift() ?? "";
      else if (kind === "reasoning") part.text = held.reasonings.shift() ?? "";
      else if (kind === "tool_result") part.text = held.results.shift() ?? "";
      else part = held.calls.shift() ?? part;
    }
    if (!long) return part;
    if (long.text !== undefined) {
      part = { ...part, text: long.text };
      delete part.args;
    }
    if (long.args) part.args = long.args;
    if (long.tool_name !== undefined) part.toolName = long.tool_name;
    if (long.call_id !== undefined) part.callId = long.call_id;
    if (long.no_name) delete part.toolName;
    if (long.no_id) delete part.callId;
    if (long.is_error !== undefined) part.isError = long.is_error;
    return part;
  });
}
