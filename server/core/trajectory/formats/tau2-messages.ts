/** Messages of a tau2-bench simulation as steps: results carry the call's id as their own, and both sides may call tools. */
import { isObject } from "#core/json/access";
import type { Json, JsonDocument, JsonObject } from "#core/json/document";
import { addMessages } from "./chat-messages";
import { chatTokens } from "./chat-usage";
import { listOf, numberOf } from "./fields";
import { addFlag, type StepList } from "./step-list";

/** Appends the messages; `pointer` leads to their list in `document`. Steps and results of the simulated user's calls are marked. */
export function addSimulationMessages(list: StepList, document: JsonDocument, messages: readonly Json[], pointer: string): void {
  const flat: { message: Json; pointer: string }[] = messages.flatMap((message, i) => {
    const place = `${pointer}/${i}`;
    const grouped = isObject(message) ? listOf(message["tool_messages"]) : [];
    return grouped.length > 0 ? grouped.map((one, n) => ({ message: one, pointer: `${place}/tool_messages/${n}` })) : [{ message, pointer: place }];
  });
  addMessages(list, { document, messages: flat.map(({ message }) => withCallId(message)), place: (i) => ({ pointer: flat[i]!.pointer }) }, {
    onStep: (message, step) => {
      const cost = numberOf(message["cost"]);
      const tokens = chatTokens(message["usage"]);
      if (cost !== undefined && cost > 0) step.costUsd = cost;
      if (tokens) step.tokens = tokens;
      if (message["requestor"] === "user" && step.role === "tool") addFlag(step, "user_tool");
    },
  });
}

/** A result's `id` is that of its call. */
function withCallId(message: Json): Json {
  return isObject(message) && message["role"] === "tool" && message["tool_call_id"] === undefined ? ({ ...message, tool_call_id: message["id"] ?? null, is_error: message["error"] === true } satisfies JsonObject) : message;
}
