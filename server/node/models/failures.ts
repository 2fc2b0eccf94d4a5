/** Reads what went wrong with a request: whether to ask again, and what an invalid verdict is to say. */
import { AISDKError, APICallError } from "@ai-sdk/provider";
import { noJsonWords } from "./no-json";

export interface RequestProblem {
  /** Reason of an invalid verdict. */
  readonly reason: "context_length" | "timeout" | "cancelled" | "http_error" | "network" | "refusal" | "redirect" | "too_large";
  readonly message: string;
  /** Whether the same request may be answered later. */
  readonly passing: boolean;
  /** Whether the endpoint may have stumbled over the asked-for answer format. */
  readonly aboutFormat: boolean;
  /** The answer came whole, and was not what was agreed. */
  readonly unreadable?: boolean | undefined;
  readonly headers?: Record<string, string> | undefined;
}

/** Thrown by our own fetch when the endpoint points elsewhere: neither text nor key follows. */
export class RedirectRefused extends Error {
  constructor(status: number, target: string | null) {
    super(`the endpoint answered ${status} and points to ${target ?? "another address"}; set base_url to the final address if you trust it`);
  }
}

/** Thrown by our own fetch when an answer does not end. */
export class AnswerTooLarge extends Error {
  constructor(limit: number) {
    super(`the answer is longer than ${limit >> 20} MB and was not read to its end; check the endpoint`);
  }
}

/** Thrown by our own fetch when an answer is not even meant to be JSON. */
export class NotJson extends Error {
  constructor(status: number, type: string) {
    super(`the endpoint answered ${status} with ${type.slice(0, 80) || "no content type"} ${noJsonWords}`);
  }
}

const tooLong = /context[_ ]length|context window|maximum context|max(?:imum)? (?:input|prompt) (?:length|tokens)|too many tokens|prompt is too long|input is too long|exceeds? the (?:available )?context|reduce the length|token limit/i;
const format = /response_format|json_schema|structured|schema|grammar|guided|not supported|unsupported|unknown (?:field|parameter)|unrecognized/i;
const filtered = /content[_ ]?(?:filter|policy|management)|safety system|flagged/i;

/** Describes a failed request. `timedOut` and `cancelled` say which of our own signals fired; `hide` takes out of a text what is not to be told, before it is cut. */
export function describe(error: unknown, own: { timedOut: boolean; cancelled: boolean; timeoutMs: number; hide?: ((text: string) => string) | undefined }): RequestProblem {
  const line = (text: string): string => oneLine(own.hide?.(text) ?? text);
  const rest = { passing: false, aboutFormat: false };
  if (own.cancelled) return { ...rest, reason: "cancelled", message: "the request was cancelled" };
  if (own.timedOut) return { ...rest, reason: "timeout", message: `no answer within ${Math.round(own.timeoutMs / 1000)} s` };
  const redirect = findCause(error, (one) => one instanceof RedirectRefused);
  if (redirect) return { ...rest, reason: "redirect", message: (redirect as Error).message };
  const large = findCause(error, (one) => one instanceof AnswerTooLarge);
  if (large) return { ...rest, reason: "too_large", message: (large as Error).message };
  const other = findCause(error, (one) => one instanceof NotJson);
  if (other) return { ...rest, reason: "http_error", message: (other as Error).message };
  const call = findCause(error, (one) => APICallError.isInstance(one)) as APICallError | undefined;
  if (call?.statusCode !== undefined && call.statusCode >= 400) return httpProblem(call, call.statusCode, line);
  // An answer that came, and that its client could make nothing of: with another status it would say what it is by that.
  const unread = call?.statusCode === undefined ? (findCause(error, (one) => AISDKError.isInstance(one) && !APICallError.isInstance(one)) as AISDKError | undefined) : call;
  if (unread) return { ...rest, passing: true, unreadable: true, reason: "http_error", message: `the endpoint's answer could not be read: ${line([unread.message, saidInstead(call?.responseBody)].join(" "))}` };
  return { ...rest, passing: true, reason: "network", message: `the endpoint could not be reached: ${networkWords(error, line)}` };
}

function httpProblem(call: APICallError, status: number, line: (text: string) => string): RequestProblem {
  const body = call.responseBody ?? "";
  const said = `${call.message} ${body}`;
  const message = `the endpoint answered ${status}: ${line(call.message || body)}`;
  const rest = { message, headers: call.responseHeaders, passing: false, aboutFormat: false };
  const refused = status === 400 || status === 413 || status === 422 || status === 500 || status === 501;
  if (refused && tooLong.test(said)) return { ...rest, reason: "context_length" };
  if (status === 400 && filtered.test(said)) return { ...rest, reason: "refusal" };
  const passing = status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
  return { ...rest, reason: "http_error", passing: passing && status !== 501, aboutFormat: (status === 400 || status === 422 || status === 501) && (format.test(said) || status !== 400 || body.length < 200) };
}

/** The error that some endpoints put into an answer with the status of a good one. */
function saidInstead(body: string | undefined): string {
  try {
    const { error } = JSON.parse(body ?? "") as { error?: { message?: unknown } | string };
    const said = typeof error === "string" ? error : error?.message;
    return typeof said === "string" ? `(it says: ${said})` : "";
  } catch {
    return "";
  }
}

function findCause(error: unknown, test: (one: unknown) => boolean): unknown {
  for (let one = error, depth = 0; one !== undefined && one !== null && depth < 6; depth++) {
    if (test(one)) return one;
    one = (one as { cause?: unknown; lastError?: unknown }).cause ?? (one as { lastError?: unknown }).lastError;
  }
  return undefined;
}

function networkWords(error: unknown, line: (text: string) => string): string {
  const words: string[] = [];
  for (let one = error, depth = 0; one !== undefined && one !== null && depth < 6; depth++) {
    const { code, message } = one as { code?: unknown; message?: unknown };
    const word = typeof code === "string" ? code : typeof message === "string" ? line(message) : "";
    if (word !== "" && !words.includes(word)) words.push(word);
    one = (one as { cause?: unknown }).cause;
  }
  return words.join(", ") || String(error);
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
