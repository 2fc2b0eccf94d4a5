/** The batch files of model providers: requests out, answers in, in the forms of OpenAI (also vLLM and Azure) and Anthropic. */
import type { ModelAnswer, ModelCall } from "./define";
import { suspicionOf } from "./logprob-score";

export type BatchEngine = "openai" | "anthropic";

const ownParams = new Set(["temperature", "top_p", "max_tokens", "seed", "reasoning_effort", "thinking_tokens", "timeout_s", "context_tokens"]);
const fixedKeys = new Set(["model", "messages", "stream", "response_format", "tools", "tool_choice", "n"]);

/** One line of a batch file for `call`, under an id that comes back with the answer. */
export function batchLine(call: ModelCall, customId: string, engine: BatchEngine): object {
  const { temperature, top_p, max_tokens, seed, reasoning_effort: effort, thinking_tokens: thinking } = call.params;
  const sampling = { ...given({ temperature, top_p }) };
  if (engine === "anthropic") {
    return {
      custom_id: customId,
      params: {
        model: call.model, max_tokens: typeof max_tokens === "number" ? max_tokens : 4096, ...sampling,
        ...(typeof thinking === "number" ? { thinking: { type: "enabled", budget_tokens: thinking } } : {}),
        ...(call.system === "" ? {} : { system: call.system }), messages: [{ role: "user", content: call.user }],
      },
    };
  }
  const further = Object.fromEntries(Object.entries(call.params).filter(([key, value]) => !ownParams.has(key) && !fixedKeys.has(key) && value !== undefined));
  return {
    custom_id: customId, method: "POST", url: "/v1/chat/completions",
    body: {
      ...further, model: call.model, ...sampling, ...given({ max_tokens, seed, reasoning_effort: effort }),
      messages: [...(call.system === "" ? [] : [{ role: "system", content: call.system }]), { role: "user", content: call.user }],
      ...(call.schema ? { response_format: { type: "json_schema", json_schema: { name: "verdict", schema: call.schema, strict: false } } } : {}),
    },
  };
}

function given(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** A row of results: an answer, or a sentence why the request failed. */
export type BatchRow = { readonly customId: string; readonly answer: ModelAnswer } | { readonly customId: string; readonly failed: string };

type Loose = Record<string, unknown>;
const asObject = (value: unknown): Loose | undefined => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Loose) : undefined);
const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Reads a parsed row of results; undefined when it has no `custom_id` or none of the known forms. Never throws. */
export function readBatchRow(value: unknown): BatchRow | undefined {
  const row = asObject(value);
  const customId = asText(row?.["custom_id"]);
  if (!row || customId === undefined) return undefined;
  const result = asObject(row["result"]);
  if (result) return anthropicRow(customId, result);
  const response = asObject(row["response"]);
  const error = asObject(row["error"]);
  const status = response?.["status_code"];
  const body = asObject(response?.["body"]);
  if (!body || (typeof status === "number" && status >= 400) || error) {
    const said = asText(error?.["message"]) ?? asText(asObject(body?.["error"])?.["message"]) ?? asText(error?.["code"]);
    if (!response && !error) return undefined;
    return { customId, failed: said ?? (typeof status === "number" ? `status ${status}` : "no answer") };
  }
  return { customId, answer: chatAnswer(body) };
}

function chatAnswer(body: Loose): ModelAnswer {
  const choice = asObject((body["choices"] as unknown[] | undefined)?.[0]);
  const message = asObject(choice?.["message"]);
  const refusal = asText(message?.["refusal"]);
  const usage = asObject(body["usage"]);
  const input = usage?.["prompt_tokens"], output = usage?.["completion_tokens"];
  return {
    text: textOf(message?.["content"]) || refusal || "", reasoning: asText(message?.["reasoning_content"]) ?? asText(message?.["reasoning"]),
    suspicion: suspicionOf(choice?.["logprobs"]), finishReason: refusal ? "refusal" : asText(choice?.["finish_reason"]), modelReturned: asText(body["model"]), fingerprint: asText(body["system_fingerprint"]),
    usage: typeof input === "number" && typeof output === "number" ? { inputTokens: input, outputTokens: output } : undefined, attempts: 1, latencyMs: 0,
  };
}

function anthropicRow(customId: string, result: Loose): BatchRow {
  const message = asObject(result["message"]);
  if (result["type"] !== "succeeded" || !message) {
    const error = asObject(result["error"]);
    return { customId, failed: asText(asObject(error?.["error"])?.["message"]) ?? asText(error?.["message"]) ?? asText(result["type"]) ?? "no answer" };
  }
  const blocks = Array.isArray(message["content"]) ? (message["content"] as unknown[]).flatMap((one): Loose[] => { const block = asObject(one); return block ? [block] : []; }) : [];
  const joined = (type: string, key: string): string => blocks.filter((one) => one["type"] === type).map((one) => asText(one[key]) ?? "").join("");
  const usage = asObject(message["usage"]);
  const numbers = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"].flatMap((key) => (typeof usage?.[key] === "number" ? [usage[key]] : []));
  const output = usage?.["output_tokens"];
  return { customId, answer: {
    text: joined("text", "text"), reasoning: joined("thinking", "thinking") || undefined, finishReason: asText(message["stop_reason"]), modelReturned: asText(message["model"]),
    usage: numbers.length > 0 && typeof output === "number" ? { inputTokens: numbers.reduce((sum, one) => sum + one, 0), outputTokens: output } : undefined, attempts: 1, latencyMs: 0,
  } };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part) => asText(asObject(part)?.["text"]) ?? "").join("") : "";
}
