/** One attempt at one answer, for each family of endpoints, by its client library. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { JSONValue, LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider";
import { suspicionOf } from "#core/monitors/logprob-score";
import type { ModelReply, ModelRequest } from "#protocol/lsp";
import type { Fetch } from "./guarded-fetch";

export type Answer = Omit<ModelReply, "attempts" | "latencyMs">;

/** The providers that can be asked, as `provider` names them. */
export const providerIds = ["openai-compatible", "anthropic", "google"] as const;

/** Headers in which the client libraries send a key; they insist on one, and without one the header is taken off again. */
export const keyHeaders = ["x-api-key", "x-goog-api-key", "authorization"];
/** Stands in for a key that there is not, so that no library looks for one in the environment by itself. */
const noKey = "none";

interface Prepared {
  readonly options: NonNullable<LanguageModelV3CallOptions["providerOptions"]>;
  readonly maxOutputTokens?: number | undefined;
}

/** The way to the network of each request under way, by the signal that goes with it, so that clients can be kept. */
const fetchBySignal = new WeakMap<AbortSignal, Fetch>();
const fetchOfRequest: Fetch = (input, init) => {
  const fetch = init?.signal ? fetchBySignal.get(init.signal) : undefined;
  if (!fetch) throw new Error("a request without a way to the network");
  return fetch(input, init);
};

/** Clients by endpoint, model and key: making one builds schemas anew and costs more than a request. */
const clients = new Map<string, LanguageModelV3>();
const mostClients = 64;

function modelOf(request: ModelRequest, apiKey: string | undefined): LanguageModelV3 {
  const name = JSON.stringify([request.provider, request.baseUrl, request.model, apiKey ?? null]);
  let model = clients.get(name);
  if (!model) {
    if (clients.size >= mostClients) clients.clear();
    model = makeClient(request, apiKey);
    clients.set(name, model);
  }
  return model;
}

function makeClient(request: ModelRequest, apiKey: string | undefined): LanguageModelV3 {
  const baseURL = request.baseUrl.replace(/\/+$/, "");
  if (request.provider === "anthropic") return createAnthropic({ baseURL, apiKey: apiKey ?? noKey, fetch: fetchOfRequest })(request.model);
  if (request.provider === "google") return createGoogleGenerativeAI({ baseURL, apiKey: apiKey ?? noKey, fetch: fetchOfRequest })(request.model);
  return createOpenAICompatible({ name: "endpoint", baseURL, supportsStructuredOutputs: true, ...(apiKey === undefined ? {} : { apiKey }), fetch: fetchOfRequest }).chatModel(request.model);
}

/** Asks once. Rejects with whatever the client library throws. */
export async function askProvider(request: ModelRequest, schema: Record<string, unknown> | undefined, apiKey: string | undefined, fetch: Fetch, abortSignal: AbortSignal): Promise<Answer> {
  const { params } = request;
  const { options, maxOutputTokens } = prepare(request);
  fetchBySignal.set(abortSignal, fetch);
  const result = await modelOf(request, apiKey).doGenerate({
    prompt: [...(request.system === "" ? [] : [{ role: "system" as const, content: request.system }]), { role: "user" as const, content: [{ type: "text" as const, text: request.user }] }],
    ...pick("temperature", numberOf(params["temperature"])), ...pick("topP", numberOf(params["top_p"])), ...pick("seed", numberOf(params["seed"])),
    ...pick("maxOutputTokens", maxOutputTokens),
    ...(schema ? { responseFormat: { type: "json" as const, name: "verdict", schema } } : {}),
    providerOptions: options, abortSignal,
  });
  const body = result.response?.body as { system_fingerprint?: unknown; model?: unknown; modelVersion?: unknown; choices?: { message?: { refusal?: unknown }; logprobs?: unknown }[] } | undefined;
  const refused = typeof body?.choices?.[0]?.message?.refusal === "string" && body.choices[0].message.refusal !== "";
  const textOf = (type: "text" | "reasoning"): string => result.content.flatMap((part) => (part.type === type ? [part.text] : [])).join("");
  const input = countOf(result.usage.inputTokens.total), output = countOf(result.usage.outputTokens.total);
  return {
    text: textOf("text"),
    ...pick("suspicion", suspicionOf(body?.choices?.[0]?.logprobs)),
    ...pick("reasoning", textOf("reasoning") || undefined),
    ...pick("finishReason", refused ? "refusal" : result.finishReason.raw ?? result.finishReason.unified),
    ...pick("modelReturned", [body?.model, body?.modelVersion, result.response?.modelId].find((name) => typeof name === "string")),
    ...pick("fingerprint", typeof body?.system_fingerprint === "string" ? body.system_fingerprint : undefined),
    ...(input === undefined || output === undefined ? {} : { usage: { inputTokens: input, outputTokens: output } }),
  };
}

/** What of the parameters goes to the endpoint in its own words. */
function prepare({ provider, params }: ModelRequest): Prepared {
  const effort = typeof params["reasoning_effort"] === "string" ? params["reasoning_effort"] : undefined;
  const maxOutputTokens = numberOf(params["max_tokens"]);
  const thinking = numberOf(params["thinking_tokens"]);
  if (provider === "anthropic") {
    return {
      maxOutputTokens: maxOutputTokens ?? 4096,
      options: { anthropic: { ...pick("effort", effort), ...(thinking === undefined ? {} : { thinking: { type: "enabled", budgetTokens: thinking } }) } },
    };
  }
  if (provider === "google") {
    const config = { ...pick("thinkingLevel", effort), ...pick("thinkingBudget", thinking), ...(effort === undefined && thinking === undefined ? {} : { includeThoughts: true }) };
    return { maxOutputTokens, options: { google: Object.keys(config).length > 0 ? { thinkingConfig: config } : {} } };
  }
  return { maxOutputTokens, options: { endpoint: { ...furtherParams(params), strictJsonSchema: false, ...pick("reasoningEffort", effort) } } };
}

const ownParams = new Set(["temperature", "top_p", "max_tokens", "seed", "reasoning_effort", "thinking_tokens", "timeout_s", "context_tokens"]);
/** What makes the request what it is cannot be overridden by a parameter. */
const fixedKeys = new Set(["model", "messages", "stream", "response_format", "tools", "tool_choice", "n"]);

/** Parameters that only some endpoints know (`max_completion_tokens`, `top_k` …) go into the body as they stand. */
function furtherParams(params: Record<string, unknown>): Record<string, JSONValue> {
  return Object.fromEntries(Object.entries(params).filter(([key, value]) => !ownParams.has(key) && !fixedKeys.has(key) && value !== undefined)) as Record<string, JSONValue>;
}

/** Tokens as an endpoint counts them; what is no count would give a cap room that is not there. */
function countOf(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function pick<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: V });
}
