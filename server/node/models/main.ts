/** The bundle that talks to models, loaded on first use: `complete` for the editor and the command line alike. */
import type { ModelFailure, ModelReply, ModelRequest } from "#protocol/lsp";
import { completeOpenAICompatible } from "./openai-compatible";
import type { CompleteOptions } from "./openai-compatible";
import { proxyFetch } from "./proxy";

export type { CompleteOptions } from "./openai-compatible";
export { proxyFetch };

/** One completion. Never rejects; what went wrong is a `ModelFailure` whose reason becomes that of an invalid verdict. */
export async function complete(request: ModelRequest, options: CompleteOptions = {}): Promise<ModelReply | ModelFailure> {
  if (request.provider === "openai-compatible") return completeOpenAICompatible(request, options);
  return { reason: "configuration", message: `provider "${request.provider}" is not available in this version`, attempts: 0, latencyMs: 0 };
}
