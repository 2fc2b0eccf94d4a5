/** Asks any OpenAI-compatible chat endpoint for one completion, with patience, a time limit and no surprises about where text goes. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, wrapLanguageModel, type JSONValue } from "ai";
import type { ModelFailure, ModelReply, ModelRequest } from "#protocol/lsp";
import { maxAttempts, retryAfter, sleep, waitBefore } from "./backoff";
import { describe, RedirectRefused } from "./failures";
import type { RequestProblem } from "./failures";

export type Fetch = typeof globalThis.fetch;

export interface CompleteOptions {
  /** Sent as a bearer token to the request's own origin and nowhere else. */
  readonly apiKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The way to the network; the global fetch unless given (a proxy, an editor's own). */
  readonly fetch?: Fetch | undefined;
  /** For tests: replaces waiting between attempts. Milliseconds. */
  readonly wait?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** For tests: in [0, 1). */
  readonly random?: (() => number) | undefined;
}

const defaultTimeoutS = 180;

/** Endpoints (origin and model) that refused a JSON schema: not asked for one again in this process. */
const withoutSchema = new Set<string>();

/** One answer of the model, or why there is none. Never rejects. */
export async function completeOpenAICompatible(request: ModelRequest, options: CompleteOptions = {}): Promise<ModelReply | ModelFailure> {
  const started = performance.now();
  const known = `${request.baseUrl}\n${request.model}`;
  const pause = options.wait ?? sleep;
  let problem: RequestProblem | undefined;
  let attempts = 0;
  let schema = withoutSchema.has(known) ? undefined : request.schema;
  while (attempts < maxAttempts) {
    attempts++;
    const result = await attempt(request, schema, options);
    if ("text" in result) {
      // Only an answer without the schema proves that the schema was what the endpoint refused.
      if (!schema && request.schema) withoutSchema.add(known);
      return { ...result, attempts, latencyMs: Math.round(performance.now() - started) };
    }
    problem = result;
    if (schema && problem.aboutFormat) {
      schema = undefined;
      continue;
    }
    if (!problem.passing || attempts >= maxAttempts) break;
    try {
      await pause(waitBefore(attempts, retryAfter(problem.headers, Date.now()), (options.random ?? Math.random)()), options.signal);
    } catch {
      problem = { ...problem, reason: "cancelled", message: "the request was cancelled" };
      break;
    }
  }
  return { reason: problem?.reason ?? "network", message: problem?.message ?? "nothing was asked", attempts, latencyMs: Math.round(performance.now() - started) };
}

type Answer = Omit<ModelReply, "attempts" | "latencyMs">;

async function attempt(request: ModelRequest, schema: Record<string, unknown> | undefined, options: CompleteOptions): Promise<Answer | RequestProblem> {
  const timeoutMs = 1000 * (numberOf(request.params["timeout_s"]) ?? defaultTimeoutS);
  const limit = new AbortController();
  let timedOut = false;
  const timer = setTimeout(() => { timedOut = true; limit.abort(new Error("time limit")); }, timeoutMs);
  const stop = (): void => limit.abort(options.signal?.reason);
  options.signal?.addEventListener("abort", stop, { once: true });
  try {
    if (options.signal?.aborted) stop();
    return await generate(request, schema, options, limit.signal);
  } catch (error) {
    return describe(error, { timedOut, cancelled: options.signal?.aborted === true, timeoutMs });
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", stop);
  }
}

async function generate(request: ModelRequest, schema: Record<string, unknown> | undefined, options: CompleteOptions, abortSignal: AbortSignal): Promise<Answer> {
  // The client prints advice to the console otherwise; standard output belongs to results.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  const provider = createOpenAICompatible({
    name: "endpoint", baseURL: request.baseUrl.replace(/\/+$/, ""), supportsStructuredOutputs: true,
    ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
    fetch: guardedFetch(options.fetch ?? globalThis.fetch),
  });
  const { params } = request;
  const responseFormat = schema && { type: "json" as const, name: "verdict", schema };
  const model = wrapLanguageModel({
    model: provider.chatModel(request.model),
    // The answer format is set here and not by the client's own object mode, because an answer that does not fit must reach us as it is.
    middleware: { specificationVersion: "v3", transformParams: async ({ params: call }) => ({ ...call, ...(responseFormat ? { responseFormat } : {}) }) },
  });
  const effort = params["reasoning_effort"];
  const result = await generateText({
    model, system: request.system, prompt: request.user, maxRetries: 0, abortSignal,
    ...pick("temperature", numberOf(params["temperature"])), ...pick("topP", numberOf(params["top_p"])),
    ...pick("maxOutputTokens", numberOf(params["max_tokens"])), ...pick("seed", numberOf(params["seed"])),
    providerOptions: { endpoint: { ...furtherParams(params), strictJsonSchema: false, ...(typeof effort === "string" ? { reasoningEffort: effort } : {}) } },
  });
  const body = result.response.body as { system_fingerprint?: unknown; model?: unknown; choices?: { message?: { refusal?: unknown } }[] } | undefined;
  const refused = typeof body?.choices?.[0]?.message?.refusal === "string" && body.choices[0].message.refusal !== "";
  const { inputTokens, outputTokens } = result.usage;
  return {
    text: result.text,
    ...pick("finishReason", refused ? "refusal" : result.rawFinishReason ?? result.finishReason),
    ...pick("modelReturned", typeof body?.model === "string" ? body.model : undefined),
    ...pick("fingerprint", typeof body?.system_fingerprint === "string" ? body.system_fingerprint : undefined),
    ...(inputTokens === undefined || outputTokens === undefined ? {} : { usage: { inputTokens, outputTokens } }),
  };
}

/** A fetch that follows no redirect: the text of a trajectory, let alone a key, goes only where it was agreed to go. */
function guardedFetch(inner: Fetch): Fetch {
  return async (input, init) => {
    const response = await inner(input, { ...init, redirect: "manual" });
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
      await response.body?.cancel().catch(() => undefined);
      throw new RedirectRefused(response.status, response.headers.get("location"));
    }
    return response;
  };
}

const ownParams = new Set(["temperature", "top_p", "max_tokens", "seed", "reasoning_effort", "timeout_s", "context_tokens"]);
/** What makes the request what it is cannot be overridden by a parameter. */
const fixedKeys = new Set(["model", "messages", "stream", "response_format", "tools", "tool_choice", "n"]);

/** Parameters that only some endpoints know (`max_completion_tokens`, `top_k` …) go into the body as they stand. */
function furtherParams(params: Record<string, unknown>): Record<string, JSONValue> {
  return Object.fromEntries(Object.entries(params).filter(([key, value]) => !ownParams.has(key) && !fixedKeys.has(key) && value !== undefined)) as Record<string, JSONValue>;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function pick<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: V });
}
