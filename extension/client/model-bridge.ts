/** Answers the server's requests for completions: the only place in the editor where a key meets a request, and where every send is logged. */
import { join } from "node:path";
import { createRequire } from "node:module";
import * as vscode from "vscode";
import { clientRequests, type ModelFailure, type ModelReply, type ModelRequest } from "#protocol/lsp";
import { EgressLog } from "#node/models/egress-log";
import type { complete } from "#node/models/main";
import { RateLimiter } from "#node/models/rate-limit";
import { estimateTokens } from "#core/monitors/render";
import { editorPlace, type Consent } from "../platform/consent";
import { Owner } from "../platform/dispose";
import { messageOf } from "../platform/errors";
import { Asking } from "./asking";
import { askEditorModel, findEditorModel } from "./editor-models";
import type { ServerClient } from "./server-client";

const refuse = (reason: string, message: string): ModelFailure => ({ reason, message, attempts: 0, latencyMs: 0 });

export class ModelBridge extends Owner {
  private complete: typeof complete | undefined;
  private egress: EgressLog | undefined;
  /** One for each endpoint and model, so that all runs of it wait together. */
  private readonly gates = new Map<string, RateLimiter>();

  /** Registers the handler; to be made before the client starts. */
  constructor(client: ServerClient, private readonly consent: Consent, private readonly extensionPath: string, private readonly log: vscode.LogOutputChannel) {
    super();
    client.onRequest("tracemark/complete", (params, token) => this.answer(params, token));
    this.register(new vscode.Disposable(() => this.egress?.close()));
  }

  /** The place must have been allowed and the workspace must be trusted. Never rejects. */
  private async answer(params: unknown, token: vscode.CancellationToken): Promise<ModelReply | ModelFailure> {
    const parsed = clientRequests["tracemark/complete"].params.safeParse(params);
    if (!parsed.success) return refuse("bad_request", parsed.error.message);
    if (!vscode.workspace.isTrusted) return refuse("untrusted", vscode.l10n.t("The workspace is not trusted: only rules and recorded verdicts run."));
    const asking = new Asking((place) => this.refusal(place));
    const subscription = token.onCancellationRequested(() => asking.stop());
    try {
      return await asking.outcome(parsed.data.provider === "vscode-lm" ? this.askEditor(parsed.data, asking) : this.askEndpoint(parsed.data, asking));
    } catch (error) {
      this.log.warn(`tracemark/complete: ${messageOf(error)}`);
      return refuse("model_error", messageOf(error));
    } finally {
      subscription.dispose();
    }
  }

  private async askEndpoint(request: ModelRequest, asking: Asking): Promise<ModelReply | ModelFailure> {
    asking.requireAllowed(request.baseUrl);
    const apiKey = await this.consent.apiKey(request.baseUrl);
    const log = this.egressLog();
    return this.loadComplete()(request, {
      signal: asking.signal, gate: this.gateOf(request), tokens: tokensOf(request), ...(apiKey ? { apiKey } : {}),
      onSend: (origin, bytes) => { asking.requireAllowed(origin); log.sent(origin, bytes, request.monitor, request.samples); },
      onRetry: ({ attempt, attempts, waitMs, message }) => this.log.info(`${request.monitor}: attempt ${attempt} of ${attempts}: ${message}; asking again in ${(waitMs / 1000).toFixed(1)} s`),
    });
  }

  private async askEditor(request: ModelRequest, asking: Asking): Promise<ModelReply | ModelFailure> {
    const model = await findEditorModel(request.model);
    if ("reason" in model) return model;
    const place = editorPlace(model.vendor);
    asking.requireAllowed(place);
    try {
      await this.gateOf(request).enter(tokensOf(request), asking.signal);
    } catch {
      return refuse("cancelled", vscode.l10n.t("the request was cancelled"));
    }
    // The model counts tokens before anything is sent: that is its vendor's code too, and sees the text.
    asking.requireAllowed(place);
    const log = this.egressLog();
    return askEditorModel({ model, request, signal: asking.signal, onSend: (bytes) => { asking.requireAllowed(place); log.sent(place, bytes, request.monitor, request.samples); } });
  }

  private refusal(place: string): ModelFailure | undefined {
    if (this.consent.isAllowed(place)) return undefined;
    return refuse("not_allowed", this.consent.forbidden ?? vscode.l10n.t("{0} has not been allowed to receive text.", place));
  }

  /** Opened with the first request; what cannot be logged is not sent. */
  private egressLog(): EgressLog {
    return (this.egress ??= EgressLog.open());
  }

  private gateOf({ baseUrl, model, limits }: ModelRequest): RateLimiter {
    const name = `${baseUrl}\n${model}\n${JSON.stringify(limits ?? {})}`;
    const gate = this.gates.get(name) ?? new RateLimiter(limits);
    this.gates.set(name, gate);
    return gate;
  }

  /** The model providers are a bundle of their own, loaded with the first request. */
  private loadComplete(): typeof complete {
    this.complete ??= (createRequire(__filename)(join(this.extensionPath, "dist", "models.cjs")) as { complete: typeof complete }).complete;
    return this.complete;
  }
}

const tokensOf = ({ system, user }: ModelRequest): number => estimateTokens(system) + estimateTokens(user);
