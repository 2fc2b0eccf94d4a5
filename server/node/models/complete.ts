/** One answer of a model, with patience, a time limit and no surprises about where text and key go. */
import type { ModelFailure, ModelReply, ModelRequest } from "#protocol/lsp";
import { longestRetryAfter, maxAttempts, retryAfter, sleep, waitBefore } from "./backoff";
import { describe, type RequestProblem } from "./failures";
import { guardedFetch, type Fetch } from "./guarded-fetch";
import { isUnsendable } from "./keys";
import { askProvider, keyHeaders, providerIds, type Answer } from "./providers";
import type { RateGate } from "./rate-limit";

/** A failed attempt (numbered from 1, of `attempts` at most) that is followed by another after `waitMs` milliseconds. */
export interface Retry {
  readonly attempt: number;
  readonly attempts: number;
  readonly waitMs: number;
  readonly message: string;
}

export interface CompleteOptions {
  /** Sent to the request's own origin and nowhere else; never part of an answer or a message. */
  readonly apiKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The way to the network; the global fetch unless given (a proxy, an editor's own). */
  readonly fetch?: Fetch | undefined;
  /** Holds requests back until the endpoint will take them; shared by all requests to it. */
  readonly gate?: RateGate | undefined;
  /** Tokens that this request counts as at the gate. */
  readonly tokens?: number | undefined;
  /** Told before every send. */
  readonly onSend?: ((origin: string, bytes: number) => void) | undefined;
  /** Told before every wait between attempts. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** For tests: replaces waiting between attempts. Milliseconds. */
  readonly wait?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** For tests: in [0, 1). */
  readonly random?: (() => number) | undefined;
}

const defaultTimeoutS = 180;
/** An answer that came whole and cannot be read may have been paid for: it is not asked for as often. */
const unreadableAttempts = 3;

/** Endpoints (origin and model) that refused a JSON schema: not asked for one again in this process. */
const withoutSchema = new Set<string>();

/** One completion. Never rejects; what went wrong is a `ModelFailure` whose reason becomes that of an invalid verdict. */
export async function complete(request: ModelRequest, options: CompleteOptions = {}): Promise<ModelReply | ModelFailure> {
  const started = performance.now();
  const latencyMs = (): number => Math.round(performance.now() - started);
  if (!(providerIds as readonly string[]).includes(request.provider)) {
    return { reason: "configuration", message: `provider "${request.provider}" is not available in this version`, attempts: 0, latencyMs: 0 };
  }
  // Errors of clients about such a header quote it in forms in which it would not be recognized.
  if (options.apiKey !== undefined && isUnsendable(options.apiKey)) return { reason: "configuration", message: "the key holds a line break, a space or a letter that no header carries; set it anew", attempts: 0, latencyMs: 0 };
  const known = `${request.baseUrl}\n${request.model}`;
  const pause = options.wait ?? sleep;
  let problem: RequestProblem | undefined;
  let attempts = 0;
  let schema = withoutSchema.has(known) ? undefined : request.schema;
  while (attempts < maxAttempts) {
    try {
      await options.gate?.enter(options.tokens ?? 0, options.signal);
    } catch {
      problem = cancelled;
      break;
    }
    attempts++;
    const result = await attempt(request, schema, options);
    if ("text" in result) {
      // Only an answer without the schema proves that the schema was what the endpoint refused.
      if (!schema && request.schema) withoutSchema.add(known);
      return withoutKey({ ...result, attempts, latencyMs: latencyMs() }, options.apiKey);
    }
    problem = result;
    if (schema && problem.aboutFormat) {
      schema = undefined;
      continue;
    }
    const most = problem.unreadable ? unreadableAttempts : maxAttempts;
    if (!problem.passing || attempts >= most) break;
    const askedFor = retryAfter(problem.headers, Date.now());
    if (askedFor !== undefined && askedFor > longestRetryAfter) {
      problem = { ...problem, message: `${problem.message} (it asks to be left alone for ${Math.ceil(askedFor / 60_000)} min)` };
      break;
    }
    const waitMs = waitBefore(attempts, askedFor, (options.random ?? Math.random)());
    options.onRetry?.(withoutKey({ attempt: attempts, attempts: most, waitMs, message: problem.message }, options.apiKey));
    try {
      await pause(waitMs, options.signal);
    } catch {
      problem = cancelled;
      break;
    }
  }
  return withoutKey({ reason: problem?.reason ?? "network", message: problem?.message ?? "nothing was asked", attempts, latencyMs: latencyMs() }, options.apiKey);
}

const cancelled: RequestProblem = { reason: "cancelled", message: "the request was cancelled", passing: false, aboutFormat: false };

/** Endpoints repeat keys in what they say ("incorrect key sk-…"); nothing that is written down or shown holds one. */
function withoutKey<T extends object>(value: T, apiKey: string | undefined): T {
  const hide = hideKey(apiKey);
  return hide ? (Object.fromEntries(Object.entries(value).map(([name, one]) => [name, typeof one === "string" ? hide(one) : one])) as T) : value;
}

const hideKey = (apiKey: string | undefined): ((text: string) => string) | undefined => (apiKey === undefined || apiKey.length < 6 ? undefined : (text) => text.replaceAll(apiKey, "[key]"));

async function attempt(request: ModelRequest, schema: Record<string, unknown> | undefined, options: CompleteOptions): Promise<Answer | RequestProblem> {
  const timeoutS = request.params["timeout_s"];
  const timeoutMs = 1000 * (typeof timeoutS === "number" && timeoutS > 0 ? timeoutS : defaultTimeoutS);
  const limit = new AbortController();
  let timedOut = false;
  const timer = setTimeout(() => { timedOut = true; limit.abort(new Error("time limit")); }, timeoutMs);
  const stop = (): void => limit.abort(options.signal?.reason);
  options.signal?.addEventListener("abort", stop, { once: true });
  const fetch = guardedFetch(options.fetch ?? globalThis.fetch, {
    ...(options.onSend ? { onSend: options.onSend } : {}),
    onHeard: (status, headers) => options.gate?.heard(status, headers),
    without: options.apiKey === undefined ? keyHeaders : [],
  });
  try {
    if (options.signal?.aborted) stop();
    return await askProvider(request, schema, options.apiKey, fetch, limit.signal);
  } catch (error) {
    return describe(error, { timedOut, cancelled: options.signal?.aborted === true, timeoutMs, hide: hideKey(options.apiKey) });
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", stop);
  }
}
