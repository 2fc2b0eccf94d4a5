/** Token counts as OpenAI and its relatives report them: the input includes what came from a cache. */
import { isObject, memberAt } from "#core/json/access";
import type { Json } from "#core/json/document";
import type { Tokens } from "../model";
import { numberOf } from "./fields";

/** `usage` of a reply, or undefined when it holds no counts. */
export function chatTokens(usage: Json | undefined): Tokens | undefined {
  if (!isObject(usage)) return undefined;
  const tokens: Tokens = {};
  const set = (key: keyof Tokens, ...values: (Json | undefined)[]) => {
    const found = values.map(numberOf).find((value) => value !== undefined);
    if (found !== undefined) tokens[key] = found;
  };
  set("input", usage["prompt_tokens"], usage["input_tokens"]);
  set("cachedInput", memberAt(usage, "prompt_tokens_details", "cached_tokens"), memberAt(usage, "input_tokens_details", "cached_tokens"), usage["cached_tokens"], usage["prompt_cache_hit_tokens"]);
  set("output", usage["completion_tokens"], usage["output_tokens"]);
  set("reasoning", memberAt(usage, "completion_tokens_details", "reasoning_tokens"), memberAt(usage, "output_tokens_details", "reasoning_tokens"));
  return Object.keys(tokens).length > 0 ? tokens : undefined;
}
