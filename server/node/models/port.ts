/** The way of a run to its models: cache, cap, rate gate, key, egress log and client, in this order. */
import type { ModelAnswer, ModelCall, ModelPort, ModelProblem, Monitor } from "#core/monitors/define";
import { costOf } from "#core/monitors/llm";
import { estimateTokens } from "#core/monitors/render";
import type { AnswerCache } from "../store/answer-cache";
import type { EgressLog } from "./egress-log";
import type { Retry } from "./complete";
import type { Fetch } from "./guarded-fetch";
import type { ModelsModule } from "./load";
import { RateLimiter } from "./rate-limit";
import type { Amount, SpendCap } from "./spend";

export interface PortOptions {
  /** The monitors that will ask, each with its key, if any. */
  readonly monitors: readonly { readonly monitor: Monitor; readonly apiKey?: string | undefined }[];
  readonly models: Pick<ModelsModule, "complete">;
  readonly fetch?: Fetch | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly cache?: AnswerCache | undefined;
  readonly cap?: SpendCap | undefined;
  readonly log?: EgressLog | undefined;
  /** Told when a request failed and is asked again. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/** Estimates of tokens are good to about a third; a cap must hold all the same. */
const safety = 1.35;
/** Answer assumed at most where `max_tokens` is not set. */
const longAnswer = 8_000;

/** Reason of a problem that says: the cap is reached, and the sample is to be asked in a later run. */
export const capReason = "cap";

export function modelPort(options: PortOptions): ModelPort & { readonly answeredByCache: number } {
  const byId = new Map(options.monitors.map((one) => [one.monitor.id, one]));
  const gates = new Map<string, RateLimiter>();
  let answeredByCache = 0;
  const gateOf = (call: ModelCall, monitor: Monitor | undefined): RateLimiter => {
    const name = `${call.baseUrl}\n${call.model}`;
    const { requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute } = monitor?.config.limits ?? {};
    const gate = gates.get(name) ?? new RateLimiter({ requestsPerMinute, tokensPerMinute });
    gates.set(name, gate);
    return gate;
  };
  return {
    get answeredByCache() { return answeredByCache; },
    keep: (call, answer) => options.cache?.keep(call, answer),
    async complete(call): Promise<ModelAnswer | ModelProblem> {
      const known = await options.cache?.find(call);
      if (known) {
        answeredByCache++;
        return known;
      }
      const { monitor, apiKey } = byId.get(call.monitor) ?? {};
      const tokens = estimateTokens(call.system) + estimateTokens(call.user);
      const most = options.cap && mostOf(call, tokens, monitor);
      if (most && !(await options.cap!.reserve(most))) return { reason: capReason, message: "the cap of the run is reached", attempts: 0, latencyMs: 0 };
      const reply = await options.models.complete({ ...call, params: { ...call.params }, schema: call.schema && { ...call.schema } }, {
        apiKey, signal: options.signal, gate: gateOf(call, monitor), tokens, ...(options.fetch ? { fetch: options.fetch } : {}),
        ...(options.onRetry ? { onRetry: options.onRetry } : {}),
        ...(options.log ? { onSend: (origin: string, bytes: number) => options.log!.sent(origin, bytes, call.monitor, call.samples) } : {}),
      });
      if (most) options.cap!.settle(most, realOf(reply, monitor, most));
      return reply;
    },
  };
}

function mostOf({ params }: ModelCall, tokens: number, monitor: Monitor | undefined): Amount {
  const input = Math.ceil(tokens * safety) + 50;
  const output = typeof params["max_tokens"] === "number" ? params["max_tokens"] : longAnswer;
  return { tokens: input + output, costUsd: (monitor && costOf(monitor, input, output)) ?? 0 };
}

/** What a request came to. One that was sent and got no answer may have been charged all the same. */
function realOf(reply: ModelAnswer | ModelProblem, monitor: Monitor | undefined, most: Amount): Amount {
  if ("reason" in reply) return reply.attempts > 0 && ["timeout", "too_large", "network"].includes(reply.reason) ? most : { costUsd: 0, tokens: 0 };
  if (!reply.usage) return most;
  const { inputTokens, outputTokens } = reply.usage;
  return { tokens: inputTokens + outputTokens, costUsd: (monitor && costOf(monitor, inputTokens, outputTokens)) ?? 0 };
}
