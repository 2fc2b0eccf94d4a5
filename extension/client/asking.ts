/** One request for a completion under consent that may be taken back while it waits. */
import type { ModelFailure, ModelReply } from "#protocol/lsp";

/** A request may wait for minutes, and be asked again: consent is looked at before every send, and its withdrawal ends the request. */
export class Asking {
  private readonly abort = new AbortController();
  private refused: ModelFailure | undefined;

  /** `refusal` says why text may not go to a place (an address, or `vscode-lm:VENDOR`) now, or undefined. */
  constructor(private readonly refusal: (place: string) => ModelFailure | undefined) {}

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  stop(): void {
    this.abort.abort();
  }

  /** @throws Error where text may not go to `place` (any more); the request and its retries are over then, and `outcome` gives the refusal */
  requireAllowed(place: string): void {
    const refused = this.refusal(place);
    if (!refused) return;
    this.refused ??= refused;
    this.stop();
    throw new Error(refused.message);
  }

  /** What `asked` comes to. A refusal is told as such, whatever became of the request by it, so that it ends a run and is no sample's verdict. */
  async outcome(asked: Promise<ModelReply | ModelFailure>): Promise<ModelReply | ModelFailure> {
    try {
      const reply = await asked;
      return this.refused ?? reply;
    } catch (error) {
      if (this.refused) return this.refused;
      throw error;
    }
  }
}
