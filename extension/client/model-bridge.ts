/** Answers the server's requests for completions: the only place in the editor where a key meets a request. */
import { join } from "node:path";
import { createRequire } from "node:module";
import * as vscode from "vscode";
import { clientRequests, type ModelFailure, type ModelReply } from "#protocol/lsp";
import type { complete } from "#node/models/main";
import type { Consent } from "../platform/consent";
import { messageOf } from "../platform/errors";
import type { ServerClient } from "./server-client";

/** The model providers are a bundle of their own, loaded with the first request. */
function loadComplete(extensionPath: string): typeof complete {
  const load = createRequire(__filename);
  return (load(join(extensionPath, "dist", "models.cjs")) as { complete: typeof complete }).complete;
}

/** Registers the handler; the origin must have been allowed and the workspace must be trusted. */
export function bridgeModels(client: ServerClient, consent: Consent, extensionPath: string, log: vscode.LogOutputChannel): void {
  client.onRequest("tracemark/complete", async (params, token): Promise<ModelReply | ModelFailure> => {
    const parsed = clientRequests["tracemark/complete"].params.safeParse(params);
    const refuse = (reason: string, message: string): ModelFailure => ({ reason, message, attempts: 0, latencyMs: 0 });
    if (!parsed.success) return refuse("bad_request", parsed.error.message);
    const request = parsed.data;
    if (!vscode.workspace.isTrusted) return refuse("untrusted", vscode.l10n.t("The workspace is not trusted: only rules and recorded verdicts run."));
    if (!consent.isAllowed(request.baseUrl)) return refuse("not_allowed", vscode.l10n.t("{0} is not an allowed host.", request.baseUrl));
    const abort = new AbortController();
    const subscription = token.onCancellationRequested(() => abort.abort());
    try {
      const apiKey = await consent.apiKey(request.baseUrl);
      return await loadComplete(extensionPath)(request, { signal: abort.signal, ...(apiKey ? { apiKey } : {}) });
    } catch (error) {
      log.warn(`tracemark/complete: ${messageOf(error)}`);
      return refuse("http_error", messageOf(error));
    } finally {
      subscription.dispose();
    }
  });
}
