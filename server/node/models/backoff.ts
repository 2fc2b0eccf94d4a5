/** How long to wait before asking an endpoint again. */

/** Requests at most: the first and its repeats. Every kind of passing failure is asked again at least five times. */
export const maxAttempts = 7;

const firstWait = 500;
const longestWait = 30_000;
/** An endpoint that asks for more patience than this, in milliseconds, is not waited for. */
export const longestRetryAfter = 300_000;

/**
 * Milliseconds to wait after the failed attempt number `attempt` (from 1). What the server says in Retry-After is
 * the least; on top comes jitter, so that parallel requests do not return as one. `random` is in [0, 1).
 */
export function waitBefore(attempt: number, retryAfterMs: number | undefined, random: number): number {
  const exponential = Math.min(longestWait, firstWait * 2 ** (attempt - 1));
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, longestRetryAfter) + Math.round(random * 250);
  return Math.round(exponential * (0.5 + random * 0.5));
}

/** Milliseconds that the headers ask to wait: `retry-after-ms`, else `retry-after` in seconds or as a date. */
export function retryAfter(headers: Record<string, string> | undefined, now: number): number | undefined {
  const exact = Number(headers?.["retry-after-ms"]);
  if (headers?.["retry-after-ms"] !== undefined && Number.isFinite(exact) && exact >= 0) return exact;
  const value = headers?.["retry-after"]?.trim();
  if (!value) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Waits, or rejects with the signal's reason as soon as it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = (): void => { clearTimeout(timer); reject(signal?.reason); };
    const timer = setTimeout(() => { signal?.removeEventListener("abort", stop); resolve(); }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
