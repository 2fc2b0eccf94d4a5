/** Asks the models that the editor itself offers (`vscode.lm`): no key, no address; the editor asks the person and does the request. */
import * as vscode from "vscode";
import { retryAfter, sleep, waitBefore } from "#node/models/backoff";
import type { ModelFailure, ModelReply, ModelRequest } from "#protocol/lsp";
import { messageOf } from "../platform/errors";

/** Attempts at one answer; what the editor's models say of a failure is too little to be patient for long. */
const mostAttempts = 4;
const defaultTimeoutS = 180;
const passing = /\b(?:429|500|502|503|504|529)\b|rate.?limit|too many requests|overloaded|temporar|time.?out|ECONN|socket|network|fetch failed/i;
const filtered = /content.?filter|responsible ai|filtered|off.?topic|safety/i;

/** What a model is called where text goes and in consent: its vendor and itself. */
export function editorModelName({ vendor, family }: vscode.LanguageModelChat): string {
  return `${vendor}/${family}`;
}

/** Every model that the editor offers. An editor without the interface, or without a model, offers none. */
export async function editorModelList(): Promise<readonly vscode.LanguageModelChat[]> {
  return (await (vscode.lm as typeof vscode.lm | undefined)?.selectChatModels?.({})) ?? [];
}

/**
 * The offered model of this name: `VENDOR/FAMILY`, `VENDOR/ID`, an id, a family or a display name, in this order. A failure
 * with the reason `no_model` names those that are offered.
 */
export async function findEditorModel(name: string): Promise<vscode.LanguageModelChat | ModelFailure> {
  const offered = await editorModelList();
  const forms: ((model: vscode.LanguageModelChat) => string)[] = [editorModelName, ({ vendor, id }) => `${vendor}/${id}`, ({ id }) => id, ({ family }) => family, (model) => model.name];
  for (const form of forms) {
    const found = offered.find((model) => form(model) === name);
    if (found) return found;
  }
  const names = [...new Set(offered.map(editorModelName))];
  const message = names.length === 0 ? noModelWords()
    : vscode.l10n.t("The editor offers no model “{0}”; it offers {1}. Set \"model\" to one of them.", name, names.join(", "));
  return { reason: "no_model", message, attempts: 0, latencyMs: 0 };
}

/** VS Code's minor version from which other extensions than GitHub Copilot can bring models. */
const providersSince = 104;

function noModelWords(): string {
  const [major = 1, minor = 0] = vscode.version.split(".").map(Number);
  if (major > 1 || minor >= providersSince) return vscode.l10n.t("The editor offers no language model; install an extension that brings some, and sign in there.");
  return vscode.l10n.t("The editor offers no language model. In VS Code {0} they come from GitHub Copilot alone: sign in there, or update to 1.{1}, from which on other extensions bring models too.", vscode.version, providersSince);
}

/** Tokens of a text by the model's own tokenizer, or undefined where it has none. */
export async function countTokens(model: vscode.LanguageModelChat, text: string, token?: vscode.CancellationToken): Promise<number | undefined> {
  try {
    return await model.countTokens(text, token);
  } catch {
    return undefined;
  }
}

export interface EditorAsk {
  readonly model: vscode.LanguageModelChat;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  /** Told before every send: bytes of both messages. */
  onSend(bytes: number): void;
}

/** One answer of an offered model. Never rejects; the reason of a failure becomes that of an invalid verdict. */
export async function askEditorModel({ model, request, signal, onSend }: EditorAsk): Promise<ModelReply | ModelFailure> {
  const started = performance.now();
  const latencyMs = (): number => Math.round(performance.now() - started);
  const input = await inputTokens(model, request);
  if (input !== undefined && input > model.maxInputTokens) {
    return { reason: "context_length", message: vscode.l10n.t("{0} tokens do not fit the {1} that {2} takes; set \"context_tokens\" to have long transcripts cut", input, model.maxInputTokens, editorModelName(model)), attempts: 0, latencyMs: latencyMs() };
  }
  for (let attempts = 1; ; attempts++) {
    onSend(Buffer.byteLength(request.system) + Buffer.byteLength(request.user));
    const answer = await attempt(model, request, signal);
    if ("text" in answer) {
      const output = await countTokens(model, answer.text);
      return {
        text: answer.text, modelReturned: model.id, fingerprint: `${model.vendor}/${model.family}/${model.version}`,
        servedBy: { vendor: model.vendor, family: model.family, version: model.version, name: model.name },
        ...(input === undefined || output === undefined ? {} : { usage: { inputTokens: input, outputTokens: output } }), attempts, latencyMs: latencyMs(),
      };
    }
    if (!answer.passing || attempts >= mostAttempts) return { reason: answer.reason, message: answer.message, attempts, latencyMs: latencyMs() };
    try {
      await sleep(waitBefore(attempts, retryAfter(undefined, Date.now()), Math.random()), signal);
    } catch {
      return { reason: "cancelled", message: vscode.l10n.t("the request was cancelled"), attempts, latencyMs: latencyMs() };
    }
  }
}

