/** Counts tokens by an endpoint's own tokenizer: vLLM and llama.cpp offer one beside the chat. */
import { guardedFetch, type Fetch } from "./guarded-fetch";

/** A request whose tokens are wanted. */
export interface Counted {
  /** As a monitor states it, up to and with `/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly system: string;
  readonly user: string;
}

export interface CountOptions {
  readonly fetch?: Fetch | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told before the send, as of every send: the origin, and the bytes of the body. */
  readonly onSend?: ((origin: string, bytes: number) => void) | undefined;
}

const timeoutMs = 20_000;

/**
 * Tokens of both messages, or undefined where the endpoint has no tokenizer to ask. vLLM counts the messages with its chat
 * template (`count`), llama.cpp the text alone (`tokens`); one request has what either reads. No key is sent: neither wants one there.
 * Never rejects, but for what `onSend` throws.
 */
export async function countTokens({ baseUrl, model, system, user }: Counted, { fetch = globalThis.fetch, signal, onSend }: CountOptions = {}): Promise<number | undefined> {
  const address = `${baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}/tokenize`;
  const messages = [...(system === "" ? [] : [{ role: "system", content: system }]), { role: "user", content: user }];
  const body = JSON.stringify({ model, messages, content: messages.map(({ content }) => content).join("\n"), add_generation_prompt: true });
  // What is thrown here is about our own log or consent, and no answer of the endpoint's.
  let refused: { error: unknown } | undefined;
  const watch = onSend && { onSend: (origin: string, bytes: number) => {
    try {
      onSend(origin, bytes);
    } catch (error) {
      refused = { error };
      throw error;
    }
  } };
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await guardedFetch(fetch, watch)(address, { method: "POST", headers: { "content-type": "application/json" }, body, signal: signal ? AbortSignal.any([signal, limit]) : limit });
    if (!answer.ok) return undefined;
    const { count, tokens } = (await answer.json()) as { count?: unknown; tokens?: unknown };
    if (typeof count === "number" && Number.isInteger(count) && count > 0) return count;
    return Array.isArray(tokens) && tokens.length > 0 ? tokens.length : undefined;
  } catch {
    if (refused) throw refused.error;
    return undefined;
  }
}
