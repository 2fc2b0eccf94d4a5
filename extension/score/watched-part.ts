/** The one part of the scores that a view looks at: asked for when it is shown, again when something changed, given up when it is left. */
import * as vscode from "vscode";
import type { RequestParams } from "#protocol/lsp";
import type { ToWebview } from "#protocol/webview";
import type { ServerClient } from "../client/server-client";
import { Owner } from "../platform/dispose";
import { messageOf } from "../platform/errors";

type Wanted = RequestParams<"tracemark/scorePart">;

export class WatchedPart extends Owner {
  private wanted: Wanted | undefined;
  private running: vscode.CancellationTokenSource | undefined;

  constructor(private readonly client: ServerClient, private readonly post: (message: ToWebview) => Promise<void>) {
    super();
    this.register(new vscode.Disposable(() => this.running?.cancel()));
  }

  /** Looks at another part, or with undefined at none. */
  watch(wanted: Wanted | undefined): Promise<void> {
    this.wanted = wanted;
    return this.refresh();
  }

  /** Works it out again. What was being worked out is given up; its answer would be of yesterday. */
  async refresh(labels?: "all" | "blind"): Promise<void> {
    this.running?.cancel();
    if (this.wanted && labels) this.wanted = { ...this.wanted, labels };
    const { wanted } = this;
    if (!wanted || this.isDisposed) return;
    const source = (this.running = new vscode.CancellationTokenSource());
    const { part, gold, runs = [] } = wanted;
    try {
      const { report, notes } = await this.client.request("tracemark/scorePart", wanted, source.token);
      if (!source.token.isCancellationRequested) await this.post({ type: "score/part", part, gold, runs, report, notes });
    } catch (error) {
      if (!source.token.isCancellationRequested) await this.post({ type: "score/part", part, gold, runs, notes: [], message: messageOf(error) });
    } finally {
      source.dispose();
    }
  }
}
