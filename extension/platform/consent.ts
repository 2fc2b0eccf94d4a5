/** Which hosts may receive trajectories, and the keys that go with them: the person decides, never the workspace. */
import * as vscode from "vscode";
import { editorModels } from "#core/monitors/endpoint";
import { isUnsendable } from "#node/models/keys";
import { isAllowed, isLoopback, originOf, readUserSettings, userConfigFile, type UserSettings } from "#node/models/origin";
import { egressForbidden } from "./config";
import { ExpectedFailure } from "./errors";

const allowedKey = "tracemark.allowedOrigins";
const secretKey = (origin: string) => `tracemark.apiKey:${origin}`;

export class Consent {
  constructor(private readonly context: vscode.ExtensionContext) {}

  private get allowed(): string[] {
    return this.context.globalState.get<string[]>(allowedKey, []);
  }

  /** Why nothing may leave this machine at all, or undefined. A configuration that cannot be read forbids: it may have said so. */
  get forbidden(): string | undefined {
    if (egressForbidden()) return vscode.l10n.t("The setting tracemark.monitors.forbidEgress forbids all sending.");
    const user = userSettings();
    if (!user) return vscode.l10n.t("{0} cannot be read, so nothing is sent; mend or remove it.", userConfigFile());
    return user.noEgress ? vscode.l10n.t("\"no_egress\" in {0} forbids all sending.", userConfigFile()) : undefined;
  }

  /**
   * Whether text may go there: this machine, hosts that the person allowed here or in the configuration of the command
   * line, vendors of the editor's models (`vscode-lm:VENDOR`) that were allowed.
   */
  isAllowed(place: string): boolean {
    if (isLoopback(place)) return true;
    if (this.forbidden !== undefined) return false;
    const origin = placeOrThrow(place);
    return this.allowed.includes(origin) || (!isEditorPlace(origin) && isAllowed(origin, [], userSettings()!));
  }

  /** @throws ExpectedFailure where `place` is elsewhere and all sending is forbidden */
  refuseForbidden(place: string): void {
    const { forbidden } = this;
    if (forbidden !== undefined && !isLoopback(place)) throw new ExpectedFailure(forbidden);
  }

  /**
   * Asks before the first text leaves for a host that is not loopback. `showText` opens the exact text.
   * Resolves to whether the text may go.
   */
  async ask(baseUrl: string, trajectories: number, tokens: number, showText: () => Thenable<unknown>): Promise<boolean> {
    if (this.isAllowed(baseUrl)) return true;
    this.refuseForbidden(baseUrl);
    const origin = placeOrThrow(baseUrl);
    const allow = vscode.l10n.t("Send to {0}", isEditorPlace(origin) ? editorVendor(origin) : new URL(origin).host);
    const show = vscode.l10n.t("Show the exact text");
    const chosen = await vscode.window.showWarningMessage(
      vscode.l10n.t("Send {0} to {1}?", trajectories === 1 ? vscode.l10n.t("this trajectory") : vscode.l10n.t("{0} trajectories", trajectories), placeWords(origin)),
      {
        modal: true,
        detail: trajectories === 1 ? vscode.l10n.t("The whole transcript (about {0} tokens) leaves this machine. Hosts that you allow are remembered; the command “Forget the hosts that may receive trajectories” takes that back.", tokens)
          : vscode.l10n.t("The whole transcripts (about {0} tokens) leave this machine. Hosts that you allow are remembered; the command “Forget the hosts that may receive trajectories” takes that back.", tokens.toLocaleString()),
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

  /** Stores `key` for the origin of `baseUrl`, and remembers the origin so that it can be cleared. @throws ExpectedFailure where it cannot be sent */
  async setApiKey(baseUrl: string, key: string): Promise<void> {
    if (isUnsendable(key)) throw new ExpectedFailure(vscode.l10n.t("The key holds a space, a line break or a letter that cannot be sent. Enter the key alone."));
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

/** The place that stands for a vendor of models that the editor offers. */
export function editorPlace(vendor: string): string {
  return `${editorModels}:${vendor}`;
}

const isEditorPlace = (place: string): boolean => place.startsWith(`${editorModels}:`);
const editorVendor = (place: string): string => place.slice(editorModels.length + 1);

/** A place where text goes, in words: its origin, or whose model of the editor. */
export function placeWords(place: string): string {
  return isEditorPlace(place) ? vscode.l10n.t("the models that “{0}” offers in this editor", editorVendor(place)) : place;
}

function userSettings(): UserSettings | undefined {
  try {
    return readUserSettings();
  } catch {
    return undefined;
  }
}

function placeOrThrow(place: string): string {
  return isEditorPlace(place) ? place : originOrThrow(place);
}

function originOrThrow(baseUrl: string): string {
  const origin = originOf(baseUrl);
  if (origin === undefined) throw new ExpectedFailure(vscode.l10n.t("{0} is not an http or https address.", baseUrl));
  return origin;
}
