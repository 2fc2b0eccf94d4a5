/** Holds requests back as an endpoint's headers, and the user's own limits, ask for. One gate for each endpoint and model. */
import { longestRetryAfter, retryAfter, sleep } from "./backoff";

/** Where requests wait their turn. */
export interface RateGate {
  /** Resolves when a request of about `tokens` may be sent; rejects with the signal's reason when it is aborted. In order of arrival. */
  enter(tokens: number, signal?: AbortSignal): Promise<void>;
  /** Learns from the headers of an answer. */
  heard(status: number, headers: { get(name: string): string | null }): void;
}

export interface RateOptions {
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
  readonly sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
}

/** What an endpoint says is left of one budget, and when it is whole again (milliseconds since 1970). */
interface Left {
  remaining: number;
  readonly resetAt: number;
}

const names = {
  requests: [["x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"], ["anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"], ["x-ratelimit-remaining", "x-ratelimit-reset"], ["ratelimit-remaining", "ratelimit-reset"]],
  tokens: [["x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"], ["anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"], ["anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"]],
} as const;

/** Beyond this nothing is waited for at once; headers may have been read wrongly. */
const longestHold = 120_000;

/** A gate that knows nothing yet, but for the user's own limits. */
export class RateLimiter implements RateGate {
  private queue: Promise<void> = Promise.resolve();
  private holdUntil = 0;
  private left: { requests?: Left | undefined; tokens?: Left | undefined } = {};
  /** Earliest time of the next request by the user's limits. */
  private nextAt = 0;
  private readonly now: () => number;
  private readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;

  constructor(private readonly options: RateOptions = {}) {
    this.now = options.now ?? Date.now;
    this.sleep = options.sleep ?? sleep;
  }

  enter(tokens: number, signal?: AbortSignal): Promise<void> {
    const mine = this.queue.then(() => this.pass(tokens, signal));
    this.queue = mine.catch(() => undefined);
    return mine;
  }

  private async pass(tokens: number, signal?: AbortSignal): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const wait = this.waitFor(tokens);
      if (wait <= 0) break;
      await this.sleep(Math.min(wait, 5_000), signal);
    }
    const { requests, tokens: budget } = this.left;
    if (requests) requests.remaining -= 1;
    if (budget) budget.remaining -= tokens;
    const { requestsPerMinute, tokensPerMinute } = this.options;
    const spacing = Math.max(requestsPerMinute ? 60_000 / requestsPerMinute : 0, tokensPerMinute ? (60_000 * tokens) / tokensPerMinute : 0);
    if (spacing > 0) this.nextAt = Math.max(this.now(), this.nextAt) + spacing;
  }

  private waitFor(tokens: number): number {
    const now = this.now();
    let until = Math.max(this.holdUntil, this.nextAt);
    for (const [kind, needed] of [["requests", 1], ["tokens", tokens]] as const) {
      const left = this.left[kind];
      if (!left) continue;
      // When the budget is whole again nothing is known of it until the next answer.
      if (left.resetAt <= now) this.left[kind] = undefined;
      else if (left.remaining < needed) until = Math.max(until, left.resetAt);
    }
    return until - now;
  }

  heard(status: number, headers: { get(name: string): string | null }): void {
    const now = this.now();
    for (const kind of ["requests", "tokens"] as const) {
      for (const [remainingName, resetName] of names[kind]) {
        const remaining = Number(headers.get(remainingName) ?? NaN);
        const reset = resetTime(headers.get(resetName), now);
        if (!Number.isFinite(remaining) || reset === undefined) continue;
        this.left[kind] = { remaining, resetAt: Math.min(reset, now + longestHold) };
        break;
      }
    }
    if (status !== 429 && status !== 503) return;
    const wait = retryAfter({ "retry-after": headers.get("retry-after") ?? "", ...(headers.get("retry-after-ms") === null ? {} : { "retry-after-ms": headers.get("retry-after-ms")! }) }, now);
    // Nobody waits longer: who is in the queue hears it for himself, and the run comes to its end.
    if (wait !== undefined && wait <= longestRetryAfter) this.holdUntil = Math.max(this.holdUntil, now + wait);
  }
}

/** The time that a reset header names: `6m0s`, `120ms`, seconds, seconds or milliseconds since 1970, or a date. */
export function resetTime(value: string | null, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (text === "") return undefined;
  const number = Number(text);
  if (Number.isFinite(number)) return number < 0 ? undefined : number > 1e11 ? number : number > 1e9 ? number * 1000 : now + number * 1000;
  const match = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/.exec(text);
  if (match) return now + Number(match[1] ?? 0) * 3_600_000 + Number(match[2] ?? 0) * 60_000 + Number(match[3] ?? 0) * 1000 + Number(match[4] ?? 0);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date;
}
