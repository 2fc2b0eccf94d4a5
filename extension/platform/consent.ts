/** Which hosts may receive trajectories, and the keys that go with them: the person decides, never the workspace. */
import * as vscode from "vscode";
import { isLoopback, originOf } from "#node/models/origin";
import { ExpectedFailure } from "./errors";

const allowedKey = "tracemark.allowedOrigins";
const secretKey = (origin: string) => `tracemark.apiKey:${origin}`;

export class Consent {
  constructor(private readonly context: vscode.ExtensionContext) {}

  private get allowed(): string[] {
    return this.context.globalState.get<string[]>(allowedKey, []);
  }

  isAllowed(baseUrl: string): boolean {
    return isLoopback(baseUrl) || this.allowed.includes(originOrThrow(baseUrl));
  }

  /**
   * Asks before the first text leaves for a host that is not loopback. `showText` opens the exact text.
   * Resolves to whether the text may go.
   */
  async ask(baseUrl: string, trajectories: number, tokens: number, showText: () => Thenable<unknown>): Promise<boolean> {
    if (this.isAllowed(baseUrl)) return true;
    const origin = originOrThrow(baseUrl);
    const allow = vscode.l10n.t("Send to {0}", new URL(origin).host);
    const show = vscode.l10n.t("Show the exact text");
    const chosen = await vscode.window.showWarningMessage(
      vscode.l10n.t("Send {0} to {1}?", trajectories === 1 ? vscode.l10n.t("this trajectory") : vscode.l10n.t("{0} trajectories", trajectories), origin),
      {
        modal: true,
        detail: vscode.l10n.t("The whole transcript (about {0} tokens) leaves this machine. Hosts that you allow are remembered; the command “Forget the hosts that may receive trajectories” takes that back.", tokens),
      },
      // The first is what Enter does: nothing is sent by it.
      show, allow,
    );
    if (chosen === show) {
      await showText();
      return false;
    }
    if (chosen !== allow) return false;
    await this.context.globalState.update(allowedKey, [...new Set([...this.allowed, origin])]);
    return true;
  }

  async forgetHosts(): Promise<void> {
    await this.context.globalState.update(allowedKey, []);
  }

  /** The key bound to the origin of `baseUrl`; it is never handed out for another one. */
  async apiKey(baseUrl: string): Promise<string | undefined> {
    return this.context.secrets.get(secretKey(originOrThrow(baseUrl)));
  }

  /** Stores `key` for the origin of `baseUrl`, and remembers the origin so that it can be cleared. */
  async setApiKey(baseUrl: string, key: string): Promise<void> {
    const origin = originOrThrow(baseUrl);
    await this.context.secrets.store(secretKey(origin), key);
    await this.context.globalState.update("tracemark.keyOrigins", [...new Set([...this.keyOrigins, origin])]);
  }

  get keyOrigins(): string[] {
    return this.context.globalState.get<string[]>("tracemark.keyOrigins", []);
  }

  async clearApiKeys(): Promise<void> {
    for (const origin of this.keyOrigins) await this.context.secrets.delete(secretKey(origin));
    await this.context.globalState.update("tracemark.keyOrigins", []);
  }
}

function originOrThrow(baseUrl: string): string {
  const origin = originOf(baseUrl);
  if (origin === undefined) throw new ExpectedFailure(vscode.l10n.t("{0} is not an http or https address.", baseUrl));
  return origin;
}