async function inputTokens(model: vscode.LanguageModelChat, { system, user }: ModelRequest): Promise<number | undefined> {
  const counts = await Promise.all([system, user].filter((text) => text !== "").map((text) => countTokens(model, text)));
  return counts.some((count) => count === undefined) ? undefined : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

type Attempt = { readonly text: string } | { readonly reason: string; readonly message: string; readonly passing: boolean };

async function attempt(model: vscode.LanguageModelChat, request: ModelRequest, signal: AbortSignal): Promise<Attempt> {
  const source = new vscode.CancellationTokenSource();
  const seconds = typeof request.params["timeout_s"] === "number" && request.params["timeout_s"] > 0 ? request.params["timeout_s"] : defaultTimeoutS;
  let isLate = false;
  const stop = (): void => source.cancel();
  const timer = setTimeout(() => { isLate = true; stop(); }, 1000 * seconds);
  signal.addEventListener("abort", stop, { once: true });
  // Providers are foreign code, and not every one listens when it is told to stop.
  const stopped = new Promise<never>((_resolve, reject) => source.token.onCancellationRequested(() => reject(new vscode.CancellationError())));
  stopped.catch(() => undefined);
  try {
    if (signal.aborted) stop();
    return { text: await Promise.race([stopped, answerOf(model, request, source.token)]) };
  } catch (error) {
    if (signal.aborted) return { reason: "cancelled", message: vscode.l10n.t("the request was cancelled"), passing: false };
    if (isLate) return { reason: "timeout", message: vscode.l10n.t("no answer within {0} s", seconds), passing: false };
    return problemOf(error, model);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    source.dispose();
  }
}

/** Beyond this an answer is no verdict and is not read on, in UTF-16 units. */
const longestAnswer = 8 << 20;

async function answerOf(model: vscode.LanguageModelChat, request: ModelRequest, token: vscode.CancellationToken): Promise<string> {
  // The interface knows no system role: what stands there is the first message.
  const messages = [request.system, request.user].filter((text) => text !== "").map((text) => vscode.LanguageModelChatMessage.User(text));
  const { timeout_s: _timeout, context_tokens: _window, ...modelOptions } = request.params;
  const response = await model.sendRequest(messages, { modelOptions, justification: vscode.l10n.t("Tracemark has agent trajectories judged by this model, where you run a monitor that names it.") }, token);
  let text = "";
  for await (const piece of response.text) {
    text += piece;
    if (text.length > longestAnswer) throw new Error(vscode.l10n.t("the answer does not end"));
  }
  return text;
}

function problemOf(error: unknown, model: vscode.LanguageModelChat): { reason: string; message: string; passing: boolean } {
  const name = editorModelName(model);
  const code = error instanceof vscode.LanguageModelError ? error.code : "";
  const cause = error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : "";
  const said = [messageOf(error), cause].filter((words) => words !== "").join(": ").replace(/\s+/g, " ").slice(0, 300);
  const problem = (reason: string, message: string, again = false) => ({ reason, message, passing: again });
  if (code === vscode.LanguageModelError.NoPermissions.name) return problem("no_permission", vscode.l10n.t("the editor was not allowed to let Tracemark use {0}; allow it in “Manage Language Model Access” ({1})", name, said));
  if (code === vscode.LanguageModelError.NotFound.name) return problem("no_model", vscode.l10n.t("{0} is not offered any more ({1})", name, said));
  if (code === vscode.LanguageModelError.Blocked.name) {
    return filtered.test(said) ? problem("refusal", vscode.l10n.t("{0} blocked the request: {1}", name, said)) : problem("quota", vscode.l10n.t("{0} takes no more requests: {1}", name, said));
  }
  return problem("model_error", vscode.l10n.t("{0} failed: {1}", name, said), passing.test(said));
}
